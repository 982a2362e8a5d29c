/* Answers that come too late, and plans whose leases would: what is void, asked again, given up,
 * and when a key's requests go one by one. */
#include "desk.h"

static struct desk log_desk(void)
{
    const struct weir_plan plan = log_plan(100, MINUTE_US);

    return desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
}

/* Leases of 20 ms; requests go one by one from a round trip of more than 5 ms. */
static struct desk short_desk(uint64_t round_trip_us)
{
    const struct weir_plan plan = bucket_plan(1000, 100);
    struct weir_plan brief = plan;

    brief.window_us = 240 * MS_US;
    brief.trickle_period_us = 4 * MS_US;
    brief.lease_period_us = 20 * MS_US;
    struct desk desk = desk_open(&brief, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->clock.round_trip_ns = round_trip_us * NS_PER_US;
    return desk;
}

/* The answer to an ask, 2 ms longer after it was sent than its flight, made as long ago as may be
 * and earlier_us more. The clock in force is a better one than this answer's. */
static struct weir_answer tardy(struct desk *desk, const struct weir_ask *ask, uint64_t earlier_us)
{
    desk->now_ns += 2 * NS_PER_MS + ask->flight_us * NS_PER_US;
    while (clock_late_ns(&desk->limiter->clock, desk->now_ns) % NS_PER_US != 0) {
        desk->now_ns++;
    }
    const uint64_t late_ns = clock_late_ns(&desk->limiter->clock, desk->now_ns);
    struct weir_answer answer = desk_grant(desk, ask);

    answer.store_us = late_ns / NS_PER_US - ask->flight_us - earlier_us;
    answer.lease_end_us = 4321;
    return answer;
}

static void an_answer_counts_until_its_flight_is_over(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);
    assert_int_equal(ask.flight_us, 1000);

    const struct weir_answer answer = tardy(&desk, &ask, 0);
    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    desk_no_ask(&desk);
}

static void later_it_is_void_and_the_request_asks_again(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);

    struct weir_answer answer = tardy(&desk, &ask, 1);
    desk_hear(&desk, &answer);

    desk_none_settled(&desk);
    assert_int_equal(desk.limiter->hot[0].spent_units, 0);
    const struct weir_ask again = desk_direct_ask(&desk);
    assert_int_equal(again.need_units, 3);
    assert_int_equal(again.unused_units, 3);
    assert_int_equal(again.lease_end_us, 4321); /* of which window they were */
    assert_int_equal(again.flight_us, 8000);    /* two of the round trips there are now */
    assert_true(again.id.sequence > ask.id.sequence);
    assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &answer), WEIR_ERR_UNEXPECTED);
    answer = desk_grant(&desk, &again);
    desk_hear(&desk, &answer);
    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(desk.limiter->hot[0].spent_units, 3);
    desk_no_ask(&desk);
}

static void a_refusal_is_never_too_late(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);

    struct weir_answer answer = tardy(&desk, &ask, 500000);
    answer.granted_units = 0;
    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_DENIED);
    desk_no_ask(&desk);
}

/* Void answers to all that is asked; returns the verdict. Asks counts them. */
static struct weir_decision hear_nothing_in_time(struct desk *desk, uint64_t ticket,
                                                 unsigned *ask_count)
{
    const uint64_t round_trip_ns = desk->limiter->clock.round_trip_ns;
    struct weir_settled settled;

    for (*ask_count = 1; *ask_count < 100; ++*ask_count) {
        desk->limiter->clock.round_trip_ns = round_trip_ns; /* each is taken for an exception */
        const struct weir_ask ask = desk_direct_ask(desk);
        assert_int_equal(ask.unused_units, *ask_count == 1 ? 0 : ask.need_units);
        const struct weir_answer answer = tardy(desk, &ask, 1);
        desk_hear(desk, &answer);
        if (weir_limiter_next_settled(desk->limiter, &settled)) {
            assert_int_equal(settled.ticket, ticket);
            return settled.decision;
        }
    }
    fail_msg("never settled");
    return settled.decision;
}

static void four_late_answers_in_a_row_are_a_denial(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    unsigned ask_count;
    const uint64_t ticket = desk_wait(&desk, 1, 3);

    const struct weir_decision decision = hear_nothing_in_time(&desk, ticket, &ask_count);

    assert_int_equal(ask_count, 4);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_OVER_LIMIT);
    assert_int_equal(decision.retry_after_ns, MINUTE_US * NS_PER_US); /* a window's lease period */
    const struct weir_ask last = desk_ask(&desk); /* what was granted last is accounted for too */
    assert_int_equal(last.flags, WEIR_ASK_RETURN);
    assert_int_equal(last.unused_units, 3);
    assert_int_equal(last.lease_end_us, 4321);
    assert_int_equal(last.want_units + last.need_units + last.least_units, 0);
    const struct weir_answer answer = desk_grant(&desk, &last);
    desk_hear(&desk, &answer);
    assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &answer), WEIR_ERR_UNEXPECTED);
    desk_no_ask(&desk);
    desk_wait(&desk, 1, 3); /* a log's next request may be luckier */
    assert_int_equal(desk_direct_ask(&desk).unused_units, 0);
}

static void a_windows_permits_are_void_once_it_is_over(void **state)
{
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        const struct weir_plan plan = window_plan(100, 10 * MS_US);
        struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
        desk.limiter->clock.round_trip_ns = 3 * NS_PER_MS;
        desk.now_ns += 8 * NS_PER_MS;
        const uint64_t ticket = desk_wait(&desk, 1, 3);
        const struct weir_ask ask = desk_direct_ask(&desk);
        struct weir_answer answer = desk_grant(&desk, &ask);
        /* the late edge of the bar comes to the window's end */
        while (clock_late_ns(&desk.limiter->clock, desk.now_ns + 1 - late) <
               (START_US + 10 * MS_US) * NS_PER_US) {
            desk.now_ns++;
        }
        answer.lease_end_us = START_US + 10 * MS_US;
        desk_hear(&desk, &answer);
        if (late == 0) {
            assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
        } else {
            desk_none_settled(&desk);
            const struct weir_ask again = desk_direct_ask(&desk);
            assert_int_equal(again.unused_units, 3);
            assert_int_equal(again.lease_end_us, START_US + 10 * MS_US);
        }
    }
}

/* A round trip too long to be counted as flight: what the store granted is spent already. */
static void without_a_flight_no_answer_is_too_late(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    desk.limiter->clock.round_trip_ns = 10 * NS_PER_MS;
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);
    assert_int_equal(ask.flight_us, 0);

    const struct weir_answer answer = tardy(&desk, &ask, 900000);
    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
}

static void leases_shorter_than_four_round_trips_are_not_asked_for(void **state)
{
    (void)state;
    struct desk desk = short_desk(5000);
    desk_wait(&desk, 1, 3);
    assert_int_equal(desk_ask(&desk).flags, 0);
    desk = short_desk(5001);
    desk_wait(&desk, 1, 3);
    assert_int_equal(desk_direct_ask(&desk).flight_us, 16000);
    desk = short_desk(8001); /* a bucket whose answers could come at any time: leases end */
    desk_wait(&desk, 1, 3);
    assert_int_equal(desk_ask(&desk).flags, 0);
    desk = short_desk(5001);
    desk.limiter->clock.known = false; /* nor is any round trip */
    desk_wait(&desk, 1, 3);
    assert_int_equal(desk_ask(&desk).flags, 0);
}

static void an_unlimited_plan_needs_no_store(void **state)
{
    (void)state;
    struct weir_plan plan = unlimited_plan();
    plan.lease_period_us = 1;
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);

    assert_int_equal(desk_decide(&desk, 1, 3).reason, WEIR_REASON_UNLIMITED);
    assert_false(direct_is_due(desk.limiter, &plan)); /* one ask for all that wait will do */
    desk_no_ask(&desk);
}

/* The first answer shows how long a round trip takes; those that wait by then go one by one. */
static void requests_that_waited_for_a_lease_go_on_alone(void **state)
{
    (void)state;
    struct desk desk = short_desk(100);
    const uint64_t tickets[] = {desk_wait(&desk, 1, 3), desk_wait(&desk, 1, 4)};
    const struct weir_ask lease = desk_ask(&desk);
    assert_int_equal(lease.need_units, 7);
    struct weir_answer answer = desk_grant(&desk, &lease);
    answer.lease_end_us = (desk_store_us(&desk) / (20 * MS_US) + 2) * 20 * MS_US;
    answer.granted_units = 0;
    desk.now_ns += 6 * NS_PER_MS;

    desk_hear(&desk, &answer);

    const struct weir_ask first = desk_direct_ask(&desk);
    const struct weir_ask second = desk_direct_ask(&desk);
    assert_int_equal(first.need_units, 3);
    assert_int_equal(second.need_units, 4);
    desk_no_ask(&desk);
    assert_int_equal(desk.limiter->cold[0].wait_units, 0);
    assert_int_equal(desk.limiter->cold[0].wait_last, SLOT_NONE);
    answer = desk_grant(&desk, &second);
    desk_hear(&desk, &answer);
    assert_int_equal(desk_settled(&desk, tickets[1]).verdict, WEIR_VERDICT_ADMITTED);
    answer = desk_grant(&desk, &first);
    desk_hear(&desk, &answer);
    assert_int_equal(desk_settled(&desk, tickets[0]).verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(desk.limiter->hot[0].spent_units, 7);
}

/* What was held when the round trip grew is spent as long as it lasts, and given back after. */
static void a_lease_held_by_then_is_used_up_or_given_back(void **state)
{
    (void)state;
    struct desk desk = short_desk(100);
    desk_wait(&desk, 1, 3);
    const struct weir_ask lease = desk_ask(&desk);
    struct weir_answer answer = desk_grant(&desk, &lease);
    answer.granted_units = 13;
    answer.lease_end_us = (desk_store_us(&desk) / (20 * MS_US) + 2) * 20 * MS_US;
    desk_hear(&desk, &answer);
    const uint32_t held_units = desk.limiter->hot[0].held_units;
    assert_int_equal(held_units, 10);
    desk.limiter->clock.round_trip_ns = 6 * NS_PER_MS;

    assert_int_equal(desk_decide(&desk, 1, 4).verdict, WEIR_VERDICT_ADMITTED);
    asking_queue(desk.limiter, 0, 0); /* for whatever reason: it would prefetch */
    const struct weir_ask returned = desk_ask(&desk);

    assert_int_equal(returned.flags, WEIR_ASK_RETURN);
    assert_int_equal(returned.returned_units, 6);
    assert_int_equal(returned.spent_units, 4);
    assert_int_equal(returned.want_units, 0);
    desk_wait(&desk, 1, 1); /* nothing held any more, and none is asked for */
    desk_direct_ask(&desk);
    answer = desk_grant(&desk, &returned);
    desk_hear(&desk, &answer);
    desk_no_ask(&desk);
}

/* Else each request of a key far from its store would cost four asks. */
static void a_key_whose_answers_never_come_in_time_is_denied_here_for_a_while(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(100, 7 * MS_US);
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->clock.round_trip_ns = 3 * NS_PER_MS;
    unsigned ask_count;
    const uint64_t ticket = desk_wait(&desk, 1, 3);

    const struct weir_decision decision = hear_nothing_in_time(&desk, ticket, &ask_count);

    assert_int_equal(ask_count, 4);
    assert_int_equal(decision.retry_after_ns, 7 * NS_PER_MS);
    assert_int_equal(desk_ask(&desk).flags, WEIR_ASK_RETURN);
    const struct weir_decision next = desk_decide(&desk, 1, 1);
    assert_int_equal(next.verdict, WEIR_VERDICT_DENIED);
    assert_in_range(next.retry_after_ns, 7 * NS_PER_MS - NS_PER_US, 8 * NS_PER_MS);
    desk_no_ask(&desk);
    desk.now_ns += next.retry_after_ns;
    desk_wait(&desk, 1, 1);
    desk_direct_ask(&desk);
}

static void a_plan_that_comes_meanwhile_makes_the_answer_void(void **state)
{
    (void)state;
    for (uint32_t granted = 0; granted <= 3; granted += 3) {
        struct desk desk = log_desk();
        const uint64_t ticket = desk_wait(&desk, 1, 3);
        struct weir_plan plan = log_plan(50, MINUTE_US);
        const struct weir_ask ask = desk_direct_ask(&desk);
        struct weir_answer answer = desk_refusal(&desk, &ask, 0);

        plan.version = 2;
        assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &plan), WEIR_OK);
        answer.granted_units = granted;
        answer.retry_us = granted == 0 ? UINT64_MAX : 0;
        desk_hear(&desk, &answer);

        desk_none_settled(&desk);
        const struct weir_ask again = desk_direct_ask(&desk);
        assert_int_equal(again.plan.version, 2);
        assert_int_equal(again.unused_units, granted);
        answer = desk_grant(&desk, &again);
        desk_hear(&desk, &answer);
        assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
        desk_no_ask(&desk);
    }
}

static void when_its_plan_is_gone_a_grant_goes_back_and_the_request_is_denied(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);

    assert_int_equal(weir_limiter_delete_plan(desk.limiter, 0, 2), WEIR_OK);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    desk_hear(&desk, &answer);

    const struct weir_decision decision = desk_settled(&desk, ticket);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.retry_after_ns, WEIR_RETRY_NEVER);
    const struct weir_ask back = desk_ask(&desk);
    assert_int_equal(back.flags, WEIR_ASK_RETURN);
    assert_int_equal(back.unused_units, 3);
    desk_no_ask(&desk);
}

/* What a store grants without a limit is taken from nothing. */
static void without_a_limit_nothing_was_granted_that_could_go_back(void **state)
{
    (void)state;
    struct weir_plan plan = unlimited_plan();
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->clock.known = false;
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_ask(&desk);

    desk.limiter->clock.known = true;
    plan = window_plan(100, MINUTE_US);
    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &plan), WEIR_OK);
    struct weir_answer answer = desk_grant(&desk, &ask);
    answer.lease_end_us = desk_store_us(&desk) + MINUTE_US;
    desk_hear(&desk, &answer);

    desk_none_settled(&desk);
    const struct weir_ask again = desk_ask(&desk);
    assert_int_equal(again.need_units, 3);
    assert_int_equal(again.returned_units + again.unused_units, 0);
    assert_int_equal(weir_limiter_delete_plan(desk.limiter, 0, 3), WEIR_OK);
    answer = desk_grant(&desk, &again);
    answer.lease_end_us = desk_store_us(&desk) + MINUTE_US;
    desk_hear(&desk, &answer);
    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(desk.limiter->hot[0].spent_units, 0);
    /* goes back with the next ask */
    assert_int_equal(desk.limiter->cold[0].returned_units + desk.limiter->cold[0].unused_units, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_counts_until_its_flight_is_over),
        cmocka_unit_test(later_it_is_void_and_the_request_asks_again),
        cmocka_unit_test(a_refusal_is_never_too_late),
        cmocka_unit_test(four_late_answers_in_a_row_are_a_denial),
        cmocka_unit_test(a_windows_permits_are_void_once_it_is_over),
        cmocka_unit_test(without_a_flight_no_answer_is_too_late),
        cmocka_unit_test(leases_shorter_than_four_round_trips_are_not_asked_for),
        cmocka_unit_test(an_unlimited_plan_needs_no_store),
        cmocka_unit_test(requests_that_waited_for_a_lease_go_on_alone),
        cmocka_unit_test(a_lease_held_by_then_is_used_up_or_given_back),
        cmocka_unit_test(a_key_whose_answers_never_come_in_time_is_denied_here_for_a_while),
        cmocka_unit_test(a_plan_that_comes_meanwhile_makes_the_answer_void),
        cmocka_unit_test(when_its_plan_is_gone_a_grant_goes_back_and_the_request_is_denied),
        cmocka_unit_test(without_a_limit_nothing_was_granted_that_could_go_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
