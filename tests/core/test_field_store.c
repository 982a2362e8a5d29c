/* Faults that others found in the field, at the store and between processes: docs/FIELD-FAULTS.md
 * has what they are. */
#include "fleet.h"

#include "store_faults.h"

#define LIMIT 100

static struct fleet *fleet_of(struct weir_plan plan, uint32_t process_count)
{
    struct fleet *fleet = fleet_new(5);

    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, process_count, 4);
    return fleet;
}

/* Each process wants all of it at once. */
static void want_everything(struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        for (uint32_t request = 0; request < LIMIT / 2; request++) {
            (void)fleet_request(fleet, i, 0, 1);
        }
    }
}

static void b25_bursts_on_both_sides_of_a_boundary_stay_within_the_bound(void **state)
{
    (void)state;
    const struct weir_plan plans[] = {window_plan(LIMIT, MINUTE_US), bucket_plan(10, LIMIT)};

    for (unsigned i = 0; i < 2; i++) {
        struct fleet *fleet = fleet_of(plans[i], FLEET_PROCESSES);
        want_everything(fleet); /* the first calls ever, too */
        fleet_run_until(fleet, MINUTE_NS - 10 * MS_NS);
        assert_int_equal(fleet->spent_units, LIMIT);
        want_everything(fleet);
        fleet_run_until(fleet, MINUTE_NS + MS_NS); /* all know it by then */
        want_everything(fleet);
        fleet_run_until(fleet, MINUTE_NS + 10 * MS_NS);

        /* a window begins anew; a bucket has filled up once, and refills nothing in 20 ms */
        assert_int_equal(fleet->spent_units, 2 * LIMIT);
        assert_int_equal(fleet->keys[0].over_units, 0);
        fleet_shutdown(fleet);
        fleet_free(fleet);
    }
}

/* A state is kept in microseconds for two windows: neither a thousandth nor a thousand times. */
static void b30_the_time_a_state_is_kept_is_in_the_unit_it_says(void **state)
{
    (void)state;
    static const uint64_t windows_us[] = {20 * SECOND_US, MINUTE_US, 60 * MINUTE_US};

    for (unsigned i = 0; i < 3; i++) {
        const struct weir_plan plan = window_plan(LIMIT, windows_us[i]);
        struct store_desk desk = {.run = {.id = 5}};
        (void)desk_take(&desk, &plan, 0, 1, START_US);
        assert_in_range(weir_store_key_ttl_us(&desk.store), 2 * windows_us[i],
                        2 * windows_us[i] + SECOND_US);
    }
}

static void b32_a_hundred_single_calls_are_a_hundred_units(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(window_plan(1000, 10 * MINUTE_US), 1);
    const uint64_t window = START_US / (10 * MINUTE_US);

    for (unsigned call = 0; call < 100; call++) { /* each in a period of its own */
        assert_int_equal(fleet_decide(fleet, 0, 0, 1).verdict, WEIR_VERDICT_ADMITTED);
        fleet_run_for(fleet, 3 * SECOND_NS);
    }
    assert_int_equal(fleet_store_us(fleet) / (10 * MINUTE_US), window);
    fleet_shutdown(fleet);

    assert_int_equal(fleet->keys[0].store.tokens, 100);
    assert_int_equal(fleet_reported_units(fleet), 100);
    fleet_free(fleet);
}

/* The ask that would have begun the window never came: the next one begins it. */
static void b34_a_lost_first_ask_of_a_window_denies_nobody_else(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(LIMIT, MINUTE_US);
    const uint64_t next_us = START_US + MINUTE_US;
    struct store_desk desk = {.run = {.id = 5}};

    desk_spend(&desk, &plan, 0, LIMIT, START_US);
    assert_int_equal(desk_take(&desk, &plan, 1, 1, START_US + SECOND_US).granted_units, 0);
    (void)desk_ask(&desk, &plan, 0, 1);

    assert_int_equal(desk_take(&desk, &plan, 1, LIMIT, next_us).granted_units, LIMIT);
}

static void b56_what_all_processes_admit_is_one_limit(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(window_plan(4, MINUTE_US), 2);

    for (unsigned call = 0; call < 3; call++) {
        (void)fleet_decide(fleet, 0, 0, 1);
    }
    for (unsigned call = 0; call < 4; call++) {
        (void)fleet_decide(fleet, 1, 0, 1);
    }

    assert_int_equal(fleet->spent_units, 4);
    fleet_shutdown(fleet);
    fleet_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b25_bursts_on_both_sides_of_a_boundary_stay_within_the_bound),
        cmocka_unit_test(b30_the_time_a_state_is_kept_is_in_the_unit_it_says),
        cmocka_unit_test(b32_a_hundred_single_calls_are_a_hundred_units),
        cmocka_unit_test(b34_a_lost_first_ask_of_a_window_denies_nobody_else),
        cmocka_unit_test(b56_what_all_processes_admit_is_one_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
