/* What a client may be told: the limit, what remains of it, how sure that is, and when it is full
 * again. */
#include "fleet.h"

#include "limiter_private.h"

static struct fleet *fleet_with(struct weir_plan plan, uint32_t process_count)
{
    struct fleet *fleet = fleet_new(5);

    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, 20 * SECOND_US);
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, process_count, 4);
    return fleet;
}

static struct weir_quota quota_of(struct fleet *fleet, uint32_t process, uint32_t key)
{
    struct weir_quota quota;

    assert_true(weir_limiter_quota(fleet_limiter(fleet, process), fleet_local_ns(fleet, process),
                                   &fleet->keys[key].key, 0, &quota));
    return quota;
}

/* B55: a process that never saw the key knows nothing, and says so. */
static void b55_an_unknown_key_is_not_full(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100), 1);
    struct weir_quota quota;
    const uint64_t local_ns = fleet_local_ns(fleet, 0);

    assert_false(
        weir_limiter_quota(fleet_limiter(fleet, 0), local_ns, &fleet->keys[0].key, 0, &quota));
    assert_int_equal(quota.limit_units, 600);
    assert_int_equal(quota.remaining_units, 0);
    assert_int_equal(quota.age_ns, WEIR_RETRY_NEVER);
    fleet_request(fleet, 0, 0, 1); /* and is none the wiser while it waits */
    assert_false(
        weir_limiter_quota(fleet_limiter(fleet, 0), local_ns, &fleet->keys[0].key, 0, &quota));
    assert_int_equal(quota.age_ns, WEIR_RETRY_NEVER);
    expect_assert_failure(
        weir_limiter_quota(fleet_limiter(fleet, 0), local_ns, &fleet->keys[0].key, 4, &quota));
    fleet_free(fleet);
}

static void a_buckets_quota_is_what_the_last_answer_said(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100), 1);
    fleet_decide(fleet, 0, 0, 40); /* heard 0.4 ms after the start, answered 0.2 ms before that */
    fleet_run_until(fleet, SECOND_NS);

    const struct weir_quota quota = quota_of(fleet, 0, 0);

    assert_int_equal(quota.limit_units, 600);
    assert_in_range(quota.remaining_units, 60,
                    100); /* 40 were in flight, and may have been spent */
    assert_true(quota.remaining_units <= 60 + quota.error_units);
    assert_in_range(quota.age_ns, SECOND_NS - 210 * US_NS, SECOND_NS - 190 * US_NS);
    assert_in_range(quota.reset_us, START_US, START_US + 4 * SECOND_US + 200);
    fleet_free(fleet);
}

static void a_windows_quota_is_reset_at_its_end(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(window_plan(100, MINUTE_US), 1);
    fleet_decide(fleet, 0, 0, 30);

    const struct weir_quota quota = quota_of(fleet, 0, 0);

    assert_int_equal(quota.limit_units, 100);
    assert_int_equal(quota.remaining_units, 70);
    assert_int_equal(quota.reset_us, START_US + 40 * SECOND_US);
    fleet_run_until(fleet, 50 * SECOND_NS);
    assert_int_equal(quota_of(fleet, 0, 0).reset_us, START_US + 100 * SECOND_US);
    assert_int_equal(quota_of(fleet, 0, 0).remaining_units, 100); /* nobody asked in this one */
    fleet_free(fleet);
}

static void a_bucket_that_is_never_refilled_is_never_reset(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(0, 10), 1);
    fleet_decide(fleet, 0, 0, 7);
    fleet_run_for(fleet, 100 * MS_NS);
    fleet_decide(fleet, 0, 0, 5);

    assert_int_equal(quota_of(fleet, 0, 0).reset_us, UINT64_MAX);
    assert_int_equal(quota_of(fleet, 0, 0).remaining_units, 3);
    fleet_free(fleet);
}

/* What the customer could still spend: at the store, in processes, and on the way there. */
static uint64_t true_remaining(const struct fleet *fleet, uint32_t key)
{
    const struct weir_plan *plan = &fleet->plans[0];
    struct weir_store_key store = fleet->keys[key].store;
    uint64_t units;

    weir_store_key_advance(&store, &fleet->keys[key].key, plan, fleet_store_us(fleet));
    units = weir_store_key_remaining(&store);
    for (uint32_t i = 0; i < fleet->process_count; i++) {
        const struct weir_limiter *limiter = fleet->processes[i].limiter;
        const uint32_t slot = table_find(limiter, &fleet->keys[key].key);
        units +=
            slot == SLOT_NONE ? 0 : limiter->hot[slot].held_units; /* trickles are yet to come */
    }
    for (uint32_t i = 0; i < fleet->exchange_count; i++) {
        if (fleet->exchanges[i].served && fleet->exchanges[i].key == key) {
            units += fleet->exchanges[i].answer.granted_units;
        }
    }
    return units;
}

static void check_quota(struct fleet *fleet, uint32_t process, uint32_t key)
{
    const struct weir_plan *plan = &fleet->plans[0];
    struct weir_quota quota;

    if (!weir_limiter_quota(fleet_limiter(fleet, process), fleet_local_ns(fleet, process),
                            &fleet->keys[key].key, 0, &quota)) {
        return;
    }
    const uint64_t into_us =
        (fleet_store_us(fleet) + weir_key_phase_us(&fleet->keys[key].key, MINUTE_US)) % MINUTE_US;
    if (into_us < 20 * MS_US || into_us > MINUTE_US - 20 * MS_US) {
        return; /* of which window, nobody can be sure */
    }
    const uint64_t truth = true_remaining(fleet, key);
    const uint64_t refill = plan->algorithm == WEIR_ALGORITHM_WINDOW
                                ? 0
                                : quota.age_ns / 1000 * plan->rate_units / plan->rate_period_us + 1;
    assert_true(truth + quota.error_units >= quota.remaining_units);
    assert_true(truth <= quota.remaining_units + quota.error_units + refill);
}

/* Property: with steady demand the truth lies within the error that is told, at every process, at
 * any time. */
static void run_steadily(struct weir_plan plan, uint64_t gap_ns)
{
    struct fleet *fleet = fleet_with(plan, 3);

    for (unsigned i = 0; fleet->now_ns < 70 * SECOND_NS; i++) {
        fleet_request(fleet, i % 3, i % 2, 1 + i / 6 % 2);
        fleet_run_for(fleet, gap_ns);
        if (fleet->now_ns > 12 * SECOND_NS) { /* demand is known */
            check_quota(fleet, (uint32_t)dice_below(&fleet->dice, 3),
                        (uint32_t)dice_below(&fleet->dice, 2));
        }
    }
    fleet_free(fleet);
}

static void the_true_remainder_lies_within_the_error(void **state)
{
    (void)state;
    run_steadily(bucket_plan(100, 1000), 2 * MS_NS);
    run_steadily(bucket_plan(100, 1000), 20 * MS_NS);
    run_steadily(bucket_plan(1000, 5000), MS_NS);
    run_steadily(window_plan(20000, MINUTE_US), 2 * MS_NS);
    run_steadily(window_plan(100000, MINUTE_US), 2 * MS_NS);
}

/* Denied processes do not ask, and the store forgets their demand; when the window rolls over, the
 * first answers know of the first processes only. */
static void the_demand_seen_before_a_denial_is_still_there_when_the_window_rolls_over(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(window_plan(50000, MINUTE_US), 8);

    for (unsigned i = 0; fleet->now_ns < 150 * SECOND_NS; i++) {
        fleet_request(fleet, (uint32_t)dice_below(&fleet->dice, 8), 0, 1);
        fleet_run_for(fleet, 1 + dice_below(&fleet->dice, 800 * US_NS));
        if (fleet->now_ns > 12 * SECOND_NS && i % 10 == 0) {
            check_quota(fleet, (uint32_t)dice_below(&fleet->dice, 8), 0);
        }
    }
    fleet_free(fleet);
}

/* A dozen requests a second, at random, of which one process sees few: in the time since its last
 * answer twice as many may have come as the rate says. */
static void chance_lies_within_the_error(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100), 3);

    while (fleet->now_ns < 600 * SECOND_NS) {
        const uint32_t process = dice_below(&fleet->dice, 50) == 0 ? 2 : 0;
        fleet_request(fleet, process, 0, 1);
        fleet_run_for(fleet, dice_below(&fleet->dice, 2) == 0
                                 ? MS_NS
                                 : 1 + dice_below(&fleet->dice, 330 * MS_NS));
        if (fleet->now_ns > 22 * SECOND_NS) {
            check_quota(fleet, (uint32_t)dice_below(&fleet->dice, 3), 0);
        }
    }
    fleet_free(fleet);
}

static void what_could_be_spent_is_what_a_request_of_that_cost_gets(void **state)
{
    (void)state;
    struct weir_plan plan = window_plan(100, MINUTE_US);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 50;
    struct fleet *fleet = fleet_with(plan, 1);
    const struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    const struct weir_key *key = &fleet->keys[0].key;
    fleet_decide(fleet, 0, 0, 1);

    assert_int_equal(weir_limiter_spendable_units(limiter, fleet_local_ns(fleet, 0), key), 49);
    fleet_run_until(fleet, 39990 * MS_NS); /* its windows end at 40 s and 100 s */
    assert_int_equal(weir_limiter_spendable_units(limiter, fleet_local_ns(fleet, 0), key), 49);
    fleet_run_until(fleet, 40 * SECOND_NS);
    assert_int_equal(weir_limiter_spendable_units(limiter, fleet_local_ns(fleet, 0), key), 0);
    fleet_free(fleet);
}

static void what_is_held_counts_as_remaining(void **state)
{
    (void)state;
    struct weir_plan plan = bucket_plan(1, 100);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 50;
    struct fleet *fleet = fleet_with(plan, 1);
    fleet_decide(fleet, 0, 0, 1);

    const struct weir_quota quota = quota_of(fleet, 0, 0);

    assert_int_equal(weir_limiter_held_units(fleet_limiter(fleet, 0), &fleet->keys[0].key), 49);
    assert_true(quota.remaining_units >= 99);
    fleet_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b55_an_unknown_key_is_not_full),
        cmocka_unit_test(a_buckets_quota_is_what_the_last_answer_said),
        cmocka_unit_test(a_windows_quota_is_reset_at_its_end),
        cmocka_unit_test(a_bucket_that_is_never_refilled_is_never_reset),
        cmocka_unit_test(the_true_remainder_lies_within_the_error),
        cmocka_unit_test(the_demand_seen_before_a_denial_is_still_there_when_the_window_rolls_over),
        cmocka_unit_test(chance_lies_within_the_error),
        cmocka_unit_test(what_could_be_spent_is_what_a_request_of_that_cost_gets),
        cmocka_unit_test(what_is_held_counts_as_remaining),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
