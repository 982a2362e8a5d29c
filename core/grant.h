/* How much the store grants, and when the process should come back: the policy half of a store
 * step.
 *
 * Reads numbers, returns numbers; the bookkeeping is in take.c. See grant.c for the reasoning
 * behind each rule. */
#ifndef WEIR_GRANT_H
#define WEIR_GRANT_H

#include <stdint.h>

#include "weir/ask.h"

struct grant_input {
    const struct weir_plan *plan;
    const struct weir_ask *ask;
    uint64_t remaining_units;
    uint64_t outstanding_units;
    uint64_t window_before_units; /* sliding window: units of the window before */
    uint64_t global_rate_milli;
    uint64_t active_processes; /* >= 1 */
    uint64_t trickle_promised; /* permits promised for the next trickle period */
    uint64_t debt_units;       /* that the refill to come is for first */
};

struct grant {
    uint32_t units;
    uint32_t trickle_count; /* for the next trickle period */
    uint32_t pace_us;       /* time between two asks of this process; 0: no pace */
    uint32_t flags;         /* WEIR_ANSWER_SCARCE, WEIR_ANSWER_PACED */
};

struct grant weir_grant_decide(const struct grant_input *input);

#endif
