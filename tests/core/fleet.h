/* A small fleet for tests of the limiter: processes with clocks of their own, a store of a few
 * keys, and exchanges that take their time. Nothing happens by itself: fleet_run_until plays what
 * is due. Every admission is checked against an exact limiter that leases nothing (exact.h), and
 * every permit and report is entered in a ledger. */
#ifndef WEIR_FLEET_H
#define WEIR_FLEET_H

#include "core_support.h"
#include "exact.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "weir/limiter.h"
#include "weir/take.h"

#define US_NS UINT64_C(1000)
#define MS_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)

#define FLEET_PROCESSES 8
#define FLEET_KEYS 64
#define FLEET_EXCHANGES 512
#define FLEET_REPORTS 16384
#define FLEET_TICKETS 4096

struct fleet_process {
    struct weir_limiter *limiter;
    void *memory; /* owned */
    uint64_t start_ns;
    int64_t drift_ppm;
    uint64_t paused_until_ns; /* till then it sees nothing */
    uint32_t costs[FLEET_TICKETS];
    uint32_t keys[FLEET_TICKETS];
    uint32_t waiting;
};

struct fleet_exchange {
    struct weir_ask ask;
    struct weir_answer answer;
    uint64_t due_ns;
    uint32_t process;
    uint32_t key;
    bool served;
    uint64_t sent_ns;
};

struct fleet_key {
    struct weir_key key;
    uint32_t plan;
    struct weir_store_key store; /* owns its log */
    struct weir_ask_record records[FLEET_PROCESSES];
    struct exact exact;
    uint64_t spent_units;
    uint64_t over_units; /* beyond what the plan's contract allows */
};

struct fleet {
    struct dice dice;
    uint64_t now_ns;
    struct weir_plan plans[4];
    uint32_t plan_count;
    struct fleet_key keys[FLEET_KEYS];
    uint32_t key_count;
    struct fleet_process processes[FLEET_PROCESSES];
    uint32_t process_count;
    struct fleet_exchange exchanges[FLEET_EXCHANGES];
    uint32_t exchange_count;
    uint64_t delay_min_ns; /* one way */
    uint64_t delay_max_ns;
    uint64_t start_spread_ns; /* of the processes' clocks */
    uint64_t wait_max_ns;
    uint64_t ask_timeout_ns;
    enum weir_full_table full_table;

    struct weir_settled last_settled;
    uint32_t settled_count;
    struct weir_report reports[FLEET_REPORTS]; /* the newest per life and window */
    uint32_t report_count;
    uint64_t ask_count;
    uint64_t expire_count;
    uint64_t granted_units, promised_units;
    uint64_t unlimited_units; /* spent without a grant */
    uint64_t spent_units, returned_units, unused_units, cancelled_units;
    uint64_t lost_units; /* granted or promised, in answers that came after they were expected */
    uint64_t denied_count;
};

static inline uint64_t fleet_store_us(const struct fleet *fleet)
{
    return START_US + fleet->now_ns / US_NS;
}

static inline uint64_t fleet_local_ns(const struct fleet *fleet, uint32_t process)
{
    const struct fleet_process *self = &fleet->processes[process];
    const int64_t drift_ns = (int64_t)(fleet->now_ns / 1000) * self->drift_ppm / 1000;

    return self->start_ns + fleet->now_ns + (uint64_t)drift_ns;
}

/* Options are the caller's to change before fleet_start. */
static inline struct fleet *fleet_new(uint64_t seed)
{
    struct fleet *fleet = calloc(1, sizeof *fleet);

    assert_non_null(fleet);
    fleet->dice.seed = seed;
    fleet->delay_min_ns = 200 * US_NS;
    fleet->delay_max_ns = 200 * US_NS;
    fleet->wait_max_ns = 60 * MINUTE_NS; /* the store is slow here, and never away */
    fleet->ask_timeout_ns = 60 * MINUTE_NS;
    return fleet;
}

static inline uint32_t fleet_add_plan(struct fleet *fleet, struct weir_plan plan)
{
    fleet->plans[fleet->plan_count] = plan;
    return fleet->plan_count++;
}

static inline uint32_t fleet_add_key(struct fleet *fleet, uint32_t plan, uint64_t phase_us)
{
    struct fleet_key *self = &fleet->keys[fleet->key_count];

    *self = (struct fleet_key){
        .key = {.low = 1000 + fleet->key_count, .high = phase_us},
        .plan = plan,
    };
    self->exact.key = self->key;
    exact_start(&self->exact, &fleet->plans[plan], fleet_store_us(fleet), 0);
    return fleet->key_count++;
}

/* A key that has a log needs memory for it. */
static inline void fleet_log_memory(struct fleet_key *key, const struct weir_plan *plan)
{
    const uint64_t count = weir_store_log_capacity(plan);

    if (count > key->store.log_capacity) {
        struct weir_log_entry *entries = calloc(count, sizeof *entries);
        assert_non_null(entries);
        free(weir_store_key_set_log(&key->store, entries, (uint32_t)count));
    }
}

/* Before fleet_start: the key has only so much left. */
static inline void fleet_fill(struct fleet *fleet, uint32_t key, uint64_t fill_units)
{
    struct fleet_key *self = &fleet->keys[key];
    const struct weir_plan *plan = &fleet->plans[self->plan];
    const uint64_t now_us = fleet_store_us(fleet);

    fleet_log_memory(self, plan);
    weir_store_key_init(&self->store, &self->key, plan, now_us, fill_units);
    exact_start(&self->exact, plan, now_us, plan->capacity_units - fill_units);
}

static inline void fleet_start(struct fleet *fleet, uint32_t process_count, uint32_t key_capacity)
{
    fleet->process_count = process_count;
    for (uint32_t i = 0; i < process_count; i++) {
        struct fleet_process *process = &fleet->processes[i];
        process->start_ns = (i + 1) * 77 * SECOND_NS;
        if (fleet->start_spread_ns != 0) {
            process->start_ns += dice_below(&fleet->dice, fleet->start_spread_ns);
        }
        const struct weir_limiter_options options = {
            .process = i,
            .incarnation = 1000 + i,
            .table_secret = i * 7,
            .key_capacity = key_capacity,
            .plan_capacity = 4,
            .endpoint_capacity = 2,
            .waiter_capacity = 64,
            .start_ns = process->start_ns,
            .full_table = fleet->full_table,
            .ask_capacity = 64,
            .wait_max_ns = fleet->wait_max_ns,
            .ask_timeout_ns = fleet->ask_timeout_ns,
        };
        const size_t size = (weir_limiter_size(&options) + 63) / 64 * 64;
        process->memory = aligned_alloc(64, size);
        assert_non_null(process->memory);
        assert_int_equal(weir_limiter_init(&process->limiter, process->memory, size, &options),
                         WEIR_OK);
        for (uint32_t p = 0; p < fleet->plan_count; p++) {
            assert_int_equal(weir_limiter_set_plan(process->limiter, p, &fleet->plans[p]), WEIR_OK);
        }
    }
}

static inline void fleet_free(struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        free(fleet->processes[i].memory);
    }
    for (uint32_t i = 0; i < fleet->key_count; i++) {
        free(fleet->keys[i].store.log);
        exact_free(&fleet->keys[i].exact);
    }
    free(fleet);
}

static inline struct weir_limiter *fleet_limiter(struct fleet *fleet, uint32_t process)
{
    return fleet->processes[process].limiter;
}

static inline void fleet_admit(struct fleet *fleet, uint32_t key, uint32_t units,
                               enum weir_reason reason)
{
    struct fleet_key *self = &fleet->keys[key];

    fleet->unlimited_units += reason == WEIR_REASON_UNLIMITED ? units : 0;

    self->over_units += exact_admit(&self->exact, fleet_store_us(fleet), units);
    self->spent_units += units;
    fleet->spent_units += units;
}

/* A later report of the same life and window replaces the earlier one; see weir/report.h. */
static inline void fleet_keep_report(struct fleet *fleet, const struct weir_report *report)
{
    for (uint32_t back = 1; back <= fleet->report_count && back <= 256; back++) {
        struct weir_report *kept = &fleet->reports[fleet->report_count - back];
        if (kept->process == report->process && kept->life == report->life &&
            kept->window_index == report->window_index && kept->key.low == report->key.low) {
            assert_false(kept->sealed);
            assert_true(report->sequence > kept->sequence);
            assert_true(report->spent_units >= kept->spent_units);
            *kept = *report;
            return;
        }
    }
    assert_true(fleet->report_count < FLEET_REPORTS);
    assert_int_equal(report->incarnation, 1000 + report->process);
    fleet->reports[fleet->report_count++] = *report;
}

static inline void fleet_drain(struct fleet *fleet, uint32_t process)
{
    struct weir_limiter *limiter = fleet_limiter(fleet, process);
    const uint64_t spread_ns = fleet->delay_max_ns - fleet->delay_min_ns;
    struct weir_report report;
    struct weir_ask ask;

    while (weir_limiter_next_ask(limiter, fleet_local_ns(fleet, process), &ask)) {
        uint32_t key = 0;
        while (fleet->keys[key].key.low != ask.key.low) {
            key++;
        }
        assert_true(fleet->exchange_count < FLEET_EXCHANGES);
        fleet->ask_count++;
        fleet->exchanges[fleet->exchange_count++] = (struct fleet_exchange){
            .ask = ask,
            .due_ns = fleet->now_ns + fleet->delay_min_ns + dice_below(&fleet->dice, spread_ns + 1),
            .sent_ns = fleet->now_ns,
            .process = process,
            .key = key,
        };
        fleet->returned_units += ask.returned_units;
        fleet->unused_units += ask.unused_units;
        if (ask.flags & WEIR_ASK_CANCEL_TRICKLE) {
            fleet->cancelled_units +=
                ask.trickle_count[0] + ask.trickle_count[1] - ask.trickle_accrued;
        }
    }
    while (weir_limiter_next_report(limiter, &report)) {
        fleet_keep_report(fleet, &report);
    }
}

static inline uint64_t fleet_reported_units(const struct fleet *fleet)
{
    uint64_t units = 0;

    for (uint32_t i = 0; i < fleet->report_count; i++) {
        units += fleet->reports[i].spent_units;
    }
    return units;
}

static inline void fleet_settle(struct fleet *fleet, uint32_t process)
{
    struct fleet_process *self = &fleet->processes[process];
    struct weir_settled settled;

    while (weir_limiter_next_settled(self->limiter, &settled)) {
        assert_int_not_equal(settled.decision.verdict, WEIR_VERDICT_PENDING);
        fleet->last_settled = settled;
        fleet->settled_count++;
        self->waiting--;
        if (settled.decision.verdict == WEIR_VERDICT_ADMITTED) {
            fleet_admit(fleet, self->keys[settled.ticket % FLEET_TICKETS],
                        self->costs[settled.ticket % FLEET_TICKETS], settled.decision.reason);
        } else {
            assert_true(settled.decision.retry_after_ns > 0);
            fleet->denied_count++;
        }
    }
}

static inline struct weir_decision fleet_request(struct fleet *fleet, uint32_t process,
                                                 uint32_t key, uint32_t cost)
{
    struct fleet_process *self = &fleet->processes[process];
    const struct weir_request request = {
        .key = fleet->keys[key].key,
        .plan_index = fleet->keys[key].plan,
        .endpoint = WEIR_NO_ENDPOINT,
        .cost = cost,
    };
    struct weir_decision decision;

    assert_int_equal(
        weir_limiter_decide(self->limiter, fleet_local_ns(fleet, process), &request, &decision),
        WEIR_OK);
    if (decision.verdict == WEIR_VERDICT_ADMITTED) {
        fleet_admit(fleet, key, cost, decision.reason);
    } else if (decision.verdict == WEIR_VERDICT_DENIED) {
        assert_true(decision.retry_after_ns > 0);
        fleet->denied_count++;
    } else {
        assert_int_not_equal(decision.ticket, 0);
        self->costs[decision.ticket % FLEET_TICKETS] = cost;
        self->keys[decision.ticket % FLEET_TICKETS] = key;
        self->waiting++;
    }
    fleet_drain(fleet, process);
    return decision;
}

static inline void fleet_serve(struct fleet *fleet, struct fleet_exchange *exchange)
{
    struct fleet_key *key = &fleet->keys[exchange->key];
    const uint64_t spread_ns = fleet->delay_max_ns - fleet->delay_min_ns;

    if (exchange->ask.flags & WEIR_ASK_PROBE) {
        exchange->answer = (struct weir_answer){
            .key = exchange->ask.key,
            .id = exchange->ask.id,
            .flags = WEIR_ANSWER_PROBED,
            .store_us = fleet_store_us(fleet),
        };
        exchange->served = true;
        exchange->due_ns = fleet->now_ns + fleet->delay_min_ns;
        return;
    }
    fleet_log_memory(key, &exchange->ask.plan);
    assert_int_equal(weir_take(&key->store, &key->records[exchange->process], &exchange->ask,
                               fleet_store_us(fleet), &the_run, &exchange->answer),
                     WEIR_OK);
    if (exchange->ask.plan.algorithm != WEIR_ALGORITHM_UNLIMITED) {
        fleet->granted_units += exchange->answer.granted_units;
    }
    fleet->promised_units += exchange->answer.trickle_count;
    exchange->served = true;
    exchange->due_ns =
        fleet->now_ns + fleet->delay_min_ns + dice_below(&fleet->dice, spread_ns + 1);
}

static inline void fleet_hear(struct fleet *fleet, struct fleet_exchange *at)
{
    const struct fleet_exchange exchange = *at;
    struct fleet_process *process = &fleet->processes[exchange.process];

    if (process->paused_until_ns > fleet->now_ns) {
        at->due_ns = process->paused_until_ns;
        return;
    }
    *at = fleet->exchanges[--fleet->exchange_count];
    const enum weir_status status = weir_limiter_answer(
        process->limiter, fleet_local_ns(fleet, exchange.process), &exchange.answer);
    if (status == WEIR_ERR_UNEXPECTED) { /* its ask was written off: the process slept too long */
        assert_true(fleet->now_ns - exchange.sent_ns > SECOND_NS);
        fleet->lost_units += exchange.answer.granted_units + exchange.answer.trickle_count;
    } else {
        assert_int_equal(status, WEIR_OK);
    }
    fleet_settle(fleet, exchange.process);
    fleet_drain(fleet, exchange.process);
}

/* The true time at which a process's clock reaches its deadline, or nearly so. */
static inline uint64_t fleet_deadline_ns(const struct fleet *fleet, uint32_t process)
{
    const struct fleet_process *self = &fleet->processes[process];
    const uint64_t deadline_ns = weir_limiter_next_deadline_ns(self->limiter);
    const uint64_t local_ns = fleet_local_ns(fleet, process);

    if (deadline_ns == UINT64_MAX) {
        return UINT64_MAX;
    }
    const uint64_t ahead_ns = deadline_ns > local_ns ? deadline_ns - local_ns : 0;
    const int64_t drift_ns = (int64_t)(ahead_ns / 1000000) * self->drift_ppm;
    const uint64_t due_ns = fleet->now_ns + ahead_ns - (uint64_t)drift_ns;
    return due_ns > self->paused_until_ns ? due_ns : self->paused_until_ns;
}

/* Play the next thing that is due before until_ns; false: nothing is. */
static inline bool fleet_step(struct fleet *fleet, uint64_t until_ns)
{
    uint64_t next_ns = until_ns;
    uint32_t exchange = UINT32_MAX;
    uint32_t expiring = UINT32_MAX;

    for (uint32_t i = 0; i < fleet->exchange_count; i++) {
        if (fleet->exchanges[i].due_ns < next_ns) {
            next_ns = fleet->exchanges[i].due_ns;
            exchange = i;
        }
    }
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        const uint64_t due_ns = fleet_deadline_ns(fleet, i);
        if (due_ns < next_ns) {
            next_ns = due_ns;
            expiring = i;
        }
    }
    fleet->now_ns = next_ns > fleet->now_ns ? next_ns : fleet->now_ns;
    if (expiring != UINT32_MAX) {
        const uint64_t local_ns = fleet_local_ns(fleet, expiring);
        weir_limiter_expire(fleet_limiter(fleet, expiring), local_ns);
        fleet->expire_count++;
        assert_true(weir_limiter_next_deadline_ns(fleet_limiter(fleet, expiring)) > local_ns);
        fleet_settle(fleet, expiring);
        fleet_drain(fleet, expiring);
        return true;
    }
    if (exchange == UINT32_MAX) {
        return false;
    }
    if (fleet->exchanges[exchange].served) {
        fleet_hear(fleet, &fleet->exchanges[exchange]);
    } else {
        fleet_serve(fleet, &fleet->exchanges[exchange]);
    }
    return true;
}

static inline void fleet_run_until(struct fleet *fleet, uint64_t until_ns)
{
    while (fleet_step(fleet, until_ns)) {
    }
}

static inline void fleet_run_for(struct fleet *fleet, uint64_t time_ns)
{
    fleet_run_until(fleet, fleet->now_ns + time_ns);
}

/* Every process hears of a plan at once, and so does the store; it has seen the key. */
static inline void fleet_change(struct fleet *fleet, uint32_t key, const struct weir_plan *plan)
{
    struct fleet_key *self = &fleet->keys[key];
    const uint64_t now_us = fleet_store_us(fleet);

    fleet->plans[self->plan] = *plan;
    fleet_log_memory(self, plan);
    weir_store_key_advance(&self->store, &self->key, plan, now_us);
    exact_change(&self->exact, plan, now_us);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        assert_int_equal(weir_limiter_set_plan(fleet_limiter(fleet, i), self->plan, plan), WEIR_OK);
    }
}

/* The verdict on one request, waited for. */
static inline struct weir_decision fleet_decide(struct fleet *fleet, uint32_t process, uint32_t key,
                                                uint32_t cost)
{
    const struct weir_decision decision = fleet_request(fleet, process, key, cost);
    const uint32_t settled_count = fleet->settled_count;

    if (decision.verdict != WEIR_VERDICT_PENDING) {
        return decision;
    }
    for (unsigned i = 0; i < 2000; i++) {
        fleet_run_for(fleet, MS_NS);
        if (fleet->settled_count != settled_count) {
            assert_int_equal(fleet->last_settled.ticket, decision.ticket);
            return fleet->last_settled.decision;
        }
    }
    fail_msg("never settled");
    return decision;
}

/* Whether all processes have given everything back, and the store has heard of it. */
static inline bool fleet_end(struct fleet *fleet)
{
    bool is_done = true;

    for (uint32_t i = 0; i < fleet->process_count; i++) {
        enum weir_shutdown result;
        do {
            result = weir_limiter_shutdown(fleet_limiter(fleet, i), fleet_local_ns(fleet, i));
            fleet_drain(fleet, i);
        } while (result == WEIR_SHUTDOWN_OUTBOX_FULL);
        is_done = is_done && result == WEIR_SHUTDOWN_DONE;
    }
    return is_done;
}

/* Everybody gives everything back; then the books must balance. */
static inline void fleet_shutdown(struct fleet *fleet)
{
    fleet_run_for(fleet, SECOND_NS); /* what waits is decided */
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        assert_int_equal(fleet->processes[i].waiting, 0);
    }
    for (unsigned round = 0; !fleet_end(fleet) || fleet->exchange_count != 0; round++) {
        assert_true(round < 70); /* asks without an answer expire */
        fleet_run_for(fleet, SECOND_NS);
    }
    assert_int_equal(fleet->granted_units + fleet->promised_units + fleet->unlimited_units,
                     fleet->spent_units + fleet->returned_units + fleet->unused_units +
                         fleet->cancelled_units + fleet->lost_units);
    assert_int_equal(fleet_reported_units(fleet), fleet->spent_units);
}

#endif
