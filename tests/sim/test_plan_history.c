/* Which plan holds a key when. */
#include "accuracy_case.h"

#include "plan_history.h"

#define HISTORY (&played.accuracy.history)

static void without_changes_there_is_one_era(void **state)
{
    (void)state;
    struct accuracy_case played;
    struct sim_oracle_rule rule;

    case_begin(&played, 60000, 1000, 150, 1);
    sim_plan_history_rule(HISTORY, 0, 0, &rule);

    assert_int_equal(sim_plan_history_era_count(HISTORY, 0), 1);
    assert_int_equal(sim_plan_history_start_ns(HISTORY, 0, 0), 0);
    assert_int_equal(sim_plan_history_start_ns(HISTORY, 0, 1), UINT64_MAX);
    assert_int_equal(sim_plan_history_altered_ns(HISTORY, 0), UINT64_MAX);
    assert_int_equal(sim_plan_history_limit_units(HISTORY, 0, 7, 8), 60000);
    assert_int_equal(rule.kind, SIM_ORACLE_BUCKET);
    assert_int_equal(rule.rate_units * SECOND_NS, 1000 * rule.period_ns);
    assert_int_equal(rule.capacity_units, 1000);
    case_end(&played);
}

static void each_change_of_the_plan_begins_an_era(void **state)
{
    (void)state;
    static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_WINDOW, SIM_ALGORITHM_SLIDING,
                                                    SIM_ALGORITHM_LOG, SIM_ALGORITHM_UNLIMITED};
    static const enum sim_oracle_kind kinds[] = {SIM_ORACLE_WINDOW, SIM_ORACLE_SLIDING,
                                                 SIM_ORACLE_LOG, SIM_ORACLE_UNLIMITED};
    const struct sim_plan bucket = case_plan(SIM_ALGORITHM_BUCKET, 60000, 1000);
    struct accuracy_case played;
    struct sim_change changes[5];
    struct sim_oracle_rule rule;

    for (uint64_t i = 0; i < 4; i++) {
        struct sim_plan plan = case_plan(algorithms[i], 600, 0);
        plan.window_us = 30000000;
        changes[i] = case_change((i + 1) * SECOND_NS, &plan);
    }
    changes[4] = case_delete(5 * SECOND_NS);
    case_begin_changing(&played, &bucket, changes, 5, 150, 1);

    assert_int_equal(sim_plan_history_era_count(HISTORY, 0), 6);
    for (uint32_t i = 0; i < 4; i++) {
        sim_plan_history_rule(HISTORY, 0, i + 1, &rule);
        assert_int_equal(rule.kind, kinds[i]);
        assert_int_equal(sim_plan_history_start_ns(HISTORY, 0, i + 1), (i + 1) * SECOND_NS);
        assert_int_equal(sim_plan_history_era(HISTORY, 0, i + 1)->plan.version, i + 2);
        if (kinds[i] != SIM_ORACLE_UNLIMITED) {
            assert_int_equal(rule.limit_units, 300);
            assert_int_equal(rule.window_ns, 30 * SECOND_NS);
            assert_int_equal(rule.phase_ns, sim_catalog_phase_ns(&played.catalog, 0, 30000000));
        }
    }
    sim_plan_history_rule(HISTORY, 0, 5, &rule);
    assert_int_equal(rule.kind, SIM_ORACLE_DELETED);
    case_end(&played);
}

static void a_plan_has_only_its_own_changes(void **state)
{
    (void)state;
    const struct sim_plan bucket = case_plan(SIM_ALGORITHM_BUCKET, 60000, 1000);
    struct sim_plan plans[2] = {bucket, bucket};
    struct sim_population populations[2] = {{.name = "a", .key_count = 1},
                                            {.name = "b", .key_count = 1, .plan = 1}};
    struct sim_change changes[3] = {case_delete(1), case_delete(2), case_delete(3)};
    struct sim_scenario scenario = {.duration_ns = MINUTE_NS,
                                    .process_count = 1,
                                    .shard_count = 1,
                                    .plans = plans,
                                    .plan_count = 2,
                                    .populations = populations,
                                    .population_count = 2,
                                    .changes = changes,
                                    .change_count = 3};
    struct sim_catalog catalog;
    struct sim_plan_history history;

    changes[0].target = 1;
    changes[1].kind = SIM_CHANGE_WEIGHT; /* of endpoint 0 */
    sim_catalog_init(&catalog, &scenario);
    sim_plan_history_init(&history, &catalog);

    assert_int_equal(sim_plan_history_era_count(&history, 0), 2);
    assert_int_equal(sim_plan_history_start_ns(&history, 0, 1), 3);
    assert_int_equal(sim_plan_history_era_count(&history, 1), 2);
    assert_int_equal(sim_plan_history_start_ns(&history, 1, 1), 1);
    sim_plan_history_deinit(&history);
    sim_catalog_deinit(&catalog);
}

static void only_another_algorithm_or_window_alters_a_plan(void **state)
{
    (void)state;
    const struct sim_plan bucket = case_plan(SIM_ALGORITHM_BUCKET, 60000, 1000);
    const struct sim_plan log = case_plan(SIM_ALGORITHM_LOG, 60000, 0);
    struct sim_plan accounted = case_plan(SIM_ALGORITHM_BUCKET, 600, 10);
    struct sim_plan shorter = case_plan(SIM_ALGORITHM_LOG, 60000, 0);
    struct sim_plan smaller = case_plan(SIM_ALGORITHM_LOG, 600, 0);
    accounted.window_us = 1000000;
    shorter.window_us = 1000000;
    const struct {
        const struct sim_plan *first;
        struct sim_change change;
        uint64_t altered_ns;
    } cases[] = {
        {&bucket, case_change(5, &accounted), UINT64_MAX},
        {&log, case_change(5, &smaller), UINT64_MAX},
        {&log, case_change(5, &shorter), 5},
        {&log, case_change(5, &bucket), 5},
        {&bucket, case_delete(5), 5},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct accuracy_case played;

        case_begin_changing(&played, cases[i].first, &cases[i].change, 1, 60, 1);
        assert_int_equal(sim_plan_history_altered_ns(HISTORY, 0), cases[i].altered_ns);
        case_end(&played);
    }
}

static void the_limit_of_a_span_is_the_mean_over_the_time_that_has_one(void **state)
{
    (void)state;
    const struct sim_plan first = case_plan(SIM_ALGORITHM_BUCKET, 1000, 10);
    const struct sim_plan second = case_plan(SIM_ALGORITHM_BUCKET, 4000, 10);
    const struct sim_plan unlimited = case_plan(SIM_ALGORITHM_UNLIMITED, 0, 0);
    const struct sim_change changes[] = {case_change(60, &second), case_change(100, &unlimited),
                                         case_delete(120), case_change(200, &first)};
    static const struct {
        uint64_t from_ns;
        uint64_t to_ns;
        uint64_t limit_units;
    } CASES[] = {
        {0, 60, 1000},   {59, 61, 2500},   {60, 100, 4000}, {0, 80, 1750},
        {90, 110, 4000}, {100, 200, 0},    {110, 130, 0},   {0, 100, 2200},
        {90, 210, 2500}, {199, 201, 1000}, {57, 61, 1750},  {0, 200, 2200},
    };
    struct accuracy_case played;

    case_begin_changing(&played, &first, changes, 4, 60, 1);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_int_equal(sim_plan_history_limit_units(HISTORY, 0, CASES[i].from_ns, CASES[i].to_ns),
                         CASES[i].limit_units);
    }
    case_end(&played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_changes_there_is_one_era),
        cmocka_unit_test(each_change_of_the_plan_begins_an_era),
        cmocka_unit_test(a_plan_has_only_its_own_changes),
        cmocka_unit_test(only_another_algorithm_or_window_alters_a_plan),
        cmocka_unit_test(the_limit_of_a_span_is_the_mean_over_the_time_that_has_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
