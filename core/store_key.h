/* A key's state in the store, shared by the files that make up a store step:
 *
 *   take.c     the order of a step, and what is counted whatever the algorithm
 *   grant.c    how much is granted (weir_grant_decide)
 *   bucket.c   token bucket: refill, permits that are out, trickles
 *   window.c   window and sliding window
 *   log.c      log of single requests
 *   change.c   from one plan to the next */
#ifndef WEIR_STORE_KEY_H
#define WEIR_STORE_KEY_H

#include <stdint.h>

#include "arithmetic.h"
#include "weir/ask.h"
#include "weir/take.h"

/* A pair of sums, [0] for the current period and [1] for the one before; the caller moves the
 * period. */
static inline void pair_roll_back(uint64_t pair[2], uint64_t period, uint64_t now_period)
{
    if (now_period <= period) {
        return;
    }
    pair[1] = now_period == period + 1 ? pair[0] : 0;
    pair[0] = 0;
}

/* bucket.c */
/* When a lease granted at now_us ends: with the next lease period. */
uint64_t bucket_lease_end_us(const struct weir_key *key, const struct weir_plan *plan,
                             uint64_t now_us);
void bucket_start(struct weir_store_key *state, const struct weir_key *key,
                  const struct weir_plan *plan, uint64_t now_us);
void bucket_advance(struct weir_store_key *state, const struct weir_key *key,
                    const struct weir_plan *plan, uint64_t now_us);
void bucket_give_back(struct weir_store_key *state, const struct weir_plan *plan, uint64_t units);
void bucket_count_back(struct weir_store_key *state, uint64_t lease_end_us, uint64_t units);
void bucket_cancel_trickles(struct weir_store_key *state, const struct weir_ask *ask,
                            const struct weir_plan *plan, uint64_t now_us);
/* Promises become permits that are out: they are taken from the tokens now. */
void bucket_end_trickles(struct weir_store_key *state);
void bucket_adjust_flight(struct weir_store_key *state, uint32_t flight_us, uint64_t now_us);
/* Store time at which `least` units will be there; UINT64_MAX: never. */
uint64_t bucket_ready_us(const struct weir_store_key *state, const struct weir_plan *plan,
                         uint64_t least, uint64_t now_us);

/* window.c */
void window_start(struct weir_store_key *state, const struct weir_key *key,
                  const struct weir_plan *plan, uint64_t now_us);
void window_advance(struct weir_store_key *state, const struct weir_key *key,
                    const struct weir_plan *plan, uint64_t now_us);
/* Units of a lease that ended at lease_end_us, or will, come back unspent. */
void window_give_back(struct weir_store_key *state, const struct weir_key *key,
                      const struct weir_plan *plan, uint64_t lease_end_us, uint64_t units);
uint64_t window_ready_us(const struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t least);

/* log.c */
void log_advance(struct weir_store_key *state, uint64_t now_us);
void log_add(struct weir_store_key *state, uint64_t until_us, uint64_t units);
uint64_t log_ready_us(const struct weir_store_key *state, const struct weir_plan *plan,
                      uint64_t least);

/* change.c */
/* The newest plan of all that the store has heard of. */
uint64_t newest_version(const struct weir_store_key *state);
int is_unlimited(const struct weir_store_key *state);
/* Begin under a plan, with `used` units of it spent. */
void start_algorithm(struct weir_store_key *state, const struct weir_key *key,
                     const struct weir_plan *plan, uint64_t now_us, uint64_t used);
/* Of what was out at a change nothing is, once the last of its leases is over. */
void forget_left(struct weir_store_key *state);
struct weir_plan plan_in_force(const struct weir_store_key *state);
void plan_put_in_force(struct weir_store_key *state, const struct weir_plan *plan);
/* Go from the plan in force to a newer one, at store time now_us. */
void plan_change(struct weir_store_key *state, const struct weir_key *key,
                 const struct weir_plan *plan, uint64_t now_us);

#endif
