/* The second run, with hand-computed integers, and the oracle it hands over. */
#include "accuracy_case.h"

#include "ideal.h"

#define MS_NS UINT64_C(1000000)

/* One key; `count` requests at 0, and what their clients do. The bucket is full at 0. */
struct ideal_case {
    struct accuracy_case played;
    struct sim_traffic_spec spec;
    struct sim_accuracy ideal;
    struct sim_clientele_totals totals;
};

static void ideal_begin(struct ideal_case *run, uint64_t rate_per_min, uint64_t capacity_units,
                        uint64_t duration_s)
{
    case_begin(&run->played, rate_per_min, capacity_units, duration_s, 1);
    run->played.population.balance.flip_ns = UINT64_MAX;
    run->played.scenario.traffic = &run->spec;
    run->played.scenario.traffic_count = 1;
}

static void ideal_run(struct ideal_case *run, const struct sim_traffic_spec *spec)
{
    run->spec = *spec;
    sim_ideal_run(&run->played.catalog, &run->ideal, &run->totals);
}

static void ideal_end(struct ideal_case *run)
{
    sim_accuracy_deinit(&run->ideal);
    case_end(&run->played);
}

static struct sim_traffic_spec burst(uint64_t count, enum sim_denial_kind kind, uint64_t delay_ns)
{
    return (struct sim_traffic_spec){
        .pattern = SIM_PATTERN_BURST,
        .request_count = count,
        .until_ns = UINT64_MAX >> 2,
        .on_denial = {.kind = kind, .attempts_max = 1000, .delay_ns = delay_ns},
    };
}

/* One a second, capacity 1: three come at 0. Obeying, the second and third come at 1 s; one of them
 * is admitted, the other told to come at 2 s. */
static void who_obeys_the_oracle_is_admitted_when_it_says(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = burst(3, SIM_DENIAL_OBEY, MS_NS);
    struct ideal_case run;

    ideal_begin(&run, 60, 1, 60);
    ideal_run(&run, &spec);

    assert_int_equal(run.totals.retries, 3);
    assert_int_equal(run.totals.recovered, 2);
    assert_true(run.totals.recovery_sum_ns == 3 * SECOND_NS);
    assert_int_equal(run.totals.recovery_max_ns, 2 * SECOND_NS);
    assert_int_equal(run.ideal.cells[0].demand_units, 6);
    assert_int_equal(run.ideal.cells[0].oracle_units, 3);
    ideal_end(&run);
}

/* Attempts at 0, 300, 600, 900 and 1,200 ms. */
static void who_does_not_look_comes_when_it_likes(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = burst(2, SIM_DENIAL_RETRY_AT_ONCE, 300 * MS_NS);
    struct ideal_case run;

    ideal_begin(&run, 60, 1, 60);
    ideal_run(&run, &spec);

    assert_int_equal(run.totals.retries, 4);
    assert_int_equal(run.totals.recovery_max_ns, 1200 * MS_NS);
    ideal_end(&run);
}

static void who_can_never_be_admitted_gives_up(void **state)
{
    (void)state;
    struct sim_traffic_spec spec = burst(2, SIM_DENIAL_OBEY, MS_NS);
    struct ideal_case run;

    ideal_begin(&run, 0, 1, 60); /* nothing is refilled */
    ideal_run(&run, &spec);

    assert_int_equal(run.totals.given_up, 1);
    assert_int_equal(run.totals.retries, 0);
    ideal_end(&run);
}

/* A closed loop with a millisecond to think: at 0, 1, ... 59,999 ms, all admitted. */
static void a_closed_loop_runs_without_latency(void **state)
{
    (void)state;
    const struct sim_traffic_spec spec = {.pattern = SIM_PATTERN_CLOSED,
                                          .client_count = 1,
                                          .think_ns = 1,
                                          .until_ns = UINT64_MAX >> 2};
    struct ideal_case run;

    ideal_begin(&run, 600000, 600000, 60);
    ideal_run(&run, &spec);

    assert_int_equal(run.ideal.cells[0].oracle_units, 60000);
    ideal_end(&run);
}

/* The limiter's own arrivals: 5 in the first minute, all admitted. The second run admits 3 there
 * and 7 in the next minute. */
static void its_oracle_takes_the_place_of_the_own_one(void **state)
{
    (void)state;
    struct accuracy_case played;
    struct sim_accuracy ideal;

    case_begin(&played, 60000, 60000, 180, 1);
    sim_accuracy_expect_oracle(&played.accuracy);
    sim_accuracy_init(&ideal, &played.catalog);
    case_request(&played, 0, 2 * SECOND_NS, 5, true);
    sim_accuracy_arrival(&ideal, 0, 2 * SECOND_NS, 3);
    sim_accuracy_arrival(&ideal, 0, 119 * SECOND_NS, 7);
    sim_accuracy_finish(&ideal);
    case_judge(&played);
    assert_int_equal(played.judgement.pair_count, 1);
    assert_int_equal(played.judgement.over_units_max, 0);
    sim_accuracy_take_oracle(&played.accuracy, &ideal);
    sim_judgement_make(&played.judgement, &played.accuracy, SIM_EVERY_POPULATION);

    assert_int_equal(played.judgement.pair_count, 2); /* the second has demand there only */
    assert_int_equal(case_over(&played, 0, 0), 2);
    assert_int_equal(case_under(&played, 0, 1), 7);
    assert_int_equal(played.accuracy.delta_by_second[2], -2);
    assert_int_equal(played.accuracy.delta_by_second[119], 7);
    assert_int_equal(played.accuracy.oracle_totals[2], 3);
    assert_int_equal(played.accuracy.cells[1].oracle_left, ideal.cells[1].oracle_left);
    assert_int_equal(played.judgement.demand_units, 5);
    assert_int_equal(played.judgement.oracle_units, 10);
    sim_accuracy_deinit(&ideal);
    case_end(&played);
}

/* Both runs admit units at 10 s that the limiter does not. Here the bucket is not full again before
 * the minute ends, so they are late; in the second run it is, so they are lost. */
static void lateness_is_that_of_the_second_run(void **state)
{
    (void)state;
    struct accuracy_case played;
    struct sim_accuracy ideal;

    case_begin(&played, 60000, 60000, 120, 1);
    sim_accuracy_expect_oracle(&played.accuracy);
    sim_accuracy_init(&ideal, &played.catalog);
    case_request(&played, 0, 10 * SECOND_NS, 60000, false);
    case_request(&played, 0, 60 * SECOND_NS, 50001, true);
    sim_accuracy_arrival(&ideal, 0, 10 * SECOND_NS, 1000);
    sim_accuracy_finish(&ideal);
    sim_accuracy_finish(&played.accuracy);
    assert_int_equal(case_over(&played, 0, 1), 0);
    sim_accuracy_take_oracle(&played.accuracy, &ideal);

    assert_int_equal(case_over(&played, 0, 1), 50001);
    sim_accuracy_deinit(&ideal);
    case_end(&played);
}

/* Clients of an unlimited plan that answer a little later ask a little later. */
static void without_a_limit_only_denials_count_whenever_the_second_run_asked(void **state)
{
    (void)state;
    const struct sim_plan plan = case_plan(SIM_ALGORITHM_UNLIMITED, 0, 0);
    struct accuracy_case played;
    struct sim_accuracy ideal;

    case_begin_changing(&played, &plan, NULL, 0, 180, 1);
    sim_accuracy_expect_oracle(&played.accuracy);
    sim_accuracy_init(&ideal, &played.catalog);
    case_request(&played, 0, 60 * SECOND_NS, 1, true);
    case_request(&played, 0, 130 * SECOND_NS, 7, false);
    sim_accuracy_arrival(&ideal, 0, 60 * SECOND_NS - 1, 1);
    sim_accuracy_arrival(&ideal, 0, 130 * SECOND_NS, 5);
    sim_accuracy_finish(&ideal);
    sim_accuracy_finish(&played.accuracy);
    sim_accuracy_take_oracle(&played.accuracy, &ideal);
    sim_judgement_make(&played.judgement, &played.accuracy, SIM_EVERY_POPULATION);

    assert_int_equal(case_under(&played, 0, 0), 0);
    assert_int_equal(case_over(&played, 0, 1), 0);
    assert_int_equal(case_under(&played, 0, 2), 7);
    assert_int_equal(played.judgement.cause_units[SIM_CAUSE_UNEXPLAINED], 7);
    sim_accuracy_deinit(&ideal);
    case_end(&played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_obeys_the_oracle_is_admitted_when_it_says),
        cmocka_unit_test(who_does_not_look_comes_when_it_likes),
        cmocka_unit_test(who_can_never_be_admitted_gives_up),
        cmocka_unit_test(a_closed_loop_runs_without_latency),
        cmocka_unit_test(its_oracle_takes_the_place_of_the_own_one),
        cmocka_unit_test(lateness_is_that_of_the_second_run),
        cmocka_unit_test(without_a_limit_only_denials_count_whenever_the_second_run_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
