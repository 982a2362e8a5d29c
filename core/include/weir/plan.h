/* A plan: the limit a key is held to.
 *
 * A rate is the exact fraction rate_units / rate_period_us. Tokens are counted as (whole units,
 * carry), the carry in units of 1 / rate_period_us of a token, so refilling is elapsed_us x
 * rate_units added to the carry: integer and exact, nothing is ever dropped. For that to hold in
 * IEEE doubles too (the store may be a Lua script), every product must stay below 2^53: a plan with
 * capacity_units x rate_period_us + rate_units >= 2^53 is refused when it is made, and so is a
 * sliding window of limit_units x window_us >= 2^53.
 *
 * A plan replaces another of the same key with what was spent: what the old one would still hold
 * against the customer (bucket: what is missing from its capacity; window: its count; sliding
 * window: its weighted count; log: its sum), permits that are out included, is missing from the new
 * one's capacity or limit. An unlimited plan adds nothing to it (weir/take.h). */
#ifndef WEIR_PLAN_H
#define WEIR_PLAN_H

#include <stdint.h>

#include "weir/status.h"

#define WEIR_EXACT_MAX (UINT64_C(1) << 53)
#define WEIR_RATE_PER_S_MAX UINT64_C(1000000000)
#define WEIR_WINDOW_US_MIN UINT64_C(1000)               /* 1 ms */
#define WEIR_WINDOW_US_MAX (UINT64_C(31) * 86400000000) /* 31 days */
#define WEIR_LOG_UNITS_MAX UINT64_C(1000000)            /* limit of a log: one entry per request */

enum weir_algorithm {
    WEIR_ALGORITHM_BUCKET = 0, /* token bucket: any t seconds admit at most capacity + rate x t */
    WEIR_ALGORITHM_WINDOW,     /* at most rate x window in each window of the key's own phase */
    WEIR_ALGORITHM_UNLIMITED,  /* admits everything, and counts it */
    /* at most rate x window, counting the window's own units and those of the window before by the
     * part of it that the last window's length still covers */
    WEIR_ALGORITHM_SLIDING,
    WEIR_ALGORITHM_LOG, /* any window's length admits at most rate x window: exact, a store step
                           for each request, memory proportional to the limit */
};

enum weir_sizer {
    WEIR_SIZER_TAPERED = 0, /* leases taper with what remains; see core/grant.c */
    /* to compare with; see core/sizer.c */
    WEIR_SIZER_FIXED,    /* always fixed_lease_units, as in the design note, section 6 */
    WEIR_SIZER_RATE,     /* a tenth of the units the process sees in a window, 1 ... 100 */
    WEIR_SIZER_DOUBLING, /* twice the last if it was used up, half of it if not; all leases together
                            at most 1 % of the limit, but each at least 1 unit */
};

/* How many requests a process admits while the store does not answer. Whatever it is, permits that
 * are held are spent first, and every decision is marked and counted (core/degraded.c has the
 * formulas). */
enum weir_degraded_policy {
    /* this process's share, as last measured by the store, of what was left then and has accrued
     * since, and one request per process and window on top */
    WEIR_DEGRADED_BOUNDED = 0,
    WEIR_DEGRADED_UNIFORM, /* a limiter of its own: the limit / processes, full when it starts */
    WEIR_DEGRADED_SHARE,   /* the same with the process's share, at least 2 %, of the limit */
    WEIR_DEGRADED_OPEN,    /* everything */
    WEIR_DEGRADED_CLOSED,  /* nothing */
};

#define WEIR_MIN_SHARE_PPM 20000u /* WEIR_DEGRADED_SHARE: 2 % */

/* What a caller asks for. */
struct weir_plan_options {
    uint64_t version; /* > 0; a later push must be higher to take effect */
    /* store time from which it is in force; what accrued before does so under the plan before it.
     * It takes effect no earlier than the key's last step in the store, and no later than the
     * first ask that brings it, even if this lies ahead. 0: with that ask */
    uint64_t since_us;
    enum weir_algorithm algorithm;
    enum weir_sizer sizer;      /* of no effect for logs and unlimited plans: no leases */
    uint64_t rate_units;        /* 0: nothing is refilled */
    uint64_t rate_period_us;    /* > 0 */
    uint64_t capacity_units;    /* bucket; ignored for others. 0: admits nothing */
    uint64_t window_us;         /* WEIR_WINDOW_US_MIN ... _MAX; for buckets the accounting window */
    uint32_t fixed_lease_units; /* WEIR_SIZER_FIXED: > 0 */
    enum weir_degraded_policy degraded;
};

/* A checked plan in lowest terms. Copy freely; the fields after limit_units are derived. */
struct weir_plan {
    uint64_t version;
    uint64_t since_us;
    uint64_t rate_units;
    uint64_t rate_period_us;
    uint64_t capacity_units; /* windows and logs: the limit of one window */
    uint64_t window_us;
    uint64_t limit_units;       /* shown to clients: rate x 60 s (windows and logs: x window) */
    uint64_t full_us;           /* time in which an empty bucket fills; UINT64_MAX at rate 0 */
    uint64_t rate_milli_per_s;  /* rounded; for sizing leases only, never for counting */
    uint64_t trickle_period_us; /* T: window / 60, 1 ms to 60 s; less at rates above 2.5 M/s */
    uint64_t lease_period_us;   /* leases end on multiples of this, in the key's phase */
    uint32_t fixed_lease_units;
    uint8_t algorithm; /* enum weir_algorithm */
    uint8_t sizer;     /* enum weir_sizer */
    uint8_t degraded;  /* enum weir_degraded_policy */
};

/* Check `options` and derive `plan`. Returns WEIR_OK, WEIR_ERR_ARGUMENT (version 0, period 0,
 * algorithm, sizer or degraded policy unknown, window out of range, rate above 10^9 per second,
 * fixed lease of 0, a log above WEIR_LOG_UNITS_MAX) or WEIR_ERR_PLAN_INEXACT; on error *plan is
 * zeroed. */
WEIR_MUST_CHECK enum weir_status weir_plan_make(struct weir_plan *plan,
                                                const struct weir_plan_options *options);

/* Whether `plan` is one that weir_plan_make makes, whatever the length of its periods: one that
 * came from elsewhere may be anything. Pure; thread-safe. */
int weir_plan_is_valid(const struct weir_plan *plan);

/* Whether the limit is counted by windows of the key's own phase (window, sliding window, log)
 * rather than by refilling. */
static inline int weir_plan_has_windows(const struct weir_plan *plan)
{
    return plan->algorithm == WEIR_ALGORITHM_WINDOW || plan->algorithm == WEIR_ALGORITHM_SLIDING ||
           plan->algorithm == WEIR_ALGORITHM_LOG;
}

/* Microseconds until `units` have been refilled on top of `carry` (rounded up); UINT64_MAX at rate
 * 0. */
uint64_t weir_plan_refill_us(const struct weir_plan *plan, uint64_t units, uint64_t carry);

#endif
