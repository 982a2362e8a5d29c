/* Who hears of which change when, and what holds meanwhile. */
#include "unit.h"

#include "changes.h"

#define SECOND_NS UINT64_C(1000000000)
#define PROCESSES 20

static struct sim_endpoint endpoints[] = {{.name = "a", .weight_units = 1},
                                          {.name = "b", .weight_units = 5}};
static struct sim_plan plans[] = {{.name = "gold",
                                   .rate_units = 600,
                                   .rate_period_us = 60000000,
                                   .capacity_units = 10,
                                   .window_us = 60000000}};

/* A plan changes at 10 s and 20 s, endpoint b costs 3 from 15 s and 7 from 25 s on. */
static struct sim_change changes[4];
static struct sim_scenario scenario;

static int reset(void **state)
{
    (void)state;
    changes[0] = (struct sim_change){.at_ns = 10 * SECOND_NS, .plan = plans[0]};
    changes[1] = (struct sim_change){
        .kind = SIM_CHANGE_WEIGHT, .at_ns = 15 * SECOND_NS, .target = 1, .weight_units = 3};
    changes[2] = (struct sim_change){.kind = SIM_CHANGE_DELETE, .at_ns = 20 * SECOND_NS};
    changes[3] = changes[1];
    changes[3].at_ns = 25 * SECOND_NS;
    changes[3].weight_units = 7;
    scenario = (struct sim_scenario){.seed = 1,
                                     .process_count = PROCESSES,
                                     .shard_count = 1,
                                     .plans = plans,
                                     .plan_count = 1,
                                     .endpoints = endpoints,
                                     .endpoint_count = 2,
                                     .changes = changes,
                                     .change_count = 4};
    return 0;
}

static void without_a_spread_all_hear_at_once_and_in_order(void **state)
{
    (void)state;
    for (uint32_t process = 0; process < PROCESSES; process++) {
        struct sim_pushes pushes;
        sim_pushes_init(&pushes, &scenario, process);
        assert_int_equal(pushes.count, 4);
        for (uint32_t i = 0; i < 4; i++, pushes.next++) {
            assert_int_equal(pushes.list[i].change, i);
            assert_int_equal(sim_pushes_next_ns(&pushes), changes[i].at_ns);
        }
        assert_int_equal(sim_pushes_next_ns(&pushes), UINT64_MAX);
        sim_pushes_deinit(&pushes);
    }
}

static void pushes_are_repeated_and_overtake_each_other(void **state)
{
    (void)state;
    unsigned overtaken = 0;
    unsigned heard[4] = {0};
    changes[0].spread_ns = 30 * SECOND_NS;
    changes[0].repeats = 2;

    for (uint32_t process = 0; process < PROCESSES; process++) {
        struct sim_pushes pushes;
        sim_pushes_init(&pushes, &scenario, process);
        assert_int_equal(pushes.count, 6);
        for (size_t i = 0; i < pushes.count; i++) {
            const struct sim_push *push = &pushes.list[i];
            assert_in_range(push->time_ns, changes[push->change].at_ns,
                            changes[push->change].at_ns + changes[push->change].spread_ns);
            overtaken += i > 0 && push->change < pushes.list[i - 1].change;
            heard[push->change]++;
        }
        sim_pushes_deinit(&pushes);
    }
    assert_int_equal(heard[0], 3 * PROCESSES);
    assert_int_equal(heard[1], PROCESSES);
    assert_true(overtaken > PROCESSES / 2);
}

/* Of 80 pushes those of the first 18 s are lost at processes 0 to 9, and 10 s late at the others.
 */
static void faults_lose_and_delay_pushes(void **state)
{
    (void)state;
    uint64_t fired[2] = {0};
    uint8_t low[PROCESSES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    uint8_t high[PROCESSES] = {[10] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct fault faults[] = {
        {.kind = FAULT_PUSH_LOST, .until_ns = 18 * SECOND_NS},
        {.kind = FAULT_PUSH_DELAYED, .until_ns = 18 * SECOND_NS, .added_ns = 10 * SECOND_NS}};
    for (size_t i = 0; i < 2; i++) {
        faults[i].probability_ppm = 1000000;
        faults[i].processes = (struct fault_set){PROCESSES, i == 0 ? low : high};
    }
    scenario.faults = (struct fault_list){.faults = faults, .count = 2, .fired_count = fired};

    for (uint32_t process = 0; process < PROCESSES; process++) {
        static const uint32_t late[] = {0, 2, 1, 3}; /* at 20, 20, 25, 25 s */
        struct sim_pushes pushes;
        sim_pushes_init(&pushes, &scenario, process);
        assert_int_equal(pushes.count, process < 10 ? 2 : 4);
        for (uint32_t i = 0; i < pushes.count; i++) {
            assert_int_equal(pushes.list[i].change, process < 10 ? i + 2 : late[i]);
            assert_int_equal(pushes.list[i].time_ns,
                             (process < 10 ? 20 + 5 * i : 20 + i / 2 * 5) * SECOND_NS);
        }
        sim_pushes_deinit(&pushes);
    }
    assert_int_equal(fired[0], 20);
    assert_int_equal(fired[1], 20);
}

static void who_starts_has_not_heard_what_came_before(void **state)
{
    (void)state;
    struct sim_pushes pushes;
    sim_pushes_init(&pushes, &scenario, 0);
    pushes.next = 1;

    sim_pushes_skip(&pushes, 20 * SECOND_NS);

    assert_int_equal(pushes.next, 1); /* heard of one, and not of the one at 15 s */
    assert_int_equal(pushes.count, 3);
    assert_int_equal(sim_pushes_next_ns(&pushes), 20 * SECOND_NS);
    assert_int_equal(pushes.list[2].change, 3);
    sim_pushes_skip(&pushes, 100 * SECOND_NS);
    assert_int_equal(sim_pushes_next_ns(&pushes), UINT64_MAX);
    sim_pushes_deinit(&pushes);
}

static void the_spread_of_versions_is_of_pushes_that_were_counted_once(void **state)
{
    (void)state;
    uint64_t fired = 0;
    struct fault lost = {.kind = FAULT_PUSH_LOST,
                         .until_ns = 30 * SECOND_NS,
                         .probability_ppm = 1000000,
                         .processes = {.count = 1}};
    struct sim_catalog catalog;
    scenario.faults = (struct fault_list){.faults = &lost, .count = 1, .fired_count = &fired};

    sim_catalog_init(&catalog, &scenario);
    assert_int_equal(sim_changes_version_spread(&catalog), 2); /* process 0 heard of nothing */
    assert_int_equal(fired, 0);
    sim_catalog_deinit(&catalog);
}

static void a_weight_is_that_of_the_last_change_so_far(void **state)
{
    (void)state;
    static const struct {
        uint64_t time_ns;
        uint32_t weight_units;
    } CASES[] = {{0, 5},
                 {15 * SECOND_NS - 1, 5},
                 {15 * SECOND_NS, 3},
                 {25 * SECOND_NS - 1, 3},
                 {25 * SECOND_NS, 7},
                 {100 * SECOND_NS, 7}};

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_int_equal(sim_changes_weight_units(&scenario, 1, CASES[i].time_ns),
                         CASES[i].weight_units);
        assert_int_equal(sim_changes_weight_units(&scenario, 0, CASES[i].time_ns), 1);
    }
}

static void versions_count_by_plan_and_by_endpoint(void **state)
{
    (void)state;
    struct sim_catalog catalog;

    sim_catalog_init(&catalog, &scenario);
    assert_int_equal(catalog.changed[0].version, 2);
    assert_int_equal(catalog.changed[0].since_us, sim_store_us(10 * SECOND_NS));
    assert_int_equal(catalog.changed[1].version, 2);
    assert_int_equal(catalog.changed[2].version, 3);
    assert_int_equal(catalog.changed[3].version, 3);
    sim_catalog_deinit(&catalog);
}

static void the_spread_of_versions_is_how_far_the_slowest_is_behind(void **state)
{
    (void)state;
    static const struct {
        uint64_t spread_ns;
        uint64_t behind;
    } CASES[] = {{0, 0}, {SECOND_NS, 1}, {60 * SECOND_NS, 2}};

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct sim_catalog catalog;
        for (size_t change = 0; change < 4; change++) {
            changes[change].spread_ns = CASES[i].spread_ns;
        }
        sim_catalog_init(&catalog, &scenario);
        assert_int_equal(sim_changes_version_spread(&catalog), CASES[i].behind);
        sim_catalog_deinit(&catalog);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(without_a_spread_all_hear_at_once_and_in_order),
        TEST(pushes_are_repeated_and_overtake_each_other),
        TEST(faults_lose_and_delay_pushes),
        TEST(who_starts_has_not_heard_what_came_before),
        TEST(the_spread_of_versions_is_of_pushes_that_were_counted_once),
        TEST(a_weight_is_that_of_the_last_change_so_far),
        TEST(versions_count_by_plan_and_by_endpoint),
        TEST(the_spread_of_versions_is_how_far_the_slowest_is_behind),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
