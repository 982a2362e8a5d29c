/* What answers change, and what they must not: when they come late, twice, to nobody; and what a
 * denial promises. */
#include "fleet.h"

#include "weir/limiter.h"

static struct fleet *fleet_with(struct weir_plan plan, uint32_t process_count)
{
    struct fleet *fleet = fleet_new(1);

    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, process_count, 4);
    return fleet;
}

static struct weir_plan leasing(struct weir_plan plan)
{
    plan.sizer =
        WEIR_SIZER_FIXED; /* whatever is wanted, and nothing is given back for being idle */
    plan.fixed_lease_units = 10;
    return plan;
}

/* The only exchange under way, served now and not yet heard. */
static struct weir_answer served_answer(struct fleet *fleet)
{
    assert_int_equal(fleet->exchange_count, 1);
    assert_false(fleet->exchanges[0].served);
    fleet->now_ns = fleet->exchanges[0].due_ns;
    fleet_serve(fleet, &fleet->exchanges[0]);
    fleet->exchange_count = 0;
    return fleet->exchanges[0].answer;
}

static enum weir_status hear(struct fleet *fleet, const struct weir_answer *answer)
{
    const enum weir_status status =
        weir_limiter_answer(fleet_limiter(fleet, 0), fleet_local_ns(fleet, 0), answer);

    fleet_settle(fleet, 0);
    fleet_drain(fleet, 0);
    return status;
}

static void a_first_request_waits_one_round_trip(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100), 1);

    const struct weir_decision decision = fleet_request(fleet, 0, 0, 1);
    assert_int_equal(decision.verdict, WEIR_VERDICT_PENDING);
    fleet_run_until(fleet, 400 * US_NS);
    assert_int_equal(fleet->settled_count, 0);
    fleet_run_until(fleet, 400 * US_NS + 1);
    assert_int_equal(fleet->settled_count, 1);
    assert_int_equal(fleet->last_settled.ticket, decision.ticket);
    assert_int_equal(fleet->last_settled.decision.verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(fleet->last_settled.decision.reason, WEIR_REASON_ADMITTED);
    assert_int_equal(fleet->ask_count, 1);
    fleet_free(fleet);
}

static void b52_answers_that_match_no_ask_are_ignored(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100), 1);
    fleet_request(fleet, 0, 0, 1);
    const struct weir_answer good = served_answer(fleet);
    struct weir_answer bad[4] = {good, good, good, good};

    bad[0].id.sequence++;
    bad[1].id.sequence--;
    bad[2].id.incarnation++; /* D15: meant for another life */
    bad[3].key.low++;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(hear(fleet, &bad[i]), WEIR_ERR_UNEXPECTED);
        assert_int_equal(fleet->settled_count, 0);
    }
    assert_int_equal(hear(fleet, &good), WEIR_OK);
    assert_int_equal(fleet->settled_count, 1);
    assert_int_equal(hear(fleet, &good), WEIR_ERR_UNEXPECTED); /* B52: its own, once more */
    assert_int_equal(weir_limiter_held_units(fleet_limiter(fleet, 0), &fleet->keys[0].key),
                     good.granted_units - 1);
    fleet_free(fleet);
}

/* A repeated answer was read from the record: when the store's clock was read, nobody knows. */
static void a_repeated_answer_does_not_set_the_clock(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(window_plan(1, MINUTE_US), 1);
    struct weir_quota quota;
    fleet_decide(fleet, 0, 0, 1);
    fleet_run_until(fleet, 30 * SECOND_NS);
    fleet->plans[0] = window_plan(5, MINUTE_US);
    fleet->plans[0].version = 2;
    assert_int_equal(weir_limiter_set_plan(fleet_limiter(fleet, 0), 0, &fleet->plans[0]), WEIR_OK);
    fleet_request(fleet, 0, 0, 2);
    struct weir_answer answer = served_answer(fleet);

    answer.flags |= WEIR_ANSWER_REPEATED;
    answer.store_us -= 20 * SECOND_US;
    assert_int_equal(hear(fleet, &answer), WEIR_OK);

    weir_limiter_quota(fleet_limiter(fleet, 0), fleet_local_ns(fleet, 0), &fleet->keys[0].key, 0,
                       &quota);
    assert_in_range(quota.age_ns, 19 * SECOND_NS, 21 * SECOND_NS);
    fleet_free(fleet);
}

/* D12: a grant whose window is over when it comes is given up, and the request asks again in the
 * new window. */
static void d12_an_answer_after_its_window_credits_nothing(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(leasing(window_plan(10, MINUTE_US)), 1);
    const uint64_t end_ns = MINUTE_NS;
    fleet_decide(fleet, 0, 0, 1);
    fleet_run_until(fleet, end_ns - 15 * MS_NS);
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[0].key), 9);
    fleet->keys[0].store.tokens = 0; /* all were given back, say */
    fleet_request(fleet, 0, 0, 10);
    const struct weir_answer answer = served_answer(fleet);
    assert_int_equal(answer.granted_units, 10);

    fleet->now_ns = end_ns + 5 * MS_NS;
    assert_int_equal(hear(fleet, &answer), WEIR_OK);

    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[0].key), 0);
    assert_int_equal(fleet->settled_count, 1); /* the first one only */
    assert_int_equal(fleet->exchange_count, 1);
    assert_int_equal(fleet->exchanges[0].ask.need_units, 10);
    assert_int_equal(fleet->exchanges[0].ask.returned_units, 19);
    fleet_run_for(fleet, 10 * MS_NS);
    assert_int_equal(fleet->settled_count, 2);
    assert_int_equal(fleet->keys[0].store.tokens, 10);
    assert_int_equal(fleet->keys[0].over_units, 0);
    fleet_free(fleet);
}

/* D12, the other way round: what was held of the old window does not live on in the new one. */
static void d12_an_ask_that_crosses_the_boundary_voids_what_was_held(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(leasing(window_plan(10, MINUTE_US)), 1);
    fleet_add_key(fleet, 0, 30 * SECOND_US);
    fleet_decide(fleet, 0, 0, 1);
    fleet_run_until(fleet, MINUTE_NS - 15 * MS_NS);
    fleet_decide(fleet, 0, 1, 1); /* the clock is well known again */
    fleet_run_until(fleet, MINUTE_NS - 300 * US_NS);
    fleet->delay_min_ns = fleet->delay_max_ns = 400 * US_NS;
    fleet_request(fleet, 0, 0, 10); /* nine are held, the ask comes in the next window */
    assert_int_equal(fleet->exchanges[0].ask.held_units, 9);

    fleet_run_for(fleet, 10 * MS_NS);

    assert_int_equal(fleet->settled_count, 3);
    assert_int_equal(fleet->spent_units, 12);
    assert_int_equal(fleet->keys[0].store.tokens, 10);
    assert_int_equal(weir_limiter_held_units(fleet_limiter(fleet, 0), &fleet->keys[0].key), 0);
    assert_int_equal(fleet->keys[0].over_units, 0);
    fleet_shutdown(fleet);
    fleet_free(fleet);
}

/* D13: a process that stood still finds its leases dead, even if the first thing it sees is a
 * request. */
static void d13_a_lease_is_dead_after_a_pause(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t pause_ns;
        enum weir_verdict verdict;
    } CASES[] = {
        {"a second", SECOND_NS, WEIR_VERDICT_ADMITTED},
        {"just within the lease", 9 * SECOND_NS, WEIR_VERDICT_ADMITTED},
        {"ten seconds", 10 * SECOND_NS, WEIR_VERDICT_PENDING},
        {"two days", 172800 * SECOND_NS, WEIR_VERDICT_PENDING},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct weir_plan plan = leasing(bucket_plan(10, 100));
        struct fleet *fleet = fleet_with(plan, 1);
        fleet_decide(fleet, 0, 0, 1);
        assert_int_equal(weir_limiter_held_units(fleet_limiter(fleet, 0), &fleet->keys[0].key), 9);
        fleet->now_ns += CASES[i].pause_ns;
        assert_int_equal(fleet_request(fleet, 0, 0, 1).verdict, CASES[i].verdict);
        fleet_free(fleet);
    }
}

static void d13_a_windows_lease_is_dead_after_its_window(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(leasing(window_plan(100, MINUTE_US)), 1);
    fleet_decide(fleet, 0, 0, 1);

    fleet->now_ns = MINUTE_NS - SECOND_NS;
    assert_int_equal(fleet_request(fleet, 0, 0, 1).verdict, WEIR_VERDICT_ADMITTED);
    fleet->now_ns = MINUTE_NS;
    assert_int_equal(fleet_request(fleet, 0, 0, 1).verdict, WEIR_VERDICT_PENDING);
    fleet_free(fleet);
}

/* What waiting requests get is counted as spent after the flight time; later it may not be spent.
 */
static void a_grant_that_comes_too_late_for_what_waits_is_not_spent(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 100), 1);
    fleet_request(fleet, 0, 0, 4);
    const struct weir_answer answer = served_answer(fleet);
    assert_int_equal(answer.granted_units, 4);

    fleet->now_ns += 17 * MS_NS;
    assert_int_equal(hear(fleet, &answer), WEIR_OK);

    assert_int_equal(fleet->settled_count, 0);
    assert_int_equal(fleet->exchanges[0].ask.unused_units, 4);
    assert_int_equal(fleet->exchanges[0].ask.need_units, 4);
    assert_int_equal(fleet->exchanges[0].ask.flight_us,
                     0); /* the store is slow: leased from now on */
    const struct weir_answer again = served_answer(fleet);
    fleet->now_ns += 17 * MS_NS;
    assert_int_equal(hear(fleet, &again), WEIR_OK);
    assert_int_equal(fleet->settled_count, 1);
    fleet_free(fleet);
}

/* B54: a denial is remembered until it could change, and no longer. */
static void b54_a_denial_is_remembered_until_it_could_change(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 10), 1);
    assert_int_equal(fleet_decide(fleet, 0, 0, 10).verdict, WEIR_VERDICT_ADMITTED);
    fleet_run_for(fleet, 50 * MS_NS);
    const struct weir_decision first = fleet_decide(fleet, 0, 0, 5);
    assert_int_equal(first.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(first.reason, WEIR_REASON_OVER_LIMIT);
    const uint64_t asks = fleet->ask_count;

    for (unsigned i = 0; i < 40; i++) {
        assert_int_equal(fleet_request(fleet, 0, 0, 5).verdict, WEIR_VERDICT_DENIED);
        fleet_run_for(fleet, 10 * MS_NS);
    }
    assert_int_equal(fleet->ask_count, asks);
    fleet_run_for(fleet, 150 * MS_NS);
    assert_int_equal(fleet_decide(fleet, 0, 0, 5).verdict, WEIR_VERDICT_ADMITTED);
    fleet_free(fleet);
}

/* What was refused is the part beyond what is held: less than that may well be there. */
static void a_smaller_cost_is_not_denied_for_a_larger_one(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(leasing(bucket_plan(1, 20)), 1);
    assert_int_equal(fleet_decide(fleet, 0, 0, 6).verdict,
                     WEIR_VERDICT_ADMITTED); /* 4 held, 10 left */
    assert_int_equal(fleet_decide(fleet, 0, 0, 18).verdict, WEIR_VERDICT_DENIED);

    assert_int_equal(fleet_decide(fleet, 0, 0, 17).verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(fleet_request(fleet, 0, 0, 14).verdict, WEIR_VERDICT_PENDING);
    fleet_run_for(fleet, MS_NS);
    assert_int_equal(fleet->last_settled.decision.verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(fleet->keys[0].over_units, 0);
    fleet_free(fleet);
}

/* B21: also where the denial was remembered from a smaller request. */
static void b21_a_larger_cost_is_told_to_wait_longer(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(10, 40), 1);
    fleet_decide(fleet, 0, 0, 40);
    fleet_run_for(fleet, 40 * MS_NS);
    const struct weir_decision small = fleet_decide(fleet, 0, 0, 5);
    const struct weir_decision large = fleet_request(fleet, 0, 0, 35);

    assert_int_equal(small.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(large.verdict, WEIR_VERDICT_DENIED);
    assert_in_range(small.retry_after_ns, 450 * MS_NS, 510 * MS_NS);
    assert_in_range(large.retry_after_ns, 3450 * MS_NS, 3600 * MS_NS);
    fleet_run_for(fleet, large.retry_after_ns);
    assert_int_equal(fleet_decide(fleet, 0, 0, 35).verdict, WEIR_VERDICT_ADMITTED);
    fleet_free(fleet);
}

/* B58: what was denied under the old limit is not denied for its sake any longer. */
static void b58_a_raised_limit_takes_effect_at_once(void **state)
{
    (void)state;
    struct weir_plan plan = window_plan(10, MINUTE_US);
    struct fleet *fleet = fleet_with(plan, 1);
    assert_int_equal(fleet_decide(fleet, 0, 0, 10).verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(fleet_decide(fleet, 0, 0, 1).verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(fleet_request(fleet, 0, 0, 1).verdict, WEIR_VERDICT_DENIED);

    plan = window_plan(1000, MINUTE_US);
    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(fleet_limiter(fleet, 0), 0, &plan), WEIR_OK);
    assert_int_equal(fleet_decide(fleet, 0, 0, 990).verdict, WEIR_VERDICT_ADMITTED);
    assert_int_equal(fleet_decide(fleet, 0, 0, 1).verdict, WEIR_VERDICT_DENIED);
    fleet_free(fleet);
}

static void an_unlimited_plan_admits_without_asking_and_reports(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(unlimited_plan(), 1);

    assert_int_equal(fleet_decide(fleet, 0, 0, 7).reason, WEIR_REASON_UNLIMITED);
    for (unsigned i = 0; i < 100; i++) {
        const struct weir_decision decision = fleet_request(fleet, 0, 0, WEIR_COST_MAX);
        assert_int_equal(decision.verdict, WEIR_VERDICT_ADMITTED);
        assert_int_equal(decision.reason, WEIR_REASON_UNLIMITED);
    }
    assert_int_equal(fleet->ask_count, 1);
    fleet_run_until(fleet, MINUTE_NS + 30 * MS_NS);
    assert_int_equal(fleet_reported_units(fleet), 7 + 100 * (uint64_t)WEIR_COST_MAX);
    assert_true(fleet->reports[0].sealed);
    assert_int_equal(fleet->ask_count, 1);
    fleet_free(fleet);
}

/* The answer to an ask of before finds nothing left to limit: what was debited for it goes back. */
static void what_is_granted_to_a_plan_that_was_lifted_meanwhile_is_given_back(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(window_plan(1000, MINUTE_US), 1);
    struct weir_plan plan = unlimited_plan();
    fleet_decide(fleet, 0, 0, 10);
    fleet_run_until(fleet, 5 * SECOND_NS);
    assert_int_equal(fleet->keys[0].store.tokens, 10);
    fleet_request(fleet, 0, 0, 20);
    const struct weir_answer answer = served_answer(fleet);
    assert_in_range(answer.granted_units, 20, 1000);

    plan.version = 2;
    assert_int_equal(weir_limiter_set_plan(fleet_limiter(fleet, 0), 0, &plan), WEIR_OK);
    assert_int_equal(hear(fleet, &answer), WEIR_OK);
    fleet_run_for(fleet, 10 * SECOND_NS);

    assert_int_equal(fleet->keys[0].store.tokens, 10);
    fleet_free(fleet);
}

/* Leases are renewed before they are used up and before they end, while they are in use. */
static void steady_requests_wait_only_at_first(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_with(bucket_plan(1000, 10000), 1);
    unsigned waited_count = 0;

    for (unsigned i = 0; i < 6000; i++) {
        waited_count += fleet_request(fleet, 0, 0, 1).verdict == WEIR_VERDICT_PENDING ? 1 : 0;
        fleet_run_for(fleet, 10 * MS_NS);
    }

    assert_int_equal(fleet->denied_count, 0);
    assert_in_range(waited_count, 1, 60); /* one in a hundred */
    assert_true(fleet->ask_count <= 600);
    fleet_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_request_waits_one_round_trip),
        cmocka_unit_test(b52_answers_that_match_no_ask_are_ignored),
        cmocka_unit_test(a_repeated_answer_does_not_set_the_clock),
        cmocka_unit_test(d12_an_answer_after_its_window_credits_nothing),
        cmocka_unit_test(d12_an_ask_that_crosses_the_boundary_voids_what_was_held),
        cmocka_unit_test(d13_a_lease_is_dead_after_a_pause),
        cmocka_unit_test(d13_a_windows_lease_is_dead_after_its_window),
        cmocka_unit_test(a_grant_that_comes_too_late_for_what_waits_is_not_spent),
        cmocka_unit_test(b54_a_denial_is_remembered_until_it_could_change),
        cmocka_unit_test(a_smaller_cost_is_not_denied_for_a_larger_one),
        cmocka_unit_test(b21_a_larger_cost_is_told_to_wait_longer),
        cmocka_unit_test(b58_a_raised_limit_takes_effect_at_once),
        cmocka_unit_test(an_unlimited_plan_admits_without_asking_and_reports),
        cmocka_unit_test(what_is_granted_to_a_plan_that_was_lifted_meanwhile_is_given_back),
        cmocka_unit_test(steady_requests_wait_only_at_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
