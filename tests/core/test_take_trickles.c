/* The store's other sums: promised trickles, demand and who asks, turns of paced processes, and
 * changes of plan. */
#include "unit.h"

#include <string.h>

#include "core_support.h"
#include "store_step.h"
#include "weir/take.h"

#define TRICKLE_PERIOD (START_US / SECOND_US)
#define SHARE_PERIOD (START_US / WEIR_SHARE_US)

static struct weir_store_key store;
static struct weir_plan plan;
static uint32_t last_sequence;

/* A bucket of 1000 units, 100 per second, empty, with trickle periods of one second. */
static int reset(void **state)
{
    (void)state;
    plan = bucket_plan(100, 1000);
    weir_store_key_init(&store, &PLAIN_KEY, &plan, START_US, 0);
    last_sequence = 0;
    return 0;
}

static struct weir_ask ask_returning(void)
{
    return (struct weir_ask){
        .key = PLAIN_KEY,
        .id = {.process = 1, .sequence = ++last_sequence},
        .plan = plan,
        .flags = WEIR_ASK_RETURN,
        .flight_us = WEIR_FLIGHT_US_MIN,
        .lease_end_us = store.lease_end_us[0],
        .rate_share_period = UINT64_MAX,
    };
}

static struct weir_answer take(const struct weir_ask *ask, uint64_t now_us)
{
    return store_step(&store, ask, now_us);
}

static void advance(uint64_t now_us)
{
    weir_store_key_advance(&store, &PLAIN_KEY, &plan, now_us);
}

static void a_promise_is_taken_from_the_tokens_as_it_accrues(void **state)
{
    (void)state;
    store.trickle[1] = 60;

    advance(START_US + SECOND_US - 1);
    assert_int_equal(store.tokens, 99);
    assert_int_equal(store.trickled_units, 0);
    advance(START_US + SECOND_US);
    assert_int_equal(store.tokens, 100);
    assert_int_equal(store.trickle[0], 60);
    assert_int_equal(store.trickle[1], 0);
    advance(START_US + SECOND_US + 500 * MS_US);
    assert_int_equal(store.tokens, 150 - 30);
    assert_int_equal(store.outstanding[1], 30);
    advance(START_US + SECOND_US + 500 * MS_US + 1); /* a permit begun counts */
    assert_int_equal(store.trickled_units, 31);
    advance(START_US + 2 * SECOND_US);
    assert_int_equal(store.tokens, 200 - 60);
    assert_int_equal(store.outstanding[1], 60);
    assert_int_equal(store.trickle[0], 0);
    advance(START_US + 3 * SECOND_US);
    assert_int_equal(store.trickled_units, 60);
}

static void promises_of_two_periods_follow_each_other(void **state)
{
    (void)state;
    store.trickle[0] = 50;
    store.trickle[1] = 80;

    advance(START_US + 10 * SECOND_US);

    assert_int_equal(store.trickled_units, 130);
    assert_int_equal(store.trickle_period, TRICKLE_PERIOD + 10);
    assert_int_equal(store.tokens, 1000 - 130);
}

static void a_trickle_never_takes_what_is_not_there(void **state)
{
    (void)state;
    plan = bucket_plan(10, 1000); /* promised 80 in a second that refills 10 */
    store.trickle[0] = 80;

    advance(START_US + 500 * MS_US);
    assert_int_equal(store.tokens, 0);
    assert_int_equal(store.trickled_units, 5);
    advance(START_US + SECOND_US);
    assert_int_equal(store.trickled_units, 10);
}

/* A second's refill pays 100 of the debt, and the promise of that second adds 60. */
static void a_promise_that_a_debt_leaves_nothing_for_adds_to_it(void **state)
{
    (void)state;
    store.trickle[1] = 60;
    advance(START_US + SECOND_US);
    store.tokens = 0;
    store.debt_units = 150;

    advance(START_US + SECOND_US + 500 * MS_US);
    assert_int_equal(store.debt_units, 150 - 50 + 30);
    assert_int_equal(store.trickled_units, 30);
    assert_int_equal(store.outstanding[1], 30);
    advance(START_US + 2 * SECOND_US);
    assert_int_equal(store.debt_units, 150 - 100 + 60);
    advance(START_US + 4 * SECOND_US);
    assert_int_equal(store.debt_units, 0);
    assert_int_equal(store.tokens, 90);
}

static void a_promise_raises_a_debt_to_a_capacity_at_most(void **state)
{
    (void)state;
    store.trickle[1] = 600;
    advance(START_US + SECOND_US);
    store.tokens = 0;
    store.debt_units = 900;

    advance(START_US + 2 * SECOND_US);

    assert_int_equal(store.debt_units, 1000);
    assert_int_equal(store.trickled_units, 200);
}

static void a_cancelled_promise_is_not_taken(void **state)
{
    (void)state;
    store.trickle[0] = 50;
    store.trickle[1] = 80;
    struct weir_ask ask = ask_returning();
    ask.flags |= WEIR_ASK_CANCEL_TRICKLE;
    ask.trickle_period = TRICKLE_PERIOD;
    ask.trickle_count[0] = 40; /* the others of both are of somebody else */
    ask.trickle_count[1] = 30;
    ask.trickle_accrued = 16;
    ask.spent_units = 16;
    ask.lease_end_us = store.lease_end_us[1];

    const struct weir_answer answer = take(&ask, START_US + 500 * MS_US);

    assert_int_equal(store.trickle[0], 10);
    assert_int_equal(store.trickle[1], 50);
    /* 50 came in, 20 of them for this trickle, 16 of those spent, and 5 for the other one */
    assert_int_equal(answer.remaining_units, 50 - 16 - 5);
    assert_int_equal(answer.outstanding_units, 5);
    advance(START_US + 2 * SECOND_US);
    assert_int_equal(store.trickled_units, 25 + 5 + 50);
}

static void a_promise_cancelled_after_its_period_gives_back_what_was_taken(void **state)
{
    (void)state;
    store.trickle[0] = 50;
    store.trickle[1] = 30;
    struct weir_ask ask = ask_returning();
    ask.flags |= WEIR_ASK_CANCEL_TRICKLE;
    ask.trickle_period = TRICKLE_PERIOD;
    ask.trickle_count[0] = 50;
    ask.trickle_count[1] = 30;
    ask.trickle_accrued = 45;
    ask.spent_units = 45;
    ask.lease_end_us = store.lease_end_us[1];

    const struct weir_answer answer = take(&ask, START_US + SECOND_US);

    assert_int_equal(store.trickle[0], 0);
    assert_int_equal(answer.remaining_units, 100 - 45);
    advance(START_US + 5 * SECOND_US);
    assert_int_equal(store.tokens, 500 - 45);
}

static void a_cancellation_that_comes_much_too_late_changes_nothing(void **state)
{
    (void)state;
    store.trickle[0] = 50;
    struct weir_ask ask = ask_returning();
    ask.flags |= WEIR_ASK_CANCEL_TRICKLE;
    ask.trickle_period = TRICKLE_PERIOD;
    ask.trickle_count[0] = 50;

    take(&ask, START_US + 2 * SECOND_US);

    assert_int_equal(store.tokens, 150);
    assert_int_equal(store.trickled_units, 50);
}

/* Demand moves with each report of a process, and is forgotten when it falls silent. */
static void demand_is_the_sum_of_what_processes_last_said(void **state)
{
    (void)state;
    struct weir_ask one = ask_returning();
    struct weir_ask two = ask_returning();
    one.rate_milli = 3000;
    two.rate_milli = 500;
    two.id.process = 2;

    assert_int_equal(take(&one, START_US).active_processes, 1);
    struct weir_answer answer = take(&two, START_US);
    assert_int_equal(answer.active_processes, 2);
    assert_int_equal(answer.global_rate_milli, 3500);
    one.id.sequence = 10;
    one.rate_milli_before = 3000;
    one.rate_share_period = answer.share_period;
    one.rate_milli = 1000;
    answer = take(&one, START_US + SECOND_US);
    assert_int_equal(answer.active_processes, 2);
    assert_int_equal(answer.global_rate_milli, 1500);
    one.id.sequence = 11;
    one.rate_milli_before = 1000;
    one.rate_milli = 2000;
    answer = take(&one, START_US + WEIR_SHARE_US); /* the next share period */
    assert_int_equal(answer.active_processes, 2);
    assert_int_equal(answer.global_rate_milli, 2500);
    assert_int_equal(store.rate_milli[1], 500);
    one.id.sequence = 12;
    one.rate_milli_before = 2000;
    one.rate_share_period = answer.share_period;
    answer = take(&one, START_US + 2 * WEIR_SHARE_US); /* two has been silent for two of them */
    assert_int_equal(answer.active_processes, 1);
    assert_int_equal(answer.global_rate_milli, 2000);
}

static void a_process_that_reports_no_rate_leaves_the_count(void **state)
{
    (void)state;
    struct weir_ask ask = ask_returning();
    ask.rate_milli = 3000;
    const struct weir_answer first = take(&ask, START_US);
    ask.id.sequence++;
    ask.rate_milli = 0;
    ask.rate_milli_before = 3000;
    ask.rate_share_period = first.share_period;

    const struct weir_answer answer = take(&ask, START_US + 1);

    assert_int_equal(answer.active_processes, 0);
    assert_int_equal(answer.global_rate_milli, 0);
}

static void demand_forgotten_already_is_not_subtracted_again(void **state)
{
    (void)state;
    struct weir_ask ask = ask_returning();
    ask.rate_milli = 700;
    ask.rate_milli_before = 700;
    ask.rate_share_period = SHARE_PERIOD - 2;

    const struct weir_answer answer = take(&ask, START_US);

    assert_int_equal(answer.active_processes, 1);
    assert_int_equal(answer.global_rate_milli, 700);
}

static void the_carry_of_another_rate_unit_is_dropped(void **state)
{
    (void)state;
    struct weir_ask ask = ask_returning();
    advance(START_US + 9999); /* carry: 9999 of 10 000 */
    ask.plan = bucket_plan(1000, 1000);
    ask.plan.version = 2;
    take(&ask, START_US + 9999);
    assert_int_equal(store.carry, 0);
    assert_int_equal(store.in_force.rate_period_us, 1000);

    /* a process that has not heard of it yet: its unit is ten times as large */
    ask.id.sequence++;
    ask.plan = plan;
    const struct weir_answer answer = take(&ask, START_US + 9999 + 999);
    assert_int_equal(store.carry, 999);
    assert_int_equal(store.tokens, 0);
    assert_int_equal(store.in_force.version, 2);
    assert_int_equal(answer.flags & WEIR_ANSWER_STALE_PLAN, WEIR_ANSWER_STALE_PLAN);
}

static void the_carry_of_a_slow_plan_is_no_fortune_under_a_fast_one(void **state)
{
    (void)state;
    struct weir_plan slow = bucket_plan(1, 1000);
    slow.version = 2;
    struct weir_ask ask = ask_returning();
    ask.plan = slow;
    take(&ask, START_US);
    ask.id.sequence++;
    take(&ask, START_US + SECOND_US - 1);
    assert_int_equal(store.carry, SECOND_US - 1);
    ask.id.sequence++;
    ask.plan = plan; /* version 1 still: 100 per second, in 1 / 10 000 */

    assert_int_equal(take(&ask, START_US + SECOND_US - 1).remaining_units, 0);
}

/* B58, B49: a changed plan takes effect with what was spent; the same plan again changes nothing.
 */
static void b49_b58_a_new_plan_keeps_what_was_spent(void **state)
{
    (void)state;
    struct weir_ask ask = ask_returning();
    advance(START_US + 8 * SECOND_US); /* 800 units of 1000: 200 were used */
    ask.plan = bucket_plan(100, 250);
    ask.plan.version = 2;
    assert_int_equal(take(&ask, START_US + 8 * SECOND_US).remaining_units, 50);

    ask.id.sequence++;
    ask.plan = bucket_plan(100, 5000);
    ask.plan.version = 3;
    assert_int_equal(take(&ask, START_US + 8 * SECOND_US).remaining_units, 4800);
    for (unsigned i = 0; i < 10; i++) {
        ask.id.sequence++;
        assert_int_equal(take(&ask, START_US + 8 * SECOND_US).remaining_units, 4800);
    }
    ask.id.sequence++;
    assert_int_equal(take(&ask, START_US + 9 * SECOND_US).remaining_units, 4900);
}

static void a_process_with_an_older_smaller_plan_takes_nothing_from_the_others(void **state)
{
    (void)state;
    struct weir_ask ask = ask_returning();
    advance(START_US + 8 * SECOND_US); /* 800 units */
    ask.plan.version = 2;
    take(&ask, START_US + 8 * SECOND_US);
    ask.id.sequence++;
    ask.plan = bucket_plan(100, 50);

    assert_int_equal(take(&ask, START_US + 8 * SECOND_US + 1).remaining_units, 800);
}

static void b58_a_window_plan_is_lowered_and_raised_within_the_window(void **state)
{
    (void)state;
    plan = window_plan(10, MINUTE_US);
    weir_store_key_init(&store, &PLAIN_KEY, &plan, START_US, 0);
    struct weir_ask ask = ask_returning();
    ask.plan = window_plan(1000, MINUTE_US);
    ask.plan.version = 2;
    assert_int_equal(take(&ask, START_US + 1).remaining_units, 990);

    ask.id.sequence++;
    ask.plan = window_plan(5, MINUTE_US);
    ask.plan.version = 3;
    assert_int_equal(take(&ask, START_US + 2).remaining_units, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(a_promise_is_taken_from_the_tokens_as_it_accrues),
        TEST(promises_of_two_periods_follow_each_other),
        TEST(a_trickle_never_takes_what_is_not_there),
        TEST(a_promise_that_a_debt_leaves_nothing_for_adds_to_it),
        TEST(a_promise_raises_a_debt_to_a_capacity_at_most),
        TEST(a_cancelled_promise_is_not_taken),
        TEST(a_promise_cancelled_after_its_period_gives_back_what_was_taken),
        TEST(a_cancellation_that_comes_much_too_late_changes_nothing),
        TEST(demand_is_the_sum_of_what_processes_last_said),
        TEST(a_process_that_reports_no_rate_leaves_the_count),
        TEST(demand_forgotten_already_is_not_subtracted_again),
        TEST(the_carry_of_another_rate_unit_is_dropped),
        TEST(the_carry_of_a_slow_plan_is_no_fortune_under_a_fast_one),
        TEST(b49_b58_a_new_plan_keeps_what_was_spent),
        TEST(a_process_with_an_older_smaller_plan_takes_nothing_from_the_others),
        TEST(b58_a_window_plan_is_lowered_and_raised_within_the_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
