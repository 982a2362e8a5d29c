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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_admitted_is_charged_once_with_its_time),
        cmocka_unit_test(a_window_that_is_over_is_not_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
