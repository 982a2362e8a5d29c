/* A small fleet for tests of the limiter: processes with clocks of their own, a store of a few
 * keys, and exchanges that take their time. Nothing happens by itself: fleet_run_until plays what
 * is due. Every admission is checked against an exact limiter that leases nothing (exact.h), and
 * every permit and report is entered in a ledger. */
#ifndef WEIR_FLEET_H
#define WEIR_FLEET_H

#include "fleet_reports.h"
#include "fleet_types.h"

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
            /* the books are of permits: nothing is admitted without them */
            fleet->plans[p].degraded = WEIR_DEGRADED_CLOSED;
            assert_int_equal(weir_limiter_set_plan(process->limiter, p, &fleet->plans[p]), WEIR_OK);
        }
    }
}

static inline void fleet_free(struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        free(fleet->processes[i].memory);
        free(fleet->asked[i]);
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

static inline bool fleet_is_lost(struct fleet *fleet)
{
    return fleet->loss_ppm != 0 && dice_below(&fleet->dice, 1000000) < fleet->loss_ppm;
}

/* The record of an ask; NULL if none gets lost here. */
static inline struct fleet_asked *fleet_asked(struct fleet *fleet, uint32_t process,
                                              uint32_t sequence)
{
    if (fleet->loss_ppm + fleet->copy_ppm == 0) {
        return NULL;
    }
    if (fleet->asked[process] == NULL) {
        fleet->asked[process] = calloc(FLEET_ASKS, sizeof *fleet->asked[process]);
        assert_non_null(fleet->asked[process]);
    }
    assert_true(sequence < FLEET_ASKS);
    return &fleet->asked[process][sequence];
}

/* What an ask reports counts once, however often it is sent. */
static inline void fleet_enter_ask(struct fleet *fleet, uint32_t process,
                                   const struct weir_ask *ask)
{
    struct fleet_asked *asked = fleet_asked(fleet, process, ask->id.sequence);

    if (asked != NULL && asked->was_sent) {
        return;
    }
    if (asked != NULL) {
        asked->was_sent = true;
    }
    fleet->returned_units += ask->returned_units;
    fleet->unused_units += ask->unused_units;
    if (ask->flags & WEIR_ASK_CANCEL_TRICKLE) {
        fleet->cancelled_units +=
            ask->trickle_count[0] + ask->trickle_count[1] - ask->trickle_accrued;
    }
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
        fleet->ask_count++;
        fleet_enter_ask(fleet, process, &ask);
        if (fleet_is_lost(fleet)) {
            continue;
        }
        assert_true(fleet->exchange_count < FLEET_EXCHANGES);
        fleet->exchanges[fleet->exchange_count++] = (struct fleet_exchange){
            .ask = ask,
            .due_ns = fleet->now_ns + fleet->delay_min_ns + dice_below(&fleet->dice, spread_ns + 1),
            .sent_ns = fleet->now_ns,
            .process = process,
            .key = key,
        };
    }
    while (weir_limiter_next_report(limiter, &report)) {
        fleet_keep_report(fleet, &report);
    }
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

/* Too late, or a copy that a later ask of the process has overtaken. */
static inline bool fleet_has_expired(const struct fleet *fleet,
                                     const struct fleet_exchange *exchange)
{
    const struct weir_ask_record *record = &fleet->keys[exchange->key].records[exchange->process];
    const struct weir_ask *ask = &exchange->ask;

    return fleet->loss_ppm != 0 &&
           (ask->id.sequence < record->id.sequence ||
            (ask->expires_us != 0 && fleet_store_us(fleet) >= ask->expires_us));
}

static inline struct weir_answer fleet_nothing(const struct fleet *fleet,
                                               const struct fleet_exchange *exchange,
                                               enum weir_answer_flag flag)
{
    return (struct weir_answer){
        .key = exchange->ask.key,
        .id = exchange->ask.id,
        .flags = (uint32_t)flag,
        .store_us = fleet_store_us(fleet),
    };
}

static inline void fleet_serve(struct fleet *fleet, struct fleet_exchange *exchange)
{
    struct fleet_key *key = &fleet->keys[exchange->key];
    const uint64_t spread_ns = fleet->delay_max_ns - fleet->delay_min_ns;

    const bool is_probe = (exchange->ask.flags & WEIR_ASK_PROBE) != 0;
    if (is_probe || fleet_has_expired(fleet, exchange)) {
        exchange->answer =
            fleet_nothing(fleet, exchange, is_probe ? WEIR_ANSWER_PROBED : WEIR_ANSWER_EXPIRED);
        exchange->served = true;
        exchange->due_ns = fleet->now_ns + fleet->delay_min_ns;
        return;
    }
    fleet_log_memory(key, &exchange->ask.plan);
    assert_int_equal(weir_take(&key->store, &key->records[exchange->process], &exchange->ask,
                               fleet_store_us(fleet), &the_run, &exchange->answer),
                     WEIR_OK);
    struct fleet_asked *asked = fleet_asked(fleet, exchange->process, exchange->ask.id.sequence);
    const bool is_repeated = (exchange->answer.flags & WEIR_ANSWER_REPEATED) != 0;
    if (asked != NULL && !is_repeated) {
        assert_int_equal(asked->units, 0); /* carried out once */
        asked->units = exchange->answer.granted_units + exchange->answer.trickle_count;
    }
    if (exchange->ask.plan.algorithm != WEIR_ALGORITHM_UNLIMITED && !is_repeated) {
        fleet->granted_units += exchange->answer.granted_units;
    }
    fleet->promised_units += is_repeated ? 0 : exchange->answer.trickle_count;
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
    if (fleet->copy_ppm != 0 && dice_below(&fleet->dice, 1000000) < fleet->copy_ppm) {
        at->due_ns += dice_below(&fleet->dice, 20 * MS_NS); /* and once more */
    } else {
        *at = fleet->exchanges[--fleet->exchange_count];
    }
    if (fleet_is_lost(fleet)) {
        return;
    }
    const enum weir_status status = weir_limiter_answer(
        process->limiter, fleet_local_ns(fleet, exchange.process), &exchange.answer);
    struct fleet_asked *asked = fleet_asked(fleet, exchange.process, exchange.ask.id.sequence);
    if (asked != NULL) {
        assert_true(status == WEIR_OK || status == WEIR_ERR_UNEXPECTED);
        asked->was_heard |= status == WEIR_OK && (exchange.answer.flags & WEIR_ANSWER_EXPIRED) == 0;
    } else if (status ==
               WEIR_ERR_UNEXPECTED) { /* its ask was written off: the process slept too long */
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
                         fleet->cancelled_units + fleet->lost_units + fleet_unheard_units(fleet));
    assert_int_equal(fleet_reported_units(fleet), fleet->spent_units);
}

#endif
