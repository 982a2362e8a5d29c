/* The parts of result.json that are about faults. */
#ifndef SIM_RESULT_FAULTS_H
#define SIM_RESULT_FAULTS_H

#include <jansson.h>

#include "result.h"

/* Set faults, degraded, breaker, asks, liveness and outage. */
void sim_result_add_faults(json_t *json, const struct sim_aftermath *aftermath,
                           const struct sim_world *world);

/* Outages as one population saw them, or all (SIM_EVERY_POPULATION). */
json_t *sim_result_outage(const struct sim_world *world, uint32_t population);

json_t *sim_result_billing(const struct sim_aftermath *aftermath, const struct sim_world *world,
                           uint64_t spent_units);

#endif
