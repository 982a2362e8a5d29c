/* What is seen of one request: on either kernel the same, whatever is looked at the run is the
 * same, and what is seen fits together. */
#include "world_run.h"

#include "recorder.h"

#define FILE_NAME "test_recorder.tmp.json"

static void load(struct sim_scenario *scenario, const char *store)
{
    char text[1000];

    snprintf(text, sizeof text,
             "{\"why\": \"w\", \"duration_s\": 8, \"fleet\": {\"processes\": 4}, \"store\": {%s},"
             " \"plans\": {\"p\": {\"rate_per_s\": 50, \"capacity_units\": 100}},"
             " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 2}},"
             " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 1.5}}",
             store);
    world_run_load(scenario, FILE_NAME, text);
}

/* Returns the trace of a run in which the first request of key 1 from 5 s on is watched. */
static uint64_t watch(const struct sim_scenario *scenario, enum sim_kernel_kind kind,
                      struct sim_recorder *recorder, uint32_t process)
{
    struct sim_world world;
    char error[256];

    assert_true(sim_world_init(&world, scenario, kind, error, sizeof error));
    if (recorder != NULL) {
        sim_recorder_init(recorder, 1, process, UINT64_C(5000000000), 4);
        world.recorder = recorder;
    }
    assert_true(sim_world_run(&world));
    const uint64_t trace = sim_trace_hash_value(&world.trace, world.trace.second_count - 1);
    sim_world_deinit(&world);
    return trace;
}

static void a_run_that_is_watched_is_the_same_run(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_recorder recorder;

    load(&scenario, "\"jitter_us\": 200");
    const uint64_t alone = watch(&scenario, SIM_KERNEL_HEAP, NULL, 0);
    for (uint32_t process = 0; process < 5; process++) {
        const uint32_t which = process == 4 ? SIM_RECORDER_ANY : process;
        assert_int_equal(watch(&scenario, SIM_KERNEL_HEAP, &recorder, which), alone);
        assert_true(recorder.found && recorder.stopped && recorder.decided);
        assert_true(process == 4 || recorder.arrival.process == process);
        assert_true(recorder.arrival.time_ns >= UINT64_C(5000000000));
        sim_recorder_deinit(&recorder);
    }
    sim_scenario_free(&scenario);
}

static void what_is_seen_fits_together(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_recorder recorder;
    uint64_t sent_ns = 0;
    uint64_t held_units = 0;

    load(&scenario, "\"capacity_per_s\": 2000");
    (void)watch(&scenario, SIM_KERNEL_HEAP, &recorder, SIM_RECORDER_ANY);
    const size_t count = sim_recorder_ask_count(&recorder);
    assert_int_equal(count, SIM_RECORDER_ASKS);
    for (size_t i = 0; i < count; i++) {
        const struct sim_recorded_ask *ask = sim_recorder_ask(&recorder, i);
        assert_true(ask->sent_ns >= sent_ns && ask->sent_ns <= recorder.decided_ns);
        assert_int_equal(ask->exchange.process, recorder.arrival.process);
        assert_int_equal(ask->exchange.key, 1);
        assert_int_equal(ask->sent_count, 1);
        assert_int_equal(ask->arrived_count, 1);
        assert_true(ask->arrived_ns > ask->sent_ns && ask->done_ns > ask->arrived_ns);
        assert_true(ask->answered_ns > ask->done_ns);
        assert_int_equal(ask->after.left_units, ask->exchange.answer.remaining_units);
        assert_int_equal(ask->after.out_units, ask->exchange.answer.outstanding_units);
        sent_ns = ask->sent_ns;
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(recorder.processes[i].spendable_units <= recorder.processes[i].held_units);
        held_units += recorder.processes[i].held_units;
    }
    /* no permit is held that the bucket did not have */
    assert_in_range(recorder.level.left_units + held_units, 0, 100);
    assert_int_equal(recorder.limit_units, 3000);
    assert_int_equal(recorder.processes[recorder.arrival.process].held_units,
                     recorder.snapshot.held_units);
    assert_true(recorder.ideal_admits == (recorder.ideal_left_units >= 1));
    sim_recorder_deinit(&recorder);
    sim_scenario_free(&scenario);
}

static void a_request_that_never_comes_is_not_found(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_recorder recorder;
    struct sim_world world;
    char error[256];

    load(&scenario, "");
    assert_true(sim_world_init(&world, &scenario, SIM_KERNEL_HEAP, error, sizeof error));
    sim_recorder_init(&recorder, 0, SIM_RECORDER_ANY, scenario.duration_ns - 1, 4);
    world.recorder = &recorder;
    assert_true(sim_world_run(&world));
    assert_false(recorder.found);
    assert_in_range(recorder.nearest_ns, 1, scenario.duration_ns - 2);
    sim_world_deinit(&world);
    sim_recorder_deinit(&recorder);
    sim_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_is_watched_is_the_same_run),
        cmocka_unit_test(what_is_seen_fits_together),
        cmocka_unit_test(a_request_that_never_comes_is_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
