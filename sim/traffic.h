/* The open-loop arrivals of a scenario, merged into one stream in order of true time.
 *
 * Depends on (scenario, seed) alone: two limiters under the same seed see the same requests on the
 * same processes. Times, keys, costs and processes of each spec come from streams of their own, so
 * changing the balance changes neither when nor for which key requests arrive. */
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "prng.h"
#include "scenario.h"

struct sim_arrival {
    uint64_t time_ns;
    uint32_t key; /* over all populations: population 0's keys first */
    uint32_t cost_units;
    uint32_t process;
    uint32_t endpoint; /* index into the scenario's endpoints; UINT32_MAX: none */
    uint32_t spec;     /* index into the scenario's traffic */
    uint32_t job;      /* whose attempt it is, see clientele.h; here always SIM_JOB_NONE */
};

#define SIM_JOB_NONE UINT32_MAX

struct sim_traffic;

/* The scenario must outlive the traffic. Never NULL (memory exhaustion ends the program with a
 * message). Requires what schedule.h and balancer.h require of specs and rules. */
struct sim_traffic *sim_traffic_new(const struct sim_scenario *scenario);
void sim_traffic_free(struct sim_traffic *traffic);

/* The next arrival with time_ns < scenario->duration_ns, or false when there is none. Times never
 * decrease; at equal times the order is that of the traffic specs, then of their own arrivals. */
bool sim_traffic_next(struct sim_traffic *traffic, struct sim_arrival *arrival);

/* For arrivals that are not scheduled: a cost and endpoint by the mix of its spec's population, and
 * a process by its balance, drawn from a stream of the caller's. Requires time_ns, key and spec. */
void sim_traffic_draw_cost(const struct sim_traffic *traffic, struct sim_prng *prng,
                           struct sim_arrival *arrival);
void sim_traffic_draw_process(const struct sim_traffic *traffic, struct sim_prng *prng,
                              struct sim_arrival *arrival);

/* Of the spec's population, as arrivals number keys. */
uint32_t sim_traffic_first_key(const struct sim_traffic *traffic, uint32_t spec);

/* Expected arrivals of the whole run over its duration (for sizing buffers and progress only). */
double sim_traffic_requests_per_s(const struct sim_traffic *traffic);

#endif
