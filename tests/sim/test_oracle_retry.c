/* When a refused request would pass: refused at every nanosecond before, admitted at it. */
#include "unit.h"

#include <stdbool.h>

#include "oracle.h"
#include "prng.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define CASE_COUNT 1000

static void a_bucket_says_when_its_refill_is_enough(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    sim_oracle_init_bucket(&oracle, 3, SECOND_NS, 5, 1);
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

    sim_oracle_init_window(&oracle, 10, MINUTE_NS, 20 * SECOND_NS, 4);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 5, 6), 5);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 5, 7), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 40 * SECOND_NS, 10), 40 * SECOND_NS);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 40 * SECOND_NS, 11), UINT64_MAX);
}

static void what_comes_after_the_end_of_time_is_never(void **state)
{
    (void)state;
    struct sim_oracle oracle;

    sim_oracle_init_bucket(&oracle, 0, SECOND_NS, 10, 3);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 1, 4), UINT64_MAX);
    sim_oracle_init_bucket(&oracle, 1, UINT64_MAX, 10, 0);
    assert_int_equal(sim_oracle_retry_ns(&oracle, 1, 4), UINT64_MAX);
    sim_oracle_init_window(&oracle, 10, UINT64_MAX, 0, 10);
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX - 1, 1), UINT64_MAX);
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX, 1), UINT64_MAX);
    sim_oracle_init_window(&oracle, 10, UINT64_MAX / 2, 3, 0);
    assert_true(sim_oracle_admit(&oracle, UINT64_MAX - 4, 10));
    assert_int_equal(sim_oracle_retry_ns(&oracle, UINT64_MAX - 4, 1), UINT64_MAX);
}

/* ---- brute force: ask at every nanosecond */

#define HORIZON_NS 300

/* The first instant at which a copy admits; UINT64_MAX if none up to the horizon does. */
static uint64_t first_admission_ns(const struct sim_oracle *oracle, uint64_t now_ns,
                                   uint64_t cost_units)
{
    for (uint64_t time_ns = now_ns; time_ns <= now_ns + HORIZON_NS; time_ns++) {
        struct sim_oracle copy = *oracle;
        if (sim_oracle_admit(&copy, time_ns, cost_units)) {
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
    unsigned waited[2] = {0};

    for (uint64_t i = 0; i < CASE_COUNT; i++) {
        struct sim_oracle oracle;

        sim_prng_init(&prng, 1, "retries", i);
        const uint64_t window_ns = 1 + sim_prng_below(&prng, 30);
        const uint64_t limit_units = sim_prng_below(&prng, 20);
        const uint64_t used_units = sim_prng_below(&prng, limit_units + 1);
        if (i % 2 == 0) {
            /* at most 20 x 14 ns to fill: below the horizon */
            sim_oracle_init_bucket(&oracle, sim_prng_below(&prng, 8), 1 + sim_prng_below(&prng, 14),
                                   limit_units, used_units);
        } else {
            sim_oracle_init_window(&oracle, limit_units, window_ns,
                                   sim_prng_below(&prng, window_ns), used_units);
        }
        waited[i % 2] += retries_check(&oracle, &prng);
    }
    assert_true(waited[0] > CASE_COUNT && waited[1] > CASE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_says_when_its_refill_is_enough),
        cmocka_unit_test(a_window_says_when_it_ends),
        cmocka_unit_test(what_comes_after_the_end_of_time_is_never),
        cmocka_unit_test(a_retry_is_refused_before_and_admitted_at_the_instant_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
