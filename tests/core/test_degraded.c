/* What a process admits without the store, by policy. */
#include "spell.h"

static void a_key_never_answered_for_has_its_floor_alone(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);

    assert_int_equal(admitted(1 * SECOND_US), 1);
    assert_int_equal(admitted(59 * SECOND_US), 0);
    assert_int_equal(admitted(61 * SECOND_US), 1);
}

static void while_its_breaker_is_not_closed_a_shard_is_not_believed(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(100, 20000, 100000);
    assert_int_equal(admitted(0), 20);

    limiter->breakers[0].state = WEIR_BREAKER_HALF_OPEN;
    answered(100, 20000, 100000);
    assert_int_equal(admitted(0), 0);
    limiter->breakers[0].state = WEIR_BREAKER_CLOSED;
    answered(100, 20000, 100000);
    assert_int_equal(admitted(0), 20);
}

static void uniform_and_share_start_full_once(void **state)
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
    answered_late(0, 0, 50000, 100000);
    assert_int_equal(admitted(0), 0);
    assert_int_equal(admitted(1 * SECOND_US), 50); /* whatever is left */
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
    assert_int_equal(decision.retry_after_ns, NS_PER_S);
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

static void a_grace_says_nothing_to_budget_from(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(0, 20000, 100000);
    const struct weir_answer grace = {
        .flags = WEIR_ANSWER_GRACE, .store_us = START_US, .remaining_units = 1000};
    degraded_answered(limiter, 0, SMALL_START_NS, &grace, false);

    assert_int_equal(admitted(1 * SECOND_US), 20);
}

static void the_first_answer_ever_is_believed_however_late(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    assert_int_equal(admitted(0), 1);
    answered_late(0, 100, 20000, 100000);

    assert_int_equal(admitted(0), 20);
}

static void no_share_is_more_than_all(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    answered(100, 200000, 100000);

    assert_int_equal(admitted(0), 100);
}

static void promised_permits_count_against_the_share(void **state)
{
    (void)state;
    with_plan(bucket_plan(100, 1000), WEIR_DEGRADED_BOUNDED);
    cold->trickle[0] = 10;
    cold->trickle_taken = 4;
    cold->trickle[1] = 5;
    answered(0, 20000, 100000);

    assert_int_equal(admitted(1 * SECOND_US), 20 - 11);
}

static void what_is_reported_as_degraded_is_of_its_window(void **state)
{
    (void)state;
    with_plan(bucket_plan(1, 1), WEIR_DEGRADED_OPEN);
    assert_true(admits(0, 5));
    assert_int_equal(limiter->degraded[0].window_units, 5);
    assert_true(admits(60 * SECOND_US, 2));
    assert_int_equal(limiter->degraded[0].window_units, 2);
}

/* Five units of a fiftieth of one per second. */
static void only_bounded_promises_a_floor_in_the_next_window(void **state)
{
    (void)state;
    with_plan(bucket_plan(1, 1000), WEIR_DEGRADED_UNIFORM);
    assert_int_equal(admitted(0), 20);

    assert_in_range(decide(0, 5).retry_after_ns, 250 * NS_PER_S, 251 * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_never_answered_for_has_its_floor_alone),
        cmocka_unit_test(while_its_breaker_is_not_closed_a_shard_is_not_believed),
        cmocka_unit_test(uniform_and_share_start_full_once),
        cmocka_unit_test(open_admits_all_and_closed_nothing),
        cmocka_unit_test(a_limit_of_zero_admits_not_even_the_floor),
        cmocka_unit_test(a_grace_says_nothing_to_budget_from),
        cmocka_unit_test(the_first_answer_ever_is_believed_however_late),
        cmocka_unit_test(no_share_is_more_than_all),
        cmocka_unit_test(promised_permits_count_against_the_share),
        cmocka_unit_test(what_is_reported_as_degraded_is_of_its_window),
        cmocka_unit_test(only_bounded_promises_a_floor_in_the_next_window),
        cmocka_unit_test(a_client_that_waits_as_told_is_admitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
