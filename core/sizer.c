/* How large a lease the simple sizers want: fixed, rate and doubling.
 *
 * They are the classic designs, kept to be compared with the tapered leases of grant.c, and share
 * all but the size: a lease is asked for when what is held does not suffice, is valid until the
 * window ends (of a bucket: the accounting window after this one), and nothing is prefetched, given
 * back early, paced or promised. Waiting requests get what they need, however small the lease.
 *
 *   fixed     fixed_lease_units (the design note, section 6)
 *   rate      clamp(units seen of the key in this process per window x 0.1, 1, 100) (the design
 *             note, section 6)
 *   doubling  1 at first; after a lease that was used up, twice that lease; after one whose window
 *             ended with permits left, half of it, at least 1. MAX_LEASE x active processes <= 1 %
 *             of the limit (the design note, revision R2): applied by the store, which knows how
 *             many there are; see grant.c */
#include "limiter_private.h"

#define RATE_DIVISOR 10
#define RATE_LEASE_UNITS_MAX 100

/* The measure is taken over DEMAND_PERIOD_MS, and counts in full once the key has been busy for
 * that long: until then it may still hold what was before an idle spell, and the first request of
 * all is no rate. So a key that was idle starts at one. */
static uint32_t rate_units(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const uint64_t window_ms = slot_plan(limiter, slot)->window_us / 1000;
    const uint64_t full_ms = window_ms < DEMAND_PERIOD_MS ? window_ms : DEMAND_PERIOD_MS;
    const uint32_t busy_ms = local_ms(limiter, now_ns) - limiter->cold[slot].resumed_ms;
    const uint64_t rate_milli = demand_rate_milli(limiter, slot, now_ns);
    uint64_t seen_milli = rate_milli < UINT32_MAX ? rate_milli : UINT32_MAX;

    if (busy_ms < full_ms) {
        seen_milli = seen_milli * busy_ms / full_ms;
    }
    /* rounded to nearest: below 2^32 x 31 days in ms, which is below 2^64 */
    const uint64_t divisor = UINT64_C(1000000) * RATE_DIVISOR;
    const uint64_t units = (seen_milli * window_ms + divisor / 2) / divisor;

    if (units < 1) {
        return 1;
    }
    return units < RATE_LEASE_UNITS_MAX ? (uint32_t)units : RATE_LEASE_UNITS_MAX;
}

uint32_t sizer_want_units(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint32_t next = limiter->cold[slot].next_lease_units;

    switch ((enum weir_sizer)plan->sizer) {
    case WEIR_SIZER_RATE:
        return rate_units(limiter, slot, now_ns);
    case WEIR_SIZER_DOUBLING:
        return next == 0 ? 1 : next;
    case WEIR_SIZER_FIXED:
    case WEIR_SIZER_TAPERED:
        break;
    }
    return plan->fixed_lease_units;
}

/* What is asked for next is twice this lease, unless its window ends first. */
void sizer_lease_granted(struct weir_limiter *limiter, uint32_t slot, uint32_t units)
{
    if (units != 0) {
        limiter->cold[slot].next_lease_units =
            units < GRANT_UNITS_MAX / 2 ? 2 * units : GRANT_UNITS_MAX;
    }
}

void sizer_lease_ended(struct weir_limiter *limiter, uint32_t slot, uint32_t left_units)
{
    struct cold *cold = &limiter->cold[slot];

    if (left_units != 0) {
        /* half of the lease, of which twice would have been next */
        cold->next_lease_units = cold->next_lease_units < 4 ? 1 : cold->next_lease_units / 4;
    }
}
