/* The sizes of simple leases, to the unit: fixed, rate and doubling. What the store makes of them
 * is tested in test_grant.c and, over whole bursts, here. */
#include "small_limiter.h"

#include "weir/take.h"

static struct weir_limiter *limiter;
static struct hot *hot;
static struct cold *cold;

static struct weir_plan plan_with(enum weir_sizer sizer, uint64_t limit_units)
{
    const struct weir_plan_options options = {
        .version = 1,
        .algorithm = WEIR_ALGORITHM_WINDOW,
        .sizer = sizer,
        .rate_units = limit_units,
        .rate_period_us = MINUTE_US,
        .window_us = MINUTE_US,
        .fixed_lease_units = 20,
    };

    return plan_from(&options);
}

/* A key in slot 0, never asked for. */
static void start(enum weir_sizer sizer)
{
    const struct weir_plan plan = plan_with(sizer, 100000);

    limiter = small_limiter(&plan);
    assert_int_equal(small_slot(limiter, 0), 0);
    hot = &limiter->hot[0];
    cold = &limiter->cold[0];
}

static uint32_t wanted_after_ms(uint64_t time_ms)
{
    return sizer_want_units(limiter, 0, SMALL_START_NS + time_ms * NS_PER_MS);
}

static void a_fixed_lease_is_the_plans(void **state)
{
    (void)state;
    start(WEIR_SIZER_FIXED);

    assert_int_equal(wanted_after_ms(0), 20);
    sizer_lease_granted(limiter, 0, 20);
    assert_int_equal(wanted_after_ms(0), 20);
    sizer_lease_ended(limiter, 0, 7);
    assert_int_equal(wanted_after_ms(0), 20);
}

static void a_rate_lease_is_a_tenth_of_what_a_window_brings(void **state)
{
    (void)state;
    static const struct {
        uint32_t seen_units; /* in 12 s, a fifth of the window */
        uint32_t wanted;
    } CASES[] = {
        {0, 1},     {1, 1},     {2, 1},      {4, 2},          {100, 50},         {198, 99},
        {200, 100}, {202, 100}, {2400, 100}, {1u << 31, 100}, {UINT32_MAX, 100},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        start(WEIR_SIZER_RATE);
        hot->demand_units = CASES[i].seen_units;
        assert_int_equal(wanted_after_ms(12000), CASES[i].wanted);
    }
}

/* The longest window at the highest rate must not wrap. */
static void a_rate_lease_of_a_month_is_a_hundred(void **state)
{
    (void)state;
    start(WEIR_SIZER_RATE);
    limiter->plans[0].window_us = WEIR_WINDOW_US_MAX;
    hot->demand_units = UINT32_MAX;
    assert_int_equal(wanted_after_ms(10000), 100);
    start(WEIR_SIZER_RATE);
    limiter->plans[0].window_us = WEIR_WINDOW_US_MAX;
    cold->rate_before_milli = UINT32_MAX - 1;
    assert_int_equal(wanted_after_ms(0), 1); /* idle until now */
    assert_int_equal(wanted_after_ms(9999), 100);
    start(WEIR_SIZER_RATE);
    limiter->plans[0].window_us = WEIR_WINDOW_US_MIN;
    cold->rate_before_milli = 500000000;
    assert_int_equal(wanted_after_ms(1), 50); /* 500 per ms */
}

static void a_rate_lease_after_an_idle_spell_starts_at_one(void **state)
{
    (void)state;
    start(WEIR_SIZER_RATE);
    hot->demand_units = 2400;
    assert_int_equal(wanted_after_ms(12000), 100); /* 12,000 a minute */

    hot->demand_units = 5;
    cold->resumed_ms = 60000;
    assert_int_equal(wanted_after_ms(60000), 1);
    /* five requests in 48 s */
    assert_int_equal(cold->rate_before_milli, 104);
    hot->demand_units = 50;
    assert_int_equal(wanted_after_ms(61000), 3); /* 5.09 a second x 60 s, known by a tenth */
    hot->demand_units = 500;
    assert_int_equal(wanted_after_ms(69000), 100); /* 50 a second x 60 s, known by nine tenths */
}

/* The first request of all says nothing about a minute. */
static void a_rate_lease_of_a_new_key_grows_with_what_was_seen(void **state)
{
    (void)state;
    start(WEIR_SIZER_RATE);
    hot->demand_units = 1;
    assert_int_equal(wanted_after_ms(0), 1);
    hot->demand_units = 10;
    assert_int_equal(wanted_after_ms(1000), 6);
    hot->demand_units = 83;
    assert_int_equal(wanted_after_ms(10000), 50);
}

static void a_doubling_lease_grows_while_leases_are_used_up(void **state)
{
    (void)state;
    uint32_t expected = 1;
    start(WEIR_SIZER_DOUBLING);

    for (unsigned i = 0; i < 31; i++) {
        const uint32_t wanted = wanted_after_ms(0);
        assert_int_equal(wanted, expected);
        assert_int_equal(wanted_after_ms(0), expected); /* to ask again changes nothing */
        sizer_lease_granted(limiter, 0, wanted);
        sizer_lease_ended(limiter, 0, 0); /* nothing was left */
        expected = expected < GRANT_UNITS_MAX ? 2 * expected : expected;
    }
    assert_int_equal(wanted_after_ms(0), GRANT_UNITS_MAX);
}

static void a_doubling_lease_is_halved_when_its_window_ends_with_permits_left(void **state)
{
    (void)state;
    static const uint32_t HALVES[] = {50, 25, 12, 6, 3, 1, 1};
    uint32_t lease = 100;
    start(WEIR_SIZER_DOUBLING);

    for (size_t i = 0; i < sizeof HALVES / sizeof HALVES[0]; i++) {
        sizer_lease_granted(limiter, 0, lease);
        sizer_lease_ended(limiter, 0, 1);
        lease = wanted_after_ms(0);
        assert_int_equal(lease, HALVES[i]);
    }
    sizer_lease_granted(limiter, 0, 1);
    assert_int_equal(wanted_after_ms(0), 2);
}

/* What the store cut short is the lease that is doubled; what it refused is none. */
static void a_doubling_lease_is_twice_what_was_granted(void **state)
{
    (void)state;
    start(WEIR_SIZER_DOUBLING);

    sizer_lease_granted(limiter, 0, 64);
    assert_int_equal(wanted_after_ms(0), 128);
    sizer_lease_granted(limiter, 0, 20);
    assert_int_equal(wanted_after_ms(0), 40);
    sizer_lease_granted(limiter, 0, 0);
    assert_int_equal(wanted_after_ms(0), 40);
}

/* One process and its store, without latency. */
struct pair {
    struct weir_store_key store;
    struct weir_ask_record record;
    uint64_t now_ns; /* since SMALL_START_NS */
    uint32_t ask_count;
    uint32_t last_want_units;
    uint32_t last_granted_units;
};

static uint64_t store_us(const struct pair *pair)
{
    return START_US + pair->now_ns / NS_PER_US;
}

/* `count` other processes that have asked for one unit each. */
static void add_others(struct pair *pair, const struct weir_plan *plan, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_ask ask = {
            .key = small_key(0),
            .id = {.process = 100 + i, .sequence = 1, .incarnation = 1},
            .plan = *plan,
            .need_units = 1,
            .least_units = 1,
            .want_units = 1,
            .largest_units = 1,
            .rate_milli = 1,
            .rate_share_period = NEVER,
        };
        struct weir_ask_record record = {0};
        struct weir_answer answer;
        assert_int_equal(weir_take(&pair->store, &record, &ask, store_us(pair), &the_run, &answer),
                         WEIR_OK);
        assert_int_equal(answer.granted_units, 1);
    }
}

static void exchange(struct pair *pair)
{
    const uint64_t local_ns = SMALL_START_NS + pair->now_ns;
    struct weir_settled settled;
    struct weir_answer answer;
    struct weir_ask ask;

    while (weir_limiter_next_ask(limiter, local_ns, &ask)) {
        pair->ask_count++;
        pair->last_want_units = ask.want_units;
        assert_int_equal(
            weir_take(&pair->store, &pair->record, &ask, store_us(pair), &the_run, &answer),
            WEIR_OK);
        pair->last_granted_units = answer.granted_units;
        assert_int_equal(weir_limiter_answer(limiter, local_ns, &answer), WEIR_OK);
    }
    while (weir_limiter_next_settled(limiter, &settled)) {
        assert_int_equal(settled.decision.verdict, WEIR_VERDICT_ADMITTED);
    }
}

/* `count` requests, gap_ns apart, all of them admitted. */
static void spend(struct pair *pair, uint32_t count, uint64_t gap_ns)
{
    const struct weir_request request = {
        .key = small_key(0), .endpoint = WEIR_NO_ENDPOINT, .cost = 1};

    for (uint32_t i = 0; i < count; i++) {
        struct weir_decision decision;
        struct weir_report report;
        assert_int_equal(
            weir_limiter_decide(limiter, SMALL_START_NS + pair->now_ns, &request, &decision),
            WEIR_OK);
        assert_int_not_equal(decision.verdict, WEIR_VERDICT_DENIED);
        exchange(pair);
        while (weir_limiter_next_report(limiter, &report)) {
        }
        pair->now_ns += gap_ns;
    }
}

/* A cold burst of 10,000 requests within a second, at a process of `active` ones. Returns its asks.
 */
static uint32_t asks_of_a_burst(enum weir_sizer sizer, uint64_t limit_units, uint32_t active)
{
    const struct weir_plan plan = plan_with(sizer, limit_units);
    struct pair pair = {0};

    limiter = small_limiter(&plan);
    add_others(&pair, &plan, active - 1);
    spend(&pair, 10000, 100 * NS_PER_US);
    return pair.ask_count;
}

static void a_cold_burst_costs_few_asks_without_the_cap_and_many_with_it(void **state)
{
    (void)state;
    /* 1 + 2 + ... + 2^13 = 16,383: the fourteenth lease is the first that is not used up */
    assert_int_equal(asks_of_a_burst(WEIR_SIZER_DOUBLING, UINT64_C(10000000000), 1), 14);
    /* 1 + 2 + 4 + 8 + 16 = 31, then at most 100,000 / 100 / 50 = 20: 5 + 499 */
    assert_int_equal(asks_of_a_burst(WEIR_SIZER_DOUBLING, 100000, 50), 504);
    /* alone: 1 + ... + 512 = 1,023, then at most 1,000: 10 + 9 */
    assert_int_equal(asks_of_a_burst(WEIR_SIZER_DOUBLING, 100000, 1), 19);
    assert_int_equal(asks_of_a_burst(WEIR_SIZER_FIXED, 100000, 50), 500);
}

/* Nothing is asked for ahead, and nothing comes back, before a request does not find enough; then
 * the window it was leased for is over, and the next is half as large. */
static void a_lease_lasts_until_its_window_ends(void **state)
{
    (void)state;
    const struct weir_plan plan = plan_with(WEIR_SIZER_DOUBLING, 100000);
    struct pair pair = {0};
    limiter = small_limiter(&plan);

    spend(&pair, 31, NS_PER_MS); /* 1 + 2 + 4 + 8 + 16 */
    assert_int_equal(pair.ask_count, 5);
    spend(&pair, 1, NS_PER_MS);
    assert_int_equal(pair.last_granted_units, 32);
    assert_true(weir_limiter_next_deadline_ns(limiter) >= SMALL_START_NS + 60 * NS_PER_S);
    pair.now_ns += 40 * NS_PER_S;
    weir_limiter_expire(limiter, SMALL_START_NS + pair.now_ns);
    exchange(&pair);
    assert_int_equal(pair.ask_count, 6);
    spend(&pair, 30, NS_PER_MS);
    assert_int_equal(pair.ask_count, 6); /* one is left */
    pair.now_ns += 25 * NS_PER_S;

    spend(&pair, 1, NS_PER_MS);
    assert_int_equal(pair.ask_count, 7);
    assert_int_equal(pair.last_granted_units, 16);
    pair.now_ns += 60 * NS_PER_S;
    spend(&pair, 8, NS_PER_MS);
    assert_int_equal(pair.ask_count, 8);
    assert_int_equal(pair.last_granted_units, 8); /* all of them are used up */
    pair.now_ns += 60 * NS_PER_S;
    spend(&pair, 1, NS_PER_MS);
    assert_int_equal(pair.ask_count, 9);
    assert_int_equal(pair.last_granted_units, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_lease_is_the_plans),
        cmocka_unit_test(a_rate_lease_is_a_tenth_of_what_a_window_brings),
        cmocka_unit_test(a_rate_lease_of_a_month_is_a_hundred),
        cmocka_unit_test(a_rate_lease_after_an_idle_spell_starts_at_one),
        cmocka_unit_test(a_rate_lease_of_a_new_key_grows_with_what_was_seen),
        cmocka_unit_test(a_doubling_lease_grows_while_leases_are_used_up),
        cmocka_unit_test(a_doubling_lease_is_halved_when_its_window_ends_with_permits_left),
        cmocka_unit_test(a_doubling_lease_is_twice_what_was_granted),
        cmocka_unit_test(a_cold_burst_costs_few_asks_without_the_cap_and_many_with_it),
        cmocka_unit_test(a_lease_lasts_until_its_window_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
