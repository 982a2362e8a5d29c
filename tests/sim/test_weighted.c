/* The alias table: its exact probabilities, and draws from it. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "weighted.h"

#define SAMPLE_COUNT 1000000

/* What the table says index's probability is: its own part of its column, and what others lend. */
static double *probabilities_of(const struct sim_weighted *weighted)
{
    double *probabilities = sim_memory_new(weighted->count, sizeof *probabilities);

    for (uint32_t i = 0; i < weighted->count; i++) {
        double own = (double)weighted->columns[i].threshold * 0x1p-32;

        probabilities[i] += own / weighted->count;
        probabilities[weighted->columns[i].alias] += (1.0 - own) / weighted->count;
    }
    return probabilities;
}

static void table_is_exact_for_any_weights(void **state)
{
    (void)state;
    static const double WEIGHTS[] = {5.0, 0.0, 1.0, 1e-6, 3.0, 0.0, 90.999999, 0.0};
    struct sim_weighted weighted;
    double *probabilities;

    sim_weighted_init(&weighted, WEIGHTS, 8);
    probabilities = probabilities_of(&weighted);
    for (size_t i = 0; i < 8; i++) {
        assert_true(fabs(probabilities[i] - WEIGHTS[i] / 100.0) < 0x1p-32);
    }
    free(probabilities);
    sim_weighted_deinit(&weighted);
}

static void zipf_table_is_exact_for_five_million_keys(void **state)
{
    (void)state;
    const uint32_t count = 5000000;
    struct sim_weighted weighted;
    double *probabilities;
    double sum = 0.0;

    sim_weighted_init_zipf(&weighted, count, 1100000);
    probabilities = probabilities_of(&weighted);
    for (uint32_t i = 0; i < count; i++) {
        sum += pow((double)i + 1.0, -1.1);
    }
    for (uint32_t i = 0; i < count; i += 1 + i / 256) {
        double expected = pow((double)i + 1.0, -1.1) / sum;
        double allowed = expected < 1.0 / count ? 0x1p-32 / count : 0x1p-32;

        assert_true(fabs(probabilities[i] - expected) < allowed + 1e-9 * expected);
    }
    free(probabilities);
    sim_weighted_deinit(&weighted);
}

static void zipf_draws_have_their_frequencies(void **state)
{
    (void)state;
    uint32_t counts[100] = {0};
    struct sim_weighted weighted;
    struct sim_prng prng;
    double sum = 0.0;

    sim_weighted_init_zipf(&weighted, 100, 1000000);
    sim_prng_init(&prng, 1, "test", 0);
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        counts[sim_weighted_draw(&weighted, &prng)]++;
    }
    for (uint32_t i = 0; i < 100; i++) {
        sum += 1.0 / (i + 1.0);
    }
    for (uint32_t i = 0; i < 100; i++) {
        double mean = SAMPLE_COUNT / (i + 1.0) / sum;

        assert_true(fabs((double)counts[i] - mean) < 4.0 * sqrt(mean));
    }
    sim_weighted_deinit(&weighted);
}

/* Over many tables whose weights are not exact in binary, so that rounding leaves a rest. */
static void weight_zero_is_never_drawn(void **state)
{
    (void)state;
    double weights[16];
    struct sim_weighted weighted;
    struct sim_prng prng;

    sim_prng_init(&prng, 2, "test", 0);
    for (uint32_t i = 0; i < 10000; i++) {
        for (uint32_t j = 0; j < 16; j++) {
            weights[j] = (double)sim_prng_below(&prng, 4) / 10.0;
        }
        weights[i % 16] = 0.7;
        sim_weighted_init(&weighted, weights, 16);
        for (uint32_t j = 0; j < 16; j++) {
            assert_true(weights[j] > 0.0 || weighted.columns[j].threshold == 0);
            assert_true(weights[weighted.columns[j].alias] > 0.0);
        }
        sim_weighted_deinit(&weighted);
    }
}

static void exponent_zero_needs_no_table(void **state)
{
    (void)state;
    uint32_t counts[7] = {0};
    struct sim_weighted weighted;
    struct sim_prng prng;

    sim_weighted_init_zipf(&weighted, 7, 0);
    assert_null(weighted.columns);
    sim_prng_init(&prng, 3, "test", 0);
    for (uint32_t i = 0; i < 7000; i++) {
        counts[sim_weighted_draw(&weighted, &prng)]++;
    }
    for (uint32_t i = 0; i < 7; i++) {
        assert_in_range(counts[i], 1000 - 126, 1000 + 126); /* 4 sigma */
    }
    sim_weighted_deinit(&weighted);
}

static void single_index_is_always_drawn(void **state)
{
    (void)state;
    static const double WEIGHT = 0.3;
    struct sim_weighted weighted;
    struct sim_prng prng;

    sim_weighted_init(&weighted, &WEIGHT, 1);
    sim_prng_init(&prng, 4, "test", 0);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(sim_weighted_draw(&weighted, &prng), 0);
    }
    sim_weighted_deinit(&weighted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_exact_for_any_weights),
        cmocka_unit_test(zipf_table_is_exact_for_five_million_keys),
        cmocka_unit_test(zipf_draws_have_their_frequencies),
        cmocka_unit_test(weight_zero_is_never_drawn),
        cmocka_unit_test(exponent_zero_needs_no_table),
        cmocka_unit_test(single_index_is_always_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
