/* The limiter that a process is for a key during a spell without the store: how much it may admit,
 * and whether that is used up. Which fraction of the limit it has is the policy's (degraded.c). */
#ifndef WEIR_BUDGET_H
#define WEIR_BUDGET_H

#include "limiter_private.h"

static inline enum weir_degraded_policy policy_of(const struct weir_plan *plan)
{
    return (enum weir_degraded_policy)plan->degraded;
}

/* Store time; 0: not known. */
static inline uint64_t store_now_us(const struct weir_limiter *limiter, uint64_t now_ns)
{
    return limiter->clock.known ? clock_store_ns(&limiter->clock, now_ns) / NS_PER_US : 0;
}

/* The accounting window of the slot. Without a clock these have no name yet: they count as one. */
uint64_t budget_window(const struct weir_limiter *limiter, uint32_t slot);
/* A spell begins. */
void budget_begin(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                  uint32_t fraction_ppm);
/* The spell goes on, with another fraction. It may admit no more than before, and no more than its
 * part of what the answer says is left. */
void budget_hear(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                 const struct weir_answer *answer, uint32_t fraction_ppm);
/* Whether there is room for a request; if so, takes it. */
bool budget_take(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t cost);
/* A bucket: time until there is room for a cost; NEVER if there will be none. */
uint64_t budget_wait_us(const struct degraded *degraded, const struct weir_plan *plan,
                        uint32_t cost);

#endif
