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
bool sim_scenario_read_plans(const struct sim_node *root, struct sim_scenario *scenario);
/* Requires fleet, plans and endpoints. */
bool sim_scenario_read_keys(const struct sim_node *root, struct sim_scenario *scenario);
/* Requires the duration and keys. */
bool sim_scenario_read_traffic(const struct sim_node *root, struct sim_scenario *scenario);
bool sim_scenario_read_expect(const struct sim_node *root, struct sim_scenario *scenario);

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
