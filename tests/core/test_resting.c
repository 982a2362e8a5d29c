/* Shares of processes whose requests cease, and may come again: they keep them, the store counts
 * them, and all shares together stay within the whole. */
#include "spell.h"

#include "direct_key.h"
#include "store_faults.h"

#define ALL_PPM 1000000u

static struct store_desk desk;
static struct weir_plan plan_of_store;

static int reset(void **state)
{
    (void)state;
    plan_of_store = bucket_plan(100, 1000);
    desk = (struct store_desk){.run = the_run};
    return 0;
}

/* The process asks, with this demand; 0: it gives back, with these flags. */
static struct weir_answer tell(uint32_t process, uint32_t before_milli, uint32_t now_milli,
                               uint32_t flags, uint64_t now_us)
{
    struct weir_ask ask = desk_ask(&desk, &plan_of_store, process, 0);

    ask.flags = flags;
    ask.rate_milli = now_milli;
    ask.rate_milli_before = before_milli;
    ask.kept_ppm_before = desk.heard[process].kept_ppm;
    desk.heard[process] = desk_send(&desk, &ask, now_us);
    return desk.heard[process];
}

static struct weir_answer rest(uint32_t process, uint32_t before_milli, uint64_t now_us)
{
    return tell(process, before_milli, 0, WEIR_ASK_RETURN | WEIR_ASK_REST, now_us);
}

static void who_rests_keeps_its_share_and_takes_it_along(void **state)
{
    (void)state;
    tell(0, 0, 3000, 0, START_US);
    tell(1, 0, 1000, 0, START_US);

    struct weir_answer answer = rest(0, 3000, START_US);
    assert_int_equal(answer.kept_ppm, 750000);
    assert_int_equal(answer.resting_ppm, 750000);
    assert_int_equal(answer.global_rate_milli, 1000); /* leases are sized by who is active */
    assert_int_equal(answer.active_processes, 1);
    answer = rest(1, 1000, START_US + SECOND_US);
    assert_int_equal(answer.kept_ppm, 250000);
    assert_int_equal(answer.resting_ppm, ALL_PPM);
    answer = tell(0, 0, 2000, 0, START_US + 2 * SECOND_US);
    assert_int_equal(answer.kept_ppm, 0);
    assert_int_equal(answer.resting_ppm, 250000);
    assert_int_equal(answer.global_rate_milli, 2000);
}

/* Who rests cannot hear that others have come, so its share is not theirs. */
static void who_comes_takes_nothing_from_who_rests(void **state)
{
    (void)state;
    tell(0, 0, 3000, 0, START_US);
    tell(1, 0, 1000, 0, START_US);
    rest(0, 3000, START_US);
    tell(2, 0, 4000, 0, START_US);

    const struct weir_answer answer = rest(2, 4000, START_US);

    assert_int_equal(answer.kept_ppm, 200000); /* 4 of 5 parts of what 0 leaves */
    assert_int_equal(answer.resting_ppm, 950000);
}

static void what_rests_is_forgotten_after_two_share_periods(void **state)
{
    (void)state;
    tell(0, 0, 3000, 0, START_US);
    rest(0, 3000, START_US);

    assert_int_equal(tell(1, 0, 10, 0, START_US + 2 * WEIR_SHARE_US - 1).resting_ppm, ALL_PPM);
    assert_int_equal(tell(1, 10, 10, 0, START_US + 2 * WEIR_SHARE_US).resting_ppm, 0);
    /* nor is it subtracted again, when it comes back */
    tell(2, 0, 10, 0, START_US + 2 * WEIR_SHARE_US);
    assert_int_equal(rest(2, 10, START_US + 2 * WEIR_SHARE_US).resting_ppm, 500000);
    assert_int_equal(tell(0, 0, 3000, 0, START_US + 2 * WEIR_SHARE_US).resting_ppm, 500000);
}

static void who_rests_on_keeps_what_is_still_counted(void **state)
{
    (void)state;
    tell(0, 0, 3000, 0, START_US);
    tell(1, 0, 1000, 0, START_US);
    rest(0, 3000, START_US);

    assert_int_equal(rest(0, 0, START_US + WEIR_SHARE_US).kept_ppm, 750000);
    assert_int_equal(desk.store.resting_ppm[0], 750000);
    assert_int_equal(desk.store.resting_ppm[1], 0);
    assert_int_equal(rest(0, 0, START_US + 3 * WEIR_SHARE_US).kept_ppm, 0);
    assert_int_equal(desk.store.resting_ppm[0], 0);
}

static void who_leaves_keeps_nothing(void **state)
{
    (void)state;
    tell(0, 0, 3000, 0, START_US);
    tell(1, 0, 1000, 0, START_US);
    assert_int_equal(tell(0, 3000, 0, WEIR_ASK_RETURN, START_US).resting_ppm, 0);
    assert_int_equal(rest(1, 1000, START_US).resting_ppm, ALL_PPM);

    assert_int_equal(tell(1, 0, 0, WEIR_ASK_RETURN, START_US).resting_ppm, 0);
}

static void a_repeated_ask_rests_once(void **state)
{
    (void)state;
    tell(0, 0, 3000, 0, START_US);
    tell(1, 0, 1000, 0, START_US);
    struct weir_ask ask = desk_ask(&desk, &plan_of_store, 0, 0);
    ask.flags = WEIR_ASK_RETURN | WEIR_ASK_REST;
    ask.rate_milli = 0;
    ask.rate_milli_before = 3000;
    desk_send(&desk, &ask, START_US);

    const struct weir_answer again = desk_send(&desk, &ask, START_US + 1);

    assert_int_equal(again.kept_ppm, 750000);
    assert_int_equal(desk.store.resting_ppm[0], 750000);
}

static void shares_of_the_largest_rates_are_exact(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        tell(i, 0, UINT32_MAX, 0, START_US);
    }
    assert_int_equal(rest(0, UINT32_MAX, START_US).kept_ppm, 333333);
    assert_int_equal(rest(1, UINT32_MAX, START_US).kept_ppm, 333333);
    assert_int_equal(rest(2, UINT32_MAX, START_US).kept_ppm, 333334);
}

/* Processes come, rest, go and are silent at random, and lose asks and answers. Those that were
 * told to keep a share and may still rely on it, and the active ones by what the store would tell
 * them now, have no more than the whole. */
static void all_shares_together_are_no_more_than_the_whole(void **state)
{
    (void)state;
    uint64_t kept_count = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct dice dice = {.seed = seed};
        uint32_t rates[DESK_PROCESSES] = {0};
        uint64_t told_us[DESK_PROCESSES] = {0};
        uint64_t now_us = START_US + dice_below(&dice, WEIR_SHARE_US);
        (void)reset(NULL);
        for (int step = 0; step < 400; step++) {
            now_us += dice_below(&dice, 2 * SECOND_US) +
                      (dice_below(&dice, 50) == 0 ? dice_below(&dice, 30 * SECOND_US) : 0);
            const uint32_t process = (uint32_t)dice_below(&dice, DESK_PROCESSES);
            const uint32_t rate =
                dice_below(&dice, 2) == 0 ? 0 : 1 + (uint32_t)dice_below(&dice, 1000000);
            const uint32_t flags = rate != 0                   ? 0u
                                   : dice_below(&dice, 8) == 0 ? WEIR_ASK_RETURN
                                                               : WEIR_ASK_RETURN | WEIR_ASK_REST;
            if (dice_below(&dice, 10) == 0) {
                /* in doubt: it may have been carried out, and the process starts afresh */
                if (dice_below(&dice, 2) == 0) {
                    tell(process, rates[process], rate, flags, now_us);
                }
                desk.heard[process].kept_ppm = 0;
                desk.heard[process].share_period = UINT64_MAX;
            } else {
                tell(process, rates[process], rate, flags, now_us);
            }
            rates[process] = rate;
            told_us[process] = now_us;
            const struct weir_store_key *store = &desk.store;
            const uint64_t resting_ppm = store->resting_ppm[0] + store->resting_ppm[1];
            uint64_t kept_ppm = 0;
            for (uint32_t i = 0; i < DESK_PROCESSES; i++) {
                kept_ppm += now_us - told_us[i] < WEIR_SHARE_US ? desk.heard[i].kept_ppm : 0;
                kept_count += desk.heard[i].kept_ppm != 0;
            }
            assert_true(kept_ppm <= resting_ppm);
            assert_true(resting_ppm <= ALL_PPM);
        }
    }
    assert_true(kept_count > 100000);
}

/* --- the process --- */

static void rests(uint32_t kept_ppm)
{
    const struct weir_answer answer = {
        .store_us = START_US, .kept_ppm = kept_ppm, .resting_ppm = kept_ppm};

    answered(0, 20000, 100000);
    cold->rate_reported_milli = 0;
    degraded_answered(limiter, 0, SMALL_START_NS, &answer, false);
}

static void who_rests_has_its_share_when_it_comes_back(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    rests(200000);

    assert_int_equal(admitted(1 * SECOND_US), 20);
    assert_int_equal(admitted(30 * SECOND_US), 200); /* a share of the capacity */
}

static void a_share_that_rests_lasts_a_share_period(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    rests(200000);
    assert_int_equal(admitted(WEIR_SHARE_US - 1), 199);

    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    rests(200000);
    assert_int_equal(admitted(WEIR_SHARE_US), 1); /* the floor */
}

/* It counts until the shard is lost, not until a request comes. */
static void an_outage_does_not_end_a_share_that_rests(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    rests(200000);
    limiter->breakers[0].heard_ns = at(SECOND_US);
    limiter->breakers[0].failing_ns = at(2 * SECOND_US);

    assert_int_equal(admitted(5 * WEIR_SHARE_US), 200);
}

/* A late answer says how it was when the store gave it. */
static void a_share_that_rests_is_as_old_as_its_answer(void **state)
{
    (void)state;
    const struct weir_answer answer = {
        .store_us = START_US, .kept_ppm = 200000, .resting_ppm = 200000};
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    cold->rate_reported_milli = 0;
    degraded_answered(limiter, 0, at(WEIR_SHARE_US - SECOND_US), &answer, false);

    assert_int_equal(admitted(WEIR_SHARE_US), 1);
}

/* They may have begun again: what is left counts by what they all used when they were active. */
static void what_others_may_have_used_meanwhile_comes_off(void **state)
{
    (void)state;
    with_plan(window_plan(1000, MINUTE_US), WEIR_DEGRADED_BOUNDED);
    const struct weir_answer answer = {
        .store_us = START_US, .remaining_units = 900, .kept_ppm = 200000, .resting_ppm = ALL_PPM};
    answered(1000, 10000, 50000);
    cold->rate_reported_milli = 0;
    degraded_answered(limiter, 0, SMALL_START_NS, &answer, false);

    assert_int_equal(admitted(5 * SECOND_US), (900 - 5 * 40) / 5);
}

static void the_active_divide_what_those_that_rest_leave(void **state)
{
    (void)state;
    const struct weir_answer answer = {
        .store_us = START_US, .global_rate_milli = 100000, .resting_ppm = 600000};
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    cold->rate_reported_milli = 50000;
    degraded_answered(limiter, 0, SMALL_START_NS, &answer, false);

    assert_int_equal(admitted(1 * SECOND_US), 20);
}

static struct weir_ask asks(unsigned flags)
{
    struct weir_ask ask;

    hot->flags |= (uint16_t)flags;
    asking_build(limiter, 0, SMALL_START_NS, &ask);
    return ask;
}

static void the_next_ask_says_what_was_kept(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    cold->kept_ppm = 300;
    cold->rate_share_period = 5;

    const struct weir_ask ask = asks(0);
    assert_int_equal(ask.flags, 0);
    assert_int_equal(ask.kept_ppm_before, 300);
    assert_int_equal(cold->kept_ppm, 0);
    asking_take_back(limiter, 0, SMALL_START_NS, &ask); /* refused: it rests as before */
    assert_int_equal(cold->kept_ppm, 300);
    assert_int_equal(cold->rate_share_period, 5);
    assert_int_equal(asks(HOT_RETURN).flags, WEIR_ASK_RETURN | WEIR_ASK_REST);
}

static void last_words_keep_nothing(void **state)
{
    (void)state;
    struct weir_ask ask;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    cold->kept_ppm = 300;

    outbox_last_words(limiter, 0, SMALL_START_NS);

    assert_true(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
    assert_int_equal(ask.flags, WEIR_ASK_RETURN);
    assert_int_equal(ask.kept_ppm_before, 300);
}

static void a_request_that_the_store_decides_ends_the_rest(void **state)
{
    (void)state;
    struct weir_ask ask = {.id = {.sequence = 3}};
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    cold->kept_ppm = 300;
    ask.key = hot->key;

    direct_tell_key(limiter, 0, SMALL_START_NS, &ask);
    assert_int_equal(ask.kept_ppm_before, 300);
    assert_int_equal(cold->kept_ppm, 0);
    direct_demand_untold(limiter, &ask);
    assert_int_equal(cold->kept_ppm, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_rests_keeps_its_share_and_takes_it_along, reset),
        cmocka_unit_test_setup(who_comes_takes_nothing_from_who_rests, reset),
        cmocka_unit_test_setup(what_rests_is_forgotten_after_two_share_periods, reset),
        cmocka_unit_test_setup(who_rests_on_keeps_what_is_still_counted, reset),
        cmocka_unit_test_setup(who_leaves_keeps_nothing, reset),
        cmocka_unit_test_setup(a_repeated_ask_rests_once, reset),
        cmocka_unit_test_setup(shares_of_the_largest_rates_are_exact, reset),
        cmocka_unit_test(all_shares_together_are_no_more_than_the_whole),
        cmocka_unit_test(who_rests_has_its_share_when_it_comes_back),
        cmocka_unit_test(a_share_that_rests_lasts_a_share_period),
        cmocka_unit_test(an_outage_does_not_end_a_share_that_rests),
        cmocka_unit_test(a_share_that_rests_is_as_old_as_its_answer),
        cmocka_unit_test(what_others_may_have_used_meanwhile_comes_off),
        cmocka_unit_test(the_active_divide_what_those_that_rest_leave),
        cmocka_unit_test(the_next_ask_says_what_was_kept),
        cmocka_unit_test(last_words_keep_nothing),
        cmocka_unit_test(a_request_that_the_store_decides_ends_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
