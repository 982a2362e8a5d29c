/* What customers are told remains, in worlds small enough to know the truth by hand.
 *
 * The bucket has 100 units and is never refilled, leases are of 10 units. */
#include "world_run.h"

#define FILE_NAME "test_polling.tmp.json"
#define MS_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

#define TEXT(limiter, processes, store, traffic, polls)                                            \
    "{\"why\": \"w\", \"duration_s\": 10, \"fleet\": {\"processes\": " processes                   \
    "}, \"store\": {" store "}, \"limiter\": {" limiter "},"                                       \
    " \"plans\": {\"p\": {\"rate_per_s\": 0, \"capacity_units\": 100}},"                           \
    " \"keys\": {\"other\": {\"plan\": \"p\", \"count\": 3}, \"k\": {\"plan\": \"p\"}},"           \
    " \"traffic\": {\"keys\": \"k\", " traffic "}, \"polls\": [{\"keys\": \"k\", " polls "}]}"
#define LEASES "\"sizer\": \"fixed\", \"fixed_lease_units\": 10"
#define ONE_AT_2_S "\"pattern\": \"burst\", \"requests\": 1, \"from_s\": 2"

static const struct sim_polling_totals *totals(const struct world_run *run)
{
    return &run->world.polling.totals;
}

static void nobody_knows_before_the_first_answer(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(&run, FILE_NAME,
                   TEXT(LEASES, "1", "", ONE_AT_2_S, "\"every_s\": 1, \"connections\": 1"),
                   SIM_KERNEL_HEAP);

    /* at 0, 1 and 2 s: the request of that instant comes after the poll */
    assert_int_equal(totals(&run)->polls, 10);
    assert_int_equal(totals(&run)->unknown, 3);
    world_run_free(&run);
}

/* One unit is spent, nine are held, ninety are in the store. The process is told of 90 and of 9 or
 * 10 that are out; the answer is of 2 s and 260 us. */
static void what_is_told_counts_what_is_held(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(&run, FILE_NAME,
                   TEXT(LEASES, "1", "", ONE_AT_2_S, "\"every_s\": 1, \"connections\": 1"),
                   SIM_KERNEL_HEAP);

    assert_true(totals(&run)->error_units_max <= 1);
    assert_int_equal(totals(&run)->outside_bounds, 0);
    assert_int_equal(totals(&run)->disagreement_units_max, 0);
    assert_true(totals(&run)->age_ns_max > 6999 * MS_NS);
    assert_true(totals(&run)->age_ns_max < 7000 * MS_NS);
    world_run_free(&run);
}

static void polls_come_when_they_should_on_every_connection(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(&run, FILE_NAME,
                   TEXT(LEASES, "2", "", ONE_AT_2_S,
                        "\"every_s\": 1.5, \"from_s\": 3.0001, \"until_s\": 6.01, "
                        "\"connections\": 2"),
                   SIM_KERNEL_HEAP);

    /* at 3.0001, 4.5001 and 6.0001 s, that is when the epochs of 1 s end at 4, 5 and 7 s */
    assert_int_equal(totals(&run)->polls, 6);
    world_run_free(&run);
}

/* Each process asks once. Who asked first knows of 100 less the first lease, which is out and
 * counted as remaining, and nothing of the later ones. */
static void processes_that_were_answered_at_different_times_disagree(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(&run, FILE_NAME,
                   TEXT(LEASES, "5", "",
                        "\"pattern\": \"burst\", \"requests\": 60, "
                        "\"spread_ms\": 5000",
                        "\"every_s\": 0.5, \"connections\": 4"),
                   SIM_KERNEL_HEAP);

    assert_int_equal(run.world.metrics.admitted, 60);
    assert_true(totals(&run)->disagreement_units_max >= 10);
    assert_true(totals(&run)->disagreement_units_max <= 60);
    world_run_free(&run);
}

/* A request of one unit at 0.5 s, one of 40 at large_ns; polls at 0 and 1 s. One unit is spent
 * then: the answer of the first request is right. */
static void check_at_one_second(const char *text, uint64_t large_ns)
{
    struct world_run run;
    struct sim_trace_row rows[] = {{.time_ns = 500 * MS_NS, .cost_units = 1},
                                   {.time_ns = large_ns, .cost_units = 40}};

    world_run_load(&run.scenario, FILE_NAME, text);
    world_run_be_patient(&run.scenario);
    run.scenario.traffic[0].pattern = SIM_PATTERN_TRACE;
    run.scenario.traffic[0].from_ns = 0;
    run.scenario.traffic[0].rows = rows;
    run.scenario.traffic[0].row_count = 2;
    world_run_start(&run, SIM_KERNEL_HEAP);

    assert_int_equal(run.result.all.admitted_units, 41);
    assert_int_equal(totals(&run)->polls, 2);
    assert_int_equal(totals(&run)->unknown, 1);
    assert_true(totals(&run)->error_units_max <= 1);
    run.scenario.traffic[0].rows = NULL; /* not owned */
    world_run_free(&run);
}

#define TWO_POLLS "\"every_s\": 1, \"connections\": 1, \"until_s\": 1.5"
#define SINGLE_LEASES "\"sizer\": \"fixed\", \"fixed_lease_units\": 1"

/* The store takes 100 ms for an ask: that of 0.95 s is carried out at 1.05 s. */
static void a_poll_does_not_see_what_the_store_has_yet_to_do(void **state)
{
    (void)state;
    check_at_one_second(TEXT(SINGLE_LEASES, "1", "\"capacity_per_s\": 10", ONE_AT_2_S, TWO_POLLS),
                        950 * MS_NS);
}

/* 50 ms each way: the ask of 0.93 s is carried out at 0.98 s and answered at 1.03 s. */
static void permits_on_their_way_to_a_process_remain(void **state)
{
    (void)state;
    check_at_one_second(
        TEXT(SINGLE_LEASES, "1", "\"round_trip_us\": 100000", ONE_AT_2_S, TWO_POLLS), 930 * MS_NS);
}

static void a_baseline_has_nothing_to_tell(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(&run, FILE_NAME,
                   TEXT("\"coordination\": \"per_request\"", "1", "", ONE_AT_2_S,
                        "\"every_s\": 1, \"connections\": 1"),
                   SIM_KERNEL_HEAP);

    assert_int_equal(totals(&run)->polls, 0);
    world_run_free(&run);
}

/* Steady demand, over and under the limit: nobody is told less than the truth about the error. */
static void with_steady_demand_the_truth_lies_within_the_error(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(
        &run, FILE_NAME,
        "{\"why\": \"w\", \"duration_s\": 200, \"fleet\": {\"processes\": 10, \"balance\": "
        "{\"kind\": \"zipf\"}}, \"store\": {\"jitter_us\": 100},"
        " \"plans\": {\"w\": {\"algorithm\": \"window\", \"rate_per_min\": 6000},"
        " \"b\": {\"rate_per_min\": 6000, \"capacity_s\": 10}},"
        " \"keys\": {\"w\": {\"plan\": \"w\", \"count\": 5}, \"b\": {\"plan\": \"b\"},"
        " \"c\": {\"plan\": \"b\"}},"
        " \"traffic\": [{\"keys\": \"w\", \"demand_ratio\": 3},"
        " {\"keys\": \"b\", \"demand_ratio\": 1.5}, {\"keys\": \"c\", \"demand_ratio\": 0.7}],"
        " \"polls\": [{\"keys\": \"w\", \"every_s\": 0.1, \"from_s\": 20},"
        " {\"keys\": \"b\", \"every_s\": 0.1, \"from_s\": 20},"
        " {\"keys\": \"c\", \"every_s\": 0.1, \"from_s\": 20}]}",
        SIM_KERNEL_HEAP);

    assert_int_equal(totals(&run)->polls, 7 * 2 * 1800);
    assert_int_equal(totals(&run)->unknown, 0);
    assert_int_equal(totals(&run)->outside_bounds, 0);
    assert_true(totals(&run)->error_units_max > 0);
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_knows_before_the_first_answer),
        cmocka_unit_test(what_is_told_counts_what_is_held),
        cmocka_unit_test(polls_come_when_they_should_on_every_connection),
        cmocka_unit_test(processes_that_were_answered_at_different_times_disagree),
        cmocka_unit_test(a_poll_does_not_see_what_the_store_has_yet_to_do),
        cmocka_unit_test(permits_on_their_way_to_a_process_remain),
        cmocka_unit_test(a_baseline_has_nothing_to_tell),
        cmocka_unit_test(with_steady_demand_the_truth_lies_within_the_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
