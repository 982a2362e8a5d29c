/* The parts of result.json about those who ask: clients, and how evenly processes serve them. */
#ifndef SIM_RESULT_CLIENTS_H
#define SIM_RESULT_CLIENTS_H

#include <jansson.h>

#include "world.h"

/* Retries and what they led to, for these clients and the ideal limiter's; herds. */
json_t *sim_result_clients(const struct sim_world *world);

/* What customers who asked were told remains. */
json_t *sim_result_remaining(const struct sim_world *world);

json_t *sim_result_fairness(const struct sim_world *world);

#endif
