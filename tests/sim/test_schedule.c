/* Patterns of traffic: exact times where they are fixed, rates where they are random. */
#include "unit.h"

#include <math.h>

#include "schedule.h"

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

/* Options that a test changes before it starts its schedule. */
static struct sim_schedule_options options_for(const struct sim_traffic_spec *spec)
{
    return (struct sim_schedule_options){
        .spec = spec,
        .seed = 1,
        .duration_ns = 10 * SECOND_NS,
        .window_ns = SECOND_NS,
        .gap_ns = 1000.0,
        .key_count = 1,
    };
}

static uint64_t count_rest(struct sim_schedule *schedule)
{
    struct sim_arrival arrival;
    uint64_t count = 0;

    while (schedule->next_ns != UINT64_MAX) {
        sim_schedule_take(schedule, &arrival);
        count++;
    }
    return count;
}

static void assert_near(uint64_t count, double mean)
{
    assert_true(fabs((double)count - mean) <= 4.0 * sqrt(mean));
}

static void poisson_has_its_rate_whatever_the_gap(void **state)
{
    (void)state;
    static const double GAPS_NS[] = {0.3, 1.5, 77.7, 1000.0, 123456.7};
    const struct sim_traffic_spec spec = {.from_ns = 123, .until_ns = UINT64_MAX};
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;

    for (size_t i = 0; i < sizeof GAPS_NS / sizeof GAPS_NS[0]; i++) {
        options.gap_ns = GAPS_NS[i];
        options.duration_ns = (uint64_t)(GAPS_NS[i] * 1e6) + 123;
        sim_schedule_init(&schedule, &options);
        assert_near(count_rest(&schedule), 1e6);
    }
}

/* Counts in intervals of one mean gap: e^-1 of them are empty, and as many hold exactly one. */
static void poisson_gaps_are_exponential(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {.until_ns = UINT64_MAX};
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    struct sim_arrival arrival;
    uint64_t counts[3] = {0};
    uint64_t interval_count = 1000000;

    options.duration_ns = UINT64_MAX >> 1;
    sim_schedule_init(&schedule, &options);
    for (uint64_t i = 0; i < interval_count; i++) {
        size_t count = 0;

        while (schedule.next_ns < (i + 1) * 1000) {
            sim_schedule_take(&schedule, &arrival);
            count++;
        }
        counts[count < 2 ? count : 2]++;
    }
    assert_near(counts[0], exp(-1.0) * 1e6);
    assert_near(counts[1], exp(-1.0) * 1e6);
}

static void times_stay_within_from_until_and_duration(void **state)
{
    (void)state;
    static const enum sim_pattern PATTERNS[] = {SIM_PATTERN_POISSON, SIM_PATTERN_CONSTANT,
                                                SIM_PATTERN_ON_OFF};

    for (size_t i = 0; i < 6; i++) {
        struct sim_traffic_spec spec = {.pattern = PATTERNS[i % 3], .from_ns = 5 * MS_NS};
        struct sim_schedule_options options = options_for(&spec);
        struct sim_schedule schedule;
        struct sim_arrival arrival = {0};

        spec.period_ns = MS_NS;
        spec.on_ppm = 500000;
        spec.until_ns = i < 3 ? 6 * MS_NS : 60 * MS_NS;
        options.duration_ns = i < 3 ? 60 * MS_NS : 6 * MS_NS;
        sim_schedule_init(&schedule, &options);
        assert_in_range(schedule.next_ns, 5 * MS_NS, 5 * MS_NS + 20000);
        while (schedule.next_ns != UINT64_MAX) {
            sim_schedule_take(&schedule, &arrival);
        }
        assert_in_range(arrival.time_ns, 6 * MS_NS - 520000, 6 * MS_NS - 1);
    }
}

static void constant_is_evenly_spaced_to_the_nanosecond(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {.pattern = SIM_PATTERN_CONSTANT, .until_ns = UINT64_MAX};
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    struct sim_arrival arrival;
    uint64_t first_ns;

    options.gap_ns = 333.375; /* exact in binary: 8 gaps are 2,667 ns */
    sim_schedule_init(&schedule, &options);
    first_ns = schedule.next_ns;
    assert_in_range(first_ns, 0, 333);
    for (uint64_t i = 0; i < 1000000; i++) {
        sim_schedule_take(&schedule, &arrival);
        assert_in_range(arrival.time_ns, first_ns + i * 2667 / 8, first_ns + i * 2667 / 8 + 1);
        assert_true(arrival.key == SIM_SCHEDULE_ANY_KEY);
    }
}

static void constant_phase_depends_on_the_seed(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {.pattern = SIM_PATTERN_CONSTANT, .until_ns = UINT64_MAX};
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    uint64_t sum_ns = 0;

    for (options.seed = 0; options.seed < 1000; options.seed++) {
        sim_schedule_init(&schedule, &options);
        assert_true(schedule.next_ns < 1000);
        sum_ns += schedule.next_ns;
    }
    assert_in_range(sum_ns, 463000, 537000); /* 4 sigma */
}

static void constant_keys_take_turns(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {.pattern = SIM_PATTERN_CONSTANT, .until_ns = UINT64_MAX};
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    struct sim_arrival arrival;
    uint32_t first_key;

    options.key_count = 7;
    options.keys_take_turns = true;
    sim_schedule_init(&schedule, &options);
    first_key = schedule.key;
    for (uint32_t i = 0; i < 1000; i++) {
        sim_schedule_take(&schedule, &arrival);
        assert_int_equal(arrival.key, (first_key + i) % 7);
    }
}

static void on_off_keeps_to_its_part_of_each_period(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {
        .pattern = SIM_PATTERN_ON_OFF,
        .from_ns = 3 * MS_NS + 100000, /* in the middle of an on part */
        .until_ns = UINT64_MAX,
        .period_ns = MS_NS,
        .on_ppm = 200000,
    };
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    struct sim_arrival arrival;
    uint64_t count = 0;

    options.duration_ns = 1003 * MS_NS;
    sim_schedule_init(&schedule, &options);
    while (schedule.next_ns != UINT64_MAX) {
        sim_schedule_take(&schedule, &arrival);
        assert_true(arrival.time_ns >= spec.from_ns);
        assert_true(arrival.time_ns % MS_NS < 200000);
        count++;
    }
    /* 999.5 on parts of 200 us, at 5 times the mean rate of one in 1,000 ns */
    assert_near(count, 999500.0);
}

static void on_off_without_off_is_poisson_and_without_on_nothing(void **state)
{
    (void)state;
    struct sim_traffic_spec spec = {
        .pattern = SIM_PATTERN_ON_OFF,
        .until_ns = UINT64_MAX,
        .period_ns = MS_NS,
        .on_ppm = 1000000,
    };
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;

    options.duration_ns = SECOND_NS;
    sim_schedule_init(&schedule, &options);
    assert_near(count_rest(&schedule), 1e6);
    spec.on_ppm = 0;
    sim_schedule_init(&schedule, &options);
    assert_true(schedule.next_ns == UINT64_MAX);
}

static void burst_spreads_each_keys_requests_evenly(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {
        .pattern = SIM_PATTERN_BURST,
        .from_ns = 77,
        .until_ns = UINT64_MAX,
        .request_count = 11,
        .spread_ns = 1000,
    };
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    struct sim_arrival arrival;

    options.key_count = 3;
    sim_schedule_init(&schedule, &options);
    for (uint64_t i = 0; i < 33; i++) {
        sim_schedule_take(&schedule, &arrival);
        assert_int_equal(arrival.time_ns, 77 + i * 1000 / 33);
        assert_int_equal(arrival.key, i % 3);
        assert_int_equal(arrival.cost_units, 1);
    }
    assert_true(schedule.next_ns == UINT64_MAX);
}

static void burst_without_spread_is_one_instant(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {
        .pattern = SIM_PATTERN_BURST, .from_ns = 5, .until_ns = 6, .request_count = 1000};
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;

    options.key_count = 4;
    sim_schedule_init(&schedule, &options);
    assert_int_equal(schedule.next_ns, 5);
    assert_int_equal(count_rest(&schedule), 4000);
}

struct herd_case {
    const char *name;
    uint64_t from_ns;
    uint64_t until_ns;
    uint64_t first_ns;
    uint64_t count;
};

static void herd_comes_at_each_multiple_of_the_window(void **state)
{
    (void)state;
    /* 6 requests, 10 ns apart; windows of one second; a run of 10 s */
    static const struct herd_case CASES[] = {
        {"from a multiple on, including it", 0, UINT64_MAX, 0, 60},
        {"from another multiple on", 3 * SECOND_NS, UINT64_MAX, 3 * SECOND_NS, 42},
        {"from just after a multiple", 3 * SECOND_NS + 1, UINT64_MAX, 4 * SECOND_NS, 36},
        {"until a multiple, without it", 0, 2 * SECOND_NS, 0, 12},
        {"until the middle of a herd", 0, 2 * SECOND_NS + 21, 0, 15},
        {"no multiple in between", 1, SECOND_NS, UINT64_MAX, 0},
        {"after the run", 11 * SECOND_NS, UINT64_MAX, UINT64_MAX, 0},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct sim_traffic_spec spec = {
            .pattern = SIM_PATTERN_HERD,
            .from_ns = CASES[i].from_ns,
            .until_ns = CASES[i].until_ns,
            .request_count = 3,
            .spread_ns = 60,
        };
        struct sim_schedule_options options = options_for(&spec);
        struct sim_schedule schedule;

        options.key_count = 2;
        sim_schedule_init(&schedule, &options);
        print_message("%s\n", CASES[i].name);
        assert_true(schedule.next_ns == CASES[i].first_ns);
        assert_int_equal(count_rest(&schedule), CASES[i].count);
    }
}

static void herds_are_all_alike(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {
        .pattern = SIM_PATTERN_HERD,
        .until_ns = UINT64_MAX,
        .request_count = 7,
        .spread_ns = SECOND_NS, /* the longest there may be: herds follow without a pause */
    };
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    struct sim_arrival arrival;

    options.key_count = 3;
    sim_schedule_init(&schedule, &options);
    for (uint64_t i = 0; i < 210; i++) {
        sim_schedule_take(&schedule, &arrival);
        assert_int_equal(arrival.time_ns, i / 21 * SECOND_NS + i % 21 * SECOND_NS / 21);
        assert_int_equal(arrival.key, i % 3);
    }
    assert_true(schedule.next_ns == UINT64_MAX);
}

static void trace_rows_come_as_given(void **state)
{
    (void)state;
    struct sim_trace_row rows[] = {{0, 2, 500}, {10, 0, 1}, {10, 1, 0}, {30, 0, 7}};
    const struct sim_traffic_spec spec = {.pattern = SIM_PATTERN_TRACE,
                                          .from_ns = 100,
                                          .until_ns = 130,
                                          .rows = rows,
                                          .row_count = 4};
    struct sim_schedule_options options = options_for(&spec);
    struct sim_schedule schedule;
    struct sim_arrival arrival;

    options.key_count = 3;
    sim_schedule_init(&schedule, &options);
    for (size_t i = 0; i < 3; i++) {
        sim_schedule_take(&schedule, &arrival);
        assert_int_equal(arrival.time_ns, 100 + rows[i].time_ns);
        assert_int_equal(arrival.key, rows[i].key);
        assert_int_equal(arrival.cost_units, rows[i].cost_units);
        assert_true(arrival.endpoint == UINT32_MAX);
    }
    assert_true(schedule.next_ns == UINT64_MAX); /* the last row is at until_ns */
}

static void nothing_comes_where_there_is_no_demand(void **state)
{
    (void)state;
    static const enum sim_pattern PATTERNS[] = {
        SIM_PATTERN_POISSON, SIM_PATTERN_CONSTANT, SIM_PATTERN_ON_OFF,
        SIM_PATTERN_BURST,   SIM_PATTERN_HERD,     SIM_PATTERN_TRACE,
    };

    for (size_t i = 0; i < sizeof PATTERNS / sizeof PATTERNS[0]; i++) {
        const struct sim_traffic_spec spec = {
            .pattern = PATTERNS[i], .until_ns = UINT64_MAX, .period_ns = 10, .on_ppm = 500000};
        struct sim_schedule_options options = options_for(&spec);
        struct sim_schedule schedule;

        options.gap_ns = HUGE_VAL;
        sim_schedule_init(&schedule, &options);
        assert_true(schedule.next_ns == UINT64_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_has_its_rate_whatever_the_gap),
        cmocka_unit_test(poisson_gaps_are_exponential),
        cmocka_unit_test(times_stay_within_from_until_and_duration),
        cmocka_unit_test(constant_is_evenly_spaced_to_the_nanosecond),
        cmocka_unit_test(constant_phase_depends_on_the_seed),
        cmocka_unit_test(constant_keys_take_turns),
        cmocka_unit_test(on_off_keeps_to_its_part_of_each_period),
        cmocka_unit_test(on_off_without_off_is_poisson_and_without_on_nothing),
        cmocka_unit_test(burst_spreads_each_keys_requests_evenly),
        cmocka_unit_test(burst_without_spread_is_one_instant),
        cmocka_unit_test(herd_comes_at_each_multiple_of_the_window),
        cmocka_unit_test(herds_are_all_alike),
        cmocka_unit_test(trace_rows_come_as_given),
        cmocka_unit_test(nothing_comes_where_there_is_no_demand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
