/* What processes gave back and the store has not heard of. */
#include "unit.h"

#include "givings.h"

static struct weir_ask ask_of(uint32_t sequence, uint32_t returned, uint32_t unused)
{
    return (struct weir_ask){
        .id = {.process = 3, .sequence = sequence, .incarnation = 5},
        .returned_units = returned,
        .unused_units = unused,
    };
}

static void an_ask_gives_back_what_it_returns_and_what_it_cancels(void **state)
{
    (void)state;
    struct weir_ask ask = ask_of(1, 20, 3);
    ask.trickle_count[0] = 10;
    ask.trickle_count[1] = 7;
    ask.trickle_accrued = 4;

    assert_int_equal(sim_givings_units(&ask), 23);
    ask.flags = WEIR_ASK_CANCEL_TRICKLE;
    assert_int_equal(sim_givings_units(&ask), 36);
}

/* A repeat, a duplicate, a store that had forgotten it: what is given back is given once. */
static void what_was_heard_is_heard_once(void **state)
{
    (void)state;
    struct sim_givings givings = {0};
    const struct weir_ask ask = ask_of(1, 20, 3);
    struct weir_ask other = ask_of(2, 0, 0);
    other.charge_units = 4;
    uint64_t units;

    sim_givings_sent(&givings, &ask, 0, 100);
    sim_givings_sent(&givings, &other, 0, 200);

    assert_true(sim_givings_heard(&givings, &ask.id, &units));
    assert_int_equal(units, 23);
    assert_false(sim_givings_heard(&givings, &ask.id, &units));
    assert_int_equal(units, 0);
    assert_true(sim_givings_heard(&givings, &other.id, &units));
    assert_int_equal(units, 0); /* it is charged for something */
    assert_int_equal(givings.count, 0);
    sim_givings_deinit(&givings);
}

static void an_ask_that_gives_nothing_back_is_not_kept(void **state)
{
    (void)state;
    struct sim_givings givings = {0};
    const struct weir_ask ask = ask_of(1, 0, 0);

    sim_givings_sent(&givings, &ask, 0, 100);

    assert_int_equal(givings.count, 0);
    sim_givings_deinit(&givings);
}

static void what_a_dead_process_had_under_way_is_an_orphan_and_may_still_be_heard(void **state)
{
    (void)state;
    struct sim_givings givings = {0};
    const struct weir_ask before = ask_of(1, 20, 0);
    struct weir_ask after = ask_of(1, 6, 0);
    uint64_t units;
    after.id.incarnation = 6; /* its next life counts from 1 again */

    sim_givings_sent(&givings, &before, 0, 100);
    sim_givings_orphan(&givings);
    sim_givings_sent(&givings, &after, 0, 200);

    assert_true(givings.list[0].is_orphan);
    assert_false(givings.list[1].is_orphan);
    assert_true(sim_givings_heard(&givings, &after.id, &units));
    assert_int_equal(units, 6);
    assert_true(sim_givings_heard(&givings, &before.id, &units));
    assert_int_equal(units, 20);
    sim_givings_deinit(&givings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_gives_back_what_it_returns_and_what_it_cancels),
        cmocka_unit_test(what_was_heard_is_heard_once),
        cmocka_unit_test(an_ask_that_gives_nothing_back_is_not_kept),
        cmocka_unit_test(what_a_dead_process_had_under_way_is_an_orphan_and_may_still_be_heard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
