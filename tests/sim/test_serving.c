/* Whole worlds whose asks and answers are lost, late, doubled or refused, and whose stores are slow
 * or forget: each fault acts, changes something, and does the same on both kernels; and a permit is
 * spent or was lost with its answer. */
#include "faulty_run.h"

#define FILE_NAME "test_serving.tmp.json"
#define MS (FAULTY_RUN_SECOND_NS / 1000)

#define FLEET                                                                                      \
    "{\"why\": \"w\", \"duration_s\": 9, \"fleet\": {\"processes\": 5,"                            \
    " \"clock\": {\"offset_max_ms\": 300, \"drift_max_ppm\": 90}},"                                \
    " \"store\": {\"shards\": 2, \"jitter_us\": 300, \"capacity_per_s\": 5000},"
#define PLANS                                                                                      \
    " \"plans\": {\"b\": {\"rate_per_min\": 6000, \"capacity_s\": 2},"                             \
    " \"w\": {\"algorithm\": \"window\", \"rate_per_min\": 3000, \"window_s\": 2},"                \
    " \"l\": {\"algorithm\": \"log\", \"rate_per_min\": 6000, \"window_s\": 1}},"                  \
    " \"keys\": {\"b\": {\"plan\": \"b\", \"count\": 3}, \"w\": {\"plan\": \"w\", \"count\": 2},"  \
    " \"l\": {\"plan\": \"l\"}},"                                                                  \
    " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 1.5},"                                     \
    " {\"keys\": \"w\", \"demand_ratio\": 0.8}, {\"keys\": \"l\", \"demand_ratio\": 0.8}]}"

static const char *const leases = FLEET PLANS;
/* Nothing is decided without the store: what is granted is spent or given back. */
static const char *const patient =
    FLEET " \"limiter\": {\"wait_ms\": 1000, \"ask_timeout_ms\": 2000}," PLANS;
/* It waits for its answers to the end, and admits nothing without them. */
static const char *const per_request =
    FLEET " \"limiter\": {\"coordination\": \"per_request\", \"degraded\": \"closed\","
          " \"ask_timeout_ms\": 60000}," PLANS;
static const char *const per_request_open =
    FLEET " \"limiter\": {\"coordination\": \"per_request\"}," PLANS;

static void loss(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_LOSS, 3, 6)->probability_ppm = 200000;
}

static void request_lost(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_REQUEST_LOST, 3, 6)->probability_ppm = 200000;
}

static void reply_lost(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_REPLY_LOST, 3, 6)->probability_ppm = 200000;
}

static void duplicate(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_DUPLICATE, 3, 6)->spread_ns = 20 * MS;
}

static void delay(struct faulty_run *run)
{
    struct fault *fault = faulty_run_add(run, FAULT_DELAY, 3, 6);
    fault->added_ns = MS;
    fault->spread_ns = 9 * MS; /* messages overtake each other */
}

static void partition(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_PARTITION, 3, 6);
    faulty_run_target(run, 1);
    faulty_run_target(run, 2);
}

static void half_partition(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_PARTITION, 3, 6)->way = FAULT_TO_PROCESS;
    faulty_run_target(run, 1);
}

static void region_cut(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_REGION_CUT, 3, 6);
    faulty_run_target(run, 0);
    faulty_run_target(run, 1);
}

static void outage(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_OUTAGE, 3, 5);
}

static void flapping(struct faulty_run *run)
{
    struct fault *fault = faulty_run_add(run, FAULT_STORE_OUTAGE, 3, 6);
    fault->period_ns = 100 * MS;
    fault->on_ppm = 300000;
}

static void slow(struct faulty_run *run)
{
    struct fault *fault = faulty_run_add(run, FAULT_STORE_SLOW, 3, 6);
    fault->factor_ppm = 1500000;
    fault->added_ns = MS;
    fault->spread_ns = MS;
}

/* Answers come before a process could expect them of a healthy store. */
static void quick(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_SLOW, 3, 6)->factor_ppm = 1;
}

static void refusals(struct faulty_run *run)
{
    struct fault *fault = faulty_run_add(run, FAULT_STORE_ERROR, 3, 6);
    fault->probability_ppm = 300000;
    fault->error = FAULT_ERROR_OOM;
}

static void unknown_script(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_ERROR, 3, 6)->error = FAULT_ERROR_NOSCRIPT;
}

static void connections(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_CONNECTIONS, 3, 6)->limit = 3;
}

static void failover(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_FAILOVER, 5, 6)->lag_ns = 800 * MS;
}

static void emptied(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_EMPTY, 3, 4);
}

static void evictions(struct faulty_run *run)
{
    struct fault *fault = faulty_run_add(run, FAULT_STORE_EVICT, 3, 6);
    fault->probability_ppm = 400000;
    fault->period_ns = FAULTY_RUN_SECOND_NS;
}

static void split(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_SPLIT, 3, 6)->lag_ns = 300 * MS;
    faulty_run_target(run, 0);
    faulty_run_target(run, 1);
}

static void store_clock(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_STORE_CLOCK, 3, 6)->step_ns = 700 * (int64_t)MS;
}

static void everything(struct faulty_run *run)
{
    loss(run);
    duplicate(run);
    failover(run);
    delay(run);
}

static void (*const cases[])(struct faulty_run *run) = {
    loss,        request_lost, reply_lost, duplicate, delay, partition,   half_partition,
    region_cut,  outage,       flapping,   slow,      quick, refusals,    unknown_script,
    connections, failover,     emptied,    evictions, split, store_clock, everything,
};

enum {
    CASE_COUNT = sizeof cases / sizeof cases[0],
};

static void play(void (*add_faults)(struct faulty_run *run), const char *text,
                 enum sim_kernel_kind kind, struct faulty_outcome *outcome)
{
    struct faulty_run run = {0};

    if (add_faults != NULL) {
        add_faults(&run);
    }
    if (kind == SIM_KERNEL_HEAP) {
        faulty_run_play_here(&run, FILE_NAME, text, kind, outcome);
    } else {
        faulty_run_play_in_child(&run, FILE_NAME, text, outcome);
    }
}

static void each_fault_acts_and_changes_something_but_not_before_its_time(void **state)
{
    (void)state;
    const char *const texts[] = {leases, per_request};

    for (unsigned t = 0; t < 2; t++) {
        struct faulty_outcome healthy;
        play(NULL, texts[t], SIM_KERNEL_HEAP, &healthy);
        assert_true(healthy.asks > 500);
        for (unsigned i = 0; i < CASE_COUNT; i++) {
            struct faulty_outcome outcome;
            play(cases[i], texts[t], SIM_KERNEL_HEAP, &outcome);
            assert_true(outcome.fired[0] > 0);
            assert_memory_equal(outcome.seconds, healthy.seconds, 3 * sizeof outcome.seconds[0]);
            assert_true(outcome.trace_hash != healthy.trace_hash);
        }
    }
}

static void both_kernels_do_the_same(void **state)
{
    (void)state;
    for (unsigned i = UNIT_IS_SANITIZED ? CASE_COUNT - 1 : 0; i < CASE_COUNT; i++) {
        struct faulty_outcome heap;
        struct faulty_outcome simgrid;

        play(cases[i], leases, SIM_KERNEL_HEAP, &heap);
        play(cases[i], leases, SIM_KERNEL_SIMGRID, &simgrid);
        assert_memory_equal(&heap, &simgrid, sizeof heap);
    }
}

/* The baseline repeats nothing: what was granted was spent, or its answer is lost. */
static void a_permit_is_spent_or_lost_with_its_answer(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CASE_COUNT; i++) {
        struct faulty_run run = {0};
        cases[i](&run);
        world_run_load(&run.run.scenario, FILE_NAME, per_request);
        run.run.scenario.faults =
            (struct fault_list){.faults = run.faults, .count = run.count, .fired_count = run.fired};
        world_run_start(&run.run, SIM_KERNEL_HEAP);

        const struct sim_world *world = &run.run.world;
        const uint64_t lost_units = world->accuracy.lost_totals[SIM_LOSS_REPLY];
        const bool loses = cases[i] == loss || cases[i] == reply_lost || cases[i] == everything ||
                           cases[i] == half_partition;
        assert_int_equal(world->store.granted_units,
                         run.run.result.all.admitted_units + lost_units);
        assert_true(!loses || lost_units > 0);
        assert_true(lost_units == 0 || loses || cases[i] == partition || cases[i] == region_cut);
        run.run.scenario.faults = (struct fault_list){0};
        world_run_free(&run.run);
    }
}

static void whoever_does_not_reach_it_decides_without_and_the_rest_goes_on(void **state)
{
    (void)state;
    struct faulty_outcome healthy;
    struct faulty_outcome outcome;

    play(NULL, per_request_open, SIM_KERNEL_HEAP, &healthy);
    play(partition, per_request_open, SIM_KERNEL_HEAP, &outcome);
    assert_int_equal(healthy.without_store, 0);
    /* two of five processes, for three of nine seconds */
    assert_in_range(outcome.without_store, healthy.requests / 10, healthy.requests / 6);
    assert_int_equal(outcome.requests, healthy.requests);
    assert_int_equal(outcome.unanswered, 0);
    assert_true(outcome.admitted > healthy.admitted);
    play(partition, per_request, SIM_KERNEL_HEAP, &outcome);
    assert_true(outcome.admitted < healthy.admitted);
    play(outage, per_request_open, SIM_KERNEL_HEAP, &outcome);
    assert_in_range(outcome.without_store, healthy.requests / 6, healthy.requests / 4);
}

static void b26_a_script_is_sent_again_and_nothing_else_happens(void **state)
{
    (void)state;
    struct faulty_outcome healthy;
    struct faulty_outcome outcome;

    play(NULL, per_request, SIM_KERNEL_HEAP, &healthy);
    play(unknown_script, per_request, SIM_KERNEL_HEAP, &outcome);
    assert_int_equal(outcome.unanswered, 0);
    /* each meets the fault twice, but for those that came again after its end */
    assert_in_range(2 * (outcome.asks - healthy.asks), outcome.fired[0], outcome.fired[0] + 6);
    assert_true(outcome.longest_ns > healthy.longest_ns);
}

static void a_doubled_ask_is_granted_once(void **state)
{
    (void)state;
    struct faulty_outcome outcome;

    play(duplicate, patient, SIM_KERNEL_HEAP, &outcome);
    assert_true(outcome.fired[0] > 100);
    assert_int_equal(outcome.contract_over_units, 0);
    assert_int_equal(outcome.missing_units, 0);
    assert_int_equal(outcome.unanswered, 0);
    assert_true(outcome.drained);
}

static void delays_are_seen_in_the_latency(void **state)
{
    (void)state;
    struct faulty_outcome outcome;

    play(delay, per_request, SIM_KERNEL_HEAP, &outcome);
    assert_in_range(outcome.longest_ns, 15 * MS, 25 * MS); /* both ways up to 10 ms */
    assert_int_equal(outcome.unanswered, 0);
    play(slow, per_request, SIM_KERNEL_HEAP, &outcome);
    assert_true(outcome.longest_ns > 2 * MS);
    assert_int_equal(outcome.unanswered, 0);
}

static void the_note_survives_it_all(void **state)
{
    (void)state;
    static const char *const as_written =
        "{\"why\": \"w\", \"duration_s\": 9, \"fleet\": {\"processes\": 5},"
        " \"limiter\": {\"coordination\": \"as_written\"},"
        " \"plans\": {\"b\": {\"rate_per_min\": 6000, \"capacity_s\": 2}},"
        " \"keys\": {\"b\": {\"plan\": \"b\", \"count\": 3}},"
        " \"traffic\": {\"keys\": \"b\", \"demand_ratio\": 1.5}}";

    for (unsigned i = 0; i < CASE_COUNT; i++) {
        struct faulty_outcome outcome;
        play(cases[i], as_written, SIM_KERNEL_HEAP, &outcome);
        assert_int_equal(outcome.requests, outcome.admitted + outcome.denied + outcome.unanswered);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_acts_and_changes_something_but_not_before_its_time),
        cmocka_unit_test(both_kernels_do_the_same),
        cmocka_unit_test(a_permit_is_spent_or_lost_with_its_answer),
        cmocka_unit_test(whoever_does_not_reach_it_decides_without_and_the_rest_goes_on),
        cmocka_unit_test(b26_a_script_is_sent_again_and_nothing_else_happens),
        cmocka_unit_test(a_doubled_ask_is_granted_once),
        cmocka_unit_test(delays_are_seen_in_the_latency),
        cmocka_unit_test(the_note_survives_it_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
