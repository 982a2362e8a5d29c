/* Causes and figures of sliding windows, logs, stale weights and plans that change: by hand, and of
 * a store that leases in lumps, whose every error must have its cause. */
#include "accuracy_case.h"

#include "prng.h"

#define RATE 60000

static void assert_near(double actual, double expected)
{
    assert_true(actual - expected < 1e-9 && expected - actual < 1e-9);
}

static uint64_t cause(const struct accuracy_case *played, enum sim_cause which)
{
    return played->judgement.cause_units[which];
}

static uint64_t cause_sum(const struct accuracy_case *played)
{
    uint64_t sum = 0;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        sum += played->judgement.cause_units[i];
    }
    return sum;
}

static void what_an_old_weight_debits_is_stale(void **state)
{
    (void)state;
    struct accuracy_case played;

    /* 3 requests of 100 are debited 300 each; of the 100 that are left 7 more cannot be paid */
    case_begin(&played, 1000, 0, 60, 1);
    for (int i = 0; i < 10; i++) {
        sim_accuracy_arrival(&played.accuracy, 0, 0, 100);
        if (i < 3) {
            sim_accuracy_admitted(&played.accuracy, 0, 0, 0, 100, 300);
        }
    }
    sim_accuracy_store(&played.accuracy, 0, 0, 100, 900);
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 700);
    assert_int_equal(cause(&played, SIM_CAUSE_STALE_PLAN), 600);
    assert_int_equal(cause(&played, SIM_CAUSE_UNCLAIMED), 100);
    assert_int_equal(cause_sum(&played), 700);
    case_end(&played);

    /* 20 of 100 debited 50 each: half is given away */
    case_begin(&played, 1000, 0, 60, 1);
    for (int i = 0; i < 20; i++) {
        sim_accuracy_arrival(&played.accuracy, 0, 0, 100);
        sim_accuracy_admitted(&played.accuracy, 0, 0, 0, 100, 50);
    }
    sim_accuracy_store(&played.accuracy, 0, 0, 0, 1000);
    case_judge(&played);

    assert_int_equal(case_over(&played, 0, 0), 1000);
    assert_int_equal(cause(&played, SIM_CAUSE_STALE_PLAN), 1000);
    assert_int_equal(cause_sum(&played), 1000);
    case_end(&played);
}

/* A bucket that loses 300 units in each minute, for which the store has no figures. */
static void play_losses(struct accuracy_case *played, uint32_t minutes)
{
    for (uint64_t i = 0; i < minutes; i++) {
        case_request(played, 0, i * MINUTE_NS + 30 * SECOND_NS, 300, false);
    }
    case_judge(played);
}

static void only_in_the_minute_of_a_change_of_numbers_the_rest_is_its(void **state)
{
    (void)state;
    const struct sim_plan first = case_plan(SIM_ALGORITHM_BUCKET, RATE, 1000);
    const struct sim_plan second = case_plan(SIM_ALGORITHM_BUCKET, RATE, 1000);
    /* at the end of minute 1 belongs to minute 2 */
    const struct sim_change changes[] = {case_change(120 * SECOND_NS, &second),
                                         case_change(200 * SECOND_NS, &second)};
    struct accuracy_case played;

    case_begin_changing(&played, &first, changes, 2, 300, 1);
    for (uint32_t i = 0; i < 5; i++) {
        sim_accuracy_store(&played.accuracy, 0, i, 1000, 0);
    }
    play_losses(&played, 5);

    assert_int_equal(cause(&played, SIM_CAUSE_PLAN_CHANGE), 2 * 300);
    assert_int_equal(cause(&played, SIM_CAUSE_WITHHELD), 3 * 300);
    case_end(&played);
}

static void from_a_change_of_the_algorithm_on_the_rest_is_its(void **state)
{
    (void)state;
    const struct sim_plan first = case_plan(SIM_ALGORITHM_BUCKET, RATE, 1000);
    const struct sim_plan second = case_plan(SIM_ALGORITHM_LOG, 1000, 0);
    const struct sim_change change = case_change(130 * SECOND_NS, &second);
    struct accuracy_case played;

    case_begin_changing(&played, &first, &change, 1, 300, 1);
    for (uint32_t i = 0; i < 5; i++) { /* the log keeps 300 */
        sim_accuracy_store(&played.accuracy, 0, i, i < 2 ? 1000 : 700, 0);
    }
    play_losses(&played, 5);

    assert_int_equal(cause(&played, SIM_CAUSE_WITHHELD), 2 * 300);
    assert_int_equal(cause(&played, SIM_CAUSE_PLAN_CHANGE), 3 * 300);
    case_end(&played);
}

static void what_windows_do_not_conserve_is_an_alarm_unless_the_plan_changed(void **state)
{
    (void)state;
    static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_WINDOW, SIM_ALGORITHM_SLIDING,
                                                    SIM_ALGORITHM_LOG};

    for (int i = 0; i < 3; i++) {
        const struct sim_plan plan = case_plan(algorithms[i], 1000, 0);
        const struct sim_change change = case_change(1, &plan);

        for (size_t changes = 0; changes < 2; changes++) {
            struct accuracy_case played;

            case_begin_changing(&played, &plan, &change, changes, 600, 1);
            case_request(&played, 0, 0, 100, false);
            case_request(&played, 0, 300 * SECOND_NS, 100, false);
            /* 100 denied, 60 are still there, 30 were taken: 10 are gone */
            sim_accuracy_store(&played.accuracy, 0, 0, 960, 30);
            sim_accuracy_store(&played.accuracy, 0,
                               sim_accuracy_interval(&played.accuracy, 0, 300 * SECOND_NS), 960,
                               30);
            case_judge(&played);

            assert_int_equal(cause(&played, SIM_CAUSE_PARKED), 60);
            assert_int_equal(cause(&played, SIM_CAUSE_UNCLAIMED), 120);
            assert_int_equal(cause(&played, SIM_CAUSE_PLAN_CHANGE), changes * 10);
            assert_int_equal(cause(&played, SIM_CAUSE_UNEXPLAINED), 20 - changes * 10);
            case_end(&played);
        }
    }
}

static void what_is_admitted_without_a_plan_is_over(void **state)
{
    (void)state;
    const struct sim_plan plan = case_plan(SIM_ALGORITHM_BUCKET, RATE, 1000);
    const struct sim_change change = case_delete(30 * SECOND_NS);
    struct accuracy_case played;

    case_begin_changing(&played, &plan, &change, 1, 180, 1);
    case_request(&played, 0, 29 * SECOND_NS, 700, true);
    case_request(&played, 0, 30 * SECOND_NS, 20, true);
    case_request(&played, 0, 130 * SECOND_NS, 4, true);
    case_judge(&played);

    assert_int_equal(case_over(&played, 0, 0), 20);
    assert_int_equal(case_over(&played, 0, 2), 4);
    assert_int_equal(cause(&played, SIM_CAUSE_PLAN_CHANGE), 24);
    assert_int_equal(played.judgement.contract_over_units_max, 24);
    assert_near(played.judgement.over_pct.max, 100.0 * 20 / RATE); /* minute 2 has no limit */
    case_end(&played);
}

static void without_a_limit_a_denial_has_no_explanation(void **state)
{
    (void)state;
    const struct sim_plan plan = case_plan(SIM_ALGORITHM_UNLIMITED, 0, 0);
    struct accuracy_case played;

    case_begin_changing(&played, &plan, NULL, 0, 180, 1);
    case_request(&played, 0, 0, 5000, true);
    case_request(&played, 0, 70 * SECOND_NS, 11, false);
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 1), 11);
    assert_int_equal(cause(&played, SIM_CAUSE_UNEXPLAINED), 11);
    assert_int_equal(cause_sum(&played), 11);
    assert_int_equal(played.judgement.contract_over_units_max, 0);
    assert_near(played.judgement.under_pct.max, 0);
    case_end(&played);
}

/* In the second run nobody waited for the limiter: it was asked for 100 more. That is no error. */
static void what_was_never_asked_for_is_not_missing_without_a_limit(void **state)
{
    (void)state;
    const struct sim_plan plan = case_plan(SIM_ALGORITHM_UNLIMITED, 0, 0);
    struct accuracy_case ideal;
    struct accuracy_case played;

    case_begin_changing(&ideal, &plan, NULL, 0, 60, 1);
    case_request(&ideal, 0, 0, 150, true);
    case_begin_changing(&played, &plan, NULL, 0, 60, 1);
    sim_accuracy_expect_oracle(&played.accuracy);
    case_request(&played, 0, 0, 43, true);
    case_request(&played, 0, 0, 7, false);
    sim_accuracy_take_oracle(&played.accuracy, &ideal.accuracy);
    case_judge(&played);

    assert_int_equal(case_under(&played, 0, 0), 7);
    assert_int_equal(cause(&played, SIM_CAUSE_UNCLAIMED), 0);
    assert_int_equal(cause(&played, SIM_CAUSE_UNEXPLAINED), 7); /* the denial */
    case_end(&played);
    case_end(&ideal);
}

static void what_an_old_weight_debits_of_free_requests_is_in_the_books(void **state)
{
    (void)state;
    struct accuracy_case played;

    case_begin(&played, 1000, 0, 60, 1);
    sim_accuracy_arrival(&played.accuracy, 0, 0, 0);
    sim_accuracy_admitted(&played.accuracy, 0, 0, 0, 0, 18);
    case_judge(&played);

    assert_int_equal(played.judgement.charged_units, 18);
    assert_int_equal(played.judgement.pair_count, 0);
    case_end(&played);
}

static void what_a_log_or_sliding_window_denied_may_follow_in_the_next(void **state)
{
    (void)state;
    static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_SLIDING, SIM_ALGORITHM_LOG};

    for (int i = 0; i < 2; i++) {
        const struct sim_plan plan = case_plan(algorithms[i], 1000, 0);
        struct accuracy_case played;

        case_begin_changing(&played, &plan, NULL, 0, 400, 1);
        const uint64_t end_ns = sim_accuracy_interval_end_ns(&played.accuracy, 0, 1);
        case_request(&played, 0, end_ns - 1, 1000, false);
        case_request(&played, 0, end_ns, 1000, true); /* the oracle remembers the first */
        case_request(&played, 0, end_ns, 30, true);
        /* two windows later nobody does */
        case_request(&played, 0, end_ns + 3 * MINUTE_NS, 1000, true);
        case_request(&played, 0, end_ns + 3 * MINUTE_NS, 7, true);
        case_judge(&played);

        assert_int_equal(case_under(&played, 0, 1), 1000);
        assert_int_equal(case_over(&played, 0, 2), 30);
        assert_int_equal(case_over(&played, 0, 5), 7);
        assert_int_equal(played.judgement.contract_over_units_max, 30);
        case_end(&played);
    }
}

/* Between two windows of the key's own, 60 s hold more than either. */
static void sixty_seconds_of_a_sliding_window_or_log_are_judged_too(void **state)
{
    (void)state;
    static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_SLIDING, SIM_ALGORITHM_LOG};

    for (int i = 0; i < 2; i++) {
        const struct sim_plan plan = case_plan(algorithms[i], RATE, 0);
        struct accuracy_case played;

        case_begin_changing(&played, &plan, NULL, 0, 400, 1);
        const uint64_t end_ns = sim_accuracy_interval_end_ns(&played.accuracy, 0, 1);
        case_request(&played, 0, end_ns - 10 * SECOND_NS, RATE, true);
        case_request(&played, 0, end_ns - 10 * SECOND_NS, 600, true); /* 1 % over */
        case_request(&played, 0, end_ns, 1200, true);                 /* 2 % over */
        case_judge(&played);

        assert_int_equal(case_over(&played, 0, 1), 600);
        assert_int_equal(case_over(&played, 0, 2), 1200);
        assert_near(played.judgement.sliding_over_pct_max, 3);
        case_end(&played);

        case_begin_changing(&played, &plan, NULL, 0, 400, 1);
        case_request(&played, 0, end_ns - 20 * SECOND_NS, 600, false);
        case_request(&played, 0, end_ns - 20 * SECOND_NS, RATE - 600, true);
        case_request(&played, 0, end_ns - 5 * SECOND_NS, 600, true); /* late, not over */
        case_judge(&played);
        assert_int_equal(played.judgement.contract_over_units_max, 0);
        assert_near(played.judgement.sliding_over_pct_max, 0);
        case_end(&played);
    }
}

static void percentages_are_of_the_limits_in_force(void **state)
{
    (void)state;
    const struct sim_plan first = case_plan(SIM_ALGORITHM_BUCKET, 1000, 1000);
    const struct sim_plan second = case_plan(SIM_ALGORITHM_BUCKET, 3000, 1000);
    const struct sim_change change = case_change(90 * SECOND_NS, &second);
    static const double percents[] = {5, 2.5, 5.0 / 3};

    for (uint64_t minute = 0; minute < 3; minute++) {
        struct accuracy_case played;

        case_begin_changing(&played, &first, &change, 1, 180, 1);
        case_request(&played, 0, minute * MINUTE_NS + SECOND_NS, 50, false);
        case_judge(&played);
        assert_near(played.judgement.under_pct.max, percents[minute]);
        assert_near(played.judgement.worst.percent, percents[minute]);
        case_end(&played);
    }
}

/* ---- a store that leases in lumps */

#define HOLDERS 3

struct lumps {
    struct sim_oracle store;
    uint64_t taken;         /* in the window, or since time 0 */
    uint64_t held[HOLDERS]; /* by each process; gone when their window is over */
    uint32_t interval;
    uint32_t era;
};

static void lumps_advance(struct lumps *lumps, struct accuracy_case *played, uint64_t time_ns)
{
    struct sim_accuracy *accuracy = &played->accuracy;

    for (;;) {
        const uint64_t interval_ns = sim_accuracy_interval_end_ns(accuracy, 0, lumps->interval);
        const uint64_t end_ns =
            interval_ns < accuracy->duration_ns ? interval_ns : accuracy->duration_ns;
        const uint64_t change_ns = sim_plan_history_start_ns(&accuracy->history, 0, lumps->era + 1);
        if (lumps->interval < accuracy->keys[0].cell_count && end_ns <= time_ns &&
            end_ns <= change_ns) {
            sim_accuracy_store(accuracy, 0, lumps->interval++,
                               sim_oracle_remaining_at_end_units(&lumps->store, end_ns - 1),
                               lumps->taken);
            if (accuracy->keys[0].has_windows) {
                lumps->taken = 0;
                for (int i = 0; i < HOLDERS; i++) {
                    lumps->held[i] = 0;
                }
            }
        } else if (change_ns <= time_ns) {
            struct sim_oracle_rule rule;
            sim_plan_history_rule(&accuracy->history, 0, ++lumps->era, &rule);
            sim_oracle_change(&lumps->store, change_ns, &rule);
        } else {
            return;
        }
    }
}

static void lumps_request(struct lumps *lumps, struct accuracy_case *played, uint64_t time_ns,
                          struct sim_prng *prng)
{
    const uint32_t cost_units = 1 + (uint32_t)sim_prng_below(prng, 30);
    const uint64_t lump_units = sim_prng_below(prng, 60);
    uint64_t *held = &lumps->held[sim_prng_below(prng, HOLDERS)];

    lumps_advance(lumps, played, time_ns);
    sim_accuracy_arrival(&played->accuracy, 0, time_ns, cost_units);
    if (*held < cost_units) {
        const uint64_t wanted = cost_units + lump_units - *held;
        const uint64_t left = sim_oracle_remaining_units(&lumps->store, time_ns);
        const uint64_t granted = left < wanted ? left : wanted;
        assert_true(sim_oracle_admit(&lumps->store, time_ns, granted));
        *held += granted;
        lumps->taken += granted;
    }
    if (*held >= cost_units) {
        *held -= cost_units;
        sim_accuracy_admitted(&played->accuracy, 0, time_ns, time_ns, cost_units, cost_units);
    }
}

/* Plays random requests; the errors of the intervals must have causes. Returns them. */
static uint64_t play_lumps(struct accuracy_case *played, struct sim_prng *prng)
{
    struct lumps lumps = {.taken = 0};
    struct sim_oracle_rule rule;
    uint64_t time_ns = 0;
    uint64_t errors = 0;

    sim_plan_history_rule(&played->accuracy.history, 0, 0, &rule);
    const uint64_t used_units = rule.capacity_units - sim_catalog_start_units(&played->catalog, 0);
    sim_oracle_init(&lumps.store, &rule, used_units);
    if (played->accuracy.keys[0].has_windows) {
        lumps.taken = used_units; /* a window's counter has what was used before time 0 */
    }
    for (;;) {
        time_ns += sim_prng_below(prng, 4000) * 1000001;
        if (time_ns >= played->accuracy.duration_ns) {
            break;
        }
        lumps_request(&lumps, played, time_ns, prng);
    }
    lumps_advance(&lumps, played, played->accuracy.duration_ns);
    case_judge(played);
    for (uint32_t i = 0; i < played->accuracy.keys[0].cell_count; i++) {
        errors += case_over(played, 0, i) + case_under(played, 0, i);
    }
    sim_oracle_deinit(&lumps.store);
    return errors;
}

static void each_error_of_a_store_that_leases_has_its_cause(void **state)
{
    (void)state;
    for (int algorithm = SIM_ALGORITHM_BUCKET; algorithm <= SIM_ALGORITHM_LOG; algorithm++) {
        uint64_t errors = 0;

        for (uint64_t i = 0; i < 100; i++) {
            struct sim_plan plan = case_plan((enum sim_algorithm)algorithm, 300, 200);
            struct accuracy_case played;
            struct sim_prng prng;

            sim_prng_init(&prng, 1, "lumps", i);
            plan.start_fill_ppm = i % 2 == 0 ? 1000000 : 400000;
            case_begin_changing(&played, &plan, NULL, 0, 400, 1);
            const uint64_t expected = play_lumps(&played, &prng);
            assert_int_equal(cause_sum(&played), expected);
            assert_int_equal(cause(&played, SIM_CAUSE_UNEXPLAINED), 0);
            assert_int_equal(cause(&played, SIM_CAUSE_PLAN_CHANGE), 0);
            assert_int_equal(cause(&played, SIM_CAUSE_RACE), 0);
            assert_int_equal(cause(&played, SIM_CAUSE_STALE_PLAN), 0);
            errors += expected;
            case_end(&played);
        }
        assert_true(errors > 1000);
    }
}

static void through_random_changes_each_error_has_its_cause(void **state)
{
    (void)state;
    uint64_t change_units = 0;

    for (uint64_t i = 0; i < 400; i++) {
        struct sim_change changes[3];
        struct accuracy_case played;
        struct sim_prng prng;
        uint64_t at_ns = 0;

        sim_prng_init(&prng, 1, "lumps through changes", i);
        const struct sim_plan first =
            case_plan((enum sim_algorithm)sim_prng_below(&prng, 4), 300, 200);
        for (int c = 0; c < 3; c++) {
            const enum sim_algorithm other = (enum sim_algorithm)sim_prng_below(&prng, 4);
            const struct sim_plan plan =
                case_plan(i % 2 == 0 ? first.algorithm : other,
                          60 * (1 + sim_prng_below(&prng, 10)), 1 + sim_prng_below(&prng, 300));
            at_ns += sim_prng_below(&prng, 150) * SECOND_NS;
            changes[c] = case_change(at_ns, &plan);
        }
        case_begin_changing(&played, &first, changes, 3, 400, 1);
        const uint64_t expected = play_lumps(&played, &prng);
        assert_int_equal(cause_sum(&played), expected);
        assert_int_equal(cause(&played, SIM_CAUSE_UNEXPLAINED), 0);
        assert_int_equal(cause(&played, SIM_CAUSE_RACE), 0);
        change_units += cause(&played, SIM_CAUSE_PLAN_CHANGE);
        case_end(&played);
    }
    assert_true(change_units > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_old_weight_debits_is_stale),
        cmocka_unit_test(only_in_the_minute_of_a_change_of_numbers_the_rest_is_its),
        cmocka_unit_test(from_a_change_of_the_algorithm_on_the_rest_is_its),
        cmocka_unit_test(what_windows_do_not_conserve_is_an_alarm_unless_the_plan_changed),
        cmocka_unit_test(what_is_admitted_without_a_plan_is_over),
        cmocka_unit_test(without_a_limit_a_denial_has_no_explanation),
        cmocka_unit_test(what_was_never_asked_for_is_not_missing_without_a_limit),
        cmocka_unit_test(what_an_old_weight_debits_of_free_requests_is_in_the_books),
        cmocka_unit_test(what_a_log_or_sliding_window_denied_may_follow_in_the_next),
        cmocka_unit_test(sixty_seconds_of_a_sliding_window_or_log_are_judged_too),
        cmocka_unit_test(percentages_are_of_the_limits_in_force),
        cmocka_unit_test(each_error_of_a_store_that_leases_has_its_cause),
        cmocka_unit_test(through_random_changes_each_error_has_its_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
