/* The contract, checked against what was really admitted:
 *   bucket     over *any* interval of t seconds at most capacity + rate x t
 *   window     at most the limit in each of the key's windows
 *   sliding    at each admission, previous x (W - e) / W + current, that admission included, at
 *              most the limit: previous and current are the units *admitted* in the key's windows
 *   log        at most the limit in any (t - W, t]
 *   unlimited  anything
 *   deleted    nothing
 *
 * Fed one key's admissions in order of decision time. Exact. Buckets: the largest excess over all
 * intervals equals the largest overflow of a leaky bucket of that capacity and rate (ITU-T I.371,
 * continuous-state leaky bucket), so one pass and O(1) state suffice; a log needs the admissions of
 * one window. Shares no code with core/; of oracle.h only the rules.
 *
 * When the rule changes, what the old one counted is carried over as in oracle.h. Carried units
 * that exceed the new limit are no excess by themselves, but all that is admitted while they do is:
 * the excess is the level above the limit or above what the carried units alone would make, if that
 * is more. A bucket's level is cut to its capacity instead. */
#ifndef SIM_CONTRACT_H
#define SIM_CONTRACT_H

#include <stdint.h>

#include "oracle.h"
#include "recent.h"

struct sim_contract {
    struct sim_oracle_rule rule;           /* that counts */
    enum sim_oracle_kind kind;             /* in force, as in struct sim_oracle */
    __extension__ unsigned __int128 level; /* bucket: spent and not yet drained, units x period_ns
                                            */
    uint64_t units;                        /* window: spent in it; sliding: in the current one */
    uint64_t illicit_units;                /* deleted: spent since */
    uint64_t previous_units;               /* sliding */
    uint64_t carried_units; /* the part of units (log: of recent) from before the change */
    uint64_t carried_previous_units;
    uint64_t carried_count; /* log: the oldest entries that are carried ones */
    uint64_t updated_ns;
    uint64_t window_index;
    uint64_t worst_units;     /* largest excess seen, rounded up */
    struct sim_recent recent; /* log */
};

/* used_units: counted before time 0, at most the limit; buckets: 0, whose contract speaks of
 * intervals of the run. */
void sim_contract_init(struct sim_contract *contract, const struct sim_oracle_rule *rule,
                       uint64_t used_units);
void sim_contract_deinit(struct sim_contract *contract);

/* Another rule is in force for what is admitted from now_ns on. */
void sim_contract_change(struct sim_contract *contract, uint64_t now_ns,
                         const struct sim_oracle_rule *rule);

/* One admission. now_ns never decreases between calls. */
void sim_contract_spend(struct sim_contract *contract, uint64_t now_ns, uint64_t cost_units);

/* The largest excess seen so far, rounded up to whole units; 0: the contract held. */
uint64_t sim_contract_excess_units(const struct sim_contract *contract);

#endif
