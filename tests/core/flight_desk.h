/* A desk for asks that are not answered, with the times that ship. */
#ifndef WEIR_FLIGHT_DESK_H
#define WEIR_FLIGHT_DESK_H

#include "desk.h"

#define WAIT_NS WEIR_WAIT_MAX_NS
#define TIMEOUT_NS WEIR_ASK_TIMEOUT_NS

/* Leases, with the times that ship. */
static inline struct desk plain_desk(void)
{
    struct weir_plan plan = bucket_plan(100, 1000);

    plan.sizer = WEIR_SIZER_FIXED; /* asks when something waits, and not else */
    plan.fixed_lease_units = 10;
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->options.wait_max_ns = WAIT_NS;
    desk.limiter->options.ask_timeout_ns = TIMEOUT_NS;
    desk.limiter->options.breaker_failures = UINT32_MAX;
    return desk;
}

static inline struct weir_limiter_counts counts_of(const struct desk *desk)
{
    struct weir_limiter_counts counts;

    weir_limiter_counts(desk->limiter, &counts);
    return counts;
}

/* Let time pass until the limiter wants attention, and give it. */
static inline void next_deadline(struct desk *desk)
{
    const uint64_t at_ns = weir_limiter_next_deadline_ns(desk->limiter);

    assert_int_not_equal(at_ns, UINT64_MAX);
    assert_true(at_ns >= desk->now_ns);
    desk->now_ns = at_ns;
    weir_limiter_expire(desk->limiter, desk->now_ns);
    assert_true(weir_limiter_next_deadline_ns(desk->limiter) > desk->now_ns);
}

static inline void pass(struct desk *desk, uint64_t time_ns)
{
    const uint64_t until_ns = desk->now_ns + time_ns;

    while (weir_limiter_next_deadline_ns(desk->limiter) <= until_ns) {
        next_deadline(desk);
    }
    desk->now_ns = until_ns;
}

static inline struct weir_answer lease_of(const struct desk *desk, const struct weir_ask *ask)
{
    struct weir_answer answer = desk_grant(desk, ask);

    answer.granted_units = 10;
    answer.lease_end_us = answer.store_us + 5 * SECOND_US;
    answer.reached_us = answer.store_us;
    answer.run_id = 77;
    answer.outstanding_units = 9;
    answer.previous_units = 4;
    return answer;
}

#endif
