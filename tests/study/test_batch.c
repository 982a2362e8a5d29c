/* Many runs: each as weir run makes it, none made twice, and nothing begun when one is wrong. */
#include "unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "result.h"
#include "simulation.h"
#include "world_run.h"

#define SCENARIO "test_batch.json"
#define FOLDER "test_batch.tmp/deep"

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 5, \"fleet\": {\"processes\": 2}, \"store\": {},"            \
    " \"plans\": {\"gold\": {\"rate_per_s\": 50, \"capacity_units\": 20}},"                        \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}},"                                                  \
    " \"traffic\": {\"keys\": \"one\", \"demand_ratio\": 2},"                                      \
    " \"faults\": [{\"kind\": \"store_outage\", \"from_s\": 1, \"for_s\": 1}]%s}"

static void write_scenario(const char *more)
{
    char text[1000];

    snprintf(text, sizeof text, TEXT, more);
    world_run_write(SCENARIO, text);
}

static int set_up(void **state)
{
    (void)state;
    write_scenario("");
    return system("rm -rf test_batch.tmp");
}

static int tear_down(void **state)
{
    (void)state;
    return system("rm -rf test_batch.tmp " SCENARIO);
}

static const char *const seed_2[] = {"seed=2"};
static const char *const no_such_seed[] = {"seed=-1"};

static size_t done_count;

static void note_done(void *context, size_t run)
{
    const struct study_batch *batch = context;

    assert_non_null(batch->runs[run].result);
    done_count++;
}

/* The scenario as it is on both kernels, again on the heap, and with another seed. */
static void make(struct study_batch *batch, struct study_run runs[4], const char *folder)
{
    runs[0] = (struct study_run){.scenario = SCENARIO, .kernel = SIM_KERNEL_HEAP};
    runs[1] = (struct study_run){.scenario = SCENARIO, .kernel = SIM_KERNEL_SIMGRID};
    runs[2] = (struct study_run){.scenario = SCENARIO, .kernel = SIM_KERNEL_HEAP};
    runs[3] = (struct study_run){
        .scenario = SCENARIO, .kernel = SIM_KERNEL_HEAP, .sets = seed_2, .set_count = 1};
    *batch = (struct study_batch){
        .runs = runs,
        .run_count = 4,
        .folder = folder,
        .job_count = 2,
        .label = "test",
        .quiet = true,
        .done = note_done,
        .context = batch,
    };
    done_count = 0;
}

static const char *hash_of(const struct study_run *run)
{
    return json_string_value(json_object_get(run->result, "trace_hash"));
}

static void each_is_as_a_single_run(void **state)
{
    (void)state;
    struct study_batch batch;
    struct study_run runs[4];
    struct sim_scenario scenario;
    struct sim_simulation simulation;
    struct sim_error error;
    char reason[200];

    make(&batch, runs, NULL);
    assert_int_equal(study_batch_run(&batch), STUDY_DONE);
    assert_int_equal(batch.made_count, 3);
    assert_int_equal(batch.reused_count, 0);
    assert_int_equal(done_count, 4);
    assert_true(sim_scenario_load(&scenario, SCENARIO, seed_2, 1, &error));
    assert_int_equal(sim_simulation_make(&simulation, &scenario, SIM_KERNEL_HEAP,
                                         SIM_PROGRESS_HIDDEN, reason, sizeof reason),
                     SIM_EXIT_PASS);
    assert_string_equal(hash_of(&runs[3]),
                        json_string_value(json_object_get(simulation.result.json, "trace_hash")));
    sim_simulation_free(&simulation);
    sim_scenario_free(&scenario);
    assert_string_equal(hash_of(&runs[0]), hash_of(&runs[1]));
    assert_ptr_equal(runs[0].result, runs[2].result);
    assert_string_not_equal(hash_of(&runs[0]), hash_of(&runs[3]));
    double fired = 0;
    assert_true(sim_result_number(runs[0].result, "faults[0].fired_count", &fired));
    assert_true(fired > 0);
    study_batch_free(&batch);
}

static size_t again(struct study_batch *batch, struct study_run runs[4])
{
    make(batch, runs, FOLDER);
    assert_int_equal(study_batch_run(batch), STUDY_DONE);
    assert_int_equal(done_count, 4);
    assert_int_equal(batch->made_count + batch->reused_count, 3);
    study_batch_free(batch);
    return batch->made_count;
}

static void what_was_made_is_kept_until_it_changes(void **state)
{
    (void)state;
    struct study_batch batch;
    struct study_run runs[4];

    assert_int_equal(again(&batch, runs), 3);
    assert_int_equal(again(&batch, runs), 0);
    write_scenario(", \"seed\": 7");
    assert_int_equal(again(&batch, runs), 3);
    write_scenario("");
    assert_int_equal(again(&batch, runs), 0);
    /* what is damaged is no result, nor is what is somebody else's */
    assert_int_equal(system("for f in " FOLDER "/*.json; do head -c 100 $f > x; mv x $f; done"), 0);
    assert_int_equal(again(&batch, runs), 3);
    assert_int_equal(system("for f in " FOLDER "/*.json; do echo '{\"seed\": 1}' > $f; done"), 0);
    assert_int_equal(again(&batch, runs), 3);
}

static void no_runs_are_nothing_to_do(void **state)
{
    (void)state;
    struct study_batch batch = {.quiet = true};

    assert_int_equal(study_batch_run(&batch), STUDY_DONE);
    assert_int_equal(batch.made_count + batch.reused_count, 0);
}

static void a_mistake_is_found_before_the_first_run(void **state)
{
    (void)state;
    struct study_batch batch;
    struct study_run runs[4];

    make(&batch, runs, FOLDER);
    runs[3].sets = no_such_seed;
    assert_int_equal(study_batch_run(&batch), STUDY_FAILED);
    assert_int_equal(done_count, 0);
    assert_non_null(strstr(batch.error, "--set seed=-1"));
    assert_true(batch.is_refused);
    assert_int_equal(batch.failed_run, 3);
    study_batch_free(&batch);
    make(&batch, runs, SCENARIO "/folder");
    assert_int_equal(study_batch_run(&batch), STUDY_FAILED);
    assert_non_null(strstr(batch.error, "cannot be made a folder"));
    assert_true(batch.is_refused);
    assert_int_equal(batch.failed_run, batch.run_count);
    assert_int_equal(done_count, 0);
    study_batch_free(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_is_as_a_single_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_made_is_kept_until_it_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_runs_are_nothing_to_do, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mistake_is_found_before_the_first_run, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
