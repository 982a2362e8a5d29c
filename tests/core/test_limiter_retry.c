/* A denial says when to come back: a lone client that does so is admitted (B21), and the limiter
 * itself wakes up when it says it will, not more often. */
#include "fleet.h"

#include "weir/limiter.h"

#define SEEDS 8
#define BUCKET WEIR_ALGORITHM_BUCKET
#define WINDOW WEIR_ALGORITHM_WINDOW
#define SLIDING WEIR_ALGORITHM_SLIDING
#define LOG WEIR_ALGORITHM_LOG

struct shape {
    const char *name;
    enum weir_algorithm algorithm;
    uint64_t rate_per_s, capacity, window_us;
    uint32_t cost_max;
    uint64_t pause_max_ns; /* between an admission and the next request */
    uint64_t delay_max_ns;
};

static const struct shape SHAPES[] = {
    {"one by one", BUCKET, 1, 10, 0, 1, 100 * MS_NS, 300 * US_NS},
    {"one by one, slow", BUCKET, 1, 1, 0, 1, 3 * SECOND_NS, 2 * MS_NS},
    {"costs up to the capacity", BUCKET, 7, 20, 0, 20, 100 * MS_NS, 300 * US_NS},
    {"costs, never idle", BUCKET, 7, 20, 0, 20, 1, 300 * US_NS},
    {"busy", BUCKET, 100, 100, 0, 10, MS_NS, 300 * US_NS},
    {"paced", BUCKET, 100, 1000, 0, 9, 10 * MS_NS, 300 * US_NS},
    {"paced, large costs", BUCKET, 1000, 10000, 0, 900, MS_NS, 300 * US_NS},
    {"tiny and fast", BUCKET, 1000, 3, 0, 3, MS_NS, 300 * US_NS},
    {"tiny, slow store", BUCKET, 100, 3, 0, 3, 10 * MS_NS, 30 * MS_NS},
    {"slow store", BUCKET, 200, 50, 0, 9, MS_NS, 30 * MS_NS},
    {"window", WINDOW, 10, 0, 3 * SECOND_US, 1, 50 * MS_NS, 300 * US_NS},
    {"window, costs up to the limit", WINDOW, 10, 0, 3 * SECOND_US, 30, 50 * MS_NS, 300 * US_NS},
    {"window, slow store", WINDOW, 100, 0, SECOND_US, 40, 5 * MS_NS, 20 * MS_NS},
    {"short window", WINDOW, 1000, 0, 50 * MS_US, 20, MS_NS, 300 * US_NS},
    {"sliding", SLIDING, 10, 0, 3 * SECOND_US, 1, 50 * MS_NS, 300 * US_NS},
    {"sliding, costs up to the limit", SLIDING, 10, 0, 3 * SECOND_US, 30, 50 * MS_NS, 300 * US_NS},
    {"sliding, slow store", SLIDING, 100, 0, SECOND_US, 40, 5 * MS_NS, 20 * MS_NS},
    {"sliding, short window", SLIDING, 1000, 0, 50 * MS_US, 20, MS_NS, 300 * US_NS},
    {"log", LOG, 10, 0, 3 * SECOND_US, 1, 50 * MS_NS, 300 * US_NS},
    {"log, costs up to the limit", LOG, 10, 0, 3 * SECOND_US, 30, 50 * MS_NS, 300 * US_NS},
    {"log, slow store", LOG, 100, 0, SECOND_US, 40, 5 * MS_NS, 3 * MS_NS},
    {"log, short window", LOG, 1000, 0, 50 * MS_US, 20, MS_NS, 300 * US_NS},
};

static struct weir_plan plan_of(const struct shape *shape, uint64_t version)
{
    struct weir_plan plan =
        shape->algorithm == BUCKET
            ? bucket_plan(shape->rate_per_s, shape->capacity)
            : windowed_plan(shape->algorithm, shape->rate_per_s * shape->window_us / SECOND_US,
                            shape->window_us);

    plan.version = version;
    return plan;
}

static struct fleet *fleet_of(const struct shape *shape, unsigned seed)
{
    struct fleet *fleet = fleet_new(seed);

    fleet_add_plan(fleet, plan_of(shape, 1));
    fleet_add_key(fleet, 0, dice_below(&fleet->dice, MINUTE_US));
    fleet_fill(fleet, 0, dice_below(&fleet->dice, fleet->plans[0].capacity_units + 1));
    fleet->delay_min_ns = 50 * US_NS;
    fleet->delay_max_ns = shape->delay_max_ns;
    fleet->start_spread_ns = MINUTE_NS;
    fleet_start(fleet, 1, 4);
    fleet->processes[0].drift_ppm = (int64_t)dice_below(&fleet->dice, 401) - 200;
    return fleet;
}

/* A request, and if it is denied another one when the client was told to come back. Returns the
 * last verdict. */
static struct weir_decision decide_obeying(struct fleet *fleet, uint32_t cost,
                                           uint64_t *denied_count)
{
    const struct weir_decision decision = fleet_decide(fleet, 0, 0, cost);

    if (decision.verdict != WEIR_VERDICT_DENIED) {
        return decision;
    }
    *denied_count += 1;
    assert_true(decision.retry_after_ns < 600 * SECOND_NS);
    fleet_run_for(fleet, decision.retry_after_ns); /* by the client's clock: the true one */
    return fleet_decide(fleet, 0, 0, cost);
}

static void play(const struct shape *shape, unsigned seed, uint64_t *denied_count)
{
    struct fleet *fleet = fleet_of(shape, seed);

    for (unsigned i = 0; i < 300; i++) {
        const uint32_t cost = 1 + (uint32_t)dice_below(&fleet->dice, shape->cost_max);
        const struct weir_decision decision = decide_obeying(fleet, cost, denied_count);
        if (decision.verdict != WEIR_VERDICT_ADMITTED) {
            print_error("%s, seed %u, request %u, cost %u, drift %d\n", shape->name, seed, i, cost,
                        (int)fleet->processes[0].drift_ppm);
        }
        assert_int_equal(decision.verdict, WEIR_VERDICT_ADMITTED);
        fleet_run_for(fleet, dice_below(&fleet->dice, shape->pause_max_ns));
    }
    assert_int_equal(fleet->keys[0].over_units, 0);
    fleet_shutdown(fleet);
    fleet_free(fleet);
}

static void b21_a_lone_client_that_waits_as_told_is_admitted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
        uint64_t denied_count = 0;
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            play(&SHAPES[i], seed, &denied_count);
        }
        if (denied_count < 30) {
            print_error("%s: %u denials\n", SHAPES[i].name, (unsigned)denied_count);
        }
        assert_true(denied_count >= 30);
    }
}

/* B21: rounded up, and exact to the error of the clock. */
static void b21_the_time_to_wait_is_not_much_longer_than_needed(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, bucket_plan(1, 3));
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    assert_int_equal(fleet_decide(fleet, 0, 0, 3).verdict, WEIR_VERDICT_ADMITTED);
    fleet_run_until(fleet, 700 * MS_NS);

    const struct weir_decision decision = fleet_decide(fleet, 0, 0, 1);

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_in_range(decision.retry_after_ns, 300 * MS_NS, 336 * MS_NS);
    fleet_free(fleet);
}

/* B15: five per five minutes, asked again a second before a permit comes. */
static void b15_the_wait_counts_what_has_elapsed(void **state)
{
    (void)state;
    const struct weir_plan_options options = {
        .version = 1,
        .rate_units = 5,
        .rate_period_us = 5 * MINUTE_US,
        .capacity_units = 5,
        .window_us = 5 * MINUTE_US,
    };
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, plan_from(&options));
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    fleet_decide(fleet, 0, 0, 5);
    fleet_run_until(fleet, 59 * SECOND_NS);

    const struct weir_decision decision = fleet_decide(fleet, 0, 0, 1);

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_in_range(decision.retry_after_ns, SECOND_NS, SECOND_NS + 40 * MS_NS);
    fleet_free(fleet);
}

static void what_is_never_refilled_is_denied_for_good(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, bucket_plan(0, 3));
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    assert_int_equal(fleet_decide(fleet, 0, 0, 2).verdict, WEIR_VERDICT_ADMITTED);
    fleet_run_for(fleet, SECOND_NS);

    const struct weir_decision decision = fleet_decide(fleet, 0, 0, 2);

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_OVER_LIMIT);
    assert_int_equal(decision.retry_after_ns, WEIR_RETRY_NEVER);
    assert_int_equal(fleet_decide(fleet, 0, 0, 1).verdict, WEIR_VERDICT_ADMITTED);
    fleet_free(fleet);
}

/* A window's permits in another process may come back before its end: then the wait is short, and
 * says so. */
static void permits_parked_elsewhere_are_looked_for_again_ever_more_rarely(void **state)
{
    (void)state;
    struct weir_plan plan = window_plan(10, MINUTE_US);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 10;
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 2, 4);
    fleet_decide(fleet, 1, 0, 1); /* nine lie in the other process */
    uint64_t last_ns = 0;

    for (unsigned i = 0; i < 6; i++) {
        const struct weir_decision decision = fleet_decide(fleet, 0, 0, 1);
        assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
        assert_int_equal(decision.reason, WEIR_REASON_PARKED);
        assert_in_range(decision.retry_after_ns, 250 * MS_NS << i, (250 * MS_NS << i) + 10 * MS_NS);
        assert_true(decision.retry_after_ns > last_ns);
        last_ns = decision.retry_after_ns;
        fleet_run_for(fleet, decision.retry_after_ns);
    }
    assert_int_equal(weir_limiter_shutdown(fleet_limiter(fleet, 1), fleet_local_ns(fleet, 1)),
                     WEIR_SHUTDOWN_BUSY); /* until the store has heard its last words */
    fleet_drain(fleet, 1);
    fleet_run_for(fleet, last_ns);
    assert_int_equal(fleet_decide(fleet, 0, 0, 1).verdict, WEIR_VERDICT_ADMITTED);
    fleet_free(fleet);
}

static void its_own_permits_are_not_parked_elsewhere(void **state)
{
    (void)state;
    struct weir_plan plan = window_plan(10, MINUTE_US);
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = 10;
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, plan);
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    fleet_decide(fleet, 0, 0, 1);

    const struct weir_decision decision = fleet_decide(fleet, 0, 0, 10);

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.reason, WEIR_REASON_OVER_LIMIT);
    fleet_run_for(fleet, decision.retry_after_ns);
    assert_int_equal(fleet_decide(fleet, 0, 0, 10).verdict, WEIR_VERDICT_ADMITTED);
    fleet_free(fleet);
}

/* fleet_step checks that a deadline that was obeyed lies in the past afterwards; here: that a quiet
 * key falls silent. */
static void an_idle_key_gives_its_permits_back_and_falls_silent(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, bucket_plan(1000, 100000));
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    for (unsigned i = 0; i < 1000; i++) {
        fleet_request(fleet, 0, 0, 1);
        fleet_run_for(fleet, 2 * MS_NS);
    }
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    assert_true(weir_limiter_held_units(limiter, &fleet->keys[0].key) > 0);
    const uint64_t asks = fleet->ask_count;

    fleet_run_for(fleet, 400 * MS_NS); /* T is a second, and a quarter of it is long enough */
    assert_int_equal(weir_limiter_held_units(limiter, &fleet->keys[0].key), 0);
    fleet_run_for(fleet, 2 * MINUTE_NS);

    assert_in_range(fleet->ask_count, asks + 1, asks + 3);
    assert_int_equal(fleet->keys[0].store.outstanding[0] + fleet->keys[0].store.outstanding[1], 0);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), UINT64_MAX);
    assert_int_equal(fleet_reported_units(fleet), 1000);
    fleet_free(fleet);
}

static void a_deadline_is_not_early(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_new(1);
    fleet_add_plan(fleet, bucket_plan(1000, 100000));
    fleet_add_key(fleet, 0, 0);
    fleet_start(fleet, 1, 4);
    fleet_decide(fleet, 0, 0, 1);
    struct weir_limiter *limiter = fleet_limiter(fleet, 0);
    const uint64_t deadline_ns = weir_limiter_next_deadline_ns(limiter);

    weir_limiter_expire(limiter, deadline_ns - 1);
    assert_int_equal(weir_limiter_next_deadline_ns(limiter), deadline_ns);
    weir_limiter_expire(limiter, deadline_ns);
    assert_true(weir_limiter_next_deadline_ns(limiter) > deadline_ns);
    fleet_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b21_a_lone_client_that_waits_as_told_is_admitted),
        cmocka_unit_test(b21_the_time_to_wait_is_not_much_longer_than_needed),
        cmocka_unit_test(b15_the_wait_counts_what_has_elapsed),
        cmocka_unit_test(what_is_never_refilled_is_denied_for_good),
        cmocka_unit_test(permits_parked_elsewhere_are_looked_for_again_ever_more_rarely),
        cmocka_unit_test(its_own_permits_are_not_parked_elsewhere),
        cmocka_unit_test(an_idle_key_gives_its_permits_back_and_falls_silent),
        cmocka_unit_test(a_deadline_is_not_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
