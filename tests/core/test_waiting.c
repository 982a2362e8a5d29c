/* Requests that wait: places, order of arrival, and who is settled with what. */
#include "small_limiter.h"

static struct weir_limiter *limiter_with_keys(struct weir_plan plan)
{
    struct weir_limiter *limiter = small_limiter(&plan);

    small_slot(limiter, 0);
    small_slot(limiter, 1);
    small_clock(limiter, 100000);
    return limiter;
}

static uint64_t add(struct weir_limiter *limiter, uint32_t slot, uint32_t cost)
{
    uint64_t ticket;

    assert_true(waiting_add(limiter, slot, SMALL_START_NS, cost, &ticket));
    return ticket;
}

static void assert_next_settled(struct weir_limiter *limiter, uint64_t ticket,
                                enum weir_verdict verdict)
{
    struct weir_settled settled;

    assert_true(weir_limiter_next_settled(limiter, &settled));
    assert_int_equal(settled.ticket, ticket);
    assert_int_equal(settled.decision.verdict, verdict);
    assert_int_equal(settled.decision.ticket, 0);
}

static void hold(struct weir_limiter *limiter, uint32_t slot, uint32_t units)
{
    limiter->hot[slot].held_units = units;
    limiter->cold[slot].leased_units = units;
}

static void nobody_waits_at_first(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));
    struct weir_settled settled;

    assert_true(waiting_has_room(limiter));
    assert_int_equal(waiting_least_cost(limiter, 0), 0);
    waiting_settle(limiter, 0, SMALL_START_NS);
    assert_false(weir_limiter_next_settled(limiter, &settled));
}

static void the_least_cost_is_of_one_key(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));

    add(limiter, 0, 9);
    assert_int_equal(waiting_least_cost(limiter, 0), 9);
    add(limiter, 0, 4);
    add(limiter, 1, 2);
    add(limiter, 0, 6);
    assert_int_equal(waiting_least_cost(limiter, 0), 4);
    assert_int_equal(limiter->cold[0].wait_units, 19);
    assert_int_equal(limiter->cold[1].wait_units, 2);
}

static void who_came_first_is_settled_first(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));
    const uint64_t first = add(limiter, 0, 2);
    const uint64_t other = add(limiter, 1, 1);
    const uint64_t second = add(limiter, 0, 3);
    const uint64_t third = add(limiter, 0, 1);
    hold(limiter, 0, 10);
    hold(limiter, 1, 1);

    waiting_settle(limiter, 0, SMALL_START_NS);
    waiting_settle(limiter, 1, SMALL_START_NS);

    assert_next_settled(limiter, first, WEIR_VERDICT_ADMITTED);
    assert_next_settled(limiter, second, WEIR_VERDICT_ADMITTED);
    assert_next_settled(limiter, third, WEIR_VERDICT_ADMITTED);
    assert_next_settled(limiter, other, WEIR_VERDICT_ADMITTED);
    assert_int_equal(limiter->hot[0].held_units, 4);
    assert_int_equal(limiter->hot[0].spent_units, 6);
    assert_int_equal(limiter->cold[0].wait_units, 0);
    assert_int_equal(limiter->cold[0].wait_last, SLOT_NONE);
}

/* Without a denial to go by, those for whom it does not suffice wait on, in their order. */
static void a_smaller_one_may_pass_and_the_others_keep_their_order(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));
    const uint64_t large = add(limiter, 0, 8);
    const uint64_t small = add(limiter, 0, 2);
    const uint64_t larger = add(limiter, 0, 9);
    const uint64_t tiny = add(limiter, 0, 1);
    struct weir_settled settled;
    hold(limiter, 0, 3);

    waiting_settle(limiter, 0, SMALL_START_NS);
    assert_next_settled(limiter, small, WEIR_VERDICT_ADMITTED);
    assert_next_settled(limiter, tiny, WEIR_VERDICT_ADMITTED);
    assert_false(weir_limiter_next_settled(limiter, &settled));
    assert_int_equal(limiter->cold[0].wait_units, 17);
    assert_int_equal(waiting_least_cost(limiter, 0), 8);
    hold(limiter, 0, 17);
    waiting_settle(limiter, 0, SMALL_START_NS);
    assert_next_settled(limiter, large, WEIR_VERDICT_ADMITTED);
    assert_next_settled(limiter, larger, WEIR_VERDICT_ADMITTED);
}

static void what_a_denial_covers_is_denied(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));
    const uint64_t large = add(limiter, 0, 8);
    const uint64_t medium = add(limiter, 0, 5);
    struct weir_settled settled;
    hold(limiter, 0, 2);
    limiter->cold[0].retry_us = START_US + SECOND_US;
    limiter->hot[0].deny_units = 4; /* beyond what is held: six or more in all */

    waiting_settle(limiter, 0, SMALL_START_NS);

    assert_true(weir_limiter_next_settled(limiter, &settled));
    assert_int_equal(settled.ticket, large);
    assert_int_equal(settled.decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(settled.decision.reason, WEIR_REASON_OVER_LIMIT);
    assert_in_range(settled.decision.retry_after_ns, NS_PER_S, NS_PER_S + 2 * NS_PER_MS);
    assert_false(weir_limiter_next_settled(limiter, &settled));
    assert_int_equal(limiter->cold[0].wait_units, 5);
    limiter->hot[0].deny_units = 3;
    limiter->hot[0].flags |= HOT_PARKED;
    waiting_settle(limiter, 0, SMALL_START_NS);
    assert_true(weir_limiter_next_settled(limiter, &settled));
    assert_int_equal(settled.ticket, medium);
    assert_int_equal(settled.decision.reason, WEIR_REASON_PARKED);
}

static void whoever_waits_for_an_unlimited_key_is_admitted(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(unlimited_plan());
    struct weir_settled settled;
    const uint64_t ticket = add(limiter, 0, 1000);

    waiting_settle(limiter, 0, SMALL_START_NS);

    assert_true(weir_limiter_next_settled(limiter, &settled));
    assert_int_equal(settled.ticket, ticket);
    assert_int_equal(settled.decision.verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(settled.decision.reason, WEIR_REASON_UNLIMITED);
    assert_int_equal(limiter->hot[0].spent_units, 1000);
}

static void places_are_used_again_only_after_they_were_fetched(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));
    struct weir_settled settled;
    uint64_t ticket;
    for (unsigned i = 0; i < SMALL_WAITERS; i++) {
        assert_int_equal(add(limiter, i % 2, 1), i + 1);
    }
    assert_false(waiting_has_room(limiter));
    assert_false(waiting_add(limiter, 0, SMALL_START_NS, 1, &ticket));
    hold(limiter, 0, SMALL_WAITERS);
    waiting_settle(limiter, 0, SMALL_START_NS);
    assert_false(waiting_has_room(limiter));

    for (unsigned i = 0; i < SMALL_WAITERS / 2; i++) {
        assert_true(weir_limiter_next_settled(limiter, &settled));
        assert_int_equal(settled.ticket, 2 * i + 1);
        assert_int_equal(add(limiter, 0, 1), SMALL_WAITERS + i + 1); /* tickets are never reused */
        assert_false(waiting_has_room(limiter));
    }
}

static void the_sum_of_what_waits_does_not_overflow(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));
    uint64_t ticket;
    add(limiter, 0, UINT32_MAX / 2 - 5);

    assert_false(waiting_add(limiter, 0, SMALL_START_NS, 6, &ticket));
    assert_true(waiting_add(limiter, 0, SMALL_START_NS, 5, &ticket));
    assert_false(waiting_add(limiter, 0, SMALL_START_NS, 1, &ticket));
    assert_true(waiting_add(limiter, 1, SMALL_START_NS, 1, &ticket));
}

/* To go on alone, see direct.c: the others keep their order, and the places stay taken. */
static void waiters_leave_in_order_of_arrival(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_keys(bucket_plan(10, 100));
    struct weir_settled settled;
    static const uint32_t COSTS[] = {9, 4, 6};

    assert_int_equal(waiting_leave(limiter, 0), SLOT_NONE);
    for (unsigned i = 0; i < 3; i++) {
        add(limiter, 0, COSTS[i]);
    }
    add(limiter, 1, 5);
    const uint32_t first = waiting_leave(limiter, 0);
    assert_int_equal(limiter->waiters[first].cost, 9);
    assert_int_equal(limiter->cold[0].wait_units, 10);
    assert_int_equal(waiting_least_cost(limiter, 0), 4);
    add(limiter, 0, 7);
    assert_int_equal(limiter->waiters[waiting_leave(limiter, 0)].cost, 4);
    assert_int_equal(limiter->waiters[waiting_leave(limiter, 0)].cost, 6);
    assert_int_equal(limiter->waiters[waiting_leave(limiter, 0)].cost, 7);
    assert_int_equal(waiting_leave(limiter, 0), SLOT_NONE);
    assert_int_equal(limiter->cold[0].wait_units, 0);
    assert_int_equal(limiter->cold[1].wait_units, 5);
    assert_int_equal(limiter->used_waiters, 5);

    limiter->waiters[first].decision.reason = WEIR_REASON_OVER_LIMIT;
    waiting_settled(limiter, first);
    assert_true(weir_limiter_next_settled(limiter, &settled));
    assert_int_equal(settled.ticket, 1);
    assert_int_equal(settled.decision.reason, WEIR_REASON_OVER_LIMIT);
    assert_int_equal(waiting_take_place(limiter, SMALL_START_NS, 3), first); /* free again */
    assert_int_equal(limiter->waiters[first].ticket, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits_at_first),
        cmocka_unit_test(the_least_cost_is_of_one_key),
        cmocka_unit_test(who_came_first_is_settled_first),
        cmocka_unit_test(a_smaller_one_may_pass_and_the_others_keep_their_order),
        cmocka_unit_test(what_a_denial_covers_is_denied),
        cmocka_unit_test(whoever_waits_for_an_unlimited_key_is_admitted),
        cmocka_unit_test(places_are_used_again_only_after_they_were_fetched),
        cmocka_unit_test(the_sum_of_what_waits_does_not_overflow),
        cmocka_unit_test(waiters_leave_in_order_of_arrival),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
