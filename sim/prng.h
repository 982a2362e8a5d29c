/* Random numbers: one independent stream per purpose, so that adding a consumer shifts nobody
 * else's numbers.
 *
 * xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018),
 * seeded by splitmix64 (Steele, Lea and Flood, OOPSLA 2014) over (seed, purpose, index).
 * Nothing here calls libm, so every result is the same on every machine. */
#ifndef SIM_PRNG_H
#define SIM_PRNG_H

#include <stdint.h>

struct sim_prng {
    uint64_t state[4]; /* never all zero */
};

/* Start the stream named by (seed, purpose, index). `purpose` is a short constant string. */
void sim_prng_init(struct sim_prng *prng, uint64_t seed, const char *purpose, uint64_t index);

uint64_t sim_prng_next(struct sim_prng *prng);

/* Uniform in [0, bound), without modulo bias. Requires bound > 0. */
uint64_t sim_prng_below(struct sim_prng *prng, uint64_t bound);

/* Exponentially distributed with mean 1; accurate in both tails, never 0. */
double sim_prng_exponential(struct sim_prng *prng);

/* Exponentially distributed with the given mean, in nanoseconds, rounded down; saturates at
 * UINT64_MAX. Rounding down takes half a nanosecond off the mean: where that matters, carry the
 * fraction of sim_prng_exponential instead. */
uint64_t sim_prng_exponential_ns(struct sim_prng *prng, uint64_t mean_ns);

/* Hashes, not streams: the splitmix64 output for state `value`, and FNV-1a of a string. */
uint64_t sim_prng_mix(uint64_t value);
uint64_t sim_prng_hash_text(const char *text);

#endif
