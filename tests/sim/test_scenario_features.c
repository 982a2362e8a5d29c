/* What plans, clients, changes and polls of a scenario file turn into. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define SCENARIO_FILE "test_scenario_features.tmp.json"

#define SCENARIO_TEXT                                                                              \
    "{\"why\": \"w\", \"duration_s\": 60, \"fleet\": {\"processes\": 4},"                          \
    " \"endpoints\": {\"chat\": {\"weight_units\": 10}, \"list\": {\"weight_units\": 1}},"         \
    " \"plans\": {\"gold\": {\"rate_per_min\": 600, \"capacity_s\": 10},"                          \
    " \"free\": {\"rate_per_min\": 60, \"capacity_s\": 1}},"                                       \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}},"                                                  \
    " \"traffic\": {\"keys\": \"one\", \"demand_ratio\": 1.5}}"

#include "scenario_base.h"

/* The minimal scenario with one thing set is accepted, or refused for a reason that says `why`. */
static void assert_accepted(const char *set)
{
    struct sim_scenario scenario;

    scenario_base_load(&scenario, &set, 1);
    sim_scenario_free(&scenario);
}

static void assert_refused(const char *set, const char *why)
{
    struct sim_scenario scenario;
    struct sim_error error;

    if (sim_scenario_load(&scenario, SCENARIO_FILE, &set, 1, &error)) {
        fail_msg("accepted: %s", set);
    }
    if (strstr(error.text, why) == NULL) {
        fail_msg("\"%s\" is not in: %s", why, error.text);
    }
}

static void every_algorithm_has_its_name(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "plans.b={\"algorithm\": \"bucket\", \"rate_per_s\": 1, \"capacity_units\": 5}",
        "plans.w={\"algorithm\": \"window\", \"rate_per_s\": 2, \"window_s\": 30}",
        "plans.s={\"algorithm\": \"sliding\", \"rate_per_s\": 3, \"start_fill_pct\": 50}",
        "plans.l={\"algorithm\": \"log\", \"rate_per_h\": 4000, \"window_s\": 3600}",
        "plans.u={\"algorithm\": \"unlimited\", \"window_s\": 10}",
    };

    scenario_base_load(&scenario, sets, 5);

    assert_int_equal(scenario.plan_count, 7);
    const struct sim_plan *plans = scenario.plans + 2;
    assert_int_equal(plans[0].algorithm, SIM_ALGORITHM_BUCKET);
    assert_int_equal(plans[1].algorithm, SIM_ALGORITHM_WINDOW);
    assert_int_equal(plans[2].algorithm, SIM_ALGORITHM_SLIDING);
    assert_int_equal(plans[2].rate_units, 3);
    assert_int_equal(plans[2].capacity_units, 0);
    assert_int_equal(plans[2].window_us, 60000000);
    assert_int_equal(plans[2].start_fill_ppm, 500000);
    assert_int_equal(plans[3].algorithm, SIM_ALGORITHM_LOG);
    assert_int_equal(plans[3].rate_units, 4000);
    assert_int_equal(plans[3].rate_period_us, 3600000000);
    assert_int_equal(plans[3].window_us, 3600000000);
    assert_int_equal(plans[4].algorithm, SIM_ALGORITHM_UNLIMITED);
    assert_int_equal(plans[4].rate_units, 0);
    assert_true(plans[4].rate_period_us > 0);
    assert_int_equal(plans[4].capacity_units, 0);
    assert_int_equal(plans[4].window_us, 10000000);
    sim_scenario_free(&scenario);
}

static void the_bounds_of_sliding_and_log_are_exact(void **state)
{
    (void)state;
    /* 2^53 / 60,000,000 us = 150,119,987.9 */
    assert_accepted("plans.gold={\"algorithm\": \"sliding\", \"rate_per_min\": 150119987}");
    assert_refused("plans.gold={\"algorithm\": \"sliding\", \"rate_per_min\": 150119988}",
                   "at most 150119987 units per window (here 150119988)");
    assert_accepted("plans.gold={\"algorithm\": \"log\", \"rate_per_min\": 1000000}");
    assert_refused("plans.gold={\"algorithm\": \"log\", \"rate_per_min\": 1000001}",
                   "at most 1000000 units per window (here 1000001)");
    assert_accepted(
        "plans.gold={\"algorithm\": \"log\", \"rate_per_min\": 1000001, \"window_s\": 59.999}");
    assert_accepted("plans.gold={\"algorithm\": \"log\", \"rate_per_min\": 0}");
    assert_refused("plans.gold={\"algorithm\": \"log\", \"rate_per_h\": 59}", "at least 1 unit");
    assert_refused("plans.gold={\"algorithm\": \"sliding\", \"rate_per_h\": 59}",
                   "at least 1 unit");
}

static void a_bucket_of_nothing_needs_a_rate_of_nothing(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {"plans.gold={\"rate_per_s\": 0, \"capacity_units\": 0}"};

    scenario_base_load(&scenario, sets, 1);
    assert_int_equal(scenario.plans[0].rate_units, 0);
    assert_int_equal(scenario.plans[0].capacity_units, 0);
    sim_scenario_free(&scenario);
    assert_accepted("plans.gold={\"rate_per_s\": 0, \"capacity_units\": 1}");
    assert_refused("plans.gold={\"rate_per_s\": 1, \"capacity_units\": 0}", "a rate of 0 too");
}

static void a_plan_inherits_or_replaces_the_sizer(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "limiter={\"sizer\": \"fixed\", \"fixed_lease_units\": 7, \"full_table\": \"per_request\"}",
        "plans.a={\"rate_per_s\": 1, \"capacity_s\": 9}",
        "plans.b={\"rate_per_s\": 1, \"capacity_s\": 9, \"fixed_lease_units\": 8}",
        "plans.c={\"rate_per_s\": 1, \"capacity_s\": 9, \"sizer\": \"rate\"}",
        "plans.d={\"rate_per_s\": 1, \"capacity_s\": 9, \"sizer\": \"doubling\"}",
        "plans.e={\"rate_per_s\": 1, \"capacity_s\": 9, \"sizer\": \"tapered\"}",
    };

    scenario_base_load(&scenario, sets, 6);

    assert_int_equal(scenario.full_table, SIM_FULL_TABLE_PER_REQUEST);
    const struct sim_plan *plans = scenario.plans + 2;
    assert_int_equal(plans[0].sizer, SIM_SIZER_FIXED);
    assert_int_equal(plans[0].fixed_lease_units, 7);
    assert_int_equal(plans[1].sizer, SIM_SIZER_FIXED);
    assert_int_equal(plans[1].fixed_lease_units, 8);
    assert_int_equal(plans[2].sizer, SIM_SIZER_RATE);
    assert_int_equal(plans[3].sizer, SIM_SIZER_DOUBLING);
    assert_int_equal(plans[4].sizer, SIM_SIZER_TAPERED);
    sim_scenario_free(&scenario);
}

static void limiter_defaults_are_the_ones_documented(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    scenario_base_load(&scenario, NULL, 0);
    assert_int_equal(scenario.full_table, SIM_FULL_TABLE_EVICT);
    assert_int_equal(scenario.plans[0].sizer, SIM_SIZER_TAPERED);
    assert_int_equal(scenario.plans[0].fixed_lease_units, 20);
    assert_int_equal(scenario.traffic[0].on_denial.kind, SIM_DENIAL_IGNORE);
    assert_int_equal(scenario.traffic[0].on_denial.attempts_max, 1);
    assert_int_equal(scenario.change_count, 0);
    assert_int_equal(scenario.poll_count, 0);
    sim_scenario_free(&scenario);
}

static void closed_traffic_has_clients_who_think(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "traffic={\"keys\": \"one\", \"pattern\": \"closed\", \"clients\": 100000,"
        "\"think_ms\": 0.5, \"from_s\": 1, \"until_s\": 2}"};

    scenario_base_load(&scenario, sets, 1);
    assert_int_equal(scenario.traffic[0].pattern, SIM_PATTERN_CLOSED);
    assert_int_equal(scenario.traffic[0].client_count, 100000);
    assert_int_equal(scenario.traffic[0].think_ns, 500000);
    assert_int_equal(scenario.traffic[0].from_ns, 1000000000);
    assert_int_equal(scenario.traffic[0].until_ns, 2000000000);
    sim_scenario_free(&scenario);
}

static void assert_denial(const char *on_denial, const struct sim_on_denial *expected)
{
    struct sim_scenario scenario;
    char set[200];
    const char *const sets[] = {set};

    (void)snprintf(set, sizeof set, "traffic.on_denial=%s", on_denial);
    scenario_base_load(&scenario, sets, 1);
    const struct sim_on_denial *read = &scenario.traffic[0].on_denial;
    assert_int_equal(read->kind, expected->kind);
    assert_int_equal(read->attempts_max, expected->attempts_max);
    assert_int_equal(read->delay_ns, expected->delay_ns);
    assert_int_equal(read->jitter_ns, expected->jitter_ns);
    assert_int_equal(read->first_ns, expected->first_ns);
    assert_int_equal(read->longest_ns, expected->longest_ns);
    sim_scenario_free(&scenario);
}

static void every_answer_to_a_denial_has_its_keys_and_defaults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct sim_on_denial read;
    } CASES[] = {
        {"{\"kind\": \"ignore\"}", {SIM_DENIAL_IGNORE, 1, 1000000, 0, 0, 0}},
        {"{\"kind\": \"retry_at_once\"}", {SIM_DENIAL_RETRY_AT_ONCE, 10, 1000000, 0, 0, 0}},
        {"{\"kind\": \"obey\", \"attempts_max\": 1000, \"delay_ms\": 60000}",
         {SIM_DENIAL_OBEY, 1000, 60000000000, 0, 0, 0}},
        {"{\"kind\": \"obey_jitter\"}", {SIM_DENIAL_OBEY_JITTER, 10, 1000000, 1000000000, 0, 0}},
        {"{\"kind\": \"obey_jitter\", \"jitter_s\": 0.25}",
         {SIM_DENIAL_OBEY_JITTER, 10, 1000000, 250000000, 0, 0}},
        {"{\"kind\": \"backoff\", \"delay_ms\": 1.5}",
         {SIM_DENIAL_BACKOFF, 10, 1500000, 0, 100000000, 30000000000}},
        {"{\"kind\": \"backoff\", \"first_s\": 5, \"longest_s\": 5}",
         {SIM_DENIAL_BACKOFF, 10, 1000000, 0, 5000000000, 5000000000}},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_denial(CASES[i].text, &CASES[i].read);
    }
}

static void changes_are_sorted_and_those_of_one_time_keep_their_order(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "changes=[{\"at_s\": 30, \"plan\": \"free\", \"delete\": true, \"spread_ms\": 0.5},"
        "{\"at_s\": 10, \"endpoint\": \"list\", \"weight_units\": 3, \"repeats\": 10},"
        "{\"at_s\": 30, \"plan\": \"free\", \"to\": {\"algorithm\": \"window\", \"rate_per_s\": 9,"
        "\"sizer\": \"fixed\", \"fixed_lease_units\": 4}},"
        "{\"at_s\": 0, \"endpoint\": \"chat\", \"weight_units\": 0, \"spread_ms\": 60000}]"};

    scenario_base_load(&scenario, sets, 1);

    const struct sim_change *changes = scenario.changes;
    assert_int_equal(scenario.change_count, 4);
    assert_int_equal(changes[0].kind, SIM_CHANGE_WEIGHT);
    assert_int_equal(changes[0].at_ns, 0);
    assert_int_equal(changes[0].target, 0);
    assert_int_equal(changes[0].weight_units, 0);
    assert_int_equal(changes[0].spread_ns, 60000000000);
    assert_int_equal(changes[1].kind, SIM_CHANGE_WEIGHT);
    assert_int_equal(changes[1].at_ns, 10000000000);
    assert_int_equal(changes[1].target, 1);
    assert_int_equal(changes[1].weight_units, 3);
    assert_int_equal(changes[1].repeats, 10);
    assert_int_equal(changes[1].spread_ns, 0);
    assert_int_equal(changes[2].kind, SIM_CHANGE_DELETE);
    assert_int_equal(changes[2].target, 1);
    assert_int_equal(changes[2].spread_ns, 500000);
    assert_int_equal(changes[3].kind, SIM_CHANGE_PLAN);
    assert_int_equal(changes[3].at_ns, 30000000000);
    assert_int_equal(changes[3].target, 1);
    assert_int_equal(changes[3].plan.algorithm, SIM_ALGORITHM_WINDOW);
    assert_int_equal(changes[3].plan.rate_units, 9);
    assert_int_equal(changes[3].plan.sizer, SIM_SIZER_FIXED);
    assert_int_equal(changes[3].plan.fixed_lease_units, 4);
    sim_scenario_free(&scenario);
}

static void polls_get_their_defaults(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "polls=[{\"keys\": \"one\", \"every_s\": 0.001}, {\"keys\": \"one\", \"every_s\": 5,"
        "\"connections\": 4, \"from_s\": 10, \"until_s\": 20}]"};

    scenario_base_load(&scenario, sets, 1);
    assert_int_equal(scenario.poll_count, 2);
    assert_int_equal(scenario.polls[0].population, 0);
    assert_int_equal(scenario.polls[0].every_ns, 1000000);
    assert_int_equal(scenario.polls[0].connection_count, 2);
    assert_int_equal(scenario.polls[0].from_ns, 0);
    assert_int_equal(scenario.polls[0].until_ns, 60000000000);
    assert_int_equal(scenario.polls[1].connection_count, 4);
    assert_int_equal(scenario.polls[1].from_ns, 10000000000);
    assert_int_equal(scenario.polls[1].until_ns, 20000000000);
    sim_scenario_free(&scenario);
}

static void one_process_is_polled_over_one_connection(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {"fleet.processes=1",
                                       "polls=[{\"keys\": \"one\", \"every_s\": 1}]"};

    scenario_base_load(&scenario, sets, 2);
    assert_int_equal(scenario.polls[0].connection_count, 1);
    sim_scenario_free(&scenario);
}

static void comments_and_the_schema_are_ignored(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {
        "$schema=scenario.schema.json",
        "//=a file for nobody",
        "fleet.//=small",
        "plans.gold.//=\"why 600?\"",
        "traffic.//=more than is allowed",
        "traffic.on_denial={\"//\": \"polite\", \"kind\": \"obey\"}",
        "fleet.balance={\"//\": \"one each\", \"kind\": \"uniform\"}",
        "changes=[{\"//\": \"dear\", \"at_s\": 1, \"endpoint\": \"chat\", \"weight_units\": 99}]",
        "polls=[{\"//\": \"curious\", \"keys\": \"one\", \"every_s\": 1}]",
        "expect=[{\"//\": \"never\", \"path\": \"units.demand\", \"min\": 0}]",
    };

    scenario_base_load(&scenario, sets, sizeof sets / sizeof sets[0]);
    assert_int_equal(scenario.plans[0].rate_units, 600);
    assert_int_equal(scenario.process_count, 4);
    sim_scenario_free(&scenario);
}

static void a_comment_among_names_is_a_name(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    static const char *const sets[] = {"plans.//={\"rate_per_s\": 1, \"capacity_s\": 1}"};

    assert_refused("plans.//=gold is dear", "plans.//: found \"gold is dear\"");
    assert_refused("endpoints.//=cheap ones", "endpoints.//: found \"cheap ones\"");
    scenario_base_load(&scenario, sets, 1);
    assert_int_equal(scenario.plan_count, 3);
    assert_string_equal(scenario.plans[2].name, "//");
    sim_scenario_free(&scenario);
}

static void assert_work_refused(const char *const *sets, size_t set_count, const char *why)
{
    struct sim_scenario scenario;
    struct sim_error error;

    if (sim_scenario_load(&scenario, SCENARIO_FILE, sets, set_count, &error)) {
        fail_msg("accepted; expected: %s", why);
    }
    if (strstr(error.text, why) == NULL) {
        fail_msg("\"%s\" is not in: %s", why, error.text);
    }
}

static void planned_requests_are_bounded(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    /* 10 per s x 60 s x 1,000 x 166,666 = 99,999,600,000 */
    const char *sets[] = {"keys.one.count=166666", "traffic.demand_ratio=1000"};

    scenario_base_load(&scenario, sets, 2);
    sim_scenario_free(&scenario);
    sets[0] = "keys.one.count=166667";
    assert_work_refused(sets, 2, "traffic: found about 100000200000 requests up to here");
    sets[1] = "traffic={\"keys\": \"one\", \"pattern\": \"burst\", \"requests\": 600000}";
    assert_work_refused(sets, 2, "traffic: found about 100000200000 requests up to here");
    sets[1] = "traffic={\"keys\": \"one\", \"pattern\": \"herd\", \"requests\": 300001}";
    assert_work_refused(sets, 2, "traffic: found about 100000");
    sets[1] = "traffic=[{\"keys\": \"one\", \"demand_ratio\": 600},"
              "{\"keys\": \"one\", \"demand_ratio\": 401}]";
    assert_work_refused(sets, 2, "traffic[1]: found about 100100");
}

static void dear_requests_are_fewer(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    const char *sets[] = {"keys.one.count=1666660", "traffic.demand_ratio=1000",
                          "keys.one.mix={\"chat\": 1}"};

    scenario_base_load(&scenario, sets, 3);
    sim_scenario_free(&scenario);
    sets[0] = "keys.one.count=1666670";
    assert_work_refused(sets, 3, "requests up to here");
}

static void planned_clients_and_polls_are_bounded(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    const char *sets[] = {
        "keys.one.count=100",
        "traffic={\"keys\": \"one\", \"pattern\": \"closed\", \"clients\": 100000,"
        "\"think_ms\": 60000}",
    };

    scenario_base_load(&scenario, sets, 2);
    sim_scenario_free(&scenario);
    sets[0] = "keys.one.count=101";
    assert_work_refused(sets, 2, "traffic: found 10100000 clients up to here");
    sets[0] = "keys.one.count=1000000";
    sets[1] = "polls=[{\"keys\": \"one\", \"every_s\": 0.001}]";
    assert_work_refused(sets, 2, "polls[0]: found about 120002000000 polls up to here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_has_its_name),
        cmocka_unit_test(the_bounds_of_sliding_and_log_are_exact),
        cmocka_unit_test(a_bucket_of_nothing_needs_a_rate_of_nothing),
        cmocka_unit_test(a_plan_inherits_or_replaces_the_sizer),
        cmocka_unit_test(limiter_defaults_are_the_ones_documented),
        cmocka_unit_test(closed_traffic_has_clients_who_think),
        cmocka_unit_test(every_answer_to_a_denial_has_its_keys_and_defaults),
        cmocka_unit_test(changes_are_sorted_and_those_of_one_time_keep_their_order),
        cmocka_unit_test(polls_get_their_defaults),
        cmocka_unit_test(one_process_is_polled_over_one_connection),
        cmocka_unit_test(comments_and_the_schema_are_ignored),
        cmocka_unit_test(a_comment_among_names_is_a_name),
        cmocka_unit_test(planned_requests_are_bounded),
        cmocka_unit_test(dear_requests_are_fewer),
        cmocka_unit_test(planned_clients_and_polls_are_bounded),
    };

    return cmocka_run_group_tests(tests, scenario_base_write, scenario_base_remove);
}
