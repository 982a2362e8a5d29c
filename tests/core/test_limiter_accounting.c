/* Reports and the ledger: what was spent is reported to the unit, and every permit is accounted
 * for, also when keys make room for others and when the process ends. */
#include "fleet.h"

#include "weir/limiter.h"

/* Leases of ten; nothing is given back for being idle. */
static struct fleet *fleet_with(uint32_t process_count, uint32_t key_count, uint32_t key_capacity)
{
    struct fleet *fleet = fleet_new(3);
    struct weir_plan plan = bucket_plan(1000, 1000);

    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 10;
    fleet_add_plan(fleet, plan);
    for (uint32_t i = 0; i < key_count; i++) {
        fleet_add_key(fleet, 0, 0);
    }
    fleet_start(fleet, process_count, key_capacity);
    return fleet;
}

static void a_window_is_reported_once_it_is_over(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(1, 1, 4);
    fleet_decide(fleet, 0, 0, 3);
    fleet_decide(fleet, 0, 0, 4);
    fleet_run_until(fleet, MINUTE_NS - MS_NS);
    assert_int_equal(fleet->report_count, 0);

    fleet_run_until(fleet, MINUTE_NS + 50 * MS_NS);

    assert_int_equal(fleet->report_count, 1);
    const struct weir_report *report = &fleet->reports[0];
    assert_int_equal(report->key.low, fleet->keys[0].key.low);
    assert_int_equal(report->window_index, START_US / MINUTE_US);
    assert_int_equal(report->spent_units, 7);
    assert_int_equal(report->sequence, 1);
    assert_int_equal(report->process, 0);
    assert_int_equal(report->incarnation, 1000);
    assert_int_equal(report->life, 1);
    assert_true(report->sealed);
    fleet_run_for(fleet, 3 * MINUTE_NS); /* windows without spending are not reported */
    assert_int_equal(fleet->report_count, 1);
    fleet_decide(fleet, 0, 0, 5);
    fleet_run_for(fleet, MINUTE_NS);
    assert_int_equal(fleet->report_count, 2);
    assert_int_equal(fleet->reports[1].spent_units, 5);
    assert_int_equal(fleet->reports[1].sequence, 1);
    fleet_free(fleet);
}

static void windows_are_cut_in_the_keys_phase(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(1, 1, 4);
    fleet->keys[0].key.high = 20 * SECOND_US; /* the window ends 40 s from the start */
    fleet_decide(fleet, 0, 0, 3);
    fleet_run_until(fleet, 39 * SECOND_NS);
    assert_int_equal(fleet->report_count, 0);
    fleet_run_until(fleet, 40 * SECOND_NS + 50 * MS_NS);
    assert_int_equal(fleet->report_count, 1);
    assert_int_equal(fleet->reports[0].window_index, START_US / MINUTE_US);
    fleet_free(fleet);
}

/* D27: the coldest key makes room; its permits go back and its spending is reported first. */
static void d27_an_evicted_key_hands_over_permits_and_report(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(1, 5, 4);
    static const uint32_t ORDER[] = {2, 0, 3, 1};
    for (unsigned i = 0; i < 4; i++) {
        fleet_decide(fleet, 0, ORDER[i], 1);
        fleet_run_for(fleet, 5 * MS_NS);
    }
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);

    fleet_decide(fleet, 0, 4, 1);

    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[2].key), 0);
    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[0].key), 9);
    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[4].key), 9);
    assert_int_equal(fleet->returned_units, 9);
    assert_int_equal(fleet->keys[2].store.outstanding[1], 0);
    assert_int_equal(fleet->report_count, 1);
    assert_int_equal(fleet->reports[0].key.low, fleet->keys[2].key.low);
    assert_int_equal(fleet->reports[0].spent_units, 1);
    assert_false(fleet->reports[0].sealed); /* it may come back in the same window */
    fleet_decide(fleet, 0, 2, 2);           /* as another life */
    fleet_shutdown(fleet);
    fleet_free(fleet);
}

/* Property, B63: few places, many keys, three processes. */
static void b63_the_books_balance_however_often_keys_are_evicted(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++) {
        struct fleet *fleet = fleet_new(seed);
        fleet_add_plan(fleet, bucket_plan(20, 40));
        fleet_add_plan(fleet, window_plan(60, 5 * SECOND_US));
        for (uint32_t i = 0; i < FLEET_KEYS; i++) {
            fleet_add_key(fleet, i % 2, dice_below(&fleet->dice, MINUTE_US));
        }
        fleet_start(fleet, 3, 6);
        for (unsigned i = 0; i < 20000; i++) {
            const uint32_t below = 1 + (uint32_t)dice_below(&fleet->dice, FLEET_KEYS);
            const uint32_t key = (uint32_t)dice_below(&fleet->dice, below);
            fleet_request(fleet, (uint32_t)dice_below(&fleet->dice, 3), key,
                          (uint32_t)dice_below(&fleet->dice, 5));
            fleet_run_for(fleet, MS_NS);
        }
        for (uint32_t key = 0; key < FLEET_KEYS; key++) {
            assert_int_equal(fleet->keys[key].over_units, 0);
        }
        assert_true(fleet->report_count > 1000);
        fleet_shutdown(fleet);
        fleet_free(fleet);
    }
}

/* D28: a process that ends in order gives back and seals. */
static void d28_shutdown_returns_and_seals_everything(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(2, 3, 4);
    fleet_decide(fleet, 0, 0, 3);
    fleet_decide(fleet, 0, 1, 4);
    fleet_decide(fleet, 1, 1, 5);

    fleet_shutdown(fleet);

    assert_int_equal(fleet->report_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(fleet->reports[i].sealed);
    }
    assert_int_equal(fleet->returned_units, 30 - 12);
    assert_int_equal(fleet->keys[1].store.outstanding[0] + fleet->keys[1].store.outstanding[1], 0);
    assert_int_equal(weir_limiter_next_deadline_ns(fleet_limiter(fleet, 0)), UINT64_MAX);
    fleet_free(fleet);
}

static void shutdown_leaves_what_waits_and_is_called_again(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(1, 2, 4);
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    fleet_decide(fleet, 0, 0, 1);
    fleet_request(fleet, 0, 1, 1); /* under way */

    assert_int_equal(weir_limiter_shutdown(limiter, fleet_local_ns(fleet, 0)), WEIR_SHUTDOWN_BUSY);
    fleet_drain(fleet, 0);
    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[0].key), 0);
    fleet_run_for(fleet, MS_NS);
    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[1].key), 9);
    fleet_shutdown(fleet);
    fleet_free(fleet);
}

static void a_full_outbox_stops_what_needs_it_and_nothing_else(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(1, FLEET_KEYS, FLEET_KEYS);
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    struct weir_decision decision;
    struct weir_request request = {.endpoint = WEIR_NO_ENDPOINT, .cost = 1};
    for (uint32_t key = 0; key < 62; key++) {
        fleet_decide(fleet, 0, key, 1);
    }
    fleet_request(fleet, 0, 61, 10); /* under way */

    assert_int_equal(weir_limiter_shutdown(limiter, fleet_local_ns(fleet, 0)),
                     WEIR_SHUTDOWN_OUTBOX_FULL);
    request.key = fleet->keys[63].key; /* a new key may have to evict one */
    assert_int_equal(weir_limiter_decide(limiter, fleet_local_ns(fleet, 0), &request, &decision),
                     WEIR_ERR_OUTBOX_FULL);
    request.key = fleet->keys[61].key; /* a held key's slow path may have to report */
    request.cost = 11;
    assert_int_equal(weir_limiter_decide(limiter, fleet_local_ns(fleet, 0), &request, &decision),
                     WEIR_ERR_OUTBOX_FULL);
    request.cost = 9; /* what is held can be spent all the same */
    assert_int_equal(weir_limiter_decide(limiter, fleet_local_ns(fleet, 0), &request, &decision),
                     WEIR_OK);
    assert_int_equal(decision.verdict, WEIR_VERDICT_ADMITTED);
    fleet_admit(fleet, 61, 9, decision.reason);
    struct fleet_exchange *exchange = &fleet->exchanges[0];
    fleet_serve(fleet, exchange);
    assert_int_equal(weir_limiter_answer(limiter, fleet_local_ns(fleet, 0), &exchange->answer),
                     WEIR_ERR_OUTBOX_FULL);
    fleet_drain(fleet, 0);
    fleet_shutdown(fleet);
    fleet_free(fleet);
}

static void a_table_whose_keys_all_wait_is_busy(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(1, 5, 4);
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    struct weir_decision decision;
    const struct weir_request request = {
        .key = fleet->keys[4].key, .endpoint = WEIR_NO_ENDPOINT, .cost = 1};
    for (uint32_t key = 0; key < 4; key++) {
        fleet_request(fleet, 0, key, 1);
    }

    assert_int_equal(weir_limiter_decide(limiter, fleet_local_ns(fleet, 0), &request, &decision),
                     WEIR_ERR_TABLE_BUSY);
    fleet_run_for(fleet, MS_NS);
    assert_int_equal(fleet_decide(fleet, 0, 4, 1).verdict, WEIR_VERDICT_ADMITTED);
    fleet_free(fleet);
}

/* B50: no globals; what one limiter does, the other does not see. */
static void b50_two_limiters_of_one_program_share_nothing(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(2, 1, 4);
    struct weir_quota quota;
    fleet_decide(fleet, 0, 0, 1);

    assert_int_equal(weir_limiter_held_units(fleet_limiter(fleet, 0), &fleet->keys[0].key), 9);
    assert_int_equal(weir_limiter_held_units(fleet_limiter(fleet, 1), &fleet->keys[0].key), 0);
    assert_int_equal(weir_limiter_next_deadline_ns(fleet_limiter(fleet, 1)), UINT64_MAX);
    assert_false(weir_limiter_quota(fleet_limiter(fleet, 1), fleet_local_ns(fleet, 1),
                                    &fleet->keys[0].key, 0, &quota));
    assert_int_equal(fleet_request(fleet, 1, 0, 1).verdict, WEIR_VERDICT_PENDING);
    fleet_free(fleet);
}

/* A key is under one plan at a time: the last one it was asked for under. */
static void a_held_key_moves_to_another_plan(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, bucket_plan(10, 100));
    fleet_add_plan(fleet, bucket_plan(10, 1));
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    assert_int_equal(fleet_decide(fleet, 0, 0, 1).verdict, WEIR_VERDICT_ADMITTED);

    fleet->keys[0].plan = 1;
    const struct weir_decision refused = fleet_decide(fleet, 0, 0, 50);
    assert_int_equal(refused.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(refused.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    fleet_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_is_reported_once_it_is_over),
        cmocka_unit_test(windows_are_cut_in_the_keys_phase),
        cmocka_unit_test(d27_an_evicted_key_hands_over_permits_and_report),
        cmocka_unit_test(b63_the_books_balance_however_often_keys_are_evicted),
        cmocka_unit_test(d28_shutdown_returns_and_seals_everything),
        cmocka_unit_test(shutdown_leaves_what_waits_and_is_called_again),
        cmocka_unit_test(a_full_outbox_stops_what_needs_it_and_nothing_else),
        cmocka_unit_test(a_table_whose_keys_all_wait_is_busy),
        cmocka_unit_test(b50_two_limiters_of_one_program_share_nothing),
        cmocka_unit_test(a_held_key_moves_to_another_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
