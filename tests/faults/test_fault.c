/* When a fault is in force, whom it concerns, and the lots it draws. */
#include "unit.h"

#include <string.h>

#include "fault.h"

enum {
    PPM = 1000000,
};

/* In force from 100 to 200. */
static struct fault fault_between(void)
{
    return (struct fault){.from_ns = 100, .until_ns = 200};
}

/* Of periods of 10 the first 3. */
static struct fault flapping(void)
{
    struct fault fault = fault_between();

    fault.period_ns = 10;
    fault.on_ppm = 300000;
    return fault;
}

static void every_kind_and_error_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < FAULT_KIND_COUNT; i++) {
        assert_non_null(fault_kind_names[i]);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(fault_kind_names[i], fault_kind_names[k]);
        }
    }
    for (size_t i = 0; i <= FAULT_ERROR_CONNECTIONS; i++) {
        assert_non_null(fault_error_names[i]);
    }
}

static void a_set_without_members_holds_all_below_its_count(void **state)
{
    (void)state;
    const struct fault_set all = {.count = 3};

    assert_true(fault_set_holds(&all, 0));
    assert_true(fault_set_holds(&all, 2));
    assert_false(fault_set_holds(&all, 3));
    assert_false(fault_set_holds(&(struct fault_set){0}, 0));
}

static void a_set_holds_its_members_alone(void **state)
{
    (void)state;
    uint8_t member[] = {0, 1, 0};
    const struct fault_set set = {.count = 3, .member = member};

    assert_false(fault_set_holds(&set, 0));
    assert_true(fault_set_holds(&set, 1));
    assert_false(fault_set_holds(&set, 2));
    assert_false(fault_set_holds(&set, 3));
}

static void a_fault_is_in_force_from_its_begin_until_before_its_end(void **state)
{
    (void)state;
    const struct fault fault = fault_between();

    assert_false(fault_is_active(&fault, 0));
    assert_false(fault_is_active(&fault, 99));
    assert_true(fault_is_active(&fault, 100));
    assert_true(fault_is_active(&fault, 199));
    assert_false(fault_is_active(&fault, 200));
    assert_false(fault_is_active(&fault, UINT64_MAX));
}

static void a_fault_without_end_never_ends(void **state)
{
    (void)state;
    const struct fault fault = {.from_ns = 5, .until_ns = UINT64_MAX};

    assert_true(fault_is_active(&fault, UINT64_MAX - 1));
}

static void a_flapping_fault_is_on_in_the_first_part_of_each_period(void **state)
{
    (void)state;
    const struct fault fault = flapping();

    for (uint64_t time_ns = 90; time_ns < 210; time_ns++) {
        const bool is_on = time_ns >= 100 && time_ns < 200 && time_ns % 10 < 3;
        assert_int_equal(fault_is_active(&fault, time_ns), is_on);
    }
}

static void a_period_that_is_on_all_the_time_or_none_of_it_does_not_flap(void **state)
{
    (void)state;
    struct fault fault = flapping();

    fault.on_ppm = PPM;
    assert_true(fault_is_active(&fault, 109));
    fault.on_ppm = 0; /* a kind with a period of another meaning */
    assert_true(fault_is_active(&fault, 109));
}

/* A part of long periods is exact where the product would not fit. */
static void a_period_of_days_has_an_exact_part(void **state)
{
    (void)state;
    struct fault fault = {
        .until_ns = UINT64_MAX, .period_ns = UINT64_C(86400000000001) * 1000, .on_ppm = 333333};
    /* 86400000000001000 * 333333 / 10^6 */
    const uint64_t on_ns = UINT64_C(28799971200000333);

    assert_true(fault_is_active(&fault, on_ns - 1));
    assert_false(fault_is_active(&fault, on_ns));
    assert_false(fault_is_active(&fault, fault.period_ns - 1));
    assert_true(fault_is_active(&fault, fault.period_ns));
}

static void changes_come_one_after_the_other(void **state)
{
    (void)state;
    struct fault faults[] = {fault_between(), {.from_ns = 150, .until_ns = UINT64_MAX}};
    const struct fault_list list = {.faults = faults, .count = 2};

    assert_int_equal(fault_next_change_ns(&list, 0), 100);
    assert_int_equal(fault_next_change_ns(&list, 99), 100);
    assert_int_equal(fault_next_change_ns(&list, 100), 150);
    assert_int_equal(fault_next_change_ns(&list, 150), 200);
    assert_int_equal(fault_next_change_ns(&list, 200), UINT64_MAX);
    assert_int_equal(fault_next_change_ns(&(struct fault_list){0}, 0), UINT64_MAX);
}

/* Wherever one stands, the next change is the first later instant at which it differs. */
static void changes_of_a_flapping_fault_are_where_it_turns(void **state)
{
    (void)state;
    struct fault fault = flapping();

    for (fault.until_ns = 101; fault.until_ns < 130; fault.until_ns++) {
        const struct fault_list list = {.faults = &fault, .count = 1};
        for (uint64_t time_ns = 95; time_ns < fault.until_ns; time_ns++) {
            uint64_t next_ns = time_ns + 1;
            while (next_ns < fault.until_ns &&
                   fault_is_active(&fault, next_ns) == fault_is_active(&fault, next_ns - 1)) {
                next_ns++;
            }
            assert_int_equal(fault_next_change_ns(&list, time_ns), next_ns);
        }
    }
}

/* An eviction again and again must be visited at each. */
static void a_fault_that_recurs_changes_each_period(void **state)
{
    (void)state;
    struct fault fault = fault_between();
    const struct fault_list list = {.faults = &fault, .count = 1};

    fault.kind = FAULT_STORE_EVICT;
    fault.period_ns = 40;
    assert_int_equal(fault_next_change_ns(&list, 99), 100);
    assert_int_equal(fault_next_change_ns(&list, 100), 140);
    assert_int_equal(fault_next_change_ns(&list, 179), 180);
    assert_int_equal(fault_next_change_ns(&list, 180), 200);
    assert_int_equal(fault_next_change_ns(&list, 200), UINT64_MAX);
}

static void the_last_end_is_that_of_the_last_fault_that_ends_within_the_run(void **state)
{
    (void)state;
    struct fault faults[] = {{.from_ns = 1, .until_ns = 50},
                             {.from_ns = 2, .until_ns = 70},
                             {.from_ns = 3, .until_ns = 60},
                             {.from_ns = 4, .until_ns = 100},
                             {.from_ns = 5, .until_ns = UINT64_MAX}};
    const struct fault_list list = {.faults = faults, .count = 5};

    assert_int_equal(fault_last_end_ns(&list, 100), 70);
    assert_int_equal(fault_last_end_ns(&list, 101), 100);
    assert_int_equal(fault_last_end_ns(&list, 50), 0);
    assert_int_equal(fault_last_end_ns(&(struct fault_list){0}, 100), 0);
}

static void lots_are_the_same_for_the_same_thing_and_differ_between_faults(void **state)
{
    (void)state;
    const struct fault one = {.seed = 1};
    const struct fault other = {.seed = 2};
    int same_count = 0;

    for (uint64_t number = 0; number < 1000; number++) {
        const uint64_t lot = fault_lot(&one, number, 1000);
        assert_in_range(lot, 0, 999);
        assert_int_equal(lot, fault_lot(&one, number, 1000));
        same_count += lot == fault_lot(&other, number, 1000);
    }
    assert_in_range(same_count, 0, 10);
    assert_int_equal(fault_lot(&one, 7, 1), 0);
}

/* 100,000 lots in 10 classes: each within 5 standard deviations of 10,000 (of 95). */
static void lots_are_even(void **state)
{
    (void)state;
    const struct fault fault = {.seed = 20119};
    int count[10] = {0};

    for (uint64_t number = 0; number < 100000; number++) {
        count[fault_lot(&fault, number, 10)]++;
    }
    for (size_t i = 0; i < 10; i++) {
        assert_in_range(count[i], 9525, 10475);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_and_error_has_a_name_of_its_own),
        cmocka_unit_test(a_set_without_members_holds_all_below_its_count),
        cmocka_unit_test(a_set_holds_its_members_alone),
        cmocka_unit_test(a_fault_is_in_force_from_its_begin_until_before_its_end),
        cmocka_unit_test(a_fault_without_end_never_ends),
        cmocka_unit_test(a_flapping_fault_is_on_in_the_first_part_of_each_period),
        cmocka_unit_test(a_period_that_is_on_all_the_time_or_none_of_it_does_not_flap),
        cmocka_unit_test(a_period_of_days_has_an_exact_part),
        cmocka_unit_test(changes_come_one_after_the_other),
        cmocka_unit_test(changes_of_a_flapping_fault_are_where_it_turns),
        cmocka_unit_test(a_fault_that_recurs_changes_each_period),
        cmocka_unit_test(the_last_end_is_that_of_the_last_fault_that_ends_within_the_run),
        cmocka_unit_test(lots_are_the_same_for_the_same_thing_and_differ_between_faults),
        cmocka_unit_test(lots_are_even),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
