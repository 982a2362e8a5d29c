/* Reports and last words: two rings, in order, with room reserved before anything is changed. */
#include "small_limiter.h"

#include "store_key.h"

static struct weir_limiter *limiter_with_key(void)
{
    const struct weir_plan plan = bucket_plan(10, 100);
    struct weir_limiter *limiter = small_limiter(&plan);

    assert_int_equal(small_slot(limiter, 5), 0);
    return limiter;
}

static void an_empty_outbox_has_nothing(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    struct weir_report report;
    struct weir_ask ask;

    assert_true(outbox_has_room(limiter));
    assert_false(weir_limiter_next_report(limiter, &report));
    assert_false(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
}

static void d35_a_report_says_what_was_spent_where(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    struct weir_report report;
    limiter->hot[0].spent_units = 12;
    limiter->cold[0].window_index = 34;

    outbox_report(limiter, 0, false);
    limiter->hot[0].spent_units = 56;
    outbox_report(limiter, 0, true);

    assert_true(weir_limiter_next_report(limiter, &report));
    assert_int_equal(report.key.low, 5);
    assert_int_equal(report.window_index, 34);
    assert_int_equal(report.incarnation, 8);
    assert_int_equal(report.process, 7);
    assert_int_equal(report.life, 1);
    assert_int_equal(report.sequence, 1);
    assert_int_equal(report.spent_units, 12);
    assert_false(report.sealed);
    assert_true(weir_limiter_next_report(limiter, &report)); /* D35: supersedes by its sequence */
    assert_int_equal(report.sequence, 2);
    assert_int_equal(report.spent_units, 56);
    assert_true(report.sealed);
    assert_false(weir_limiter_next_report(limiter, &report));
}

static void what_a_dead_process_had_not_reported_is_read_from_its_memory(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    struct weir_report report;
    uint32_t cursor = 0;
    assert_false(weir_limiter_next_unreported(limiter, &cursor, &report));
    assert_int_equal(small_slot(limiter, 6), 1); /* spent nothing */
    assert_int_equal(small_slot(limiter, 9), 2);
    limiter->hot[0].spent_units = 12;
    limiter->cold[0].window_index = 34;
    limiter->cold[0].report_sequence = 2;
    limiter->hot[2].spent_units = 7;

    for (int again = 0; again < 2; again++) { /* nothing is changed by looking */
        cursor = 0;
        assert_true(weir_limiter_next_unreported(limiter, &cursor, &report));
        assert_int_equal(report.key.low, 5);
        assert_int_equal(report.window_index, 34);
        assert_int_equal(report.incarnation, 8);
        assert_int_equal(report.sequence, 3);
        assert_int_equal(report.spent_units, 12);
        assert_true(report.sealed);
        assert_true(weir_limiter_next_unreported(limiter, &cursor, &report));
        assert_int_equal(report.key.low, 9);
        assert_int_equal(report.spent_units, 7);
        assert_false(weir_limiter_next_unreported(limiter, &cursor, &report));
    }
    assert_false(weir_limiter_next_report(limiter, &report));
}

static void owed_is_what_was_given_up_and_not_told_yet(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    const struct weir_key unknown = {.low = 99};
    limiter->hot[0].held_units = 1000;
    limiter->cold[0].returned_units = 30;
    limiter->cold[0].unused_units = 4;

    assert_int_equal(weir_limiter_owed_units(limiter, &limiter->hot[0].key), 34);
    assert_int_equal(weir_limiter_owed_units(limiter, &unknown), 0);
}

/* Nothing was spent: a window in which something was denied without the store is reported all the
 * same. */
static void a_window_of_denials_without_the_store_is_reported(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    struct weir_report report;
    uint32_t cursor = 0;
    limiter->hot[0].spent_units = 0;
    limiter->plans[0].degraded = WEIR_DEGRADED_CLOSED;

    assert_false(outbox_has_to_report(limiter, 0));
    const struct weir_decision decision = degraded_decide(limiter, 0, SMALL_START_NS, 1);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);

    assert_false(outbox_has_to_report(limiter, 0)); /* of which window is not known yet */
    limiter->cold[0].window_us = MINUTE_US;
    assert_true(outbox_has_to_report(limiter, 0));
    assert_true(weir_limiter_next_unreported(limiter, &cursor, &report));
    assert_int_equal(report.spent_units, 0);
    assert_int_equal(report.degraded_units, 0);
    assert_true(report.degraded);
    degraded_window_ends(limiter, 0);
    assert_false(outbox_has_to_report(limiter, 0));
}

static void reports_come_out_in_order_however_often_the_ring_turns(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    struct weir_report report;
    uint64_t written = 0;
    uint64_t read = 0;

    for (unsigned turn = 0; turn < 50; turn++) {
        for (unsigned i = 0; i < 1 + turn % REPORT_OUTBOX; i++) {
            limiter->hot[0].spent_units = ++written;
            outbox_report(limiter, 0, false);
        }
        while (weir_limiter_next_report(limiter, &report)) {
            assert_int_equal(report.spent_units, ++read);
        }
    }
    assert_int_equal(read, written);
}

static void room_is_kept_for_what_one_call_may_need(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    for (unsigned i = 0; i < REPORT_OUTBOX - OUTBOX_RESERVE; i++) {
        assert_true(outbox_has_room(limiter));
        outbox_report(limiter, 0, false);
    }

    assert_true(outbox_has_room(limiter));
    outbox_report(limiter, 0, false);
    assert_false(outbox_has_room(limiter));
    for (unsigned i = 1; i < OUTBOX_RESERVE; i++) {
        outbox_report(limiter, 0, false);
    }
    expect_assert_failure(outbox_report(limiter, 0, false));
}

static void last_words_give_everything_back_as_flights_of_nobody(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    struct weir_ask ask;
    for (unsigned i = 0; i < SMALL_ASKS; i++) {
        assert_true(flight_has_room(limiter));
        limiter->hot[0].held_units = i + 1;
        limiter->cold[0].leased_units = i + 3;
        outbox_last_words(limiter, 0, SMALL_START_NS);
    }
    assert_false(flight_has_room(limiter));
    expect_assert_failure(outbox_last_words(limiter, 0, SMALL_START_NS));

    for (unsigned i = 0; i < SMALL_ASKS; i++) {
        assert_true(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
        assert_int_equal(ask.flags, WEIR_ASK_RETURN);
        assert_int_equal(ask.returned_units, i + 1);
        assert_int_equal(ask.spent_units, 2);
        assert_int_equal(ask.held_units, 0);
        assert_int_equal(ask.id.sequence, i + 1);
    }
    assert_false(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
    assert_false(flight_has_room(limiter)); /* until they are answered */
}

static void units_without_a_slot_have_lives_of_their_own(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    const struct weir_key key = small_key(6);
    struct weir_report report;
    small_clock(limiter, 0);

    for (uint32_t i = 0; i < 2; i++) {
        const struct weir_plan plan = bucket_plan(1, 1);
        outbox_report_once(limiter, &key, &plan, SMALL_START_NS, 12 + i, i == 1);
        assert_true(weir_limiter_next_report(limiter, &report));
        assert_int_equal(report.key.low, 6);
        assert_int_equal(report.window_index, period_of(&key, START_US, MINUTE_US));
        assert_int_equal(report.window_us, MINUTE_US);
        assert_int_equal(report.incarnation, 8);
        assert_int_equal(report.process, 7);
        assert_int_equal(report.life, 2 + i);
        assert_int_equal(report.sequence, 1);
        assert_int_equal(report.spent_units, 12 + i);
        assert_int_equal(report.degraded_units, i == 1 ? 13 : 0);
        assert_int_equal(report.degraded, i == 1);
        assert_false(report.sealed);
    }
}

static void a_refusal_is_reported_once_in_a_window(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    const struct weir_key key = small_key(6);
    const struct weir_plan plan = bucket_plan(1, 1);
    struct weir_report first;
    struct weir_report next;
    small_clock(limiter, 0);

    outbox_report_refused(limiter, &key, &plan, SMALL_START_NS);
    outbox_report_refused(limiter, &key, &plan, SMALL_START_NS);
    outbox_report_refused(limiter, &key, &plan, SMALL_START_NS + MINUTE_US * NS_PER_US);
    assert_true(weir_limiter_next_report(limiter, &first));
    assert_true(weir_limiter_next_report(limiter, &next));
    assert_int_equal(next.window_index, first.window_index + 1);
    assert_int_equal(next.life, first.life + 1);
    assert_true(first.degraded && next.degraded);
    assert_false(weir_limiter_next_report(limiter, &next));
}

static void an_ask_that_nobody_waits_for_goes_out_first(void **state)
{
    (void)state;
    struct weir_limiter *limiter = limiter_with_key();
    const struct weir_ask last = {.key = small_key(6), .id = {.sequence = 9}, .unused_units = 77};
    struct weir_ask ask;

    asking_queue(limiter, 0, 0);
    flight_queue(limiter, &last, SMALL_START_NS);
    assert_true(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
    assert_memory_equal(&ask, &last, sizeof last);
    assert_true(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
    assert_int_equal(ask.key.low, 5);
    assert_false(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_outbox_has_nothing),
        cmocka_unit_test(d35_a_report_says_what_was_spent_where),
        cmocka_unit_test(what_a_dead_process_had_not_reported_is_read_from_its_memory),
        cmocka_unit_test(owed_is_what_was_given_up_and_not_told_yet),
        cmocka_unit_test(a_window_of_denials_without_the_store_is_reported),
        cmocka_unit_test(reports_come_out_in_order_however_often_the_ring_turns),
        cmocka_unit_test(room_is_kept_for_what_one_call_may_need),
        cmocka_unit_test(last_words_give_everything_back_as_flights_of_nobody),
        cmocka_unit_test(units_without_a_slot_have_lives_of_their_own),
        cmocka_unit_test(a_refusal_is_reported_once_in_a_window),
        cmocka_unit_test(an_ask_that_nobody_waits_for_goes_out_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
