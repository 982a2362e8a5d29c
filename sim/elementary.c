#include "elementary.h"

#include <assert.h>
#include <string.h>

#define MANTISSA_BITS 52
#define MANTISSA_MASK ((UINT64_C(1) << MANTISSA_BITS) - 1)
#define EXPONENT_BIAS 1023
#define LOG_2 0x1.62e42fefa39efp-1
#define LOG_2_HIGH 0x1.62e42feep-1 /* 31 bits: a whole number below 2^20 times it is exact */
#define LOG_2_LOW 0x1.a39ef35793c76p-33
#define LOG_2_INVERSE 0x1.71547652b82fep+0
#define ROOT_2_MANTISSA_BITS UINT64_C(0x6a09e667f3bcd) /* sqrt(2) = 1.6a09e667f3bcd hexadecimal */

_Static_assert(sizeof(double) == sizeof(uint64_t), "bits are copied between the two");

static double double_from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 2^exponent x (1 + mantissa_bits / 2^52) */
static double double_compose(int exponent, uint64_t mantissa_bits)
{
    assert(exponent > -EXPONENT_BIAS);
    assert(exponent <= EXPONENT_BIAS);
    return double_from_bits((uint64_t)(exponent + EXPONENT_BIAS) << MANTISSA_BITS | mantissa_bits);
}

/* ln(x) = 2 atanh(s), s = (x - 1) / (x + 1), as a series (Abramowitz and Stegun, 4.1.27). For x in
 * [sqrt(1/2), sqrt(2)]: s^2 <= 0.0295, so the first term left out is below 1e-17 of the sum. */
static double log_near_one(double value)
{
    double ratio = (value - 1.0) / (value + 1.0);
    double square = ratio * ratio;
    double sum = 1.0 / 21.0;

    sum = sum * square + 1.0 / 19.0;
    sum = sum * square + 1.0 / 17.0;
    sum = sum * square + 1.0 / 15.0;
    sum = sum * square + 1.0 / 13.0;
    sum = sum * square + 1.0 / 11.0;
    sum = sum * square + 1.0 / 9.0;
    sum = sum * square + 1.0 / 7.0;
    sum = sum * square + 1.0 / 5.0;
    sum = sum * square + 1.0 / 3.0;
    return 2.0 * ratio + 2.0 * ratio * (square * sum);
}

/* ln(2^exponent x (1 + mantissa_bits / 2^52)). Above sqrt(2) the mantissa is halved, which keeps
 * the two terms from cancelling just below a power of two. */
static double log_of_parts(int exponent, uint64_t mantissa_bits)
{
    int is_upper = mantissa_bits > ROOT_2_MANTISSA_BITS;
    double near_one = double_compose(-is_upper, mantissa_bits);

    return (double)(exponent + is_upper) * LOG_2 + log_near_one(near_one);
}

double sim_log(double value)
{
    uint64_t bits = bits_of_double(value);
    int biased_exponent = (int)(bits >> MANTISSA_BITS);

    assert(value > 0.0);
    assert(biased_exponent > 0);
    assert(biased_exponent <= 2 * EXPONENT_BIAS);
    return log_of_parts(biased_exponent - EXPONENT_BIAS, bits & MANTISSA_MASK);
}

double sim_minus_log(uint64_t mantissa_bits, int halving_count)
{
    assert(mantissa_bits <= MANTISSA_MASK);
    assert(halving_count >= 1);
    return -log_of_parts(-halving_count, mantissa_bits);
}

/* e^x = 2^n e^r with |r| <= ln(2) / 2, and Taylor's series for e^r: the first term left out is
 * 0.35^14 / 14! = 4e-18. */
double sim_exp(double value)
{
    assert(value <= 700.0);
    if (value < -700.0) {
        return 0.0;
    }

    int power = (int)(value * LOG_2_INVERSE + (value < 0.0 ? -0.5 : 0.5));
    double rest = (value - (double)power * LOG_2_HIGH) - (double)power * LOG_2_LOW;
    double sum = 1.0;

    for (int i = 13; i >= 1; i--) {
        sum = 1.0 + sum * rest / (double)i;
    }
    return sum * double_compose(power, 0);
}

double sim_power(double base, double exponent)
{
    assert(base >= 1.0);
    return sim_exp(exponent * sim_log(base));
}
