/* What was promised over time: permits that come one by one, and promises that must not get lost
 * when the store's clock steps. */
#include "small_lease.h"

static void promises_end_with_the_lease_and_are_reported(void **state)
{
    (void)state;
    hold(2, LEASE_END_US);
    cold->trickle_period = TRICKLE_PERIOD;
    cold->trickle[0] = 10;
    cold->trickle[1] = 20;
    cold->trickle_taken = 4;

    lease_refresh(limiter, 0, possibly_ns(5 * SECOND_US));

    assert_false(lease_is_held(limiter, 0));
    assert_int_equal(cold->returned_units, 2 + 26);
    assert_int_equal(cold->expired_units, 26);
    assert_int_equal(weir_limiter_held_units(limiter, &hot->key), 0);
}

/* Permit j of n is valid from j T / n: never before the store's clock has surely come so far. */
static void permits_of_a_trickle_become_valid_one_by_one(void **state)
{
    (void)state;
    hold(0, LEASE_END_US + 5 * SECOND_US);
    cold->trickle_period = TRICKLE_PERIOD;
    cold->trickle[0] = 4;

    for (uint32_t j = 1; j <= 4; j++) {
        const uint64_t at_ns = surely_ns(j * 250 * MS_US);
        lease_refresh(limiter, 0, at_ns - NS_PER_US);
        assert_int_equal(hot->held_units, j - 1);
        lease_refresh(limiter, 0, at_ns);
        assert_int_equal(hot->held_units, j);
        assert_int_equal(weir_limiter_held_units(limiter, &hot->key), 4);
    }
    assert_int_equal(cold->leased_units, 4);
    assert_int_equal(cold->trickle[0] + cold->trickle[1], 0);
}

static void a_trickle_is_followed_by_the_next(void **state)
{
    (void)state;
    hold(0, LEASE_END_US + 5 * SECOND_US);
    cold->trickle_period = TRICKLE_PERIOD;
    cold->trickle[0] = 10;
    cold->trickle[1] = 6;

    lease_refresh(limiter, 0, surely_ns(1500 * MS_US));

    assert_int_equal(hot->held_units, 13);
    assert_int_equal(cold->trickle[0], 6);
    assert_int_equal(cold->trickle[1], 0);
    assert_int_equal(cold->trickle_taken, 3);
    assert_int_equal(cold->trickle_period, TRICKLE_PERIOD + 1);
    lease_refresh(limiter, 0, surely_ns(4000 * MS_US));
    assert_int_equal(hot->held_units, 16);
}

static void a_promise_becomes_the_trickle_of_the_next_period(void **state)
{
    (void)state;
    struct weir_answer answer = answer_now(0);
    answer.trickle_count = 50;

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);

    assert_int_equal(cold->trickle[0], 0);
    assert_int_equal(cold->trickle[1], 50);
    assert_int_equal(cold->trickle_period, TRICKLE_PERIOD);
    assert_true(lease_is_held(limiter, 0));
    assert_int_equal(weir_limiter_held_units(limiter, &hot->key), 50);
    assert_int_equal(hot->held_units, 0);
    lease_refresh(limiter, 0, surely_ns(1100 * MS_US));
    assert_int_equal(hot->held_units, 5);
}

/* A key's answer when the store has reached that period; it promises for the next. */
static struct weir_answer answer_in(uint64_t period, uint32_t promised)
{
    struct weir_answer answer = answer_now(0);

    answer.trickle_period = period + 1;
    answer.trickle_count = promised;
    return answer;
}

static void run_trickle(uint32_t count, uint32_t next)
{
    hold(0, LEASE_END_US + 5 * SECOND_US);
    cold->trickle_period = TRICKLE_PERIOD;
    cold->trickle[0] = count;
    cold->trickle[1] = next;
}

static uint64_t all_units(void)
{
    return weir_limiter_held_units(limiter, &hot->key) + cold->returned_units;
}

/* The store's clock went three seconds back and took the key with it: its third period ago is the
 * current one, and what was promised for it goes on there. */
static void a_trickle_goes_back_with_the_stores_clock(void **state)
{
    (void)state;
    run_trickle(10, 0);
    cold->trickle_period = TRICKLE_PERIOD + 3;
    const struct weir_answer answer = answer_in(TRICKLE_PERIOD, 6);

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);

    assert_int_equal(cold->trickle_period, TRICKLE_PERIOD);
    assert_int_equal(cold->trickle[0], 10);
    assert_int_equal(cold->trickle[1], 6);
    assert_int_equal(all_units(), 16);
    lease_refresh(limiter, 0, surely_ns(500 * MS_US));
    assert_int_equal(hot->held_units, 5);
}

/* And a promise for the time to come, when nothing new is promised. */
static void a_promise_goes_back_with_the_stores_clock(void **state)
{
    (void)state;
    run_trickle(0, 8);
    cold->trickle_period = TRICKLE_PERIOD + 3;
    const struct weir_answer answer = answer_in(TRICKLE_PERIOD, 0);

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);

    assert_int_equal(cold->trickle_period, TRICKLE_PERIOD);
    lease_refresh(limiter, 0, surely_ns(1500 * MS_US));
    assert_int_equal(hot->held_units, 4);
}

/* After a short step back the key waits for the clock, in the period that it had reached: what was
 * promised up to there the store has counted in full. */
static void a_key_that_waits_for_its_clock_numbers_trickles_by_what_it_reached(void **state)
{
    (void)state;
    run_trickle(10, 0);
    const struct weir_answer answer = answer_in(TRICKLE_PERIOD + 1, 6);

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);

    assert_int_equal(hot->held_units, 10);
    assert_int_equal(cold->trickle_period, TRICKLE_PERIOD + 1);
    assert_int_equal(cold->trickle[1], 6);
    assert_int_equal(all_units(), 16);
}

/* An answer that was long under way is of a period before: nothing went back. */
static void an_old_answer_moves_no_trickle(void **state)
{
    (void)state;
    run_trickle(10, 0);
    const struct weir_answer answer = answer_in(TRICKLE_PERIOD - 2, 6);

    lease_take_answer(limiter, 0, surely_ns(200 * MS_US), &answer);

    assert_int_equal(cold->trickle_period, TRICKLE_PERIOD);
    assert_int_equal(cold->trickle[0], 10);
    assert_int_equal(cold->trickle[1], 0);
    assert_int_equal(cold->returned_units, 6); /* too late to be credited */
    assert_int_equal(cold->expired_units, 6);
    assert_int_equal(all_units(), 16);
}

static void a_promise_of_another_plan_is_given_up(void **state)
{
    (void)state;
    run_trickle(10, 0);
    struct weir_answer answer = answer_in(77, 6);
    answer.flags = WEIR_ANSWER_STALE_PLAN;

    lease_take_answer(limiter, 0, SMALL_START_NS, &answer);

    assert_int_equal(cold->trickle_period, TRICKLE_PERIOD);
    assert_int_equal(cold->trickle[0], 10);
    assert_int_equal(all_units(), 16);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(promises_end_with_the_lease_and_are_reported),
        TEST(permits_of_a_trickle_become_valid_one_by_one),
        TEST(a_trickle_is_followed_by_the_next),
        TEST(a_promise_becomes_the_trickle_of_the_next_period),
        TEST(a_trickle_goes_back_with_the_stores_clock),
        TEST(a_promise_goes_back_with_the_stores_clock),
        TEST(a_key_that_waits_for_its_clock_numbers_trickles_by_what_it_reached),
        TEST(an_old_answer_moves_no_trickle),
        TEST(a_promise_of_another_plan_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
