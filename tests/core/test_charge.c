/* What was spent without the store is charged as of when it was, and grants wait for it. */
#include "unit.h"

#include "one_desk.h"

/* Two processes are active; the key has `left` units at START_US. */
static void two_know(const struct weir_plan *plan, uint64_t left)
{
    weir_store_key_init(&desk.store, &PLAIN_KEY, plan, START_US, left);
    for (uint32_t process = 0; process < 2; process++) {
        (void)desk_take(&desk, plan, process, 0, START_US);
    }
}

/* tokens(t0) - units + rate x (now - t0), never above the capacity as of t0: 60 - 250 + 300. */
static void a_charge_is_applied_as_of_when_it_was_spent(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const uint64_t end_us = START_US + 30 * SECOND_US;
    two_know(&plan, 60);

    (void)desk_charge(&desk, &plan, 0, 250, START_US, end_us, end_us);

    /* the bucket was full after 4 s: 260 units found no room */
    assert_int_equal(weir_store_key_remaining(&desk.store), 100);
    (void)desk_charge(&desk, &plan, 1, 50, START_US, end_us, end_us);
    assert_int_equal(weir_store_key_remaining(&desk.store), 60);
}

static void a_charge_of_now_takes_nothing_that_spilled_before(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    two_know(&plan, 100);

    (void)desk_charge(&desk, &plan, 0, 30, 0, 0, START_US + 30 * SECOND_US);

    assert_int_equal(weir_store_key_remaining(&desk.store), 70);
    assert_int_equal(desk.store.grace_until_us, 0);
}

/* 2 s before now the bucket was full, and has been since: 20 units found no room. */
static void a_charge_takes_what_spilled_since_and_no_more(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const uint64_t now_us = START_US + 9 * SECOND_US;
    two_know(&plan, 100);

    (void)desk_charge(&desk, &plan, 0, 30, now_us - 2 * SECOND_US, now_us, now_us);

    assert_int_equal(weir_store_key_remaining(&desk.store), 90);
}

/* ... as one: a burst at fifty processes is charged by each, for the same time. */
static void charges_of_the_same_time_share_what_spilled_since(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const uint64_t now_us = START_US + 9 * SECOND_US;
    two_know(&plan, 100);

    (void)desk_charge(&desk, &plan, 0, 15, now_us - 2 * SECOND_US, now_us, now_us);
    (void)desk_charge(&desk, &plan, 1, 15, now_us - 2 * SECOND_US, now_us, now_us);
    assert_int_equal(weir_store_key_remaining(&desk.store), 90);

    /* full since 1 s after that, for 2 s: of these the first that come have taken nothing */
    const uint64_t later_us = now_us + 3 * SECOND_US;
    (void)desk_charge(&desk, &plan, 0, 15, later_us - SECOND_US, later_us, later_us);
    assert_int_equal(weir_store_key_remaining(&desk.store), 95);
}

static void what_is_not_there_becomes_a_debt_that_refill_pays_first(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    two_know(&plan, 20);

    struct weir_answer answer = desk_charge(&desk, &plan, 0, 60, START_US, START_US, START_US);

    assert_int_equal(answer.remaining_units, 0);
    assert_int_equal(desk.store.debt_units, 40);
    assert_int_equal(desk_left(&desk, &plan, START_US + 4 * SECOND_US), 0);
    assert_int_equal(desk_left(&desk, &plan, START_US + 4 * SECOND_US + 100 * MS_US), 1);
    assert_int_equal(desk_left(&desk, &plan, START_US + 1000 * SECOND_US), 100);
    answer = desk_take(&desk, &plan, 1, 1, START_US);
    assert_int_equal(answer.granted_units, 0);
    assert_int_equal(answer.retry_us, START_US + 4 * SECOND_US + 100 * MS_US);
    assert_int_equal(desk_take(&desk, &plan, 1, 1, answer.retry_us).granted_units, 1);
}

/* D38: however much was given away, the customer waits no longer than an empty bucket takes to
 * fill. */
static void d38_a_debt_is_at_most_a_capacity(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    two_know(&plan, 20);

    (void)desk_charge(&desk, &plan, 0, 4000000000, START_US, START_US, START_US);
    (void)desk_charge(&desk, &plan, 1, 4000000000, START_US, START_US, START_US);

    assert_int_equal(desk.store.debt_units, 100);
    assert_int_equal(desk_left(&desk, &plan, START_US + 10 * SECOND_US + 100 * MS_US), 1);
    assert_int_equal(desk_left(&desk, &plan, START_US + 20 * SECOND_US), 100);
}

static void what_comes_back_pays_the_debt_first(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 0);
    ask.want_units = 40;
    ask.flight_us = 0;
    const struct weir_answer lease = desk_send(&desk, &ask, START_US);
    const uint32_t leased = lease.granted_units;
    assert_in_range(leased, 11, 40);
    (void)desk_charge(&desk, &plan, 1, 100 - leased + 10, START_US, START_US, START_US);
    assert_int_equal(desk.store.debt_units, 10);
    struct weir_ask refund = desk_ask(&desk, &plan, 0, 0);
    refund.lease_end_us = lease.lease_end_us;
    refund.returned_units = leased;

    (void)desk_send(&desk, &refund, START_US + 1);

    assert_int_equal(desk.store.debt_units, 0);
    assert_int_equal(weir_store_key_remaining(&desk.store), leased - 10);
}

static void a_window_counts_what_was_spent_in_it(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(100, MINUTE_US);
    const uint64_t next_us = START_US + MINUTE_US;
    two_know(&plan, 100);

    (void)desk_charge(&desk, &plan, 0, 30, START_US, START_US + 1, START_US + 2);
    assert_int_equal(weir_store_key_remaining(&desk.store), 70);
    (void)desk_charge(&desk, &plan, 0, 90, START_US, START_US + 1, START_US + 3);
    assert_int_equal(weir_store_key_remaining(&desk.store), 0);
    assert_int_equal(desk.store.tokens, 120);
    /* its window is over: too late */
    (void)desk_charge(&desk, &plan, 0, 90, START_US, next_us - 1, next_us);
    assert_int_equal(weir_store_key_remaining(&desk.store), 100);
}

static void a_sliding_window_counts_what_was_spent_before_it_too(void **state)
{
    (void)state;
    const struct weir_plan plan = sliding_plan(100, MINUTE_US);
    const uint64_t next_us = START_US + MINUTE_US;
    two_know(&plan, 100);
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 0);
    ask.charge_units = 10;
    ask.charge_before_units = 40;
    ask.charge_from_us = next_us - SECOND_US;
    ask.charge_until_us = next_us + SECOND_US;

    (void)desk_send(&desk, &ask, next_us + 15 * SECOND_US);

    assert_int_equal(desk.store.tokens, 10);
    assert_int_equal(desk.store.previous_units, 40);
    assert_int_equal(weir_store_key_remaining(&desk.store), 100 - 10 - 30);
    /* all of it before */
    desk.store.grace_until_us = 0;
    (void)desk_charge(&desk, &plan, 1, 20, next_us - 2, next_us - 1, next_us + 15 * SECOND_US);
    assert_int_equal(desk.store.previous_units, 60);
    assert_int_equal(weir_store_key_remaining(&desk.store), 100 - 10 - 45);
    (void)desk_charge(&desk, &plan, 1, UINT32_MAX, 0, 0, next_us + 15 * SECOND_US);
    assert_true(desk.store.tokens * plan.window_us < WEIR_EXACT_MAX);
}

static void a_log_counts_what_was_spent_for_a_window(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(10, MINUTE_US);
    struct weir_log_entry entries[11];
    (void)weir_store_key_set_log(&desk.store, entries, 11);

    for (uint64_t i = 0; i < 20; i++) { /* more entries than there is room for */
        const uint64_t at_us = START_US + i * SECOND_US;
        (void)desk_charge(&desk, &plan, 0, 1, at_us, at_us, START_US + 30 * SECOND_US);
    }

    assert_int_equal(desk.store.tokens, 20);
    assert_int_equal(desk.store.log_count, 11);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US + 9 * SECOND_US), 0);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US + 19 * SECOND_US), 10);
    (void)desk_charge(&desk, &plan, 0, 1, START_US, START_US, START_US + MINUTE_US);
    assert_int_equal(desk.store.tokens, 19);
}

/* Processes tell what they spent in any order; entries of requests are there, too. */
static void a_log_counts_each_charge_until_its_own_end(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(100, MINUTE_US);
    const uint64_t now_us = START_US + 30 * SECOND_US;
    struct weir_log_entry entries[101];
    (void)weir_store_key_set_log(&desk.store, entries, 101);
    two_know(&plan, 100);

    for (uint64_t s = 30; s >= 10; s -= 10) {
        const uint64_t at_us = START_US + s * SECOND_US;
        (void)desk_charge(&desk, &plan, 0, 5, START_US, at_us, now_us);
        (void)desk_charge(&desk, &plan, 1, (uint32_t)s, START_US, at_us, now_us);
    }

    assert_int_equal(desk.store.tokens, 3 * 5 + 60);
    assert_int_equal(desk.store.log_count, 3);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US + 10 * SECOND_US - 1), 25);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US + 10 * SECOND_US), 40);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US + 20 * SECOND_US), 65);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US + 30 * SECOND_US), 100);
}

/* ... or with the next one, if that ends a 1024th of a window later at most, or no place is left.
 */
static void a_charge_joins_the_entry_that_ends_next(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(3, 1024 * MS_US);
    const uint64_t now_us = START_US + 100 * MS_US;
    struct weir_log_entry entries[4];
    static const struct {
        uint64_t at_us;
        uint32_t log_count; /* then */
    } CHARGES[] = {{50000, 1}, {49000, 1}, {48999, 2}, {50001, 3}, {60000, 4}, {10000, 4}};
    (void)weir_store_key_set_log(&desk.store, entries, 4);

    for (size_t i = 0; i < sizeof CHARGES / sizeof CHARGES[0]; i++) {
        const uint64_t at_us = START_US + CHARGES[i].at_us;
        (void)desk_charge(&desk, &plan, 0, 1, at_us, at_us, now_us);
        assert_int_equal(desk.store.log_count, CHARGES[i].log_count);
    }

    static const uint64_t UNITS[] = {2, 2, 1, 1};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(entries[i].units, UNITS[i]);
    }
    assert_int_equal(entries[0].until_us, START_US + 48999 + plan.window_us);
}

/* All were without the store for 30 s. The first that comes back waits for the others, for a
 * second; so does who has nothing to charge. */
static void grants_wait_until_all_can_have_charged(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const uint64_t now_us = START_US + 30 * SECOND_US;
    two_know(&plan, 100);
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 5);
    ask.charge_units = 150;
    ask.charge_from_us = START_US + MS_US;
    ask.charge_until_us = now_us;

    const struct weir_answer first = desk_send(&desk, &ask, now_us);
    const struct weir_answer second = desk_take(&desk, &plan, 1, 5, now_us + 900 * MS_US);
    const struct weir_answer third = desk_take(&desk, &plan, 1, 5, now_us + SECOND_US);

    assert_true(first.flags & WEIR_ANSWER_GRACE);
    assert_int_equal(first.granted_units, 0);
    assert_int_equal(first.retry_us, now_us + WEIR_GRACE_US);
    assert_true(second.flags & WEIR_ANSWER_GRACE);
    assert_int_equal(second.granted_units, 0);
    assert_int_equal(second.retry_us, now_us + WEIR_GRACE_US);
    assert_int_equal(third.flags & WEIR_ANSWER_GRACE, 0);
    assert_int_equal(third.granted_units, 5);
}

static void assert_no_grace(const struct weir_plan *plan, uint64_t from_us, uint64_t until_us,
                            uint64_t now_us)
{
    const struct weir_answer answer = desk_charge(&desk, plan, 0, 5, from_us, until_us, now_us);

    assert_int_equal(answer.flags & WEIR_ANSWER_GRACE, 0);
    assert_int_equal(desk.store.grace_until_us, 0);
}

static void a_lone_process_waits_for_nobody(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    (void)desk_take(&desk, &plan, 0, 1, START_US);

    assert_no_grace(&plan, START_US + 1, START_US + 9 * SECOND_US, START_US + 9 * SECOND_US);
}

static void who_lost_its_way_alone_waits_for_nobody(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    two_know(&plan, 100);
    (void)desk_take(&desk, &plan, 1, 1, START_US + SECOND_US);

    assert_no_grace(&plan, START_US, START_US + 2 * SECOND_US, START_US + 2 * SECOND_US);
}

/* Two processes ask every few seconds; one ask was lost, and its request decided alone. */
static void one_lost_ask_of_a_slow_key_stops_nobody(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const uint64_t lost_us = START_US + 3 * SECOND_US;
    two_know(&plan, 100);

    assert_no_grace(&plan, lost_us, lost_us, lost_us + 3 * SECOND_US);
}

static void a_grace_is_no_longer_than_the_spell(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    const uint64_t now_us = START_US + 300 * MS_US;
    two_know(&plan, 100);

    (void)desk_charge(&desk, &plan, 0, 5, START_US, START_US + 200 * MS_US, now_us);

    assert_int_equal(desk.store.grace_until_us, now_us + 200 * MS_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_charge_is_applied_as_of_when_it_was_spent, reset),
        cmocka_unit_test_setup(a_charge_of_now_takes_nothing_that_spilled_before, reset),
        cmocka_unit_test_setup(a_charge_takes_what_spilled_since_and_no_more, reset),
        cmocka_unit_test_setup(charges_of_the_same_time_share_what_spilled_since, reset),
        cmocka_unit_test_setup(what_is_not_there_becomes_a_debt_that_refill_pays_first, reset),
        cmocka_unit_test_setup(d38_a_debt_is_at_most_a_capacity, reset),
        cmocka_unit_test_setup(what_comes_back_pays_the_debt_first, reset),
        cmocka_unit_test_setup(a_window_counts_what_was_spent_in_it, reset),
        cmocka_unit_test_setup(a_sliding_window_counts_what_was_spent_before_it_too, reset),
        cmocka_unit_test_setup(a_log_counts_what_was_spent_for_a_window, reset),
        cmocka_unit_test_setup(a_log_counts_each_charge_until_its_own_end, reset),
        cmocka_unit_test_setup(a_charge_joins_the_entry_that_ends_next, reset),
        cmocka_unit_test_setup(grants_wait_until_all_can_have_charged, reset),
        cmocka_unit_test_setup(a_lone_process_waits_for_nobody, reset),
        cmocka_unit_test_setup(who_lost_its_way_alone_waits_for_nobody, reset),
        cmocka_unit_test_setup(one_lost_ask_of_a_slow_key_stops_nobody, reset),
        cmocka_unit_test_setup(a_grace_is_no_longer_than_the_spell, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
