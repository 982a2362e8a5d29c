/* One process, per_request, a constant round trip: the simulator as a plain token bucket.
 *
 * An hour of LLM requests has to be decided as a bucket written from scratch decides it (its totals
 * are golden: see test_llm_trace.c), each one at the nanosecond that latency, service and queue
 * give. The trace hash covers every decision and every step of the store with its time, so one
 * number says whether all 8,819 agree. */
#include "world_run.h"

#include <inttypes.h>

#define FILE_NAME "test_process.tmp.json"
#define TRACE_PATH WEIR_SOURCE_DIR "/scenarios/traces/azure-llm-code-2023.csv"
#define MINUTE_NS UINT64_C(60000000000)
#define RATE_UNITS UINT64_C(300000) /* per minute */
#define CAPACITY_UNITS UINT64_C(60000)
#define ONE_WAY_NS UINT64_C(250000)
#define SERVICE_NS UINT64_C(10000)

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 3500, \"fleet\": {\"processes\": 1},"                        \
    " \"store\": {\"round_trip_us\": 500}, \"limiter\": {\"coordination\": \"per_request\"},"      \
    " \"plans\": {\"tokens\": {\"rate_per_min\": 300000, \"capacity_units\": 60000}},"             \
    " \"keys\": {\"code\": {\"plan\": \"tokens\"}},"                                               \
    " \"traffic\": {\"keys\": \"code\", \"trace\": \"" TRACE_PATH "\"}}"

struct bucket {
    uint64_t level; /* in units x a minute's nanoseconds */
    uint64_t updated_ns;
    uint64_t busy_until_ns;
    struct sim_trace_hash trace;
};

static bool bucket_admits(struct bucket *bucket, uint64_t now_ns, uint32_t cost_units)
{
    const uint64_t capacity = CAPACITY_UNITS * MINUTE_NS;

    bucket->level += RATE_UNITS * (now_ns - bucket->updated_ns);
    bucket->level = bucket->level < capacity ? bucket->level : capacity;
    bucket->updated_ns = now_ns;
    if (cost_units * MINUTE_NS > bucket->level) {
        return false;
    }
    bucket->level -= cost_units * MINUTE_NS;
    return true;
}

/* What the simulator should record about one request. */
static void expect_request(struct bucket *bucket, const struct sim_trace_row *row)
{
    const uint64_t reached_ns = row->time_ns + ONE_WAY_NS;
    const uint64_t start_ns =
        reached_ns > bucket->busy_until_ns ? reached_ns : bucket->busy_until_ns;
    const uint64_t done_ns = start_ns + SERVICE_NS;
    const bool admitted = bucket_admits(bucket, row->time_ns, row->cost_units);

    bucket->busy_until_ns = done_ns;
    sim_trace_hash_add(&bucket->trace, done_ns, 1, admitted ? row->cost_units : 0, 0);
    sim_trace_hash_add(&bucket->trace, done_ns + ONE_WAY_NS, 0,
                       row->time_ns << 2 | (admitted ? 1 : 2), 0);
}

static void an_hour_of_requests_is_decided_one_by_one_as_a_plain_bucket_does(void **state)
{
    (void)state;
    struct bucket bucket = {.level = CAPACITY_UNITS * MINUTE_NS};
    struct world_run run;

    world_run_play(&run, FILE_NAME, TEXT, SIM_KERNEL_HEAP);
    sim_trace_hash_init(&bucket.trace, run.scenario.duration_ns);
    for (size_t i = 0; i < run.scenario.traffic[0].row_count; i++) {
        expect_request(&bucket, &run.scenario.traffic[0].rows[i]);
    }

    assert_int_equal(run.world.metrics.requests, 8819);
    assert_int_equal(run.world.metrics.admitted, 5544);
    assert_int_equal(run.result.all.admitted_units, 7635266);
    assert_int_equal(run.result.all.oracle_units, 7635266);
    assert_int_equal(run.world.metrics.asks, 8819);
    for (size_t second = 0; second < bucket.trace.second_count; second++) {
        assert_int_equal(sim_trace_hash_value(&run.world.trace, second),
                         sim_trace_hash_value(&bucket.trace, second));
    }
    sim_trace_hash_deinit(&bucket.trace);
    world_run_free(&run);
}

static void its_first_touch_and_its_latency_are_exact(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(&run, FILE_NAME, TEXT, SIM_KERNEL_HEAP);

    assert_int_equal(run.world.metrics.pairs, 1);
    assert_int_equal(run.world.metrics.first_touches.count, 1);
    assert_int_equal(run.world.metrics.first_touches.max_ns, 2 * ONE_WAY_NS + SERVICE_NS);
    assert_int_equal(run.world.metrics.all.waited, 5544);
    assert_int_equal(run.result.all.over_units_max, 0);
    assert_int_equal(run.result.all.under_units_max, 0);
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_of_requests_is_decided_one_by_one_as_a_plain_bucket_does),
        cmocka_unit_test(its_first_touch_and_its_latency_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
