/* What the faults of a run came to: did each happen, and change anything; did the run recover; what
 * was let through meanwhile. */
#ifndef SIM_AFTERMATH_H
#define SIM_AFTERMATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger.h"
#include "liveness.h"
#include "outage_bound.h"
#include "weir/limiter.h"

struct sim_fault_outcome {
    uint64_t fired_count;
    uint64_t changed_count; /* decisions and answers that the fault-free run does not have, from its
                               beginning until it is settled */
};

struct sim_aftermath {
    size_t fault_count;
    struct sim_fault_outcome *faults; /* owned */
    bool is_compared;                 /* there was a fault-free run: changed_count is known */
    struct sim_liveness liveness;
    struct sim_outage_figures outages;
    struct weir_limiter_counts counts; /* of all limiters together */
    uint64_t bill_bound_high_units;    /* what was spent is at most this */
};

/* Requires a finished run. */
void sim_aftermath_make(struct sim_aftermath *aftermath, const struct sim_world *world,
                        const struct sim_ledger *ledger);
void sim_aftermath_free(struct sim_aftermath *aftermath);

/* A fault never happened, or changed nothing, or the run ended too early to see it recover: it says
 * nothing about them. */
bool sim_aftermath_is_inconclusive(const struct sim_aftermath *aftermath);

#endif
