/* The contract, checked against what was really admitted: over *any* interval of t seconds at most
 * capacity + rate x t (bucket), or at most the limit in each of the key's windows (window).
 *
 * Fed one key's admissions in order of decision time. Exact: the largest excess over all intervals
 * equals the largest overflow of a leaky bucket of that capacity and rate (ITU-T I.371,
 * continuous-state leaky bucket), so one pass and O(1) state suffice. Shares no code with core/. */
#ifndef SIM_CONTRACT_H
#define SIM_CONTRACT_H

#include <stdint.h>

struct sim_contract {
    /* in units x period_ns; window plans have period_ns 1 and count plain units */
    __extension__ unsigned __int128 level;    /* spent and not yet drained; window: spent in it */
    __extension__ unsigned __int128 worst;    /* largest level seen */
    __extension__ unsigned __int128 capacity; /* window: the limit */
    uint64_t rate_units;
    uint64_t period_ns;
    uint64_t updated_ns;
    uint64_t window_ns; /* 0: bucket */
    uint64_t phase_ns;
    uint64_t window_index;
};

/* Requires period_ns > 0. */
void sim_contract_init_bucket(struct sim_contract *contract, uint64_t rate_units,
                              uint64_t period_ns, uint64_t capacity_units);

/* used_units: consumed in the window that holds time 0 before the run began.
 * Requires phase_ns < window_ns and used_units <= limit_units. */
void sim_contract_init_window(struct sim_contract *contract, uint64_t limit_units,
                              uint64_t window_ns, uint64_t phase_ns, uint64_t used_units);

/* One admission. now_ns never decreases between calls. */
void sim_contract_spend(struct sim_contract *contract, uint64_t now_ns, uint64_t cost_units);

/* The largest excess seen so far, rounded up to whole units; 0: the contract held. */
uint64_t sim_contract_excess_units(const struct sim_contract *contract);

#endif
