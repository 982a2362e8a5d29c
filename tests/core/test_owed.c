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

    owed_charge(limiter, 0, &ask);
    assert_int_equal(ask.charge_units, 7);
    assert_int_equal(ask.charge_from_us, START_US + 1 * SECOND_US);
    assert_int_equal(ask.charge_until_us, START_US + 4 * SECOND_US);
    assert_false(owed_any(limiter, 0));

    assert_true(admits(5 * SECOND_US, 2));
    owed_take_back(limiter, 0, &ask); /* it was refused */
    owed_covered(limiter, 0, 1);      /* and a late grant came for one of the units */
    struct weir_ask next = {0};
    owed_charge(limiter, 0, &next);
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
    owed_charge(limiter, 0, &ask);
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(ask.charge_before_units, 0);
    assert_int_equal(limiter->counts.lost_charge_units, 5);

    with_plan(windowed_plan(WEIR_ALGORITHM_SLIDING, 1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    ask = (struct weir_ask){0};
    assert_true(admits(0, 5) && admits(10 * SECOND_US, 6));
    owed_charge(limiter, 0, &ask);
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(ask.charge_before_units, 5);
}

static struct weir_ask charge_of(void)
{
    struct weir_ask ask = {0};

    owed_charge(limiter, 0, &ask);
    return ask;
}

static void what_is_refused_after_its_window_is_of_the_window_before(void **state)
{
    (void)state;
    with_plan(window_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5));
    struct weir_ask ask = charge_of();
    assert_true(admits(10 * SECOND_US, 6));
    owed_take_back(limiter, 0, &ask);
    ask = charge_of();
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(limiter->counts.lost_charge_units, 5);

    with_plan(sliding_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5));
    ask = charge_of();
    assert_true(admits(10 * SECOND_US, 6));
    owed_take_back(limiter, 0, &ask);
    ask = charge_of();
    owed_take_back(limiter, 0, &ask); /* both parts of it */
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
        owed_take_back(limiter, 0, &refused);
    }
    assert_int_equal(charge_of().charge_units, WEIR_COST_MAX);
    assert_int_equal(limiter->counts.charged_units + limiter->counts.lost_charge_units,
                     limiter->counts.degraded_units);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
