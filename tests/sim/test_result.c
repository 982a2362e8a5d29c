/* result.json: what tools may depend on, and when a run has passed. */
#include "world_run.h"

#define FILE_NAME "test_result.tmp.json"

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"name\": \"small\", \"seed\": 7, \"duration_s\": 3,"                        \
    " \"fleet\": {\"processes\": 3}, \"limiter\": {\"coordination\": \"%s\"},"                     \
    " \"plans\": {\"p\": {\"rate_per_s\": 100, \"capacity_units\": 50}},"                          \
    " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 2}},"                                         \
    " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": %s}, \"expect\": [%s]}"

struct field {
    const char *path;
    char type; /* s(tring), i(nteger), r(eal), b(oolean), a(rray), o(bject) */
};

static const struct field fields[] = {
    {"scenario", 's'},
    {"seed", 'i'},
    {"kernel", 's'},
    {"trace_hash", 's'},
    {"verdict", 's'},
    {"duration_s", 'r'},
    {"decisions.total", 'i'},
    {"decisions.admitted", 'i'},
    {"decisions.denied", 'i'},
    {"decisions.degraded", 'i'},
    {"units.demand", 'i'},
    {"units.admitted", 'i'},
    {"units.oracle", 'i'},
    {"accuracy.over_pct.max", 'r'},
    {"accuracy.over_pct.p99", 'r'},
    {"accuracy.over_pct.mean", 'r'},
    {"accuracy.under_pct.max", 'r'},
    {"accuracy.under_pct.p99", 'r'},
    {"accuracy.under_pct.mean", 'r'},
    {"accuracy.over_units.max", 'i'},
    {"accuracy.under_units.max", 'i'},
    {"accuracy.contract_over_pct.max", 'r'},
    {"accuracy.same_arrivals.over_pct.max", 'r'},
    {"accuracy.same_arrivals.over_pct.p99", 'r'},
    {"accuracy.same_arrivals.over_pct.mean", 'r'},
    {"accuracy.same_arrivals.under_pct.max", 'r'},
    {"accuracy.same_arrivals.under_pct.p99", 'r'},
    {"accuracy.same_arrivals.under_pct.mean", 'r'},
    {"accuracy.same_arrivals.over_units.max", 'i'},
    {"accuracy.same_arrivals.under_units.max", 'i'},
    {"accuracy.sliding_over_pct.max", 'r'},
    {"accuracy.causes.parked.units", 'i'},
    {"accuracy.causes.unclaimed.units", 'i'},
    {"accuracy.causes.withheld.units", 'i'},
    {"accuracy.causes.race.units", 'i'},
    {"accuracy.causes.unexplained.units", 'i'},
    {"populations.k.units.admitted", 'i'},
    {"populations.k.accuracy.over_pct.max", 'r'},
    {"store.asks", 'i'},
    {"store.asks_per_s.mean", 'r'},
    {"store.asks_per_s.max_1s", 'i'},
    {"store.asks_max_10ms", 'i'},
    {"store.requests_per_ask", 'r'},
    {"store.in_flight_max", 'i'},
    {"store.in_flight_mean", 'r'},
    {"store.pairs", 'i'},
    {"latency_us.p50", 'r'},
    {"latency_us.p99", 'r'},
    {"latency_us.p999", 'r'},
    {"latency_us.max", 'r'},
    {"availability.answered_pct", 'r'},
    {"availability.within_5ms_pct", 'r'},
    {"ledger.missing_units", 'i'},
    {"ledger.drained", 'b'},
    {"billing.true_units", 'i'},
    {"billing.reported_units", 'i'},
    {"billing.lost_units", 'i'},
    {"billing.duplicates_dropped", 'i'},
    {"billing.flagged_windows", 'i'},
    {"faults", 'a'},
    {"expectations", 'a'},
    {"trace_ladder", 'a'},
};

static void play(struct world_run *run, const char *coordination, const char *demand,
                 const char *expect)
{
    char text[4000];

    snprintf(text, sizeof text, TEXT, coordination, demand, expect);
    world_run_play(run, FILE_NAME, text, SIM_KERNEL_HEAP);
}

static const json_t *at(const json_t *json, const char *path)
{
    char copy[100];

    snprintf(copy, sizeof copy, "%s", path);
    for (char *rest = copy, *name; (name = strtok_r(rest, ".", &rest)) != NULL;) {
        json = json_object_get(json, name);
    }
    return json;
}

static char type_of(const json_t *json)
{
    if (json == NULL) {
        return '-';
    }
    switch (json_typeof(json)) {
    case JSON_STRING:
        return 's';
    case JSON_INTEGER:
        return 'i';
    case JSON_REAL:
        return 'r';
    case JSON_TRUE:
    case JSON_FALSE:
        return 'b';
    case JSON_ARRAY:
        return 'a';
    case JSON_OBJECT:
        return 'o';
    case JSON_NULL:
        return 'n';
    }
    return '-';
}

static void every_path_of_the_contract_is_there_with_its_type(void **state)
{
    (void)state;
    static const char *const coordinations[] = {"lease", "per_request", "as_written"};

    for (int c = 0; c < 3; c++) {
        struct world_run run;

        play(&run, coordinations[c], "1.5", "{\"path\": \"decisions.total\", \"min\": 1}");
        for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
            if (type_of(at(run.result.json, fields[i].path)) != fields[i].type) {
                fail_msg("%s: %s is not of type %c", coordinations[c], fields[i].path,
                         fields[i].type);
            }
        }
        world_run_free(&run);
    }
}

static void the_figures_are_those_of_the_run(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lease", "1.5", "");
    const json_t *json = run.result.json;

    assert_string_equal(json_string_value(at(json, "scenario")), "small");
    assert_int_equal(json_integer_value(at(json, "seed")), 7);
    assert_string_equal(json_string_value(at(json, "kernel")), "heap");
    assert_int_equal(json_integer_value(at(json, "decisions.total")), run.world.metrics.requests);
    assert_int_equal(json_integer_value(at(json, "decisions.admitted")) +
                         json_integer_value(at(json, "decisions.denied")),
                     run.world.metrics.requests);
    assert_int_equal(json_integer_value(at(json, "billing.reported_units")),
                     json_integer_value(at(json, "units.admitted")));
    assert_int_equal(json_integer_value(at(json, "ledger.missing_units")), 0);
    assert_true(json_is_true(at(json, "ledger.drained")));
    assert_int_equal(json_array_size(at(json, "trace_ladder")), 4);
    assert_string_equal(json_string_value(json_array_get(at(json, "trace_ladder"), 3)),
                        json_string_value(at(json, "trace_hash")));
    world_run_free(&run);
}

static void expectations_that_are_met_pass(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "per_request", "1.5",
         "{\"path\": \"decisions.total\", \"min\": 1, \"max\": 1e9},"
         "{\"path\": \"billing.lost_units\", \"max\": 0}");
    const json_t *first = json_array_get(at(run.result.json, "expectations"), 0);

    assert_int_equal(run.result.verdict, SIM_VERDICT_PASS);
    assert_string_equal(json_string_value(at(run.result.json, "verdict")), "pass");
    assert_int_equal(json_array_size(at(run.result.json, "expectations")), 2);
    assert_string_equal(json_string_value(at(first, "path")), "decisions.total");
    assert_true(json_is_true(at(first, "pass")));
    assert_int_equal(json_number_value(at(first, "bound.min")), 1);
    assert_int_equal(json_number_value(at(first, "bound.max")), 1000000000);
    assert_int_equal(json_number_value(at(first, "value")), run.world.metrics.requests);
    assert_string_equal(json_string_value(at(first, "target")), "");
    world_run_free(&run);
}

static void one_expectation_that_is_missed_fails_the_run(void **state)
{
    (void)state;
    struct world_run run;

    play(
        &run, "per_request", "1.5",
        "{\"path\": \"decisions.total\", \"max\": 0}, {\"path\": \"decisions.total\", \"min\": 1}");
    const json_t *list = at(run.result.json, "expectations");

    assert_int_equal(run.result.verdict, SIM_VERDICT_FAIL);
    assert_string_equal(json_string_value(at(run.result.json, "verdict")), "fail");
    assert_true(json_is_false(at(json_array_get(list, 0), "pass")));
    assert_true(json_is_true(at(json_array_get(list, 1), "pass")));
    assert_null(at(json_array_get(list, 0), "bound.min"));
    world_run_free(&run);
}

static void a_path_that_is_not_in_the_result_is_missed_and_has_no_value(void **state)
{
    (void)state;
    struct sim_expectation expectation = {
        .path = "faults.lost.fired_count", .minimum = -1e300, .maximum = 1e300};
    struct world_run run;

    play(&run, "per_request", "1.5", "");
    sim_result_free(&run.result);
    struct sim_expectation *own = run.scenario.expectations;
    run.scenario.expectations = &expectation;
    run.scenario.expectation_count = 1;
    sim_result_make(&run.result, &run.world, SIM_KERNEL_HEAP);
    run.scenario.expectations = own;
    run.scenario.expectation_count = 0;
    const json_t *only = json_array_get(at(run.result.json, "expectations"), 0);

    assert_int_equal(run.result.verdict, SIM_VERDICT_FAIL);
    assert_int_equal(type_of(at(only, "value")), 'n');
    assert_true(json_is_false(at(only, "pass")));
    world_run_free(&run);
}

static void a_run_without_requests_is_inconclusive_whatever_was_expected(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lease", "0", "{\"path\": \"decisions.total\", \"min\": 1}");

    assert_int_equal(run.result.verdict, SIM_VERDICT_INCONCLUSIVE);
    assert_string_equal(json_string_value(at(run.result.json, "verdict")), "inconclusive");
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_of_the_contract_is_there_with_its_type),
        cmocka_unit_test(the_figures_are_those_of_the_run),
        cmocka_unit_test(expectations_that_are_met_pass),
        cmocka_unit_test(one_expectation_that_is_missed_fails_the_run),
        cmocka_unit_test(a_path_that_is_not_in_the_result_is_missed_and_has_no_value),
        cmocka_unit_test(a_run_without_requests_is_inconclusive_whatever_was_expected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
