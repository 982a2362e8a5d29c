/* Asks that are not answered: given up, repeated to the byte, expired, refused; the requests that
 * wait for them; and a host's clock that steps. One limiter, and a clock moved by hand. */
#include "flight_desk.h"
#include "owed.h"

static void b38_a_request_waits_so_long_and_is_decided_without_the_store(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    const uint64_t start_ns = desk.now_ns;
    const uint64_t first = desk_wait(&desk, 1, 1);
    desk_ask(&desk);
    desk.now_ns += 1;
    const uint64_t second = desk_wait(&desk, 1, 1);

    assert_int_equal(weir_limiter_next_deadline_ns(desk.limiter), start_ns + WAIT_NS);
    next_deadline(&desk);
    assert_int_equal(desk_settled(&desk, first).mode, WEIR_MODE_DEGRADED);
    desk_none_settled(&desk);
    next_deadline(&desk);
    assert_int_equal(desk.now_ns, start_ns + WAIT_NS + 1);
    assert_int_equal(desk_settled(&desk, second).mode, WEIR_MODE_DEGRADED);
    assert_int_equal(counts_of(&desk).asks_failed, 0); /* the ask has still time */
}

static void an_ask_is_repeated_to_the_byte_ever_more_rarely_until_it_expires(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    struct weir_ask again;
    uint64_t sent_ns = desk.now_ns;
    const uint64_t end_ns =
        clock_surely_reached_ns(&desk.limiter->clock, desk.now_ns, ask.expires_us);
    unsigned repeat_count = 0;

    assert_int_equal(ask.expires_us,
                     clock_late_ns(&desk.limiter->clock, desk.now_ns) / NS_PER_US + WEIR_RECORD_US);
    while (desk.limiter->flight_count != 0) {
        next_deadline(&desk);
        if (!weir_limiter_next_ask(desk.limiter, desk.now_ns, &again)) {
            continue;
        }
        uint64_t backoff_ns = TIMEOUT_NS << repeat_count;
        backoff_ns = backoff_ns < NS_PER_S ? backoff_ns : NS_PER_S;
        assert_memory_equal(&again, &ask, sizeof ask);
        assert_in_range(desk.now_ns - sent_ns, TIMEOUT_NS + backoff_ns / 2,
                        TIMEOUT_NS + backoff_ns);
        assert_true(desk.now_ns < end_ns);
        sent_ns = desk.now_ns;
        repeat_count++;
    }
    assert_in_range(repeat_count, 6, 8); /* 5, 10 ... 320 ms, each at least half */
    assert_true(desk.now_ns >= end_ns);
    assert_true(desk.now_ns < end_ns + NS_PER_MS + 4 * DESK_ROUND_TRIP_NS);
    assert_int_equal(counts_of(&desk).asks_repeated, repeat_count);
    assert_int_equal(counts_of(&desk).asks_failed, repeat_count + 1);
    assert_int_equal(counts_of(&desk).asks_expired, 1);
    const struct weir_answer late = lease_of(&desk, &ask);
    assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &late), WEIR_ERR_UNEXPECTED);
    desk_wait(&desk, 1, 1); /* it asks anew */
    assert_int_not_equal(desk_ask(&desk).id.sequence, ask.id.sequence);
}

static void a_late_answer_is_still_good_and_says_what_was_seen(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &ask);
    pass(&desk, 300 * NS_PER_MS);
    while (weir_limiter_next_ask(desk.limiter, desk.now_ns, &(struct weir_ask){0})) {
    }

    desk_hear(&desk, &answer);

    assert_int_equal(weir_limiter_held_units(desk.limiter, &ask.key), 9);
    assert_int_equal(desk.limiter->flight_count, 0);
    assert_int_equal(desk_decide(&desk, 1, 9).verdict, WEIR_VERDICT_ADMITTED);
    desk_wait(&desk, 1, 1);
    const struct weir_ask next = desk_ask(&desk);
    assert_int_equal(next.spent_units, 9);
    assert_int_equal(next.unused_units, 1); /* who waited for it is gone */
    assert_int_equal(next.version_seen, answer.version);
    assert_int_equal(next.run_seen, 77);
    assert_int_equal(next.seen_us, answer.store_us);
    assert_int_equal(next.remaining_seen_units, 50);
    assert_int_equal(next.outstanding_seen_units, 9);
    assert_int_equal(next.previous_seen_units, 4);
}

static void b37_d06_what_a_refused_ask_reported_is_reported_again_after_a_while(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 3);
    struct weir_ask ask = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &ask);
    desk_hear(&desk, &answer);
    assert_int_equal(desk_decide(&desk, 1, 6).verdict, WEIR_VERDICT_ADMITTED);
    pass(&desk, NS_PER_MS);
    desk_wait(&desk, 1, 5);
    ask = desk_ask(&desk);
    const uint32_t spent = ask.spent_units;
    assert_true(spent >= 6);

    assert_int_equal(
        weir_limiter_ask_failed(desk.limiter, desk.now_ns, &ask.key, &ask.id, WEIR_FAILURE_REFUSED),
        WEIR_OK);
    weir_limiter_expire(desk.limiter, desk.now_ns);
    desk_no_ask(&desk); /* not at once */
    assert_int_equal(
        weir_limiter_ask_failed(desk.limiter, desk.now_ns, &ask.key, &ask.id, WEIR_FAILURE_REFUSED),
        WEIR_ERR_UNEXPECTED);
    desk.limiter->options.wait_max_ns = NS_PER_S;
    desk_wait(&desk, 1, 5);
    pass(&desk, TIMEOUT_NS);
    const struct weir_ask again = desk_ask(&desk);
    assert_int_not_equal(again.id.sequence, ask.id.sequence);
    assert_int_equal(again.spent_units, spent);
    assert_int_equal(again.lease_end_us, ask.lease_end_us);
    assert_int_equal(counts_of(&desk).asks_failed, 1);
}

static void an_ask_that_came_too_late_for_the_store_is_written_off_at_once(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    struct weir_answer answer = desk_refusal(&desk, &ask, 0);
    answer.flags = WEIR_ANSWER_EXPIRED;

    desk_hear(&desk, &answer);

    assert_int_equal(counts_of(&desk).asks_expired, 1);
    assert_int_not_equal(desk_ask(&desk).id.sequence, ask.id.sequence); /* who waits asks anew */
}

/* D13: it slept for ten seconds. What waited is decided, what was on its way has expired. */
static void d13_a_process_that_slept_owes_nothing_and_trusts_nothing(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    struct weir_ask ask = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &ask);
    desk_hear(&desk, &answer);
    struct weir_settled settled;
    assert_true(weir_limiter_next_settled(desk.limiter, &settled));
    assert_int_equal(weir_limiter_held_units(desk.limiter, &ask.key), 9);
    const uint64_t ticket = desk_wait(&desk, 2, 1);
    ask = desk_ask(&desk);

    desk.now_ns += 10 * NS_PER_S;
    weir_limiter_expire(desk.limiter, desk.now_ns);

    assert_int_equal(desk_settled(&desk, ticket).mode, WEIR_MODE_DEGRADED);
    assert_int_equal(counts_of(&desk).asks_expired, 1);
    assert_int_equal(desk.limiter->flight_count, 0);
    const struct weir_answer late = lease_of(&desk, &ask);
    assert_int_equal(weir_limiter_answer(desk.limiter, desk.now_ns, &late), WEIR_ERR_UNEXPECTED);
    desk_wait(&desk, 1, 1); /* the lease of key 1 is over */
}

/* B16: two days back. Deadlines go on as if nothing had happened, in the host's new time. */
static void b16_a_clock_set_back_changes_no_decision(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    const uint64_t two_days_ns = UINT64_C(172800) * NS_PER_S;
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &ask);
    desk.now_ns += DESK_ROUND_TRIP_NS;
    desk_hear(&desk, &answer);
    struct weir_settled settled;
    assert_true(weir_limiter_next_settled(desk.limiter, &settled));

    /* a host's clock may wrap below its first reading */
    desk.now_ns -= two_days_ns;
    assert_int_equal(desk_decide(&desk, 1, 9).verdict, WEIR_VERDICT_ADMITTED);
    desk_wait(&desk, 1, 1);
    assert_int_equal(weir_limiter_next_deadline_ns(desk.limiter), desk.now_ns + WAIT_NS);
    assert_int_equal(counts_of(&desk).clock_steps, 1);
    desk.now_ns += 1;
    desk_wait(&desk, 1, 1);
    assert_int_equal(counts_of(&desk).clock_steps, 1);
}

/* A clock that stepped while an ask was on its way says nothing about the way. */
static void an_answer_across_a_step_teaches_no_time(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    const int64_t offset_ns = desk.limiter->clock.offset_ns;
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    struct weir_answer answer = lease_of(&desk, &ask);
    answer.store_us += 100;

    desk.now_ns -= NS_PER_S; /* a round trip of 1 ns, as it seems */
    desk_hear(&desk, &answer);

    assert_int_equal(desk.limiter->clock.offset_ns, offset_ns);
    assert_int_equal(counts_of(&desk).clock_steps, 1);
}

/* While the pool is full what wants to ask stays in its queue, and repeats go on. */
static void no_more_asks_are_in_flight_than_there_is_room_for(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk.limiter->options.ask_capacity = 2;
    desk_wait(&desk, 1, 1);
    desk_wait(&desk, 2, 1);
    desk_wait(&desk, 3, 1);
    const struct weir_ask first = desk_ask(&desk);
    desk_ask(&desk);
    desk_no_ask(&desk);

    pass(&desk, 2 * TIMEOUT_NS);
    desk_ask(&desk);
    desk_ask(&desk);
    desk_no_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &first);
    desk_hear(&desk, &answer);
    assert_int_equal(desk_ask(&desk).key.low, 3);
}

static void shutdown_is_done_when_all_is_answered_or_expired(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &ask);
    desk_hear(&desk, &answer);

    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_BUSY);
    const struct weir_ask last = desk_ask(&desk);
    assert_int_equal(last.flags, WEIR_ASK_RETURN);
    assert_int_equal(last.returned_units, 9);
    pass(&desk, 2 * TIMEOUT_NS);
    const struct weir_ask again = desk_ask(&desk); /* last words are repeated like others */
    assert_memory_equal(&again, &last, sizeof last);
    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_BUSY);
    pass(&desk, 2 * NS_PER_S);
    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_DONE);
    assert_int_equal(counts_of(&desk).asks_expired, 1);
    assert_int_equal(weir_limiter_next_deadline_ns(desk.limiter), UINT64_MAX);
}

/* A request that the store alone decides, denied meanwhile: what is granted late goes back. */
static void a_grant_to_one_that_was_denied_meanwhile_is_given_back(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(100, MINUTE_US);
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->options.wait_max_ns = WAIT_NS;
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);

    next_deadline(&desk);
    assert_int_equal(desk.now_ns, DESK_START_NS + WAIT_NS);
    const struct weir_decision decision = desk_settled(&desk, ticket);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    desk_hear(&desk, &answer);

    const struct weir_ask unused = desk_ask(&desk);
    assert_int_equal(unused.flags, WEIR_ASK_RETURN);
    assert_int_equal(unused.unused_units, 3);
    desk_none_settled(&desk);
    assert_int_equal(desk.limiter->direct_count, 0);
}

/* What it was to give back stays with the store until it counts as unspent no longer. */
static void what_a_refused_ask_of_a_decided_request_gives_back_is_counted(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(100, MINUTE_US);
    struct desk desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk.limiter->options.wait_max_ns = WAIT_NS;
    const uint64_t ticket = desk_wait(&desk, 1, 3);
    desk.limiter->directs[0].unused_units = 2;
    const struct weir_ask ask = desk_direct_ask(&desk);

    next_deadline(&desk);
    (void)desk_settled(&desk, ticket);
    assert_int_equal(
        weir_limiter_ask_failed(desk.limiter, desk.now_ns, &ask.key, &ask.id, WEIR_FAILURE_REFUSED),
        WEIR_OK);

    assert_int_equal(counts_of(&desk).unsent_units, 2);
}

/* One that was admitted without the store: the grant pays for it, if its key is still at hand. */
static struct weir_ask admit_alone(struct desk *desk)
{
    const struct weir_plan plan = log_plan(100, MINUTE_US);
    struct weir_plan open = plan;
    open.degraded = WEIR_DEGRADED_OPEN;
    open.version = 2;

    *desk = desk_open(&plan, 4, WEIR_FULL_TABLE_EVICT);
    desk->limiter->options.wait_max_ns = WAIT_NS;
    assert_int_equal(weir_limiter_set_plan(desk->limiter, 0, &open), WEIR_OK);
    const uint64_t ticket = desk_wait(desk, 1, 3);
    const struct weir_ask ask = desk_direct_ask(desk);
    next_deadline(desk);
    assert_int_equal(desk_settled(desk, ticket).verdict, WEIR_VERDICT_ADMITTED);
    return ask;
}

static void a_grant_to_one_that_was_admitted_meanwhile_pays_for_it(void **state)
{
    (void)state;
    struct desk desk;
    const struct weir_ask ask = admit_alone(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);

    desk_hear(&desk, &answer);

    assert_int_equal(counts_of(&desk).degraded_units, 3);
    assert_int_equal(counts_of(&desk).covered_units, 3);
    assert_false(owed_any(desk.limiter, 0));
}

/* The key was evicted, and its last words charged for the request. */
static void a_grant_for_a_key_that_is_gone_is_given_back(void **state)
{
    (void)state;
    struct desk desk;
    const struct weir_ask ask = admit_alone(&desk);
    const struct weir_answer answer = desk_grant(&desk, &ask);

    outbox_last_words(desk.limiter, 0, desk.now_ns);
    table_remove(desk.limiter, 0);
    desk_hear(&desk, &answer);

    assert_int_equal(desk_ask(&desk).charge_units, 3);
    assert_int_equal(desk_ask(&desk).unused_units, 3);
    assert_int_equal(counts_of(&desk).covered_units, 0);
}

static void what_could_not_be_sent_is_owed_until_it_expires_and_then_counted(void **state)
{
    (void)state;
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    const struct weir_ask ask = desk_ask(&desk);
    const struct weir_answer answer = lease_of(&desk, &ask);
    desk_hear(&desk, &answer);

    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_BUSY);
    assert_int_equal(weir_limiter_held_units(desk.limiter, &ask.key), 0);
    assert_int_equal(weir_limiter_owed_units(desk.limiter, &ask.key), 9);
    pass(&desk, 2 * NS_PER_S);

    assert_int_equal(weir_limiter_owed_units(desk.limiter, &ask.key), 0);
    assert_int_equal(counts_of(&desk).asks_expired, 1);
    assert_int_equal(counts_of(&desk).unsent_units, 9);
    assert_int_equal(weir_limiter_shutdown(desk.limiter, desk.now_ns), WEIR_SHUTDOWN_DONE);
}

static void a_copy_of_a_process_starts_with_plans_and_nothing_else(void **state)
{
    (void)state;
    static _Alignas(64) unsigned char memory[1 << 17];
    struct desk desk = plain_desk();
    desk_wait(&desk, 1, 1);
    desk_ask(&desk);
    memcpy(memory, desk.limiter, weir_limiter_size(&desk.limiter->options));
    struct desk child = {.limiter = weir_limiter_relocate(memory), .now_ns = desk.now_ns};

    assert_ptr_equal(child.limiter, memory);
    weir_limiter_reincarnate(child.limiter, child.now_ns, 70, 80);
    assert_int_equal(weir_limiter_next_deadline_ns(child.limiter), UINT64_MAX);
    desk_no_ask(&child);
    desk_wait(&child, 1, 1);
    const struct weir_ask ask = desk_ask(&child);
    assert_int_equal(ask.id.process, 70);
    assert_int_equal(ask.id.incarnation, 80);
    assert_int_equal(ask.id.sequence, 1);
    assert_int_equal(ask.expires_us, 0); /* the store's time is not known */
    assert_int_equal(desk.limiter->flight_count, 1);
    weir_limiter_set_process_count(child.limiter, 0);
    assert_int_equal(child.limiter->options.process_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b38_a_request_waits_so_long_and_is_decided_without_the_store),
        cmocka_unit_test(an_ask_is_repeated_to_the_byte_ever_more_rarely_until_it_expires),
        cmocka_unit_test(a_late_answer_is_still_good_and_says_what_was_seen),
        cmocka_unit_test(b37_d06_what_a_refused_ask_reported_is_reported_again_after_a_while),
        cmocka_unit_test(an_ask_that_came_too_late_for_the_store_is_written_off_at_once),
        cmocka_unit_test(d13_a_process_that_slept_owes_nothing_and_trusts_nothing),
        cmocka_unit_test(b16_a_clock_set_back_changes_no_decision),
        cmocka_unit_test(an_answer_across_a_step_teaches_no_time),
        cmocka_unit_test(no_more_asks_are_in_flight_than_there_is_room_for),
        cmocka_unit_test(shutdown_is_done_when_all_is_answered_or_expired),
        cmocka_unit_test(a_grant_to_one_that_was_denied_meanwhile_is_given_back),
        cmocka_unit_test(what_a_refused_ask_of_a_decided_request_gives_back_is_counted),
        cmocka_unit_test(a_grant_to_one_that_was_admitted_meanwhile_pays_for_it),
        cmocka_unit_test(a_grant_for_a_key_that_is_gone_is_given_back),
        cmocka_unit_test(what_could_not_be_sent_is_owed_until_it_expires_and_then_counted),
        cmocka_unit_test(a_copy_of_a_process_starts_with_plans_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
