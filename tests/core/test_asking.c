/* What an ask says, and who asks first. When to ask is policy, seen in the tests of the limiter and
 * of the simulator. */
#include "small_limiter.h"

#include "weir/take.h"

static struct weir_limiter *limiter;
static struct hot *hot;
static struct cold *cold;

static int reset(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(10, 100);

    limiter = small_limiter(&plan);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(small_slot(limiter, i), i);
    }
    hot = &limiter->hot[0];
    cold = &limiter->cold[0];
    return 0;
}

static void hold(uint32_t held_units, uint32_t leased_units)
{
    hot->held_units = held_units;
    cold->leased_units = leased_units;
}

static struct weir_ask build(void)
{
    struct weir_ask ask;

    asking_build(limiter, 0, SMALL_START_NS, &ask);
    return ask;
}

static void asks_are_handed_out_in_the_order_they_were_queued(void **state)
{
    (void)state;
    struct weir_ask ask;
    asking_queue(limiter, 2, 0);
    asking_queue(limiter, 0, 0);
    asking_queue(limiter, 2, 0); /* is queued already */
    asking_queue(limiter, 1, 0);

    for (uint32_t i = 0; i < 3; i++) {
        static const uint64_t ORDER[] = {2, 0, 1};
        assert_true(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
        assert_int_equal(ask.key.low, ORDER[i]);
        assert_int_equal(ask.id.sequence, i + 1);
        assert_int_equal(ask.id.process, 7);
        assert_int_equal(ask.id.incarnation, 8);
    }
    assert_false(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
    asking_queue(limiter, 0, 0); /* one at a time: the first is not answered yet */
    assert_false(weir_limiter_next_ask(limiter, SMALL_START_NS, &ask));
}

/* What waits, beyond what is held; and the least that lets one of them through. */
static void the_need_is_what_waits_beyond_what_is_held(void **state)
{
    (void)state;
    static const struct {
        uint32_t held, costs[3];
        uint32_t need, least;
    } CASES[] = {
        {0, {0, 0, 0}, 0, 0},  {0, {5, 0, 0}, 5, 5},  {0, {5, 3, 9}, 17, 3},
        {2, {5, 3, 9}, 15, 1}, {4, {5, 3, 9}, 13, 1}, {4, {5, 0, 0}, 1, 1},
        {9, {9, 0, 0}, 1, 1},  {20, {5, 3, 0}, 1, 1}, /* enough is held: the answer will settle them
                                                       */
        {7, {8, 0, 0}, 1, 1},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        uint64_t ticket;
        reset(NULL);
        hold(CASES[i].held, CASES[i].held);
        for (size_t j = 0; j < 3 && CASES[i].costs[j] != 0; j++) {
            assert_true(waiting_add(limiter, 0, SMALL_START_NS, CASES[i].costs[j], &ticket));
        }
        const struct weir_ask ask = build();
        assert_int_equal(ask.need_units, CASES[i].need);
        assert_int_equal(ask.least_units, CASES[i].least);
        assert_true(ask.want_units >= ask.need_units);
    }
}

static void an_ask_reports_and_starts_afresh(void **state)
{
    (void)state;
    hold(3, 10);
    cold->lease_end_us = 44;
    cold->returned_units = 5;
    cold->expired_units = 2;
    cold->unused_units = 6;
    cold->version = 77;
    cold->largest_units = 9;
    cold->rate_reported_milli = 123;
    cold->rate_share_period = 4;

    const struct weir_ask ask = build();

    assert_int_equal(ask.held_units, 3);
    assert_int_equal(ask.spent_units, 7);
    assert_int_equal(ask.returned_units, 5);
    assert_int_equal(ask.expired_units, 2);
    assert_int_equal(ask.unused_units, 6);
    assert_int_equal(ask.lease_end_us, 44);
    assert_int_equal(ask.version_seen, 77);
    assert_int_equal(ask.largest_units, 9);
    assert_int_equal(ask.rate_milli_before, 123);
    assert_int_equal(ask.rate_share_period, 4);
    assert_int_equal(ask.rate_milli, 1); /* slow is not none */
    assert_int_equal(ask.flags, 0);
    const struct weir_ask next = build();
    assert_int_equal(
        next.spent_units + next.returned_units + next.expired_units + next.unused_units, 0);
    assert_int_equal(next.held_units, 3);
    assert_int_equal(next.rate_milli_before, 1);
    assert_int_equal(next.id.sequence, ask.id.sequence + 1);
    assert_int_equal(hot->flags & (HOT_IN_FLIGHT | HOT_QUEUED), HOT_IN_FLIGHT);
}

static void an_ask_that_gives_back_wants_nothing_and_leaves_the_count(void **state)
{
    (void)state;
    hold(3, 10);
    cold->returned_units = 5;
    cold->rate_share_period = 4;
    hot->flags |= HOT_RETURN;

    const struct weir_ask ask = build();

    assert_int_equal(ask.flags, WEIR_ASK_RETURN | WEIR_ASK_REST);
    assert_int_equal(ask.returned_units, 8);
    assert_int_equal(ask.spent_units, 7);
    assert_int_equal(ask.held_units, 0);
    assert_int_equal(ask.want_units, 0);
    assert_int_equal(ask.need_units, 0);
    assert_int_equal(ask.rate_milli, 0);
    assert_int_equal(hot->held_units, 0);
    assert_int_equal(cold->leased_units, 0);
    assert_int_equal(cold->rate_share_period, NEVER);
    assert_int_equal(hot->flags & HOT_RETURN, 0);
}

static void what_is_far_more_than_the_demand_is_given_back(void **state)
{
    (void)state;
    hold(50, 53);

    const struct weir_ask ask = build();

    assert_in_range(ask.returned_units, 1, 49);
    assert_int_equal(ask.held_units + ask.returned_units, 50);
    assert_int_equal(ask.spent_units, 3);
    assert_int_equal(hot->held_units, ask.held_units);
    assert_int_equal(cold->leased_units, ask.held_units);
}

static void whoever_waits_turns_a_return_into_a_question(void **state)
{
    (void)state;
    uint64_t ticket;
    hold(3, 3);
    hot->flags |= HOT_RETURN;
    assert_true(waiting_add(limiter, 0, SMALL_START_NS, 4, &ticket));

    const struct weir_ask ask = build();

    assert_int_equal(ask.flags & WEIR_ASK_RETURN, 0);
    assert_int_equal(ask.need_units, 1);
    assert_int_equal(ask.held_units, 3);
}

static void promises_are_cancelled_with_what_was_taken_of_them(void **state)
{
    (void)state;
    hold(3, 6);
    cold->trickle_period = 55;
    cold->trickle[0] = 10;
    cold->trickle[1] = 20;
    cold->trickle_taken = 4;
    assert_int_equal(build().flags, WEIR_ASK_HAS_TRICKLE);
    hot->flags |= HOT_RETURN;
    cold->retry_us = 66;

    const struct weir_ask ask = build();

    assert_true(ask.flags & WEIR_ASK_CANCEL_TRICKLE);
    assert_int_equal(ask.trickle_period, 55);
    assert_int_equal(ask.trickle_count[0], 10);
    assert_int_equal(ask.trickle_count[1], 20);
    assert_int_equal(ask.trickle_accrued, 4);
    assert_int_equal(weir_limiter_held_units(limiter, &hot->key), 0);
    assert_int_equal(cold->retry_us, 0);
}

/* Two round trips, rounded up to a power of two of milliseconds; none if that cannot be counted on.
 */
static void the_flight_time_is_two_round_trips(void **state)
{
    (void)state;
    static const struct {
        uint64_t round_trip_ns;
        uint32_t held_units, flight_us;
    } CASES[] = {
        {0, 0, 1000},       {500000, 0, 1000},   {500001, 0, 2000}, {1000000, 0, 2000},
        {1000001, 0, 4000}, {8000000, 0, 16000}, {8000001, 0, 0},   {90000000, 0, 0},
        {500000, 1, 0}, /* another request may take what is held first */
    };

    assert_int_equal(build().flight_us, WEIR_FLIGHT_US_MAX); /* not known yet */
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        reset(NULL);
        limiter->options.wait_max_ns = NS_PER_S;
        small_clock(limiter, CASES[i].round_trip_ns);
        hold(CASES[i].held_units, CASES[i].held_units);
        assert_int_equal(build().flight_us, CASES[i].flight_us);
    }
}

static void in_windows_nothing_is_in_flight_for_longer_than_requests_wait(void **state)
{
    (void)state;
    limiter->options.wait_max_ns = 1500 * NS_PER_US;
    small_clock(limiter, 1500 * NS_PER_US + 1);
    assert_int_equal(build().flight_us, 4000); /* a bucket */

    limiter->plans[0] = windowed_plan(WEIR_ALGORITHM_WINDOW, 1000, 10 * SECOND_US);
    assert_int_equal(build().flight_us, 0);
    small_clock(limiter, 1500 * NS_PER_US);
    assert_int_equal(build().flight_us, 4000);
}

static void more_held_than_was_leased_is_noticed(void **state)
{
    (void)state;
    hold(3, 2);

    expect_assert_failure(build());
}

static void a_fixed_sizer_wants_its_lease(void **state)
{
    (void)state;
    const struct weir_plan plan = fixed_plan(bucket_plan(10, 100), 20);
    limiter->plans[0] = plan;

    assert_int_equal(build().want_units, 20);
    limiter->plans[0].fixed_lease_units = UINT32_MAX; /* what is held must not overflow */
    assert_int_equal(build().want_units, UINT32_C(1) << 30);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(asks_are_handed_out_in_the_order_they_were_queued),
        TEST(the_need_is_what_waits_beyond_what_is_held),
        TEST(an_ask_reports_and_starts_afresh),
        TEST(an_ask_that_gives_back_wants_nothing_and_leaves_the_count),
        TEST(what_is_far_more_than_the_demand_is_given_back),
        TEST(whoever_waits_turns_a_return_into_a_question),
        TEST(promises_are_cancelled_with_what_was_taken_of_them),
        TEST(the_flight_time_is_two_round_trips),
        TEST(in_windows_nothing_is_in_flight_for_longer_than_requests_wait),
        TEST(more_held_than_was_leased_is_noticed),
        TEST(a_fixed_sizer_wants_its_lease),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
