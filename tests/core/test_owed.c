/* What was admitted without the store is charged later, once. */
#include "owed.h"
#include "spell.h"

static void what_was_admitted_is_charged_once_with_its_time(void **state)
{
    struct weir_ask ask = {0};

    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(1000, 100000, 100000);
    assert_false(owed_any(limiter, 0));
    assert_true(admits(1 * SECOND_US, 3) && admits(4 * SECOND_US, 4));
    assert_int_equal(hot->spent_units, 7);
    assert_true(owed_any(limiter, 0));

    owed_charge(limiter, 0, at(0), &ask);
    assert_int_equal(ask.charge_units, 7);
    assert_int_equal(ask.charge_from_us, START_US + 1 * SECOND_US);
    assert_int_equal(ask.charge_until_us, START_US + 4 * SECOND_US);
    assert_false(owed_any(limiter, 0));

    assert_true(admits(5 * SECOND_US, 2));
    owed_take_back(limiter, 0, at(0), &ask); /* it was refused */
    owed_covered(limiter, 0, 1);             /* and a late grant came for one of the units */
    struct weir_ask next = {0};
    owed_charge(limiter, 0, at(0), &next);
    assert_int_equal(next.charge_units, 8);
    assert_int_equal(next.charge_from_us, START_US + 1 * SECOND_US);
    assert_int_equal(next.charge_until_us, START_US + 5 * SECOND_US);

    struct weir_limiter_counts counts = limiter->counts;
    assert_int_equal(counts.degraded_units, 9);
    assert_int_equal(counts.charged_units, 8);
    assert_int_equal(counts.covered_units, 1);
}

static void a_window_that_is_over_is_not_charged(void **state)
{
    struct weir_ask ask = {0};

    (void)state;
    with_plan(windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5) && admits(10 * SECOND_US, 6));
    owed_charge(limiter, 0, at(0), &ask);
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(ask.charge_before_units, 0);
    assert_int_equal(limiter->counts.lost_charge_units, 5);

    with_plan(windowed_plan(WEIR_ALGORITHM_SLIDING, 1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    ask = (struct weir_ask){0};
    assert_true(admits(0, 5) && admits(10 * SECOND_US, 6));
    owed_charge(limiter, 0, at(0), &ask);
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(ask.charge_before_units, 5);
}

static struct weir_ask charge_at(uint64_t after_us)
{
    struct weir_ask ask = {0};

    owed_charge(limiter, 0, at(after_us), &ask);
    return ask;
}

static struct weir_ask charge_of(void)
{
    return charge_at(0);
}

static void what_is_refused_after_its_window_is_of_the_window_before(void **state)
{
    (void)state;
    with_plan(window_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5));
    struct weir_ask ask = charge_of();
    assert_true(admits(10 * SECOND_US, 6));
    owed_take_back(limiter, 0, at(0), &ask);
    ask = charge_of();
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(limiter->counts.lost_charge_units, 5);

    with_plan(sliding_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5));
    ask = charge_of();
    assert_true(admits(10 * SECOND_US, 6));
    owed_take_back(limiter, 0, at(0), &ask);
    ask = charge_of();
    owed_take_back(limiter, 0, at(0), &ask); /* both parts of it */
    ask = charge_of();
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(ask.charge_before_units, 5);
    assert_int_equal(limiter->counts.lost_charge_units, 0);
    assert_int_equal(limiter->counts.charged_units, 11);
}

static void a_sliding_window_forgets_what_is_two_windows_old(void **state)
{
    (void)state;
    with_plan(sliding_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5) && admits(10 * SECOND_US, 6) && admits(30 * SECOND_US, 7));
    const struct weir_ask ask = charge_of();

    assert_int_equal(ask.charge_units, 7);
    assert_int_equal(ask.charge_before_units, 0);
    assert_int_equal(limiter->counts.lost_charge_units, 5 + 6);
}

static void
what_was_admitted_before_the_stores_time_was_known_is_charged_with_the_rest(void **state)
{
    (void)state;
    with_plan(window_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    limiter->clock.known = false;
    assert_true(admits(0, 5));
    limiter->clock.known = true;
    assert_true(admits(0, 6));

    assert_int_equal(charge_of().charge_units, 11);
    assert_int_equal(limiter->counts.lost_charge_units, 0);
}

static void no_more_is_charged_than_an_ask_can_hold_and_the_rest_is_counted(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_OPEN);

    for (int i = 0; i < 5; i++) { /* refused again and again */
        assert_true(admits(0, WEIR_COST_MAX));
        const struct weir_ask refused = charge_of();
        assert_int_equal(refused.charge_units, WEIR_COST_MAX);
        assert_true(admits(0, 1));
        owed_take_back(limiter, 0, at(0), &refused);
    }
    assert_int_equal(charge_of().charge_units, WEIR_COST_MAX);
    assert_int_equal(limiter->counts.charged_units + limiter->counts.lost_charge_units,
                     limiter->counts.degraded_units);
}

/* --- logs --- */

/* When slice n begins, after the start; slice 0 holds the start. */
static uint64_t slice_us(uint64_t n)
{
    const uint64_t length_us = history_slice_us(plan());

    return length_us * n - (n == 0 ? 0 : SMALL_START_NS / NS_PER_US % length_us);
}

static void with_log(void)
{
    with_plan(log_plan(1000, MINUTE_US), WEIR_DEGRADED_OPEN);
    limiter->clock.offset_ns = (int64_t)(START_US * NS_PER_US) - (int64_t)SMALL_START_NS;
}

static void assert_charge(const struct weir_ask *ask, uint32_t units, uint64_t until_us)
{
    assert_int_equal(ask->charge_units, units);
    assert_int_equal(ask->charge_before_units, 0);
    assert_int_equal(ask->charge_until_us, START_US + until_us);
}

static void assert_charged(uint64_t now_us, uint32_t units, uint64_t until_us)
{
    const struct weir_ask ask = charge_at(now_us);

    assert_charge(&ask, units, until_us);
}

static void assert_balanced(void)
{
    const struct weir_limiter_counts *counts = &limiter->counts;

    assert_int_equal(counts->charged_units + counts->lost_charge_units + counts->covered_units,
                     counts->degraded_units);
    assert_false(owed_any(limiter, 0));
}

/* As of its end, or of the last request: those that are over first, the newest of them first. */
static void a_log_is_charged_by_slices(void **state)
{
    (void)state;
    with_log();
    const uint64_t now_us = slice_us(4) + 10;
    assert_true(admits(slice_us(1), 3) && admits(slice_us(2) - 1, 4)); /* one */
    assert_true(admits(slice_us(2), 5) && admits(now_us, 6));

    const struct weir_ask first = charge_at(now_us);
    assert_charge(&first, 5, slice_us(3));
    assert_int_equal(first.charge_from_us, START_US + slice_us(1));
    assert_charged(now_us, 7, slice_us(2));
    assert_true(owed_any(limiter, 0));
    assert_charged(now_us, 6, now_us);
    assert_balanced();
}

static void a_log_knows_no_windows_of_accounting(void **state)
{
    (void)state;
    with_log();
    assert_true(admits(MINUTE_US - SECOND_US, 3) && admits(MINUTE_US, 4));

    uint32_t units = charge_at(MINUTE_US).charge_units;
    units += charge_at(MINUTE_US).charge_units;

    assert_int_equal(units, 7);
    assert_balanced();
}

static void what_has_ended_meanwhile_is_charged_to_nobody(void **state)
{
    (void)state;
    with_log();
    assert_true(admits(0, 5) && admits(10 * SECOND_US, 6));

    assert_int_equal(charge_at(MINUTE_US + 5 * SECOND_US).charge_units, 6);

    assert_int_equal(limiter->counts.lost_charge_units, 5);
    assert_balanced();
}

static void in_a_grace_only_slices_that_are_over_are_due(void **state)
{
    (void)state;
    with_log();
    hot->flags |= HOT_GRACE;
    assert_true(admits(slice_us(1), 5));

    assert_false(owed_is_due(limiter, 0, at(slice_us(2) - 1)));
    assert_true(owed_is_due(limiter, 0, at(slice_us(2))));
    assert_true(admits(slice_us(2), 6));
    assert_charged(slice_us(2), 5, slice_us(2));
    assert_false(owed_is_due(limiter, 0, at(slice_us(2))));
    hot->flags &= (uint16_t)~HOT_GRACE;
    assert_true(owed_is_due(limiter, 0, at(slice_us(2))));
    assert_charged(slice_us(2), 6, slice_us(2));
    assert_balanced();
}

/* Asks that get through once in two slices: one, then as many again as are new. */
static void who_is_heard_rarely_tells_more_at_once(void **state)
{
    (void)state;
    with_log();
    for (uint64_t n = 1; n <= 9; n++) {
        assert_true(admits(slice_us(n), 1));
    }

    assert_charged(slice_us(10), 1, slice_us(9));
    assert_charged(slice_us(12), 5, slice_us(9));
    assert_charged(slice_us(12), 1, slice_us(4));
    assert_charged(slice_us(13), 2, slice_us(3));
    assert_balanced();
}

static void what_is_refused_goes_back_to_its_slice(void **state)
{
    (void)state;
    with_log();
    const uint64_t now_us = slice_us(3) + 10;
    assert_true(admits(slice_us(1), 3) && admits(slice_us(2), 4) && admits(now_us, 5));

    struct weir_ask ask = charge_at(now_us);
    owed_take_back(limiter, 0, at(now_us), &ask);
    assert_charged(now_us, 4, slice_us(3));
    ask = charge_at(now_us);
    owed_take_back(limiter, 0, at(now_us + 1), &ask);
    assert_charged(now_us + 1, 3, slice_us(2));
    ask = charge_at(now_us);
    assert_charge(&ask, 5, now_us);
    owed_take_back(limiter, 0, at(now_us), &ask);
    assert_true(admits(now_us + 5, 6));
    assert_charged(slice_us(4), 11, now_us + 5);
    assert_balanced();
    /* its slice has ended before it comes back, and has its place no more */
    const uint64_t later_us = slice_us(5 + HISTORY_SLICES);
    assert_true(admits(slice_us(5), 7));
    ask = charge_at(slice_us(5));
    assert_true(admits(later_us, 8));
    owed_take_back(limiter, 0, at(later_us), &ask);
    assert_int_equal(limiter->counts.lost_charge_units, 7);
    assert_charged(later_us, 8, later_us);
    assert_balanced();
}

/* The clock stepped in the spell, and an answer for another key told: the slices before and after
 * it. None is charged too early. */
static void a_step_of_the_clock_charges_nothing_too_early(void **state)
{
    (void)state;
    static const int64_t STEPS_S[] = {-3600, 3600};
    for (size_t i = 0; i < 2; i++) {
        const uint64_t forward_us = i == 0 ? 0 : 3600 * SECOND_US;
        with_log();
        assert_true(admits(slice_us(1), 3));
        limiter->clock.offset_ns += STEPS_S[i] * (int64_t)NS_PER_S;
        assert_true(admits(slice_us(3), 4));
        limiter->degraded[0].charge_until_us = NEVER;

        assert_charged(slice_us(5), 4, slice_us(4) + forward_us);
        assert_charged(slice_us(5), 3, slice_us(2) + forward_us);
        assert_balanced();
    }
}

static void a_late_grant_is_for_the_oldest(void **state)
{
    (void)state;
    with_log();
    assert_true(admits(slice_us(1), 3) && admits(slice_us(2), 4) && admits(slice_us(3), 5));

    assert_int_equal(owed_covered(limiter, 0, 5), 5);

    assert_charged(slice_us(4), 5, slice_us(3));
    assert_charged(slice_us(4), 2, slice_us(3));
    assert_int_equal(owed_covered(limiter, 0, 5), 0);
    assert_balanced();
}

static void without_a_history_all_is_charged_as_of_the_last(void **state)
{
    (void)state;
    with_log();
    limiter->options.history_capacity = 0;
    assert_true(admits(slice_us(1), 3) && admits(slice_us(9), 4));
    assert_charged(slice_us(10), 7, slice_us(9));
    assert_balanced();
    /* there was one until the plan changed */
    with_log();
    assert_true(admits(slice_us(1), 3) && admits(slice_us(9), 4));
    struct weir_plan other = log_plan(50, 10 * SECOND_US);
    other.version = 2;
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &other), WEIR_OK);
    assert_int_equal(charge_at(slice_us(10)).charge_units, 7);
    assert_balanced();
}

static void last_words_charge_all_slices(void **state)
{
    (void)state;
    with_log();
    assert_true(admits(slice_us(1), 3) && admits(slice_us(9), 4));

    outbox_last_words(limiter, 0, at(slice_us(10)));

    assert_charge(&limiter->flights[0].ask, 7, slice_us(9));
    assert_balanced();
}

/* The store collects: each answer brings the next slice, and the end of the grace the last. */
static void all_slices_are_told_while_the_store_collects(void **state)
{
    (void)state;
    with_log();
    const uint64_t now_us = slice_us(8) + 10;
    const uint64_t end_us = now_us + SECOND_US / 10;
    struct weir_ask ask;
    for (uint64_t n = 1; n <= 8; n++) {
        assert_true(admits(slice_us(n), (uint32_t)n));
    }

    asking_queue(limiter, 0, 0);
    for (uint32_t n = 7; n >= 1; n--) {
        assert_true(weir_limiter_next_ask(limiter, at(now_us), &ask));
        assert_int_equal(ask.charge_units, n);
        const struct weir_answer answer = {.key = ask.key,
                                           .id = ask.id,
                                           .flags = WEIR_ANSWER_GRACE,
                                           .retry_us = START_US + end_us,
                                           .store_us = START_US + now_us,
                                           .reached_us = START_US + now_us};
        assert_int_equal(weir_limiter_answer(limiter, at(now_us), &answer), WEIR_OK);
    }
    assert_false(weir_limiter_next_ask(limiter, at(now_us), &ask));
    const uint64_t due_ns = weir_limiter_next_deadline_ns(limiter);
    assert_in_range(due_ns, at(end_us), at(end_us + MS_US));
    weir_limiter_expire(limiter, due_ns);
    assert_true(weir_limiter_next_ask(limiter, due_ns, &ask));
    assert_int_equal(ask.charge_units, 8);
    assert_balanced();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_admitted_is_charged_once_with_its_time),
        cmocka_unit_test(a_window_that_is_over_is_not_charged),
        cmocka_unit_test(what_is_refused_after_its_window_is_of_the_window_before),
        cmocka_unit_test(a_sliding_window_forgets_what_is_two_windows_old),
        cmocka_unit_test(
            what_was_admitted_before_the_stores_time_was_known_is_charged_with_the_rest),
        cmocka_unit_test(no_more_is_charged_than_an_ask_can_hold_and_the_rest_is_counted),
        cmocka_unit_test(a_log_is_charged_by_slices),
        cmocka_unit_test(a_log_knows_no_windows_of_accounting),
        cmocka_unit_test(what_has_ended_meanwhile_is_charged_to_nobody),
        cmocka_unit_test(in_a_grace_only_slices_that_are_over_are_due),
        cmocka_unit_test(who_is_heard_rarely_tells_more_at_once),
        cmocka_unit_test(what_is_refused_goes_back_to_its_slice),
        cmocka_unit_test(a_step_of_the_clock_charges_nothing_too_early),
        cmocka_unit_test(a_late_grant_is_for_the_oldest),
        cmocka_unit_test(without_a_history_all_is_charged_as_of_the_last),
        cmocka_unit_test(last_words_charge_all_slices),
        cmocka_unit_test(all_slices_are_told_while_the_store_collects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
