/* The load balancer: which process gets a request. No state but the tables: a choice depends on
 * the rule in force at that time, the key, and the stream given. */
#ifndef SIM_BALANCER_H
#define SIM_BALANCER_H

#include <stdint.h>

#include "prng.h"
#include "scenario.h"
#include "weighted.h"

struct sim_balancer {
    const struct sim_balance *balance; /* not owned */
    struct sim_weighted before;        /* zipf and weights: the tables of the two rules */
    struct sim_weighted after;
    uint64_t name_hash; /* sticky: of the population's name, so that no seed moves a key */
    uint32_t process_count;
};

/* The balance must outlive the balancer. Requires process_count > 0; sticky rules: between 1 and
 * process_count neighbours; weights: process_count of them, at least one > 0. */
void sim_balancer_init(struct sim_balancer *balancer, const struct sim_balance *balance,
                       uint32_t process_count, const char *population_name);
void sim_balancer_deinit(struct sim_balancer *balancer);

/* key_index: within its population. Returns a process < process_count. */
uint32_t sim_balancer_choose(const struct sim_balancer *balancer, struct sim_prng *prng,
                             uint64_t time_ns, uint32_t key_index);

#endif
