/* What a limiter says it holds and knows of a key: as it is, and without changing it. */
#include "fleet.h"

#include <string.h>

#include "limiter_private.h"
#include "weir/snapshot.h"

static struct fleet *fleet_with(struct weir_plan plan)
{
    struct fleet *fleet = fleet_new(5);

    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, 0);
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    return fleet;
}

static bool look(struct fleet *fleet, uint32_t key, struct weir_snapshot *snapshot)
{
    return weir_limiter_snapshot(fleet_limiter(fleet, 0), fleet_local_ns(fleet, 0),
                                 &fleet->keys[key].key, snapshot);
}

static void a_process_that_never_heard_from_the_store_knows_nothing(void **state)
{
    (void)state;
    static const struct weir_snapshot nothing;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100));
    struct weir_snapshot snapshot;

    memset(&snapshot, 0xff, sizeof snapshot);
    assert_false(look(fleet, 0, &snapshot));
    assert_memory_equal(&snapshot, &nothing, sizeof snapshot);
    fleet_free(fleet);
}

static void another_key_is_not_held_but_the_clock_is_known(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100));
    struct weir_snapshot snapshot;

    fleet_decide(fleet, 0, 0, 1);
    assert_false(look(fleet, 1, &snapshot));

    const uint64_t true_ns = fleet_store_us(fleet) * NS_PER_US;
    assert_in_range(snapshot.clock_error_ns, 1, NS_PER_S);
    assert_in_range(snapshot.store_ns, true_ns - snapshot.clock_error_ns,
                    true_ns + snapshot.clock_error_ns);
    assert_int_equal(snapshot.answered_us, 0);
    assert_int_equal(snapshot.held_units, 0);
    fleet_free(fleet);
}

static void what_is_held_is_what_the_limiter_says_elsewhere(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(100, 1000));
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    struct weir_snapshot snapshot;
    struct weir_quota quota;

    for (int i = 0; i < 40; i++) {
        fleet_decide(fleet, 0, 0, 2);
        fleet_run_for(fleet, 10 * NS_PER_MS);
    }
    assert_true(look(fleet, 0, &snapshot));

    const uint64_t local_ns = fleet_local_ns(fleet, 0);
    const struct weir_key *key = &fleet->keys[0].key;
    assert_int_equal(snapshot.held_units, weir_limiter_held_units(limiter, key));
    assert_int_equal(snapshot.spendable_units,
                     weir_limiter_spendable_units(limiter, local_ns, key));
    assert_true(snapshot.spendable_units > 0);
    assert_true(snapshot.lease_end_us > fleet_store_us(fleet));
    assert_true(weir_limiter_quota(limiter, local_ns, key, 0, &quota));
    assert_int_equal(snapshot.remaining_units + snapshot.outstanding_units, quota.remaining_units);
    assert_int_equal(snapshot.store_ns - snapshot.answered_us * NS_PER_US, quota.age_ns);
    assert_int_equal(snapshot.denied_until_us, 0);
    fleet_free(fleet);
}

static void a_clock_that_steps_back_does_not_move_the_stores_time(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100));
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    const struct weir_key *key = &fleet->keys[0].key;
    struct weir_snapshot before;
    struct weir_snapshot after;

    fleet_decide(fleet, 0, 0, 1);
    const uint64_t local_ns = fleet_local_ns(fleet, 0);
    weir_limiter_expire(limiter, local_ns);
    assert_true(weir_limiter_snapshot(limiter, local_ns, key, &before));
    weir_limiter_expire(limiter, local_ns - 500 * NS_PER_MS); /* learns of the step */
    assert_true(weir_limiter_snapshot(limiter, local_ns - 500 * NS_PER_MS, key, &after));

    assert_in_range(after.store_ns, before.store_ns - after.clock_error_ns,
                    before.store_ns + after.clock_error_ns);
    assert_in_range(after.clock_error_ns, before.clock_error_ns, NS_PER_S);
    fleet_free(fleet);
}

static void what_it_may_do_without_the_store_is_told(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100));
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    struct weir_snapshot snapshot;

    fleet_decide(fleet, 0, 0, 1);
    assert_true(look(fleet, 0, &snapshot));
    assert_false(snapshot.is_alone);
    assert_int_equal(snapshot.share_ppm, 1000000); /* nobody else asks for it */

    limiter->degraded[0].in_spell = true;
    limiter->degraded[0].fraction_ppm = 250000;
    limiter->degraded[0].window_units = 3;
    assert_true(look(fleet, 0, &snapshot));
    assert_true(snapshot.is_alone);
    assert_int_equal(snapshot.share_ppm, 250000);
    assert_int_equal(snapshot.alone_units, 3);
    fleet_free(fleet);
}

static void a_denial_is_remembered_until_it_could_change(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(1, 10));
    struct weir_snapshot snapshot;

    while (fleet_decide(fleet, 0, 0, 10).verdict == WEIR_VERDICT_ADMITTED) {
    }
    assert_true(look(fleet, 0, &snapshot));
    assert_in_range(snapshot.denied_units, 1, 10);
    assert_in_range(snapshot.denied_until_us, fleet_store_us(fleet) + 1,
                    fleet_store_us(fleet) + 11 * SECOND_US);

    fleet_run_for(fleet, 11 * NS_PER_S);
    look(fleet, 0, &snapshot);
    assert_int_equal(snapshot.denied_units, 0);
    assert_int_equal(snapshot.denied_until_us, 0);
    fleet_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_never_heard_from_the_store_knows_nothing),
        cmocka_unit_test(another_key_is_not_held_but_the_clock_is_known),
        cmocka_unit_test(what_is_held_is_what_the_limiter_says_elsewhere),
        cmocka_unit_test(a_clock_that_steps_back_does_not_move_the_stores_time),
        cmocka_unit_test(what_it_may_do_without_the_store_is_told),
        cmocka_unit_test(a_denial_is_remembered_until_it_could_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
