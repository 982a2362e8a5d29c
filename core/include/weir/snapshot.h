/* What a limiter holds and knows of one key at an instant: for people who ask why it decided as it
 * did. Looking changes nothing. Times are store time in microseconds. */
#ifndef WEIR_SNAPSHOT_H
#define WEIR_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/key.h"
#include "weir/limiter.h"

struct weir_snapshot {
    /* the store's clock as this process sees it, +- clock_error_ns; 0: the store never answered */
    uint64_t store_ns;
    uint64_t clock_error_ns;

    uint64_t spendable_units; /* permits that could be spent now ... */
    uint64_t held_units;      /* ... and with those promised and not yet due */
    uint64_t lease_end_us;    /* when they end; 0: none are held */

    /* the store's last word on the key */
    uint64_t answered_us; /* 0: it never answered; the next three are 0 */
    uint64_t remaining_units;
    uint64_t outstanding_units;
    uint64_t global_rate_milli;

    /* a denial that still holds: costs of so many units, beyond what is held, are denied without
     * asking until then. 0: none */
    uint32_t denied_units;
    uint64_t denied_until_us; /* UINT64_MAX: for good */

    /* without the store (see enum weir_degraded_policy) */
    bool is_alone;        /* the last decision that needed the store was made so, and goes on */
    uint32_t share_ppm;   /* the part of the limit that is this process's then, in millionths */
    uint64_t alone_units; /* admitted so in this accounting window */
};

/* Returns false, with all but the clock zeroed, if the key is not held here. */
bool weir_limiter_snapshot(const struct weir_limiter *limiter, uint64_t now_ns,
                           const struct weir_key *key, struct weir_snapshot *snapshot);

#endif
