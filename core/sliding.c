#include "sliding.h"

#include "weir/assert.h"

uint64_t sliding_weighted_units(const struct weir_plan *plan, uint64_t previous,
                                uint64_t elapsed_us)
{
    WEIR_ASSERT(elapsed_us <= plan->window_us);
    const uint64_t share = previous * (plan->window_us - elapsed_us);

    return share / plan->window_us + (share % plan->window_us != 0);
}

/* The least elapsed time at which `before` counts for no more than `room`. */
static uint64_t decayed_us(const struct weir_plan *plan, uint64_t before, uint64_t room)
{
    return before <= room ? 0 : plan->window_us - room * plan->window_us / before;
}

uint64_t sliding_ready_us(const struct weir_plan *plan, uint64_t previous, uint64_t current,
                          uint64_t need)
{
    if (need > plan->limit_units) {
        return UINT64_MAX;
    }
    if (current + need <= plan->limit_units) {
        const uint64_t at_us = decayed_us(plan, previous, plan->limit_units - current - need);
        if (at_us < plan->window_us) {
            return at_us;
        }
    }
    return plan->window_us + decayed_us(plan, current, plan->limit_units - need);
}
