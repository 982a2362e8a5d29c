/* A process's own limiter of one key, which knows of no others: an exact one, for a part of the
 * limit.
 *
 *   bucket  part x rate, part x capacity
 *   window  part x limit, rounded down, in each window of the key's phase by the process's clock
 *
 * A part that is not nothing is worth one unit at least (bucket: of capacity), as nobody deploys a
 * limiter that admits nothing: so the parts of a small limit sum to more than it. */
#ifndef SIM_LOCAL_LIMIT_H
#define SIM_LOCAL_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/key.h"
#include "weir/plan.h"

/* Requires part <= whole, and whole > 0. */
struct sim_part {
    uint64_t part;
    uint64_t whole;
};

/* Zeroed: not started. */
struct sim_local_limit {
    struct sim_part part;
    /* bucket: in 1 / (nanoseconds of the plan's rate period x part.whole) of a unit, so that one
     * nanosecond adds exactly rate_units x part.part */
    __extension__ unsigned __int128 level;
    uint64_t updated_ns;
    uint64_t window; /* of the key's phase */
    uint64_t used_units;
};

/* Requires a bucket or window plan, here and below, and always the same one. `used_units` of the
 * whole limit are spent; all times by the process's clock. */
void sim_local_limit_start(struct sim_local_limit *limit, const struct weir_plan *plan,
                           const struct weir_key *key, struct sim_part part, uint64_t used_units,
                           uint64_t local_ns);

/* Another part from now on. What was used stays used, as far as a smaller part has room for it. */
void sim_local_limit_set_part(struct sim_local_limit *limit, const struct weir_plan *plan,
                              struct sim_part part, uint64_t local_ns);

bool sim_local_limit_admit(struct sim_local_limit *limit, const struct weir_plan *plan,
                           const struct weir_key *key, uint64_t local_ns, uint32_t cost_units);

/* After a refusal at local_ns: how long until it would be admitted, > 0; WEIR_RETRY_NEVER. */
uint64_t sim_local_limit_retry_ns(const struct sim_local_limit *limit, const struct weir_plan *plan,
                                  const struct weir_key *key, uint64_t local_ns,
                                  uint32_t cost_units);

/* ---- for others that count by a process's clock ---- */

/* The window of the key's phase. */
uint64_t sim_local_window(const struct weir_key *key, const struct weir_plan *plan,
                          uint64_t local_ns);

/* Time to the end of that window, > 0. */
uint64_t sim_local_window_left_ns(const struct weir_key *key, const struct weir_plan *plan,
                                  uint64_t local_ns);

#endif
