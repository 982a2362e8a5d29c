/* Keys and the store's decisions: a full table that keeps its busy keys, accounting without a
 * place, keys that leave while their requests are under way, and whose ask is next. */
#include "desk.h"

/* A bucket of 1000 per second; places for two keys, both taken and busy. */
static struct desk full_desk(void)
{
    const struct weir_plan plan = bucket_plan(1000, 100);
    struct desk desk = desk_open(&plan, 2, WEIR_FULL_TABLE_PER_REQUEST);

    for (uint64_t key = 1; key <= 2; key++) {
        const uint64_t ticket = desk_wait(&desk, key, 1);
        const struct weir_ask ask = desk_ask(&desk);
        struct weir_answer answer = desk_grant(&desk, &ask);
        assert_int_equal(ask.flags, 0);
        answer.lease_end_us = (desk_store_us(&desk) / (5 * SECOND_US) + 2) * 5 * SECOND_US;
        answer.granted_units = 11;
        answer.flags = WEIR_ANSWER_SCARCE; /* nothing is prefetched */
        desk_hear(&desk, &answer);
        desk_settled(&desk, ticket);
    }
    return desk;
}

static bool has_place(const struct desk *desk, uint64_t key)
{
    const struct weir_key found = desk_key(key);

    return table_find(desk->limiter, &found) != SLOT_NONE;
}

static void leave(struct desk *desk, uint64_t key)
{
    const struct weir_key found = desk_key(key);
    const uint32_t slot = table_find(desk->limiter, &found);

    deadline_set(desk->limiter, slot, NEVER);
    table_remove(desk->limiter, slot);
}

static void a_key_without_a_place_asks_for_each_request(void **state)
{
    (void)state;
    struct desk desk = full_desk();

    desk_wait(&desk, 3, 4);
    desk_wait(&desk, 3, 5);

    assert_false(has_place(&desk, 3));
    assert_int_equal(desk_direct_ask(&desk).need_units, 4);
    const struct weir_ask ask = desk_direct_ask(&desk);
    assert_int_equal(ask.need_units, 5);
    assert_int_equal(ask.key.low, 3);
    assert_int_equal(ask.plan.rate_units, 1);
    desk_no_ask(&desk);
    assert_int_equal(desk_decide(&desk, 1, 10).verdict, WEIR_VERDICT_ADMITTED); /* undisturbed */
    assert_int_equal(desk_decide(&desk, 2, 10).verdict, WEIR_VERDICT_ADMITTED);
}

static void what_it_spends_is_reported_once_each(void **state)
{
    (void)state;
    struct desk desk = full_desk();

    desk_admit(&desk, 3, 4);
    desk_admit(&desk, 3, 5);

    const struct weir_report first = desk_report(&desk);
    const struct weir_report second = desk_report(&desk);
    assert_int_equal(first.key.low, 3);
    assert_int_equal(first.window_index, START_US / MINUTE_US);
    assert_int_equal(first.incarnation, 8);
    assert_int_equal(first.process, 7);
    assert_int_equal(first.sequence, 1);
    assert_int_equal(first.spent_units, 4);
    assert_int_equal(first.life, 3); /* after those of the two keys */
    assert_false(first.sealed);      /* there may be more in this window */
    assert_int_equal(second.life, 4);
    assert_int_equal(second.sequence, 1);
    assert_int_equal(second.spent_units, 5);
    desk_no_report(&desk);
}

static void it_counts_for_the_window_in_which_it_is_decided(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    desk.now_ns += 60 * NS_PER_S - DESK_ROUND_TRIP_NS;
    for (uint32_t slot = 0; slot < 2; slot++) { /* as if they were in use */
        desk.limiter->hot[slot].touched_ms = local_ms(desk.limiter, desk.now_ns);
    }
    const uint64_t ticket = desk_wait(&desk, 3, 4);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    assert_int_equal(answer.store_us / MINUTE_US, START_US / MINUTE_US);
    desk.now_ns += DESK_ROUND_TRIP_NS;

    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(desk_report(&desk).window_index, START_US / MINUTE_US + 1);
}

static void a_refused_key_without_a_place_leaves_no_trace(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    for (unsigned i = 0; i < 2; i++) { /* what was refused is not remembered */
        const uint64_t ticket = desk_wait(&desk, 3, 4);
        const struct weir_ask ask = desk_direct_ask(&desk);
        const struct weir_answer answer = desk_refusal(&desk, &ask, START_US + SECOND_US);
        desk_hear(&desk, &answer);
        assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_DENIED);
    }
    desk_no_report(&desk);
    assert_int_equal(desk.limiter->direct_count, 0);
}

static void a_cost_above_the_capacity_needs_no_place_to_be_denied(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    const struct weir_decision decision = desk_decide(&desk, 3, 101);

    assert_int_equal(decision.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    assert_int_equal(decision.retry_after_ns, WEIR_RETRY_NEVER);
    desk_no_ask(&desk);
}

/* Without a limit there is nothing to ask, once it is known what window it is. */
static void an_unlimited_key_without_a_place_is_only_reported(void **state)
{
    (void)state;
    const struct weir_plan plan = unlimited_plan();
    struct desk desk = desk_open(&plan, 1, WEIR_FULL_TABLE_PER_REQUEST);
    assert_int_equal(desk_decide(&desk, 1, 2).reason, WEIR_REASON_UNLIMITED);

    const struct weir_decision decision = desk_decide(&desk, 2, 7);

    assert_int_equal(decision.verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(decision.reason, WEIR_REASON_UNLIMITED);
    desk_no_ask(&desk);
    assert_int_equal(desk_report(&desk).spent_units, 7);
    desk.limiter->clock.known = false;
    const uint64_t ticket = desk_wait(&desk, 2, 5);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const struct weir_answer answer = {
        .key = ask.key, .id = ask.id, .granted_units = 5, .store_us = START_US};
    desk_hear(&desk, &answer);
    assert_int_equal(desk_settled(&desk, ticket).reason, WEIR_REASON_UNLIMITED);
    assert_int_equal(desk_report(&desk).spent_units, 5);
}

/* Idle: after 5 T, which is 5 s, for keys this slow. */
static void b67_a_key_that_is_idle_and_holds_nothing_makes_room(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    desk.now_ns += 4 * NS_PER_S;
    weir_limiter_expire(desk.limiter, desk.now_ns);
    desk_wait(&desk, 3, 4);
    desk_direct_ask(&desk);
    assert_true(weir_limiter_next_deadline_ns(desk.limiter) <= DESK_START_NS + 5001 * NS_PER_MS);

    desk.now_ns = DESK_START_NS + 5001 * NS_PER_MS;
    assert_int_equal(desk_decide(&desk, 2, 1).verdict, WEIR_VERDICT_ADMITTED); /* not idle */
    desk_wait(&desk, 3, 4); /* the idle one still holds permits */
    desk_direct_ask(&desk);
    weir_limiter_expire(desk.limiter, desk.now_ns);
    const struct weir_ask returned = desk_ask(&desk);
    assert_int_equal(returned.key.low, 1);
    assert_int_equal(returned.flags, WEIR_ASK_RETURN | WEIR_ASK_REST);
    desk_wait(&desk, 3, 4); /* on its way back is not back */
    desk_direct_ask(&desk);
    struct weir_answer answer = desk_grant(&desk, &returned);
    desk_hear(&desk, &answer);
    desk_wait(&desk, 3, 5);

    assert_true(has_place(&desk, 3));
    assert_false(has_place(&desk, 1));
    assert_true(has_place(&desk, 2));
    const struct weir_report report = desk_report(&desk);
    assert_int_equal(report.key.low, 1);
    assert_int_equal(report.spent_units, 1);
    const struct weir_ask ask = desk_ask(&desk);
    assert_int_equal(ask.flags, 0); /* now it gets leases */
    assert_int_equal(ask.need_units, 5);
}

/* A key that came into the table while a request of it was under way counts it there. */
static void a_request_is_counted_where_its_key_is_by_then(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    const uint64_t ticket = desk_wait(&desk, 3, 4);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    leave(&desk, 1);
    desk_wait(&desk, 3, 1);
    assert_true(has_place(&desk, 3));

    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    desk_no_report(&desk);
    assert_int_equal(desk.limiter->hot[table_find(desk.limiter, &ask.key)].spent_units, 4);
}

static void a_key_that_left_is_counted_all_the_same(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(100, MINUTE_US);
    struct desk desk = desk_open(&plan, 1, WEIR_FULL_TABLE_EVICT);
    desk_admit(&desk, 1, 3);
    const uint64_t ticket = desk_wait(&desk, 1, 4);
    const struct weir_ask ask = desk_direct_ask(&desk);

    desk_wait(&desk, 2, 5); /* throws it out */
    assert_false(has_place(&desk, 1));
    const struct weir_report evicted = desk_report(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    const struct weir_report report = desk_report(&desk);
    assert_int_equal(evicted.spent_units, 3);
    assert_int_equal(evicted.key.low, 1);
    assert_int_equal(report.spent_units, 4);
    assert_int_equal(report.key.low, 1);
    assert_int_not_equal(report.life, evicted.life);
}

/* Two plans' windows differ: the key's place counts for the plan it was made with. */
static void a_request_under_another_plan_is_counted_apart(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    const struct weir_plan plan = window_plan(100, SECOND_US);
    const uint64_t ticket = desk_wait(&desk, 3, 4);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    const struct weir_request request = {
        .key = ask.key, .plan_index = 1, .endpoint = WEIR_NO_ENDPOINT, .cost = 1};
    struct weir_decision decision;
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 1, &plan), WEIR_OK);
    leave(&desk, 1);
    assert_int_equal(weir_limiter_decide(desk.limiter, desk.now_ns, &request, &decision), WEIR_OK);

    desk_hear(&desk, &answer);

    desk_settled(&desk, ticket);
    assert_int_equal(desk_report(&desk).window_index, START_US / MINUTE_US);
    assert_int_equal(desk.limiter->hot[table_find(desk.limiter, &ask.key)].spent_units, 0);
}

static void asks_go_out_in_the_order_in_which_they_came_up(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1000, 100);
    struct desk desk = desk_open(&plan, 3, WEIR_FULL_TABLE_PER_REQUEST);
    static const uint64_t KEYS[] = {3, 1, 2};
    static const uint64_t ORDER[] = {3, 1, 2, 9, 8}; /* keys with places, then two without */
    for (unsigned i = 0; i < 3; i++) {
        desk_wait(&desk, KEYS[i], 1);
    }
    desk_wait(&desk, 9, 1);
    desk_wait(&desk, 8, 1);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(desk_ask(&desk).key.low, ORDER[i]);
    }
    desk_no_ask(&desk);
}

static void what_comes_up_between_two_of_another_kind_keeps_its_turn(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    desk_wait(&desk, 3, 1);
    desk_wait(&desk, 1, 20); /* more than it holds */
    desk_wait(&desk, 4, 1);

    assert_int_equal(desk_ask(&desk).key.low, 3);
    assert_int_equal(desk_ask(&desk).key.low, 1);
    assert_int_equal(desk_ask(&desk).key.low, 4);
    desk_no_ask(&desk);
}

static void a_full_outbox_stops_decisions_and_answers_before_they_change_anything(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    struct weir_decision decision;
    const uint64_t ticket = desk_wait(&desk, 3, 4);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    while (outbox_has_room(desk.limiter)) {
        outbox_report_once(desk.limiter, &ask.key, &ask.plan, desk.now_ns, 6, false);
    }

    assert_int_equal(desk_try(&desk, 4, 1, &decision), WEIR_ERR_OUTBOX_FULL);
    desk_no_ask(&desk);
    assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &answer), WEIR_ERR_OUTBOX_FULL);
    desk_none_settled(&desk);
    desk_report(&desk);
    desk_hear(&desk, &answer);
    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
}

static void a_key_without_a_place_needs_one_to_wait_in(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    for (unsigned i = 0; i < 5; i++) {
        desk_wait(&desk, 3 + i, 1);
    }

    const struct weir_decision decision = desk_decide(&desk, 8, 1);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    assert_int_equal(decision.ticket, 0);
    assert_int_equal(desk_decide(&desk, 1, 1).verdict, WEIR_VERDICT_ADMITTED);
}

static struct weir_report next_report(struct desk *desk)
{
    struct weir_report report;

    assert_true(weir_limiter_next_report(desk->limiter, &report));
    return report;
}

static void what_it_is_denied_without_the_store_flags_its_window_once(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    struct weir_report report;
    desk.limiter->breakers[0].state = WEIR_BREAKER_OPEN;

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(desk_decide(&desk, 3, 1).reason, WEIR_REASON_DEGRADED_CAP);
    }
    report = next_report(&desk);
    assert_int_equal(report.key.low, 3);
    assert_int_equal(report.window_index, desk_store_us(&desk) / MINUTE_US);
    assert_int_equal(report.window_us, MINUTE_US);
    assert_int_equal(report.spent_units, 0);
    assert_true(report.degraded);
    assert_false(weir_limiter_next_report(desk.limiter, &report));

    desk_decide(&desk, 4, 1);
    desk_decide(&desk, 3, 1);
    assert_int_equal(next_report(&desk).key.low, 4);
    assert_int_equal(next_report(&desk).key.low, 3);
}

static void before_the_time_is_known_it_flags_no_window_in_particular(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    desk.limiter->breakers[0].state = WEIR_BREAKER_OPEN;
    desk.limiter->clock.known = false;

    desk_decide(&desk, 3, 1);
    assert_int_equal(next_report(&desk).window_us, 0);
}

static void open_admits_it_without_the_store_and_reports_it(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    struct weir_plan plan = desk.limiter->plans[0];
    plan.degraded = WEIR_DEGRADED_OPEN;
    plan.version++;
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &plan), WEIR_OK);
    desk.limiter->breakers[0].state = WEIR_BREAKER_OPEN;

    for (unsigned i = 0; i < 2; i++) {
        const struct weir_decision decision = desk_decide(&desk, 3, 4);
        assert_int_equal(decision.verdict, WEIR_VERDICT_ADMITTED);
        assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
        const struct weir_report report = next_report(&desk);
        assert_int_equal(report.spent_units, 4);
        assert_int_equal(report.degraded_units, 4);
        assert_true(report.degraded);
    }
    assert_int_equal(desk.limiter->counts.degraded_units, 8);
    assert_int_equal(desk.limiter->counts.lost_charge_units, 8);
}

/* A customer without a limit is admitted, whether the store was ever heard of or not. */
static void an_unlimited_key_without_a_place_never_waits_in_vain(void **state)
{
    (void)state;
    struct desk desk = full_desk();
    struct weir_plan plan = unlimited_plan();
    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &plan), WEIR_OK);
    desk.limiter->clock.known = false;
    desk.limiter->options.full_table = WEIR_FULL_TABLE_EVICT;
    desk.limiter->options.wait_max_ns = NS_PER_MS;
    desk.limiter->hot[0].flags |= HOT_IN_FLIGHT; /* both keys wait: none makes room */
    desk.limiter->hot[1].flags |= HOT_IN_FLIGHT;

    const uint64_t ticket = desk_wait(&desk, 3, 4);
    desk.now_ns += NS_PER_MS;
    weir_limiter_expire(desk.limiter, desk.now_ns);
    assert_int_equal(desk_settled(&desk, ticket).reason, WEIR_REASON_UNLIMITED);
    assert_int_equal(next_report(&desk).degraded_units, 4);

    desk.limiter->breakers[0].state = WEIR_BREAKER_OPEN;
    assert_int_equal(desk_decide(&desk, 3, 5).reason, WEIR_REASON_UNLIMITED);
    assert_int_equal(next_report(&desk).degraded_units, 5);
    assert_int_equal(desk.limiter->counts.degraded_units, 9);
    assert_int_equal(desk.limiter->counts.lost_charge_units, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unlimited_key_without_a_place_never_waits_in_vain),
        cmocka_unit_test(a_key_without_a_place_asks_for_each_request),
        cmocka_unit_test(what_it_spends_is_reported_once_each),
        cmocka_unit_test(it_counts_for_the_window_in_which_it_is_decided),
        cmocka_unit_test(a_refused_key_without_a_place_leaves_no_trace),
        cmocka_unit_test(a_cost_above_the_capacity_needs_no_place_to_be_denied),
        cmocka_unit_test(an_unlimited_key_without_a_place_is_only_reported),
        cmocka_unit_test(b67_a_key_that_is_idle_and_holds_nothing_makes_room),
        cmocka_unit_test(a_request_is_counted_where_its_key_is_by_then),
        cmocka_unit_test(a_key_that_left_is_counted_all_the_same),
        cmocka_unit_test(a_request_under_another_plan_is_counted_apart),
        cmocka_unit_test(asks_go_out_in_the_order_in_which_they_came_up),
        cmocka_unit_test(what_comes_up_between_two_of_another_kind_keeps_its_turn),
        cmocka_unit_test(a_full_outbox_stops_decisions_and_answers_before_they_change_anything),
        cmocka_unit_test(a_key_without_a_place_needs_one_to_wait_in),
        cmocka_unit_test(what_it_is_denied_without_the_store_flags_its_window_once),
        cmocka_unit_test(before_the_time_is_known_it_flags_no_window_in_particular),
        cmocka_unit_test(open_admits_it_without_the_store_and_reports_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
