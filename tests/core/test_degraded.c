/* What a process admits without the store, to the unit, and what of it is charged later. */
#include "small_limiter.h"

#include "arithmetic.h"

static struct weir_limiter *limiter;
static struct hot *hot;
static struct cold *cold;

static void with_plan(struct weir_plan plan, enum weir_degraded_policy policy)
{
    plan.degraded = (uint8_t)policy;
    limiter = small_limiter(&plan);
    limiter->options.process_count = 50;
    assert_int_equal(small_slot(limiter, 0), 0);
    small_clock(limiter, 0); /* store time is START_US + what passed, exactly */
    hot = &limiter->hot[0];
    cold = &limiter->cold[0];
    cold->window_us = plan.window_us;
    cold->window_index = period_of(&hot->key, START_US, plan.window_us);
}

/* A key whose windows begin at multiples of their length: its phase is 0. */
static const struct weir_plan *plan(void)
{
    return slot_plan(limiter, 0);
}

static void answered(uint64_t remaining_units, uint32_t own_milli, uint64_t all_milli)
{
    const struct weir_answer answer = {
        .store_us = START_US, .remaining_units = remaining_units, .global_rate_milli = all_milli};

    cold->rate_reported_milli = own_milli;
    degraded_answered(limiter, 0, SMALL_START_NS, &answer);
}

static uint64_t at(uint64_t after_us)
{
    return SMALL_START_NS + after_us * NS_PER_US;
}

static struct weir_decision decide(uint64_t after_us, uint32_t cost)
{
    /* as the limiter does before it decides */
    if (cold->window_index != period_of(&hot->key, START_US + after_us, cold->window_us)) {
        degraded_window_ends(limiter, 0);
        hot->spent_units = 0;
        cold->window_index = period_of(&hot->key, START_US + after_us, cold->window_us);
    }
    return degraded_decide(limiter, 0, at(after_us), cost);
}

static bool admits(uint64_t after_us, uint32_t cost)
{
    return decide(after_us, cost).verdict == WEIR_VERDICT_ADMITTED;
}

/* Requests of one unit admitted at that instant. */
static uint32_t admitted(uint64_t after_us)
{
    uint32_t count = 0;

    while (count < 100000 && admits(after_us, 1)) {
        count++;
    }
    return count;
}

static void a_share_of_what_accrues_is_admitted(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(0, 20000, 100000);

    assert_int_equal(admitted(1 * SECOND_US), 20 + 1); /* and the floor, once a minute */
    assert_int_equal(admitted(2 * SECOND_US), 20);
    assert_int_equal(admitted(2 * SECOND_US + 49999), 0);
    assert_int_equal(admitted(2 * SECOND_US + 50000), 1);
}

static void what_was_left_is_shared_after_the_others_have_used_theirs(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(500, 40000, 200000); /* the others use 160 per second */

    assert_int_equal(admitted(1 * SECOND_US), (500 - 160) / 5 + 20 + 1);
}

static void what_is_leased_counts_against_the_share(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    hot->held_units = 15;
    answered(0, 20000, 100000);

    assert_int_equal(admitted(1 * SECOND_US), 20 - 15 + 1);
}

static void a_long_silence_saves_no_more_than_a_share_of_the_capacity(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(1000, 20000, 100000);

    assert_true(admits(0, 1));
    assert_int_equal(admitted(50 * SECOND_US), 200 + 1);
}

static void a_key_never_answered_for_has_its_floor_alone(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);

    assert_int_equal(admitted(1 * SECOND_US), 1);
    assert_int_equal(admitted(59 * SECOND_US), 0);
    assert_int_equal(admitted(61 * SECOND_US), 1);
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
    assert_int_equal(admitted(0), 300 / 5 + 1);
    assert_int_equal(admitted(9 * SECOND_US), 0);
    const uint64_t phase_us = weir_key_phase_us(&hot->key, 10 * SECOND_US);
    const uint64_t next_us = 10 * SECOND_US - (START_US + phase_us) % (10 * SECOND_US);
    assert_int_equal(admitted(next_us), 200 + 1);
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
    assert_int_equal(admitted(next_us), 100 + 1);
    assert_int_equal(admitted(next_us + 5 * SECOND_US), 50);
}

static void uniform_and_share_start_full(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_UNIFORM);
    answered(0, 20000, 100000);
    assert_int_equal(admitted(0), 1000 / 50);
    assert_int_equal(admitted(1 * SECOND_US), 2);

    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_SHARE);
    answered(0, 500, 100000); /* 0.5 %, taken as 2 % */
    assert_int_equal(admitted(0), 20);

    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_SHARE);
    answered(0, 50000, 100000);
    assert_int_equal(admitted(0), 500);
}

static void open_admits_all_and_closed_nothing(void **state)
{
    (void)state;
    with_plan(bucket_plan(1, 1), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 1) && admits(0, 1000000));

    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_CLOSED);
    const struct weir_decision decision = decide(0, 1);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_DEGRADED_CAP);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    assert_true(decision.retry_after_ns > 0);
}

static void a_limit_of_zero_admits_not_even_the_floor(void **state)
{
    (void)state;
    with_plan(bucket_plan(0, 0), WEIR_DEGRADED_BOUNDED);
    answered(0, 1000, 1000);

    assert_false(admits(0, 1));
    assert_true(decide(0, 1).retry_after_ns == WEIR_RETRY_NEVER);
}

static void a_client_that_waits_as_told_is_admitted(void **state)
{
    struct dice dice = {.seed = 7};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const uint32_t rate = (uint32_t)(1 + dice_below(&dice, 1000));
        with_plan(bucket_plan(rate, 1 + dice_below(&dice, 10000)), WEIR_DEGRADED_BOUNDED);
        answered(dice_below(&dice, plan()->capacity_units + 1),
                 (uint32_t)(1 + dice_below(&dice, 100000)), 100000 + dice_below(&dice, 1000000));
        const uint32_t cost = (uint32_t)(1 + dice_below(&dice, 20));
        uint64_t after_us = dice_below(&dice, 5 * SECOND_US);
        struct weir_decision decision = decide(after_us, cost);
        while (decision.verdict == WEIR_VERDICT_ADMITTED) {
            decision = decide(after_us, cost);
        }
        assert_true(decision.retry_after_ns > 0);
        if (decision.retry_after_ns != WEIR_RETRY_NEVER) {
            after_us += decision.retry_after_ns / NS_PER_US + 1;
            assert_true(admits(after_us, cost));
        }
    }
}

static void what_was_admitted_is_charged_once_with_its_time(void **state)
{
    struct weir_ask ask = {0};

    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(1000, 100000, 100000);
    assert_false(degraded_has_charge(limiter, 0));
    assert_true(admits(1 * SECOND_US, 3) && admits(4 * SECOND_US, 4));
    assert_int_equal(hot->spent_units, 7);
    assert_true(degraded_has_charge(limiter, 0));

    degraded_charge(limiter, 0, &ask);
    assert_int_equal(ask.charge_units, 7);
    assert_int_equal(ask.charge_from_us, START_US + 1 * SECOND_US);
    assert_int_equal(ask.charge_until_us, START_US + 4 * SECOND_US);
    assert_false(degraded_has_charge(limiter, 0));

    assert_true(admits(5 * SECOND_US, 2));
    degraded_uncharge(limiter, 0, &ask); /* it was refused */
    degraded_covered(limiter, 0, 1);     /* and a late grant came for one of the units */
    struct weir_ask next = {0};
    degraded_charge(limiter, 0, &next);
    assert_int_equal(next.charge_units, 8);
    assert_int_equal(next.charge_from_us, START_US + 1 * SECOND_US);
    assert_int_equal(next.charge_until_us, START_US + 5 * SECOND_US);

    struct weir_limiter_counts counts = limiter->counts;
    assert_int_equal(counts.degraded_units, 9);
    assert_int_equal(counts.charged_units, 8);
    assert_int_equal(counts.covered_units, 1);
}

static void a_window_that_is_over_is_not_charged(void **state)
{
    struct weir_ask ask = {0};

    (void)state;
    with_plan(windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5) && admits(10 * SECOND_US, 6));
    degraded_charge(limiter, 0, &ask);
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(ask.charge_before_units, 0);
    assert_int_equal(limiter->counts.lost_charge_units, 5);

    with_plan(windowed_plan(WEIR_ALGORITHM_SLIDING, 1000, 10 * SECOND_US), WEIR_DEGRADED_OPEN);
    ask = (struct weir_ask){0};
    assert_true(admits(0, 5) && admits(10 * SECOND_US, 6));
    degraded_charge(limiter, 0, &ask);
    assert_int_equal(ask.charge_units, 6);
    assert_int_equal(ask.charge_before_units, 5);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_what_accrues_is_admitted),
        cmocka_unit_test(what_was_left_is_shared_after_the_others_have_used_theirs),
        cmocka_unit_test(what_is_leased_counts_against_the_share),
        cmocka_unit_test(a_long_silence_saves_no_more_than_a_share_of_the_capacity),
        cmocka_unit_test(a_key_never_answered_for_has_its_floor_alone),
        cmocka_unit_test(each_new_window_brings_a_share_of_its_limit),
        cmocka_unit_test(a_sliding_window_counts_the_one_before),
        cmocka_unit_test(uniform_and_share_start_full),
        cmocka_unit_test(open_admits_all_and_closed_nothing),
        cmocka_unit_test(a_limit_of_zero_admits_not_even_the_floor),
        cmocka_unit_test(a_client_that_waits_as_told_is_admitted),
        cmocka_unit_test(what_was_admitted_is_charged_once_with_its_time),
        cmocka_unit_test(a_window_that_is_over_is_not_charged),
        cmocka_unit_test(shares_together_admit_no_more_than_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
