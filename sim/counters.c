#include "counters.h"

#include <stdlib.h>

#include "memory.h"

#define US_PER_S UINT64_C(1000000)

enum {
    ROOM = 8, /* counters of a key, before those that are gone make room */
};

/* ---- how many there are ---- */

void sim_keyspace_init(struct sim_keyspace *keyspace, uint64_t start_us, uint64_t duration_us)
{
    *keyspace = (struct sim_keyspace){
        .start_us = start_us,
        .second_count = (uint32_t)(duration_us / US_PER_S) + 1,
    };
    keyspace->changes = sim_memory_new(keyspace->second_count, sizeof *keyspace->changes);
}

void sim_keyspace_deinit(struct sim_keyspace *keyspace)
{
    free(keyspace->changes);
    keyspace->changes = NULL;
}

/* From the first whole second at or after time_us on. */
static void change(struct sim_keyspace *keyspace, uint64_t time_us, int64_t by)
{
    const uint64_t elapsed_us = time_us > keyspace->start_us ? time_us - keyspace->start_us : 0;
    const uint64_t second = elapsed_us / US_PER_S + (elapsed_us % US_PER_S != 0);

    if (time_us != SIM_COUNTER_FOR_EVER && second < keyspace->second_count) {
        keyspace->changes[second] += by;
    }
}

void sim_keyspace_figures(const struct sim_keyspace *keyspace, struct sim_keyspace_figures *figures)
{
    int64_t now = 0;
    int64_t sum = 0;
    int64_t max = 0;

    for (uint32_t second = 0; second < keyspace->second_count; second++) {
        now += keyspace->changes[second];
        sum += now;
        max = now > max ? now : max;
    }
    *figures = (struct sim_keyspace_figures){
        .max = (uint64_t)max,
        .at_end = (uint64_t)now,
        .mean = (double)sum / (double)keyspace->second_count,
    };
}

static void appears(struct sim_keyspace *keyspace, struct sim_counter *counter, uint64_t now_us)
{
    counter->expires_us = SIM_COUNTER_FOR_EVER;
    keyspace->without_ttl++;
    change(keyspace, now_us, 1);
}

static void set_expiry(struct sim_keyspace *keyspace, struct sim_counter *counter,
                       uint64_t expires_us)
{
    keyspace->without_ttl -= counter->expires_us == SIM_COUNTER_FOR_EVER;
    keyspace->without_ttl += expires_us == SIM_COUNTER_FOR_EVER;
    change(keyspace, counter->expires_us, 1);
    change(keyspace, expires_us, -1);
    counter->expires_us = expires_us;
}

/* ---- counters ---- */

void sim_counters_deinit(struct sim_counters *counters)
{
    free(counters->list);
    *counters = (struct sim_counters){0};
}

static struct sim_counter *find(const struct sim_counters *counters, uint64_t window)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        if (counters->list[i].window == window) {
            return &counters->list[i];
        }
    }
    return NULL;
}

/* A place for one more: that of the oldest that is gone, if there are many. */
static struct sim_counter *place(struct sim_counters *counters, uint64_t now_us)
{
    struct sim_counter *oldest = NULL;

    for (uint32_t i = 0; i < counters->count && counters->count >= ROOM; i++) {
        struct sim_counter *counter = &counters->list[i];
        if (counter->expires_us <= now_us && (oldest == NULL || counter->window < oldest->window)) {
            oldest = counter;
        }
    }
    if (oldest != NULL) {
        return oldest;
    }
    if (counters->count == counters->capacity) {
        struct sim_counters grown = *counters;
        grown.capacity = counters->capacity == 0 ? 2 : 2 * counters->capacity;
        grown.list = sim_memory_new(grown.capacity, sizeof *grown.list);
        for (uint32_t i = 0; i < counters->count; i++) {
            grown.list[i] = counters->list[i];
        }
        free(counters->list);
        *counters = grown;
    }
    return &counters->list[counters->count++];
}

/* The counter of a window, made if it is not there. */
static struct sim_counter *provide(struct sim_counters *counters, struct sim_keyspace *keyspace,
                                   uint64_t window, uint64_t now_us)
{
    struct sim_counter *counter = find(counters, window);

    if (counter != NULL && counter->expires_us > now_us) {
        return counter;
    }
    if (counter != NULL) {
        keyspace->reborn_count++;
        keyspace->reborn_units += counter->count;
    } else {
        counter = place(counters, now_us);
    }
    *counter = (struct sim_counter){.window = window};
    appears(keyspace, counter, now_us);
    return counter;
}

uint64_t sim_counters_count(const struct sim_counters *counters, uint64_t window, uint64_t now_us)
{
    const struct sim_counter *counter = find(counters, window);

    return counter != NULL && counter->expires_us > now_us ? counter->count : 0;
}

void sim_counters_begin(struct sim_counters *counters, struct sim_keyspace *keyspace,
                        uint64_t window, uint64_t count, uint64_t now_us, uint64_t ttl_us)
{
    if (count != 0) {
        struct sim_counter *counter = provide(counters, keyspace, window, now_us);
        counter->count = count;
        set_expiry(keyspace, counter, now_us + ttl_us);
    }
}

/* ---- commands ---- */

static bool is_locked(const struct sim_counters *counters, uint64_t now_us)
{
    return counters->lock_value != 0 && counters->lock_until_us > now_us;
}

static void check_writer(const struct sim_counters *counters, struct sim_keyspace *keyspace,
                         const struct sim_exchange *exchange, uint64_t now_us)
{
    if (exchange->lock_value != 0 &&
        (!is_locked(counters, now_us) || counters->lock_value != exchange->lock_value)) {
        keyspace->stale_writes++;
    }
}

static void increment(struct sim_counters *counters, struct sim_keyspace *keyspace,
                      struct sim_exchange *exchange, uint64_t now_us)
{
    struct sim_counter *counter = provide(counters, keyspace, exchange->add_window, now_us);
    const bool is_new = counter->count == 0;

    counter->count += exchange->add_units;
    exchange->add_count = counter->count;
    if (exchange->kind == SIM_EXCHANGE_ADD && is_new) {
        set_expiry(keyspace, counter, now_us + exchange->ttl_us);
    }
}

static void set(struct sim_counters *counters, struct sim_keyspace *keyspace,
                struct sim_exchange *exchange, uint64_t now_us)
{
    struct sim_counter *counter = provide(counters, keyspace, exchange->add_window, now_us);

    check_writer(counters, keyspace, exchange, now_us);
    counter->count = exchange->add_units;
    exchange->add_count = counter->count;
    set_expiry(keyspace, counter, now_us + exchange->ttl_us);
}

static void expire(const struct sim_counters *counters, struct sim_keyspace *keyspace,
                   const struct sim_exchange *exchange, uint64_t now_us)
{
    struct sim_counter *counter = find(counters, exchange->add_window);

    if (counter != NULL && counter->expires_us > now_us) {
        set_expiry(keyspace, counter, now_us + exchange->ttl_us);
    }
}

static void lock(struct sim_counters *counters, struct sim_keyspace *keyspace,
                 struct sim_exchange *exchange, uint64_t now_us)
{
    exchange->is_locked = !is_locked(counters, now_us);
    if (!exchange->is_locked) {
        keyspace->lock_miss_count++;
        return;
    }
    keyspace->lock_count++;
    keyspace->lock_ran_out += counters->lock_value != 0;
    counters->lock_value = exchange->lock_value;
    counters->lock_until_us = now_us + exchange->ttl_us;
    counters->lock_process = exchange->process;
    counters->lock_life = exchange->life;
}

static void unlock(struct sim_counters *counters, const struct sim_exchange *exchange,
                   uint64_t now_us)
{
    if (is_locked(counters, now_us) && counters->lock_value == exchange->lock_value) {
        counters->lock_value = 0;
    }
}

void sim_counters_serve(struct sim_counters *counters, struct sim_keyspace *keyspace,
                        struct sim_exchange *exchange, uint64_t now_us)
{
    switch (exchange->kind) {
    case SIM_EXCHANGE_ADD:
    case SIM_EXCHANGE_INCREMENT:
        increment(counters, keyspace, exchange, now_us);
        break;
    case SIM_EXCHANGE_GET:
        exchange->add_count = sim_counters_count(counters, exchange->add_window, now_us);
        break;
    case SIM_EXCHANGE_SET:
        set(counters, keyspace, exchange, now_us);
        break;
    case SIM_EXCHANGE_EXPIRE:
        expire(counters, keyspace, exchange, now_us);
        break;
    case SIM_EXCHANGE_LOCK:
        lock(counters, keyspace, exchange, now_us);
        break;
    case SIM_EXCHANGE_UNLOCK:
        unlock(counters, exchange, now_us);
        break;
    case SIM_EXCHANGE_ASK:
    case SIM_EXCHANGE_SYNC:
    case SIM_EXCHANGE_SHARE:
        break;
    }
}

void sim_counters_holder_died(const struct sim_counters *counters, struct sim_keyspace *keyspace,
                              uint32_t process, uint32_t life, uint64_t now_us)
{
    if (is_locked(counters, now_us) && counters->lock_process == process &&
        counters->lock_life == life) {
        keyspace->dead_locks++;
        keyspace->dead_lock_us += counters->lock_until_us - now_us;
    }
}

/* ---- what faults do ---- */

bool sim_counters_forget(struct sim_counters *counters, struct sim_keyspace *keyspace,
                         uint64_t now_us)
{
    bool is_any = is_locked(counters, now_us);

    for (uint32_t i = 0; i < counters->count; i++) {
        if (counters->list[i].expires_us > now_us) {
            set_expiry(keyspace, &counters->list[i], now_us);
            is_any = true;
        }
    }
    counters->count = 0;
    counters->lock_value = 0;
    return is_any;
}
