/* When a refused request would pass: refused at every nanosecond before, admitted at it. */
#include "unit.h"

#include <stdbool.h>

#include "oracle.h"
#include "oracle_rules.h"
#include "prng.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define CASE_COUNT 1000

static void a_bucket_says_when_its_refill_is_enough(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    start_bucket(&oracle, 3, SECOND_NS, 5, 1);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 7, 1), 7);
    assert_true(sim_oracle_admit(&oracle, 7, 1));
    assert_int_equal(sim_oracle_retry_ns(&oracle, 7, 1), 333333334);
    assert_int_equal(sim_oracle_retry_ns(&oracle, SECOND_NS, 5), 1666666667);
    assert_int_equal(sim_oracle_retry_ns(&oracle, SECOND_NS, 0), SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, SECOND_NS, 6), UINT64_MAX);
}

static void a_window_says_when_it_ends(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    start_window(&oracle, 10, MINUTE_NS, 20 * SECOND_NS, 4);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 5, 6), 5);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 5, 7), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 40 * SECOND_NS, 10), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 40 * SECOND_NS, 11), UINT64_MAX);
}

static void a_sliding_window_says_when_enough_of_the_one_before_is_out_of_sight(void **state)
{
    (void)state;
    const struct sim_oracle_rule rule =
        rule_of_windows(SIM_ORACLE_SLIDING, 10, MINUTE_NS, 20 * SECOND_NS);
    struct sim_oracle oracle;

    sim_oracle_init(&oracle, &rule, 6);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 0, 4), 0);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 0, 5), 50 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 0, 10), 100 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 0, 11), UINT64_MAX);
    assert_true(sim_oracle_admit(&oracle, 50 * SECOND_NS, 5));
    /* 5 of 6 and 5 count; at 100 s 5 of 5, and 1 less in every 12 s */
    assert_int_equal(sim_oracle_retry_ns(&oracle, 50 * SECOND_NS, 1), MINUTE_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 50 * SECOND_NS, 6), 112 * SECOND_NS);
}

static void a_log_says_when_enough_of_it_is_old(void **state)
{
    (void)state;
    const struct sim_oracle_rule rule = rule_of_windows(SIM_ORACLE_LOG, 10, MINUTE_NS, 0);
    struct sim_oracle oracle;

    sim_oracle_init(&oracle, &rule, 3);
    assert_true(sim_oracle_admit(&oracle, 20 * SECOND_NS, 4));
    assert_int_equal(sim_oracle_retry_ns(&oracle, 21 * SECOND_NS, 3), 21 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 21 * SECOND_NS, 6), MINUTE_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 21 * SECOND_NS, 7), 80 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 21 * SECOND_NS, 11), UINT64_MAX);
    sim_oracle_deinit(&oracle);
}

static void without_a_limit_it_is_now_and_without_a_plan_never(void **state)
{
    (void)state;
    const struct sim_oracle_rule unlimited = rule_without_numbers(SIM_ORACLE_UNLIMITED);
    const struct sim_oracle_rule deleted = rule_without_numbers(SIM_ORACLE_DELETED);
    struct sim_oracle oracle;

    sim_oracle_init(&oracle, &unlimited, 0);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 7, UINT64_MAX), 7);
    sim_oracle_init(&oracle, &deleted, 0);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 7, 0), UINT64_MAX);
}

static void what_comes_after_the_end_of_time_is_never(void **state)
{
    (void)state;
    struct sim_oracle oracle;
    struct sim_oracle_rule rule;

    start_bucket(&oracle, 0, SECOND_NS, 10, 3);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 1, 4), UINT64_MAX);
    start_bucket(&oracle, 1, UINT64_MAX, 10, 0);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 1, 4), UINT64_MAX);
    start_window(&oracle, 10, UINT64_MAX, 0, 10);
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX - 1, 1), UINT64_MAX);
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX, 1), UINT64_MAX);
    start_window(&oracle, 10, UINT64_MAX / 2, 3, 0);
    assert_true(sim_oracle_admit(&oracle, UINT64_MAX - 4, 10));
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX - 4, 1), UINT64_MAX);
    rule = rule_of_windows(SIM_ORACLE_SLIDING, 10, UINT64_MAX / 2, 3);
    sim_oracle_init(&oracle, &rule, 10);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 0, 10), UINT64_MAX - 1 - 3);
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX - 7, 10), UINT64_MAX - 4);
    assert_true(sim_oracle_admit(&oracle, UINT64_MAX - 4, 10));
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX - 4, 1), UINT64_MAX);
    rule = rule_of_windows(SIM_ORACLE_LOG, 10, 9, 0);
    sim_oracle_init(&oracle, &rule, 0);
    assert_true(sim_oracle_admit(&oracle, UINT64_MAX - 9, 10));
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX - 9, 1), UINT64_MAX);
    sim_oracle_deinit(&oracle);
}

/* ---- brute force: ask at every nanosecond */

#define HORIZON_NS 300

/* The first instant at which there is room; UINT64_MAX if there is none up to the horizon. Looking
 * at what remains forgets what has expired, of the copy's view of a log alone. */
static uint64_t first_admission_ns(const struct sim_oracle *oracle, uint64_t now_ns,
                                   uint64_t cost_units)
{
    for (uint64_t time_ns = now_ns; time_ns <= now_ns + HORIZON_NS; time_ns++) {
        struct sim_oracle copy = *oracle;
        if (sim_oracle_remaining_units(&copy, time_ns) >= cost_units) {
            return time_ns;
        }
    }
    return UINT64_MAX;
}

static unsigned retries_check(struct sim_oracle *oracle, struct sim_prng *prng)
{
    uint64_t now_ns = sim_prng_below(prng, 20);
    unsigned waited = 0;

    for (int i = 0; i < 20; i++) {
        const uint64_t cost_units = sim_prng_below(prng, 12);
        const uint64_t expected_ns = first_admission_ns(oracle, now_ns, cost_units);
        const uint64_t retry_ns = sim_oracle_retry_ns(oracle, now_ns, cost_units);

        assert_int_equal(retry_ns, expected_ns);
        waited += retry_ns > now_ns && retry_ns != UINT64_MAX;
        assert_int_equal(sim_oracle_admit(oracle, now_ns, cost_units), retry_ns == now_ns);
        now_ns += sim_prng_below(prng, 3) == 0 ? 0 : sim_prng_below(prng, 12);
    }
    return waited;
}

static void a_retry_is_refused_before_and_admitted_at_the_instant_named(void **state)
{
    (void)state;
    struct sim_prng prng;
    unsigned waited[4] = {0};

    for (uint64_t i = 0; i < 4 * CASE_COUNT; i++) {
        struct sim_oracle oracle;
        struct sim_oracle_rule rule = {.kind = (enum sim_oracle_kind)(i % 4)};

        sim_prng_init(&prng, 1, "retries", i);
        rule.rate_units = sim_prng_below(&prng, 8);
        rule.period_ns =
            1 + sim_prng_below(&prng, 14); /* fills in 20 x 14 ns: within the horizon */
        rule.window_ns = 1 + sim_prng_below(&prng, 30);
        rule.phase_ns = sim_prng_below(&prng, rule.window_ns);
        rule.limit_units = sim_prng_below(&prng, 20);
        rule.capacity_units = rule.limit_units;
        sim_oracle_init(&oracle, &rule, sim_prng_below(&prng, rule.limit_units + 1));
        waited[i % 4] += retries_check(&oracle, &prng);
        sim_oracle_deinit(&oracle);
    }
    for (int kind = 0; kind < 4; kind++) {
        assert_true(waited[kind] > 2 * CASE_COUNT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_says_when_its_refill_is_enough),
        cmocka_unit_test(a_window_says_when_it_ends),
        cmocka_unit_test(a_sliding_window_says_when_enough_of_the_one_before_is_out_of_sight),
        cmocka_unit_test(a_log_says_when_enough_of_it_is_old),
        cmocka_unit_test(without_a_limit_it_is_now_and_without_a_plan_never),
        cmocka_unit_test(what_comes_after_the_end_of_time_is_never),
        cmocka_unit_test(a_retry_is_refused_before_and_admitted_at_the_instant_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
