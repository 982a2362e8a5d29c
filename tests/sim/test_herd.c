/* Herds, on arrivals placed by hand. */
#include "unit.h"

#include "herd.h"

#define MS_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

struct fixture {
    struct sim_plan plan;
    struct sim_population population;
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_herd herd;
};

/* Two keys of a window of 10 s, 60 s. */
static void begin(struct fixture *fixture, enum sim_algorithm algorithm)
{
    *fixture = (struct fixture){
        .plan = {.name = "plan",
                 .algorithm = algorithm,
                 .rate_units = 60000,
                 .rate_period_us = 60000000,
                 .capacity_units = algorithm == SIM_ALGORITHM_BUCKET ? 1000 : 0,
                 .window_us = 10000000,
                 .start_fill_ppm = 1000000},
        .population = {.name = "keys", .key_count = 2},
        .scenario = {.duration_ns = 60 * SECOND_NS,
                     .process_count = 1,
                     .shard_count = 1,
                     .plan_count = 1,
                     .population_count = 1},
    };
    fixture->scenario.plans = &fixture->plan;
    fixture->scenario.populations = &fixture->population;
    sim_catalog_init(&fixture->catalog, &fixture->scenario);
    sim_herd_init(&fixture->herd, &fixture->catalog);
}

static void end(struct fixture *fixture)
{
    sim_herd_deinit(&fixture->herd);
    sim_catalog_deinit(&fixture->catalog);
}

/* Beginning of the key's window number `window` that begins within the run. */
static uint64_t roll_ns(const struct fixture *fixture, uint32_t key, uint64_t window)
{
    return (window + 1) * 10 * SECOND_NS - fixture->catalog.keys[key].window_phase_ns;
}

static void arrivals(struct fixture *fixture, uint32_t key, uint64_t time_ns, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sim_herd_arrival(&fixture->herd, key, time_ns);
    }
}

/* In the second after a roll 20 arrivals in each bin of 10 ms, and `more` in bin 37. */
static void second(struct fixture *fixture, uint64_t start_ns, unsigned more)
{
    for (unsigned bin = 0; bin < SIM_HERD_BINS; bin++) {
        arrivals(fixture, 0, start_ns + bin * 10 * MS_NS, 20 + (bin == 37 ? more : 0));
    }
}

static void assert_ratio(struct fixture *fixture, double expected)
{
    sim_herd_finish(&fixture->herd);
    const double ratio = sim_herd_ratio(&fixture->herd);

    assert_true(ratio > expected - 1e-9 && ratio < expected + 1e-9);
}

static void an_even_second_has_a_ratio_of_one(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_WINDOW);
    second(&fixture, roll_ns(&fixture, 0, 0), 0);
    assert_ratio(&fixture, 1);
    end(&fixture);
}

/* 3,000 arrivals, 1,020 of them in one bin: 1,020 / 30. */
static void a_herd_shows_wherever_in_the_second_it_is(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_WINDOW);
    second(&fixture, roll_ns(&fixture, 0, 2), 1000);
    assert_ratio(&fixture, 34);
    end(&fixture);
}

static void the_last_bin_counts_as_the_others(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_LOG);
    arrivals(&fixture, 0, roll_ns(&fixture, 0, 0), 1000);
    arrivals(&fixture, 0, roll_ns(&fixture, 0, 0) + SECOND_NS - 1, 3000);
    assert_ratio(&fixture, 75);
    end(&fixture);
}

static void the_worst_window_of_all_keys_counts(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_SLIDING);
    second(&fixture, roll_ns(&fixture, 0, 0), 1000);
    arrivals(&fixture, 1, roll_ns(&fixture, 1, 2), 1000);
    second(&fixture, roll_ns(&fixture, 0, 3), 0);
    assert_ratio(&fixture, 100);
    end(&fixture);
}

static void seconds_with_too_few_arrivals_say_nothing(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_WINDOW);
    arrivals(&fixture, 0, roll_ns(&fixture, 0, 0), 999);
    assert_ratio(&fixture, 0);
    arrivals(&fixture, 0, roll_ns(&fixture, 0, 1), 1000);
    assert_ratio(&fixture, 100);
    end(&fixture);
}

static void what_comes_later_than_a_second_or_before_the_first_roll_is_no_herd(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_WINDOW);
    arrivals(&fixture, 0, 0, 5000); /* this window began before the run */
    arrivals(&fixture, 0, roll_ns(&fixture, 0, 0) + SECOND_NS, 5000);
    assert_ratio(&fixture, 0);
    end(&fixture);
}

static void buckets_have_no_rolls(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_BUCKET);
    arrivals(&fixture, 0, roll_ns(&fixture, 0, 0), 5000);
    assert_ratio(&fixture, 0);
    end(&fixture);
}

/* 6,000 slots of 10 ms, 12,000 arrivals, 600 of them in one slot: 600 / 2. */
static void the_fleet_is_measured_over_the_whole_run(void **state)
{
    (void)state;
    struct fixture fixture;

    begin(&fixture, SIM_ALGORITHM_BUCKET);
    arrivals(&fixture, 0, 0, 400);
    arrivals(&fixture, 0, 10 * MS_NS, 300);
    arrivals(&fixture, 1, 20 * MS_NS - 1, 300);
    arrivals(&fixture, 1, 20 * MS_NS, 500);
    for (unsigned i = 0; i < 105; i++) {
        arrivals(&fixture, 0, SECOND_NS + i * 10 * MS_NS, 100);
    }
    const double ratio = sim_herd_arrivals_ratio(&fixture.herd);

    assert_true(ratio > 300 - 1e-9 && ratio < 300 + 1e-9);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_even_second_has_a_ratio_of_one),
        cmocka_unit_test(a_herd_shows_wherever_in_the_second_it_is),
        cmocka_unit_test(the_last_bin_counts_as_the_others),
        cmocka_unit_test(the_worst_window_of_all_keys_counts),
        cmocka_unit_test(seconds_with_too_few_arrivals_say_nothing),
        cmocka_unit_test(what_comes_later_than_a_second_or_before_the_first_roll_is_no_herd),
        cmocka_unit_test(buckets_have_no_rolls),
        cmocka_unit_test(the_fleet_is_measured_over_the_whole_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
