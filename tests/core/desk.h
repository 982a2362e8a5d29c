/* One limiter and a clock moved by hand, for tests of requests that the store decides one by one:
 * asks are looked at, and answers are written, one at a time. */
#ifndef WEIR_DESK_H
#define WEIR_DESK_H

#include "core_support.h"

#include <string.h>

#include "limiter_private.h"
#include "weir/take.h"

#define DESK_START_NS (UINT64_C(1000) * NS_PER_S)
#define DESK_ROUND_TRIP_NS (200 * NS_PER_US)

struct desk {
    struct weir_limiter *limiter;
    uint64_t now_ns;
};

/* The memory is static: one at a time. The clock is known, from a round trip of 200 us. */
static inline struct desk desk_open(const struct weir_plan *plan, uint32_t key_capacity,
                                    enum weir_full_table full_table)
{
    static _Alignas(64) unsigned char memory[1 << 17];
    const struct weir_limiter_options options = {
        .process = 7,
        .incarnation = 8,
        .table_secret = 9,
        .key_capacity = key_capacity,
        .plan_capacity = 2,
        .waiter_capacity = 5,
        .start_ns = DESK_START_NS,
        .full_table = full_table,
        .ask_capacity = 16,
        .wait_max_ns = 3600 * NS_PER_S, /* how long a request waits is not the matter here */
        .ask_timeout_ns = 3600 * NS_PER_S,
    };
    struct desk desk = {.now_ns = DESK_START_NS};

    memset(memory, 0xa5, sizeof memory);
    assert_int_equal(weir_limiter_init(&desk.limiter, memory, sizeof memory, &options), WEIR_OK);
    struct weir_plan closed = *plan; /* what is admitted without the store is not of interest */
    closed.degraded = WEIR_DEGRADED_CLOSED;
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &closed), WEIR_OK);
    clock_learn(&desk.limiter->clock, DESK_START_NS - DESK_ROUND_TRIP_NS, DESK_START_NS, START_US);
    return desk;
}

static inline struct weir_key desk_key(uint64_t number)
{
    return (struct weir_key){.low = number, .high = 0}; /* windows start at multiples */
}

static inline enum weir_status desk_try(struct desk *desk, uint64_t key, uint32_t cost,
                                        struct weir_decision *decision)
{
    const struct weir_request request = {
        .key = desk_key(key), .endpoint = WEIR_NO_ENDPOINT, .cost = cost};

    return weir_limiter_decide(desk->limiter, desk->now_ns, &request, decision);
}

static inline struct weir_decision desk_decide(struct desk *desk, uint64_t key, uint32_t cost)
{
    struct weir_decision decision;

    assert_int_equal(desk_try(desk, key, cost, &decision), WEIR_OK);
    return decision;
}

static inline uint64_t desk_wait(struct desk *desk, uint64_t key, uint32_t cost)
{
    const struct weir_decision decision = desk_decide(desk, key, cost);

    assert_int_equal(decision.verdict, WEIR_VERDICT_PENDING);
    assert_int_equal(decision.reason, WEIR_REASON_WAITING);
    return decision.ticket;
}

static inline struct weir_ask desk_ask(struct desk *desk)
{
    struct weir_ask ask;

    assert_true(weir_limiter_next_ask(desk->limiter, desk->now_ns, &ask));
    return ask;
}

static inline void desk_no_ask(struct desk *desk)
{
    struct weir_ask ask;

    assert_false(weir_limiter_next_ask(desk->limiter, desk->now_ns, &ask));
}

/* An ask of a request that the store shall decide alone. */
static inline struct weir_ask desk_direct_ask(struct desk *desk)
{
    const struct weir_ask ask = desk_ask(desk);

    assert_int_equal(ask.flags, WEIR_ASK_SPEND);
    assert_true(ask.need_units > 0);
    assert_int_equal(ask.least_units, ask.need_units);
    assert_int_equal(ask.want_units, ask.need_units);
    assert_int_equal(ask.largest_units, ask.need_units);
    return ask;
}

/* The store's clock, as well as it is known here. */
static inline uint64_t desk_store_us(const struct desk *desk)
{
    return clock_store_ns(&desk->limiter->clock, desk->now_ns) / NS_PER_US;
}

static inline struct weir_answer desk_grant(const struct desk *desk, const struct weir_ask *ask)
{
    return (struct weir_answer){
        .key = ask->key,
        .id = ask->id,
        .granted_units = ask->need_units,
        .store_us = desk_store_us(desk),
        .version = ask->id.sequence,
        .remaining_units = 50,
    };
}

static inline struct weir_answer desk_refusal(const struct desk *desk, const struct weir_ask *ask,
                                              uint64_t retry_us)
{
    struct weir_answer answer = desk_grant(desk, ask);

    answer.granted_units = 0;
    answer.retry_us = retry_us;
    return answer;
}

static inline void desk_hear(struct desk *desk, const struct weir_answer *answer)
{
    assert_int_equal(weir_limiter_answer(desk->limiter, desk->now_ns, answer), WEIR_OK);
}

static inline struct weir_decision desk_settled(struct desk *desk, uint64_t ticket)
{
    struct weir_settled settled;

    assert_true(weir_limiter_next_settled(desk->limiter, &settled));
    assert_int_equal(settled.ticket, ticket);
    assert_int_equal(settled.decision.ticket, 0);
    return settled.decision;
}

static inline void desk_none_settled(struct desk *desk)
{
    struct weir_settled settled;

    assert_false(weir_limiter_next_settled(desk->limiter, &settled));
}

/* A request that the store admits 100 us after it was asked, and 100 us before the answer comes. */
static inline void desk_admit(struct desk *desk, uint64_t key, uint32_t cost)
{
    const uint64_t ticket = desk_wait(desk, key, cost);
    const struct weir_ask ask = desk_direct_ask(desk);

    desk->now_ns += DESK_ROUND_TRIP_NS / 2;
    const struct weir_answer answer = desk_grant(desk, &ask);
    desk->now_ns += DESK_ROUND_TRIP_NS / 2;
    desk_hear(desk, &answer);
    const struct weir_decision decision = desk_settled(desk, ticket);
    assert_int_equal(decision.verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(decision.retry_after_ns, 0);
}

static inline struct weir_report desk_report(struct desk *desk)
{
    struct weir_report report;

    assert_true(weir_limiter_next_report(desk->limiter, &report));
    return report;
}

static inline void desk_no_report(struct desk *desk)
{
    struct weir_report report;

    assert_false(weir_limiter_next_report(desk->limiter, &report));
}

#endif
