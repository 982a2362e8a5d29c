/* How much a process may admit without the store, to the unit. */
#include "spell.h"

static void a_share_of_what_accrues_is_admitted(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(0, 20000, 100000);

    assert_int_equal(admitted(1 * SECOND_US), 20);
    assert_int_equal(admitted(2 * SECOND_US), 20);
    assert_int_equal(admitted(2 * SECOND_US + 49999), 0);
    assert_int_equal(admitted(2 * SECOND_US + 50000), 1);
}

static void what_was_left_is_shared_after_the_others_have_used_theirs(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(500, 40000, 200000); /* the others use 160 per second */

    assert_int_equal(admitted(1 * SECOND_US), (500 - 160) / 5 + 20);
}

static void the_floor_is_for_those_that_admit_nothing_otherwise(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(0, 20000, 100000);
    assert_int_equal(admitted(0), 1);
    assert_int_equal(admitted(1 * SECOND_US), 20);

    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    hot->spent_units = 1; /* with the store */
    answered(0, 20000, 100000);
    assert_int_equal(admitted(0), 0);

    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    hot->spent_units = 1;
    answered(0, 0, 100000); /* no share: else nothing for the rest of the window */
    assert_int_equal(admitted(0), 1);
    assert_int_equal(admitted(1 * SECOND_US), 0);
}

/* It waits since before the plan became so small: its price does not fit into 64 bits. */
static void a_cost_that_the_plan_never_holds_is_refused_for_ever(void **state)
{
    (void)state;
    struct weir_plan daily = bucket_plan(1, 1);
    daily.rate_period_us = UINT64_C(1) << 33;
    with_plan(daily, WEIR_DEGRADED_SHARE);
    answered(1, 100000, 100000);

    const struct weir_decision decision = decide(0, UINT32_C(1) << 31);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.retry_after_ns, WEIR_RETRY_NEVER);
}

/* Promises are part of what is to be refilled; what is held was taken before. */
static void what_was_promised_counts_against_the_share_and_what_is_held_does_not(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    hot->held_units = 15;
    cold->trickle[0] = 10;
    cold->trickle_taken = 4;
    cold->trickle[1] = 9;
    hot->spent_units = 1;
    answered(0, 20000, 100000);
    assert_int_equal(admitted(1 * SECOND_US), 20 - (10 - 4) - 9);
}

/* The promise of a whole second was spent after half of it: the rest is refilled first. */
static void what_was_promised_beyond_the_refill_is_owed(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    cold->trickle[1] = 20;
    hot->spent_units = 1;
    answered(0, 20000, 100000);

    assert_int_equal(admitted(SECOND_US / 2), 0);
    assert_true(decide(SECOND_US / 2, 1).retry_after_ns > 550 * NS_PER_MS);
    assert_int_equal(admitted(1 * SECOND_US), 0);
    assert_int_equal(admitted(2 * SECOND_US), 20);
}

static void a_long_silence_saves_no_more_than_a_share_of_the_capacity(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(1000, 20000, 100000);

    assert_true(admits(0, 1));
    assert_int_equal(admitted(50 * SECOND_US), 200);
}

static void each_new_window_brings_a_share_of_its_limit(void **state)
{
    (void)state;
    with_plan(windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(300, 20000, 0); /* no demand known */
    assert_int_equal(admitted(0), 1);

    with_plan(windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(300, 20000, 100000);
    hot->spent_units = 77; /* with the store, before */
    assert_int_equal(admitted(0), 300 / 5);
    assert_int_equal(admitted(9 * SECOND_US), 0);
    const uint64_t phase_us = weir_key_phase_us(&hot->key, 10 * SECOND_US);
    const uint64_t next_us = 10 * SECOND_US - (START_US + phase_us) % (10 * SECOND_US);
    assert_int_equal(admitted(next_us), 200);
    hot->spent_units += 30; /* permits that were held */
    assert_int_equal(admitted(next_us), 0);
}

static void a_sliding_window_counts_the_one_before(void **state)
{
    (void)state;
    with_plan(windowed_plan(WEIR_ALGORITHM_SLIDING, 1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(500, 20000, 100000);
    hot->spent_units = 100;
    const uint64_t phase_us = weir_key_phase_us(&hot->key, 10 * SECOND_US);
    const uint64_t next_us = 10 * SECOND_US - (START_US + phase_us) % (10 * SECOND_US);

    /* of 200, what counts of the 100 at the window's start and at its middle */
    assert_int_equal(admitted(next_us), 100);
    assert_int_equal(admitted(next_us + 5 * SECOND_US), 50);
}

static void a_late_answer_begins_no_new_budget(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(0, 20000, 100000);
    assert_int_equal(admitted(1 * SECOND_US), 20);

    answered_late(1 * SECOND_US, 500, 20000, 100000);
    assert_int_equal(admitted(1 * SECOND_US), 0);
    answered_late(3 * SECOND_US, 500, 50000, 100000); /* half of the demand, from now on */
    assert_int_equal(admitted(3 * SECOND_US), 40);
    assert_int_equal(admitted(4 * SECOND_US), 50);
}

static void a_late_answer_that_leaves_little_lowers_the_budget(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(1000, 20000, 100000);
    assert_true(admits(0, 1));

    answered_late(1 * SECOND_US, 50, 20000, 100000);
    assert_int_equal(admitted(1 * SECOND_US), 10);

    with_plan(windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(1000, 20000, 100000);
    assert_true(admits(0, 1));
    answered_late(1000, 1000, 20000, 100000);
    assert_true(admits(1000, 1));
    answered_late(2000, 50, 20000, 100000);
    assert_int_equal(admitted(2000), 10);
    answered_late(3000, 1000, 20000, 100000);
    assert_int_equal(admitted(3000), 0);
}

static void what_a_late_answer_grants_is_part_of_the_budget(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(100, 20000, 100000);
    assert_true(admits(0, 5)); /* of 20 */
    answered_late(0, 100, 20000, 100000);
    budget_leased(limiter, 0, 10);
    assert_int_equal(admitted(0), 5);
    budget_leased(limiter, 0, 30); /* more than there is: as much accrues to nobody */
    assert_int_equal(admitted(1 * SECOND_US), 0);
    assert_int_equal(admitted(2 * SECOND_US), 10);

    with_plan(windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(100, 20000, 100000);
    assert_true(admits(0, 5));
    answered_late(0, 100, 20000, 100000);
    budget_leased(limiter, 0, 10);
    assert_int_equal(admitted(0), 5);
}

/* Any number of processes whose shares sum to one, each at its own time, admit together no more
 * than what was left and accrues, and a floor each. */
static void shares_together_admit_no_more_than_there_is(void **state)
{
    struct dice dice = {.seed = 11};

    (void)state;
    for (int i = 0; i < 300; i++) {
        const uint64_t rate = 1 + dice_below(&dice, 500);
        const uint64_t capacity = 1 + dice_below(&dice, 3000);
        const uint64_t left = dice_below(&dice, capacity + 1);
        const uint64_t all_milli = 1000 + dice_below(&dice, 900000);
        const uint64_t until_us = dice_below(&dice, 20 * SECOND_US);
        uint64_t rest_milli = all_milli;
        uint64_t sum = 0;
        unsigned processes = 0;
        while (rest_milli != 0 && processes < 20) {
            const uint64_t own = processes == 19 ? rest_milli : 1 + dice_below(&dice, rest_milli);
            with_plan(bucket_plan(rate, capacity), WEIR_DEGRADED_BOUNDED);
            answered(left, (uint32_t)own, all_milli);
            for (uint64_t after_us = 0; after_us <= until_us; after_us += SECOND_US / 4) {
                sum += admitted(after_us);
            }
            rest_milli -= own;
            processes++;
        }
        assert_in_range(sum, 0, left + rate * until_us / SECOND_US + processes);
    }
}

/* Refill goes by local time, and goes on when the store's time is learnt. */
static void without_the_stores_time_a_bucket_refills_by_local_time(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_UNIFORM);
    limiter->clock.known = false;

    assert_int_equal(admitted(0), 1000 / 50);
    assert_int_equal(admitted(1 * SECOND_US), 2);
    assert_int_equal(decide(1 * SECOND_US, 1).retry_after_ns / NS_PER_MS, 500);
    limiter->clock.known = true;
    assert_int_equal(admitted(2 * SECOND_US), 2);
}

static void without_the_stores_time_windows_are_of_local_time(void **state)
{
    const uint64_t window_us = 10 * SECOND_US;

    (void)state;
    with_plan(windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, window_us), WEIR_DEGRADED_UNIFORM);
    const uint64_t phase_us = weir_key_phase_us(&hot->key, window_us);
    const uint64_t next_us = window_us - (SMALL_START_NS / NS_PER_US + phase_us) % window_us;
    limiter->clock.known = false;

    assert_int_equal(admitted(0), 1000 / 50);
    assert_int_equal(admitted(next_us - 1), 0);
    assert_int_equal(admitted(next_us), 1000 / 50);
    limiter->clock.known = true; /* whatever it is called now, this window is used up */
    assert_int_equal(admitted(next_us), 0);
    cold->window_index++;
    assert_true(degraded_decide(limiter, 0, at(next_us), 1).verdict == WEIR_VERDICT_ADMITTED);
}

static void without_the_stores_time_each_local_window_has_a_floor(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED); /* windows of a minute */
    limiter->clock.known = false;

    assert_int_equal(admitted(0), 1);
    assert_int_equal(admitted(60 * SECOND_US), 1);
    limiter->clock.known = true;
    assert_int_equal(degraded_decide(limiter, 0, at(60 * SECOND_US), 1).verdict,
                     WEIR_VERDICT_DENIED);
}

/* The others use 160 per second, but only until the shard was lost. */
static void the_others_use_what_is_left_until_the_shard_is_lost(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(500, 40000, 200000);
    limiter->breakers[0].heard_ns = at(0);
    limiter->breakers[0].failing_ns = at(200000);
    assert_int_equal(admitted(1 * SECOND_US), (500 - 16) / 5 + 20);

    with_plan(window_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(300, 40000, 200000);
    limiter->breakers[0].heard_ns = at(0);
    limiter->breakers[0].failing_ns = at(20000);
    assert_int_equal(admitted(100000), (300 - 1) / 5);
}

static void each_spell_begins_anew(void **state)
{
    (void)state;
    with_plan(window_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(300, 20000, 100000);
    assert_int_equal(admitted(0), 300 / 5);
    answered(300, 20000, 100000);
    assert_int_equal(admitted(0), 300 / 5);

    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(100, 20000, 100000);
    assert_true(admits(0, 5));
    budget_leased(limiter, 0, 30); /* more than there is */
    answered(100, 20000, 100000);
    assert_int_equal(admitted(0), 20);
    assert_int_equal(admitted(1 * SECOND_US), 20);
}

static void a_clock_that_goes_back_refills_nothing(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(0, 20000, 100000);

    assert_int_equal(admitted(2 * SECOND_US), 40);
    assert_int_equal(admitted(1 * SECOND_US), 0);
}

static void what_was_spent_with_the_store_counts_for_bounded_alone(void **state)
{
    (void)state;
    with_plan(window_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_BOUNDED);
    answered(300, 20000, 100000);
    assert_true(admits(10 * SECOND_US, 1)); /* of 200 */
    hot->spent_units += 30;
    assert_int_equal(admitted(10 * SECOND_US), 200 - 1 - 30);

    with_plan(window_plan(1000, 10 * SECOND_US), WEIR_DEGRADED_UNIFORM);
    hot->spent_units = 15;
    assert_int_equal(admitted(0), 1000 / 50);
}

static void an_answer_does_not_lower_what_uniform_has(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_UNIFORM);
    answered(1000, 20000, 100000);
    assert_true(admits(0, 1));
    answered_late(0, 0, 20000, 100000);

    assert_int_equal(admitted(0), 1000 / 50 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_what_accrues_is_admitted),
        cmocka_unit_test(what_was_left_is_shared_after_the_others_have_used_theirs),
        cmocka_unit_test(the_floor_is_for_those_that_admit_nothing_otherwise),
        cmocka_unit_test(a_cost_that_the_plan_never_holds_is_refused_for_ever),
        cmocka_unit_test(what_was_promised_counts_against_the_share_and_what_is_held_does_not),
        cmocka_unit_test(what_was_promised_beyond_the_refill_is_owed),
        cmocka_unit_test(a_long_silence_saves_no_more_than_a_share_of_the_capacity),
        cmocka_unit_test(each_new_window_brings_a_share_of_its_limit),
        cmocka_unit_test(a_sliding_window_counts_the_one_before),
        cmocka_unit_test(a_late_answer_begins_no_new_budget),
        cmocka_unit_test(a_late_answer_that_leaves_little_lowers_the_budget),
        cmocka_unit_test(what_a_late_answer_grants_is_part_of_the_budget),
        cmocka_unit_test(shares_together_admit_no_more_than_there_is),
        cmocka_unit_test(the_others_use_what_is_left_until_the_shard_is_lost),
        cmocka_unit_test(each_spell_begins_anew),
        cmocka_unit_test(a_clock_that_goes_back_refills_nothing),
        cmocka_unit_test(what_was_spent_with_the_store_counts_for_bounded_alone),
        cmocka_unit_test(an_answer_does_not_lower_what_uniform_has),
        cmocka_unit_test(without_the_stores_time_a_bucket_refills_by_local_time),
        cmocka_unit_test(without_the_stores_time_windows_are_of_local_time),
        cmocka_unit_test(without_the_stores_time_each_local_window_has_a_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
