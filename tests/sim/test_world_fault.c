/* Faults that act of themselves: links that become slow, and what the store had before it forgets.
 */
#include "faulty_run.h"

#define FILE_NAME "test_world_fault.tmp.json"
#define MS (FAULTY_RUN_SECOND_NS / 1000)

#define BANDWIDTH                                                                                  \
    "{\"why\": \"bandwidth\", \"duration_s\": 8, \"fleet\": {\"processes\": 3},"                   \
    " \"store\": {\"shards\": 2, \"bandwidth_bytes_per_s\": 1000000},"                             \
    " \"limiter\": {\"coordination\": \"per_request\", \"ask_timeout_ms\": 60000},"                \
    " \"plans\": {\"p\": {\"rate_per_min\": 120, \"capacity_units\": 60}},"                        \
    " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 4}},"                                         \
    " \"traffic\": {\"keys\": \"k\", \"pattern\": \"constant\", \"demand_ratio\": 0.4}}"

static void play(struct faulty_run *run, struct faulty_outcome *outcome)
{
    faulty_run_play_in_child(run, FILE_NAME, BANDWIDTH, outcome);
    assert_true(outcome->requests > 20);
    assert_int_equal(outcome->unanswered, 0);
}

/* An ask of 160 bytes alone takes 160 ms at 1,000 bytes a second, its answer of 120 bytes 120 ms.
 */
static void links_are_slow_during_the_fault(void **state)
{
    (void)state;
    struct faulty_run healthy = {0};
    struct faulty_run slow = {0};
    struct faulty_outcome outcome;

    play(&healthy, &outcome);
    assert_true(outcome.longest_ns < 2 * MS);
    faulty_run_add(&slow, FAULT_SLOW_LINK, 2, 4)->bytes_per_s = 1000;
    play(&slow, &outcome);
    assert_true(outcome.longest_ns >= 280 * MS);
    assert_int_equal(outcome.fired[0], 2); /* shards */
}

static void links_are_as_before_after_the_fault(void **state)
{
    (void)state;
    struct faulty_run early = {0};
    struct faulty_outcome outcome;

    /* over before anything could be sent, but not before time 0 */
    faulty_run_add(&early, FAULT_SLOW_LINK, 0, 1)->bytes_per_s = 10;
    early.faults[0].until_ns = 1;
    play(&early, &outcome);
    assert_int_equal(outcome.fired[0], 2);
    assert_true(outcome.longest_ns < 2 * MS);
}

static void the_slowest_of_several_faults_counts(void **state)
{
    (void)state;
    struct faulty_run slow = {0};
    struct faulty_outcome outcome;

    faulty_run_add(&slow, FAULT_SLOW_LINK, 2, 4)->bytes_per_s = 500;
    faulty_run_add(&slow, FAULT_SLOW_LINK, 2, 4)->bytes_per_s = 50000;
    faulty_run_add(&slow, FAULT_SLOW_LINK, 2, 4)->bytes_per_s = 5000000; /* more than there is */
    play(&slow, &outcome);
    assert_true(outcome.longest_ns >= 560 * MS);
    assert_int_equal(outcome.fired[1], 0);
    assert_int_equal(outcome.fired[2], 0);
}

/* Two minutes of a bucket that is full at first, and in want at their half. */
static void play_forgetful(struct faulty_run *run)
{
    static const char *const text =
        "{\"why\": \"w\", \"duration_s\": 120, \"fleet\": {\"processes\": 2},"
        " \"limiter\": {\"coordination\": \"per_request\"},"
        " \"plans\": {\"b\": {\"rate_per_min\": 600, \"capacity_s\": 60}},"
        " \"keys\": {\"b\": {\"plan\": \"b\"}},"
        " \"traffic\": {\"keys\": \"b\", \"demand_ratio\": 1.1}}";

    world_run_load(&run->run.scenario, FILE_NAME, text);
    run->run.scenario.faults =
        (struct fault_list){.faults = run->faults, .count = run->count, .fired_count = run->fired};
    world_run_start(&run->run, SIM_KERNEL_HEAP);
}

static void end_forgetful(struct faulty_run *run)
{
    run->run.scenario.faults = (struct fault_list){0};
    world_run_free(&run->run);
}

/* The window of 2 s ends as the store is emptied: what was taken in it is noted all the same. */
static void what_the_store_had_is_noted_before_it_forgets(void **state)
{
    (void)state;
    struct faulty_run run = {0};
    faulty_run_add(&run, FAULT_STORE_EVICT, 60, 61);
    play_forgetful(&run);

    const struct sim_cell *cells = run.run.world.accuracy.cells;
    assert_true(cells[0].store_left < 590); /* it is full again, a moment later */
    assert_int_equal(cells[0].lost_units[SIM_LOSS_DATA], 0);
    assert_int_equal(cells[1].lost_units[SIM_LOSS_DATA], 600 - cells[0].store_left);
    assert_int_equal(run.fired[0], 1);
    end_forgetful(&run);
}

/* Both happen at once, where no epoch ends: the store is looked at only because it will forget. */
static void what_was_there_to_be_admitted_is_of_before_the_store_forgot(void **state)
{
    (void)state;
    struct faulty_run run = {0};
    faulty_run_add(&run, FAULT_STORE_OUTAGE, 60, 70)->from_ns += 1;
    faulty_run_add(&run, FAULT_STORE_EVICT, 60, 61)->from_ns += 1;
    play_forgetful(&run);

    const struct sim_outage *outage = &run.run.world.watch.outages.list[0];
    assert_true(outage->keys[0].left_units < 590); /* it is full again, a moment later */
    assert_int_equal(run.fired[1], 1);
    end_forgetful(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_slow_during_the_fault),
        cmocka_unit_test(links_are_as_before_after_the_fault),
        cmocka_unit_test(the_slowest_of_several_faults_counts),
        cmocka_unit_test(what_the_store_had_is_noted_before_it_forgets),
        cmocka_unit_test(what_was_there_to_be_admitted_is_of_before_the_store_forgot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
