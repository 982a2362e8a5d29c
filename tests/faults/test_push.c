/* What becomes of configuration pushes and of reports to billing. */
#include "faults_support.h"

#define DELIVERIES 10000

/* A part of 10,000, give or take 5 standard deviations. */
#define ASSERT_A_FIFTH(count) assert_in_range(count, 2000 - 200, 2000 + 200)

static void without_faults_all_arrive_on_time(void **state)
{
    (void)state;
    const struct fault_case faults = {0};

    const struct fault_fate push = fault_push(&faults.list, SECOND_NS, 0, 1);
    const struct fault_fate report = fault_report(&faults.list, SECOND_NS, 0, 1);
    assert_false(push.lost || push.doubled || report.lost || report.doubled);
    assert_int_equal(push.delay_ns + report.delay_ns, 0);
}

static void a_part_of_the_pushes_is_lost_in_its_time_and_at_its_targets(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned lost = 0;
    fault_case_add(&faults, FAULT_PUSH_LOST, 10, 20)->probability_ppm = 200000;
    fault_case_target(&faults, 3);

    for (uint64_t number = 0; number < DELIVERIES; number++) {
        lost += fault_push(&faults.list, 10 * SECOND_NS, 3, number).lost;
        assert_false(fault_push(&faults.list, 10 * SECOND_NS, 2, number).lost);
        assert_false(fault_push(&faults.list, 20 * SECOND_NS, 3, number).lost);
        assert_false(fault_report(&faults.list, 10 * SECOND_NS, 3, number).lost);
    }
    ASSERT_A_FIFTH(lost);
    assert_int_equal(faults.fired[0], lost);
}

static void a_delayed_push_is_late_by_a_fixed_and_a_random_time(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    uint64_t sum_ns = 0;
    struct fault *delayed = fault_case_add(&faults, FAULT_PUSH_DELAYED, 0, 20);
    delayed->added_ns = 5 * SECOND_NS;
    delayed->spread_ns = 2 * SECOND_NS;

    for (uint64_t number = 0; number < DELIVERIES; number++) {
        const struct fault_fate fate = fault_push(&faults.list, SECOND_NS, 3, number);
        assert_false(fate.lost);
        assert_in_range(fate.delay_ns, 5 * SECOND_NS, 7 * SECOND_NS);
        sum_ns += fate.delay_ns;
    }
    assert_in_range(sum_ns / DELIVERIES, 59 * SECOND_NS / 10, 61 * SECOND_NS / 10);
}

static void reports_are_lost_repeated_and_late_independently(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    unsigned lost = 0;
    unsigned doubled = 0;
    unsigned late = 0;
    unsigned lost_and_late = 0;
    fault_case_add(&faults, FAULT_REPORT_LOST, 0, 20)->probability_ppm = 200000;
    fault_case_add(&faults, FAULT_REPORT_DUPLICATE, 0, 20)->probability_ppm = 200000;
    struct fault *delayed = fault_case_add(&faults, FAULT_REPORT_DELAYED, 0, 20);
    delayed->probability_ppm = 200000;
    delayed->added_ns = SECOND_NS;
    faults.faults[1].spread_ns = SECOND_NS;

    for (uint64_t number = 0; number < DELIVERIES; number++) {
        const struct fault_fate fate = fault_report(&faults.list, SECOND_NS, 3, number);
        lost += fate.lost;
        doubled += fate.doubled;
        late += fate.delay_ns == SECOND_NS;
        lost_and_late += fate.lost && fate.delay_ns != 0;
        assert_true(fate.copy_delay_ns <= SECOND_NS);
        assert_false(fault_push(&faults.list, SECOND_NS, 3, number).lost);
    }
    ASSERT_A_FIFTH(lost);
    ASSERT_A_FIFTH(doubled);
    ASSERT_A_FIFTH(late);
    assert_in_range(lost_and_late, 400 - 98, 400 + 98);
    assert_int_equal(faults.fired[0] + faults.fired[1] + faults.fired[2], lost + doubled + late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_all_arrive_on_time),
        cmocka_unit_test(a_part_of_the_pushes_is_lost_in_its_time_and_at_its_targets),
        cmocka_unit_test(a_delayed_push_is_late_by_a_fixed_and_a_random_time),
        cmocka_unit_test(reports_are_lost_repeated_and_late_independently),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
