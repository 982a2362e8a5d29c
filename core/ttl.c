/* How long a key's state must be kept. */
#include "store_key.h"

/* Until a bucket to which nothing happens is full: when all leases, flights and trickles that take
 * its room, or its tokens, are over it may still lack all that they held. */
static uint64_t bucket_ttl_us(const struct weir_store_key *state, const struct weir_plan *plan)
{
    const uint64_t promised = state->trickle[0] + state->trickle[1];
    const uint64_t out = weir_store_key_out(state) + promised;
    uint64_t missing = saturating_sub(plan->capacity_units, state->tokens);
    uint64_t over_us = state->updated_us;

    if (out != 0) {
        missing = plan->capacity_units;
        over_us = greater(state->lease_end_us[1] + plan->lease_period_us,
                          (state->flight_period + 2) * state->flight_us);
        over_us += promised == 0 ? 0 : 2 * plan->trickle_period_us;
    }
    const uint64_t full_us = weir_plan_refill_us(plan, missing, 0);
    const uint64_t debt_us = weir_plan_refill_us(plan, state->debt_units, 0);
    return full_us == UINT64_MAX || debt_us == UINT64_MAX
               ? UINT64_MAX
               : saturating_sub(over_us, state->updated_us) + full_us + debt_us;
}

uint64_t weir_store_key_ttl_us(const struct weir_store_key *state)
{
    const struct weir_plan plan = plan_in_force(state);
    uint64_t ttl_us = 2 * (uint64_t)WEIR_SHARE_US;

    switch ((enum weir_algorithm)plan.algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        ttl_us = greater(ttl_us, bucket_ttl_us(state, &plan));
        break;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
    case WEIR_ALGORITHM_LOG:
        ttl_us = greater(ttl_us, 2 * plan.window_us + WEIR_FLIGHT_US_MAX);
        break;
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
    return greater(ttl_us, saturating_sub(state->left_end_us, state->updated_us));
}
