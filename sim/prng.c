#include "prng.h"

#include <string.h>

#include "digest.h"

#include <assert.h>
#include <stddef.h>

#include "elementary.h"

#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */
#define MANTISSA_BITS 52

uint64_t sim_prng_mix(uint64_t value)
{
    uint64_t mixed = value + SPLITMIX_STEP;

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

uint64_t sim_prng_hash_text(const char *text)
{
    return sim_digest_add(SIM_DIGEST_START, text, strlen(text));
}

void sim_prng_init(struct sim_prng *prng, uint64_t seed, const char *purpose, uint64_t index)
{
    uint64_t start = sim_prng_mix(seed) ^ sim_prng_mix(sim_prng_hash_text(purpose));

    start = sim_prng_mix(start) ^ sim_prng_mix(~index);
    /* Four consecutive splitmix64 outputs differ, so they cannot all be zero. */
    for (size_t i = 0; i < 4; i++) {
        prng->state[i] = sim_prng_mix(start + i * SPLITMIX_STEP);
    }
}

static uint64_t rotate_left(uint64_t value, unsigned bit_count)
{
    return (value << bit_count) | (value >> (64 - bit_count));
}

uint64_t sim_prng_next(struct sim_prng *prng)
{
    uint64_t *state = prng->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;

    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

/* Lemire, "Fast random integer generation in an interval", 2019, algorithm 5: the division is
 * needed only when the low half falls into the first `bound` values. */
uint64_t sim_prng_below(struct sim_prng *prng, uint64_t bound)
{
    assert(bound > 0);
    __extension__ unsigned __int128 product = sim_prng_next(prng);

    product *= bound;
    if ((uint64_t)product < bound) {
        uint64_t threshold = (UINT64_MAX - bound + 1) % bound;

        while ((uint64_t)product < threshold) {
            product = sim_prng_next(prng);
            product *= bound;
        }
    }
    return (uint64_t)(product >> 64);
}

/* -ln(u) for u uniform in (0, 1), u = mantissa x 2^-(zero_count + 1): the number of leading zero
 * bits has no bound, so the upper tail does not end where 64 bits do, and the mantissa keeps all
 * its bits however small u is. */
double sim_prng_exponential(struct sim_prng *prng)
{
    uint64_t word = sim_prng_next(prng);
    int zero_count = 0;

    while (word == 0) {
        zero_count += 64;
        word = sim_prng_next(prng);
    }

    int lead_count = __builtin_clzll(word);
    uint64_t bits = word << lead_count; /* the leading one, then random bits */

    if (lead_count > 63 - MANTISSA_BITS) {
        bits = sim_prng_next(prng);
    }
    bits = (bits << 1) >> (64 - MANTISSA_BITS);
    return sim_minus_log(bits, zero_count + lead_count + 1);
}

uint64_t sim_prng_exponential_ns(struct sim_prng *prng, uint64_t mean_ns)
{
    double value_ns = sim_prng_exponential(prng) * (double)mean_ns;

    return value_ns < 0x1p64 ? (uint64_t)value_ns : UINT64_MAX;
}
