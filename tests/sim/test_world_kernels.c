/* The same world on both kernels, and on links that are too slow for its asks. */
#include "kernel_child.h"

#define FILE_NAME "test_world_kernels.tmp.json"

#define FIVE_KEYS                                                                                  \
    " \"plans\": {\"b\": {\"rate_per_min\": 6000, \"capacity_s\": 2},"                             \
    " \"w\": {\"algorithm\": \"window\", \"rate_per_min\": 3000, \"window_s\": 2}},"               \
    " \"keys\": {\"b\": {\"plan\": \"b\", \"count\": 3}, \"w\": {\"plan\": \"w\", \"count\": 2}}," \
    " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 1.5}, {\"keys\": \"w\","                   \
    " \"demand_ratio\": 1.2}]}"

static const char *const scenarios[] = {
    "{\"why\": \"leases, with everything that moves\", \"duration_s\": 12,"
    " \"fleet\": {\"processes\": 7, \"balance\": {\"kind\": \"zipf\", \"exponent\": 1},"
    " \"clock\": {\"offset_max_ms\": 300, \"drift_max_ppm\": 90}},"
    " \"store\": {\"shards\": 2, \"jitter_us\": 300, \"capacity_per_s\": 5000},"
    " \"limiter\": {\"table_keys\": 3}," FIVE_KEYS,
    "{\"why\": \"asks in the same instants\", \"duration_s\": 6, \"fleet\": {\"processes\": 4},"
    " \"store\": {\"jitter_us\": 100}, \"limiter\": {\"coordination\": \"per_request\"}," FIVE_KEYS,
    "{\"why\": \"clients that react\", \"duration_s\": 8, \"fleet\": {\"processes\": 5},"
    " \"store\": {\"jitter_us\": 200, \"capacity_per_s\": 20000},"
    " \"plans\": {\"b\": {\"rate_per_min\": 6000, \"capacity_s\": 1},"
    " \"w\": {\"algorithm\": \"window\", \"rate_per_min\": 6000, \"window_s\": 2}},"
    " \"keys\": {\"b\": {\"plan\": \"b\", \"count\": 2}, \"w\": {\"plan\": \"w\", \"count\": 2}},"
    " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 2,"
    " \"on_denial\": {\"kind\": \"backoff\", \"first_s\": 0.01}},"
    " {\"keys\": \"w\", \"demand_ratio\": 2,"
    " \"on_denial\": {\"kind\": \"obey_jitter\", \"jitter_s\": 0.3}},"
    " {\"keys\": \"b\", \"demand_ratio\": 0.5,"
    " \"on_denial\": {\"kind\": \"retry_at_once\", \"delay_ms\": 7}},"
    " {\"keys\": \"w\", \"pattern\": \"closed\", \"clients\": 20, \"think_ms\": 100,"
    " \"on_denial\": {\"kind\": \"obey\"}}],"
    " \"polls\": [{\"keys\": \"w\", \"every_s\": 0.5}]}",
    "{\"why\": \"the note\", \"duration_s\": 6, \"fleet\": {\"processes\": 4},"
    " \"store\": {\"jitter_us\": 2000}, \"limiter\": {\"coordination\": \"as_written\"}," FIVE_KEYS,
};

enum {
    SCENARIO_COUNT = sizeof scenarios / sizeof scenarios[0],
};

static void both_kernels_give_the_same_result(void **state)
{
    (void)state;
    for (int i = 0; i < (UNIT_IS_SANITIZED ? 1 : SCENARIO_COUNT); i++) {
        struct world_run run;

        char *simgrid = kernel_child_run(FILE_NAME, scenarios[i]);
        world_run_play_patiently(&run, FILE_NAME, scenarios[i], SIM_KERNEL_HEAP);
        char *heap = kernel_child_text(&run);

        assert_true(run.world.metrics.asks > 300);
        assert_string_equal(heap, simgrid);
        free(heap);
        free(simgrid);
        world_run_free(&run);
    }
}

static void the_same_seed_gives_the_same_result_and_another_another(void **state)
{
    (void)state;
    char *texts[3];

    for (int i = 0; i < 3; i++) {
        struct world_run run;
        char text[2000];

        snprintf(text, sizeof text, "{\"seed\": %d, %s", i < 2 ? 1 : 2, scenarios[0] + 1);
        world_run_play_patiently(&run, FILE_NAME, text, SIM_KERNEL_HEAP);
        texts[i] = kernel_child_text(&run);
        world_run_free(&run);
    }

    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (int i = 0; i < 3; i++) {
        free(texts[i]);
    }
}

#define BANDWIDTH                                                                                  \
    "{\"why\": \"bandwidth\", \"duration_s\": 5, \"fleet\": {\"processes\": 3},"                   \
    " \"store\": {\"round_trip_us\": 500%s}, \"limiter\": {\"coordination\": \"%s\"},"             \
    " \"plans\": {\"p\": {\"rate_per_min\": 120, \"capacity_units\": 60}},"                        \
    " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 2}},"                                         \
    " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 0.9}}"

static double latency_us(const char *coordination, const char *store, const char *name)
{
    char text[1000];

    snprintf(text, sizeof text, BANDWIDTH, store, coordination);
    char *result = kernel_child_run(FILE_NAME, text);
    json_t *json = json_loads(result, 0, NULL);
    assert_non_null(json);
    assert_true(json_integer_value(json_object_get(json_object_get(json, "decisions"), "total")) >
                10);
    assert_int_equal(
        json_number_value(json_object_get(json_object_get(json, "availability"), "answered_pct")),
        100);
    const double value =
        json_number_value(json_object_get(json_object_get(json, "latency_us"), name));
    json_decref(json);
    free(result);
    return value;
}

/* An ask of 160 bytes alone takes 160 ms at 1,000 bytes a second, its answer of 120 bytes 120 ms.
 */
static void answers_come_later_where_bandwidth_is_short(void **state)
{
    (void)state;
    const double free_us = latency_us("per_request", "", "max");
    const double short_us = latency_us("per_request", ", \"bandwidth_bytes_per_s\": 1000", "p50");

    assert_true(free_us < 600);
    assert_true(short_us >= 280000);
}

static void leases_work_on_slow_links_too(void **state)
{
    (void)state;
    assert_true(latency_us("lease", ", \"bandwidth_bytes_per_s\": 1000", "max") >= 280000);
}

static void the_heap_kernel_refuses_a_limited_bandwidth(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_world world;
    char text[1000];
    char error[256];

    snprintf(text, sizeof text, BANDWIDTH, ", \"bandwidth_bytes_per_s\": 1000", "lease");
    world_run_load(&scenario, FILE_NAME, text);

    assert_false(sim_world_init(&world, &scenario, SIM_KERNEL_HEAP, error, sizeof error));
    assert_string_equal(error, "the heap kernel models no bandwidth; use the simgrid kernel");
    sim_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kernels_give_the_same_result),
        cmocka_unit_test(the_same_seed_gives_the_same_result_and_another_another),
        cmocka_unit_test(answers_come_later_where_bandwidth_is_short),
        cmocka_unit_test(leases_work_on_slow_links_too),
        cmocka_unit_test(the_heap_kernel_refuses_a_limited_bandwidth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
