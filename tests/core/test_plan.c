/* Plans: what is refused, what is derived, and that every later product stays exact. */
#include "unit.h"

#include <string.h>

#include "weir/plan.h"

#define MINUTE_US UINT64_C(60000000)
#define SECOND_US UINT64_C(1000000)

static struct weir_plan_options bucket_options(uint64_t rate_units, uint64_t rate_period_us,
                                               uint64_t capacity_units)
{
    return (struct weir_plan_options){
        .version = 1,
        .rate_units = rate_units,
        .rate_period_us = rate_period_us,
        .capacity_units = capacity_units,
        .window_us = MINUTE_US,
    };
}

static struct weir_plan made(const struct weir_plan_options *options)
{
    struct weir_plan plan;

    assert_int_equal(weir_plan_make(&plan, options), WEIR_OK);
    return plan;
}

static void assert_refused(const struct weir_plan_options *options, enum weir_status status)
{
    const struct weir_plan zero = {0};
    struct weir_plan plan;

    memset(&plan, 0xa5, sizeof plan);
    assert_int_equal(weir_plan_make(&plan, options), status);
    assert_memory_equal(&plan, &zero, sizeof plan);
}

static void a_rate_is_kept_in_lowest_terms(void **state)
{
    (void)state;
    static const struct {
        uint64_t units, period_us;
        uint64_t lowest_units, lowest_period_us;
    } CASES[] = {
        {1000, MINUTE_US, 1, 60000},
        {100, SECOND_US, 1, 10000},
        {7, SECOND_US, 7, SECOND_US},
        {33, 99, 1, 3},
        {1, 86400 * SECOND_US, 1, 86400 * SECOND_US},
        {1000000000, SECOND_US, 1000, 1},
        {0, MINUTE_US, 0, 1},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct weir_plan_options options =
            bucket_options(CASES[i].units, CASES[i].period_us, 10);
        const struct weir_plan plan = made(&options);
        assert_int_equal(plan.rate_units, CASES[i].lowest_units);
        assert_int_equal(plan.rate_period_us, CASES[i].lowest_period_us);
    }
}

static void a_buckets_limit_is_a_minute_of_its_rate(void **state)
{
    (void)state;
    const struct weir_plan_options options = bucket_options(100, SECOND_US, 250);

    const struct weir_plan plan = made(&options);

    assert_int_equal(plan.limit_units, 6000);
    assert_int_equal(plan.capacity_units, 250);
    assert_int_equal(plan.full_us, 2500000);
    assert_int_equal(plan.rate_milli_per_s, 100000);
    assert_int_equal(plan.trickle_period_us, SECOND_US);
    assert_int_equal(plan.lease_period_us, 5 * SECOND_US);
    assert_int_equal(plan.window_us, MINUTE_US);
    assert_int_equal(plan.version, 1);
    assert_int_equal(plan.algorithm, WEIR_ALGORITHM_BUCKET);
    assert_int_equal(plan.sizer, WEIR_SIZER_TAPERED);
}

static void a_windows_limit_is_its_rate_over_the_window_and_its_leases_end_with_it(void **state)
{
    (void)state;
    struct weir_plan_options options = bucket_options(100, SECOND_US, 777);
    options.algorithm = WEIR_ALGORITHM_WINDOW;
    options.window_us = 10 * SECOND_US;

    const struct weir_plan plan = made(&options);

    assert_int_equal(plan.limit_units, 1000);
    assert_int_equal(plan.capacity_units, 1000);
    assert_int_equal(plan.lease_period_us, 10 * SECOND_US);
    assert_int_equal(plan.trickle_period_us, 10 * SECOND_US / 60);
}

static void a_fixed_sizers_leases_end_with_the_window(void **state)
{
    (void)state;
    struct weir_plan_options options = bucket_options(100, SECOND_US, 250);
    options.sizer = WEIR_SIZER_FIXED;
    options.fixed_lease_units = 20;

    const struct weir_plan plan = made(&options);

    assert_int_equal(plan.lease_period_us, MINUTE_US);
    assert_int_equal(plan.fixed_lease_units, 20);
    assert_int_equal(plan.sizer, WEIR_SIZER_FIXED);
}

static void the_leases_of_the_other_simple_sizers_do_too(void **state)
{
    (void)state;
    static const enum weir_sizer SIZERS[] = {WEIR_SIZER_RATE, WEIR_SIZER_DOUBLING};

    for (size_t i = 0; i < sizeof SIZERS / sizeof SIZERS[0]; i++) {
        struct weir_plan_options options = bucket_options(100, SECOND_US, 250);
        options.sizer = SIZERS[i]; /* has no lease of its own in the plan */
        const struct weir_plan plan = made(&options);
        assert_int_equal(plan.lease_period_us, MINUTE_US);
        assert_int_equal(plan.sizer, SIZERS[i]);
    }
}

static void periods_are_at_least_a_millisecond(void **state)
{
    (void)state;
    static const struct {
        uint64_t window_us, trickle_period_us, lease_period_us;
    } CASES[] = {
        {WEIR_WINDOW_US_MIN, 1000, 1000},
        {12000, 1000, 1000},
        {12012, 1000, 1001},
        {60000, 1000, 5000},
        {60060, 1001, 5005},
        {MINUTE_US, 1000000, 5000000},
        {UINT64_C(3600000000), 60000000, 300000000},
        {WEIR_WINDOW_US_MAX, 60000000, 300000000},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct weir_plan_options options = bucket_options(1, SECOND_US, 10);
        options.window_us = CASES[i].window_us;
        const struct weir_plan plan = made(&options);
        assert_int_equal(plan.trickle_period_us, CASES[i].trickle_period_us);
        assert_int_equal(plan.lease_period_us, CASES[i].lease_period_us);
    }
}

static void a_trickle_times_its_period_is_exact(void **state)
{
    (void)state;
    static const uint64_t RATES_PER_S[] = {1, 2500000, 2600000, 30000000, 1000000000};
    static const uint64_t PERIODS_US[] = {60000000, 60000000, 30000000, 15000000, 1875000};

    for (size_t i = 0; i < sizeof RATES_PER_S / sizeof RATES_PER_S[0]; i++) {
        struct weir_plan_options options = bucket_options(RATES_PER_S[i], SECOND_US, 10);
        options.window_us = WEIR_WINDOW_US_MAX;
        const struct weir_plan plan = made(&options);
        const uint64_t accrued = plan.rate_units * plan.trickle_period_us / plan.rate_period_us;
        assert_true(accrued <= (WEIR_EXACT_MAX - 1) / plan.trickle_period_us);
        assert_int_equal(plan.trickle_period_us, PERIODS_US[i]);
    }
}

static void values_out_of_range_are_refused(void **state)
{
    (void)state;
    const struct weir_plan_options good = bucket_options(100, SECOND_US, 250);
    struct weir_plan_options bad;

    bad = good, bad.version = 0;
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.rate_period_us = 0;
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.window_us = WEIR_WINDOW_US_MIN - 1;
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.window_us = WEIR_WINDOW_US_MAX + 1;
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.window_us = 0;
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.sizer = WEIR_SIZER_FIXED;
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.algorithm = (enum weir_algorithm)(WEIR_ALGORITHM_LOG + 1);
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.sizer = (enum weir_sizer)(WEIR_SIZER_DOUBLING + 1);
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
    bad = good, bad.degraded = (enum weir_degraded_policy)(WEIR_DEGRADED_CLOSED + 1);
    assert_refused(&bad, WEIR_ERR_ARGUMENT);
}

/* B09: 10^9 per second is exact, one more is refused, whatever the period it is written with. */
static void b09_the_highest_rate_is_a_thousand_million_per_second(void **state)
{
    (void)state;
    static const struct {
        uint64_t units, period_us;
        enum weir_status status;
    } CASES[] = {
        {1000000000, SECOND_US, WEIR_OK},
        {1000000001, SECOND_US, WEIR_ERR_ARGUMENT},
        {1000, 1, WEIR_OK},
        {1001, 1, WEIR_ERR_ARGUMENT},
        {1999, 2, WEIR_OK},
        {2001, 2, WEIR_ERR_ARGUMENT},
        {1000 * MINUTE_US, MINUTE_US, WEIR_OK},
        {1000 * MINUTE_US + 1, MINUTE_US, WEIR_ERR_ARGUMENT},
        {UINT64_MAX, 1, WEIR_ERR_ARGUMENT},
        {UINT64_MAX, UINT64_MAX / 1000, WEIR_ERR_ARGUMENT},
        {1000, MINUTE_US, WEIR_OK},
        {8000, SECOND_US, WEIR_OK},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct weir_plan_options options =
            bucket_options(CASES[i].units, CASES[i].period_us, 10);
        struct weir_plan plan;
        assert_int_equal(weir_plan_make(&plan, &options), CASES[i].status);
    }
}

/* B07, B08, D19: what could not be counted exactly in doubles is refused when the plan is made. */
static void b07_b08_d19_a_bucket_whose_products_leave_2_to_the_53_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t rate_units, rate_period_us, capacity_units;
        enum weir_status status;
    } CASES[] = {
        {"largest capacity at one per us", 1, 1, WEIR_EXACT_MAX - 2, WEIR_OK},
        {"one more", 1, 1, WEIR_EXACT_MAX - 1, WEIR_ERR_PLAN_INEXACT},
        {"2^53", 1, 1, WEIR_EXACT_MAX, WEIR_ERR_PLAN_INEXACT},
        {"2^53 + 1", 1, 1, WEIR_EXACT_MAX + 1, WEIR_ERR_PLAN_INEXACT},
        {"2^63 - 1", 1, 1, INT64_MAX, WEIR_ERR_PLAN_INEXACT},
        {"all bits", 1, 1, UINT64_MAX, WEIR_ERR_PLAN_INEXACT},
        {"4 TiB at 1 MB/s", 1000000, SECOND_US, UINT64_C(1) << 42, WEIR_OK},
        {"1 per day, product just below", 1, 86400000000, 104249, WEIR_OK},
        {"1 per day, product above", 1, 86400000000, 104250, WEIR_ERR_PLAN_INEXACT},
        {"200 000 000 at 1 per day", 1, 86400000000, 200000000, WEIR_ERR_PLAN_INEXACT},
        {"period of 2^53", 1, WEIR_EXACT_MAX, 1, WEIR_ERR_PLAN_INEXACT},
        {"period of 2^53 - 2", 1, WEIR_EXACT_MAX - 2, 1, WEIR_OK},
        {"minute's product beyond", WEIR_EXACT_MAX / 2 + 1, WEIR_EXACT_MAX, 1,
         WEIR_ERR_PLAN_INEXACT},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct weir_plan_options options =
            bucket_options(CASES[i].rate_units, CASES[i].rate_period_us, CASES[i].capacity_units);
        struct weir_plan plan;
        const enum weir_status status = weir_plan_make(&plan, &options);
        if (status != CASES[i].status) {
            print_error("%s\n", CASES[i].name);
        }
        assert_int_equal(status, CASES[i].status);
    }
}

static void b08_a_window_whose_limit_leaves_2_to_the_53_is_refused(void **state)
{
    (void)state;
    struct weir_plan_options options = bucket_options(1000, 1, 0);
    options.algorithm = WEIR_ALGORITHM_WINDOW;

    options.window_us = WEIR_WINDOW_US_MAX; /* 2.7e15 units */
    assert_int_equal(made(&options).limit_units, 1000 * WEIR_WINDOW_US_MAX);

    options.rate_units = WEIR_EXACT_MAX - 1;
    options.rate_period_us = UINT64_C(1) << 44;
    options.window_us = 1000;
    assert_refused(&options, WEIR_ERR_PLAN_INEXACT);
}

static void the_product_behind_a_windows_limit_may_be_2_to_the_53_less_one(void **state)
{
    (void)state;
    struct weir_plan_options options = bucket_options(UINT64_C(6361) * 20394401, 129728784763, 0);
    options.algorithm = WEIR_ALGORITHM_WINDOW;
    options.window_us = 69431; /* 6361 x 20394401 x 69431 = 2^53 - 1 */
    assert_int_equal(made(&options).limit_units, 69430);
    assert_int_equal(made(&options).rate_period_us, options.rate_period_us);

    options.rate_units++;
    assert_refused(&options, WEIR_ERR_PLAN_INEXACT);
}

/* Property: whatever plan is accepted, refilling it from empty for full_us gives its capacity,
 * exactly. */
static void an_accepted_plan_fills_in_exactly_its_time(void **state)
{
    (void)state;
    static const uint64_t RATES[] = {1, 3, 7, 60, 999, 1000, 33333, 1000000, 999999937};
    static const uint64_t PERIODS_US[] = {1, 7, 1000, SECOND_US, MINUTE_US, 86400 * SECOND_US};
    static const uint64_t CAPACITIES[] = {1, 2, 10, 999, 100000, 12345678901};
    unsigned accepted_count = 0;

    for (size_t i = 0; i < 9 * 6 * 6; i++) {
        const struct weir_plan_options options =
            bucket_options(RATES[i / 36], PERIODS_US[i / 6 % 6], CAPACITIES[i % 6]);
        struct weir_plan plan;
        if (weir_plan_make(&plan, &options) != WEIR_OK) {
            continue;
        }
        accepted_count++;
        assert_true(plan.full_us * plan.rate_units / plan.rate_period_us >= plan.capacity_units);
        assert_true((plan.full_us - 1) * plan.rate_units / plan.rate_period_us <
                    plan.capacity_units);
        assert_true(plan.full_us * plan.rate_units < WEIR_EXACT_MAX);
    }
    assert_in_range(accepted_count, 150, 9 * 6 * 6);
}

/* B10: limit 0 is a plan that denies; no limit is an explicit value. */
static void b10_a_rate_or_capacity_of_zero_is_a_plan(void **state)
{
    (void)state;
    struct weir_plan_options options = bucket_options(0, SECOND_US, 5);
    const struct weir_plan unfilled = made(&options);
    assert_int_equal(unfilled.full_us, UINT64_MAX);
    assert_int_equal(unfilled.limit_units, 0);
    assert_int_equal(unfilled.rate_milli_per_s, 0);

    options = bucket_options(5, SECOND_US, 0);
    assert_int_equal(made(&options).full_us, 0);
    assert_int_equal(made(&options).capacity_units, 0);

    options = bucket_options(0, SECOND_US, 5);
    options.algorithm = WEIR_ALGORITHM_WINDOW;
    assert_int_equal(made(&options).capacity_units, 0);

    options = bucket_options(5, SECOND_US, UINT64_MAX);
    options.algorithm = WEIR_ALGORITHM_UNLIMITED;
    assert_int_equal(made(&options).algorithm, WEIR_ALGORITHM_UNLIMITED);
    assert_int_equal(made(&options).limit_units, 0);
}

static void slow_and_fast_rates_are_rounded_for_sizing_only(void **state)
{
    (void)state;
    struct weir_plan_options options = bucket_options(1, 86400 * SECOND_US, 1);
    assert_int_equal(made(&options).rate_milli_per_s, 0);
    assert_int_equal(made(&options).limit_units, 0);
    assert_int_equal(made(&options).rate_units, 1);

    options = bucket_options(1000000000, SECOND_US, 1);
    assert_int_equal(made(&options).rate_milli_per_s, UINT64_C(1000000000000));

    options = bucket_options(25000000001, 25000001, 1); /* too large to multiply by 10^9 */
    options.algorithm = WEIR_ALGORITHM_WINDOW;
    options.window_us = 1000;
    assert_int_equal(made(&options).rate_milli_per_s, UINT64_MAX);
}

/* B15: the time to wait takes into account what has accrued, and is rounded up. */
static void b15_waiting_times_count_the_carry_and_are_rounded_up(void **state)
{
    (void)state;
    static const struct {
        uint64_t rate_units, rate_period_us, units, carry, wait_us;
    } CASES[] = {
        {5, 300 * SECOND_US, 1, 0, MINUTE_US},
        {5, 300 * SECOND_US, 1, 59 * SECOND_US, SECOND_US}, /* 1 / 60 000 000 per us */
        {1, SECOND_US, 1, SECOND_US - 1, 1},
        {1, SECOND_US, 3, 0, 3 * SECOND_US},
        {3, SECOND_US, 1, 0, 333334},
        {3, SECOND_US, 3, 0, SECOND_US},
        {7, 1, 1, 0, 1},
        {7, 1, 7, 0, 1},
        {7, 1, 8, 0, 2},
        {7, 1, 0, 0, 0},
        {0, SECOND_US, 0, 0, 0},
        {0, SECOND_US, 1, 0, UINT64_MAX},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct weir_plan_options options =
            bucket_options(CASES[i].rate_units, CASES[i].rate_period_us, 10);
        const struct weir_plan plan = made(&options);
        assert_int_equal(weir_plan_refill_us(&plan, CASES[i].units, CASES[i].carry),
                         CASES[i].wait_us);
    }
}

static void a_wait_that_cannot_be_computed_exactly_is_for_ever(void **state)
{
    (void)state;
    const struct weir_plan_options options = bucket_options(7, SECOND_US, 10);
    const struct weir_plan plan = made(&options);

    assert_int_equal(weir_plan_refill_us(&plan, WEIR_EXACT_MAX / SECOND_US + 1, 0), UINT64_MAX);
    assert_int_equal(weir_plan_refill_us(&plan, UINT64_MAX, 0), UINT64_MAX);
    assert_int_equal(weir_plan_refill_us(&plan, WEIR_EXACT_MAX / SECOND_US, 0),
                     UINT64_C(1286742750571429));
    expect_assert_failure(weir_plan_refill_us(&plan, 1, SECOND_US));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_is_kept_in_lowest_terms),
        cmocka_unit_test(a_buckets_limit_is_a_minute_of_its_rate),
        cmocka_unit_test(a_windows_limit_is_its_rate_over_the_window_and_its_leases_end_with_it),
        cmocka_unit_test(a_fixed_sizers_leases_end_with_the_window),
        cmocka_unit_test(the_leases_of_the_other_simple_sizers_do_too),
        cmocka_unit_test(periods_are_at_least_a_millisecond),
        cmocka_unit_test(a_trickle_times_its_period_is_exact),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(b09_the_highest_rate_is_a_thousand_million_per_second),
        cmocka_unit_test(b07_b08_d19_a_bucket_whose_products_leave_2_to_the_53_is_refused),
        cmocka_unit_test(b08_a_window_whose_limit_leaves_2_to_the_53_is_refused),
        cmocka_unit_test(the_product_behind_a_windows_limit_may_be_2_to_the_53_less_one),
        cmocka_unit_test(an_accepted_plan_fills_in_exactly_its_time),
        cmocka_unit_test(b10_a_rate_or_capacity_of_zero_is_a_plan),
        cmocka_unit_test(slow_and_fast_rates_are_rounded_for_sizing_only),
        cmocka_unit_test(b15_waiting_times_count_the_carry_and_are_rounded_up),
        cmocka_unit_test(a_wait_that_cannot_be_computed_exactly_is_for_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
