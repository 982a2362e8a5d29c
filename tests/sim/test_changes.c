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
        TEST(a_weight_is_that_of_the_last_change_so_far),
        TEST(versions_count_by_plan_and_by_endpoint),
        TEST(the_spread_of_versions_is_how_far_the_slowest_is_behind),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
