/* What may be told about a key without deciding anything. */
#include "arithmetic.h"
#include "limiter_private.h"
#include "weir/assert.h"

#define RATE_SPAN_NS (DEMAND_PERIOD_MS * NS_PER_MS) /* over which processes measure their rates */
#define DEVIATIONS 4
#define PRODUCT_MAX (UINT64_C(1) << 31)

/* Rounded up. */
static uint64_t square_root(uint64_t value)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1) {
        if ((root + bit) * (root + bit) <= value) {
            root += bit;
        }
    }
    return root * root < value ? root + 1 : root;
}

/* What all processes may have spent in a time, at the demand last seen. Requests come by chance: n
 * units of them, c units each, vary by sqrt(n c), and so did the count in the span that the demand
 * was measured in, which is scaled up with the time. Counts of a few are not as regular as that:
 * hence the three requests more. */
static uint64_t demand_in_units(const struct cold *cold, uint64_t time_ns)
{
    const uint64_t units =
        (cold->global_rate_milli + 999) / 1000 * (time_ns / NS_PER_MS + 1) / 1000 + 1;
    const uint64_t cost = cold->largest_units > 1 ? cold->largest_units : 1;
    /* beyond the bounds the rest is much larger than any chance */
    const uint64_t variance =
        lesser(units, PRODUCT_MAX) * lesser(cost * (1 + time_ns / RATE_SPAN_NS), PRODUCT_MAX);

    return units + DEVIATIONS * square_root(variance) + 3 * cost;
}

/* Store time at which all of the limit will be there again if nothing more is spent, as of the last
 * answer: for windows their end, for sliding windows the end of the last one that counts, for logs
 * when the latest entry there can be leaves. */
static uint64_t reset_us(const struct cold *cold, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t remaining_units)
{
    const uint64_t window = period_of(key, cold->answered_us, plan->window_us);
    const uint64_t end_us = period_start_us(key, window + 1, plan->window_us);
    const uint64_t missing = saturating_sub(plan->capacity_units, remaining_units);
    uint64_t wait_us;

    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        wait_us = weir_plan_refill_us(plan, missing, 0);
        return wait_us == NEVER ? NEVER : cold->answered_us + wait_us;
    case WEIR_ALGORITHM_WINDOW:
        return end_us;
    case WEIR_ALGORITHM_SLIDING:
        return end_us + (missing != 0 ? plan->window_us : 0);
    case WEIR_ALGORITHM_LOG:
        return cold->answered_us + (missing != 0 ? plan->window_us : 0);
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
    return cold->answered_us;
}

bool weir_limiter_quota(const struct weir_limiter *limiter, uint64_t now_ns,
                        const struct weir_key *key, uint32_t plan_index, struct weir_quota *quota)
{
    WEIR_ASSERT(plan_index < limiter->options.plan_capacity);
    const struct weir_plan *plan = &limiter->plans[plan_index];
    const uint32_t slot = table_find(limiter, key);

    *quota = (struct weir_quota){.limit_units = plan->limit_units, .age_ns = WEIR_RETRY_NEVER};
    if (slot == SLOT_NONE || limiter->cold[slot].answered_us == 0) {
        return false;
    }
    const struct cold *cold = &limiter->cold[slot];
    now_ns = local_time_read(limiter, now_ns);
    const uint64_t store_ns = clock_store_ns(&limiter->clock, now_ns);
    const uint64_t then_ns = cold->answered_us * NS_PER_US;
    quota->age_ns = store_ns > then_ns ? store_ns - then_ns : 0;
    quota->remaining_units = cold->remaining_units + cold->outstanding_units;
    /* permits counted as out may be spent already, and the others went on spending since */
    quota->error_units = cold->outstanding_units + demand_in_units(cold, quota->age_ns);
    quota->reset_us = reset_us(cold, key, plan, quota->remaining_units);
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW && quota->reset_us <= store_ns / NS_PER_US) {
        /* the answer was about a window that is over */
        const uint64_t window = period_of(key, store_ns / NS_PER_US, plan->window_us);
        const uint64_t start_us = period_start_us(key, window, plan->window_us);
        quota->reset_us = start_us + plan->window_us;
        quota->remaining_units = plan->limit_units;
        quota->error_units = demand_in_units(cold, store_ns - start_us * NS_PER_US);
    }
    return true;
}

uint64_t weir_limiter_held_units(const struct weir_limiter *limiter, const struct weir_key *key)
{
    const uint32_t slot = table_find(limiter, key);

    if (slot == SLOT_NONE) {
        return 0;
    }
    const struct cold *cold = &limiter->cold[slot];
    return (uint64_t)limiter->hot[slot].held_units + cold->trickle[0] - cold->trickle_taken +
           cold->trickle[1];
}

uint64_t weir_limiter_owed_units(const struct weir_limiter *limiter, const struct weir_key *key)
{
    const uint32_t slot = table_find(limiter, key);
    const uint64_t unsent = flight_unsent_units(limiter, key) + direct_unused_units(limiter, key);

    return slot == SLOT_NONE
               ? unsent
               : unsent + limiter->cold[slot].returned_units + limiter->cold[slot].unused_units;
}

/* Permits of a trickle of that period which are surely valid by early_us. */
static uint64_t come_due(const struct weir_plan *plan, const struct weir_key *key, uint64_t period,
                         uint32_t count, uint64_t early_us)
{
    const uint64_t period_us = plan->trickle_period_us;
    const uint64_t start_us = period_start_us(key, period, period_us);

    if (early_us <= start_us) {
        return 0;
    }
    return early_us - start_us >= period_us ? count : (early_us - start_us) * count / period_us;
}

uint64_t weir_limiter_spendable_units(const struct weir_limiter *limiter, uint64_t now_ns,
                                      const struct weir_key *key)
{
    const uint32_t slot = table_find(limiter, key);

    now_ns = local_time_read(limiter, now_ns);
    if (slot == SLOT_NONE || !lease_is_held(limiter, slot) ||
        clock_late_ns(&limiter->clock, now_ns) >= limiter->cold[slot].lease_end_us * NS_PER_US) {
        return 0;
    }
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const struct cold *cold = &limiter->cold[slot];
    const uint64_t early_us = clock_early_ns(&limiter->clock, now_ns) / NS_PER_US;
    const uint64_t due = come_due(plan, key, cold->trickle_period, cold->trickle[0], early_us) +
                         come_due(plan, key, cold->trickle_period + 1, cold->trickle[1], early_us);
    return limiter->hot[slot].held_units + saturating_sub(due, cold->trickle_taken);
}
