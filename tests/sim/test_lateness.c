/* How long a denial may be made up for. */
#include "accuracy_case.h"

#include "lateness.h"

static uint64_t late(const struct accuracy_case *played, uint64_t second)
{
    return sim_lateness_units(&played->accuracy, 0, second);
}

static void begin(struct accuracy_case *played, enum sim_algorithm algorithm,
                  const struct sim_change *changes, size_t change_count)
{
    const struct sim_plan plan = case_plan(algorithm, 60000, 30000);

    case_begin_changing(played, &plan, changes, change_count, 400, 1);
}

static void a_log_makes_up_for_a_denial_within_a_windows_length(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin(&played, SIM_ALGORITHM_LOG, NULL, 0);
    case_request(&played, 0, 100 * SECOND_NS, 500, false);
    case_request(&played, 0, 140 * SECOND_NS, 30, false);
    case_judge(&played);

    assert_int_equal(late(&played, 100), 0);
    assert_int_equal(late(&played, 101), 500);
    assert_int_equal(late(&played, 160), 530);
    assert_int_equal(late(&played, 161), 30);
    assert_int_equal(late(&played, 200), 30);
    assert_int_equal(late(&played, 201), 0);
    case_end(&played);
}

static void a_sliding_window_makes_up_for_a_denial_until_the_next_one_is_over(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin(&played, SIM_ALGORITHM_SLIDING, NULL, 0);
    const uint64_t end_ns = sim_accuracy_interval_end_ns(&played.accuracy, 0, 0);
    const uint64_t end = end_ns / SECOND_NS;
    case_request(&played, 0, end_ns + 10 * SECOND_NS, 500, false);
    case_judge(&played);

    assert_int_equal(late(&played, end + 10), 0);
    assert_int_equal(late(&played, end + 12), 500);
    assert_int_equal(late(&played, end + 119), 500);
    assert_int_equal(late(&played, end + 121), 0);
    case_end(&played);
}

static void what_was_admitted_too_much_is_not_late(void **state)
{
    (void)state;
    struct accuracy_case played;

    begin(&played, SIM_ALGORITHM_LOG, NULL, 0);
    case_request(&played, 0, 100 * SECOND_NS, 60000, false);
    case_request(&played, 0, 110 * SECOND_NS, 60000, true);
    case_request(&played, 0, 120 * SECOND_NS, 7000, true);
    case_judge(&played);

    assert_int_equal(late(&played, 110), 60000);
    assert_int_equal(late(&played, 111), 0);
    assert_int_equal(late(&played, 121), 0);
    case_end(&played);
}

/* The oracle's bucket misses 18,500 units at 110 s. The log holds them until 170 s; handed back at
 * 150 s, the bucket has refilled them at 168.5 s. */
static void a_change_of_plan_hands_on_what_is_late(void **state)
{
    (void)state;
    const struct sim_plan log = case_plan(SIM_ALGORITHM_LOG, 60000, 0);
    const struct sim_plan bucket = case_plan(SIM_ALGORITHM_BUCKET, 60000, 30000);
    struct sim_change changes[2];
    struct accuracy_case played;

    changes[0] = case_change(110 * SECOND_NS, &log);
    changes[1] = case_change(150 * SECOND_NS, &bucket);
    begin(&played, SIM_ALGORITHM_BUCKET, changes, 1);
    case_request(&played, 0, 99 * SECOND_NS, 29000, true);
    case_request(&played, 0, 100 * SECOND_NS, 500, false);
    case_judge(&played);
    assert_int_equal(late(&played, 169), 500);
    assert_int_equal(late(&played, 170), 0);
    case_end(&played);

    begin(&played, SIM_ALGORITHM_BUCKET, changes, 2);
    case_request(&played, 0, 99 * SECOND_NS, 29000, true);
    case_request(&played, 0, 100 * SECOND_NS, 500, false);
    case_judge(&played);
    assert_int_equal(late(&played, 168), 500);
    assert_int_equal(late(&played, 169), 0);
    case_end(&played);
}

static void all_seconds_at_once_are_what_each_is_alone(void **state)
{
    (void)state;
    for (int algorithm = SIM_ALGORITHM_BUCKET; algorithm <= SIM_ALGORITHM_UNLIMITED; algorithm++) {
        struct accuracy_case played;
        uint64_t at_once[401];
        uint64_t sum = 0;

        begin(&played, (enum sim_algorithm)algorithm, NULL, 0);
        for (uint64_t i = 0; i < 399; i++) { /* admits two of five, less in the middle */
            case_request(&played, 0, i * SECOND_NS, 1500, i * 7 % 5 < 2 && i % 100 < 80);
        }
        case_judge(&played);
        sim_lateness_fill(at_once, &played.accuracy, 0);
        for (uint64_t s = 0; s <= 400; s++) {
            assert_int_equal(at_once[s], late(&played, s));
            sum += at_once[s];
        }
        assert_true(sum > 0);
        case_end(&played);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_makes_up_for_a_denial_within_a_windows_length),
        cmocka_unit_test(a_sliding_window_makes_up_for_a_denial_until_the_next_one_is_over),
        cmocka_unit_test(what_was_admitted_too_much_is_not_late),
        cmocka_unit_test(a_change_of_plan_hands_on_what_is_late),
        cmocka_unit_test(all_seconds_at_once_are_what_each_is_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
