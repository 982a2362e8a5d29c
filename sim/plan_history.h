/* Which plan holds a key when: the catalog's from time 0, then those of the scenario's changes.
 * Each span of time with one plan is an era.
 *
 * Invariant: a plan's eras are in order of time, and the first starts at 0. Changes at one instant
 * follow each other in the scenario's order; only the last of them lasts. */
#ifndef SIM_PLAN_HISTORY_H
#define SIM_PLAN_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog.h"
#include "oracle.h"

struct sim_plan_era {
    uint64_t start_ns;
    bool is_deleted;       /* there is no plan any more */
    struct weir_plan plan; /* deleted: zeroed */
};

struct sim_plan_history {
    const struct sim_catalog *catalog;
    struct sim_plan_era *eras; /* by plan, then by time */
    uint32_t *first_era;       /* by plan; one more at the end */
};

void sim_plan_history_init(struct sim_plan_history *history, const struct sim_catalog *catalog);
void sim_plan_history_deinit(struct sim_plan_history *history);

uint32_t sim_plan_history_era_count(const struct sim_plan_history *history, uint32_t key);

/* Requires number < era_count. */
const struct sim_plan_era *sim_plan_history_era(const struct sim_plan_history *history,
                                                uint32_t key, uint32_t number);

/* UINT64_MAX if there is no era of that number. */
uint64_t sim_plan_history_start_ns(const struct sim_plan_history *history, uint32_t key,
                                   uint32_t number);

/* The numbers the store goes by just before time_ns: of the newest plan that is not deleted. */
const struct weir_plan *sim_plan_history_plan(const struct sim_plan_history *history, uint32_t key,
                                              uint64_t time_ns);

/* What the exact limiter and the contract apply to the key in an era. */
void sim_plan_history_rule(const struct sim_plan_history *history, uint32_t key, uint32_t number,
                           struct sim_oracle_rule *rule);

/* There is a number that admissions are held to. */
bool sim_plan_era_has_limit(const struct sim_plan_era *era);

/* Windows are counted: window, sliding, log. */
bool sim_plan_era_has_windows(const struct sim_plan_era *era);

/* When the algorithm, or the window of one that has windows, is first another than at time 0, or
 * the plan is deleted. UINT64_MAX: at most numbers change. */
uint64_t sim_plan_history_altered_ns(const struct sim_plan_history *history, uint32_t key);

/* The limits in force in [from_ns, to_ns), weighted by time; eras without a limit are left out. 0
 * if there is no other. Requires from_ns < to_ns. */
uint64_t sim_plan_history_limit_units(const struct sim_plan_history *history, uint32_t key,
                                      uint64_t from_ns, uint64_t to_ns);

#endif
