/* The first decision that differs, against every decision of both runs. */
#include "study_case.h"

#include <stdlib.h>

#include "divergence.h"

#define DECISIONS_MAX 2000

struct log {
    struct study_decision decisions[DECISIONS_MAX];
    size_t count;
};

static void note(void *context, uint32_t process, const struct sim_waiting *request,
                 uint64_t decided_ns, const struct weir_decision *decision)
{
    struct log *log = context;

    assert_true(log->count < DECISIONS_MAX);
    log->decisions[log->count++] = (struct study_decision){
        .arrived_ns = request->arrived_ns,
        .key = request->key,
        .process = process,
        .verdict = decision->verdict,
        .decided_ns = decided_ns,
    };
}

static int by_arrival(const void *a, const void *b)
{
    const struct study_decision *left = a;
    const struct study_decision *right = b;

    return (left->arrived_ns > right->arrived_ns) - (left->arrived_ns < right->arrived_ns);
}

static void run(const struct sim_scenario *scenario, struct log *log)
{
    struct sim_world world;
    char error[256];

    assert_true(sim_world_init(&world, scenario, SIM_KERNEL_HEAP, error, sizeof error));
    world.decided = note;
    world.decided_context = log;
    assert_true(sim_world_run(&world));
    sim_world_deinit(&world);
    qsort(log->decisions, log->count, sizeof log->decisions[0], by_arrival);
}

static enum study_end find(struct study_divergence *divergence, struct sim_scenario scenarios[2],
                           const char *a, const char *b)
{
    world_run_load(&scenarios[0], study_case_file(), a);
    world_run_load(&scenarios[1], study_case_file(), b);
    *divergence = (struct study_divergence){
        .scenarios = {&scenarios[0], &scenarios[1]}, .kernel = SIM_KERNEL_HEAP, .quiet = true};
    return study_divergence_find(divergence);
}

static void it_is_the_first_of_all_that_differ(void **state)
{
    (void)state;
    static struct log logs[2];
    struct study_divergence divergence;
    struct sim_scenario scenarios[2];
    size_t first = 0;

    assert_int_equal(find(&divergence, scenarios, STUDY_CASE_TEXT("4", ""),
                          STUDY_CASE_TEXT("4", ", \"limiter\": {\"sizer\": \"fixed\"}")),
                     STUDY_DONE);
    run(&scenarios[0], &logs[0]);
    run(&scenarios[1], &logs[1]);
    assert_int_equal(logs[0].count, logs[1].count);
    while (logs[0].decisions[first].verdict == logs[1].decisions[first].verdict) {
        first++;
        assert_true(first < logs[0].count);
    }
    assert_true(divergence.found);
    for (size_t side = 0; side < 2; side++) {
        const struct study_decision *expected = &logs[side].decisions[first];
        const struct study_decision *found = &divergence.decisions[side];
        assert_true(found->is_there);
        assert_int_equal(found->arrived_ns, expected->arrived_ns);
        assert_int_equal(found->key, expected->key);
        assert_int_equal(found->process, expected->process);
        assert_int_equal(found->verdict, expected->verdict);
        assert_int_equal(found->decided_ns, expected->decided_ns);
    }
    assert_true(divergence.second_differing_count >= 1);
    assert_true(divergence.second_differing_count <= divergence.second_request_count);
    assert_int_equal(divergence.second_count, 21);
    sim_scenario_free(&scenarios[0]);
    sim_scenario_free(&scenarios[1]);
}

static void the_same_has_none(void **state)
{
    (void)state;
    struct study_divergence divergence;
    struct sim_scenario scenarios[2];

    assert_int_equal(find(&divergence, scenarios, STUDY_CASE_TEXT("4", ""),
                          STUDY_CASE_TEXT("4", ", \"limiter\": {\"table_keys\": 0}")),
                     STUDY_DONE);
    assert_false(divergence.found);
    assert_int_equal(divergence.differing_second_count, 0);
    sim_scenario_free(&scenarios[0]);
    sim_scenario_free(&scenarios[1]);
}

static void other_requests_are_not_searched(void **state)
{
    (void)state;
    struct study_divergence divergence;
    struct sim_scenario scenarios[2];

    assert_int_equal(
        find(&divergence, scenarios, STUDY_CASE_TEXT("4", ""), STUDY_CASE_TEXT("5", "")),
        STUDY_DONE);
    assert_false(divergence.found);
    assert_int_equal(study_given_compare(&divergence.given[0], &divergence.given[1]),
                     STUDY_UNPAIRED);
    sim_scenario_free(&scenarios[0]);
    sim_scenario_free(&scenarios[1]);
}

static void keys_have_their_populations_names(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    world_run_load(&scenario, study_case_file(), STUDY_CASE_TEXT("4", ""));
    assert_string_equal(study_divergence_key(&scenario, 0).text, "one/0");
    assert_string_equal(study_divergence_key(&scenario, 3).text, "many/2");
    sim_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_first_of_all_that_differ),
        cmocka_unit_test(the_same_has_none),
        cmocka_unit_test(other_requests_are_not_searched),
        cmocka_unit_test(keys_have_their_populations_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
