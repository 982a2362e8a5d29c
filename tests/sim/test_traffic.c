/* Arrivals of whole scenarios: rates, mixes, merging, and which stream feeds what. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "traffic.h"

#define SECOND_NS UINT64_C(1000000000)
#define PROCESS_COUNT 10
#define GOLDEN_COUNT 100000
#define GOLDEN_HASH UINT64_C(13891140055855657161)

/* A scenario with room for two of everything; a test changes what it is about. */
struct fixture {
    struct sim_plan plans[2];
    struct sim_endpoint endpoints[3];
    struct sim_endpoint_share mix[3];
    struct sim_population populations[2];
    struct sim_traffic_spec specs[2];
    struct sim_scenario scenario;
};

static void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){
        .plans = {{.rate_units = 100, .rate_period_us = 1000000, .window_us = 1000000},
                  {.rate_units = 6000, .rate_period_us = 60000000, .window_us = 1000000}},
        .endpoints = {{.weight_units = 1}, {.weight_units = 5}, {.weight_units = 10}},
        .mix = {{.endpoint = 2, .share_ppm = 200000},
                {.endpoint = 0, .share_ppm = 500000},
                {.endpoint = 1, .share_ppm = 300000}},
        .populations =
            {{.name = "first", .key_count = 50, .balance.flip_ns = UINT64_MAX},
             {.name = "second", .plan = 1, .key_count = 20, .balance.flip_ns = UINT64_MAX}},
        .specs = {{.demand_ppm = 1200000, .until_ns = UINT64_MAX},
                  {.population = 1, .demand_ppm = 500000, .until_ns = UINT64_MAX}},
    };
    fixture->scenario = (struct sim_scenario){
        .seed = 1,
        .duration_ns = 100 * SECOND_NS,
        .process_count = PROCESS_COUNT,
        .plans = fixture->plans,
        .plan_count = 2,
        .endpoints = fixture->endpoints,
        .endpoint_count = 3,
        .populations = fixture->populations,
        .population_count = 2,
        .traffic = fixture->specs,
        .traffic_count = 2,
    };
}

static void assert_near(double count, double mean)
{
    assert_true(fabs(count - mean) <= 4.0 * sqrt(mean));
}

static void each_population_has_its_rate_and_its_keys(void **state)
{
    (void)state;
    uint32_t counts[70] = {0};
    uint64_t previous_ns = 0;
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    traffic = sim_traffic_new(&fixture.scenario);
    while (sim_traffic_next(traffic, &arrival)) {
        assert_true(arrival.time_ns >= previous_ns);
        assert_true(arrival.time_ns < fixture.scenario.duration_ns);
        assert_true(arrival.process < PROCESS_COUNT);
        assert_int_equal(arrival.cost_units, 1);
        assert_true(arrival.endpoint == UINT32_MAX);
        previous_ns = arrival.time_ns;
        counts[arrival.key]++;
    }
    /* both plans give 100 units/s: 120 and 50 requests/s a key, for 100 s */
    for (uint32_t key = 0; key < 70; key++) {
        assert_near(counts[key], key < 50 ? 12000.0 : 5000.0);
    }
    assert_true(fabs(sim_traffic_requests_per_s(traffic) - 7000.0) < 1e-6);
    sim_traffic_free(traffic);
}

static void mix_gives_costs_and_divides_the_rate(void **state)
{
    (void)state;
    uint32_t counts[3] = {0};
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    fixture.populations[0].mix = fixture.mix;
    fixture.populations[0].mix_count = 3;
    fixture.scenario.traffic_count = 1;
    traffic = sim_traffic_new(&fixture.scenario);
    while (sim_traffic_next(traffic, &arrival)) {
        assert_int_equal(arrival.cost_units, fixture.endpoints[arrival.endpoint].weight_units);
        counts[arrival.endpoint]++;
    }
    /* 6,000 units/s for 100 s at a mean cost of 0.5 x 1 + 0.3 x 5 + 0.2 x 10 = 4 units */
    assert_near(counts[0], 75000.0);
    assert_near(counts[1], 45000.0);
    assert_near(counts[2], 30000.0);
    sim_traffic_free(traffic);
}

static void single_endpoint_needs_no_draw(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;
    double count = 0.0;

    fixture_init(&fixture);
    fixture.populations[0].mix = &fixture.mix[2];
    fixture.populations[0].mix_count = 1;
    fixture.scenario.traffic_count = 1;
    traffic = sim_traffic_new(&fixture.scenario);
    while (sim_traffic_next(traffic, &arrival)) {
        assert_int_equal(arrival.endpoint, 1);
        assert_int_equal(arrival.cost_units, 5);
        count += 1.0;
    }
    assert_near(count, 120000.0);
    sim_traffic_free(traffic);
}

static void popular_keys_get_their_part_and_the_total_stays(void **state)
{
    (void)state;
    double counts[50] = {0.0};
    double sum = 0.0;
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    fixture.populations[0].zipf_ppm = 1500000;
    fixture.scenario.traffic_count = 1;
    traffic = sim_traffic_new(&fixture.scenario);
    while (sim_traffic_next(traffic, &arrival)) {
        counts[arrival.key] += 1.0;
    }
    for (uint32_t key = 0; key < 50; key++) {
        sum += pow(key + 1.0, -1.5);
    }
    for (uint32_t key = 0; key < 50; key++) {
        assert_near(counts[key], 600000.0 * pow(key + 1.0, -1.5) / sum);
    }
    sim_traffic_free(traffic);
}

static void trace_rows_keep_their_cost_under_a_mix(void **state)
{
    (void)state;
    struct sim_trace_row rows[] = {{5, 3, 4808}, {6, 19, 0}};
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    fixture.populations[1].mix = fixture.mix;
    fixture.populations[1].mix_count = 3;
    fixture.specs[0] = (struct sim_traffic_spec){
        .population = 1,
        .pattern = SIM_PATTERN_TRACE,
        .until_ns = UINT64_MAX,
        .rows = rows,
        .row_count = 2,
    };
    fixture.scenario.traffic_count = 1;
    traffic = sim_traffic_new(&fixture.scenario);
    for (size_t i = 0; i < 2; i++) {
        assert_true(sim_traffic_next(traffic, &arrival));
        assert_int_equal(arrival.time_ns, rows[i].time_ns);
        assert_int_equal(arrival.key, 50 + rows[i].key);
        assert_int_equal(arrival.cost_units, rows[i].cost_units);
        assert_true(arrival.endpoint == UINT32_MAX);
    }
    assert_false(sim_traffic_next(traffic, &arrival));
    sim_traffic_free(traffic);
}

static void equal_times_come_in_order_of_the_specs(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    for (size_t i = 0; i < 2; i++) {
        fixture.specs[i].pattern = SIM_PATTERN_BURST;
        fixture.specs[i].from_ns = 1000;
        fixture.specs[i].request_count = 2;
    }
    traffic = sim_traffic_new(&fixture.scenario);
    for (uint32_t i = 0; i < 140; i++) {
        assert_true(sim_traffic_next(traffic, &arrival));
        assert_int_equal(arrival.time_ns, 1000);
        assert_int_equal(arrival.key, i < 100 ? i % 50 : 50 + (i - 100) % 20);
    }
    assert_false(sim_traffic_next(traffic, &arrival));
    assert_false(sim_traffic_next(traffic, &arrival));
    sim_traffic_free(traffic);
}

static void balance_changes_processes_only(void **state)
{
    (void)state;
    uint32_t differing_count = 0;
    struct fixture one;
    struct fixture other;
    struct sim_arrival expected;
    struct sim_arrival arrival;

    fixture_init(&one);
    one.populations[0].mix = one.mix;
    one.populations[0].mix_count = 3;
    fixture_init(&other);
    other.populations[0].mix = one.mix;
    other.populations[0].mix_count = 3;
    other.populations[0].balance.before.kind = SIM_BALANCE_ZIPF;
    other.populations[0].balance.before.exponent_ppm = 1000000;

    struct sim_traffic *one_traffic = sim_traffic_new(&one.scenario);
    struct sim_traffic *other_traffic = sim_traffic_new(&other.scenario);

    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(sim_traffic_next(one_traffic, &expected));
        assert_true(sim_traffic_next(other_traffic, &arrival));
        differing_count += arrival.process != expected.process;
        arrival.process = expected.process;
        assert_memory_equal(&arrival, &expected, sizeof arrival);
    }
    assert_true(differing_count > 10000);
    sim_traffic_free(one_traffic);
    sim_traffic_free(other_traffic);
}

/* A spec's arrivals are the same with or without another spec behind it. */
static void specs_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct fixture both;
    struct fixture alone;
    struct sim_arrival expected;
    struct sim_arrival arrival;

    fixture_init(&both);
    fixture_init(&alone);
    alone.scenario.traffic_count = 1;

    struct sim_traffic *both_traffic = sim_traffic_new(&both.scenario);
    struct sim_traffic *alone_traffic = sim_traffic_new(&alone.scenario);

    while (sim_traffic_next(both_traffic, &arrival)) {
        if (arrival.key < 50) {
            assert_true(sim_traffic_next(alone_traffic, &expected));
            assert_memory_equal(&arrival, &expected, sizeof arrival);
        }
    }
    assert_false(sim_traffic_next(alone_traffic, &expected));
    sim_traffic_free(both_traffic);
    sim_traffic_free(alone_traffic);
}

static void flip_moves_the_load_at_its_instant(void **state)
{
    (void)state;
    uint64_t weights[PROCESS_COUNT] = {[4] = 1};
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    fixture.scenario.traffic_count = 1;
    fixture.populations[0].balance = (struct sim_balance){
        .before = {.kind = SIM_BALANCE_WEIGHTS, .weights = weights},
        .after = {.kind = SIM_BALANCE_STICKY, .process_count = 2, .first_process = 3},
        .flip_ns = 50 * SECOND_NS,
    };
    traffic = sim_traffic_new(&fixture.scenario);

    uint32_t used[50] = {0}; /* a bit per process, after the flip */

    while (sim_traffic_next(traffic, &arrival)) {
        if (arrival.time_ns < 50 * SECOND_NS) {
            assert_int_equal(arrival.process, 4);
        } else {
            used[arrival.key] |= UINT32_C(1) << arrival.process;
        }
    }
    for (uint32_t key = 0; key < 50; key++) {
        assert_int_equal(__builtin_popcount(used[key]), 2);
    }
    sim_traffic_free(traffic);
}

static void seed_changes_everything_but_the_rate(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sim_arrival arrivals[2];
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    for (uint64_t seed = 0; seed < 2; seed++) {
        fixture.scenario.seed = seed;
        traffic = sim_traffic_new(&fixture.scenario);
        assert_true(sim_traffic_next(traffic, &arrivals[seed]));
        sim_traffic_free(traffic);
    }
    assert_true(arrivals[0].time_ns != arrivals[1].time_ns);
}

static void empty_scenario_has_no_arrivals(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    fixture.specs[0].demand_ppm = 0;
    fixture.plans[1].rate_units = 0;
    traffic = sim_traffic_new(&fixture.scenario);
    assert_false(sim_traffic_next(traffic, &arrival));
    sim_traffic_free(traffic);

    fixture.scenario.traffic_count = 0;
    traffic = sim_traffic_new(&fixture.scenario);
    assert_false(sim_traffic_next(traffic, &arrival));
    sim_traffic_free(traffic);
    sim_traffic_free(NULL);
}

/* The same on every compiler, optimisation and machine. */
static void golden_hash_of_the_first_arrivals(void **state)
{
    (void)state;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct fixture fixture;
    struct sim_arrival arrival;
    struct sim_traffic *traffic;

    fixture_init(&fixture);
    fixture.populations[0].zipf_ppm = 900000;
    fixture.populations[0].mix = fixture.mix;
    fixture.populations[0].mix_count = 3;
    fixture.populations[0].balance.before.kind = SIM_BALANCE_ZIPF;
    fixture.populations[0].balance.before.exponent_ppm = 1100000;
    fixture.specs[1].pattern = SIM_PATTERN_ON_OFF;
    fixture.specs[1].period_ns = SECOND_NS;
    fixture.specs[1].on_ppm = 250000;
    traffic = sim_traffic_new(&fixture.scenario);
    for (uint32_t i = 0; i < GOLDEN_COUNT; i++) {
        assert_true(sim_traffic_next(traffic, &arrival));
        const uint64_t fields[] = {arrival.time_ns, arrival.key, arrival.cost_units,
                                   arrival.process, arrival.endpoint};

        for (size_t j = 0; j < sizeof fields / sizeof fields[0]; j++) {
            hash = (hash ^ fields[j]) * UINT64_C(0x100000001b3);
            hash ^= hash >> 32;
        }
    }
    sim_traffic_free(traffic);
    assert_true(hash == GOLDEN_HASH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_population_has_its_rate_and_its_keys),
        cmocka_unit_test(mix_gives_costs_and_divides_the_rate),
        cmocka_unit_test(single_endpoint_needs_no_draw),
        cmocka_unit_test(popular_keys_get_their_part_and_the_total_stays),
        cmocka_unit_test(trace_rows_keep_their_cost_under_a_mix),
        cmocka_unit_test(equal_times_come_in_order_of_the_specs),
        cmocka_unit_test(balance_changes_processes_only),
        cmocka_unit_test(specs_do_not_disturb_each_other),
        cmocka_unit_test(flip_moves_the_load_at_its_instant),
        cmocka_unit_test(seed_changes_everything_but_the_rate),
        cmocka_unit_test(empty_scenario_has_no_arrivals),
        cmocka_unit_test(golden_hash_of_the_first_arrivals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
