/* Logarithm, exponential and power from + - * / on IEEE 754 doubles alone.
 *
 * libm's differ in the last bit between systems, and one bit moves an arrival. These do not, as
 * long as the compiler neither fuses multiply and add (-ffp-contract=off) nor keeps excess
 * precision. Relative error below 1e-14 over the domains stated. */
#ifndef SIM_ELEMENTARY_H
#define SIM_ELEMENTARY_H

#include <float.h>
#include <stdint.h>

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be evaluated as doubles: same bits everywhere");
_Static_assert(DBL_MANT_DIG == 53, "doubles must be IEEE 754 binary64");

/* Natural logarithm. Requires a positive, finite value that is not subnormal. */
double sim_log(double value);

/* -ln(u) for u = (1 + mantissa_bits / 2^52) / 2^halving_count. Requires mantissa_bits < 2^52 and
 * halving_count >= 1, so that u < 1: the result is positive, and accurate also for u close to 1. */
double sim_minus_log(uint64_t mantissa_bits, int halving_count);

/* e to the power of value; 0 where the result would be subnormal. Requires |value| <= 700, or
 * below that: any negative value. */
double sim_exp(double value);

/* base to the power of exponent. Requires base >= 1 and |exponent x ln(base)| <= 700. */
double sim_power(double base, double exponent);

#endif
