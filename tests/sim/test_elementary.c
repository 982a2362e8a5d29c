/* Elementary functions against libm, and their exact values. */
#include "unit.h"

#include <math.h>

#include "elementary.h"
#include "prng.h"

#define RELATIVE_ERROR_MAX 1e-14
#define SAMPLE_COUNT 200000

static double relative_error(double value, double expected)
{
    return fabs(value - expected) / fmax(fabs(expected), DBL_MIN);
}

static void minus_log_agrees_with_libm(void **state)
{
    (void)state;
    struct sim_prng prng;

    sim_prng_init(&prng, 1, "test", 0);
    for (uint64_t i = 0; i < SAMPLE_COUNT; i++) {
        uint64_t mantissa_bits = sim_prng_next(&prng) >> 12;
        int halving_count = 1 + (int)(i % 1000);
        double uniform = ldexp(1.0 + (double)mantissa_bits * 0x1p-52, -halving_count);

        assert_true(relative_error(sim_minus_log(mantissa_bits, halving_count), -log(uniform)) <
                    RELATIVE_ERROR_MAX);
    }
}

static void minus_log_is_accurate_next_to_one(void **state)
{
    (void)state;
    const uint64_t top = (UINT64_C(1) << 52) - 1;

    for (uint64_t distance = 0; distance < UINT64_C(1) << 50; distance = distance * 2 + 1) {
        double below_one = -((double)distance + 1.0) * 0x1p-53;

        assert_true(relative_error(sim_minus_log(top - distance, 1), -log1p(below_one)) <
                    RELATIVE_ERROR_MAX);
    }
}

static void log_agrees_with_libm_over_all_exponents(void **state)
{
    (void)state;
    struct sim_prng prng;

    sim_prng_init(&prng, 1, "test", 1);
    for (int exponent = -1022; exponent <= 1023; exponent++) {
        double value = ldexp(1.0 + (double)(sim_prng_next(&prng) >> 12) * 0x1p-52, exponent);

        assert_true(relative_error(sim_log(value), log(value)) < RELATIVE_ERROR_MAX);
    }
    assert_true(fabs(sim_log(1.0)) <= 0.0);
}

static void exp_agrees_with_libm(void **state)
{
    (void)state;

    for (int i = -700000; i <= 700000; i += 7) {
        double value = (double)i / 1000.0;

        assert_true(relative_error(sim_exp(value), exp(value)) < RELATIVE_ERROR_MAX);
    }
    assert_true(fabs(sim_exp(0.0) - 1.0) <= 0.0);
    assert_true(sim_exp(-701.0) <= 0.0);
    assert_true(sim_exp(-HUGE_VAL) <= 0.0);
}

static void power_agrees_with_libm_over_all_ranks(void **state)
{
    (void)state;
    static const double EXPONENTS[] = {-0.001, -0.5, -0.99, -1.0, -1.1, -2.0, -3.5, 0.5, 4.0};

    for (size_t i = 0; i < sizeof EXPONENTS / sizeof EXPONENTS[0]; i++) {
        for (uint32_t rank = 1; rank <= 5000000; rank += 1 + rank / 64) {
            double expected = pow((double)rank, EXPONENTS[i]);

            /* the error of the logarithm is multiplied by the exponent of e, at most 62 here */
            assert_true(relative_error(sim_power((double)rank, EXPONENTS[i]), expected) < 1e-13);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minus_log_agrees_with_libm),
        cmocka_unit_test(minus_log_is_accurate_next_to_one),
        cmocka_unit_test(log_agrees_with_libm_over_all_exponents),
        cmocka_unit_test(exp_agrees_with_libm),
        cmocka_unit_test(power_agrees_with_libm_over_all_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
