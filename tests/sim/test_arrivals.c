/* The requests that are made, with and without faults of demand. */
#include "unit.h"

#include "arrivals.h"

#define SECOND_NS UINT64_C(1000000000)
#define KEYS 4u
#define MOST 100000u

static struct sim_plan plans[] = {{.name = "gold",
                                   .rate_units = 6000,
                                   .rate_period_us = 60000000,
                                   .capacity_units = 100,
                                   .window_us = 60000000}};
static struct sim_population populations[2];
static struct sim_traffic_spec traffic[2];
static struct fault fault;
static uint64_t fired;
static struct sim_scenario scenario;

/* Two populations of four keys, 200 requests a second in each, for 20 s. */
static int reset(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        populations[i] = (struct sim_population){
            .name = "p", .key_count = KEYS, .balance = {.flip_ns = UINT64_MAX}};
        traffic[i] = (struct sim_traffic_spec){.population = i,
                                               .demand_ppm = 500000,
                                               .until_ns = 20 * SECOND_NS,
                                               .on_denial = {.attempts_max = 1}};
    }
    fault = (struct fault){.from_ns = 5 * SECOND_NS, .until_ns = 10 * SECOND_NS, .seed = 3};
    fired = 0;
    scenario = (struct sim_scenario){.seed = 1,
                                     .duration_ns = 20 * SECOND_NS,
                                     .process_count = 8,
                                     .shard_count = 1,
                                     .plans = plans,
                                     .plan_count = 1,
                                     .populations = populations,
                                     .population_count = 2,
                                     .traffic = traffic,
                                     .traffic_count = 2,
                                     .faults = {.faults = &fault, .fired_count = &fired}};
    return 0;
}

struct made {
    struct sim_arrival list[MOST];
    size_t count;
};

/* All of a run, taken in epochs of 10 ms, in order. */
static void make(struct made *made, enum sim_arrivals_run run)
{
    struct sim_clientele *clientele = sim_clientele_new(&scenario);
    struct sim_arrivals arrivals;

    made->count = 0;
    sim_arrivals_init(&arrivals, &scenario, clientele, run);
    for (uint64_t end_ns = 0; end_ns <= scenario.duration_ns; end_ns += SECOND_NS / 100) {
        while (sim_arrivals_next(&arrivals, end_ns, &made->list[made->count])) {
            const struct sim_arrival *arrival = &made->list[made->count];
            assert_true(arrival->time_ns < end_ns);
            assert_true(made->count == 0 || arrival[-1].time_ns <= arrival->time_ns);
            assert_true(++made->count < MOST);
        }
    }
    sim_arrivals_deinit(&arrivals);
    sim_clientele_free(clientele);
}

static size_t count_of(const struct made *made, uint32_t key, uint64_t from_s, uint64_t until_s)
{
    size_t count = 0;

    for (size_t i = 0; i < made->count; i++) {
        count += (key == UINT32_MAX || made->list[i].key == key) &&
                 made->list[i].time_ns >= from_s * SECOND_NS &&
                 made->list[i].time_ns < until_s * SECOND_NS;
    }
    return count;
}

static bool is_same(const struct sim_arrival *a, const struct sim_arrival *b)
{
    return a->time_ns == b->time_ns && a->key == b->key && a->process == b->process &&
           a->cost_units == b->cost_units;
}

static struct made plain;
static struct made disturbed;

static void without_faults_they_are_the_clients_attempts(void **state)
{
    (void)state;
    struct sim_clientele *clientele = sim_clientele_new(&scenario);
    struct sim_arrival attempt;

    make(&plain, SIM_ARRIVALS_FIRST);
    for (size_t i = 0; i < plain.count; i++) {
        assert_true(sim_clientele_next(clientele, UINT64_MAX, &attempt));
        assert_true(is_same(&attempt, &plain.list[i]));
    }
    assert_false(sim_clientele_next(clientele, UINT64_MAX, &attempt));
    assert_in_range(plain.count, 7500, 8500);
    sim_clientele_free(clientele);
}

static void clients_that_were_cut_off_come_at_once(void **state)
{
    (void)state;
    make(&plain, SIM_ARRIVALS_FIRST);
    fault.kind = FAULT_RETRY;
    fault.spread_ns = SECOND_NS;
    scenario.faults.count = 1;
    make(&disturbed, SIM_ARRIVALS_FIRST);

    assert_int_equal(disturbed.count, plain.count);
    assert_int_equal(count_of(&disturbed, UINT32_MAX, 5, 10), 0);
    assert_int_equal(count_of(&disturbed, UINT32_MAX, 10, 11), count_of(&plain, UINT32_MAX, 5, 11));
    assert_int_equal(fired, count_of(&plain, UINT32_MAX, 5, 10));
    for (size_t i = 0; i < plain.count; i++) { /* the others as they were */
        if (plain.list[i].time_ns < 5 * SECOND_NS || plain.list[i].time_ns >= 11 * SECOND_NS) {
            assert_true(is_same(&plain.list[i], &disturbed.list[i]));
        }
    }
}

static void who_is_cut_off_to_the_end_never_comes(void **state)
{
    (void)state;
    make(&plain, SIM_ARRIVALS_FIRST);
    fault.kind = FAULT_RETRY;
    fault.until_ns = 20 * SECOND_NS;
    scenario.faults.count = 1;
    make(&disturbed, SIM_ARRIVALS_FIRST);

    assert_int_equal(disturbed.count, count_of(&plain, UINT32_MAX, 0, 5));
}

/* Key 6, the third of the second population: 250 requests in five seconds become 2,500, less those
 * of the last second that would come after the fault; give or take 5 x 60 (the copies of one
 * request come and go together). All else is as it was. */
static void a_hot_key_is_asked_for_more_often_and_the_others_as_before(void **state)
{
    (void)state;
    make(&plain, SIM_ARRIVALS_FIRST);
    fault.kind = FAULT_HOT_KEY;
    fault.limit = 10;
    fault.population = 1;
    fault.key_index = 2;
    scenario.faults.count = 1;
    make(&disturbed, SIM_ARRIVALS_FIRST);

    const size_t before = count_of(&plain, 6, 5, 10);
    const size_t after = count_of(&disturbed, 6, 5, 10);
    assert_in_range(after, before * 10 - before * 2 - 300, before * 10);
    assert_int_equal(fired, after - before);
    size_t next = 0;
    unsigned processes[8] = {0};
    for (size_t i = 0; i < disturbed.count; i++) {
        if (next < plain.count && is_same(&plain.list[next], &disturbed.list[i])) {
            next++;
        } else {
            assert_int_equal(disturbed.list[i].key, 6);
            processes[disturbed.list[i].process]++;
        }
    }
    assert_int_equal(next, plain.count);
    for (int i = 0; i < 8; i++) {
        assert_in_range(processes[i], fired / 8 - 100, fired / 8 + 100);
    }
}

static void churn_turns_requests_to_other_keys_of_the_population(void **state)
{
    (void)state;
    make(&plain, SIM_ARRIVALS_FIRST);
    fault.kind = FAULT_CHURN;
    fault.period_ns = 2 * SECOND_NS;
    fault.population = 1;
    scenario.faults.count = 1;
    make(&disturbed, SIM_ARRIVALS_FIRST);

    assert_int_equal(disturbed.count, plain.count);
    assert_int_equal(fired, count_of(&disturbed, 4, 5, 10) + count_of(&disturbed, 5, 5, 10) +
                                count_of(&disturbed, 6, 5, 10) + count_of(&disturbed, 7, 5, 10));
    for (size_t i = 0; i < plain.count; i++) {
        const struct sim_arrival *was = &plain.list[i];
        const uint64_t into_ns = was->time_ns - 5 * SECOND_NS;
        uint32_t key = was->key;
        if (was->key >= KEYS && was->time_ns >= 5 * SECOND_NS && was->time_ns < 10 * SECOND_NS) {
            key = KEYS + (key + 1 + (uint32_t)(into_ns / (2 * SECOND_NS))) % KEYS;
        }
        assert_int_equal(disturbed.list[i].key, key);
        assert_int_equal(disturbed.list[i].time_ns, was->time_ns);
    }
}

static void a_second_run_gives_the_same_and_counts_nothing(void **state)
{
    (void)state;
    fault.kind = FAULT_HOT_KEY;
    fault.limit = 3;
    scenario.faults.count = 1;
    make(&plain, SIM_ARRIVALS_FIRST);
    const uint64_t once = fired;
    make(&disturbed, SIM_ARRIVALS_AGAIN);

    assert_true(once > 0);
    assert_int_equal(fired, once);
    assert_int_equal(disturbed.count, plain.count);
    for (size_t i = 0; i < plain.count; i++) {
        assert_true(is_same(&plain.list[i], &disturbed.list[i]));
    }
}

/* Clients retry 1 ms after a denial, which may be before the next attempt of the open traffic: all
 * are denied, as soon as they come out, and nothing comes out of order. */
static void what_a_held_request_causes_comes_in_its_time(void **state)
{
    (void)state;
    struct sim_arrivals arrivals;
    struct sim_arrival arrival;
    uint64_t last_ns = 0;
    unsigned count = 0;
    fault.kind = FAULT_RETRY;
    fault.spread_ns = SECOND_NS;
    scenario.faults.count = 1;
    traffic[0].on_denial = (struct sim_on_denial){
        .kind = SIM_DENIAL_RETRY_AT_ONCE, .attempts_max = 4, .delay_ns = 1000000};

    struct sim_clientele *clientele = sim_clientele_new(&scenario);
    sim_arrivals_init(&arrivals, &scenario, clientele, SIM_ARRIVALS_AGAIN);
    while (sim_arrivals_next(&arrivals, UINT64_MAX, &arrival)) {
        assert_true(arrival.time_ns >= last_ns);
        last_ns = arrival.time_ns;
        sim_clientele_denied(clientele, arrival.job, arrival.time_ns, 1);
        count++;
    }
    assert_in_range(count, 4 * 4000 + 4000 - 1000, 4 * 4000 + 4000 + 1000);
    sim_arrivals_deinit(&arrivals);
    sim_clientele_free(clientele);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(without_faults_they_are_the_clients_attempts),
        TEST(clients_that_were_cut_off_come_at_once),
        TEST(who_is_cut_off_to_the_end_never_comes),
        TEST(a_hot_key_is_asked_for_more_often_and_the_others_as_before),
        TEST(churn_turns_requests_to_other_keys_of_the_population),
        TEST(a_second_run_gives_the_same_and_counts_nothing),
        TEST(what_a_held_request_causes_comes_in_its_time),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
