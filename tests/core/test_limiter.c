/* The limiter's public calls, one process: arguments, every status code, and decisions that need no
 * policy. */
#include "fleet.h"

#include "weir/limiter.h"

static struct weir_limiter_options good_options(void)
{
    return (struct weir_limiter_options){
        .process = 1,
        .incarnation = 2,
        .key_capacity = 4,
        .plan_capacity = 2,
        .endpoint_capacity = 2,
        .waiter_capacity = 3,
        .start_ns = SECOND_NS,
    };
}

static struct weir_request request_of(uint32_t cost)
{
    return (struct weir_request){.key = PLAIN_KEY, .endpoint = WEIR_NO_ENDPOINT, .cost = cost};
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

static void assert_refused(struct weir_limiter *limiter, const struct weir_request *request,
                           enum weir_status status)
{
    const struct weir_decision zero = {0};
    struct weir_decision decision;
    struct weir_ask ask;

    memset(&decision, 0xa5, sizeof decision);
    assert_int_equal(weir_limiter_decide(limiter, 2 * SECOND_NS, request, &decision), status);
    assert_memory_equal(&decision, &zero, sizeof zero);
    assert_false(weir_limiter_next_ask(limiter, 2 * SECOND_NS, &ask));
}

static void options_out_of_range_have_no_size(void **state)
{
    (void)state;
    const struct weir_limiter_options good = good_options();
    struct weir_limiter_options bad[9];

    for (size_t i = 0; i < 9; i++) {
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
    for (size_t i = 0; i < 9; i++) {
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

    const size_t size = weir_limiter_size(&options);

    assert_true(size > (size_t)WEIR_KEYS_MAX * 128);
    assert_true(size < (size_t)WEIR_KEYS_MAX * 400);
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

static void a_request_needs_a_plan_that_was_set(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(1);

    request.plan_index = 1;
    assert_refused(limiter, &request, WEIR_ERR_UNKNOWN_PLAN);
    request.plan_index = 2;
    assert_refused(limiter, &request, WEIR_ERR_UNKNOWN_PLAN);
    request.plan_index = UINT32_MAX;
    assert_refused(limiter, &request, WEIR_ERR_UNKNOWN_PLAN);
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
    assert_false(weir_limiter_quota(limiter, SECOND_NS, &PLAIN_KEY, 0, &quota));
    assert_int_equal(quota.limit_units, 1200);
}

static void a_plan_cannot_change_what_the_periods_of_held_keys_mean(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_plan window = window_plan(10, MINUTE_US);
    struct weir_plan fixed = fixed_plan(bucket_plan(10, 100), 20);
    struct weir_plan shorter = bucket_plan(10, 100);

    window.version = fixed.version = shorter.version = 9;
    shorter.window_us = MINUTE_US - 1;
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &window), WEIR_ERR_ARGUMENT);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &fixed), WEIR_ERR_ARGUMENT);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &shorter), WEIR_ERR_ARGUMENT);
    assert_int_equal(weir_limiter_set_plan(limiter, 1, &window), WEIR_OK);
}

static void weights_multiply_the_cost(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(3);
    struct weir_decision decision;
    struct weir_ask ask;

    request.endpoint = 1;
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 5), WEIR_OK);
    assert_int_equal(weir_limiter_decide(limiter, 2 * SECOND_NS, &request, &decision), WEIR_OK);
    request.endpoint = 0; /* 1 until set */
    assert_int_equal(weir_limiter_decide(limiter, 2 * SECOND_NS, &request, &decision), WEIR_OK);

    assert_true(weir_limiter_next_ask(limiter, 2 * SECOND_NS, &ask));
    assert_int_equal(ask.need_units, 24);
    assert_int_equal(ask.least_units, 3);
    assert_int_equal(ask.largest_units, 21);
}

static void weights_have_versions_of_their_own(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(101);

    request.endpoint = 1;
    assert_int_equal(weir_limiter_set_weight(limiter, 2, 7, 1), WEIR_ERR_ARGUMENT);
    assert_int_equal(weir_limiter_set_weight(limiter, UINT32_MAX, 7, 1), WEIR_ERR_ARGUMENT);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 0), WEIR_ERR_STALE_VERSION);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 0, 5), WEIR_OK);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 5), WEIR_ERR_STALE_VERSION);
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 4), WEIR_ERR_STALE_VERSION);
    assert_refused(limiter, &request, WEIR_OK); /* free: admitted without a trace */
    assert_int_equal(weir_limiter_set_weight(limiter, 0, 9, 1), WEIR_OK);
}

static void an_endpoint_nobody_declared_is_an_error(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(1);

    request.endpoint = 2;
    assert_refused(limiter, &request, WEIR_ERR_ARGUMENT);
    request.endpoint = WEIR_NO_ENDPOINT - 1;
    assert_refused(limiter, &request, WEIR_ERR_ARGUMENT);
}

/* B05, B07: costs are unsigned; what is too large is an error, never a wrapped small number. */
static void b05_b07_a_cost_too_large_is_an_error(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(WEIR_COST_MAX + 1);

    assert_refused(limiter, &request, WEIR_ERR_COST);
    request.cost = UINT32_MAX; /* -1 of somebody */
    assert_refused(limiter, &request, WEIR_ERR_COST);
    request.cost = 65536;
    request.endpoint = 0;
    assert_int_equal(weir_limiter_set_weight(limiter, 0, 65536, 1), WEIR_OK); /* 2^32 in all */
    assert_refused(limiter, &request, WEIR_ERR_COST);
    assert_int_equal(weir_limiter_set_weight(limiter, 0, UINT32_MAX, 2), WEIR_OK);
    assert_refused(limiter, &request, WEIR_ERR_COST);
    assert_int_equal(weir_limiter_held_units(limiter, &PLAIN_KEY), 0);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), UINT64_MAX);
}

/* B04: cost 0 is admitted, and leaves no trace. */
static void b04_cost_zero_touches_nothing(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    const struct weir_request request = request_of(0);
    struct weir_quota quota;

    for (unsigned i = 0; i < 100; i++) {
        assert_refused(limiter, &request, WEIR_OK); /* a zeroed decision says admitted */
    }
    assert_false(weir_limiter_quota(limiter, 2 * SECOND_NS, &PLAIN_KEY, 0, &quota));
    assert_true(weir_limiter_shutdown(limiter, 2 * SECOND_NS));
    struct weir_ask ask;
    struct weir_report report;
    assert_false(weir_limiter_next_ask(limiter, 2 * SECOND_NS, &ask));
    assert_false(weir_limiter_next_report(limiter, &report));
}

/* B01, D07: on a process that never saw the key as well. */
static void b01_d07_a_cost_above_the_capacity_is_never_worth_waiting_for(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    const struct weir_request request = request_of(101);
    struct weir_decision decision;
    struct weir_ask ask;

    assert_int_equal(weir_limiter_decide(limiter, 2 * SECOND_NS, &request, &decision), WEIR_OK);

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    assert_int_equal(decision.retry_after_ns, WEIR_RETRY_NEVER);
    assert_int_equal(decision.ticket, 0);
    assert_false(weir_limiter_next_ask(limiter, 2 * SECOND_NS, &ask));
}

/* B10. */
static void b10_limit_zero_denies_without_asking(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    const struct weir_plan none = window_plan(0, MINUTE_US);
    struct weir_request request = request_of(1);
    struct weir_decision decision;
    struct weir_ask ask;

    assert_int_equal(weir_limiter_set_plan(limiter, 1, &none), WEIR_OK);
    request.plan_index = 1;
    assert_int_equal(weir_limiter_decide(limiter, 2 * SECOND_NS, &request, &decision), WEIR_OK);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    assert_false(weir_limiter_next_ask(limiter, 2 * SECOND_NS, &ask));
}

static void every_waiting_request_needs_a_place(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(1);
    struct weir_decision decision;
    struct weir_ask ask;

    for (uint64_t i = 1; i <= 3; i++) {
        assert_int_equal(weir_limiter_decide(limiter, 2 * SECOND_NS, &request, &decision), WEIR_OK);
        assert_int_equal(decision.verdict, WEIR_VERDICT_PENDING);
        assert_int_equal(decision.reason, WEIR_REASON_WAITING);
        assert_int_equal(decision.ticket, i);
        assert_int_equal(decision.retry_after_ns, 0);
    }
    assert_true(weir_limiter_next_ask(limiter, 2 * SECOND_NS, &ask));
    assert_int_equal(ask.need_units, 3);
    assert_refused(limiter, &request, WEIR_ERR_WAITERS_FULL);
    request.key.low++; /* another key waits for the same places */
    assert_refused(limiter, &request, WEIR_ERR_WAITERS_FULL);
    assert_int_equal(weir_limiter_held_units(limiter, &request.key), 0);
}

static void what_waits_for_one_key_stays_below_2_to_the_31(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    const struct weir_plan plan = bucket_plan(1000, UINT64_C(1) << 40);
    struct weir_request request = request_of(WEIR_COST_MAX);
    struct weir_decision decision;
    struct weir_ask ask;

    request.plan_index = 1;
    assert_int_equal(weir_limiter_set_plan(limiter, 1, &plan), WEIR_OK);
    assert_int_equal(weir_limiter_decide(limiter, 2 * SECOND_NS, &request, &decision), WEIR_OK);
    assert_true(weir_limiter_next_ask(limiter, 2 * SECOND_NS, &ask));
    assert_int_equal(ask.need_units, WEIR_COST_MAX);
    assert_refused(limiter, &request, WEIR_ERR_WAITERS_FULL);
}

static void shutdown_without_keys_is_done_at_once(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();

    assert_true(weir_limiter_shutdown(limiter, 2 * SECOND_NS));
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), UINT64_MAX);
    weir_limiter_expire(limiter, 3 * SECOND_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_out_of_range_have_no_size),
        cmocka_unit_test(the_largest_options_have_a_size),
        cmocka_unit_test(memory_must_be_large_enough_and_aligned),
        cmocka_unit_test(a_request_needs_a_plan_that_was_set),
        cmocka_unit_test(d25_a_plan_is_replaced_only_by_a_newer_one),
        cmocka_unit_test(a_plan_cannot_change_what_the_periods_of_held_keys_mean),
        cmocka_unit_test(weights_multiply_the_cost),
        cmocka_unit_test(weights_have_versions_of_their_own),
        cmocka_unit_test(an_endpoint_nobody_declared_is_an_error),
        cmocka_unit_test(b05_b07_a_cost_too_large_is_an_error),
        cmocka_unit_test(b04_cost_zero_touches_nothing),
        cmocka_unit_test(b01_d07_a_cost_above_the_capacity_is_never_worth_waiting_for),
        cmocka_unit_test(b10_limit_zero_denies_without_asking),
        cmocka_unit_test(every_waiting_request_needs_a_place),
        cmocka_unit_test(what_waits_for_one_key_stays_below_2_to_the_31),
        cmocka_unit_test(shutdown_without_keys_is_done_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
