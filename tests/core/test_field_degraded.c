/* Faults that other limiters shipped in their fallback, each with a small input that would show it
 * here. */
#include "desk.h"

#define SHARE_MILLI 20000 /* this process's demand, of ... */
#define ALL_MILLI 100000  /* ... everybody's */

/* The policy that ships, and leases of 10. */
static struct desk bounded_desk(uint64_t rate, uint64_t capacity)
{
    struct weir_plan plan = bucket_plan(rate, capacity);

    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 10;
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->options.wait_max_ns = WEIR_WAIT_MAX_NS;
    desk.limiter->options.ask_timeout_ns = WEIR_ASK_TIMEOUT_NS;
    desk.limiter->options.breaker_failures = 3;
    desk.limiter->options.process_count = 50;
    plan.version++;
    plan.degraded = WEIR_DEGRADED_BOUNDED;
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &plan), WEIR_OK);
    return desk;
}

static void pass(struct desk *desk, uint64_t time_ns)
{
    const uint64_t until_ns = desk->now_ns + time_ns;
    struct weir_ask ask;

    while (weir_limiter_next_deadline_ns(desk->limiter) <= until_ns) {
        desk->now_ns = weir_limiter_next_deadline_ns(desk->limiter);
        weir_limiter_expire(desk->limiter, desk->now_ns);
        while (weir_limiter_next_ask(desk->limiter, desk->now_ns, &ask)) {
            /* into the void */
        }
    }
    desk->now_ns = until_ns;
}

static struct weir_answer answer_of(const struct desk *desk, const struct weir_ask *ask,
                                    uint32_t granted_units, uint64_t remaining_units)
{
    struct weir_answer answer = desk_grant(desk, ask);

    answer.granted_units = granted_units;
    answer.remaining_units = remaining_units;
    answer.lease_end_us = answer.store_us + 5 * SECOND_US;
    answer.reached_us = answer.store_us;
    answer.run_id = 77;
    answer.global_rate_milli = ALL_MILLI;
    return answer;
}

/* One answered ask of a process with a fifth of the demand, and what it brought spent. */
static void meet_the_store(struct desk *desk, uint64_t remaining_units)
{
    const uint64_t ticket = desk_wait(desk, 1, 1);
    const struct weir_ask ask = desk_ask(desk);

    desk->limiter->cold[0].rate_reported_milli = SHARE_MILLI;
    const struct weir_answer answer = answer_of(desk, &ask, 1, remaining_units);
    desk_hear(desk, &answer);
    assert_int_equal(desk_settled(desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
}

/* Send requests of one unit at this instant, and let those that wait give up; nobody answers. */
static uint64_t admitted_without_store(struct desk *desk, uint32_t request_count)
{
    struct weir_settled settled;
    struct weir_ask ask;
    uint64_t admitted = 0;

    for (uint32_t i = 0; i < request_count; i++) {
        const struct weir_decision decision = desk_decide(desk, 1, 1);
        while (weir_limiter_next_ask(desk->limiter, desk->now_ns, &ask)) {
            /* into the void */
        }
        if (decision.verdict == WEIR_VERDICT_PENDING) {
            pass(desk, WEIR_WAIT_MAX_NS);
            assert_true(weir_limiter_next_settled(desk->limiter, &settled));
            assert_int_equal(settled.decision.mode, WEIR_MODE_DEGRADED);
            admitted += settled.decision.verdict == WEIR_VERDICT_ADMITTED;
        } else {
            admitted += decision.verdict == WEIR_VERDICT_ADMITTED;
        }
    }
    return admitted;
}

static void b40_a_store_error_is_not_shown_as_quota(void **state)
{
    (void)state;
    struct desk desk = bounded_desk(100, 1000);

    meet_the_store(&desk, 0);
    pass(&desk, 10 * NS_PER_MS);
    struct weir_decision decision;
    do {
        decision = desk_decide(&desk, 1, 1);
        if (decision.verdict == WEIR_VERDICT_PENDING) {
            pass(&desk, WEIR_WAIT_MAX_NS);
            decision = desk_settled(&desk, decision.ticket);
        }
    } while (decision.verdict == WEIR_VERDICT_ADMITTED);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    assert_int_equal(decision.reason, WEIR_REASON_DEGRADED_CAP);
}

static void b41_an_ordinary_denial_calls_no_fallback(void **state)
{
    (void)state;
    struct desk desk = bounded_desk(100, 1000);
    struct weir_limiter_counts counts;

    meet_the_store(&desk, 2);
    const uint64_t ticket = desk_wait(&desk, 1, 3); /* the fallback would admit it */
    const struct weir_ask ask = desk_ask(&desk);
    struct weir_answer refusal = answer_of(&desk, &ask, 0, 2);
    refusal.retry_us = refusal.store_us + 10000;
    desk_hear(&desk, &refusal);
    const struct weir_decision decision = desk_settled(&desk, ticket);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_OVER_LIMIT);
    assert_int_equal(decision.mode, WEIR_MODE_NORMAL);
    weir_limiter_counts(desk.limiter, &counts);
    assert_int_equal(counts.asks_failed, 0);
}

static void b43_a_process_that_was_idle_has_its_floor_and_recovers(void **state)
{
    (void)state;
    struct desk desk = bounded_desk(100, 1000);
    const uint64_t ticket = desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);

    desk.limiter->cold[0].rate_reported_milli = 0; /* the others have all the demand */
    const struct weir_answer answer = answer_of(&desk, &ask, 1, 0);
    desk_hear(&desk, &answer);
    (void)desk_settled(&desk, ticket);
    pass(&desk, 12 * NS_PER_S);
    assert_int_equal(admitted_without_store(&desk, 10), 1);
    pass(&desk, 60 * NS_PER_S);
    assert_int_equal(admitted_without_store(&desk, 10), 1);
}

static void b45_after_a_grant_without_a_rate_the_next_ask_still_comes(void **state)
{
    (void)state;
    struct desk desk = bounded_desk(100, 1000);
    struct weir_ask ask;

    meet_the_store(&desk, 0); /* no trickle, nothing held */
    const uint64_t ticket = desk_wait(&desk, 1, 1);
    assert_true(weir_limiter_next_ask(desk.limiter, desk.now_ns, &ask));
    pass(&desk, WEIR_WAIT_MAX_NS);
    assert_int_equal(desk_settled(&desk, ticket).mode, WEIR_MODE_DEGRADED);
    pass(&desk, 60 * NS_PER_S);
    assert_int_not_equal(weir_limiter_next_deadline_ns(desk.limiter), UINT64_MAX);
}

/* 900 of 1,000 are gone when the store goes: a fifth of what is left is this process's, not a fifth
 * of the limit. */
static void b46_local_limits_start_from_what_is_left(void **state)
{
    (void)state;
    struct desk desk = bounded_desk(1, 1000);

    meet_the_store(&desk, 100);
    assert_in_range(admitted_without_store(&desk, 1000), 1, 100 / 5 + 1);
}

/* A fifth of the 100 that are left, and the floor; whether it is admitted without the store, or
 * with what a late answer grants. */
static void a_grant_that_comes_late_is_part_of_the_budget(void **state)
{
    (void)state;
    struct desk desk = bounded_desk(100, 1000);
    struct weir_settled settled;

    meet_the_store(&desk, 100);
    const uint64_t ticket = desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    desk.limiter->cold[0].rate_reported_milli = SHARE_MILLI;
    const struct weir_answer answer = answer_of(&desk, &ask, 10, 90);
    pass(&desk, 50 * NS_PER_MS);
    assert_int_equal(desk_settled(&desk, ticket).mode, WEIR_MODE_DEGRADED);
    assert_int_equal(admitted_without_store(&desk, 5), 5);

    desk_hear(&desk, &answer);
    assert_int_equal(desk.limiter->hot[0].held_units, 9); /* one was for who waited no longer */
    assert_int_equal(6 + admitted_without_store(&desk, 40), 20 + 1);
    assert_false(weir_limiter_next_settled(desk.limiter, &settled));
}

/* Five processes, each of which last saw so much left, so long ago. */
static uint64_t admitted_by_five(uint64_t left_units, uint64_t ago_ns)
{
    uint64_t sum = 0;

    for (unsigned process = 0; process < 5; process++) {
        struct desk desk = bounded_desk(1, 1000);
        meet_the_store(&desk, left_units);
        pass(&desk, ago_ns);
        sum += admitted_without_store(&desk, 1000);
    }
    return sum;
}

/* No process has a limit of its own on top of the plan's: each takes its fifth of what is left.
 * They wait for a moment only, in which nothing accrues. */
static void b42_shares_add_up_to_what_is_left(void **state)
{
    (void)state;
    assert_in_range(admitted_by_five(100, 0), 80, 100);
}

/* The others have used more than was left: what accrued since is there, and floors are. */
static void b14_a_share_is_never_negative(void **state)
{
    (void)state;
    assert_in_range(admitted_by_five(10, 10 * NS_PER_S), 5, 10 + 5);
}

static void d09_d10_no_answer_is_no_grant_and_an_ended_lease_holds_nothing(void **state)
{
    (void)state;
    struct desk desk = bounded_desk(1, 1000);
    const uint64_t ticket = desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);

    desk.limiter->cold[0].rate_reported_milli = SHARE_MILLI;
    const struct weir_answer answer = answer_of(&desk, &ask, 10, 0);
    desk_hear(&desk, &answer);
    (void)desk_settled(&desk, ticket);
    pass(&desk, 6 * NS_PER_S); /* the lease of 9 more ended; a fifth of 6 units accrued */
    assert_in_range(admitted_without_store(&desk, 100), 1, 1 + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b40_a_store_error_is_not_shown_as_quota),
        cmocka_unit_test(b41_an_ordinary_denial_calls_no_fallback),
        cmocka_unit_test(b43_a_process_that_was_idle_has_its_floor_and_recovers),
        cmocka_unit_test(b45_after_a_grant_without_a_rate_the_next_ask_still_comes),
        cmocka_unit_test(b46_local_limits_start_from_what_is_left),
        cmocka_unit_test(a_grant_that_comes_late_is_part_of_the_budget),
        cmocka_unit_test(b42_shares_add_up_to_what_is_left),
        cmocka_unit_test(b14_a_share_is_never_negative),
        cmocka_unit_test(d09_d10_no_answer_is_no_grant_and_an_ended_lease_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
