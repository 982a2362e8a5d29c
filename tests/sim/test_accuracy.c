/* What is counted where: intervals, the oracle, the contract. How it is judged: test_judgement.c.
 */
#include "accuracy_case.h"

static void buckets_are_measured_by_minutes_of_true_time(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 60000, 1000, 150, 1);

    assert_int_equal(played.accuracy.keys[0].cell_count, 3);
    assert_int_equal(sim_accuracy_interval(&played.accuracy, 0, 0), 0);
    assert_int_equal(sim_accuracy_interval(&played.accuracy, 0, MINUTE_NS - 1), 0);
    assert_int_equal(sim_accuracy_interval(&played.accuracy, 0, MINUTE_NS), 1);
    assert_int_equal(sim_accuracy_interval(&played.accuracy, 0, 150 * SECOND_NS - 1), 2);
    assert_int_equal(sim_accuracy_interval_end_ns(&played.accuracy, 0, 1), 2 * MINUTE_NS);
    case_end(&played);
}

static void windows_are_measured_in_the_keys_own_phase(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 1000, 0, 150, 20);
    for (uint32_t key = 0; key < 20; key++) {
        const uint64_t end_ns = MINUTE_NS - played.catalog.keys[key].window_phase_ns;

        assert_int_equal(sim_accuracy_interval_end_ns(&played.accuracy, key, 0), end_ns);
        assert_int_equal(sim_accuracy_interval(&played.accuracy, key, 0), 0);
        assert_int_equal(sim_accuracy_interval(&played.accuracy, key, end_ns - 1), 0);
        assert_int_equal(sim_accuracy_interval(&played.accuracy, key, end_ns), 1);
        assert_int_equal(played.accuracy.keys[key].cell_count,
                         end_ns + MINUTE_NS < 150 * SECOND_NS ? 2 + (end_ns < 30 * SECOND_NS) + 1
                                                              : 3);
    }
    case_end(&played);
}

static void the_cells_of_keys_lie_one_after_another(void **state)
{
    (void)state;
    struct accuracy_case played;
    size_t first = 0;

    case_begin(&played, 1000, 0, 150, 20);
    for (uint32_t key = 0; key < 20; key++) {
        assert_int_equal(played.accuracy.keys[key].first_cell, first);
        first += played.accuracy.keys[key].cell_count;
    }
    assert_int_equal(played.accuracy.cell_count, first);
    case_end(&played);
}

static void a_request_counts_where_it_arrives_and_for_the_contract_where_it_is_decided(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 60000, 1000, 120, 1);
    sim_accuracy_arrival(&played.accuracy, 0, MINUTE_NS - 1, 1000);
    sim_accuracy_arrival(&played.accuracy, 0, MINUTE_NS - 1, 1000);
    sim_accuracy_admitted(&played.accuracy, 0, MINUTE_NS - 1, MINUTE_NS - 1, 1000, 1000);
    sim_accuracy_admitted(&played.accuracy, 0, MINUTE_NS - 1, MINUTE_NS + SECOND_NS, 1000, 1000);
    case_judge(&played);

    assert_int_equal(played.accuracy.cells[0].demand_units, 2000);
    assert_int_equal(played.accuracy.cells[0].oracle_units, 1000);
    assert_int_equal(played.accuracy.cells[0].admitted_units, 2000);
    assert_int_equal(played.accuracy.cells[1].admitted_units, 0);
    assert_int_equal(sim_contract_excess_units(&played.accuracy.keys[0].contract), 0);
    case_end(&played);
}

static void the_contract_sees_admissions_in_order_of_time_whatever_the_order_of_calls(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 60000, 1000, 120, 1);
    sim_accuracy_admitted(&played.accuracy, 0, 0, 2 * SECOND_NS, 900, 900);
    sim_accuracy_admitted(&played.accuracy, 0, 0, SECOND_NS, 1200, 1200);
    sim_accuracy_check_contract(&played.accuracy, 2 * SECOND_NS);
    const uint64_t first = sim_contract_excess_units(&played.accuracy.keys[0].contract);
    sim_accuracy_admitted(&played.accuracy, 0, 0, 2 * SECOND_NS, 150, 150);
    sim_accuracy_check_contract(&played.accuracy, 3 * SECOND_NS);

    assert_int_equal(first, 200);
    assert_int_equal(sim_contract_excess_units(&played.accuracy.keys[0].contract), 250);
    assert_int_equal(played.accuracy.spending_count, 0);
    case_end(&played);
}

static void what_the_oracle_has_left_is_noted_at_each_end(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 60000, 60000, 150, 1);
    case_request(&played, 0, 59 * SECOND_NS, 60000, true);
    case_request(&played, 0, 149 * SECOND_NS, 500, false);
    case_judge(&played);

    assert_int_equal(played.accuracy.cells[0].oracle_left, 999); /* a nanosecond before the end */
    assert_int_equal(played.accuracy.cells[1].oracle_left, 60000);
    assert_int_equal(played.accuracy.cells[2].oracle_left, 60000);
    case_end(&played);
}

static void what_a_window_has_left_is_what_it_had_at_its_end(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 1000, 0, 180, 1);
    const uint64_t end_ns = sim_accuracy_interval_end_ns(&played.accuracy, 0, 0);
    case_request(&played, 0, end_ns - 1, 300, true);
    case_request(&played, 0, end_ns, 200, true);
    case_judge(&played);

    assert_int_equal(played.accuracy.cells[0].oracle_left, 700);
    assert_int_equal(played.accuracy.cells[1].oracle_left, 800);
    case_end(&played);
}

static void seconds_hold_more_units_than_32_bits(void **state)
{
    (void)state;
    struct accuracy_case played;
    const uint32_t cost_units = UINT32_C(1000000000);

    case_begin(&played, UINT64_C(60000000000), UINT64_C(20000000000), 60, 1);
    for (int i = 0; i < 10; i++) {
        case_request(&played, 0, 1, cost_units, i < 9);
    }

    assert_int_equal(played.accuracy.delta_by_second[0], cost_units);
    assert_int_equal(played.accuracy.oracle_totals[0], UINT64_C(10) * cost_units);
    assert_int_equal(played.accuracy.admitted_totals[0], UINT64_C(9) * cost_units);
    case_end(&played);
}

static void a_run_without_admissions_can_be_checked(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 60, 1, 60, 1);
    sim_accuracy_check_contract(&played.accuracy, 7);
    case_judge(&played);

    assert_int_equal(played.judgement.pair_count, 0);
    case_end(&played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_are_measured_by_minutes_of_true_time),
        cmocka_unit_test(windows_are_measured_in_the_keys_own_phase),
        cmocka_unit_test(the_cells_of_keys_lie_one_after_another),
        cmocka_unit_test(
            a_request_counts_where_it_arrives_and_for_the_contract_where_it_is_decided),
        cmocka_unit_test(the_contract_sees_admissions_in_order_of_time_whatever_the_order_of_calls),
        cmocka_unit_test(what_the_oracle_has_left_is_noted_at_each_end),
        cmocka_unit_test(what_a_window_has_left_is_what_it_had_at_its_end),
        cmocka_unit_test(seconds_hold_more_units_than_32_bits),
        cmocka_unit_test(a_run_without_admissions_can_be_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
