/* What both sides, process and store, compute alike: bounds, and the periods of a key's phase. */
#ifndef WEIR_ARITHMETIC_H
#define WEIR_ARITHMETIC_H

#include <stdint.h>

#include "weir/key.h"

#define PPM UINT64_C(1000000) /* a whole, in millionths */

static inline uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t saturating_sub(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* The period of the key's own phase that holds store time now_us, and the start of one. */
static inline uint64_t period_of(const struct weir_key *key, uint64_t now_us, uint64_t period_us)
{
    return (now_us + weir_key_phase_us(key, period_us)) / period_us;
}

static inline uint64_t period_start_us(const struct weir_key *key, uint64_t period,
                                       uint64_t period_us)
{
    return period * period_us - weir_key_phase_us(key, period_us);
}

#endif
