/* The oracle against tables of exact integers, and against brute force over all intervals. */
#include "unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "oracle.h"
#include "prng.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define DAY_NS (86400 * SECOND_NS)
#define CASE_COUNT 1000
#define ARRIVAL_COUNT_MAX 40

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

    sim_oracle_init_bucket(&oracle, 3, SECOND_NS, 5, 3);
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

    sim_oracle_init_bucket(&oracle, 1, SECOND_NS, 10, 10);
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

    sim_oracle_init_bucket(&oracle, 0, SECOND_NS, 10, 7);
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

    sim_oracle_init_bucket(&oracle, 100, SECOND_NS, 0, 0);
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

    sim_oracle_init_bucket(&oracle, largest_units, DAY_NS, largest_units, largest_units);
    STEPS_CHECK(&oracle, STEPS);

    sim_oracle_init_bucket(&oracle, UINT64_MAX, 1, UINT64_MAX, 0);
    assert_int_equal(sim_oracle_remaining_units(&oracle, UINT64_MAX), UINT64_MAX);
}

static void slow_daily_rate_loses_nothing_to_polling(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    sim_oracle_init_bucket(&oracle, 7, DAY_NS, 1000, 0);
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

    sim_oracle_init_bucket(&oracle, 1, SECOND_NS, 10, 9);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, SECOND_NS - 1), UINT64_MAX);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, SECOND_NS + 5), SECOND_NS + 5);
    assert_true(sim_oracle_admit(&oracle, SECOND_NS + 7, 2));
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 2 * SECOND_NS), SECOND_NS + 7);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 3 * SECOND_NS + 7), 3 * SECOND_NS + 7);

    sim_oracle_init_bucket(&oracle, 1, SECOND_NS, 10, 10);
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

    sim_oracle_init_window(&oracle, 10, MINUTE_NS, 20 * SECOND_NS, 4);
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

    sim_oracle_init_window(&oracle, 10, MINUTE_NS, 0, 0);
    STEPS_CHECK(&oracle, STEPS);
}

static void window_start_is_its_last_full_instant(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    sim_oracle_init_window(&oracle, 10, MINUTE_NS, 20 * SECOND_NS, 0);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 40 * SECOND_NS - 1), 0);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 40 * SECOND_NS), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 99 * SECOND_NS), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_last_full_ns(&oracle, 100 * SECOND_NS), 100 * SECOND_NS);
}

/* ---- brute force: no bucket level and no window state, only the definition over all intervals */

struct small_case {
    uint64_t rate_units;
    uint64_t period_ns;
    uint64_t capacity_units; /* window: the limit */
    uint64_t fill_units;
    uint64_t window_ns;
    uint64_t phase_ns;
    size_t arrival_count;
    uint64_t time_ns[ARRIVAL_COUNT_MAX];
    uint64_t cost_units[ARRIVAL_COUNT_MAX];
    bool admitted[ARRIVAL_COUNT_MAX];
};

/* Small numbers, so that boundaries are hit often; about a fifth of the gaps are zero. */
static void case_draw(struct small_case *drawn, struct sim_prng *prng)
{
    uint64_t now_ns = sim_prng_below(prng, 20);

    *drawn = (struct small_case){
        .rate_units = sim_prng_below(prng, 8),
        .period_ns = 1 + sim_prng_below(prng, 12),
        .capacity_units = sim_prng_below(prng, 25),
        .window_ns = 1 + sim_prng_below(prng, 30),
        .arrival_count = 5 + sim_prng_below(prng, ARRIVAL_COUNT_MAX - 4),
    };
    drawn->fill_units = sim_prng_below(prng, drawn->capacity_units + 1);
    drawn->phase_ns = sim_prng_below(prng, drawn->window_ns);
    for (size_t i = 0; i < drawn->arrival_count; i++) {
        drawn->time_ns[i] = now_ns;
        drawn->cost_units[i] = sim_prng_below(prng, 9);
        now_ns += sim_prng_below(prng, 5) == 0 ? 0 : sim_prng_below(prng, 10);
    }
}

/* For every interval that ends at arrival `last`, and the one from time 0 with the start fill. */
static bool bucket_is_admissible(const struct small_case *given, size_t last)
{
    uint64_t spent_units = given->cost_units[last];
    uint64_t allowed;

    for (size_t i = last + 1; i-- > 0;) {
        if (i < last && !given->admitted[i]) {
            continue;
        }
        if (i < last) {
            spent_units += given->cost_units[i];
        }
        allowed = given->capacity_units * given->period_ns +
                  given->rate_units * (given->time_ns[last] - given->time_ns[i]);
        if (spent_units * given->period_ns > allowed) {
            return false;
        }
    }
    allowed = given->fill_units * given->period_ns + given->rate_units * given->time_ns[last];
    return spent_units * given->period_ns <= allowed;
}

static bool window_is_admissible(const struct small_case *given, size_t last)
{
    uint64_t index = (given->time_ns[last] + given->phase_ns) / given->window_ns;
    uint64_t used_units = index == 0 ? given->capacity_units - given->fill_units : 0;

    for (size_t i = 0; i < last; i++) {
        if (given->admitted[i] &&
            (given->time_ns[i] + given->phase_ns) / given->window_ns == index) {
            used_units += given->cost_units[i];
        }
    }
    return used_units + given->cost_units[last] <= given->capacity_units ||
           given->cost_units[last] == 0;
}

static size_t case_check(struct sim_oracle *oracle, struct small_case *given, uint64_t case_index,
                         bool (*is_admissible)(const struct small_case *given, size_t last))
{
    size_t refused_count = 0;

    for (size_t i = 0; i < given->arrival_count; i++) {
        given->admitted[i] = is_admissible(given, i);
        refused_count += !given->admitted[i];
        if (sim_oracle_admit(oracle, given->time_ns[i], given->cost_units[i]) !=
            given->admitted[i]) {
            fail_msg("case %u, arrival %zu", (unsigned)case_index, i);
        }
    }
    return refused_count;
}

static void bucket_agrees_with_brute_force_over_all_intervals(void **state)
{
    (void)state;
    struct small_case given;
    struct sim_oracle oracle;
    struct sim_prng prng;
    size_t refused_count = 0;
    size_t arrival_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        sim_prng_init(&prng, 1, "bucket cases", i);
        case_draw(&given, &prng);
        sim_oracle_init_bucket(&oracle, given.rate_units, given.period_ns, given.capacity_units,
                               given.fill_units);
        refused_count += case_check(&oracle, &given, i, bucket_is_admissible);
        arrival_count += given.arrival_count;
    }
    assert_in_range(refused_count, arrival_count / 5, arrival_count * 4 / 5);
}

static void window_agrees_with_brute_force_over_all_windows(void **state)
{
    (void)state;
    struct small_case given;
    struct sim_oracle oracle;
    struct sim_prng prng;
    size_t refused_count = 0;
    size_t arrival_count = 0;

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        sim_prng_init(&prng, 1, "window cases", i);
        case_draw(&given, &prng);
        sim_oracle_init_window(&oracle, given.capacity_units, given.window_ns, given.phase_ns,
                               given.capacity_units - given.fill_units);
        refused_count += case_check(&oracle, &given, i, window_is_admissible);
        arrival_count += given.arrival_count;
    }
    assert_in_range(refused_count, arrival_count / 5, arrival_count * 4 / 5);
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
        cmocka_unit_test(bucket_agrees_with_brute_force_over_all_intervals),
        cmocka_unit_test(window_agrees_with_brute_force_over_all_windows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
