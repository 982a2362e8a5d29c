/* From cells to figures, on cases computed by hand. Random ones: test_judgement_brute.c. */
#include "accuracy_case.h"

/* 1,000 units a second, 60,000 a minute: 600 units are 1 %. */
#define RATE 60000

static void assert_near(double actual, double expected)
{
    assert_true(actual - expected < 1e-9 && expected - actual < 1e-9);
}

static void what_the_oracle_admits_and_the_limiter_does_not_is_under(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, RATE, 1000, 60, 1);
    for (int i = 0; i < 15; i++) {
        case_request(&played, 0, 0, 100, i < 7);
    }
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 300);
    assert_int_equal(case_over(&played, 0, 0), 0);
    assert_int_equal(played.judgement.under_units_max, 300);
    assert_near(played.judgement.under_pct.max, 0.5);
    assert_near(played.judgement.over_pct.max, 0);
    assert_int_equal(played.judgement.demand_units, 1500);
    assert_int_equal(played.judgement.oracle_units, 1000);
    assert_int_equal(played.judgement.admitted_units, 700);
    case_end(&played);
}

static void what_the_limiter_admits_and_the_oracle_does_not_is_over(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, RATE, 1000, 60, 1);
    for (int i = 0; i < 15; i++) {
        case_request(&played, 0, 0, 100, i < 12);
    }
    case_judge(&played);

    assert_int_equal(case_over(&played, 0, 0), 200);
    assert_int_equal(case_under(&played, 0, 0), 0);
    assert_near(played.judgement.over_pct.max, 100.0 * 200 / RATE);
    assert_int_equal(played.judgement.contract_over_units_max, 200);
    assert_near(played.judgement.contract_over_pct_max, 100.0 * 200 / RATE);
    case_end(&played);
}

/* A bucket of one minute's rate, emptied at the beginning and never full again. */
static void begin_with_an_empty_bucket(struct accuracy_case *played)
{
    case_begin(played, RATE, RATE, 180, 1);
    case_request(played, 0, 0, RATE, true);
}

static void units_denied_in_one_minute_and_admitted_in_the_next_are_not_over(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin_with_an_empty_bucket(&played);
    case_request(&played, 0, 58 * SECOND_NS, 500, false);
    case_request(&played, 0, 60 * SECOND_NS, 59500, true); /* all that the oracle has */
    case_request(&played, 0, 60 * SECOND_NS, 500, true);   /* what the limiter still has */
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 500);
    assert_int_equal(played.accuracy.cells[1].oracle_units, 59500);
    assert_int_equal(played.accuracy.cells[1].admitted_units, 60000);
    assert_int_equal(case_over(&played, 0, 1), 0);
    case_end(&played);
}

static void only_so_much_is_late_as_was_denied(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin_with_an_empty_bucket(&played);
    case_request(&played, 0, 58 * SECOND_NS, 500, false);
    case_request(&played, 0, 60 * SECOND_NS, 59500, true);
    case_request(&played, 0, 60 * SECOND_NS, 503, true);
    case_judge(&played);

    assert_int_equal(case_over(&played, 0, 1), 3);
    case_end(&played);
}

static void what_was_denied_before_the_bucket_was_full_is_not_late(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, RATE, 1000, 120, 1);
    case_request(&played, 0, 58 * SECOND_NS, 1000, false); /* full again at 59 s, and at 60 s */
    case_request(&played, 0, 60 * SECOND_NS, 1000, true);
    case_request(&played, 0, 60 * SECOND_NS, 400, true);
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 1000);
    assert_int_equal(case_over(&played, 0, 1), 400);
    case_end(&played);
}

/* Full from 59.2 s to 60 s: no request and no end of a second falls into that time. */
static void a_bucket_that_fills_within_the_last_second_is_seen_to_be_full(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, RATE, 1000, 120, 1);
    case_request(&played, 0, 58200 * SECOND_NS / 1000, 1000, false);
    case_request(&played, 0, 60 * SECOND_NS, 1000, true);
    case_request(&played, 0, 60 * SECOND_NS, 400, true);
    case_judge(&played);

    assert_int_equal(case_over(&played, 0, 1), 400);
    case_end(&played);
}

static void a_window_has_nothing_late(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 1000, 0, 180, 1);
    const uint64_t end_ns = sim_accuracy_interval_end_ns(&played.accuracy, 0, 0);
    case_request(&played, 0, end_ns - 1, 1000, false);
    case_request(&played, 0, end_ns, 1000, true);
    case_request(&played, 0, end_ns, 7, true);
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 1000);
    assert_int_equal(case_over(&played, 0, 1), 7);
    assert_int_equal(played.judgement.contract_over_units_max, 7);
    case_end(&played);
}

static void the_last_partial_interval_counts(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, RATE, 1000, 61, 1);
    case_request(&played, 0, 61 * SECOND_NS - 1, 600, false);
    case_judge(&played);

    assert_int_equal(played.judgement.pair_count, 1);
    assert_int_equal(played.judgement.worst.interval, 1);
    assert_near(played.judgement.under_pct.max, 1);
    case_end(&played);
}

static void sixty_seconds_across_a_minute_can_be_worse_than_either_minute(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin_with_an_empty_bucket(&played);
    case_request(&played, 0, 50 * SECOND_NS, 50000, true);
    case_request(&played, 0, 50 * SECOND_NS, 600, true); /* the oracle has nothing left */
    case_request(&played, 0, 70 * SECOND_NS, 20000, true);
    case_request(&played, 0, 70 * SECOND_NS, 1200, true);
    case_judge(&played);

    assert_int_equal(case_over(&played, 0, 0), 600);
    assert_int_equal(case_over(&played, 0, 1), 1200);
    assert_near(played.judgement.over_pct.max, 2);
    assert_near(played.judgement.sliding_over_pct_max, 3);
    case_end(&played);
}

static void percentages_leave_out_limits_below_a_thousand(void **state)
{
    (void)state;
    static const uint64_t limits[] = {999, 1000};
    static const double percents[] = {0, 5};

    for (int i = 0; i < 2; i++) {
        struct accuracy_case played;

        case_begin(&played, limits[i], 100, 60, 1);
        case_request(&played, 0, 0, 50, false);
        case_judge(&played);

        assert_int_equal(played.judgement.under_units_max, 50);
        assert_int_equal(played.judgement.pair_count, 1);
        assert_near(played.judgement.under_pct.max, percents[i]);
        case_end(&played);
    }
}

/* Of key k, k units of 60,000 are under. */
static void judge_many(struct accuracy_case *played, uint32_t key_count)
{
    case_begin(played, RATE, 1000, 60, key_count);
    for (uint32_t key = 0; key < key_count; key++) {
        case_request(played, key, 0, key + 1, false);
    }
    case_judge(played);
}

static void p99_has_at_most_one_per_cent_of_the_pairs_above_it(void **state)
{
    (void)state;
    struct accuracy_case played;

    judge_many(&played, 99);
    assert_near(played.judgement.under_pct.p99, 100.0 * 99 / RATE);
    case_end(&played);
    judge_many(&played, 100);
    assert_near(played.judgement.under_pct.p99, 100.0 * 99 / RATE);
    case_end(&played);
    judge_many(&played, 250);
    assert_near(played.judgement.under_pct.p99, 100.0 * 248 / RATE);
    assert_near(played.judgement.under_pct.max, 100.0 * 250 / RATE);
    case_end(&played);
}

static void the_mean_is_weighted_by_demand(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, RATE, 1000, 60, 2);
    case_request(&played, 0, 0, 600, false); /* 1 % */
    case_request(&played, 1, 0, 900, true);
    case_request(&played, 1, 1, 900, false); /* the oracle refuses it too */
    case_judge(&played);

    assert_near(played.judgement.under_pct.mean, 600.0 / 2400);
    case_end(&played);
}

static void intervals_without_demand_are_no_pairs(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, RATE, 1000, 600, 3);
    case_request(&played, 1, 300 * SECOND_NS, 5, true);
    case_judge(&played);

    assert_int_equal(played.judgement.pair_count, 1);
    case_end(&played);
}

static void one_population_is_judged_without_the_others(void **state)
{
    (void)state;
    struct accuracy_case played;

    judge_many(&played, 3);
    sim_judgement_make(&played.judgement, &played.accuracy, 1);

    assert_int_equal(played.judgement.pair_count, 0);
    assert_int_equal(played.judgement.under_units_max, 0);
    assert_true(played.judgement.worst.percent < 0);
    case_end(&played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_oracle_admits_and_the_limiter_does_not_is_under),
        cmocka_unit_test(what_the_limiter_admits_and_the_oracle_does_not_is_over),
        cmocka_unit_test(units_denied_in_one_minute_and_admitted_in_the_next_are_not_over),
        cmocka_unit_test(only_so_much_is_late_as_was_denied),
        cmocka_unit_test(what_was_denied_before_the_bucket_was_full_is_not_late),
        cmocka_unit_test(a_bucket_that_fills_within_the_last_second_is_seen_to_be_full),
        cmocka_unit_test(a_window_has_nothing_late),
        cmocka_unit_test(the_last_partial_interval_counts),
        cmocka_unit_test(sixty_seconds_across_a_minute_can_be_worse_than_either_minute),
        cmocka_unit_test(percentages_leave_out_limits_below_a_thousand),
        cmocka_unit_test(p99_has_at_most_one_per_cent_of_the_pairs_above_it),
        cmocka_unit_test(the_mean_is_weighted_by_demand),
        cmocka_unit_test(intervals_without_demand_are_no_pairs),
        cmocka_unit_test(one_population_is_judged_without_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
