/* What is counted where when plans are not buckets or windows, and when they change in mid-run. */
#include "accuracy_case.h"

#include "prng.h"

static void sliding_windows_and_logs_are_measured_in_the_keys_own_phase(void **state)
{
    (void)state;
    static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_SLIDING, SIM_ALGORITHM_LOG};

    for (int i = 0; i < 2; i++) {
        const struct sim_plan plan = case_plan(algorithms[i], 1000, 0);
        struct accuracy_case played;

        case_begin_changing(&played, &plan, NULL, 0, 150, 1);
        assert_true(played.accuracy.keys[0].has_windows);
        assert_int_equal(sim_accuracy_interval_end_ns(&played.accuracy, 0, 0),
                         MINUTE_NS - played.catalog.keys[0].window_phase_ns);
        assert_int_equal(sim_accuracy_limit_units(&played.accuracy, 0, 1), 1000);
        case_end(&played);
    }
}

static void without_a_limit_minutes_are_measured_and_there_are_no_percentages(void **state)
{
    (void)state;
    const struct sim_plan plan = case_plan(SIM_ALGORITHM_UNLIMITED, 0, 0);
    struct accuracy_case played;

    case_begin_changing(&played, &plan, NULL, 0, 150, 1);
    case_request(&played, 0, 0, 1000000, true);
    assert_int_equal(played.accuracy.keys[0].cell_count, 3);
    assert_int_equal(sim_accuracy_limit_units(&played.accuracy, 0, 0), 0);
    assert_int_equal(played.accuracy.cells[0].oracle_units, 1000000);
    case_end(&played);
}

static void only_an_altered_plan_is_measured_by_minutes_instead(void **state)
{
    (void)state;
    const struct sim_plan log = case_plan(SIM_ALGORITHM_LOG, 1000, 0);
    const struct sim_plan smaller = case_plan(SIM_ALGORITHM_LOG, 10, 0);
    const struct sim_plan window = case_plan(SIM_ALGORITHM_WINDOW, 1000, 0);
    const struct sim_change changes[] = {case_change(100 * SECOND_NS, &smaller),
                                         case_change(100 * SECOND_NS, &window),
                                         case_delete(100 * SECOND_NS)};

    for (int i = 0; i < 3; i++) {
        struct accuracy_case played;

        case_begin_changing(&played, &log, &changes[i], 1, 150, 1);
        assert_int_equal(played.accuracy.keys[0].has_windows, i == 0);
        assert_int_equal(sim_accuracy_interval_end_ns(&played.accuracy, 0, 1),
                         i == 0 ? 2 * MINUTE_NS - played.catalog.keys[0].window_phase_ns
                                : 2 * MINUTE_NS);
        case_end(&played);
    }
}

static void a_change_holds_for_what_comes_at_its_instant(void **state)
{
    (void)state;
    const struct sim_plan large = case_plan(SIM_ALGORITHM_BUCKET, 60000, 1000);
    const struct sim_plan small = case_plan(SIM_ALGORITHM_BUCKET, 60000, 400);
    const struct sim_change change = case_change(30 * SECOND_NS, &small);

    for (uint64_t early_ns = 0; early_ns < 2; early_ns++) {
        struct accuracy_case played;
        const uint64_t time_ns = 30 * SECOND_NS - early_ns;

        case_begin_changing(&played, &large, &change, 1, 120, 1);
        assert_int_equal(sim_accuracy_arrival(&played.accuracy, 0, time_ns, 401), early_ns == 1);
        sim_accuracy_admitted(&played.accuracy, 0, 7, time_ns, 401, 401);
        case_judge(&played);
        assert_int_equal(sim_contract_excess_units(&played.accuracy.keys[0].contract),
                         1 - early_ns);
        case_end(&played);
    }
}

static void what_is_left_when_a_plan_ends_with_an_interval_is_the_old_plans(void **state)
{
    (void)state;
    const struct sim_plan large = case_plan(SIM_ALGORITHM_BUCKET, 60000, 1000);
    const struct sim_plan small = case_plan(SIM_ALGORITHM_BUCKET, 60000, 400);
    const struct sim_change change = case_change(MINUTE_NS, &small);
    struct accuracy_case played;

    case_begin_changing(&played, &large, &change, 1, 120, 1);
    case_judge(&played);

    assert_int_equal(played.accuracy.cells[0].oracle_left, 1000);
    assert_int_equal(played.accuracy.cells[1].oracle_left, 400);
    case_end(&played);
}

static void what_is_left_at_a_windows_end_is_its_limit_less_its_own_units(void **state)
{
    (void)state;
    static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_WINDOW, SIM_ALGORITHM_SLIDING,
                                                    SIM_ALGORITHM_LOG};

    for (int i = 0; i < 3; i++) {
        const struct sim_plan plan = case_plan(algorithms[i], 1000, 0);
        struct accuracy_case played;

        /* the run ends half a minute into a window that follows one with 300 units at its end */
        case_begin_changing(&played, &plan, NULL, 0, 400, 1);
        const uint64_t start_ns = sim_accuracy_interval_start_ns(&played.accuracy, 0, 3);
        case_end(&played);
        case_begin_changing(&played, &plan, NULL, 0, start_ns / SECOND_NS + 31, 1);
        case_request(&played, 0, start_ns - 1, 300, true);
        case_request(&played, 0, start_ns, 20, true);
        case_judge(&played);

        assert_int_equal(played.accuracy.cells[1].oracle_left, 1000);
        assert_int_equal(played.accuracy.cells[2].oracle_left, 700);
        assert_int_equal(played.accuracy.cells[3].oracle_left, 980);
        case_end(&played);

        case_begin_changing(&played, &plan, NULL, 0, 400, 1);
        case_request(&played, 0, start_ns - 1, 300, true);
        case_request(&played, 0, start_ns, 20, true);
        case_judge(&played);
        assert_int_equal(played.accuracy.cells[3].oracle_left, 980); /* not 979 */
        case_end(&played);
    }
}

static void a_key_without_traffic_changes_too(void **state)
{
    (void)state;
    const struct sim_plan log = case_plan(SIM_ALGORITHM_LOG, 1000, 0);
    const struct sim_change change = case_delete(70 * SECOND_NS);
    struct accuracy_case played;

    case_begin_changing(&played, &log, &change, 1, 150, 1);
    case_judge(&played);

    assert_int_equal(played.accuracy.cells[0].oracle_left, 1000);
    assert_int_equal(played.accuracy.cells[1].oracle_left, 0);
    assert_int_equal(played.accuracy.cells[2].oracle_left, 0);
    case_end(&played);
}

static void the_limit_of_an_interval_is_the_mean_of_those_in_force(void **state)
{
    (void)state;
    const struct sim_plan first = case_plan(SIM_ALGORITHM_BUCKET, 1000, 10);
    const struct sim_plan second = case_plan(SIM_ALGORITHM_BUCKET, 4000, 10);
    const struct sim_change changes[] = {case_change(80 * SECOND_NS, &second),
                                         case_delete(150 * SECOND_NS)};
    struct accuracy_case played;

    case_begin_changing(&played, &first, changes, 2, 190, 1);
    assert_int_equal(sim_accuracy_limit_units(&played.accuracy, 0, 0), 1000);
    assert_int_equal(sim_accuracy_limit_units(&played.accuracy, 0, 1), 3000);
    assert_int_equal(sim_accuracy_limit_units(&played.accuracy, 0, 2), 4000);
    assert_int_equal(sim_accuracy_limit_units(&played.accuracy, 0, 3), 0);
    case_end(&played);

    /* of an interval cut short, the part within the run */
    case_begin_changing(&played, &first, changes, 2, 100, 1);
    assert_int_equal(sim_accuracy_limit_units(&played.accuracy, 0, 1), 2500);
    case_end(&played);
}

static void what_was_debited_is_kept_beside_what_it_cost(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 60000, 1000, 60, 1);
    sim_accuracy_admitted(&played.accuracy, 0, 0, 0, 10, 7);
    sim_accuracy_admitted(&played.accuracy, 0, 0, 0, 10, 12);
    case_judge(&played);

    assert_int_equal(played.accuracy.cells[0].admitted_units, 20);
    assert_int_equal(played.accuracy.cells[0].charged_units, 19);
    assert_int_equal(played.judgement.charged_units, 19);
    assert_int_equal(sim_contract_excess_units(&played.accuracy.keys[0].contract), 0);
    case_end(&played);
}

/* An oracle of the test's own, changed by hand just before each arrival. */
static void arrivals_see_the_plan_of_their_time(void **state)
{
    (void)state;
    unsigned refused = 0;

    for (uint64_t i = 0; i < 200; i++) {
        struct sim_change changes[CASE_CHANGES_MAX];
        struct sim_oracle_rule rule;
        struct accuracy_case played;
        struct sim_oracle oracle;
        struct sim_prng prng;
        uint64_t time_ns = 0;
        uint32_t era = 0;

        sim_prng_init(&prng, 1, "changing plans", i);
        struct sim_plan first = case_plan((enum sim_algorithm)sim_prng_below(&prng, 5), 600, 70);
        for (size_t c = 0; c < CASE_CHANGES_MAX; c++) {
            struct sim_plan plan = case_plan((enum sim_algorithm)sim_prng_below(&prng, 5),
                                             60 * (1 + sim_prng_below(&prng, 20)), 50);
            time_ns += sim_prng_below(&prng, 40) * SECOND_NS;
            changes[c] =
                sim_prng_below(&prng, 6) == 0 ? case_delete(time_ns) : case_change(time_ns, &plan);
        }
        case_begin_changing(&played, &first, changes, CASE_CHANGES_MAX, 300, 1);
        sim_plan_history_rule(&played.accuracy.history, 0, 0, &rule);
        sim_oracle_init(&oracle, &rule, 0);
        time_ns = 0;
        for (;;) {
            const uint32_t cost_units = (uint32_t)sim_prng_below(&prng, 40);
            time_ns += sim_prng_below(&prng, 6) * SECOND_NS / 2;
            if (time_ns >= 300 * SECOND_NS) {
                break;
            }
            while (era < CASE_CHANGES_MAX && changes[era].at_ns <= time_ns) {
                const uint64_t at_ns = changes[era].at_ns;
                sim_plan_history_rule(&played.accuracy.history, 0, ++era, &rule);
                sim_oracle_change(&oracle, at_ns, &rule);
            }
            const bool admitted = sim_oracle_admit(&oracle, time_ns, cost_units);
            assert_int_equal(sim_accuracy_arrival(&played.accuracy, 0, time_ns, cost_units),
                             admitted);
            refused += !admitted;
        }
        sim_oracle_deinit(&oracle);
        case_end(&played);
    }
    assert_true(refused > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_windows_and_logs_are_measured_in_the_keys_own_phase),
        cmocka_unit_test(without_a_limit_minutes_are_measured_and_there_are_no_percentages),
        cmocka_unit_test(only_an_altered_plan_is_measured_by_minutes_instead),
        cmocka_unit_test(a_change_holds_for_what_comes_at_its_instant),
        cmocka_unit_test(what_is_left_when_a_plan_ends_with_an_interval_is_the_old_plans),
        cmocka_unit_test(what_is_left_at_a_windows_end_is_its_limit_less_its_own_units),
        cmocka_unit_test(a_key_without_traffic_changes_too),
        cmocka_unit_test(the_limit_of_an_interval_is_the_mean_of_those_in_force),
        cmocka_unit_test(what_was_debited_is_kept_beside_what_it_cost),
        cmocka_unit_test(arrivals_see_the_plan_of_their_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
