/* The oracle against tables of exact integers. Against brute force: test_oracle_brute.c. */
#include "unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "oracle.h"
#include "oracle_rules.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define DAY_NS (86400 * SECOND_NS)

struct step {
    const char *name;
    uint64_t now_ns;
    uint64_t cost_units;
    bool admitted;
    uint64_t remaining_units; /* after the request */
};

static void steps_check(struct sim_oracle *oracle, const struct step *steps, size_t step_count)
{
    for (size_t i = 0; i < step_count; i++) {
        bool admitted = sim_oracle_admit(oracle, steps[i].now_ns, steps[i].cost_units);
        uint64_t remaining_units = sim_oracle_remaining_units(oracle, steps[i].now_ns);

        if (admitted != steps[i].admitted || remaining_units != steps[i].remaining_units) {
            print_error("step %zu: %s\n", i, steps[i].name);
        }
        assert_int_equal(admitted, steps[i].admitted);
        assert_int_equal(remaining_units, steps[i].remaining_units);
    }
}

#define STEPS_CHECK(oracle, steps) steps_check(oracle, steps, sizeof(steps) / sizeof((steps)[0]))

static void bucket_refills_to_the_nanosecond(void **state)
{
    (void)state;
    static const struct step STEPS[] = {
        {"starts with its fill", 0, 4, false, 3},
        {"spends it", 0, 3, true, 0},
        {"one ns before the first unit", 333333333, 1, false, 0},
        {"at the first whole ns after it", 333333334, 1, true, 0},
        {"the fraction was kept", 666666666, 1, false, 0},
        {"second unit, not delayed by rounding", 666666667, 1, true, 0},
        {"third unit exactly at the second", SECOND_NS, 1, true, 0},
        {"saturates at the capacity", 3 * SECOND_NS, 6, false, 5},
        {"spends the whole capacity", 3 * SECOND_NS, 5, true, 0},
    };
    struct sim_oracle oracle;

    start_bucket(&oracle, 3, SECOND_NS, 5, 3);
    STEPS_CHECK(&oracle, STEPS);
}

static void costs_at_the_edges_are_decided_exactly(void **state)
{
    (void)state;
    static const struct step STEPS[] = {
        {"cost 0 is admitted by a full bucket", 0, 0, true, 10},
        {"cost above the capacity is never admitted", 0, 11, false, 10},
        {"nor is the largest cost", 1, UINT64_MAX, false, 10},
        {"cost equal to the capacity is", 1, 10, true, 0},
        {"cost 0 is admitted by an empty bucket", 1, 0, true, 0},
        {"cost above the capacity, much later", DAY_NS, 11, false, 10},
    };
    struct sim_oracle oracle;

    start_bucket(&oracle, 1, SECOND_NS, 10, 10);
    STEPS_CHECK(&oracle, STEPS);
}

static void rate_zero_never_refills(void **state)
{
    (void)state;
    static const struct step STEPS[] = {
        {"spends part of its fill", 5, 3, true, 4},
        {"nothing came back", UINT64_MAX, 5, false, 4},
        {"the rest is still there", UINT64_MAX, 4, true, 0},
        {"cost 0 passes", UINT64_MAX, 0, true, 0},
    };
    struct sim_oracle oracle;

    start_bucket(&oracle, 0, SECOND_NS, 10, 7);
    STEPS_CHECK(&oracle, STEPS);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, UINT64_MAX), UINT64_MAX);
}

static void capacity_zero_admits_only_cost_zero(void **state)
{
    (void)state;
    static const struct step STEPS[] = {
        {"cost 0", 0, 0, true, 0},
        {"cost 1", MINUTE_NS, 1, false, 0},
    };
    struct sim_oracle oracle;

    start_bucket(&oracle, 100, SECOND_NS, 0, 0);
    STEPS_CHECK(&oracle, STEPS);
}

static void longest_gaps_and_largest_plans_do_not_overflow(void **state)
{
    (void)state;
    const uint64_t largest_units = UINT64_C(1) << 53;
    static const struct step STEPS[] = {
        {"spends 2^53 units", 0, UINT64_C(1) << 53, true, 0},
        {"half a day gives half", DAY_NS / 2, 0, true, UINT64_C(1) << 52},
        {"the longest gap fills it", UINT64_MAX, 0, true, UINT64_C(1) << 53},
    };
    struct sim_oracle oracle;

    start_bucket(&oracle, largest_units, DAY_NS, largest_units, largest_units);
    STEPS_CHECK(&oracle, STEPS);

    start_bucket(&oracle, UINT64_MAX, 1, UINT64_MAX, 0);
    assert_int_equal(sim_oracle_remaining_units(&oracle, UINT64_MAX), UINT64_MAX);
}

static void slow_daily_rate_loses_nothing_to_polling(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    start_bucket(&oracle, 7, DAY_NS, 1000, 0);
    for (uint64_t now_ns = 0; now_ns < DAY_NS; now_ns += 999999937) {
        assert_true(sim_oracle_remaining_units(&oracle, now_ns) < 7);
    }
    assert_int_equal(sim_oracle_remaining_units(&oracle, DAY_NS - 1), 6);
    assert_int_equal(sim_oracle_remaining_units(&oracle, DAY_NS), 7);
}

static void last_full_is_when_the_bucket_was_full(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    start_bucket(&oracle, 1, SECOND_NS, 10, 9);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, SECOND_NS - 1), UINT64_MAX);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, SECOND_NS + 5), SECOND_NS + 5);
    assert_true(sim_oracle_admit(&oracle, SECOND_NS + 7, 2));
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 2 * SECOND_NS), SECOND_NS + 7);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 3 * SECOND_NS + 7), 3 * SECOND_NS + 7);

    start_bucket(&oracle, 1, SECOND_NS, 10, 10);
    assert_true(sim_oracle_admit(&oracle, 0, 10));
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 5), 0);
}

static void window_boundaries_follow_the_phase(void **state)
{
    (void)state;
    /* phase 20 s: windows start at -20 s, 40 s, 100 s ... */
    static const struct step STEPS[] = {
        {"4 of 10 were used before", 0, 7, false, 6},
        {"the rest of window 0", 0, 6, true, 0},
        {"last ns of window 0", 40 * SECOND_NS - 1, 1, false, 0},
        {"first ns of window 1", 40 * SECOND_NS, 10, true, 0},
        {"cost 0 in a spent window", 41 * SECOND_NS, 0, true, 0},
        {"last ns of window 1", 100 * SECOND_NS - 1, 1, false, 0},
        {"first ns of window 2, above the limit", 100 * SECOND_NS, 11, false, 10},
        {"part of window 2", 100 * SECOND_NS, 3, true, 7},
        {"three windows later nothing piled up", 290 * SECOND_NS, 11, false, 10},
        {"the last window there is", UINT64_MAX, UINT64_MAX, false, 10},
    };
    struct sim_oracle oracle;

    start_window(&oracle, 10, MINUTE_NS, 20 * SECOND_NS, 4);
    STEPS_CHECK(&oracle, STEPS);
}

static void window_without_phase_starts_at_time_zero(void **state)
{
    (void)state;
    static const struct step STEPS[] = {
        {"all of window 0", 0, 10, true, 0},
        {"last ns of window 0", MINUTE_NS - 1, 1, false, 0},
        {"first ns of window 1", MINUTE_NS, 1, true, 9},
    };
    struct sim_oracle oracle;

    start_window(&oracle, 10, MINUTE_NS, 0, 0);
    STEPS_CHECK(&oracle, STEPS);
}

static void window_start_is_its_last_full_instant(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    start_window(&oracle, 10, MINUTE_NS, 20 * SECOND_NS, 0);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 40 * SECOND_NS - 1), 0);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 40 * SECOND_NS), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 99 * SECOND_NS), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 100 * SECOND_NS), 100 * SECOND_NS);
}

static void sliding_counts_the_window_before_by_the_part_still_covered(void **state)
{
    (void)state;
    /* phase 20 s: windows start at -20 s, 40 s, 100 s ...; 1 of 10 was used before */
    static const struct step STEPS[] = {
        {"9 are left, and admitted late", 39 * SECOND_NS, 9, true, 0},
        {"the next window begins with all of them", 40 * SECOND_NS, 1, false, 0},
        {"1 ns before a tenth of it is over", 46 * SECOND_NS - 1, 1, false, 0},
        {"a tenth is over", 46 * SECOND_NS, 1, true, 0},
        {"half is over: 5 and 1 count", 70 * SECOND_NS, 4, true, 0},
        {"at its end 5 of it count, all of them", 100 * SECOND_NS, 6, false, 5},
        {"and one less with each fifth", 112 * SECOND_NS, 6, true, 0},
        {"two windows on nothing counts", 220 * SECOND_NS, 10, true, 0},
        {"the last instant there is", UINT64_MAX, 11, false, 10},
    };
    const struct sim_oracle_rule rule =
        rule_of_windows(SIM_ORACLE_SLIDING, 10, MINUTE_NS, 20 * SECOND_NS);
    struct sim_oracle oracle;

    sim_oracle_init(&oracle, &rule, 1);
    STEPS_CHECK(&oracle, STEPS);
}

static void at_the_end_of_a_window_only_its_own_units_count(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct sim_oracle_rule rule = rule_of_windows(
            i == 0 ? SIM_ORACLE_SLIDING : SIM_ORACLE_LOG, 10, MINUTE_NS, 20 * SECOND_NS);
        struct sim_oracle oracle;

        sim_oracle_init(&oracle, &rule, 1);
        assert_int_equal(sim_oracle_remaining_at_end_units(&oracle, SECOND_NS), 9);
        assert_true(sim_oracle_admit(&oracle, 40 * SECOND_NS - 1, 6));
        assert_int_equal(sim_oracle_remaining_at_end_units(&oracle, 40 * SECOND_NS - 1), 3);
        assert_true(sim_oracle_admit(&oracle, 40 * SECOND_NS, 2));
        assert_int_equal(sim_oracle_remaining_units(&oracle, 40 * SECOND_NS), 1);
        assert_int_equal(sim_oracle_remaining_at_end_units(&oracle, 40 * SECOND_NS), 8);
        sim_oracle_deinit(&oracle);
    }
}

static void log_forgets_each_unit_a_window_after_it_was_admitted(void **state)
{
    (void)state;
    static const struct step STEPS[] = {
        {"3 of 10 were used before", 0, 8, false, 7},
        {"half of the rest", 20 * SECOND_NS, 4, true, 3},
        {"the other half", 30 * SECOND_NS, 3, true, 0},
        {"cost 0", 30 * SECOND_NS, 0, true, 0},
        {"what was used before counts until 60 s", MINUTE_NS - 1, 1, false, 0},
        {"and no longer", MINUTE_NS, 3, true, 0},
        {"4 come back at 80 s", 80 * SECOND_NS - 1, 1, false, 0},
        {"all of them", 80 * SECOND_NS, 4, true, 0},
        {"the last of it 60 s later", 140 * SECOND_NS - 1, 10, false, 6},
        {"to the nanosecond", 140 * SECOND_NS, 10, true, 0},
        {"the last instant there is", UINT64_MAX, UINT64_MAX, false, 10},
    };
    const struct sim_oracle_rule rule = rule_of_windows(SIM_ORACLE_LOG, 10, MINUTE_NS, 0);
    struct sim_oracle oracle;

    sim_oracle_init(&oracle, &rule, 3);
    STEPS_CHECK(&oracle, STEPS);
    sim_oracle_deinit(&oracle);
}

static void sliding_and_log_are_full_when_nothing_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct sim_oracle_rule rule =
            rule_of_windows(i == 0 ? SIM_ORACLE_SLIDING : SIM_ORACLE_LOG, 10, MINUTE_NS, 0);
        struct sim_oracle oracle;

        sim_oracle_init(&oracle, &rule, 1);
        assert_int_equal(sim_oracle_last_full_ns(&oracle, MINUTE_NS - 1), UINT64_MAX);
        assert_int_equal(sim_oracle_last_full_ns(&oracle, 2 * MINUTE_NS + 7), 2 * MINUTE_NS + 7);
        assert_true(sim_oracle_admit(&oracle, 2 * MINUTE_NS + 9, 2));
        assert_int_equal(sim_oracle_last_full_ns(&oracle, 3 * MINUTE_NS), 2 * MINUTE_NS + 9);
        sim_oracle_deinit(&oracle);
    }
}

static void unlimited_admits_everything_and_deleted_nothing(void **state)
{
    (void)state;
    static const struct step UNLIMITED[] = {
        {"a large cost", 0, UINT64_MAX, true, UINT64_MAX},
        {"and again", 0, UINT64_MAX, true, UINT64_MAX},
        {"cost 0", 5, 0, true, UINT64_MAX},
    };
    static const struct step DELETED[] = {
        {"one unit", 0, 1, false, 0},
        {"cost 0 too", DAY_NS, 0, false, 0},
    };
    const struct sim_oracle_rule unlimited = rule_without_numbers(SIM_ORACLE_UNLIMITED);
    const struct sim_oracle_rule deleted = rule_without_numbers(SIM_ORACLE_DELETED);
    struct sim_oracle oracle;

    sim_oracle_init(&oracle, &unlimited, 0);
    STEPS_CHECK(&oracle, UNLIMITED);
    sim_oracle_init(&oracle, &deleted, 0);
    STEPS_CHECK(&oracle, DELETED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bucket_refills_to_the_nanosecond),
        cmocka_unit_test(costs_at_the_edges_are_decided_exactly),
        cmocka_unit_test(rate_zero_never_refills),
        cmocka_unit_test(capacity_zero_admits_only_cost_zero),
        cmocka_unit_test(longest_gaps_and_largest_plans_do_not_overflow),
        cmocka_unit_test(slow_daily_rate_loses_nothing_to_polling),
        cmocka_unit_test(last_full_is_when_the_bucket_was_full),
        cmocka_unit_test(window_boundaries_follow_the_phase),
        cmocka_unit_test(window_without_phase_starts_at_time_zero),
        cmocka_unit_test(window_start_is_its_last_full_instant),
        cmocka_unit_test(sliding_counts_the_window_before_by_the_part_still_covered),
        cmocka_unit_test(at_the_end_of_a_window_only_its_own_units_count),
        cmocka_unit_test(log_forgets_each_unit_a_window_after_it_was_admitted),
        cmocka_unit_test(sliding_and_log_are_full_when_nothing_counts),
        cmocka_unit_test(unlimited_admits_everything_and_deleted_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
