/* Requests that the store decides one by one: what they ask, whose an answer is, what is admitted,
 * refused, void and remembered. Those of keys without a place: test_direct_table.c. */
#include "desk.h"

static struct desk log_desk(void)
{
    const struct weir_plan plan = log_plan(100, MINUTE_US);

    return desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
}

static void each_request_asks_for_exactly_its_cost(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    desk_wait(&desk, 1, 3);
    desk_wait(&desk, 1, 4);

    const struct weir_ask first = desk_direct_ask(&desk);
    const struct weir_ask second = desk_direct_ask(&desk);

    assert_int_equal(first.need_units, 3);
    assert_int_equal(second.need_units, 4);
    assert_int_equal(first.key.low, 1);
    assert_int_equal(first.id.process, 7);
    assert_int_equal(first.id.incarnation, 8);
    assert_int_equal(first.plan.algorithm, WEIR_ALGORITHM_LOG);
    assert_int_equal(first.flight_us, 1000); /* two round trips of 200 us are less */
    assert_int_equal(first.lease_end_us, 0);
    assert_int_equal(first.unused_units, 0);
    assert_int_equal(first.held_units + first.spent_units + first.returned_units, 0);
    assert_int_not_equal(first.id.sequence, second.id.sequence);
    desk_no_ask(&desk);
}

static void one_ask_at_a_time_tells_the_demand(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    desk_wait(&desk, 1, 3);
    desk_wait(&desk, 1, 4);

    const struct weir_ask first = desk_direct_ask(&desk);
    const struct weir_ask second = desk_direct_ask(&desk);
    assert_true(first.rate_milli > 0);
    assert_int_equal(first.rate_milli_before, 0);
    assert_int_equal(first.rate_share_period, UINT64_MAX);
    assert_int_equal(second.rate_milli, 0);
    assert_int_equal(second.rate_share_period, UINT64_MAX);
    desk_hear(&desk, &(struct weir_answer){
                         .key = first.key, .id = first.id, .granted_units = 3, .share_period = 17});
    desk_wait(&desk, 1, 5);
    const struct weir_ask third = desk_direct_ask(&desk);

    assert_true(third.rate_milli > 0);
    assert_int_equal(third.rate_milli_before, first.rate_milli);
    assert_int_equal(third.rate_share_period, 17);
}

static void demand_that_was_refused_is_told_again(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);
    desk_wait(&desk, 1, 4);

    assert_int_equal(
        weir_limiter_ask_failed(desk.limiter, desk.now_ns, &ask.key, &ask.id, WEIR_FAILURE_REFUSED),
        WEIR_OK);

    const struct weir_ask next = desk_direct_ask(&desk);
    assert_true(next.rate_milli > 0);
    assert_int_equal(next.rate_milli_before, 0);
}

static void flight_spans_two_round_trips_or_is_not_counted(void **state)
{
    (void)state;
    static const uint32_t CASES[][2] = {
        {500, 1000}, {501, 2000}, {2000, 4000}, {8000, 16000}, {8001, 0}};

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct desk desk = log_desk();
        desk.limiter->clock.round_trip_ns = CASES[i][0] * NS_PER_US;
        desk_wait(&desk, 1, 1);
        assert_int_equal(desk_direct_ask(&desk).flight_us, CASES[i][1]);
    }
}

static void the_first_answer_tells_the_stores_time(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    desk.limiter->clock = (struct clock_offset){0};
    const uint64_t ticket = desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_direct_ask(&desk);
    desk.now_ns += NS_PER_MS;

    desk_hear(&desk, &(struct weir_answer){.key = ask.key,
                                           .id = ask.id,
                                           .granted_units = 1,
                                           .store_us = START_US + 77 * SECOND_US});

    assert_true(desk.limiter->clock.known);
    assert_int_equal(desk.limiter->clock.round_trip_ns, NS_PER_MS);
    assert_int_equal(desk_store_us(&desk), START_US + 77 * SECOND_US + 500);
    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
}

static void answers_find_their_requests_in_any_order(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    struct weir_ask asks[5];
    uint64_t tickets[5];
    for (unsigned turn = 0; turn < 4; turn++) { /* five places, heads for eight */
        for (unsigned i = 0; i < 5; i++) {
            tickets[i] = desk_wait(&desk, i % 3, i + 1);
            asks[i] = desk_direct_ask(&desk);
        }
        static const unsigned ORDER[] = {3, 0, 4, 2, 1};
        for (unsigned i = 0; i < 5; i++) {
            const struct weir_answer answer = desk_grant(&desk, &asks[ORDER[i]]);
            desk_hear(&desk, &answer);
            assert_int_equal(desk_settled(&desk, tickets[ORDER[i]]).verdict, WEIR_VERDICT_ADMITTED);
            assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &answer),
                             WEIR_ERR_UNEXPECTED);
        }
    }
    desk_no_report(&desk);
    assert_int_equal(desk.limiter->direct_count, 0);
    assert_int_equal(desk.limiter->hot[0].spent_units, 4 * (1 + 4));
    assert_int_equal(desk.limiter->hot[1].spent_units, 4 * (2 + 5));
    assert_int_equal(desk.limiter->hot[2].spent_units, 4 * 3);
}

/* Requests whose sequence numbers share a chain: one stays away while others come and go. */
static void one_that_waits_long_is_not_taken_for_another(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 9);
    const struct weir_ask ask = desk_direct_ask(&desk);

    for (unsigned i = 0; i < 40; i++) {
        desk_admit(&desk, 2, 1);
    }
    desk.limiter->flights[desk.limiter->directs[0].flight].ask.flight_us =
        0; /* as if it were not late by now */
    const struct weir_answer answer = desk_grant(&desk, &ask);
    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(desk.limiter->hot[table_find(desk.limiter, &ask.key)].spent_units, 9);
}

static void an_answer_to_nobody_is_ignored(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    struct weir_answer wrong[4] = {answer, answer, answer, answer};

    wrong[0].id.sequence += 1;
    wrong[1].id.sequence += 8; /* the same chain */
    wrong[2].id.incarnation += 1;
    wrong[3].key.high += 1;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &wrong[i]),
                         WEIR_ERR_UNEXPECTED);
        desk_none_settled(&desk);
    }
    desk_hear(&desk, &answer);
    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
}

static void sequence_numbers_pass_over_zero(void **state)
{
    (void)state;
    struct desk desk = log_desk();

    desk.limiter->sequence = UINT32_MAX - 1;
    desk_wait(&desk, 1, 1);
    desk_wait(&desk, 1, 1);
    assert_int_equal(desk_direct_ask(&desk).id.sequence, UINT32_MAX);
    assert_int_equal(desk_direct_ask(&desk).id.sequence, 1);
}

static void what_is_admitted_is_reported_with_its_window(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    desk_admit(&desk, 1, 3);
    desk_admit(&desk, 1, 4);
    desk_no_report(&desk);

    desk.now_ns = weir_limiter_next_deadline_ns(desk.limiter);
    weir_limiter_expire(desk.limiter, desk.now_ns);

    assert_true(desk.now_ns >= DESK_START_NS + 60 * NS_PER_S - DESK_ROUND_TRIP_NS);
    const struct weir_report report = desk_report(&desk);
    assert_int_equal(report.key.low, 1);
    assert_int_equal(report.window_index, START_US / MINUTE_US);
    assert_int_equal(report.spent_units, 7);
    assert_int_equal(report.life, 1);
    assert_int_equal(report.sequence, 1);
    assert_true(report.sealed);
    desk_no_report(&desk);
    assert_int_equal(weir_limiter_next_deadline_ns(desk.limiter), UINT64_MAX);
    desk_no_ask(&desk);
}

static void a_refusal_says_when_to_come_back(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const uint64_t retry_us = START_US + 5 * SECOND_US;

    desk_hear(&desk, &(struct weir_answer){.key = ask.key,
                                           .id = ask.id,
                                           .retry_us = retry_us,
                                           .store_us = desk_store_us(&desk)});

    const struct weir_decision decision = desk_settled(&desk, ticket);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_OVER_LIMIT);
    const uint64_t reached_ns =
        clock_surely_reached_ns(&desk.limiter->clock, desk.now_ns, retry_us);
    assert_int_equal(decision.retry_after_ns, clock_wait_ns(desk.now_ns, reached_ns));
    assert_in_range(decision.retry_after_ns, 5 * NS_PER_S, 5 * NS_PER_S + 3 * NS_PER_MS);
    assert_int_equal(desk.limiter->hot[0].spent_units, 0);
    desk_no_ask(&desk);
}

static void a_refusal_may_last_a_nanosecond_or_for_ever(void **state)
{
    (void)state;
    static const uint64_t CASES[][2] = {
        {0, 1}, {1, 1}, {START_US - SECOND_US, 1}, {UINT64_MAX, WEIR_RETRY_NEVER}};

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct desk desk = log_desk();
        const uint64_t ticket = desk_wait(&desk, 1, 3);
        const struct weir_ask ask = desk_direct_ask(&desk);
        const struct weir_answer answer = desk_refusal(&desk, &ask, CASES[i][0]);
        desk_hear(&desk, &answer);
        assert_int_equal(desk_settled(&desk, ticket).retry_after_ns, CASES[i][1]);
    }
}

/* Refused: `cost`, until the store's clock has reached START_US + after_us. */
static void refuse(struct desk *desk, uint32_t cost, uint64_t after_us, unsigned flags)
{
    const uint64_t ticket = desk_wait(desk, 1, cost);
    const struct weir_ask ask = desk_direct_ask(desk);
    struct weir_answer answer = desk_refusal(desk, &ask, START_US + after_us);

    answer.flags = flags;
    desk_hear(desk, &answer);
    assert_int_equal(desk_settled(desk, ticket).verdict, WEIR_VERDICT_DENIED);
}

static void what_was_refused_is_refused_here_until_it_could_be_granted(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    refuse(&desk, 5, 5 * SECOND_US, WEIR_ANSWER_PARKED);

    struct weir_decision decision = desk_decide(&desk, 1, 5);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_OVER_LIMIT);
    const uint64_t until_ns = desk.now_ns + decision.retry_after_ns;
    desk_no_ask(&desk);
    desk_wait(&desk, 1, 50); /* more: when there will be as many, only the store knows */
    assert_int_equal(desk_direct_ask(&desk).need_units, 50);
    desk_wait(&desk, 1, 4); /* fewer: the store may have them */
    assert_int_equal(desk_direct_ask(&desk).need_units, 4);
    desk_wait(&desk, 2, 5); /* another key */
    assert_int_equal(desk_direct_ask(&desk).need_units, 5);
    desk.now_ns = until_ns - 3 * NS_PER_MS; /* a client's clock may be 1 ms faster by then */
    assert_in_range(desk_decide(&desk, 1, 5).retry_after_ns, NS_PER_MS, 3 * NS_PER_MS);
    desk.now_ns = until_ns;
    desk_wait(&desk, 1, 5);
    assert_int_equal(desk_direct_ask(&desk).need_units, 5);
}

static void of_two_refusals_the_one_of_the_smaller_cost_is_remembered(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t first = desk_wait(&desk, 1, 5);
    const uint64_t second = desk_wait(&desk, 1, 2);
    const uint64_t third = desk_wait(&desk, 1, 7);
    const struct weir_ask asks[] = {desk_ask(&desk), desk_ask(&desk), desk_ask(&desk)};
    static const uint64_t AFTER_US[] = {5 * SECOND_US, 2 * SECOND_US, 7 * SECOND_US};

    for (unsigned i = 0; i < 3; i++) {
        const struct weir_answer answer = desk_refusal(&desk, &asks[i], START_US + AFTER_US[i]);
        desk_hear(&desk, &answer);
    }
    desk_settled(&desk, first);
    desk_settled(&desk, second);
    desk_settled(&desk, third);
    assert_int_equal(desk_decide(&desk, 1, 2).verdict, WEIR_VERDICT_DENIED);
    desk_wait(&desk, 1, 1);
    desk.now_ns += 2 * NS_PER_S + NS_PER_MS;
    desk_wait(&desk, 1, 7); /* the memory is over, whatever the others said */
}

/* Permits of a window may come back from processes that hold leases of it. */
static void a_window_with_permits_elsewhere_is_asked_again(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(100, 3 * MS_US); /* leases would be over too soon */
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->clock.round_trip_ns = NS_PER_MS;

    refuse(&desk, 5, 2 * MS_US, WEIR_ANSWER_PARKED);
    refuse(&desk, 5, 2 * MS_US, 0);
    assert_int_equal(desk_decide(&desk, 1, 5).verdict, WEIR_VERDICT_DENIED);
    desk_no_ask(&desk);
}

/* B58. */
static void b58_a_new_plan_forgets_a_refusal(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    struct weir_plan plan = log_plan(200, MINUTE_US);
    refuse(&desk, 5, 5 * SECOND_US, 0);

    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(desk.limiter, 0, &plan), WEIR_OK);
    desk_wait(&desk, 1, 5);
    assert_int_equal(desk_direct_ask(&desk).plan.limit_units, 200);
}

/* B01. */
static void b01_what_can_never_be_admitted_is_not_asked_for(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const struct weir_decision decision = desk_decide(&desk, 1, 101);

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    assert_int_equal(decision.retry_after_ns, WEIR_RETRY_NEVER);
    desk_no_ask(&desk);
}

static void a_client_is_told_what_the_newest_answer_said(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    struct weir_quota quota;
    const struct weir_key key = desk_key(1);
    desk_wait(&desk, 1, 1);
    desk_wait(&desk, 1, 1);
    const struct weir_ask asks[] = {desk_ask(&desk), desk_ask(&desk)};
    struct weir_answer older = desk_grant(&desk, &asks[0]);
    struct weir_answer newer = desk_grant(&desk, &asks[1]);

    older.remaining_units = 41;
    newer.remaining_units = 40;
    newer.store_us++;
    desk_hear(&desk, &newer);
    desk_hear(&desk, &older); /* overtaken */
    assert_true(weir_limiter_quota(desk.limiter, desk.now_ns, &key, 0, &quota));
    assert_int_equal(quota.remaining_units, 40);
    assert_int_equal(quota.limit_units, 100);
}

static void every_request_needs_a_place_of_its_own(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    struct weir_decision decision;
    const uint64_t ticket = desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_direct_ask(&desk);
    for (unsigned i = 0; i < 4; i++) {
        desk_wait(&desk, 1, 1);
        desk_direct_ask(&desk);
    }
    const uint32_t demand_units = desk.limiter->hot[0].demand_units;

    decision = desk_decide(&desk, 1, 1);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    assert_int_equal(decision.ticket, 0);
    assert_int_equal(desk.limiter->hot[0].demand_units, demand_units + 1);
    desk_no_ask(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);
    desk_hear(&desk, &answer);
    assert_int_equal(desk_decide(&desk, 1, 1).mode, WEIR_MODE_DEGRADED); /* not fetched */
    desk_settled(&desk, ticket);
    assert_int_equal(desk_wait(&desk, 1, 1), 6);
}

static void a_process_that_ends_waits_for_its_answers(void **state)
{
    (void)state;
    struct desk desk = log_desk();
    const uint64_t ticket = desk_wait(&desk, 1, 6);
    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_BUSY);
    const struct weir_ask ask = desk_direct_ask(&desk);
    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_BUSY);

    const struct weir_answer answer = desk_grant(&desk, &ask);
    desk_hear(&desk, &answer);

    assert_int_equal(desk_settled(&desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_DONE);
    assert_int_equal(desk_report(&desk).spent_units, 6); /* the key had left: a life of its own */
    desk_no_report(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_asks_for_exactly_its_cost),
        cmocka_unit_test(one_ask_at_a_time_tells_the_demand),
        cmocka_unit_test(demand_that_was_refused_is_told_again),
        cmocka_unit_test(flight_spans_two_round_trips_or_is_not_counted),
        cmocka_unit_test(the_first_answer_tells_the_stores_time),
        cmocka_unit_test(answers_find_their_requests_in_any_order),
        cmocka_unit_test(one_that_waits_long_is_not_taken_for_another),
        cmocka_unit_test(an_answer_to_nobody_is_ignored),
        cmocka_unit_test(sequence_numbers_pass_over_zero),
        cmocka_unit_test(what_is_admitted_is_reported_with_its_window),
        cmocka_unit_test(a_refusal_says_when_to_come_back),
        cmocka_unit_test(a_refusal_may_last_a_nanosecond_or_for_ever),
        cmocka_unit_test(what_was_refused_is_refused_here_until_it_could_be_granted),
        cmocka_unit_test(of_two_refusals_the_one_of_the_smaller_cost_is_remembered),
        cmocka_unit_test(a_window_with_permits_elsewhere_is_asked_again),
        cmocka_unit_test(b58_a_new_plan_forgets_a_refusal),
        cmocka_unit_test(b01_what_can_never_be_admitted_is_not_asked_for),
        cmocka_unit_test(a_client_is_told_what_the_newest_answer_said),
        cmocka_unit_test(every_request_needs_a_place_of_its_own),
        cmocka_unit_test(a_process_that_ends_waits_for_its_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
