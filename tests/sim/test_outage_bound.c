/* What an outage let through, on requests played by hand against a real store's state. */
#include "accuracy_case.h"

#include "outage_bound.h"

#define RATE 60000 /* a minute: 1,000 a second */
#define PROCESSES 4

static struct fault fault;
static struct accuracy_case played;
static struct sim_store store;
static struct sim_outages outages;
static struct sim_outage_figures figures;

/* One key; the store is cut off from 20 s to 50 s. */
static void begin(enum sim_algorithm algorithm, uint64_t capacity_units, enum fault_kind kind)
{
    const struct sim_plan plan = case_plan(algorithm, RATE, capacity_units);

    case_begin_changing(&played, &plan, NULL, 0, 240, 1);
    played.scenario.process_count = PROCESSES;
    fault.kind = kind;
    fault.from_ns = 20 * SECOND_NS;
    fault.until_ns = 50 * SECOND_NS;
    fault.processes.count = PROCESSES;
    fault.shards.count = 1;
    played.scenario.faults = (struct fault_list){.faults = &fault, .count = 1};
    sim_store_init(&store, &played.catalog);
    sim_outages_init(&outages, &played.accuracy.history);
}

static void arrive(uint64_t at_s, uint32_t process, uint32_t cost_units, bool is_due, bool admitted)
{
    const struct sim_arrival arrival = {
        .time_ns = at_s * SECOND_NS, .process = process, .cost_units = cost_units};

    sim_outages_arrival(&outages, &arrival, is_due);
    if (admitted) {
        sim_outages_admitted(&outages, process, 0, arrival.time_ns, arrival.time_ns, cost_units);
    }
}

static void finish(void)
{
    sim_outages_advance(&outages, &store, UINT64_MAX);
    sim_outages_figures(&outages, SIM_EVERY_POPULATION, &figures);
}

static void end(void)
{
    sim_outages_deinit(&outages);
    sim_store_deinit(&store);
    case_end(&played);
    fault = (struct fault){0};
}

static void assert_near(double actual, double expected)
{
    if (actual - expected > 1e-9 || expected - actual > 1e-9) {
        fail_msg("%.12g is not %.12g", actual, expected);
    }
}

/* 1,000 are there and 32,000 come in 30 s and the grace of two; 4 processes may admit one request
 * of 5 beyond that in each of two windows, and 1 % of the limit is tolerated: 33,640. */
static void the_bound_is_what_was_there_and_what_came_on_top(void **state)
{
    (void)state;
    begin(SIM_ALGORITHM_BUCKET, 1000, FAULT_STORE_OUTAGE);
    arrive(30, 0, 5, true, true);
    arrive(40, 1, 5, true, true);
    sim_outages_admitted(&outages, 1, 0, 49 * SECOND_NS, 51 * SECOND_NS, 33640 - 10);
    finish();
    assert_int_equal(figures.outage_count, 1);
    assert_near(figures.bound_used_pct, 100);
    assert_near(figures.over_units, 0);
    assert_near(figures.over_of_accrued_pct, 100.0 * 600 / 30000);
    end();
}

static void one_more_is_over(void **state)
{
    (void)state;
    begin(SIM_ALGORITHM_BUCKET, 1000, FAULT_STORE_OUTAGE);
    arrive(30, 0, 5, true, true);
    sim_outages_admitted(&outages, 1, 0, 49 * SECOND_NS, 49 * SECOND_NS, 33640 - 5 + 1);
    finish();
    assert_near(figures.over_units, 1);
    end();
}

static void what_is_decided_before_or_after_is_not_of_the_outage(void **state)
{
    (void)state;
    begin(SIM_ALGORITHM_BUCKET, 1000, FAULT_STORE_OUTAGE);
    arrive(30, 0, 5, true, false);
    sim_outages_admitted(&outages, 1, 0, 20 * SECOND_NS - 1, 20 * SECOND_NS - 1, 1000000);
    sim_outages_admitted(&outages, 1, 0, 52 * SECOND_NS, 52 * SECOND_NS, 1000000);
    finish();
    assert_near(figures.bound_used_pct, 0);
    assert_near(figures.admitted_of_ideal_min_pct, 0);
    end();
}

/* 400 of 1,000 are taken before the outage and never come back; what is taken at its very beginning
 * is noted as before. */
static void the_state_is_that_of_the_beginning(void **state)
{
    (void)state;
    begin(SIM_ALGORITHM_WINDOW, 0, FAULT_STORE_OUTAGE);
    arrive(30, 0, 1, true, false);
    store.entries[0].state.window_index =
        (sim_store_us(20 * SECOND_NS) +
         weir_key_phase_us(&played.catalog.keys[0].key, UINT64_C(60000000))) /
        60000000;
    store.entries[0].state.tokens = 400;
    sim_outages_before_serving(&outages, &store, 0, 20 * SECOND_NS - 1);
    store.entries[0].state.tokens = 700;
    sim_outages_before_serving(&outages, &store, 0, 20 * SECOND_NS);
    store.entries[0].state.tokens = 900;
    sim_outages_before_serving(&outages, &store, 0, 30 * SECOND_NS);
    finish();
    assert_int_equal(outages.list[0].keys[0].left_units, RATE - 700);
    end();
}

/* Before the outage 40 %, 30 %, 20 % and 10 % of the demand; during it the first process has less
 * to do than its part of what the exact limiter admits. */
static void the_floor_is_what_a_split_by_shares_cannot_place(void **state)
{
    (void)state;
    static const uint32_t before[PROCESSES] = {400, 300, 200, 100};
    static const uint32_t during[PROCESSES] = {250, 350, 200, 200};

    begin(SIM_ALGORITHM_BUCKET, 1000, FAULT_STORE_OUTAGE);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        arrive(10, i, before[i], true, true);
    }
    for (uint32_t i = 0; i < PROCESSES; i++) {
        arrive(30, i, during[i], true, i != 1);
    }
    finish();
    assert_near(figures.floor_split_pct, 100.0 * 150 / 30000);
    assert_near(figures.under_of_accrued_pct, 100.0 * 350 / 30000);
    assert_near(figures.under_above_floor_pct, 100.0 * 200 / 30000);
    assert_near(figures.admitted_of_ideal_min_pct, 65);
    end();
}

/* Process 3 is cut off, with a quarter of the demand: its share of 400 is 100, and it admits 80. */
static void who_is_cut_off_is_held_against_its_share(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_PARTITION, FAULT_REGION_CUT};
    static uint8_t members[PROCESSES] = {0, 0, 0, 1};

    for (int i = 0; i < 2; i++) {
        begin(SIM_ALGORITHM_BUCKET, 1000, kinds[i]);
        fault.processes.member = members;
        sim_outages_deinit(&outages);
        sim_outages_init(&outages, &played.accuracy.history);
        for (uint32_t process = 0; process < PROCESSES; process++) {
            arrive(30, process, 80, true, true);
            arrive(31, process, 20, true, false);
        }
        finish();
        assert_int_equal(figures.outage_count, 0);
        assert_int_equal(figures.cut_count, 1);
        assert_near(figures.cut_share_min_pct, 80);
        assert_near(figures.cut_share_max_pct, 80);
        assert_near(figures.bound_used_pct, -1);
        end();
    }
}

static void a_fault_that_comes_and_goes_or_is_elsewhere_is_no_outage(void **state)
{
    (void)state;
    static uint8_t none[1] = {0};

    fault.period_ns = SECOND_NS;
    fault.on_ppm = 500000;
    begin(SIM_ALGORITHM_BUCKET, 1000, FAULT_STORE_OUTAGE);
    assert_int_equal(outages.count, 0);
    end();
    begin(SIM_ALGORITHM_BUCKET, 1000, FAULT_STORE_SLOW);
    assert_int_equal(outages.count, 0);
    end();
    fault.shards.member = none;
    begin(SIM_ALGORITHM_BUCKET, 1000, FAULT_STORE_OUTAGE);
    arrive(30, 0, 5, true, true);
    finish();
    assert_near(figures.bound_used_pct, -1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_what_was_there_and_what_came_on_top),
        cmocka_unit_test(one_more_is_over),
        cmocka_unit_test(what_is_decided_before_or_after_is_not_of_the_outage),
        cmocka_unit_test(the_state_is_that_of_the_beginning),
        cmocka_unit_test(the_floor_is_what_a_split_by_shares_cannot_place),
        cmocka_unit_test(who_is_cut_off_is_held_against_its_share),
        cmocka_unit_test(a_fault_that_comes_and_goes_or_is_elsewhere_is_no_outage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
