/* How much the store grants: bounds that hold whatever the constants are tuned to, by enumeration
 * and at random. */
#include "core_support.h"

#include "grant.h"

static struct weir_ask ask_of(uint32_t need, uint32_t least, uint32_t want, uint64_t rate_milli)
{
    return (struct weir_ask){
        .id = {.process = 1, .sequence = 1},
        .need_units = need,
        .least_units = least,
        .want_units = want,
        .largest_units = least == 0 ? 1 : least,
        .rate_milli = rate_milli,
    };
}

static struct grant decide(const struct weir_plan *plan, const struct weir_ask *ask,
                           uint64_t remaining, uint64_t active, uint64_t global_rate_milli)
{
    const struct grant_input input = {
        .plan = plan,
        .ask = ask,
        .remaining_units = remaining,
        .global_rate_milli = global_rate_milli,
        .active_processes = active,
    };

    return weir_grant_decide(&input);
}

static void what_waits_is_granted_while_it_lasts(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(100, 1000);

    for (uint32_t remaining = 0; remaining <= 12; remaining++) {
        for (uint32_t need = 1; need <= 8; need++) {
            for (uint32_t least = 1; least <= need; least++) {
                const struct weir_ask ask = ask_of(need, least, need, 1000);
                const uint32_t most = need < remaining ? need : remaining;
                assert_int_equal(decide(&plan, &ask, remaining, 1, 1000).units,
                                 most < least ? 0 : most);
            }
        }
    }
}

/* A prefetch that no request could be served from is an ask for nothing. */
static void what_is_less_than_a_request_is_not_prefetched(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(100, 1000);
    struct weir_ask ask = ask_of(0, 0, 1000, 1000);
    uint64_t remaining = 1000;
    ask.largest_units = 10;

    while (remaining > 10) {
        const struct grant grant = decide(&plan, &ask, remaining, 10, 10000);
        assert_true(grant.units >= 10 || (grant.flags & WEIR_ANSWER_SCARCE) != 0);
        remaining--;
    }
}

static void an_unlimited_plan_grants_the_need_and_no_more(void **state)
{
    (void)state;
    const struct weir_plan plan = unlimited_plan();
    const struct weir_ask ask = ask_of(7, 7, 50, 1000);
    const struct grant grant = decide(&plan, &ask, 0, 1, 1000);

    assert_int_equal(grant.units, 7);
    assert_int_equal(grant.trickle_count, 0);
    assert_int_equal(grant.pace_us, 0);
    assert_int_equal(grant.flags, 0);
}

static void a_fixed_sizer_grants_what_is_wanted_while_it_lasts(void **state)
{
    (void)state;
    const struct weir_plan plan = fixed_plan(bucket_plan(100, 1000), 20);
    const struct weir_ask ahead = ask_of(0, 0, 20, 1000);
    const struct weir_ask large = ask_of(30, 30, 30, 1000);

    assert_int_equal(decide(&plan, &ahead, 1000, 50, 100000).units, 20);
    assert_int_equal(decide(&plan, &ahead, 5, 50, 100000).units, 5);
    assert_int_equal(decide(&plan, &large, 1000, 50, 100000).units, 30);
    assert_int_equal(decide(&plan, &large, 29, 50, 100000).units, 0);
    assert_int_equal(decide(&plan, &ahead, 5, 50, 100000).pace_us, 0);
}

static void a_rate_sizer_grants_what_is_wanted_while_it_lasts(void **state)
{
    (void)state;
    struct weir_plan plan = fixed_plan(bucket_plan(100, 1000), 20);
    plan.sizer = WEIR_SIZER_RATE;
    const struct weir_ask ahead = ask_of(0, 0, 100, 1000);

    assert_int_equal(decide(&plan, &ahead, 1000, 50, 100000).units, 100);
    assert_int_equal(decide(&plan, &ahead, 5, 50, 100000).units, 5);
    assert_int_equal(decide(&plan, &ahead, 5, 50, 100000).pace_us, 0);
}

/* All doubling leases together are at most a hundredth of the limit, whatever is wanted; but what
 * waits is granted. */
static void a_doubling_lease_is_a_part_of_a_hundredth_of_the_limit(void **state)
{
    (void)state;
    static const struct {
        uint64_t limit, active;
        uint32_t need, want, units;
    } CASES[] = {
        {100000, 50, 1, 1, 1},
        {100000, 50, 1, 20, 20},
        {100000, 50, 1, 21, 20},
        {100000, 50, 1, 1 << 30, 20},
        {100000, 50, 21, 21, 21},
        {100000, 50, 30, 1 << 30, 30},
        {100000, 1, 1, 2000, 1000},
        {100000, 1000, 1, 8, 1},
        {100000, 1001, 1, 8, 1},
        {1000, 50, 1, 8, 1},
        {99, 1, 1, 8, 1},
        {100000, 51, 1, 64, 19},
        {1000000, 3, 1, 4096, 3333},
        {UINT64_C(60000000000), 1, 1, 1 << 29, 1 << 29},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct weir_plan plan = window_plan(CASES[i].limit, MINUTE_US);
        plan.sizer = WEIR_SIZER_DOUBLING;
        const struct weir_ask ask = ask_of(CASES[i].need, 1, CASES[i].want, 1000);
        const struct grant grant =
            decide(&plan, &ask, CASES[i].limit, CASES[i].active, UINT64_C(1) << 40);
        assert_int_equal(grant.units, CASES[i].units);
        assert_int_equal(grant.flags, 0);
        assert_int_equal(grant.pace_us, 0);
        assert_int_equal(grant.trickle_count, 0);
        assert_int_equal(decide(&plan, &ask, 0, CASES[i].active, 1000).units, 0);
    }
}

/* A request that is decided at the store takes its cost, whatever else is wanted. */
static void a_request_decided_at_the_store_gets_its_cost_or_nothing(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1000, 1000);
    struct weir_ask ask = ask_of(5, 5, 5, 9000000);
    ask.flags = WEIR_ASK_SPEND;

    assert_int_equal(decide(&plan, &ask, 1000, 50, 9000000).units, 5);
    assert_int_equal(decide(&plan, &ask, 5, 50, 9000000).units, 5);
    assert_int_equal(decide(&plan, &ask, 4, 50, 9000000).units, 0);
    assert_int_equal(decide(&plan, &ask, 4, 50, 9000000).flags, 0);
}

/* D29: fifty that start at once do not strand the limit among them. */
static void d29_the_leases_of_many_that_start_at_once_leave_something(void **state)
{
    (void)state;
    static const uint64_t LIMITS[] = {1000, 10000, 100000, 1000000};

    for (size_t i = 0; i < 4; i++) {
        const struct weir_plan plan = window_plan(LIMITS[i], MINUTE_US);
        uint64_t remaining = LIMITS[i];
        for (uint64_t active = 1; active <= 50; active++) {
            const struct weir_ask ask = ask_of(1, 1, 1 << 20, 1000000);
            const struct grant grant = decide(&plan, &ask, remaining, active, active * 1000000);
            assert_true(grant.units >= 1);
            remaining -= grant.units;
        }
        assert_true(remaining >= LIMITS[i] / 20); /* although each wants a million */
    }
}

static void when_little_is_left_the_key_is_scarce(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(1000, MINUTE_US);
    const struct weir_ask ask = ask_of(1, 1, 100, 1000);

    assert_int_equal(decide(&plan, &ask, 1000, 50, 50000).flags & WEIR_ANSWER_SCARCE, 0);
    const struct grant scarce = decide(&plan, &ask, 50, 50, 50000);
    assert_int_equal(scarce.flags & WEIR_ANSWER_SCARCE, WEIR_ANSWER_SCARCE);
    assert_int_equal(scarce.units, 1);
}

static void an_empty_bucket_over_its_limit_is_paced_and_a_calm_one_is_not(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(1000, 10000);
    const struct weir_ask ask = ask_of(1, 1, 1000, 200000);

    const struct grant paced = decide(&plan, &ask, 1, 10, 2000000);
    assert_int_equal(paced.flags & WEIR_ANSWER_PACED, WEIR_ANSWER_PACED);
    assert_in_range(paced.pace_us, 1, plan.trickle_period_us);
    const struct grant calm = decide(&plan, &ask, 1, 10, 500000);
    assert_int_equal(calm.flags & WEIR_ANSWER_PACED, 0);
    assert_int_equal(calm.pace_us, 0);
    const struct grant full = decide(&plan, &ask, 10000, 10, 2000000);
    assert_int_equal(full.flags & WEIR_ANSWER_PACED, 0);
    assert_int_equal(full.pace_us, 0);
}

static void a_window_is_never_paced_and_never_promised(void **state)
{
    (void)state;
    const struct weir_plan plan = window_plan(60000, MINUTE_US);

    for (uint64_t remaining = 0; remaining < 60000; remaining += 997) {
        const struct weir_ask ask = ask_of(1, 1, 1000, 2000000);
        const struct grant grant = decide(&plan, &ask, remaining, 3, 9000000);
        assert_int_equal(grant.pace_us, 0);
        assert_int_equal(grant.trickle_count, 0);
    }
}

/* Promises of one period never exceed the refill of one period. */
static void promises_stop_at_the_refill_of_a_period(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(5000, 50000);
    uint64_t promised = 0;

    for (uint32_t i = 0; i < 40; i++) {
        struct weir_ask ask = ask_of(1, 1, 5000, 3000000);
        ask.id.sequence = i;
        const struct grant_input input = {
            .plan = &plan,
            .ask = &ask,
            .global_rate_milli = 15000000,
            .active_processes = 5,
            .trickle_promised = promised,
        };
        promised += weir_grant_decide(&input).trickle_count;
        assert_true(promised <= 5000);
    }
    assert_int_equal(promised, 5000);
    struct weir_ask ask = ask_of(1, 1, 5000, 3000000);
    const struct grant_input beyond = {
        .plan = &plan,
        .ask = &ask,
        .global_rate_milli = 15000000,
        .active_processes = 5,
        .trickle_promised = 6000, /* before the plan was lowered */
    };
    assert_int_equal(weir_grant_decide(&beyond).trickle_count, 0);
    ask.flags = WEIR_ASK_HAS_TRICKLE;
    assert_int_equal(decide(&plan, &ask, 0, 5, 15000000).trickle_count, 0);
}

/* A process with a quarter of the demand: 1,250 of a second's 5,000, or of what a debt leaves. */
static void a_debt_comes_before_promises(void **state)
{
    (void)state;
    static const struct {
        uint64_t debt_units;
        uint32_t count;
    } cases[] = {{0, 1250}, {2000, 750}, {4996, 1}, {5000, 0}, {50000, 0}};
    const struct weir_plan plan = bucket_plan(5000, 50000);
    const struct weir_ask ask = ask_of(1, 1, 5000, 3750000);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct grant_input input = {
            .plan = &plan,
            .ask = &ask,
            .global_rate_milli = 15000000,
            .active_processes = 5,
            .debt_units = cases[i].debt_units,
        };
        assert_int_equal(weir_grant_decide(&input).trickle_count, cases[i].count);
    }
}

/* Property: whatever the numbers, no more than there is, no more than is wanted or needed, and no
 * part of a request. */
static void no_grant_exceeds_what_is_there_or_wanted(void **state)
{
    (void)state;
    struct dice dice = {1};

    for (unsigned i = 0; i < 200000; i++) {
        const uint64_t rate = 1 + dice_below(&dice, UINT64_C(1) << dice_below(&dice, 27));
        const uint64_t capacity = 1 + dice_below(&dice, UINT64_C(1) << dice_below(&dice, 32));
        const struct weir_plan plan =
            i % 2 == 0 ? bucket_plan(rate, capacity) : window_plan(rate, MINUTE_US);
        const uint32_t least = (uint32_t)dice_below(&dice, UINT64_C(1) << dice_below(&dice, 31));
        const uint32_t need = least + (uint32_t)dice_below(&dice, 1000);
        struct weir_ask ask =
            ask_of(need, least, need + (uint32_t)dice_below(&dice, 1 << 30), dice_roll(&dice));
        ask.held_units = (uint32_t)dice_below(&dice, 1000);
        const struct grant_input input = {
            .plan = &plan,
            .ask = &ask,
            .remaining_units = dice_below(&dice, plan.capacity_units + 1),
            .outstanding_units = dice_below(&dice, plan.capacity_units + 1),
            .global_rate_milli = dice_roll(&dice) << dice_below(&dice, 20),
            .active_processes = 1 + dice_below(&dice, UINT64_C(1) << dice_below(&dice, 20)),
        };
        const struct grant grant = weir_grant_decide(&input);
        const uint64_t period_units =
            plan.rate_units * plan.trickle_period_us / plan.rate_period_us;
        assert_true(grant.units <= input.remaining_units);
        assert_true(grant.units <= ask.want_units);
        assert_true(grant.units == 0 || grant.units >= least);
        assert_true(need > input.remaining_units || grant.units >= need);
        assert_true(grant.trickle_count <= period_units);
        assert_true(grant.pace_us <= plan.trickle_period_us);
    }
}

static void inputs_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const struct weir_plan plan = bucket_plan(100, 1000);
    const struct weir_ask bad = ask_of(5, 5, 4, 1000);
    const struct weir_ask good = ask_of(5, 5, 5, 1000);

    expect_assert_failure(decide(&plan, &bad, 10, 1, 1000));
    expect_assert_failure(decide(&plan, &good, 10, 0, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_is_granted_while_it_lasts),
        cmocka_unit_test(what_is_less_than_a_request_is_not_prefetched),
        cmocka_unit_test(an_unlimited_plan_grants_the_need_and_no_more),
        cmocka_unit_test(a_fixed_sizer_grants_what_is_wanted_while_it_lasts),
        cmocka_unit_test(a_rate_sizer_grants_what_is_wanted_while_it_lasts),
        cmocka_unit_test(a_doubling_lease_is_a_part_of_a_hundredth_of_the_limit),
        cmocka_unit_test(a_request_decided_at_the_store_gets_its_cost_or_nothing),
        cmocka_unit_test(d29_the_leases_of_many_that_start_at_once_leave_something),
        cmocka_unit_test(when_little_is_left_the_key_is_scarce),
        cmocka_unit_test(an_empty_bucket_over_its_limit_is_paced_and_a_calm_one_is_not),
        cmocka_unit_test(a_window_is_never_paced_and_never_promised),
        cmocka_unit_test(promises_stop_at_the_refill_of_a_period),
        cmocka_unit_test(a_debt_comes_before_promises),
        cmocka_unit_test(no_grant_exceeds_what_is_there_or_wanted),
        cmocka_unit_test(inputs_that_make_no_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
