/* The sections of a scenario file, one reader each, in the order in which they may refer to each
 * other. Private to the scenario reader. `root` is the file's top level; what a reader allocates
 * hangs on the scenario at once, so that sim_scenario_free releases a half-read one. */
#ifndef SIM_SCENARIO_SECTIONS_H
#define SIM_SCENARIO_SECTIONS_H

#include "scenario_read.h"

bool sim_scenario_read_fleet(const struct sim_node *root, struct sim_scenario *scenario);
bool sim_scenario_read_store(const struct sim_node *root, struct sim_scenario *scenario);
bool sim_scenario_read_limiter(const struct sim_node *root, struct sim_scenario *scenario);
bool sim_scenario_read_endpoints(const struct sim_node *root, struct sim_scenario *scenario);
/* Requires the limiter: a plan's sizer defaults to it. */
bool sim_scenario_read_plans(const struct sim_node *root, struct sim_scenario *scenario);
/* Requires fleet, plans and endpoints. */
bool sim_scenario_read_keys(const struct sim_node *root, struct sim_scenario *scenario);
/* Requires the duration and keys. */
bool sim_scenario_read_traffic(const struct sim_node *root, struct sim_scenario *scenario);
/* Requires the duration, limiter, endpoints and plans. */
bool sim_scenario_read_changes(const struct sim_node *root, struct sim_scenario *scenario);
/* Requires the duration, fleet and keys. */
bool sim_scenario_read_polls(const struct sim_node *root, struct sim_scenario *scenario);
bool sim_scenario_read_expect(const struct sim_node *root, struct sim_scenario *scenario);

/* Refuse what would run for days: too many requests, clients or polls in all. Requires everything
 * above but expect. */
bool sim_scenario_check_work(const struct sim_node *root, const struct sim_scenario *scenario);

/* Requires the seed, the duration and everything above but the work. */
bool sim_scenario_read_faults(const struct sim_node *root, struct sim_scenario *scenario);

/* Baselines that know bucket and window plans only, and no changes. Requires the limiter. */
bool sim_scenario_is_plain(const struct sim_scenario *scenario);

/* The members "sizer" and "fixed_lease_units" of the limiter or of a plan. */
bool sim_scenario_read_sizer(const struct sim_node *object, enum sim_sizer fallback,
                             enum sim_sizer *sizer);
bool sim_scenario_read_lease_units(const struct sim_node *object, uint32_t fallback,
                                   uint32_t *lease_units);

/* The member "degraded" of the limiter or of a plan. */
bool sim_scenario_read_degraded(const struct sim_node *object, enum sim_degraded fallback,
                                enum sim_degraded *degraded);
/* ... and whether the limiter knows that policy. */
bool sim_scenario_check_degraded(const struct sim_node *object, const struct sim_scenario *scenario,
                                 enum sim_degraded degraded);

enum sim_plan_use {
    SIM_PLAN_OF_THE_START = 0,
    SIM_PLAN_OF_A_CHANGE, /* what keys have then, they keep: there is no start_fill_pct */
};

/* One plan, all but its name. Requires the limiter. */
bool sim_scenario_read_plan(const struct sim_node *node, const struct sim_scenario *scenario,
                            enum sim_plan_use use, struct sim_plan *plan);

/* The members "from_s" and "until_s" of traffic or of a poll. Requires the duration. */
bool sim_scenario_read_span(const struct sim_node *node, const struct sim_scenario *scenario,
                            uint64_t *from_ns, uint64_t *until_ns);

/* The member "on_denial" of traffic, and its default. */
bool sim_scenario_read_denial(const struct sim_node *traffic, struct sim_on_denial *on_denial);

/* An array with a number for each process, in ppm: not all 0. *weights is owned by the caller, also
 * on failure. Requires fleet.processes. */
bool sim_scenario_read_weights(const struct sim_node *weights, uint32_t process_count,
                               uint64_t **in_ppm);

/* One balance. Requires fleet.processes. */
bool sim_scenario_read_balance(const struct sim_node *node, const struct sim_scenario *scenario,
                               struct sim_balance *balance);
/* *copy shares nothing with *balance. */
void sim_scenario_copy_balance(const struct sim_scenario *scenario,
                               const struct sim_balance *balance, struct sim_balance *copy);

/* The rows of a trace, shifted by from_ns, that begin before the scenario ends. `node` names the
 * file, relative to the scenario's. Requires spec->population and spec->from_ns. */
bool sim_scenario_read_trace(const struct sim_node *node, const struct sim_scenario *scenario,
                             struct sim_traffic_spec *spec);

#endif
