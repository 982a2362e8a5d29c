/* A ring of admissions: order, sum and growth, also when it is wrapped around. */
#include "unit.h"

#include "recent.h"

static void entries_come_back_in_the_order_they_were_added(void **state)
{
    (void)state;
    struct sim_recent recent = {0};

    for (uint64_t i = 0; i < 1000; i++) {
        sim_recent_add(&recent, i / 2, i + 1);
    }
    assert_int_equal(recent.count, 1000);
    assert_int_equal(recent.units, 500500);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(sim_recent_at(&recent, 0)->time_ns, i / 2);
        assert_int_equal(sim_recent_at(&recent, 0)->units, i + 1);
        sim_recent_drop_oldest(&recent);
    }
    assert_int_equal(recent.count, 0);
    assert_int_equal(recent.units, 0);
    sim_recent_deinit(&recent);
}

static void growing_while_wrapped_around_loses_nothing(void **state)
{
    (void)state;
    struct sim_recent recent = {0};
    uint64_t next = 0;
    uint64_t oldest = 0;

    /* two in, one out: each time the ring is full its oldest entry is somewhere else */
    for (int i = 0; i < 500; i++) {
        sim_recent_add(&recent, next, next + 1);
        next++;
        sim_recent_add(&recent, next, next + 1);
        next++;
        sim_recent_drop_oldest(&recent);
        oldest++;
        assert_int_equal(recent.count, next - oldest);
        assert_int_equal(recent.units, next * (next + 1) / 2 - oldest * (oldest + 1) / 2);
        for (size_t k = 0; k < recent.count; k++) {
            assert_int_equal(sim_recent_at(&recent, k)->time_ns, oldest + k);
        }
    }
    sim_recent_deinit(&recent);
}

static void the_ring_is_no_larger_than_twice_what_was_alive_at_once(void **state)
{
    (void)state;
    struct sim_recent recent = {0};

    for (uint64_t i = 0; i < 100000; i++) {
        sim_recent_add(&recent, i, 1);
        if (recent.count > 20) {
            sim_recent_drop_oldest(&recent);
        }
    }
    assert_in_range(recent.capacity, 21, 40);
    sim_recent_deinit(&recent);
}

static void entries_of_no_units_are_not_kept(void **state)
{
    (void)state;
    struct sim_recent recent = {0};

    sim_recent_add(&recent, 1, 0);
    assert_int_equal(recent.count, 0);
    sim_recent_deinit(&recent);
}

static void a_cleared_ring_is_empty(void **state)
{
    (void)state;
    struct sim_recent recent = {0};

    sim_recent_add(&recent, 1, 5);
    sim_recent_clear(&recent);
    assert_int_equal(recent.count, 0);
    assert_int_equal(recent.units, 0);
    sim_recent_add(&recent, 0, 7);
    assert_int_equal(sim_recent_at(&recent, 0)->units, 7);
    sim_recent_deinit(&recent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_back_in_the_order_they_were_added),
        cmocka_unit_test(growing_while_wrapped_around_loses_nothing),
        cmocka_unit_test(the_ring_is_no_larger_than_twice_what_was_alive_at_once),
        cmocka_unit_test(entries_of_no_units_are_not_kept),
        cmocka_unit_test(a_cleared_ring_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
