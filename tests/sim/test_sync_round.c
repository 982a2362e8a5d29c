/* Who is due in which round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sync_round.h"

#define INTERVAL UINT64_C(1000000000)

static struct sim_scenario scenario = {.seed = 1, .sync_interval_ns = INTERVAL};
static struct sim_catalog catalog = {.scenario = &scenario, .key_count = 4};

static void keys_leave_once_in_the_order_in_which_they_became_due(void **state)
{
    (void)state;
    struct sim_sync_round round;
    uint32_t key = 0;

    sim_sync_round_init(&round, &catalog, 0, 0, 0);
    sim_sync_round_add(&round, 2, 1);
    sim_sync_round_add(&round, 0, 2);
    sim_sync_round_add(&round, 2, 3);
    assert_false(sim_sync_round_next(&round, &key));

    sim_sync_round_begin(&round, 10);
    sim_sync_round_add(&round, 2, 11); /* the next round's */
    assert_true(sim_sync_round_next(&round, &key));
    assert_int_equal(key, 2);
    assert_true(sim_sync_round_next(&round, &key));
    assert_int_equal(key, 0);
    assert_false(sim_sync_round_next(&round, &key));

    sim_sync_round_begin(&round, 20);
    assert_true(sim_sync_round_next(&round, &key));
    assert_int_equal(key, 2);
    assert_false(sim_sync_round_next(&round, &key));
    sim_sync_round_deinit(&round);
}

static void rounds_come_every_interval_and_none_comes_after_a_pause(void **state)
{
    (void)state;
    struct sim_sync_round round;
    uint32_t key = 0;

    sim_sync_round_init(&round, &catalog, 7, 0, 0);
    const uint64_t first_ns = round.next_ns;
    assert_in_range(first_ns, 1, INTERVAL);
    sim_sync_round_add(&round, 1, 0);
    sim_sync_round_expire(&round, first_ns - 1);
    assert_false(sim_sync_round_next(&round, &key));
    sim_sync_round_expire(&round, first_ns);
    assert_true(sim_sync_round_next(&round, &key));
    assert_int_equal(round.next_ns, first_ns + INTERVAL);

    sim_sync_round_expire(&round, first_ns + 5 * INTERVAL + 3);
    assert_int_equal(round.next_ns, first_ns + 6 * INTERVAL);
    assert_int_equal(round.covered_ns, 5 * INTERVAL + 3);
    sim_sync_round_deinit(&round);
}

static void a_clock_that_goes_back_delays_a_round_by_an_interval_at_most(void **state)
{
    (void)state;
    struct sim_sync_round round;

    sim_sync_round_init(&round, &catalog, 7, 0, 100 * INTERVAL);
    sim_sync_round_add(&round, 1, 3 * INTERVAL);
    assert_int_equal(round.next_ns, 4 * INTERVAL);
    sim_sync_round_deinit(&round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_leave_once_in_the_order_in_which_they_became_due),
        cmocka_unit_test(rounds_come_every_interval_and_none_comes_after_a_pause),
        cmocka_unit_test(a_clock_that_goes_back_delays_a_round_by_an_interval_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
