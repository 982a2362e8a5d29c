/* Decisions that need no policy, of one process: what is an error, what touches nothing, what can
 * never be admitted. */
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

static struct weir_request request_of(uint32_t cost)
{
    return (struct weir_request){.key = PLAIN_KEY, .endpoint = WEIR_NO_ENDPOINT, .cost = cost};
}

/* A limiter with a bucket plan in slot 0; the memory is static, one at a time. */
static struct weir_limiter *one_limiter(void)
{
    static _Alignas(64) unsigned char memory[1 << 17];
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
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, request, &decision), status);
    assert_memory_equal(&decision, &zero, sizeof zero);
    assert_false(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
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

static void weights_multiply_the_cost(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(3);
    struct weir_decision decision;
    struct weir_ask ask;

    request.endpoint = 1;
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 7, 5), WEIR_OK);
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    request.endpoint = 0; /* 1 until set */
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);

    assert_true(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
    assert_int_equal(ask.need_units, 24);
    assert_int_equal(ask.least_units, 3);
    assert_int_equal(ask.largest_units, 21);
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
    assert_false(weir_limiter_quota(limiter, 2 * NS_PER_S, &PLAIN_KEY, 0, &quota));
    assert_int_equal(weir_limiter_shutdown(limiter, 2 * NS_PER_S), WEIR_SHUTDOWN_DONE);
    struct weir_ask ask;
    struct weir_report report;
    assert_false(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
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

    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    assert_int_equal(decision.retry_after_ns, WEIR_RETRY_NEVER);
    assert_int_equal(decision.ticket, 0);
    assert_false(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
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
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    assert_false(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
}

static void a_request_that_has_no_place_to_wait_in_is_decided_without_the_store(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(1);
    struct weir_decision decision;
    struct weir_ask ask;

    for (uint64_t i = 1; i <= 3; i++) {
        assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
        assert_int_equal(decision.verdict, WEIR_VERDICT_PENDING);
        assert_int_equal(decision.reason, WEIR_REASON_WAITING);
        assert_int_equal(decision.ticket, i);
        assert_int_equal(decision.retry_after_ns, 0);
    }
    assert_true(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
    assert_int_equal(ask.need_units, 3);
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_int_not_equal(decision.verdict, WEIR_VERDICT_PENDING);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    request.key.low++; /* another key waits for the same places */
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_int_not_equal(decision.verdict, WEIR_VERDICT_PENDING);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    assert_true(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask)); /* the next one may do */
    assert_int_equal(ask.key.low, request.key.low);
    assert_int_equal(ask.need_units, 0);
}

static void a_free_endpoint_touches_nothing(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(101);

    request.endpoint = 1;
    assert_int_equal(weir_limiter_set_weight(limiter, 1, 0, 1), WEIR_OK);
    assert_refused(limiter, &request, WEIR_OK); /* a zeroed decision says admitted */
    assert_int_equal(table_find(limiter, &request.key), SLOT_NONE);
}

static void the_demand_of_large_costs_saturates(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_plan plan = bucket_plan(1000, UINT64_C(1) << 40);
    struct weir_request request = request_of(WEIR_COST_MAX);
    struct weir_decision decision;

    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(limiter, 0, &plan), WEIR_OK);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    }
    assert_int_equal(limiter->hot[table_find(limiter, &request.key)].demand_units, UINT32_MAX);
}

/* Nobody is to lease more for the sake of what is never admitted. */
static void what_can_never_be_admitted_is_no_demand(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    const struct weir_request request = request_of(101);
    struct weir_decision decision;

    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_int_equal(decision.reason, WEIR_REASON_COST_ABOVE_CAPACITY);
    assert_int_equal(limiter->hot[table_find(limiter, &request.key)].demand_units, 0);
}

/* The key was under another plan elsewhere meanwhile: the store is told that it has come back. */
static void a_key_that_is_assigned_to_its_plan_anew_says_so(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();
    struct weir_request request = request_of(1);
    struct weir_decision decision;
    struct weir_ask ask;

    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_true(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
    assert_int_equal(ask.plan.version, 1);
    const struct weir_answer answer = {.key = ask.key,
                                       .id = ask.id,
                                       .granted_units = 10,
                                       .store_us = START_US,
                                       .version = 1,
                                       .lease_end_us = START_US + MINUTE_US};
    assert_int_equal(weir_limiter_answer(limiter, 2 * NS_PER_S, &answer), WEIR_OK);

    request.assigned_version = 9;
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_true(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
    assert_int_equal(ask.plan.version, 9);

    request.assigned_version = 4; /* one that was under way for long */
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_int_equal(limiter->cold[table_find(limiter, &request.key)].assigned_version, 9);
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
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_true(weir_limiter_next_ask(limiter, 2 * NS_PER_S, &ask));
    assert_int_equal(ask.need_units, WEIR_COST_MAX);
    assert_int_equal(weir_limiter_decide(limiter, 2 * NS_PER_S, &request, &decision), WEIR_OK);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
}

static void shutdown_without_keys_is_done_at_once(void **state)
{
    (void)state;
    struct weir_limiter *limiter = one_limiter();

    assert_int_equal(weir_limiter_shutdown(limiter, 2 * NS_PER_S), WEIR_SHUTDOWN_DONE);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), UINT64_MAX);
    weir_limiter_expire(limiter, 3 * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_needs_a_plan_that_was_set),
        cmocka_unit_test(weights_multiply_the_cost),
        cmocka_unit_test(an_endpoint_nobody_declared_is_an_error),
        cmocka_unit_test(b05_b07_a_cost_too_large_is_an_error),
        cmocka_unit_test(b04_cost_zero_touches_nothing),
        cmocka_unit_test(b01_d07_a_cost_above_the_capacity_is_never_worth_waiting_for),
        cmocka_unit_test(b10_limit_zero_denies_without_asking),
        cmocka_unit_test(a_request_that_has_no_place_to_wait_in_is_decided_without_the_store),
        cmocka_unit_test(a_free_endpoint_touches_nothing),
        cmocka_unit_test(what_can_never_be_admitted_is_no_demand),
        cmocka_unit_test(the_demand_of_large_costs_saturates),
        cmocka_unit_test(a_key_that_is_assigned_to_its_plan_anew_says_so),
        cmocka_unit_test(what_waits_for_one_key_stays_below_2_to_the_31),
        cmocka_unit_test(shutdown_without_keys_is_done_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
