/* A part of a limit, exact to the nanosecond. */
#include "unit.h"

#include "catalog.h"
#include "local_limit.h"
#include "weir/decision.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define START SIM_LOCAL_START_NS

static const struct weir_key key = {.low = 0x123456789abcdef0, .high = 0xfedcba9876543210};

struct desk {
    struct weir_plan plan;
    struct sim_local_limit limit;
};

static void make(struct desk *desk, const struct weir_plan_options *options, uint64_t part,
                 uint64_t whole, uint64_t used_units)
{
    assert_int_equal(weir_plan_make(&desk->plan, options), WEIR_OK);
    sim_local_limit_start(&desk->limit, &desk->plan, &key,
                          (struct sim_part){.part = part, .whole = whole}, used_units, START);
}

static void make_bucket(struct desk *desk, uint64_t capacity_units, uint64_t part, uint64_t whole)
{
    make(desk,
         &(struct weir_plan_options){.version = 1,
                                     .rate_units = 600,
                                     .rate_period_us = 60000000,
                                     .capacity_units = capacity_units,
                                     .window_us = 60000000},
         part, whole, 0);
}

static void make_window(struct desk *desk, uint64_t limit_units, uint64_t part, uint64_t whole,
                        uint64_t used_units)
{
    make(desk,
         &(struct weir_plan_options){.version = 1,
                                     .algorithm = WEIR_ALGORITHM_WINDOW,
                                     .rate_units = limit_units,
                                     .rate_period_us = 60000000,
                                     .window_us = 60000000},
         part, whole, used_units);
}

static bool admit(struct desk *desk, uint64_t time_ns, uint32_t cost_units)
{
    return sim_local_limit_admit(&desk->limit, &desk->plan, &key, START + time_ns, cost_units);
}

static int admitted(struct desk *desk, uint64_t time_ns)
{
    int count = 0;

    while (admit(desk, time_ns, 1)) {
        count++;
    }
    return count;
}

static uint64_t retry_ns(const struct desk *desk, uint64_t time_ns, uint32_t cost_units)
{
    return sim_local_limit_retry_ns(&desk->limit, &desk->plan, &key, START + time_ns, cost_units);
}

static uint64_t window_left_ns(const struct desk *desk)
{
    return sim_local_window_left_ns(&key, &desk->plan, START);
}

static void a_quarter_of_a_bucket_is_a_bucket_of_a_quarter(void **state)
{
    (void)state;
    struct desk desk;

    make_bucket(&desk, 100, 1, 4); /* 25 at once, 2.5 a second */
    assert_int_equal(admitted(&desk, 0), 25);
    assert_int_equal(retry_ns(&desk, 0, 1), 400 * MS);
    assert_false(admit(&desk, 400 * MS - 1, 1));
    assert_int_equal(retry_ns(&desk, 400 * MS - 1, 1), 1);
    assert_true(admit(&desk, 400 * MS, 1));
    assert_int_equal(admitted(&desk, 400 * MS + 100 * S), 25);
}

static void thirds_are_not_rounded(void **state)
{
    (void)state;
    struct desk desk;

    make_bucket(&desk, 100, 1, 3); /* 33 1/3 at once, 10/3 a second */
    assert_int_equal(admitted(&desk, 0), 33);
    assert_int_equal(retry_ns(&desk, 0, 1), 200 * MS); /* 2/3 of a unit */
    assert_true(admit(&desk, 200 * MS, 1));
    assert_int_equal(retry_ns(&desk, 200 * MS, 1), 300 * MS);
}

static void a_part_of_little_is_a_unit_and_a_part_of_nothing_nothing(void **state)
{
    (void)state;
    struct desk desk;

    make_bucket(&desk, 10, 1, 50); /* 0.2 a second */
    assert_int_equal(admitted(&desk, 0), 1);
    assert_int_equal(retry_ns(&desk, 0, 1), 5 * S);
    make_window(&desk, 10, 1, 50, 0);
    assert_int_equal(admitted(&desk, 0), 1);
    make_bucket(&desk, 10, 0, 50);
    assert_int_equal(admitted(&desk, 0), 0);
    assert_true(retry_ns(&desk, 0, 1) == WEIR_RETRY_NEVER);
    make_window(&desk, 10, 0, 50, 0);
    assert_int_equal(admitted(&desk, 0), 0);
    assert_true(retry_ns(&desk, 0, 1) == WEIR_RETRY_NEVER);
}

static void a_window_of_the_keys_phase_has_its_part_rounded_down(void **state)
{
    (void)state;
    struct desk desk;

    make_window(&desk, 30, 1, 4, 0);
    assert_int_equal(admitted(&desk, 0), 7);
    assert_int_equal(retry_ns(&desk, 0, 1), window_left_ns(&desk));
    assert_int_equal(admitted(&desk, window_left_ns(&desk) - 1), 0);
    assert_int_equal(admitted(&desk, window_left_ns(&desk)), 7);
}

static void what_was_used_before_is_missing_from_each_part(void **state)
{
    (void)state;
    struct desk desk;

    make_window(&desk, 30, 1, 4, 12);
    assert_int_equal(admitted(&desk, 0), 4);
}

static void a_larger_part_leaves_what_was_used_and_a_smaller_one_takes_what_is_there(void **state)
{
    (void)state;
    struct desk desk;

    make_window(&desk, 100, 1, 4, 0);
    assert_int_equal(admitted(&desk, 0), 25);
    sim_local_limit_set_part(&desk.limit, &desk.plan, (struct sim_part){1, 2}, START);
    assert_int_equal(admitted(&desk, 0), 25);
    sim_local_limit_set_part(&desk.limit, &desk.plan, (struct sim_part){1, 10}, START);
    assert_int_equal(admitted(&desk, 0), 0);

    make_bucket(&desk, 100, 1, 2);
    assert_true(admit(&desk, 0, 10)); /* 40 of 50 left */
    sim_local_limit_set_part(&desk.limit, &desk.plan, (struct sim_part){3, 4}, START);
    assert_true(admit(&desk, 0, 10)); /* 30 of 75 */
    sim_local_limit_set_part(&desk.limit, &desk.plan, (struct sim_part){1, 5}, START);
    assert_int_equal(admitted(&desk, 0), 20);
}

static void a_cost_that_never_fits_is_told_so_and_one_of_nothing_always_does(void **state)
{
    (void)state;
    struct desk desk;

    make_bucket(&desk, 100, 1, 4);
    assert_false(admit(&desk, 0, 26));
    assert_true(retry_ns(&desk, 0, 26) == WEIR_RETRY_NEVER);
    assert_true(retry_ns(&desk, 0, 25) != WEIR_RETRY_NEVER);
    assert_true(admit(&desk, 0, 0));
    make_window(&desk, 30, 1, 4, 30);
    assert_false(admit(&desk, 0, 8));
    assert_true(retry_ns(&desk, 0, 8) == WEIR_RETRY_NEVER);
    assert_true(admit(&desk, 0, 0));
}

static void a_clock_that_goes_back_gives_nothing(void **state)
{
    (void)state;
    struct desk desk;

    make_bucket(&desk, 100, 1, 4);
    assert_int_equal(admitted(&desk, 10 * S), 25);
    assert_int_equal(admitted(&desk, 0), 0);
    assert_int_equal(admitted(&desk, 10 * S + 400 * MS), 1);
    make_window(&desk, 100, 1, 4, 0);
    assert_int_equal(admitted(&desk, 60 * S), 25);
    assert_int_equal(admitted(&desk, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_of_a_bucket_is_a_bucket_of_a_quarter),
        cmocka_unit_test(thirds_are_not_rounded),
        cmocka_unit_test(a_part_of_little_is_a_unit_and_a_part_of_nothing_nothing),
        cmocka_unit_test(a_window_of_the_keys_phase_has_its_part_rounded_down),
        cmocka_unit_test(what_was_used_before_is_missing_from_each_part),
        cmocka_unit_test(a_larger_part_leaves_what_was_used_and_a_smaller_one_takes_what_is_there),
        cmocka_unit_test(a_cost_that_never_fits_is_told_so_and_one_of_nothing_always_does),
        cmocka_unit_test(a_clock_that_goes_back_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
