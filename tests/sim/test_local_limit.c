/* A part of a limit, kept by one process alone: exact units under a clock that is moved by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "local_limit.h"
#include "weir/decision.h"

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static const struct weir_key key = {.high = 1, .low = 2};

/* 100 units a second, capacity 50. */
static const struct weir_plan bucket = {.algorithm = WEIR_ALGORITHM_BUCKET,
                                        .rate_units = 1,
                                        .rate_period_us = 10000,
                                        .capacity_units = 50,
                                        .limit_units = 6000,
                                        .window_us = 60000000};

static const struct weir_plan window = {.algorithm = WEIR_ALGORITHM_WINDOW,
                                        .rate_units = 1,
                                        .rate_period_us = 10000,
                                        .limit_units = 1000,
                                        .window_us = 10000000};

static uint32_t admitted_of(struct sim_local_limit *limit, const struct weir_plan *plan,
                            uint64_t local_ns, uint32_t asked)
{
    uint32_t admitted = 0;

    for (uint32_t i = 0; i < asked; i++) {
        admitted += sim_local_limit_admit(limit, plan, &key, local_ns, 1);
    }
    return admitted;
}

static void a_fifth_of_a_bucket_has_a_fifth_of_capacity_and_rate(void **state)
{
    (void)state;
    struct sim_local_limit limit;

    sim_local_limit_start(&limit, &bucket, &key, (struct sim_part){1, 5}, 0, 0);
    assert_int_equal(admitted_of(&limit, &bucket, 0, 100), 10);
    assert_int_equal(sim_local_limit_retry_ns(&limit, &bucket, &key, 0, 1), 50 * MS);
    assert_int_equal(admitted_of(&limit, &bucket, 50 * MS - 1, 100), 0);
    assert_int_equal(admitted_of(&limit, &bucket, 50 * MS, 100), 1);
    assert_int_equal(admitted_of(&limit, &bucket, 3600 * SECOND, 100), 10);
}

static void parts_of_a_bucket_refill_without_rounding(void **state)
{
    (void)state;
    uint32_t admitted = 0;
    struct sim_local_limit limit;

    sim_local_limit_start(&limit, &bucket, &key, (struct sim_part){1, 7}, bucket.capacity_units, 0);
    for (uint64_t ms = 1; ms <= 70000; ms++) {
        admitted += admitted_of(&limit, &bucket, ms * MS, 3);
    }
    assert_int_equal(admitted, 1000);
}

static void a_part_that_is_not_nothing_admits_something(void **state)
{
    (void)state;
    struct sim_local_limit limit;

    sim_local_limit_start(&limit, &bucket, &key, (struct sim_part){1, 1000}, 0, 0);
    assert_int_equal(admitted_of(&limit, &bucket, 0, 5), 1);
    sim_local_limit_start(&limit, &window, &key, (struct sim_part){1, 5000}, 0, SECOND);
    assert_int_equal(admitted_of(&limit, &window, SECOND, 5), 1);
    sim_local_limit_start(&limit, &window, &key, (struct sim_part){0, 5}, 0, SECOND);
    assert_int_equal(admitted_of(&limit, &window, SECOND, 5), 0);
    assert_true(sim_local_limit_retry_ns(&limit, &window, &key, SECOND, 1) == WEIR_RETRY_NEVER);
}

static void a_window_is_over_when_the_key_s_next_one_begins(void **state)
{
    (void)state;
    const uint64_t left_ns = sim_local_window_left_ns(&key, &window, SECOND);
    struct sim_local_limit limit;

    sim_local_limit_start(&limit, &window, &key, (struct sim_part){1, 4}, 400, SECOND);
    assert_int_equal(admitted_of(&limit, &window, SECOND, 500), 150); /* 250 - 400 / 4 */
    assert_int_equal(sim_local_limit_retry_ns(&limit, &window, &key, SECOND, 1), left_ns);
    assert_int_equal(admitted_of(&limit, &window, SECOND + left_ns - 1, 500), 0);
    assert_int_equal(admitted_of(&limit, &window, SECOND + left_ns, 500), 250);
}

static void another_part_keeps_what_was_used(void **state)
{
    (void)state;
    struct sim_local_limit limit;

    sim_local_limit_start(&limit, &window, &key, (struct sim_part){1, 4}, 0, SECOND);
    assert_int_equal(admitted_of(&limit, &window, SECOND, 200), 200);
    sim_local_limit_set_part(&limit, &window, (struct sim_part){1, 2}, SECOND);
    assert_int_equal(admitted_of(&limit, &window, SECOND, 1000), 300);
    sim_local_limit_set_part(&limit, &window, (struct sim_part){1, 10}, SECOND);
    assert_int_equal(admitted_of(&limit, &window, SECOND, 1000), 0);
}

static void a_clock_that_goes_back_refills_nothing_twice(void **state)
{
    (void)state;
    struct sim_local_limit limit;

    sim_local_limit_start(&limit, &bucket, &key, (struct sim_part){1, 1}, 0, SECOND);
    assert_int_equal(admitted_of(&limit, &bucket, SECOND, 100), 50);
    assert_int_equal(admitted_of(&limit, &bucket, SECOND / 2, 100), 0);
    assert_int_equal(admitted_of(&limit, &bucket, SECOND + 20 * MS, 100), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fifth_of_a_bucket_has_a_fifth_of_capacity_and_rate),
        cmocka_unit_test(parts_of_a_bucket_refill_without_rounding),
        cmocka_unit_test(a_part_that_is_not_nothing_admits_something),
        cmocka_unit_test(a_window_is_over_when_the_key_s_next_one_begins),
        cmocka_unit_test(another_part_keeps_what_was_used),
        cmocka_unit_test(a_clock_that_goes_back_refills_nothing_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
