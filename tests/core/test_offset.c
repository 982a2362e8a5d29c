/* What time it is at the store: the midpoint of a round trip, an error bar that grows, the best
 * recent answer. */
#include "unit.h"

#include "limiter_private.h"

#define LOCAL_NS (UINT64_C(5) * NS_PER_S)
#define STORE_US UINT64_C(1700000000000000)

/* Small linear congruential generator (Knuth, MMIX). */
static uint64_t random_below(uint64_t *seed, uint64_t bound)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % bound;
}

static struct clock_offset learned(uint64_t sent_ns, uint64_t received_ns, uint64_t store_us)
{
    struct clock_offset clock = {0};

    clock_learn(&clock, sent_ns, received_ns, store_us);
    return clock;
}

static void the_midpoint_of_the_round_trip_is_the_stores_time(void **state)
{
    (void)state;
    const struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 1000000, STORE_US);

    assert_true(clock.known);
    assert_int_equal(clock_store_ns(&clock, LOCAL_NS + 500000), STORE_US * 1000 + 500);
    assert_int_equal(clock.error_ns, 501000);
    assert_int_equal(clock.round_trip_ns, 1000000);
    assert_int_equal(clock.measured_ns, LOCAL_NS + 1000000);
}

static void a_store_behind_the_local_clock_has_a_negative_offset(void **state)
{
    (void)state;
    const struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 2, 3);

    assert_int_equal(clock_store_ns(&clock, LOCAL_NS + 1), 3500);
    assert_int_equal(clock_early_ns(&clock, LOCAL_NS + 2), 3501 - 1002);
    assert_int_equal(clock_early_ns(&clock, LOCAL_NS + 2 + 10 * NS_PER_S),
                     3501 + 10 * NS_PER_S - 1002 - 2000000);
}

static void the_early_bound_does_not_go_below_zero(void **state)
{
    (void)state;
    const struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 20000, 0);

    assert_int_equal(clock_early_ns(&clock, LOCAL_NS + 20000), 0);
}

static void the_error_bar_grows_by_200_ppm(void **state)
{
    (void)state;
    static const struct {
        uint64_t age_ns;
        uint64_t error_ns;
    } CASES[] = {
        {0, 51001},
        {4999, 51001},
        {5000, 51002},
        {NS_PER_S, 51001 + 200000},
        {86400 * NS_PER_S, 51001 + 86400 * UINT64_C(200000)},
    };
    const struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 100000, STORE_US);

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const uint64_t now_ns = LOCAL_NS + 100000 + CASES[i].age_ns;
        const uint64_t store_ns = clock_store_ns(&clock, now_ns);
        assert_int_equal(clock_error_ns(&clock, now_ns), CASES[i].error_ns);
        assert_int_equal(clock_early_ns(&clock, now_ns), store_ns - CASES[i].error_ns);
        assert_int_equal(clock_late_ns(&clock, now_ns), store_ns + CASES[i].error_ns);
    }
}

/* D23: an answer after 4.9 ms does not displace one after 0.2 ms, until that one's bar has grown as
 * wide. */
static void d23_the_best_recent_answer_wins(void **state)
{
    (void)state;
    struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 200000, STORE_US);
    const uint64_t good_ns = clock_store_ns(&clock, LOCAL_NS);
    uint64_t later_ns = LOCAL_NS + NS_PER_S;

    clock_learn(&clock, later_ns, later_ns + 4900000, STORE_US + 1000000 + 4000);
    assert_int_equal(clock_store_ns(&clock, LOCAL_NS), good_ns);
    assert_int_equal(clock.round_trip_ns, 4900000);

    later_ns = LOCAL_NS + 12 * NS_PER_S; /* 2.4 ms of drift by now */
    clock_learn(&clock, later_ns, later_ns + 4900000, STORE_US + 12000000);
    assert_int_equal(clock_store_ns(&clock, later_ns + 2450000),
                     STORE_US * 1000 + 12 * NS_PER_S + 500);
    assert_int_equal(clock.error_ns, 2451000);
}

static void an_answer_as_good_as_the_one_in_force_replaces_it(void **state)
{
    (void)state;
    struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 200000, STORE_US);
    const uint64_t later_ns = LOCAL_NS + 1000000;

    clock_learn(&clock, later_ns, later_ns + 200000, STORE_US + 1010);

    assert_int_equal(clock.measured_ns, later_ns + 200000);
    assert_int_equal(clock_store_ns(&clock, later_ns + 100000), (STORE_US + 1010) * 1000 + 500);
}

static void the_round_trip_remembers_slow_answers_for_a_while(void **state)
{
    (void)state;
    struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 1600000, STORE_US);

    clock_learn(&clock, LOCAL_NS + 2000000, LOCAL_NS + 2000000 + 160000, STORE_US + 2000);
    assert_int_equal(clock.round_trip_ns, 1500000);
    clock_learn(&clock, LOCAL_NS + 3000000, LOCAL_NS + 3000000 + 1406250, STORE_US + 3000);
    assert_int_equal(clock.round_trip_ns, 1406250);
    clock_learn(&clock, LOCAL_NS + 5000000, LOCAL_NS + 5000000 + 9000000, STORE_US + 9000);
    assert_int_equal(clock.round_trip_ns, 9000000);
}

static void an_answer_before_its_ask_is_refused(void **state)
{
    (void)state;
    struct clock_offset clock = {0};

    expect_assert_failure(clock_learn(&clock, LOCAL_NS, LOCAL_NS - 1, STORE_US));
}

static void an_unknown_offset_tells_no_time(void **state)
{
    (void)state;
    const struct clock_offset clock = {0};

    expect_assert_failure(clock_store_ns(&clock, LOCAL_NS));
    expect_assert_failure(clock_early_ns(&clock, LOCAL_NS));
    expect_assert_failure(clock_late_ns(&clock, LOCAL_NS));
    expect_assert_failure(clock_surely_before_ns(&clock, LOCAL_NS, STORE_US));
    expect_assert_failure(clock_surely_reached_ns(&clock, LOCAL_NS, STORE_US));
}

static void a_time_too_far_off_is_never_reached(void **state)
{
    (void)state;
    const struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 1000, STORE_US);
    const uint64_t last_us = NEVER / 2 / NS_PER_US;

    assert_int_equal(clock_surely_before_ns(&clock, LOCAL_NS + 1000, NEVER), NEVER);
    assert_int_equal(clock_surely_before_ns(&clock, LOCAL_NS + 1000, last_us + 1), NEVER);
    assert_true(clock_surely_before_ns(&clock, LOCAL_NS + 1000, last_us) < NEVER);
    assert_int_equal(clock_surely_reached_ns(&clock, LOCAL_NS + 1000, NEVER), NEVER);
    assert_int_equal(clock_surely_reached_ns(&clock, LOCAL_NS + 1000, last_us + 1), NEVER);
    assert_true(clock_surely_reached_ns(&clock, LOCAL_NS + 1000, last_us) < NEVER);
}

static void a_time_that_may_be_over_is_over_now(void **state)
{
    (void)state;
    const struct clock_offset clock = learned(LOCAL_NS, LOCAL_NS + 1000, STORE_US);
    const uint64_t now_ns = LOCAL_NS + 1000;

    /* the store's clock is in [STORE_US - 0.502 us, STORE_US + 2.502 us] now */
    assert_int_equal(clock_surely_before_ns(&clock, now_ns, STORE_US), now_ns);
    assert_int_equal(clock_surely_before_ns(&clock, now_ns, STORE_US + 2), now_ns);
    assert_int_equal(clock_surely_before_ns(&clock, now_ns, STORE_US + 3), now_ns + 499 - 2);
    assert_int_equal(clock_surely_reached_ns(&clock, now_ns, STORE_US - 1), now_ns);
    assert_int_equal(clock_surely_reached_ns(&clock, now_ns, STORE_US), now_ns + 501 + 2);
}

/* Property: a shortcut never lets anything pass too late, and a deadline never comes too early. */
static void the_bounds_hold_at_the_instants_they_name(void **state)
{
    (void)state;
    uint64_t seed = 1;

    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t sent_ns = random_below(&seed, 100 * NS_PER_S);
        const uint64_t received_ns = sent_ns + random_below(&seed, 10000000);
        const struct clock_offset clock =
            learned(sent_ns, received_ns, STORE_US + random_below(&seed, 1000000));
        const uint64_t now_ns = received_ns + random_below(&seed, 1000 * NS_PER_S);
        const uint64_t gap_us = random_below(&seed, UINT64_C(1) << (1 + random_below(&seed, 31)));
        const uint64_t store_us = clock_late_ns(&clock, now_ns) / 1000 + 1 + gap_us;
        const uint64_t before_ns = clock_surely_before_ns(&clock, now_ns, store_us);
        const uint64_t reached_ns = clock_surely_reached_ns(&clock, now_ns, store_us);

        assert_true(before_ns >= now_ns);
        assert_true(clock_late_ns(&clock, before_ns) <= store_us * 1000);
        assert_true(reached_ns > before_ns);
        assert_true(clock_early_ns(&clock, reached_ns) >= store_us * 1000);
        /* and are not wasteful: within a microsecond and 200 ppm of the best */
        assert_true(clock_late_ns(&clock, before_ns + 1000 + gap_us / 10) > store_us * 1000);
        assert_true(clock_early_ns(&clock, reached_ns - 10 - gap_us / 10) <= store_us * 1000);
    }
}

/* Property: whatever the delays and a drift of 200 ppm, the store's true time lies within the bar.
 */
static void the_true_time_lies_within_the_bar(void **state)
{
    (void)state;
    uint64_t seed = 7;
    struct clock_offset clock = {0};
    uint64_t true_ns = NS_PER_S;

    for (unsigned i = 0; i < 50000; i++) {
        true_ns += random_below(&seed, 100000000);
        const uint64_t there_ns = random_below(&seed, 3000000);
        const uint64_t back_ns = random_below(&seed, 3000000);
        /* the local clock runs 200 ppm slow and started at 77 s */
        const uint64_t sent_ns = 77 * NS_PER_S + true_ns - true_ns / 5000;
        const uint64_t after_ns = true_ns + there_ns + back_ns;
        const uint64_t received_ns = 77 * NS_PER_S + after_ns - after_ns / 5000;
        clock_learn(&clock, sent_ns, received_ns, (true_ns + there_ns) / 1000);
        true_ns = after_ns + random_below(&seed, 100000000);
        const uint64_t now_ns = 77 * NS_PER_S + true_ns - true_ns / 5000;
        assert_true(clock_early_ns(&clock, now_ns) <= true_ns + 1000);
        assert_true(clock_late_ns(&clock, now_ns) + 1000 >= true_ns);
    }
}

/* 200 ppm of a second, and a nanosecond. */
static void a_wait_is_long_enough_for_a_clock_that_is_faster(void **state)
{
    (void)state;
    assert_int_equal(clock_wait_ns(7, 7), 1);
    assert_int_equal(clock_wait_ns(8, 7), 1);
    assert_int_equal(clock_wait_ns(7, 7 + 4999), 5001);
    assert_int_equal(clock_wait_ns(7, 7 + UINT64_C(4999000000)), UINT64_C(5000000001));
    assert_int_equal(clock_wait_ns(7, NEVER), NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_midpoint_of_the_round_trip_is_the_stores_time),
        cmocka_unit_test(a_store_behind_the_local_clock_has_a_negative_offset),
        cmocka_unit_test(the_early_bound_does_not_go_below_zero),
        cmocka_unit_test(the_error_bar_grows_by_200_ppm),
        cmocka_unit_test(d23_the_best_recent_answer_wins),
        cmocka_unit_test(an_answer_as_good_as_the_one_in_force_replaces_it),
        cmocka_unit_test(the_round_trip_remembers_slow_answers_for_a_while),
        cmocka_unit_test(an_answer_before_its_ask_is_refused),
        cmocka_unit_test(an_unknown_offset_tells_no_time),
        cmocka_unit_test(a_time_too_far_off_is_never_reached),
        cmocka_unit_test(a_time_that_may_be_over_is_over_now),
        cmocka_unit_test(the_bounds_hold_at_the_instants_they_name),
        cmocka_unit_test(a_wait_is_long_enough_for_a_clock_that_is_faster),
        cmocka_unit_test(the_true_time_lies_within_the_bar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
