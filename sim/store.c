#include "store.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "prng.h"

static const struct weir_plan *plan_of(const struct sim_store *store, uint32_t key)
{
    return &store->catalog->plans[store->catalog->keys[key].plan];
}

/* Memory for the log of a key, if its plan keeps one. */
static void provide_log(struct sim_store_entry *entry, const struct weir_plan *plan)
{
    const uint64_t capacity = weir_store_log_capacity(plan);

    if (capacity > entry->state.log_capacity) {
        struct weir_log_entry *log = sim_memory_new((size_t)capacity, sizeof *log);
        free(weir_store_key_set_log(&entry->state, log, (uint32_t)capacity));
    }
}

void sim_store_init(struct sim_store *store, const struct sim_catalog *catalog)
{
    struct sim_prng prng;

    sim_prng_init(&prng, catalog->scenario->seed, "store run", 0);
    *store = (struct sim_store){
        .catalog = catalog,
        .entries = sim_memory_new(catalog->key_count, sizeof(struct sim_store_entry)),
        .busy_until_ns = sim_memory_new(catalog->scenario->shard_count, sizeof(uint64_t)),
        .run = {.id = sim_prng_next(&prng)},
    };
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        struct sim_store_entry *entry = &store->entries[key];
        const uint64_t start = sim_catalog_start_units(catalog, key);
        provide_log(entry, plan_of(store, key));
        weir_store_key_init(&entry->state, &catalog->keys[key].key, plan_of(store, key),
                            sim_store_us(0), start);
        entry->add_window[0] = sim_store_us(0) / plan_of(store, key)->window_us;
        entry->add_count[0] = plan_of(store, key)->capacity_units - start;
    }
}

void sim_store_deinit(struct sim_store *store)
{
    for (uint32_t key = 0; key < store->catalog->key_count; key++) {
        free(store->entries[key].state.log);
    }
    free(store->entries);
    free(store->busy_until_ns);
    *store = (struct sim_store){0};
}

/* INCRBY on the counter of one window; the two newest windows live, as with a TTL of two windows.
 */
static void serve_add(struct sim_store_entry *entry, struct sim_exchange *exchange)
{
    const uint64_t window = exchange->add_window;

    if (window > entry->add_window[0]) {
        entry->add_window[1] = entry->add_window[0];
        entry->add_count[1] = entry->add_count[0];
        entry->add_window[0] = window;
        entry->add_count[0] = 0;
    }
    const unsigned which = window == entry->add_window[0] ? 0 : 1;
    if (which == 1 && entry->add_window[1] != window) {
        entry->add_window[1] = window;
        entry->add_count[1] = 0;
    }
    entry->add_count[which] += exchange->add_units;
    exchange->add_count = entry->add_count[which];
}

/* What was taken from the key so far, less what came back in time: of a window, in the current
 * one. */
static uint64_t newly_taken(const struct weir_store_key *state, uint64_t before)
{
    return state->in_force.algorithm == WEIR_ALGORITHM_BUCKET ? before - state->tokens
                                                              : state->tokens - before;
}

static void count_window(struct sim_store_entry *entry, const struct sim_key *key,
                         const struct weir_plan *plan, uint64_t now_us, uint64_t units)
{
    const uint64_t phase_us = weir_key_phase_us(&key->key, plan->window_us);
    const uint64_t index = (now_us + phase_us) / plan->window_us;

    if (index != entry->log_window) {
        entry->log_window = index;
        entry->log_units = 0;
    }
    entry->log_units += units;
}

static void serve_ask(struct sim_store *store, struct sim_store_entry *entry,
                      struct sim_exchange *exchange, uint64_t done_ns)
{
    const struct weir_ask *ask = &exchange->ask;
    const uint64_t now_us = sim_store_us(done_ns);
    struct weir_ask_record record = {0}; /* nothing is sent twice in a world without faults */

    provide_log(entry, &ask->plan);
    weir_store_key_advance(&entry->state, &ask->key, &ask->plan, now_us);
    const uint64_t tokens = entry->state.tokens;
    const enum weir_status status =
        weir_take(&entry->state, &record, ask, now_us, &store->run, &exchange->answer);
    if (status != WEIR_OK) {
        fprintf(stderr, "weir: store: %s\n", weir_status_text(status));
        exit(70);
    }
    entry->lumps_units += newly_taken(&entry->state, tokens);
    if (ask->plan.algorithm == WEIR_ALGORITHM_LOG) {
        count_window(entry, &store->catalog->keys[exchange->key], &ask->plan, now_us,
                     exchange->answer.granted_units);
    }
    if (ask->plan.algorithm != WEIR_ALGORITHM_UNLIMITED) { /* it admits without being granted */
        store->granted_units += exchange->answer.granted_units + exchange->answer.trickle_count;
    }
    store->returned_units += ask->returned_units + ask->unused_units;
    if (ask->flags & WEIR_ASK_CANCEL_TRICKLE) {
        store->returned_units +=
            ask->trickle_count[0] + ask->trickle_count[1] - ask->trickle_accrued;
    }
}

uint64_t sim_store_done_ns(const struct sim_store *store, uint32_t key, uint64_t now_ns)
{
    const uint64_t busy_ns = store->busy_until_ns[store->catalog->keys[key].shard];

    return (busy_ns > now_ns ? busy_ns : now_ns) + store->catalog->scenario->service_ns;
}

uint64_t sim_store_serve(struct sim_store *store, struct sim_exchange *exchange, uint64_t now_ns)
{
    const uint64_t done_ns = sim_store_done_ns(store, exchange->key, now_ns);
    struct sim_store_entry *entry = &store->entries[exchange->key];

    store->busy_until_ns[store->catalog->keys[exchange->key].shard] = done_ns;
    if (exchange->kind == SIM_EXCHANGE_ADD) {
        serve_add(entry, exchange);
    } else {
        serve_ask(store, entry, exchange, done_ns);
    }
    return done_ns;
}

uint64_t sim_store_idle_ns(const struct sim_store *store, uint64_t now_ns)
{
    uint64_t idle_ns = now_ns;

    for (uint32_t i = 0; i < store->catalog->scenario->shard_count; i++) {
        idle_ns = store->busy_until_ns[i] > idle_ns ? store->busy_until_ns[i] : idle_ns;
    }
    return idle_ns;
}

/* The note's counter, clipped: what lies above the limit was never granted. */
static void peek_add(const struct sim_store_entry *entry, const struct weir_plan *plan,
                     uint64_t time_ns, struct sim_store_level *level)
{
    const uint64_t window = (sim_store_us(time_ns) - 1) / plan->window_us;
    uint64_t count = 0;

    for (unsigned i = 0; i < 2; i++) {
        if (entry->add_window[i] == window) {
            count = entry->add_count[i];
        }
    }
    level->window_taken_units = count < plan->limit_units ? count : plan->limit_units;
    level->window_left_units = plan->limit_units - level->window_taken_units;
    level->left_units = level->window_left_units;
}

/* Of the window that ends at time_ns, or is cut short there. */
static uint64_t taken_in_window(const struct sim_store_entry *entry, const struct weir_key *key,
                                const struct weir_plan *plan, uint64_t time_ns)
{
    const uint64_t phase_us = weir_key_phase_us(key, plan->window_us);
    const uint64_t window = (sim_store_us(time_ns) - 1 + phase_us) / plan->window_us;

    if (plan->algorithm == WEIR_ALGORITHM_LOG) {
        return window == entry->log_window ? entry->log_units : 0;
    }
    return window == entry->state.window_index ? entry->state.tokens : 0;
}

void sim_store_peek(const struct sim_store *store, uint32_t key, const struct weir_plan *plan,
                    uint64_t time_ns, struct sim_store_level *level)
{
    const struct sim_store_entry *entry = &store->entries[key];
    const struct weir_key *name = &store->catalog->keys[key].key;
    struct weir_store_key copy = entry->state;

    *level = (struct sim_store_level){0};
    if (store->catalog->scenario->coordination == SIM_COORDINATION_AS_WRITTEN) {
        peek_add(entry, plan, time_ns, level);
        return;
    }
    struct weir_log_entry carried[1]; /* what another plan left, if nobody asked under a log yet */
    if (plan->version > copy.in_force.version && plan->algorithm == WEIR_ALGORITHM_LOG &&
        copy.in_force.algorithm != WEIR_ALGORITHM_LOG) {
        (void)weir_store_key_set_log(&copy, carried, 1);
    }
    weir_store_key_advance(&copy, name, plan, sim_store_us(time_ns));
    level->left_units = weir_store_key_remaining(&copy);
    level->taken_units = entry->lumps_units + copy.trickled_units;
    level->out_units = weir_store_key_out(&copy);
    if (weir_plan_has_windows(plan)) {
        const uint64_t taken = taken_in_window(entry, name, plan, time_ns);
        level->window_taken_units = taken;
        level->window_left_units = plan->limit_units > taken ? plan->limit_units - taken : 0;
    }
}
