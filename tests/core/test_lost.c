/* A store that lost a state, or a part of its past, is held to what processes saw of it. */
#include "unit.h"

#include "one_desk.h"

#define NEW_RUN UINT64_C(6)

/* The store starts again with nothing. */
static void lose_all(uint64_t now_us)
{
    desk.store = (struct weir_store_key){0};
    memset(desk.records, 0, sizeof desk.records);
    desk.run = (struct weir_store_run){.id = NEW_RUN, .started_us = now_us};
}

/* Fails over to a copy of earlier. */
static void fail_over(const struct weir_store_key *copy)
{
    desk.store = *copy;
    memset(desk.records, 0, sizeof desk.records);
    desk.run.id++;
}

/* D17: an empty store goes on from what its first process saw, refilled. */
static void d17_an_empty_store_goes_on_from_what_a_process_saw(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    desk_spend(&desk, &plan, 0, 95, START_US);
    const struct weir_answer before = desk.heard[0];
    lose_all(START_US + SECOND_US);

    const struct weir_answer answer = desk_take(&desk, &plan, 0, 1, START_US + SECOND_US);

    assert_int_equal(before.remaining_units, 5);
    assert_true(answer.flags & WEIR_ANSWER_DATA_LOST);
    assert_int_equal(answer.flags & WEIR_ANSWER_GRACE, 0);
    assert_int_equal(answer.run_id, NEW_RUN);
    assert_true(answer.version > before.version);
    assert_int_equal(answer.granted_units, 1);
    assert_int_equal(answer.remaining_units, 14);
}

/* ... and each further one lowers it, less what was taken since the loss. */
static void d17_each_process_adds_what_it_saw(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    (void)desk_take(&desk, &plan, 0, 20, START_US);
    (void)desk_take(&desk, &plan, 1, 30, START_US);
    lose_all(START_US + 1);

    assert_int_equal(desk_take(&desk, &plan, 0, 15, START_US + 1).remaining_units, 65);
    assert_int_equal(desk_take(&desk, &plan, 1, 5, START_US + 2).remaining_units, 30);
    /* once: what they saw now is of this run */
    assert_int_equal(desk_take(&desk, &plan, 0, 1, START_US + 3).remaining_units, 29);
    assert_int_equal(desk_take(&desk, &plan, 1, 0, START_US + 4).flags & WEIR_ANSWER_DATA_LOST, 0);
}

/* What is out counts on, so that the bucket has no room for its refill. */
static void leases_of_before_the_loss_are_out(void **state)
{
    (void)state;
    const struct weir_plan plan = fixed_plan(bucket_plan(10, 100), 40);
    struct weir_ask ask = desk_ask(&desk, &plan, 0, 0);
    ask.want_units = 40;
    ask.flight_us = 0;
    desk.heard[0] = desk_send(&desk, &ask, START_US);
    const uint32_t leased = desk.heard[0].granted_units;
    assert_in_range(leased, 1, 40);
    lose_all(START_US + SECOND_US);

    ask = desk_ask(&desk, &plan, 0, 0);
    ask.lease_end_us = desk.heard[0].lease_end_us;
    ask.held_units = leased;
    const struct weir_answer answer = desk_send(&desk, &ask, START_US + SECOND_US);

    assert_int_equal(answer.outstanding_units, leased);
    assert_int_equal(answer.remaining_units, 100 - leased);
    assert_int_equal(desk_left(&desk, &plan, START_US + 4 * SECOND_US), 100 - leased);
}

/* B48, D21: a key vanishes while processes know it. Its versions start anew, and may have caught
 * up. */
static void b48_d21_an_evicted_key_is_not_full(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    (void)desk_take(&desk, &plan, 0, 60, START_US);
    desk.store = (struct weir_store_key){0};
    for (unsigned i = 0; i < 5; i++) { /* a stranger */
        assert_int_equal(desk_take(&desk, &plan, 1, 5, START_US + 1 + i).granted_units, 5);
    }
    assert_true(desk.store.version > desk.heard[0].version);

    const struct weir_answer answer = desk_take(&desk, &plan, 0, 0, START_US + 10);

    assert_true(answer.flags & WEIR_ANSWER_DATA_LOST);
    assert_int_equal(answer.remaining_units, 100 - 60 - 25);
}

/* D16: the last second is lost. What was granted in it counts again as soon as one who saw it asks.
 */
static void d16_a_failover_gives_back_nothing_that_anybody_saw(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    (void)desk_take(&desk, &plan, 0, 10, START_US);
    const struct weir_store_key copy = desk.store;
    (void)desk_take(&desk, &plan, 1, 20, START_US + 1);
    (void)desk_take(&desk, &plan, 2, 30, START_US + 2);
    fail_over(&copy);

    assert_int_equal(desk_take(&desk, &plan, 0, 1, START_US + 3).remaining_units, 89);
    assert_int_equal(desk_take(&desk, &plan, 1, 1, START_US + 4).remaining_units, 68);
    assert_int_equal(desk_take(&desk, &plan, 2, 1, START_US + 5).remaining_units, 37);
}

static void a_failover_that_lost_nothing_costs_nothing(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);
    for (uint32_t process = 0; process < 4; process++) {
        (void)desk_take(&desk, &plan, process, 10 * process, START_US + process * 500 * MS_US);
    }
    fail_over(&desk.store);

    for (uint32_t process = 0; process < 4; process++) {
        const uint64_t now_us = START_US + (5 + process) * SECOND_US;
        const uint64_t left = desk_left(&desk, &plan, now_us);
        const struct weir_answer answer = desk_take(&desk, &plan, process, 5, now_us);
        assert_int_equal(answer.flags & WEIR_ANSWER_DATA_LOST, 0);
        assert_int_equal(answer.remaining_units, left - 5);
    }
    /* nor does one who comes an hour later */
    (void)desk_take(&desk, &plan, 5, 3, START_US + 10 * SECOND_US);
    fail_over(&desk.store);
    (void)desk_take(&desk, &plan, 0, 100, START_US + 2000 * SECOND_US);
    assert_int_equal(desk_take(&desk, &plan, 5, 0, START_US + 3600 * SECOND_US).remaining_units,
                     100);
}

/* D18: two stores serve. Whoever comes from the one tells the other what it saw there. */
static void d18_two_stores_hold_each_other_to_what_processes_saw(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    (void)desk_take(&desk, &plan, 0, 10, START_US);
    struct store_desk other = desk;
    other.run.id = 9;
    memset(other.records, 0, sizeof other.records);
    (void)desk_take(&desk, &plan, 0, 40, START_US + 1);
    other.heard[1] = desk.heard[0];

    struct weir_answer answer = desk_take(&other, &plan, 1, 5, START_US + 2);

    assert_int_equal(answer.remaining_units, 45);
    desk.heard[0] = answer; /* and back */
    answer = desk_take(&desk, &plan, 0, 5, START_US + 3);
    assert_int_equal(answer.run_id, 5);
    assert_int_equal(answer.remaining_units, 40);
}

static void a_window_takes_the_larger_count(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(100, MINUTE_US);
    (void)desk_take(&desk, &plan, 0, 70, START_US);
    (void)desk_take(&desk, &plan, 1, 0, START_US);
    lose_all(START_US + 1);

    assert_int_equal(desk_take(&desk, &plan, 0, 10, START_US + 1).remaining_units, 20);
    /* of a window that is over nothing is taken */
    lose_all(START_US + MINUTE_US);
    assert_int_equal(desk_take(&desk, &plan, 1, 1, START_US + MINUTE_US).remaining_units, 99);
}

static void a_sliding_window_takes_both_counts(void **state)
{
    (void)state;
    const struct weir_plan plan = sliding_plan(100, MINUTE_US);
    const uint64_t next_us = START_US + MINUTE_US;
    (void)desk_take(&desk, &plan, 0, 80, START_US);
    (void)desk_take(&desk, &plan, 0, 10, next_us + 30 * SECOND_US); /* 80 count for 40 */
    desk.heard[1] = desk.heard[0];
    lose_all(next_us + 45 * SECOND_US);

    struct weir_answer answer = desk_take(&desk, &plan, 0, 0, next_us + 45 * SECOND_US);

    assert_int_equal(desk.store.previous_units, 80);
    assert_int_equal(desk.store.tokens, 10);
    assert_int_equal(answer.remaining_units, 100 - 10 - 20);
    /* a window later it is the count of the window before */
    lose_all(next_us + MINUTE_US);
    answer = desk_take(&desk, &plan, 1, 0, next_us + MINUTE_US);
    assert_int_equal(answer.previous_units, 10);
    assert_int_equal(answer.remaining_units, 90);
}

static void a_log_takes_one_entry_for_what_it_lacks(void **state)
{
    (void)state;
    const struct weir_plan plan = log_plan(10, MINUTE_US);
    struct weir_log_entry entries[11];
    (void)weir_store_key_set_log(&desk.store, entries, 11);
    (void)desk_take(&desk, &plan, 0, 7, START_US);
    lose_all(START_US + SECOND_US);
    (void)weir_store_key_set_log(&desk.store, entries, 11);

    const struct weir_answer answer = desk_take(&desk, &plan, 0, 1, START_US + SECOND_US);

    assert_int_equal(answer.remaining_units, 2);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US), 2);
    assert_int_equal(desk_left(&desk, &plan, START_US + MINUTE_US + 20 * MS_US), 9);
}

/* What was seen under another plan says nothing about this one. */
static void a_view_of_another_plan_is_not_taken_over(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    struct weir_plan newer = bucket_plan(0, 1000);
    newer.version = 2;
    (void)desk_take(&desk, &plan, 0, 70, START_US);
    const uint64_t version = desk.heard[0].version;
    lose_all(START_US);
    weir_store_key_init(&desk.store, &PLAIN_KEY, &newer, START_US, 1000);

    const struct weir_answer answer = desk_take(&desk, &plan, 0, 5, START_US + 1);

    assert_int_equal(answer.remaining_units, 995);
    assert_true(answer.version > version);
}

/* A young store does not know whether a key is new. */
static void a_young_store_gives_those_who_know_time_to_come(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    (void)desk_take(&desk, &plan, 0, 70, START_US);
    lose_all(START_US + 1);

    const struct weir_answer stranger = desk_take(&desk, &plan, 1, 5, START_US + 2);
    const struct weir_answer other = desk_take(&desk, &plan, 0, 5, START_US + 3);
    const struct weir_answer again = desk_take(&desk, &plan, 1, 5, stranger.retry_us);

    assert_true(stranger.flags & WEIR_ANSWER_GRACE);
    assert_int_equal(stranger.granted_units, 0);
    assert_int_equal(stranger.retry_us, START_US + 2 + plan.trickle_period_us);
    assert_true(other.flags & WEIR_ANSWER_DATA_LOST);
    assert_int_equal(other.remaining_units, 30);
    assert_int_equal(again.granted_units, 5);
    assert_int_equal(again.remaining_units, 25);
}

static void an_old_store_knows_that_a_key_is_new(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(0, 100);
    const uint64_t old_us = START_US + 2 * plan.lease_period_us + WEIR_FLIGHT_US_MAX;

    desk.run.started_us = START_US;
    assert_true(desk_take(&desk, &plan, 0, 5, old_us - 1).flags & WEIR_ANSWER_GRACE);
    desk.store = (struct weir_store_key){0};
    desk.heard[0] = (struct weir_answer){0};
    assert_int_equal(desk_take(&desk, &plan, 0, 5, old_us).granted_units, 5);
}

/* At random: after a failover to an older copy no more is granted too much than what was granted in
 * the time that was lost, by processes that have not come back since. */
static void a_failover_grants_again_only_what_nobody_told(void **state)
{
    (void)state;
    uint64_t lost_ever = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {seed};
        const struct weir_plan plan = bucket_plan(0, 10000);
        uint64_t granted = 0, lost_units[DESK_PROCESSES] = {0};
        uint64_t now_us = START_US;
        (void)reset(NULL);
        weir_store_key_init(&desk.store, &PLAIN_KEY, &plan, START_US, 10000);
        struct weir_store_key copy = desk.store;
        for (unsigned step = 0; step < 200; step++) {
            const uint32_t process = (uint32_t)dice_below(&dice, DESK_PROCESSES);
            const uint32_t units = (uint32_t)dice_below(&dice, 20);
            now_us += 1 + dice_below(&dice, 100);
            if (step == 60) {
                copy = desk.store;
            }
            if (step == 120) {
                fail_over(&copy);
            }
            const struct weir_answer answer = desk_take(&desk, &plan, process, units, now_us);
            granted += answer.granted_units;
            lost_units[process] += step >= 60 && step < 120 ? answer.granted_units : 0;
            if (step >= 120) {
                lost_units[process] = 0; /* it saw all up to its last answer */
            }
            uint64_t untold = 0;
            for (unsigned i = 0; i < DESK_PROCESSES && step >= 120; i++) {
                untold += lost_units[i];
            }
            if (step >= 120) {
                assert_true(weir_store_key_remaining(&desk.store) <= 10000 - granted + untold);
                lost_ever += untold;
            }
        }
        assert_true(weir_store_key_remaining(&desk.store) >= 10000 - granted);
    }
    assert_true(lost_ever > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(d17_an_empty_store_goes_on_from_what_a_process_saw, reset),
        cmocka_unit_test_setup(d17_each_process_adds_what_it_saw, reset),
        cmocka_unit_test_setup(leases_of_before_the_loss_are_out, reset),
        cmocka_unit_test_setup(b48_d21_an_evicted_key_is_not_full, reset),
        cmocka_unit_test_setup(d16_a_failover_gives_back_nothing_that_anybody_saw, reset),
        cmocka_unit_test_setup(a_failover_that_lost_nothing_costs_nothing, reset),
        cmocka_unit_test_setup(d18_two_stores_hold_each_other_to_what_processes_saw, reset),
        cmocka_unit_test_setup(a_window_takes_the_larger_count, reset),
        cmocka_unit_test_setup(a_sliding_window_takes_both_counts, reset),
        cmocka_unit_test_setup(a_log_takes_one_entry_for_what_it_lacks, reset),
        cmocka_unit_test_setup(a_view_of_another_plan_is_not_taken_over, reset),
        cmocka_unit_test_setup(a_young_store_gives_those_who_know_time_to_come, reset),
        cmocka_unit_test_setup(an_old_store_knows_that_a_key_is_new, reset),
        cmocka_unit_test_setup(a_failover_grants_again_only_what_nobody_told, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
