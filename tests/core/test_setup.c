/* Building a limiter, and what the control plane puts into it. */
#include "small_limiter.h"

#include <string.h>

static struct weir_limiter_options good_options(void)
{
    return (struct weir_limiter_options){
        .process = 1,
        .incarnation = 2,
        .key_capacity = 4,
        .plan_capacity = 2,
        .endpoint_capacity = 2,
        .waiter_capacity = 3,
        .ask_capacity = 8,
        .start_ns = NS_PER_S,
    };
}

/* A limiter with a bucket plan in slot 0; the memory is static, one at a time. */
static struct weir_limiter *one_limiter(void)
{
    static _Alignas(64) unsigned char memory[65536];
    const struct weir_limiter_options options = good_options();
    const struct weir_plan plan = bucket_plan(10, 100);
    struct weir_limiter *limiter;

    memset(memory, 0xa5, sizeof memory);
    assert_int_equal(weir_limiter_init(&limiter, memory, sizeof memory, &options), WEIR_OK);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_OK);
    return limiter;
}

static void options_out_of_range_have_no_size(void **state)
{
    (void)state;
    const struct weir_limiter_options good = good_options();
    struct weir_limiter_options bad[12];

    for (size_t i = 0; i < 12; i++) {
        bad[i] = good;
    }
    bad[0].key_capacity = 0;
    bad[1].key_capacity = WEIR_KEYS_MAX + 1;
    bad[2].plan_capacity = 0;
    bad[3].plan_capacity = 65536;
    bad[4].endpoint_capacity = 65536;
    bad[5].waiter_capacity = 0;
    bad[6].waiter_capacity = WEIR_WAITERS_MAX + 1;
    bad[7].key_capacity = UINT32_MAX;
    bad[8].plan_capacity = UINT32_MAX;
    bad[10].shard_count = WEIR_SHARDS_MAX + 1;
    bad[11].ask_capacity = WEIR_WAITERS_MAX + 1;
    bad[9].full_table = (enum weir_full_table)(WEIR_FULL_TABLE_PER_REQUEST + 1);
    for (size_t i = 0; i < 12; i++) {
        static _Alignas(64) unsigned char memory[65536];
        struct weir_limiter *limiter = (void *)memory;
        assert_int_equal(weir_limiter_size(&bad[i]), 0);
        assert_int_equal(weir_limiter_init(&limiter, memory, sizeof memory, &bad[i]),
                         WEIR_ERR_ARGUMENT);
        assert_null(limiter);
    }
}

static void the_largest_options_have_a_size(void **state)
{
    (void)state;
    struct weir_limiter_options options = good_options();
    options.key_capacity = WEIR_KEYS_MAX;
    options.plan_capacity = 65535;
    options.endpoint_capacity = 65535;
    options.waiter_capacity = WEIR_WAITERS_MAX;
    options.ask_capacity = WEIR_WAITERS_MAX;
    options.shard_count = WEIR_SHARDS_MAX;

    const size_t size = weir_limiter_size(&options);

    assert_true(size > (size_t)WEIR_KEYS_MAX * 128);
    assert_true(size < (size_t)WEIR_KEYS_MAX * 600);
}

static void memory_must_be_large_enough_and_aligned(void **state)
{
    (void)state;
    static _Alignas(64) unsigned char memory[65536];
    const struct weir_limiter_options options = good_options();
    const size_t size = weir_limiter_size(&options);
    struct weir_limiter *limiter;

    assert_true(size != 0 && size < sizeof memory);
    assert_int_equal(weir_limiter_init(&limiter, memory, size - 1, &options), WEIR_ERR_MEMORY_SIZE);
    assert_null(limiter);
    assert_int_equal(weir_limiter_init(&limiter, memory + 8, size, &options), WEIR_ERR_MEMORY_SIZE);
    assert_null(limiter);
    assert_int_equal(weir_limiter_init(&limiter, NULL, size, &options), WEIR_ERR_MEMORY_SIZE);
    assert_null(limiter);
    memory[size] = 77;
    assert_int_equal(weir_limiter_init(&limiter, memory, size, &options), WEIR_OK);
    assert_ptr_equal(limiter, memory);
    assert_int_equal(memory[size], 77);
}

/* D25: versions only go up; a push that is repeated or comes late changes nothing. */
static void d25_a_plan_is_replaced_only_by_a_newer_one(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_plan plan = bucket_plan(10, 7);
    struct weir_quota quota;

    assert_int_equal(weir_limiter_set_plan(limiter, 2, &plan), WEIR_ERR_PLAN_INDEX);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_ERR_STALE_VERSION);
    plan = bucket_plan(20, 7);
    plan.version = 3;
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_OK);
    plan = bucket_plan(30, 7);
    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_ERR_STALE_VERSION);
    assert_false(weir_limiter_quota(limiter, NS_PER_S, &PLAIN_KEY, 0, &quota));
    assert_int_equal(quota.limit_units, 1200);
}

/* A rule that cannot be: refused alone, and what is in force stays. */
static void b60_a_plan_that_is_refused_leaves_the_one_before_in_force(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_plan plan = bucket_plan(20, 7);
    struct weir_quota quota;
    plan.version = 3;
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_OK);

    const struct weir_plan_options impossible = {
        .version = 4, .rate_units = 10, .rate_period_us = 0, .capacity_units = 7, .window_us = 0};
    assert_int_equal(weir_plan_make(&plan, &impossible), WEIR_ERR_ARGUMENT);
    plan = bucket_plan(30, 7);
    plan.version = 3; /* the same again, as a file with duplicates has it */
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_ERR_STALE_VERSION);
    assert_int_equal(weir_limiter_set_plan(limiter, 99, &plan), WEIR_ERR_PLAN_INDEX);

    assert_false(weir_limiter_quota(limiter, NS_PER_S, &PLAIN_KEY, 0, &quota));
    assert_int_equal(quota.limit_units, 1200);
}

static void a_plan_may_change_in_everything(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_plan window = window_plan(10, MINUTE_US);
    struct weir_plan fixed = fixed_plan(bucket_plan(10, 100), 20);
    struct weir_plan shorter = bucket_plan(10, 100);

    window.version = 9;
    fixed.version = 10;
    shorter.version = 11;
    shorter.window_us = MINUTE_US - 1;
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &window), WEIR_OK);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &fixed), WEIR_OK);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &shorter), WEIR_OK);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &fixed), WEIR_ERR_STALE_VERSION);
    assert_int_equal(weir_limiter_set_plan(limiter, 1, &window), WEIR_OK);
}

static void weights_have_versions_of_their_own(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();

    assert_int_equal(weir_limiter_set_weight(limiter, 2, 7, 1), WEIR_ERR_ARGUMENT);
    assert_int_equal(weir_limiter_set_weight(limiter, UINT32_MAX, 7, 1), WEIR_ERR_ARGUMENT);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 0), WEIR_ERR_STALE_VERSION);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 0, 5), WEIR_OK);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 5), WEIR_ERR_STALE_VERSION);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 4), WEIR_ERR_STALE_VERSION);
    assert_int_equal(weir_limiter_set_weight(limiter, 0, 9, 1), WEIR_OK);
}

/* B58: a push lifts the denials of its own plan's keys, and of no others. */
static void b58_a_new_plan_forgets_the_denials_of_its_keys(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_plan plan = bucket_plan(10, 100);
    assert_int_equal(weir_limiter_set_plan(limiter, 1, &plan), WEIR_OK);
    for (uint16_t i = 0; i < 2; i++) {
        const uint32_t slot = small_slot(limiter, i);
        limiter->hot[slot].plan_index = i;
        limiter->hot[slot].deny_units = 1;
        limiter->hot[slot].deny_until_ns = NEVER;
        limiter->cold[slot].retry_us = NEVER;
    }

    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(limiter, 1, &plan), WEIR_OK);

    assert_true(lease_denies(limiter, 0, 1));
    assert_int_equal(limiter->hot[0].deny_until_ns, NEVER);
    assert_false(lease_denies(limiter, 1, 1));
    assert_int_equal(limiter->hot[1].deny_until_ns, 0);
    assert_int_equal(limiter->hot[1].deny_units, UINT32_MAX);
}

/* The key of slot 1 is under another plan. */
static void only_a_plan_that_allows_less_or_counts_otherwise_recalls_leases(void **state)
{
    (void)state;
    struct weir_plan longer = bucket_plan(10, 100);
    longer.window_us = 2 * MINUTE_US;
    const struct {
        struct weir_plan plan;
        bool recalls;
    } cases[] = {
        {bucket_plan(10, 100), false},
        {bucket_plan(20, 200), false},
        {bucket_plan(9, 100), true},
        {bucket_plan(10, 99), true},
        {fixed_plan(bucket_plan(10, 100), 20), true},
        {longer, true},
        {window_plan(600, MINUTE_US), true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_limiter *limiter = one_limiter();
        const uint32_t slot = small_slot(limiter, 0);
        const uint32_t other = small_slot(limiter, 1);
        struct weir_plan plan = cases[i].plan;
        limiter->hot[other].plan_index = 1;
        limiter->hot[slot].fast_until_ns = NEVER;
        plan.version = 2;

        assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_OK);

        assert_int_equal((limiter->hot[slot].flags & HOT_RECALLED) != 0, cases[i].recalls);
        assert_true(limiter->hot[slot].fast_until_ns == (cases[i].recalls ? 0 : NEVER));
        assert_int_equal(limiter->hot[other].flags & HOT_RECALLED, 0);
        assert_int_equal(weir_limiter_delete_plan(limiter, 0, 3), WEIR_OK);
        assert_int_equal(limiter->hot[slot].flags & HOT_RECALLED, HOT_RECALLED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_out_of_range_have_no_size),
        cmocka_unit_test(the_largest_options_have_a_size),
        cmocka_unit_test(memory_must_be_large_enough_and_aligned),
        cmocka_unit_test(d25_a_plan_is_replaced_only_by_a_newer_one),
        cmocka_unit_test(b60_a_plan_that_is_refused_leaves_the_one_before_in_force),
        cmocka_unit_test(a_plan_may_change_in_everything),
        cmocka_unit_test(weights_have_versions_of_their_own),
        cmocka_unit_test(only_a_plan_that_allows_less_or_counts_otherwise_recalls_leases),
        cmocka_unit_test(b58_a_new_plan_forgets_the_denials_of_its_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
