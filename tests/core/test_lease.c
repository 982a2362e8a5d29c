/* What a slot holds: leases end at the early side of the clock's error bar, and what begins at
 * some time begins at its late side. */
#include "small_lease.h"

static void before_the_first_answer_nothing_happens(void **state)
{
    (void)state;
    limiter->clock = (struct clock_offset){0};

    lease_refresh(limiter, 0, SMALL_START_NS);

    assert_int_equal(cold->window_index, 0);
    assert_int_equal(hot->fast_until_ns, 0);
}

static void a_lease_ends_when_the_store_may_have_reached_its_end(void **state)
{
    (void)state;
    hold(8, LEASE_END_US);
    hot->held_units = 5; /* three were spent */
    const uint64_t end_ns = possibly_ns(5 * SECOND_US);

    lease_refresh(limiter, 0, end_ns - 1);
    assert_int_equal(hot->held_units, 5);
    assert_true(hot->fast_until_ns <= end_ns);
    assert_true(hot->fast_until_ns + 4 >= end_ns);
    lease_refresh(limiter, 0, end_ns);
    assert_int_equal(hot->held_units, 0);
    assert_int_equal(cold->returned_units, 5);
    assert_int_equal(cold->expired_units, 0); /* may still come in time: the store decides */
    assert_int_equal(cold->leased_units, 3);
}

/* A better answer may set the estimate back: what is valid stays valid, and a window that may have
 * begun is not left. */
static void a_clock_set_back_takes_nothing_away(void **state)
{
    (void)state;
    hold(0, LEASE_END_US + 5 * SECOND_US);
    cold->trickle_period = TRICKLE_PERIOD;
    cold->trickle[0] = 4;
    lease_refresh(limiter, 0, surely_ns(600 * MS_US));
    assert_int_equal(hot->held_units, 2);
    hot->spent_units = 3;

    lease_refresh(limiter, 0, surely_ns(300 * MS_US));

    assert_int_equal(hot->held_units, 2);
    assert_int_equal(cold->trickle_taken, 2);
    const uint64_t end_us = START_US + MINUTE_US;
    lease_refresh(limiter, 0, clock_surely_reached_ns(&limiter->clock, SMALL_START_NS, end_us));
    assert_int_equal(cold->window_index, START_US / MINUTE_US + 1);
    hot->spent_units = 4;
    lease_refresh(limiter, 0, possibly_ns(MINUTE_US));
    assert_int_equal(cold->window_index, START_US / MINUTE_US + 1);
    assert_int_equal(hot->spent_units, 4);
}

/* The clock had jumped a minute ahead. What is spent from now on counts where it belongs, next to
 * what was reported of that window before. */
static void d35_a_window_that_has_not_begun_is_left(void **state)
{
    (void)state;
    struct weir_report report;
    hold(0, LEASE_END_US + 5 * SECOND_US);
    lease_refresh(limiter, 0, surely_ns(300 * MS_US));
    const uint32_t life = cold->life;
    cold->window_index++;
    hot->spent_units = 3;

    lease_refresh(limiter, 0, surely_ns(300 * MS_US));

    assert_int_equal(cold->window_index, START_US / MINUTE_US);
    assert_int_equal(hot->spent_units, 0);
    assert_int_not_equal(cold->life, life);
    assert_int_equal(cold->report_sequence, 0);
    assert_true(weir_limiter_next_report(limiter, &report));
    assert_int_equal(report.window_index, START_US / MINUTE_US + 1);
    assert_int_equal(report.spent_units, 3);
    assert_int_equal(report.life, life);
    assert_false(report.sealed);
    assert_false(weir_limiter_next_report(limiter, &report));
}

/* A process that could not learn the store's time spends all the same. */
static void what_was_spent_before_the_time_was_known_counts_in_the_window_that_is_on(void **state)
{
    (void)state;
    struct weir_report report;
    hold(0, LEASE_END_US + 5 * SECOND_US);
    cold->window_us = 0;
    hot->spent_units = 7;

    lease_refresh(limiter, 0, surely_ns(300 * MS_US));

    assert_int_equal(cold->window_us, MINUTE_US);
    assert_int_equal(cold->window_index, START_US / MINUTE_US);
    assert_int_equal(hot->spent_units, 7);
    assert_false(weir_limiter_next_report(limiter, &report));
}

static void a_denial_holds_until_the_retry_time_or_the_next_permit(void **state)
{
    (void)state;
    hold(0, LEASE_END_US + 5 * SECOND_US);
    cold->retry_us = START_US + 2 * SECOND_US;
    hot->deny_units = 3;
    lease_refresh(limiter, 0, SMALL_START_NS);
    assert_int_equal(hot->deny_until_ns, surely_ns(2 * SECOND_US));
    assert_true(lease_denies(limiter, 0, 3));
    assert_false(lease_denies(limiter, 0, 2));

    cold->trickle_period = TRICKLE_PERIOD;
    cold->trickle[1] = 2; /* permits at 1.5 s and 2 s */
    lease_refresh(limiter, 0, SMALL_START_NS);
    assert_int_equal(hot->deny_until_ns, surely_ns(1500 * MS_US));
    cold->trickle[1] = 3; /* permits at 1.333334 s and so on */
    lease_refresh(limiter, 0, SMALL_START_NS);
    assert_int_equal(hot->deny_until_ns, surely_ns(1333334));
    lease_refresh(limiter, 0, possibly_ns(2 * SECOND_US));
    assert_int_equal(cold->retry_us, START_US + 2 * SECOND_US);
    lease_refresh(limiter, 0, surely_ns(2 * SECOND_US));
    assert_int_equal(cold->retry_us, 0);
    assert_int_equal(hot->deny_units, UINT32_MAX);
    assert_false(lease_denies(limiter, 0, UINT32_MAX));
}

static void a_denial_for_good_is_not_forgotten(void **state)
{
    (void)state;
    cold->retry_us = NEVER;
    hot->deny_units = 1;

    lease_refresh(limiter, 0, SMALL_START_NS + 86400 * NS_PER_S);

    assert_int_equal(hot->deny_until_ns, NEVER);
    assert_true(lease_denies(limiter, 0, 1));
}

static void only_what_is_held_can_be_spent(void **state)
{
    (void)state;
    hold(5, LEASE_END_US);

    lease_spend(limiter, 0, 3);
    assert_int_equal(hot->held_units, 2);
    assert_int_equal(hot->spent_units, 3);
    expect_assert_failure(lease_spend(limiter, 0, 3));
    assert_int_equal(hot->held_units, 2);
}

static void a_new_window_seals_the_report_of_the_old_one(void **state)
{
    (void)state;
    struct weir_report report;
    lease_refresh(limiter, 0, SMALL_START_NS);
    assert_int_equal(cold->window_index, START_US / MINUTE_US);
    hot->spent_units = 9;
    lease_refresh(limiter, 0, SMALL_START_NS + 59 * NS_PER_S);
    assert_false(weir_limiter_next_report(limiter, &report));

    lease_refresh(limiter, 0, SMALL_START_NS + 61 * NS_PER_S);

    assert_true(weir_limiter_next_report(limiter, &report));
    assert_int_equal(report.window_index, START_US / MINUTE_US);
    assert_int_equal(report.spent_units, 9);
    assert_true(report.sealed);
    assert_int_equal(hot->spent_units, 0);
    assert_int_equal(cold->window_index, START_US / MINUTE_US + 1);
}

static void an_answer_is_leased_and_its_lease_bounds_the_fast_path(void **state)
{
    (void)state;
    const struct weir_answer answer = answer_now(40);

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);

    assert_int_equal(hot->held_units, 40);
    assert_int_equal(cold->leased_units, 40);
    assert_int_equal(cold->lease_end_us, START_US + 10 * SECOND_US);
    assert_true(hot->fast_until_ns <= possibly_ns(10 * SECOND_US));
    assert_int_equal(cold->remaining_units, 60);
    assert_int_equal(cold->version, 5);
}

/* The store's count of leases moves to the period the answer names; unless the period they ended
 * with is over for it. */
static void what_was_held_moves_to_the_new_lease_or_is_void(void **state)
{
    (void)state;
    static const struct {
        uint64_t lease_end_us;
        uint32_t held_units, returned_units, expired_units, leased_units;
    } CASES[] = {
        {LEASE_END_US + 5 * SECOND_US, 7 + 40, 2, 0, 9 + 40},
        {LEASE_END_US, 7 + 40, 2, 0, 9 + 40},
        {START_US, 40, 9, 9, 40},
        {0, 40, 9, 9, 40},
    };
    const struct weir_answer answer = answer_now(40);

    for (size_t i = 0; i < 4; i++) {
        reset(NULL);
        hold(9, CASES[i].lease_end_us);
        hot->held_units = 7;
        cold->returned_units = 2;
        lease_take_answer(limiter, 0, SMALL_START_NS, &answer);
        assert_int_equal(hot->held_units, CASES[i].held_units);
        assert_int_equal(cold->returned_units, CASES[i].returned_units);
        assert_int_equal(cold->expired_units, CASES[i].expired_units);
        assert_int_equal(cold->leased_units, CASES[i].leased_units);
        assert_int_equal(cold->lease_end_us, LEASE_END_US + 5 * SECOND_US);
    }
}

static void a_windows_permits_are_void_in_the_next(void **state)
{
    (void)state;
    with_plan(window_plan(100, 5 * SECOND_US));
    struct weir_answer answer = answer_now(40);
    hold(9, LEASE_END_US);
    answer.reached_us = LEASE_END_US;

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer); /* of the window after the one held */

    assert_int_equal(hot->held_units, 40);
    assert_int_equal(cold->expired_units, 9);
}

static void where_permits_are_is_what_the_last_answer_said(void **state)
{
    (void)state;
    struct weir_answer answer = answer_now(0);
    answer.retry_us = START_US + SECOND_US;
    answer.flags = WEIR_ANSWER_PARKED;

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);
    assert_true(hot->flags & HOT_PARKED);
    answer.flags = 0;
    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);
    assert_false(hot->flags & HOT_PARKED);
}

static void what_comes_too_late_for_those_who_wait_is_unused(void **state)
{
    (void)state;
    uint64_t ticket;
    cold->need_units = 10;
    cold->least_units = 10;
    cold->flight_us = 1000;
    assert_true(waiting_add(limiter, 0, SMALL_START_NS, 10, &ticket));
    const struct weir_answer answer = answer_now(15); /* five ahead */

    lease_take_answer(limiter, 0, possibly_ns(1000) + NS_PER_US, &answer);

    assert_int_equal(hot->held_units, 5);
    assert_int_equal(cold->leased_units, 5);
    assert_int_equal(cold->unused_units, 10);
    assert_int_equal(hot->spent_units, 0);
    assert_int_equal(cold->wait_units, 10);
}

/* A part of the need is leased, and so is everything if the ask named no flight time: what is left
 * over stays. */
static void a_partial_grant_is_leased(void **state)
{
    (void)state;
    static const struct {
        uint32_t flight_us, granted, leased_units, held_units;
    } CASES[] = {
        {1000, 15, 5, 5}, /* in full: ten are spent at once, nobody need hear of it */
        {1000, 10, 0, 0}, {1000, 8, 8, 4}, /* four are taken by the one that fits */
        {0, 15, 15, 5},   {0, 10, 10, 0},
    };

    for (size_t i = 0; i < 5; i++) {
        uint64_t ticket;
        reset(NULL);
        assert_true(waiting_add(limiter, 0, SMALL_START_NS, 4, &ticket));
        assert_true(waiting_add(limiter, 0, SMALL_START_NS, 6, &ticket));
        cold->need_units = 10;
        cold->least_units = 4;
        cold->flight_us = CASES[i].flight_us;
        const struct weir_answer answer = answer_now(CASES[i].granted);
        lease_take_answer(limiter, 0, SMALL_START_NS, &answer);
        assert_int_equal(cold->leased_units, CASES[i].leased_units);
        assert_int_equal(hot->held_units, CASES[i].held_units);
        assert_int_equal(cold->unused_units, 0);
    }
}

static void a_recalled_lease_is_given_back_at_the_next_look(void **state)
{
    (void)state;
    hold(30, LEASE_END_US);
    lease_refresh(limiter, 0, SMALL_START_NS);
    assert_true(hot->fast_until_ns > SMALL_START_NS);

    lease_recall(limiter, 0);

    assert_int_equal(hot->fast_until_ns, 0); /* no decision passes it by */
    lease_refresh(limiter, 0, SMALL_START_NS);
    assert_int_equal(hot->held_units, 0);
    assert_int_equal(cold->leased_units, 0);
    assert_int_equal(cold->returned_units, 30);
    assert_int_equal(cold->expired_units, 0); /* in time to be credited */
    hold(7, LEASE_END_US);
    lease_refresh(limiter, 0, SMALL_START_NS);
    assert_int_equal(hot->held_units, 7);
}

static void what_was_asked_before_a_recall_goes_back_and_denies_nothing(void **state)
{
    (void)state;
    struct weir_answer answer = answer_now(20);
    answer.retry_us = START_US + SECOND_US;
    hot->flags |= HOT_IN_FLIGHT;

    lease_recall(limiter, 0);
    hot->flags &= (uint16_t)~HOT_IN_FLIGHT;
    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);

    assert_int_equal(hot->held_units, 0);
    assert_int_equal(cold->returned_units, 20);
    assert_int_equal(cold->retry_us, 0);
    assert_int_equal(hot->deny_units, UINT32_MAX);
    answer.retry_us = 0;
    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);
    assert_int_equal(hot->held_units, 20);
    assert_int_equal(cold->returned_units, 20);
}

/* A plan without a limit was in force at the store, which this process does not know: nothing of
 * the grant is leased, and what is left of it must never be credited. */
static void what_was_granted_without_a_limit_is_not_leased_and_not_credited(void **state)
{
    (void)state;
    struct weir_answer answer = answer_now(7);
    answer.flags = WEIR_ANSWER_UNCOUNTED | WEIR_ANSWER_STALE_PLAN;
    cold->need_units = 7; /* those who waited were decided meanwhile */

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);
    assert_int_equal(hot->held_units, 0);
    assert_int_equal(cold->leased_units, 0);
    assert_int_equal(cold->unused_units, 0);
    assert_int_equal(cold->returned_units, 7);
    assert_int_equal(cold->expired_units, 7);

    answer.lease_end_us = START_US; /* and too late */
    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);
    assert_int_equal(cold->unused_units, 0);
    assert_int_equal(cold->expired_units, 14);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(before_the_first_answer_nothing_happens),
        TEST(a_lease_ends_when_the_store_may_have_reached_its_end),
        TEST(a_clock_set_back_takes_nothing_away),
        TEST(d35_a_window_that_has_not_begun_is_left),
        TEST(what_was_spent_before_the_time_was_known_counts_in_the_window_that_is_on),
        TEST(a_denial_holds_until_the_retry_time_or_the_next_permit),
        TEST(a_denial_for_good_is_not_forgotten),
        TEST(only_what_is_held_can_be_spent),
        TEST(a_new_window_seals_the_report_of_the_old_one),
        TEST(an_answer_is_leased_and_its_lease_bounds_the_fast_path),
        TEST(what_was_held_moves_to_the_new_lease_or_is_void),
        TEST(a_windows_permits_are_void_in_the_next),
        TEST(where_permits_are_is_what_the_last_answer_said),
        TEST(what_comes_too_late_for_those_who_wait_is_unused),
        TEST(a_partial_grant_is_leased),
        TEST(what_was_granted_without_a_limit_is_not_leased_and_not_credited),
        TEST(a_recalled_lease_is_given_back_at_the_next_look),
        TEST(what_was_asked_before_a_recall_goes_back_and_denies_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
