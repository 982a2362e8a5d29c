/* What a scenario file turns into. The files that are refused: test_scenario_bad.c. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario.h"
#include "scenario_suggest.h"
#include "scenario_text.h"
#include "weir/plan.h"

#define FILE_NAME "test_scenario.tmp.json"
#define TRACE_NAME "test_scenario.tmp.csv"

#define MINIMAL                                                                                    \
    "{\"why\": \"w\", \"duration_s\": 60, \"fleet\": {\"processes\": 4},"                          \
    " \"plans\": {\"gold\": {\"rate_per_min\": 600, \"capacity_s\": 1.59}},"                       \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}}, "                                                 \
    "\"traffic\": {\"keys\": \"one\", \"demand_ratio\": 1.5}}"

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void load(struct sim_scenario *scenario, const char *text, const char *const *sets,
                 size_t set_count)
{
    struct sim_error error;

    write_file(FILE_NAME, text);
    if (!sim_scenario_load(scenario, FILE_NAME, sets, set_count, &error)) {
        fail_msg("%s", error.text);
    }
}

static void a_minimal_file_gets_the_defaults(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    load(&scenario, MINIMAL, NULL, 0);

    assert_string_equal(scenario.name, "test_scenario.tmp");
    assert_string_equal(scenario.why, "w");
    assert_int_equal(scenario.seed, 1);
    assert_int_equal(scenario.duration_ns, 60000000000);
    assert_int_equal(scenario.balance.before.kind, SIM_BALANCE_UNIFORM);
    assert_true(scenario.balance.flip_ns == UINT64_MAX);
    assert_int_equal(scenario.shard_count, 1);
    assert_int_equal(scenario.round_trip_ns, 500000);
    assert_int_equal(scenario.jitter_ns, 0);
    assert_int_equal(scenario.service_ns, 10000);
    assert_int_equal(scenario.bandwidth_bytes_per_s, 0);
    assert_int_equal(scenario.coordination, SIM_COORDINATION_LEASE);
    assert_int_equal(scenario.sizer, SIM_SIZER_TAPERED);
    assert_int_equal(scenario.fixed_lease_units, 20);
    assert_int_equal(scenario.table_keys, 0);
    assert_int_equal(scenario.endpoint_count, 0);
    assert_int_equal(scenario.expectation_count, 0);
    sim_scenario_free(&scenario);
}

static void a_minimal_plan_gets_the_defaults(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    load(&scenario, MINIMAL, NULL, 0);

    assert_int_equal(scenario.plan_count, 1);
    assert_string_equal(scenario.plans[0].name, "gold");
    assert_int_equal(scenario.plans[0].algorithm, SIM_ALGORITHM_BUCKET);
    assert_int_equal(scenario.plans[0].rate_units, 600);
    assert_int_equal(scenario.plans[0].rate_period_us, 60000000);
    assert_int_equal(scenario.plans[0].capacity_units, 15); /* 15.9, rounded down */
    assert_int_equal(scenario.plans[0].window_us, 60000000);
    assert_int_equal(scenario.plans[0].start_fill_ppm, 1000000);
    assert_int_equal(scenario.population_count, 1);
    assert_int_equal(scenario.populations[0].key_count, 1);
    assert_int_equal(scenario.populations[0].mix_count, 0);
    assert_true(scenario.populations[0].balance.flip_ns == UINT64_MAX);
    assert_int_equal(scenario.traffic_count, 1);
    assert_int_equal(scenario.traffic[0].pattern, SIM_PATTERN_POISSON);
    assert_int_equal(scenario.traffic[0].demand_ppm, 1500000);
    assert_int_equal(scenario.traffic[0].from_ns, 0);
    assert_int_equal(scenario.traffic[0].until_ns, 60000000000);
    sim_scenario_free(&scenario);
}

static void machines_are_read_to_the_nanosecond(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "name=skew 1.1",
        "seed=9223372036854775807",
        "fleet.clock={\"offset_max_ms\": 0.000001, \"drift_max_ppm\": 200.5}",
        "store={\"shards\": 3, \"round_trip_us\": 499.999, \"jitter_us\": 0.1}",
        "store.capacity_per_s=3",
        "store.bandwidth_bytes_per_s=1000",
        "limiter={\"coordination\": \"as_written\", \"fixed_lease_units\": 7, \"table_keys\": 9}",
    };

    load(&scenario, MINIMAL, sets, sizeof sets / sizeof sets[0]);

    assert_string_equal(scenario.name, "skew 1.1");
    assert_true(scenario.seed == INT64_MAX);
    assert_int_equal(scenario.clock_offset_max_ns, 1);
    assert_int_equal(scenario.clock_drift_max_ppb, 200500);
    assert_int_equal(scenario.shard_count, 3);
    assert_int_equal(scenario.round_trip_ns, 499999);
    assert_int_equal(scenario.jitter_ns, 100);
    assert_int_equal(scenario.service_ns, 333333333);
    assert_int_equal(scenario.bandwidth_bytes_per_s, 1000);
    assert_int_equal(scenario.coordination, SIM_COORDINATION_AS_WRITTEN);
    assert_int_equal(scenario.fixed_lease_units, 7);
    assert_int_equal(scenario.table_keys, 9);
    sim_scenario_free(&scenario);
}

static void a_population_inherits_or_replaces_the_balance(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "fleet.balance={\"kind\": \"flip\", \"at_s\": 2.5, \"before\": {\"kind\": \"weights\","
        "\"weights\": [1, 0, 0.5, 0]}, \"after\": {\"kind\": \"zipf\", \"first_process\": 3}}",
        "keys.two={\"plan\": \"gold\", \"balance\": {\"kind\": \"sticky\", \"processes\": 2,"
        "\"first_process\": 1}, \"count\": 10, \"popularity_exponent\": 1.1}",
    };

    load(&scenario, MINIMAL, sets, 2);

    const struct sim_balance *inherited = &scenario.populations[0].balance;
    const struct sim_balance *own = &scenario.populations[1].balance;
    assert_int_equal(inherited->flip_ns, 2500000000);
    assert_int_equal(inherited->before.kind, SIM_BALANCE_WEIGHTS);
    assert_ptr_not_equal(inherited->before.weights, scenario.balance.before.weights);
    assert_int_equal(inherited->before.weights[0], 1000000);
    assert_int_equal(inherited->before.weights[2], 500000);
    assert_int_equal(inherited->after.kind, SIM_BALANCE_ZIPF);
    assert_int_equal(inherited->after.exponent_ppm, 1100000);
    assert_int_equal(inherited->after.first_process, 3);
    assert_int_equal(own->before.kind, SIM_BALANCE_STICKY);
    assert_int_equal(own->before.process_count, 2);
    assert_int_equal(own->before.first_process, 1);
    assert_true(own->flip_ns == UINT64_MAX);
    assert_int_equal(scenario.populations[1].key_count, 10);
    assert_int_equal(scenario.populations[1].zipf_ppm, 1100000);
    sim_scenario_free(&scenario);
}

static void shares_sum_to_one_million(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "endpoints={\"a\": {\"weight_units\": 0}, \"b\": {\"weight_units\": 1000000000},"
        "\"c\": {\"weight_units\": 5}}",
        "keys.one.mix={\"c\": 0.1, \"a\": 0.1, \"b\": 0.1}",
    };

    load(&scenario, MINIMAL, sets, 2);

    const struct sim_endpoint_share *mix = scenario.populations[0].mix;
    assert_int_equal(scenario.endpoints[1].weight_units, 1000000000);
    assert_int_equal(scenario.populations[0].mix_count, 3);
    assert_int_equal(mix[0].endpoint, 2);
    assert_int_equal(mix[1].endpoint, 0);
    assert_int_equal(mix[2].endpoint, 1);
    assert_int_equal(mix[0].share_ppm + mix[1].share_ppm + mix[2].share_ppm, 1000000);
    assert_in_range(mix[0].share_ppm, 333333, 333334);
    assert_in_range(mix[1].share_ppm, 333333, 333334);
    assert_in_range(mix[2].share_ppm, 333333, 333334);
    sim_scenario_free(&scenario);
}

static void every_pattern_has_its_own_keys(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "traffic=[{\"keys\": \"one\", \"pattern\": \"constant\", \"demand_ratio\": 0},"
        "{\"keys\": \"one\", \"pattern\": \"on_off\", \"demand_ratio\": 0.9, \"period_s\": 5,"
        "\"on_fraction\": 0.1, \"from_s\": 0.1, \"until_s\": 0.2},"
        "{\"keys\": \"one\", \"pattern\": \"burst\", \"requests\": 10000},"
        "{\"keys\": \"one\", \"pattern\": \"herd\", \"requests\": 3, \"spread_ms\": 0.5}]",
        "traffic[2].from_s=30",
    };

    load(&scenario, MINIMAL, sets, 2);

    assert_int_equal(scenario.traffic_count, 4);
    assert_int_equal(scenario.traffic[0].pattern, SIM_PATTERN_CONSTANT);
    assert_int_equal(scenario.traffic[0].demand_ppm, 0);
    assert_int_equal(scenario.traffic[1].pattern, SIM_PATTERN_ON_OFF);
    assert_int_equal(scenario.traffic[1].period_ns, 5000000000);
    assert_int_equal(scenario.traffic[1].on_ppm, 100000);
    assert_int_equal(scenario.traffic[1].from_ns, 100000000);
    assert_int_equal(scenario.traffic[1].until_ns, 200000000);
    assert_int_equal(scenario.traffic[2].pattern, SIM_PATTERN_BURST);
    assert_int_equal(scenario.traffic[2].request_count, 10000);
    assert_int_equal(scenario.traffic[2].spread_ns, 0);
    assert_int_equal(scenario.traffic[2].from_ns, 30000000000);
    assert_int_equal(scenario.traffic[3].pattern, SIM_PATTERN_HERD);
    assert_int_equal(scenario.traffic[3].spread_ns, 500000);
    sim_scenario_free(&scenario);
}

static void a_trace_is_exact_and_numbers_its_keys(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "keys.one.count=2",
        "traffic={\"keys\": \"one\", \"trace\": \"" TRACE_NAME "\", \"from_s\": 1}",
    };
    write_file(TRACE_NAME, "# from a log\ntime_s,key,cost_units\r\n"
                           "0,GET /a b,1\r\n# comment\n0.000000001,z,1000000000\n"
                           "0.1,z,2\n58.999999999,GET /a b,3\n59,past the end,4\n99,also,5");

    load(&scenario, MINIMAL, sets, 2);

    const struct sim_traffic_spec *spec = &scenario.traffic[0];
    static const struct sim_trace_row EXPECTED[] = {
        {0, 0, 1}, {1, 1, 1000000000}, {100000000, 1, 2}, {58999999999, 0, 3}};
    assert_int_equal(spec->pattern, SIM_PATTERN_TRACE);
    assert_int_equal(spec->row_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(spec->rows[i].time_ns, EXPECTED[i].time_ns);
        assert_int_equal(spec->rows[i].key, EXPECTED[i].key);
        assert_int_equal(spec->rows[i].cost_units, EXPECTED[i].cost_units);
    }
    sim_scenario_free(&scenario);
    assert_int_equal(unlink(TRACE_NAME), 0);
}

static void a_trace_may_name_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 5000, LINE = 24 };
    static char text[LINE * 2 * KEYS + 64];
    struct sim_scenario scenario;
    struct sim_text out;
    static const char *const sets[] = {
        "keys.one.count=5000", "traffic={\"keys\": \"one\", \"trace\": \"" TRACE_NAME "\"}"};
    sim_text_init(&out, text, sizeof text);
    sim_text_add(&out, "time_s,key,cost_units\n");
    for (unsigned i = 0; i < 2 * KEYS; i++) {
        sim_text_add(&out, "%u.5,key %u,1\n", i / KEYS, i % KEYS);
    }
    write_file(TRACE_NAME, text);

    load(&scenario, MINIMAL, sets, 2);

    assert_int_equal(scenario.traffic[0].row_count, 2 * KEYS);
    for (uint32_t i = 0; i < 2 * KEYS; i++) {
        assert_int_equal(scenario.traffic[0].rows[i].key, i % KEYS);
    }
    sim_scenario_free(&scenario);
    assert_int_equal(unlink(TRACE_NAME), 0);
}

static void capacities_in_seconds_round_down_but_not_to_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        uint64_t capacity_units;
    } CASES[] = {
        {"{\"rate_per_s\": 0, \"capacity_s\": 60}", 1},
        {"{\"rate_per_day\": 1, \"capacity_s\": 60}", 1},
        {"{\"rate_per_day\": 1, \"capacity_s\": 172799.9}", 1},
        {"{\"rate_per_min\": 100, \"capacity_s\": 0.6}", 1},
        {"{\"rate_per_min\": 100, \"capacity_s\": 1.19}", 1},
        {"{\"rate_per_min\": 100, \"capacity_s\": 1.2}", 2},
        {"{\"rate_per_s\": 1000000000, \"capacity_s\": 3600}", 3600000000000},
        {"{\"rate_per_day\": 86400000000000, \"capacity_s\": 0.000001}", 1000},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct sim_scenario scenario;
        char set[128];
        const char *const sets[] = {set};

        (void)snprintf(set, sizeof set, "plans.gold=%s", CASES[i].plan);
        load(&scenario, MINIMAL, sets, 1);
        assert_int_equal(scenario.plans[0].capacity_units, CASES[i].capacity_units);
        sim_scenario_free(&scenario);
    }
}

/* The reader and the core draw the line of what is exact at the same place. */
static void a_plan_is_accepted_exactly_if_the_core_accepts_it(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        uint64_t period_us;
    } RATES[] = {{"rate_per_s", 1000000},
                 {"rate_per_min", 60000000},
                 {"rate_per_h", 3600000000},
                 {"rate_per_day", 86400000000}};
    uint64_t random = 1;
    size_t accepted = 0;

    write_file(FILE_NAME, MINIMAL);
    for (int i = 0; i < 3000; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        size_t unit = random >> 62;
        bool is_window = (random >> 61 & 1) != 0;
        struct weir_plan_options options = {
            .version = 1,
            .algorithm = is_window ? WEIR_ALGORITHM_WINDOW : WEIR_ALGORITHM_BUCKET,
            .rate_units = 1 + (random >> 16) % (RATES[unit].period_us * 1000) /
                                  (UINT64_C(1) << (random >> 50) % 40),
            .rate_period_us = RATES[unit].period_us,
            .capacity_units = 1 + (random >> 12) / (UINT64_C(1) << (random >> 55) % 50),
            .window_us = is_window ? 60000000 * (1 + (random >> 20) % 40000) : 60000000,
        };
        struct weir_plan plan;
        struct sim_scenario scenario;
        struct sim_error error;
        char set[200];
        const char *const sets[] = {set};
        int length = snprintf(
            set, sizeof set, "plans.gold={\"%s\": %llu, \"%s\": %llu", RATES[unit].key,
            (unsigned long long)options.rate_units, is_window ? "window_s" : "capacity_units",
            (unsigned long long)(is_window ? options.window_us / 1000000 : options.capacity_units));
        (void)snprintf(set + length, sizeof set - (size_t)length, "%s}",
                       is_window ? ", \"algorithm\": \"window\"" : "");

        bool good = sim_scenario_load(&scenario, FILE_NAME, sets, 1, &error);
        bool core_good = weir_plan_make(&plan, &options) == WEIR_OK;

        if (core_good && is_window && plan.limit_units == 0) {
            core_good = false; /* the core would deny everything; the reader says so */
        }
        if (good != core_good) {
            fail_msg("%s: core %d, reader %d: %s", set, core_good, good, good ? "" : error.text);
        }
        accepted += good ? 1 : 0;
        sim_scenario_free(&scenario);
    }
    assert_in_range(accepted, 300, 2700);
}

static void expectations_come_from_bounds_and_targets(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "expect=[{\"path\": \"accuracy.causes.stale_plan.units\", \"min\": 1.5, \"max\": 2},"
        "{\"path\": \"clients.first_denial_to_admission_s.mean\", \"min\": 1}]"};

    load(&scenario, MINIMAL, sets, 1);

    assert_int_equal(scenario.expectation_count, 2);
    assert_string_equal(scenario.expectations[0].path, "accuracy.causes.stale_plan.units");
    assert_true(scenario.expectations[0].minimum >= 1.5 && scenario.expectations[0].minimum <= 1.5);
    assert_true(scenario.expectations[0].maximum >= 2 && scenario.expectations[0].maximum <= 2);
    assert_string_equal(scenario.expectations[0].target, "");
    assert_true(isinf(scenario.expectations[1].maximum));
    sim_scenario_free(&scenario);
}

static void near_misses_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *found;
        const char *words[4];
        const char *best;
    } CASES[] = {
        {"rate_per_mn", {"rate_per_s", "rate_per_min", "rate_per_h"}, "rate_per_min"},
        {"rate_per_second", {"rate_per_min", "rate_per_s", "rate_per_h"}, "rate_per_s"},
        {"rate_per_minute", {"rate_per_s", "rate_per_min", "rate_per_h"}, "rate_per_min"},
        {"rate_per_week", {"capacity_s", "window_s"}, NULL},
        {"duration_ms", {"seed", "duration_s"}, "duration_s"},
        {"duration", {"seed", "duration_s"}, "duration_s"},
        {"capacity_tokens", {"capacity_s", "capacity_units"}, "capacity_units"},
        {"poison", {"constant", "poisson"}, "poisson"},
        {"sede", {"seed"}, "seed"},
        {"xyz", {"why"}, NULL},
        {"s", {"why", "_s"}, NULL},
        {"", {"why"}, NULL},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct sim_suggestion suggestion = {.found = CASES[i].found};

        for (size_t j = 0; j < 4 && CASES[i].words[j]; j++) {
            sim_suggestion_offer(&suggestion, CASES[i].words[j]);
        }
        if (CASES[i].best) {
            assert_non_null(suggestion.best);
            assert_string_equal(suggestion.best, CASES[i].best);
        } else {
            assert_null(suggestion.best);
        }
    }
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    char bytes[8];
    struct sim_text text;

    sim_text_init(&text, bytes, sizeof bytes);
    sim_text_add(&text, "abcdef\xc3\xbc");
    assert_string_equal(bytes, "abcdef");
    sim_text_add(&text, "gh");
    assert_string_equal(bytes, "abcdefg");
}

static void numbers_are_shown_as_short_as_they_read_back(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *shown;
    } CASES[] = {{0, "0"},         {0.1, "0.1"},   {1e-9, "1e-09"},
                 {5e6, "5000000"}, {-2.5, "-2.5"}, {0.1 + 0.2, "0.30000000000000004"},
                 {1e300, "1e+300"}};

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char bytes[40];
        struct sim_text text;

        sim_text_init(&text, bytes, sizeof bytes);
        sim_text_add_number(&text, CASES[i].value);
        assert_string_equal(bytes, CASES[i].shown);
    }
}

static int remove_file(void **state)
{
    (void)state;
    (void)unlink(FILE_NAME);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minimal_file_gets_the_defaults),
        cmocka_unit_test(a_minimal_plan_gets_the_defaults),
        cmocka_unit_test(machines_are_read_to_the_nanosecond),
        cmocka_unit_test(a_population_inherits_or_replaces_the_balance),
        cmocka_unit_test(shares_sum_to_one_million),
        cmocka_unit_test(every_pattern_has_its_own_keys),
        cmocka_unit_test(a_trace_is_exact_and_numbers_its_keys),
        cmocka_unit_test(a_trace_may_name_many_keys),
        cmocka_unit_test(capacities_in_seconds_round_down_but_not_to_nothing),
        cmocka_unit_test(a_plan_is_accepted_exactly_if_the_core_accepts_it),
        cmocka_unit_test(expectations_come_from_bounds_and_targets),
        cmocka_unit_test(near_misses_are_found),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(numbers_are_shown_as_short_as_they_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, remove_file);
}
