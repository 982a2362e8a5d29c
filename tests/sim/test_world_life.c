/* What becomes of a world whose processes die, pause and fork, whose clocks step, and whose traffic
 * and pushes go astray: each fault acts, changes something, and is the same on both kernels; and
 * every request, unit and permit is in the books. */
#include "faulty_run.h"

#include <inttypes.h>

#define FILE_NAME "test_world_life.tmp.json"

/* Process 5 is spare where a fault says so. */
#define FLEET                                                                                      \
    "{\"why\": \"w\", \"duration_s\": 12, \"fleet\": {\"processes\": 6,"                           \
    " \"clock\": {\"offset_max_ms\": 300, \"drift_max_ppm\": 90}},"                                \
    " \"store\": {\"shards\": 2, \"jitter_us\": 300, \"capacity_per_s\": 5000},"
#define PLANS                                                                                      \
    " \"plans\": {\"b\": {\"rate_per_min\": 6000, \"capacity_s\": 2},"                             \
    " \"w\": {\"algorithm\": \"window\", \"rate_per_min\": 3000, \"window_s\": 2}},"               \
    " \"keys\": {\"b\": {\"plan\": \"b\", \"count\": 3}, \"w\": {\"plan\": \"w\", \"count\": 2}},"
#define CHANGES                                                                                    \
    " \"changes\": [{\"at_s\": 3, \"plan\": \"b\", \"to\": {\"rate_per_min\": 3000,"               \
    " \"capacity_s\": 2}, \"spread_ms\": 50}, {\"at_s\": 5, \"plan\": \"w\", \"to\":"              \
    " {\"algorithm\": \"window\", \"rate_per_min\": 6000, \"window_s\": 2},"                       \
    " \"spread_ms\": 500}],"

static const char *const scenarios[] = {
    FLEET PLANS CHANGES " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 1.5},"
                        " {\"keys\": \"w\", \"demand_ratio\": 0.8}]}",
    FLEET PLANS " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 2,"
                " \"on_denial\": {\"kind\": \"backoff\", \"first_s\": 0.01}},"
                " {\"keys\": \"w\", \"pattern\": \"closed\", \"clients\": 20, \"think_ms\": 100,"
                " \"on_denial\": {\"kind\": \"obey\"}}]}",
    FLEET " \"limiter\": {\"coordination\": \"per_request\"}," PLANS CHANGES
          " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 1.5},"
          " {\"keys\": \"w\", \"demand_ratio\": 0.8}]}",
};

enum {
    SCENARIO_COUNT = sizeof scenarios / sizeof scenarios[0],
    /* the baseline makes no timers and no leases that could differ */
    KERNELS_COMPARED = UNIT_IS_SANITIZED ? 0 : 2,
};

static void crash(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_CRASH, 4, 6);
    faulty_run_target(run, 1);
    faulty_run_target(run, 3);
}

static void crash_of_all(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_CRASH, 4, 5);
}

static void deploy(struct faulty_run *run)
{
    struct fault *fault = faulty_run_add(run, FAULT_DEPLOY, 3, 10);
    fault->period_ns = FAULTY_RUN_SECOND_NS;
    fault->added_ns = FAULTY_RUN_SECOND_NS / 2;
}

static void hasty_deploy(struct faulty_run *run) /* too fast to hand over anything */
{
    struct fault *fault = faulty_run_add(run, FAULT_DEPLOY, 3, 10);
    fault->added_ns = 100000;
}

static void pause_some(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_PAUSE, 4, 7);
    faulty_run_target(run, 0);
    faulty_run_target(run, 2);
}

static void crash_in_a_pause(struct faulty_run *run)
{
    pause_some(run);
    faulty_run_add(run, FAULT_CRASH, 5, 6);
    faulty_run_target(run, 2);
    faulty_run_add(run, FAULT_SCALE, 5, 8);
    faulty_run_target(run, 0);
}

static void pause_to_the_end(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_PAUSE, 11, 12);
    faulty_run_target(run, 4);
}

static void copy(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_FORK, 4, 5);
    faulty_run_target(run, 4);
}

static void scale_out(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_SCALE, 4, 8)->limit = 1;
    faulty_run_target(run, 5);
}

static void scale_in(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_SCALE, 4, 8);
    faulty_run_target(run, 0);
    faulty_run_target(run, 1);
    faulty_run_target(run, 2);
}

static void offset(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_CLOCK_OFFSET, 4, 8)->step_ns = 5 * (int64_t)FAULTY_RUN_SECOND_NS;
    faulty_run_target(run, 2);
}

static void drift(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_CLOCK_DRIFT, 4, 8)->drift_ppb = 100000000;
}

static void drain(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_DRAIN, 4, 8);
    faulty_run_target(run, 2);
}

static void flip(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_FLIP, 4, 8)->limit = 3;
}

static void retry_storm(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_RETRY, 4, 6)->spread_ns = FAULTY_RUN_SECOND_NS / 10;
}

static void hot_key(struct faulty_run *run)
{
    struct fault *fault = faulty_run_add(run, FAULT_HOT_KEY, 4, 8);
    fault->limit = 10;
    fault->population = 1;
    fault->key_index = 1;
}

static void churn(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_CHURN, 4, 8)->period_ns = FAULTY_RUN_SECOND_NS;
}

static void lost_pushes(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_PUSH_LOST, 2, 6);
    faulty_run_target(run, 1);
}

static void late_pushes(struct faulty_run *run)
{
    faulty_run_add(run, FAULT_PUSH_DELAYED, 2, 6)->added_ns = 3 * FAULTY_RUN_SECOND_NS;
    faulty_run_target(run, 1);
}

static const struct {
    const char *name;
    void (*make)(struct faulty_run *run);
    /* a baseline without leases gives the same where only leases, clocks or pushes matter */
    unsigned scenarios; /* bits: it changes something in */
} cases[] = {
    {"crash", crash, 7},
    {"crash of all", crash_of_all, 7},
    {"deploy", deploy, 7},
    {"hasty deploy", hasty_deploy, 7},
    {"pause", pause_some, 7},
    {"crash in a pause", crash_in_a_pause, 7},
    {"pause to the end", pause_to_the_end, 7},
    {"fork", copy, 7},
    {"scale out", scale_out, 7},
    {"scale in", scale_in, 7},
    {"drain", drain, 7},
    {"flip", flip, 7},
    {"retry storm", retry_storm, 7},
    {"hot key", hot_key, 7},
    {"churn", churn, 7},
    {"drift", drift, 3},
    {"lost pushes", lost_pushes, 1},
    {"late pushes", late_pushes, 1},
    {"offset", offset, 0},
};

enum {
    CASE_COUNT = sizeof cases / sizeof cases[0],
};

/* Every request has one end, every unit is reported, every permit accounted for. */
static void assert_books_balance(const char *name, const char *text,
                                 const struct faulty_outcome *outcome)
{
    if (outcome->requests != outcome->admitted + outcome->denied + outcome->killed ||
        outcome->unanswered != 0) {
        fail_msg("%s: %" PRIu64 " requests: %" PRIu64 " + %" PRIu64 ", %" PRIu64 " killed, %" PRIu64
                 " unanswered\n%s",
                 name, outcome->requests, outcome->admitted, outcome->denied, outcome->killed,
                 outcome->unanswered, text);
    }
    if (outcome->reported_units != outcome->admitted_units ||
        outcome->missing_units != outcome->dead_units || outcome->drained == 0) {
        fail_msg("%s: admitted %" PRIu64 ", reported %" PRIu64 "; missing %" PRIu64
                 ", dead %" PRIu64 "; drained %" PRIu64 "\n%s",
                 name, outcome->admitted_units, outcome->reported_units, outcome->missing_units,
                 outcome->dead_units, outcome->drained, text);
    }
}

static void each_fault_acts_and_the_books_balance_on_both_kernels(void **state)
{
    (void)state;
    for (int s = 0; s < SCENARIO_COUNT; s++) {
        struct faulty_run none = {0};
        struct faulty_outcome healthy;
        faulty_run_play_here(&none, FILE_NAME, scenarios[s], SIM_KERNEL_HEAP, &healthy);
        assert_books_balance("none", scenarios[s], &healthy);
        for (int i = 0; i < CASE_COUNT; i++) {
            struct faulty_run run = {0};
            struct faulty_outcome heap;
            struct faulty_outcome simgrid;
            cases[i].make(&run);
            faulty_run_play_here(&run, FILE_NAME, scenarios[s], SIM_KERNEL_HEAP, &heap);
            assert_books_balance(cases[i].name, scenarios[s], &heap);
            if (s < KERNELS_COMPARED) {
                faulty_run_play_in_child(&run, FILE_NAME, scenarios[s], &simgrid);
            }
            if (s < KERNELS_COMPARED && memcmp(&heap, &simgrid, sizeof heap) != 0) {
                fail_msg("%s: the kernels differ\n%s", cases[i].name, scenarios[s]);
            }
            if ((cases[i].scenarios & (1u << s)) != 0 &&
                (heap.fired[0] == 0 || heap.trace_hash == healthy.trace_hash)) {
                fail_msg("%s: fired %" PRIu64 " times, changes nothing\n%s", cases[i].name,
                         heap.fired[0], scenarios[s]);
            }
        }
    }
}

/* Where the time of a reply is not known in advance, processes run ahead in small steps. */
static void lives_end_and_pause_on_slow_links_too(void **state)
{
    (void)state;
    static const char text[] =
        "{\"why\": \"w\", \"duration_s\": 12, \"fleet\": {\"processes\": 6},"
        " \"limiter\": {\"wait_ms\": 50000, \"ask_timeout_ms\": 60000},"
        " \"store\": {\"shards\": 2, \"bandwidth_bytes_per_s\": 300000}," PLANS
        " \"traffic\": [{\"keys\": \"b\", \"demand_ratio\": 1.5},"
        " {\"keys\": \"w\", \"demand_ratio\": 0.8}]}";

    for (int i = 0; i < 8; i += UNIT_IS_SANITIZED ? 7 : 1) { /* a crash, a fork */
        struct faulty_run run = {0};
        struct faulty_outcome outcome;
        cases[i].make(&run);
        faulty_run_play_in_child(&run, FILE_NAME, text, &outcome);
        assert_books_balance(cases[i].name, text, &outcome);
        assert_true(outcome.fired[0] > 0);
    }
}

static void faults_that_are_not_due_change_nothing(void **state)
{
    (void)state;
    struct faulty_run none = {0};
    struct faulty_outcome healthy;
    faulty_run_play_here(&none, FILE_NAME, scenarios[1], SIM_KERNEL_HEAP, &healthy);

    for (int kind = FAULT_CRASH; kind < FAULT_KIND_COUNT; kind++) {
        struct faulty_run run = {0};
        struct faulty_outcome outcome;
        if (kind == FAULT_FORK) {
            continue; /* the copies do not run before */
        }
        struct fault *fault = faulty_run_add(&run, (enum fault_kind)kind, 12, 20);
        fault->step_ns = 1;
        fault->drift_ppb = 1;
        fault->period_ns = 1000;
        faulty_run_play_here(&run, FILE_NAME, scenarios[1], SIM_KERNEL_HEAP, &outcome);
        assert_int_equal(outcome.fired[0], 0);
        assert_memory_equal(&outcome, &healthy, sizeof outcome);
    }
}

/* ---- one customer, by hand ---- */

/* Each process has a request every 50 ms or so; limits are never reached. */
#define QUIET                                                                                      \
    "{\"why\": \"w\", \"duration_s\": 10, \"fleet\": {\"processes\": 2},"                          \
    " \"store\": {\"round_trip_us\": 500, \"capacity_per_s\": 1000000}, %s"                        \
    " \"plans\": {\"p\": {\"rate_per_min\": 60000, \"capacity_s\": 10}},"                          \
    " \"keys\": {\"k\": {\"plan\": \"p\"}},"                                                       \
    " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 0.05}}"

#define LEASE ""
#define PER_REQUEST " \"limiter\": {\"coordination\": \"per_request\"},"

static void play_quiet(struct faulty_run *run, const char *limiter, struct faulty_outcome *outcome)
{
    char text[1000];

    snprintf(text, sizeof text, QUIET, limiter);
    faulty_run_play_here(run, FILE_NAME, text, SIM_KERNEL_HEAP, outcome);
}

/* What comes at 4 s is decided at 7 s, and all that comes in between. */
static void who_is_paused_answers_when_it_resumes(void **state)
{
    (void)state;
    struct faulty_run run = {0};
    struct faulty_outcome outcome;
    faulty_run_add(&run, FAULT_PAUSE, 4, 7);
    faulty_run_target(&run, 0);

    play_quiet(&run, LEASE, &outcome);

    assert_in_range(outcome.longest_ns, 5 * FAULTY_RUN_SECOND_NS / 2, 3 * FAULTY_RUN_SECOND_NS);
    assert_int_equal(outcome.admitted, outcome.requests);
    assert_int_equal(outcome.fired[0], 2);
}

/* Half a second each way: asks sent before the pause are served by 4.9 s, and their answers arrive
 * until 5.4 s. */
static void nothing_is_decided_in_a_pause(void **state)
{
    (void)state;
    static const char text[] = "{\"why\": \"w\", \"duration_s\": 10, \"fleet\": {\"processes\": 2},"
                               " \"store\": {\"round_trip_us\": 1000000}," PER_REQUEST
                               " \"plans\": {\"p\": {\"rate_per_min\": 60000, \"capacity_s\": 10}},"
                               " \"keys\": {\"k\": {\"plan\": \"p\"}},"
                               " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 0.05}}";
    struct faulty_run run = {0};
    struct faulty_outcome outcome;
    faulty_run_add(&run, FAULT_PAUSE, 4, 8)->from_ns += FAULTY_RUN_SECOND_NS * 4 / 10;

    faulty_run_play_here(&run, FILE_NAME, text, SIM_KERNEL_HEAP, &outcome);

    assert_int_not_equal(outcome.seconds[4], 0); /* the store served */
    assert_int_equal(outcome.seconds[5], 0);
    assert_int_equal(outcome.seconds[6], 0);
    assert_int_equal(outcome.seconds[7], 0);
    assert_int_not_equal(outcome.seconds[8], 0);
    assert_int_equal(outcome.admitted, outcome.requests);
}

static void what_a_dead_process_held_is_lost_and_what_it_spent_is_not(void **state)
{
    (void)state;
    struct faulty_run saved = {0};
    struct faulty_run lost = {0};
    struct faulty_outcome with_mapping;
    struct faulty_outcome without;
    faulty_run_add(&saved, FAULT_CRASH, 4, 7);
    faulty_run_add(&lost, FAULT_CRASH, 4, 7)->lose_mapping = true;
    faulty_run_target(&saved, 0);
    faulty_run_target(&lost, 0);

    play_quiet(&saved, LEASE, &with_mapping);
    play_quiet(&lost, LEASE, &without);

    assert_true(with_mapping.dead_units > 0);
    assert_int_equal(with_mapping.missing_units, with_mapping.dead_units);
    assert_int_equal(with_mapping.reported_units, with_mapping.admitted_units);
    assert_int_equal(without.trace_hash, with_mapping.trace_hash);
    assert_true(without.reported_units < without.admitted_units);
    assert_int_equal(with_mapping.killed, 0);
}

/* A deploy hands over everything, a crash of the same process does not. */
static void who_leaves_in_good_order_loses_nothing(void **state)
{
    (void)state;
    struct faulty_run run = {0};
    struct faulty_outcome outcome;
    faulty_run_add(&run, FAULT_DEPLOY, 4, 7)->added_ns = FAULTY_RUN_SECOND_NS;
    faulty_run_target(&run, 0);

    play_quiet(&run, LEASE, &outcome);

    assert_int_equal(outcome.fired[0], 2);
    assert_int_equal(outcome.dead_units, 0);
    assert_int_equal(outcome.killed, 0);
    assert_int_equal(outcome.admitted, outcome.requests);
}

static void without_any_process_requests_reach_nobody(void **state)
{
    (void)state;
    struct faulty_run run = {0};
    struct faulty_outcome none;
    struct faulty_outcome outcome;
    struct faulty_run healthy = {0};
    faulty_run_add(&run, FAULT_CRASH, 4, 7);

    play_quiet(&healthy, PER_REQUEST, &none);
    play_quiet(&run, PER_REQUEST, &outcome);

    /* 50 a second for 3 s, give or take 5 x 12 */
    assert_in_range(outcome.unreachable, 90, 210);
    assert_int_equal(outcome.requests + outcome.unreachable, none.requests);
    assert_int_equal(outcome.oracle_units, outcome.requests);
    assert_int_equal(outcome.admitted + outcome.killed, outcome.requests);
}

static void requests_in_a_process_die_with_it(void **state)
{
    (void)state;
    struct faulty_run run = {0};
    struct faulty_outcome outcome;
    faulty_run_add(&run, FAULT_PAUSE, 4, 9);
    faulty_run_add(&run, FAULT_CRASH, 7, 8);

    play_quiet(&run, LEASE, &outcome);

    assert_in_range(outcome.killed, 90, 210);
    assert_int_equal(outcome.requests, outcome.admitted + outcome.killed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_acts_and_the_books_balance_on_both_kernels),
        cmocka_unit_test(lives_end_and_pause_on_slow_links_too),
        cmocka_unit_test(faults_that_are_not_due_change_nothing),
        cmocka_unit_test(who_is_paused_answers_when_it_resumes),
        cmocka_unit_test(nothing_is_decided_in_a_pause),
        cmocka_unit_test(what_a_dead_process_held_is_lost_and_what_it_spent_is_not),
        cmocka_unit_test(who_leaves_in_good_order_loses_nothing),
        cmocka_unit_test(without_any_process_requests_reach_nobody),
        cmocka_unit_test(requests_in_a_process_die_with_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
