/* What the faults of a scenario file turn into, kind by kind. Those that are refused: tests/bad. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define SCENARIO_FILE "test_scenario_fault.tmp.json"

#define S UINT64_C(1000000000)
#define MS UINT64_C(1000000)

enum {
    PPM = 1000000,
};

/* 100 s, 6 processes (0 and 1 in region eu), 2 shards, one population of 5 keys and one of 1. */
#define SCENARIO_TEXT                                                                              \
    "{\"why\": \"w\", \"duration_s\": 100, \"fleet\": {\"processes\": 6, \"regions\":"             \
    " [{\"name\": \"eu\", \"first_process\": 0, \"processes\": 2},"                                \
    "  {\"name\": \"us\", \"first_process\": 2, \"processes\": 4}]},"                              \
    " \"store\": {\"shards\": 2, \"bandwidth_bytes_per_s\": 5000},"                                \
    " \"plans\": {\"gold\": {\"rate_per_min\": 600, \"capacity_s\": 10}},"                         \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}, \"many\": {\"plan\": \"gold\", \"count\": 5}},"    \
    " \"traffic\": {\"keys\": \"one\", \"demand_ratio\": 1},"                                      \
    " \"changes\": [{\"at_s\": 50, \"plan\": \"gold\", \"delete\": true}],"                        \
    " \"limiter\": {}, \"faults\": []}"

#include "scenario_base.h"

static void load_faults(struct sim_scenario *scenario, const char *faults)
{
    char set[1200];
    const char *const sets[] = {set};

    assert_in_range(snprintf(set, sizeof set, "faults=%s", faults), 1, sizeof set - 1);
    scenario_base_load(scenario, sets, 1);
}

static void assert_members(const struct fault_set *set, const char *expected)
{
    assert_int_equal(set->count, strlen(expected));
    for (uint32_t i = 0; i < set->count; i++) {
        assert_int_equal(fault_set_holds(set, i), expected[i] == '1');
    }
}

/* The members that `expected` does not name are those of a fault of all processes and shards that
 * changes nothing: probability and factor 1,000,000, the rest 0. */
struct expected {
    const char *processes; /* NULL: all */
    const char *shards;    /* NULL: all */
    struct fault fault;
};

static void assert_fault(const struct fault *found, const struct expected *expected)
{
    const struct fault *fault = &expected->fault;
    const uint32_t probability_ppm = fault->probability_ppm ? fault->probability_ppm : PPM;
    const uint32_t factor_ppm = fault->factor_ppm ? fault->factor_ppm : PPM;

    assert_string_equal(found->id, fault_kind_names[fault->kind]);
    assert_int_equal(found->kind, fault->kind);
    assert_int_equal(found->from_ns, fault->from_ns ? fault->from_ns : 10 * S);
    assert_int_equal(found->until_ns, fault->until_ns ? fault->until_ns : 100 * S);
    assert_members(&found->processes, expected->processes ? expected->processes : "111111");
    assert_members(&found->shards, expected->shards ? expected->shards : "11");
    assert_int_not_equal(found->seed, 0);
    assert_int_equal(found->probability_ppm, probability_ppm);
    assert_int_equal(found->added_ns, fault->added_ns);
    assert_int_equal(found->spread_ns, fault->spread_ns);
    assert_int_equal(found->period_ns, fault->period_ns);
    assert_int_equal(found->on_ppm, fault->on_ppm);
    assert_int_equal(found->factor_ppm, factor_ppm);
    assert_int_equal(found->lag_ns, fault->lag_ns);
    assert_int_equal(found->step_ns, fault->step_ns);
    assert_int_equal(found->drift_ppb, fault->drift_ppb);
    assert_int_equal(found->limit, fault->limit);
    assert_int_equal(found->bytes_per_s, fault->bytes_per_s);
    assert_int_equal(found->population, fault->population);
    assert_int_equal(found->key_index, fault->key_index);
    assert_int_equal(found->way, fault->way);
    assert_int_equal(found->error, fault->error);
    assert_int_equal(found->lose_mapping, fault->lose_mapping);
}

struct reading {
    const char *text; /* behind {"from_s": 10, "kind": */
    struct expected expected;
};

static void assert_readings(const struct reading *readings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sim_scenario scenario;
        char text[400];

        (void)snprintf(text, sizeof text, "[{\"from_s\": 10, \"kind\": %s}]", readings[i].text);
        load_faults(&scenario, text);
        assert_int_equal(scenario.faults.count, 1);
        assert_int_equal(scenario.faults.fired_count[0], 0);
        assert_fault(&scenario.faults.faults[0], &readings[i].expected);
        sim_scenario_free(&scenario);
    }
}

static void faults_of_the_store_are_read(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"\"store_outage\"", {.fault = {.kind = FAULT_STORE_OUTAGE}}},
        {"\"store_outage\", \"for_s\": 30.5, \"period_s\": 2, \"on_pct\": 33.3333, \"shards\": [1]",
         {.shards = "01",
          .fault = {.kind = FAULT_STORE_OUTAGE,
                    .until_ns = 40 * S + 500 * MS,
                    .period_ns = 2 * S,
                    .on_ppm = 333333}}},
        {"\"store_slow\", \"factor\": 1.5, \"added_ms\": 4, \"spread_ms\": 0.25",
         {.fault = {.kind = FAULT_STORE_SLOW,
                    .factor_ppm = 1500000,
                    .added_ns = 4 * MS,
                    .spread_ns = 250000}}},
        {"\"store_error\", \"error\": \"OOM\"",
         {.fault = {.kind = FAULT_STORE_ERROR, .error = FAULT_ERROR_OOM}}},
        {"\"store_error\", \"error\": \"NOSCRIPT\", \"probability_pct\": 0.0001",
         {.fault = {.kind = FAULT_STORE_ERROR,
                    .error = FAULT_ERROR_NOSCRIPT,
                    .probability_ppm = 1}}},
        {"\"store_connections\", \"connections\": 5",
         {.fault = {.kind = FAULT_STORE_CONNECTIONS, .limit = 5}}},
        {"\"store_failover\"", {.fault = {.kind = FAULT_STORE_FAILOVER, .until_ns = 10 * S + 1}}},
        {"\"store_failover\", \"lag_ms\": 10000",
         {.fault = {.kind = FAULT_STORE_FAILOVER, .until_ns = 10 * S + 1, .lag_ns = 10 * S}}},
        {"\"store_empty\", \"until_s\": 99.999999999",
         {.fault = {.kind = FAULT_STORE_EMPTY, .until_ns = 100 * S - 1}}},
        {"\"store_evict\", \"probability_pct\": 50",
         {.fault = {.kind = FAULT_STORE_EVICT, .until_ns = 10 * S + 1, .probability_ppm = 500000}}},
        {"\"store_evict\", \"every_s\": 5, \"for_s\": 20",
         {.fault = {.kind = FAULT_STORE_EVICT, .until_ns = 30 * S, .period_ns = 5 * S}}},
        {"\"store_split\", \"processes\": [5, 0], \"lag_ms\": 1.5",
         {.processes = "100001", .fault = {.kind = FAULT_STORE_SPLIT, .lag_ns = 1500000}}},
        {"\"store_clock\", \"step_s\": -172800",
         {.fault = {.kind = FAULT_STORE_CLOCK, .step_ns = -172800000000000}}},
    };

    assert_readings(readings, sizeof readings / sizeof readings[0]);
}

static void faults_between_processes_and_shards_are_read(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"\"request_lost\", \"region\": \"us\"",
         {.processes = "001111", .fault = {.kind = FAULT_REQUEST_LOST}}},
        {"\"reply_lost\", \"probability_pct\": 5, \"shards\": [0]",
         {.shards = "10", .fault = {.kind = FAULT_REPLY_LOST, .probability_ppm = 50000}}},
        {"\"duplicate\", \"spread_ms\": 20",
         {.fault = {.kind = FAULT_DUPLICATE, .spread_ns = 20 * MS}}},
        {"\"loss\", \"processes\": {\"first\": 4, \"count\": 2}",
         {.processes = "000011", .fault = {.kind = FAULT_LOSS}}},
        {"\"delay\", \"spread_ms\": 1", {.fault = {.kind = FAULT_DELAY, .spread_ns = MS}}},
        {"\"partition\"", {.fault = {.kind = FAULT_PARTITION, .way = FAULT_BOTH_WAYS}}},
        {"\"partition\", \"way\": \"to_store\"",
         {.fault = {.kind = FAULT_PARTITION, .way = FAULT_TO_STORE}}},
        {"\"partition\", \"way\": \"to_process\"",
         {.fault = {.kind = FAULT_PARTITION, .way = FAULT_TO_PROCESS}}},
        {"\"slow_link\", \"bandwidth_bytes_per_s\": 1000",
         {.fault = {.kind = FAULT_SLOW_LINK, .bytes_per_s = 1000}}},
        {"\"region_cut\", \"region\": \"eu\"",
         {.processes = "110000", .fault = {.kind = FAULT_REGION_CUT}}},
    };

    assert_readings(readings, sizeof readings / sizeof readings[0]);
}

static void faults_of_processes_are_read(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"\"crash\", \"processes\": [1]",
         {.processes = "010000", .fault = {.kind = FAULT_CRASH, .until_ns = UINT64_MAX}}},
        {"\"crash\", \"region\": \"eu\", \"restart_after_s\": 5, \"lose_mapping\": true",
         {.processes = "110000",
          .fault = {.kind = FAULT_CRASH, .until_ns = 15 * S, .lose_mapping = true}}},
        {"\"deploy\", \"every_s\": 3, \"down_s\": 0.5",
         {.fault = {.kind = FAULT_DEPLOY,
                    .until_ns = 25 * S + 500 * MS, /* the sixth stops at 25 s */
                    .period_ns = 3 * S,
                    .added_ns = 500 * MS}}},
        {"\"pause\", \"for_s\": 10, \"processes\": [0, 5]",
         {.processes = "100001", .fault = {.kind = FAULT_PAUSE, .until_ns = 20 * S}}},
        {"\"fork\", \"processes\": {\"first\": 0, \"count\": 3}",
         {.processes = "111000", .fault = {.kind = FAULT_FORK, .until_ns = 10 * S + 1}}},
        {"\"scale\", \"processes\": [2], \"direction\": \"out\"",
         {.processes = "001000", .fault = {.kind = FAULT_SCALE, .limit = 1}}},
        {"\"scale\", \"processes\": [2], \"direction\": \"in\"",
         {.processes = "001000", .fault = {.kind = FAULT_SCALE, .limit = 0}}},
        {"\"process_count\", \"processes_told\": 1000",
         {.fault = {.kind = FAULT_PROCESS_COUNT, .limit = 1000}}},
        {"\"clock_offset\", \"step_ms\": 0.000001",
         {.fault = {.kind = FAULT_CLOCK_OFFSET, .step_ns = 1}}},
        {"\"clock_drift\", \"drift_ppm\": -0.001",
         {.fault = {.kind = FAULT_CLOCK_DRIFT, .drift_ppb = -1}}},
        {"\"clock_square\", \"step_s\": 11, \"period_s\": 10",
         {.fault = {.kind = FAULT_CLOCK_SQUARE, .step_ns = 11000000000, .period_ns = 10 * S}}},
        {"\"clock_frozen\", \"until_s\": 12",
         {.fault = {.kind = FAULT_CLOCK_FROZEN, .until_ns = 12 * S}}},
        {"\"clock_smear\", \"for_s\": 5, \"step_s\": -5",
         {.fault = {.kind = FAULT_CLOCK_SMEAR, .until_ns = 15 * S, .step_ns = -5000000000}}},
    };

    assert_readings(readings, sizeof readings / sizeof readings[0]);
}

static void faults_of_traffic_pushes_and_reports_are_read(void **state)
{
    (void)state;
    static const struct reading readings[] = {
        {"\"drain\", \"processes\": [0]", {.processes = "100000", .fault = {.kind = FAULT_DRAIN}}},
        {"\"flip\", \"by\": 5", {.fault = {.kind = FAULT_FLIP, .limit = 5}}},
        {"\"retry_storm\", \"for_s\": 89, \"spread_ms\": 1000",
         {.fault = {.kind = FAULT_RETRY, .until_ns = 99 * S, .spread_ns = S}}},
        {"\"hot_key\", \"keys\": \"many\", \"key\": 4, \"times\": 20",
         {.fault = {.kind = FAULT_HOT_KEY, .population = 1, .key_index = 4, .limit = 20}}},
        {"\"hot_key\", \"keys\": \"one\", \"times\": 2",
         {.fault = {.kind = FAULT_HOT_KEY, .population = 0, .key_index = 0, .limit = 2}}},
        {"\"key_churn\", \"keys\": \"many\", \"every_s\": 0.009",
         {.fault = {.kind = FAULT_CHURN, .population = 1, .period_ns = 9 * MS}}},
        {"\"push_lost\", \"probability_pct\": 100", {.fault = {.kind = FAULT_PUSH_LOST}}},
        {"\"push_delayed\", \"added_ms\": 500, \"processes\": [3]",
         {.processes = "000100", .fault = {.kind = FAULT_PUSH_DELAYED, .added_ns = 500 * MS}}},
        {"\"report_lost\", \"probability_pct\": 50",
         {.fault = {.kind = FAULT_REPORT_LOST, .probability_ppm = 500000}}},
        {"\"report_duplicate\"", {.fault = {.kind = FAULT_REPORT_DUPLICATE}}},
        {"\"report_delayed\", \"added_ms\": 5, \"spread_ms\": 6, \"probability_pct\": 7",
         {.fault = {.kind = FAULT_REPORT_DELAYED,
                    .added_ns = 5 * MS,
                    .spread_ns = 6 * MS,
                    .probability_ppm = 70000}}},
    };

    assert_readings(readings, sizeof readings / sizeof readings[0]);
}

static void a_fault_begins_at_time_zero_if_it_says_so(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    load_faults(&scenario, "[{\"kind\": \"loss\", \"from_s\": 0, \"until_s\": 100}]");
    assert_int_equal(scenario.faults.faults[0].from_ns, 0);
    assert_int_equal(scenario.faults.faults[0].until_ns, 100 * S);
    sim_scenario_free(&scenario);
}

static void a_fault_without_an_id_is_named_after_its_kind(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    load_faults(&scenario, "[{\"kind\": \"loss\", \"from_s\": 1}, {\"kind\": \"flip\", \"by\": 1,"
                           " \"from_s\": 1}, {\"kind\": \"loss\", \"from_s\": 1, \"id\": \"x y\"},"
                           " {\"kind\": \"loss\", \"from_s\": 1}]");
    assert_int_equal(scenario.faults.count, 4);
    assert_string_equal(scenario.faults.faults[0].id, "loss");
    assert_string_equal(scenario.faults.faults[1].id, "flip");
    assert_string_equal(scenario.faults.faults[2].id, "x y");
    assert_string_equal(scenario.faults.faults[3].id, "loss-3");
    sim_scenario_free(&scenario);
}

/* The lots of a fault hang on seed and id alone. */
static uint64_t seed_of(const char *faults, size_t index, const char *seed)
{
    struct sim_scenario scenario;
    char set[400];
    const char *const sets[] = {set, seed};

    (void)snprintf(set, sizeof set, "faults=%s", faults);
    scenario_base_load(&scenario, sets, 2);
    const uint64_t result = scenario.faults.faults[index].seed;
    sim_scenario_free(&scenario);
    return result;
}

static void a_faults_lots_hang_on_the_seed_and_its_id_alone(void **state)
{
    (void)state;
    static const char alone[] = "[{\"kind\": \"loss\", \"id\": \"a\", \"from_s\": 1}]";
    static const char behind[] = "[{\"kind\": \"delay\", \"added_ms\": 1, \"from_s\": 1},"
                                 " {\"kind\": \"duplicate\", \"id\": \"a\", \"from_s\": 7}]";
    const uint64_t seed = seed_of(alone, 0, "seed=1");

    assert_int_equal(seed_of(behind, 1, "seed=1"), seed);
    assert_int_not_equal(seed_of(behind, 0, "seed=1"), seed);
    assert_int_not_equal(seed_of(alone, 0, "seed=2"), seed);
}

static void faults_that_touch_in_time_leave_a_process_one_life(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    load_faults(&scenario,
                "[{\"kind\": \"scale\", \"from_s\": 5, \"direction\": \"out\", \"processes\": [0],"
                " \"until_s\": 50}, {\"kind\": \"crash\", \"from_s\": 5, \"processes\": [0],"
                " \"restart_after_s\": 5}, {\"kind\": \"pause\", \"from_s\": 10, \"until_s\": 50,"
                " \"processes\": [0]}, {\"kind\": \"fork\", \"from_s\": 60, \"processes\": [2]},"
                " {\"kind\": \"pause\", \"from_s\": 70, \"until_s\": 80, \"processes\": [3]},"
                " {\"kind\": \"deploy\", \"from_s\": 90, \"every_s\": 1, \"down_s\": 1,"
                " \"processes\": [2, 4]}, {\"kind\": \"crash\", \"from_s\": 91,"
                " \"processes\": [2]}]");
    assert_int_equal(scenario.faults.count, 7);
    sim_scenario_free(&scenario);
}

static void regions_are_read(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    scenario_base_load(&scenario, NULL, 0);
    assert_int_equal(scenario.region_count, 2);
    assert_string_equal(scenario.regions[0].name, "eu");
    assert_int_equal(scenario.regions[0].first_process, 0);
    assert_int_equal(scenario.regions[0].process_count, 2);
    assert_string_equal(scenario.regions[1].name, "us");
    assert_int_equal(scenario.regions[1].first_process, 2);
    assert_int_equal(scenario.regions[1].process_count, 4);
    assert_int_equal(scenario.faults.count, 0);
    sim_scenario_free(&scenario);
}

static void degraded_operation_has_its_defaults(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    scenario_base_load(&scenario, NULL, 0);
    assert_int_equal(scenario.degraded, SIM_DEGRADED_BOUNDED);
    assert_int_equal(scenario.plans[0].degraded, SIM_DEGRADED_BOUNDED);
    assert_int_equal(scenario.wait_max_ns, 1500000);
    assert_int_equal(scenario.ask_timeout_ns, 5000000);
    assert_int_equal(scenario.without, 0);
    sim_scenario_free(&scenario);
}

static void degraded_operation_is_read_and_plans_may_differ(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    const char *const sets[] = {
        "limiter={\"degraded\": \"share\", \"wait_ms\": 0.25, \"ask_timeout_ms\": 0.5,"
        " \"without\": [\"spent_mapping\", \"versions\"]}",
        "plans.own={\"algorithm\": \"log\", \"rate_per_min\": 60, \"degraded\": \"closed\"}",
        "changes[0]={\"at_s\": 1, \"plan\": \"gold\", \"to\": {\"rate_per_min\": 60,"
        " \"capacity_s\": 1, \"degraded\": \"open\"}}",
    };

    scenario_base_load(&scenario, sets, 3);
    assert_int_equal(scenario.degraded, SIM_DEGRADED_SHARE);
    assert_int_equal(scenario.plans[0].degraded, SIM_DEGRADED_SHARE);
    assert_int_equal(scenario.plans[1].degraded, SIM_DEGRADED_CLOSED);
    assert_int_equal(scenario.changes[0].plan.degraded, SIM_DEGRADED_OPEN);
    assert_int_equal(scenario.wait_max_ns, 250000);
    assert_int_equal(scenario.ask_timeout_ns, 500000);
    assert_int_equal(scenario.without, SIM_WITHOUT_SPENT_MAPPING | SIM_WITHOUT_VERSIONS);
    sim_scenario_free(&scenario);
}

static void each_protection_has_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned without;
    } protections[] = {
        {"breaker", SIM_WITHOUT_BREAKER},
        {"versions", SIM_WITHOUT_VERSIONS},
        {"charge_time", SIM_WITHOUT_CHARGE_TIME},
        {"store_time", SIM_WITHOUT_STORE_TIME},
        {"spent_mapping", SIM_WITHOUT_SPENT_MAPPING},
    };

    for (size_t i = 0; i < sizeof protections / sizeof protections[0]; i++) {
        struct sim_scenario scenario;
        char set[60];
        const char *const sets[] = {set};

        (void)snprintf(set, sizeof set, "limiter.without=[\"%s\"]", protections[i].name);
        scenario_base_load(&scenario, sets, 1);
        assert_int_equal(scenario.without, protections[i].without);
        sim_scenario_free(&scenario);
    }
}

/* Only the limiter has timers; whoever has none may still get other traffic. */
static void without_leases_traffic_may_be_faulty(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    const char *const sets[] = {"limiter.coordination=per_request",
                                "faults=[{\"kind\": \"flip\", \"by\": 1, \"from_s\": 1}]"};

    scenario_base_load(&scenario, sets, 2);
    assert_int_equal(scenario.faults.count, 1);
    sim_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_store_are_read),
        cmocka_unit_test(faults_between_processes_and_shards_are_read),
        cmocka_unit_test(faults_of_processes_are_read),
        cmocka_unit_test(faults_of_traffic_pushes_and_reports_are_read),
        cmocka_unit_test(a_fault_begins_at_time_zero_if_it_says_so),
        cmocka_unit_test(a_fault_without_an_id_is_named_after_its_kind),
        cmocka_unit_test(a_faults_lots_hang_on_the_seed_and_its_id_alone),
        cmocka_unit_test(faults_that_touch_in_time_leave_a_process_one_life),
        cmocka_unit_test(regions_are_read),
        cmocka_unit_test(degraded_operation_has_its_defaults),
        cmocka_unit_test(degraded_operation_is_read_and_plans_may_differ),
        cmocka_unit_test(each_protection_has_a_name),
        cmocka_unit_test(without_leases_traffic_may_be_faulty),
    };

    return cmocka_run_group_tests(tests, scenario_base_write, scenario_base_remove);
}
