/* A key's state in the store, shared by the files that make up a store step:
 *
 *   take.c     the order of a step, and what is counted whatever the algorithm
 *   grant.c    how much is granted (weir_grant_decide)
 *   bucket.c   token bucket: refill, permits that are out, trickles
 *   window.c   window and sliding window
 *   log.c      log of single requests
 *   change.c   from one plan to the next
 *   charge.c   what was spent without the store
 *   lost.c     a state that the store has lost, or a part of its past
 *   stepped.c  the store's clock steps back
 *   ttl.c      how long a state must be kept */
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
/* What accrues in elapsed_us, without bounds but 2^53; *carry: the fraction of a unit beyond it. */
uint64_t bucket_accrued_units(const struct weir_plan *plan, uint64_t elapsed_us, uint64_t *carry);
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
/* Units spent without the store: those of the window that holds until_us, and of the one before. */
void window_charge(struct weir_store_key *state, const struct weir_ask *ask,
                   const struct weir_plan *plan, uint64_t until_us);
/* The most that a window's count can hold. */
uint64_t window_count_max(const struct weir_plan *plan);
/* Sliding: what the window before counts for, after either changed. */
void window_weigh(struct weir_store_key *state, const struct weir_key *key,
                  const struct weir_plan *plan);
uint64_t window_ready_us(const struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t least);

/* log.c */
void log_advance(struct weir_store_key *state, uint64_t now_us);
void log_add(struct weir_store_key *state, uint64_t until_us, uint64_t units);
/* Units that end before others that are there: they count until then, or a little longer. */
void log_add_past(struct weir_store_key *state, const struct weir_plan *plan, uint64_t until_us,
                  uint64_t units);
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

/* charge.c */
/* Book what the process admitted without the store, and begin a grace if others will follow. */
void charge(struct weir_store_key *state, const struct weir_ask *ask, const struct weir_plan *plan,
            uint64_t now_us);

/* lost.c */
/* Begin the state of a key that the store does not know. */
void lost_begin(struct weir_store_key *state, const struct weir_ask *ask, uint64_t now_us,
                const struct weir_store_run *run);
/* The state may lack what the process saw: take it over. Returns enum weir_answer_flag: DATA_LOST
 * if anything was. The state has been advanced to now_us, under this plan. */
uint32_t lost_take_over(struct weir_store_key *state, const struct weir_ask *ask,
                        const struct weir_plan *plan, uint64_t now_us,
                        const struct weir_store_run *run);

/* stepped.c */
/* Follow the store's clock back, or back to where it was: first in every step. */
void stepped_follow(struct weir_store_key *state, const struct weir_key *key, uint64_t now_us);
/* The end of a lease that an ask names, as the store's clock counts it now; 0: no such lease is
 * counted. */
uint64_t stepped_lease_end_us(const struct weir_store_key *state, uint64_t lease_end_us);

#endif
