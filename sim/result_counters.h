/* The parts of result.json that are about plain counters and locks in the store. */
#ifndef SIM_RESULT_COUNTERS_H
#define SIM_RESULT_COUNTERS_H

#include <jansson.h>

#include "world.h"

/* Add to the result's member "store" how many counters there were, and set "lock". All is 0 where
 * the limiters keep no counters. */
void sim_result_add_counters(json_t *json, const struct sim_world *world);

#endif
