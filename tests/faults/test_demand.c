/* What becomes of the traffic. */
#include "faults_support.h"

#define PROCESSES 10u

static void without_faults_requests_stay_where_they_are(void **state)
{
    (void)state;
    const struct fault_case faults = {0};

    assert_int_equal(fault_reroute(&faults.list, SECOND_NS, 4, PROCESSES, 1), 4);
    assert_int_equal(fault_arrival_ns(&faults.list, SECOND_NS, 1), SECOND_NS);
    assert_int_equal(fault_churn(&faults.list, SECOND_NS, 0, 3, 7), 3);
    assert_int_equal(fault_extra_count(&faults.list, SECOND_NS, 0, 3), 0);
}

static void a_flip_moves_every_process_s_requests_to_another_one(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_FLIP, 5, 9)->limit = 7;

    for (uint32_t process = 0; process < PROCESSES; process++) {
        assert_int_equal(fault_reroute(&faults.list, 4 * SECOND_NS, process, PROCESSES, 1),
                         process);
        assert_int_equal(fault_reroute(&faults.list, 5 * SECOND_NS, process, PROCESSES, 1),
                         (process + 7) % PROCESSES);
    }
    assert_int_equal(faults.fired[0], PROCESSES);
}

/* 10,000 requests of drained process 3 over the 8 that are left: 1,250 each, give or take 5 x 33.
 */
static void who_is_drained_or_down_gets_nothing_and_the_rest_share_it(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned counts[PROCESSES] = {0};
    fault_case_add(&faults, FAULT_DRAIN, 0, 9);
    fault_case_target(&faults, 3);
    fault_case_add(&faults, FAULT_CRASH, 0, 9);
    fault_case_target(&faults, 5);

    for (uint64_t number = 0; number < 10000; number++) {
        const uint32_t process = fault_reroute(&faults.list, SECOND_NS, 3, PROCESSES, number);
        assert_true(process < PROCESSES);
        counts[process]++;
    }
    for (uint32_t process = 0; process < PROCESSES; process++) {
        if (process == 3 || process == 5) {
            assert_int_equal(counts[process], 0);
        } else {
            assert_in_range(counts[process], 1250 - 165, 1250 + 165);
        }
    }
    assert_int_equal(faults.fired[0], 10000);
    assert_int_equal(faults.fired[1], 0);
    assert_int_equal(fault_reroute(&faults.list, SECOND_NS, 4, PROCESSES, 1), 4);
}

static void where_none_takes_requests_there_is_no_process(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CRASH, 2, 9);

    assert_int_equal(fault_reroute(&faults.list, 2 * SECOND_NS, 4, PROCESSES, 1), FAULT_NO_PROCESS);
}

static void a_retry_storm_comes_when_the_fault_is_over(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    uint64_t sum_ns = 0;
    fault_case_add(&faults, FAULT_RETRY, 10, 20)->spread_ns = 2 * SECOND_NS;

    for (uint64_t number = 0; number < 1000; number++) {
        const uint64_t time_ns = 10 * SECOND_NS + number * SECOND_NS / 100;
        const uint64_t arrival_ns = fault_arrival_ns(&faults.list, time_ns, number);
        assert_in_range(arrival_ns, 20 * SECOND_NS, 22 * SECOND_NS);
        sum_ns += arrival_ns - 20 * SECOND_NS;
    }
    assert_in_range(sum_ns / 1000, SECOND_NS * 9 / 10, SECOND_NS * 11 / 10);
    assert_int_equal(fault_arrival_ns(&faults.list, 20 * SECOND_NS, 7), 20 * SECOND_NS);
    assert_int_equal(faults.fired[0], 1000);
}

static void churn_goes_on_to_the_next_key_each_period(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    struct fault *churn = fault_case_add(&faults, FAULT_CHURN, 10, 20);
    churn->period_ns = 2 * SECOND_NS;
    churn->population = 1;

    for (uint64_t time_s = 10; time_s < 20; time_s++) {
        assert_int_equal(fault_churn(&faults.list, time_s * SECOND_NS, 1, 3, 4),
                         (3 + 1 + (time_s - 10) / 2) % 4);
    }
    assert_int_equal(fault_churn(&faults.list, 12 * SECOND_NS, 0, 3, 4), 3);
    assert_int_equal(fault_churn(&faults.list, 20 * SECOND_NS, 1, 3, 4), 3);
    assert_int_equal(faults.fired[0], 10);
}

/* Evenly in time, so that nothing tells them from a stream of their own: of 10,000 extra requests
 * of one instant, each tenth of the next second has 1,000, give or take 5 x 30. */
static void a_hot_key_has_more_requests_evenly_spread(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned counts[10] = {0};
    struct fault *hot = fault_case_add(&faults, FAULT_HOT_KEY, 10, 20);
    hot->limit = 5;
    hot->population = 2;
    hot->key_index = 9;

    assert_int_equal(fault_extra_count(&faults.list, 10 * SECOND_NS, 2, 9), 4);
    assert_int_equal(fault_extra_count(&faults.list, 10 * SECOND_NS, 2, 8), 0);
    assert_int_equal(fault_extra_count(&faults.list, 20 * SECOND_NS, 2, 9), 0);
    for (uint64_t i = 0; i < 10000; i++) {
        const uint64_t time_ns = fault_extra_ns(&faults.list, 12 * SECOND_NS, 2, 9, i / 4, i % 4);
        assert_in_range(time_ns, 12 * SECOND_NS, 13 * SECOND_NS - 1);
        counts[(time_ns - 12 * SECOND_NS) * 10 / SECOND_NS]++;
    }
    for (int i = 0; i < 10; i++) {
        assert_in_range(counts[i], 850, 1150);
    }
    assert_int_equal(faults.fired[0], 10000);
}

static void no_extra_request_comes_after_the_fault(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned dropped = 0;
    fault_case_add(&faults, FAULT_HOT_KEY, 10, 20)->limit = 2;

    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t time_ns =
            fault_extra_ns(&faults.list, 20 * SECOND_NS - SECOND_NS / 2, 0, 0, i, 0);
        assert_true(time_ns < 20 * SECOND_NS || time_ns == UINT64_MAX);
        dropped += time_ns == UINT64_MAX;
    }
    assert_in_range(dropped, 420, 580);
    assert_int_equal(faults.fired[0], 1000 - dropped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_requests_stay_where_they_are),
        cmocka_unit_test(a_flip_moves_every_process_s_requests_to_another_one),
        cmocka_unit_test(who_is_drained_or_down_gets_nothing_and_the_rest_share_it),
        cmocka_unit_test(where_none_takes_requests_there_is_no_process),
        cmocka_unit_test(a_retry_storm_comes_when_the_fault_is_over),
        cmocka_unit_test(churn_goes_on_to_the_next_key_each_period),
        cmocka_unit_test(a_hot_key_has_more_requests_evenly_spread),
        cmocka_unit_test(no_extra_request_comes_after_the_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
