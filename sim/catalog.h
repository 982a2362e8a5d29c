/* The keys of a scenario as the limiter sees them: fingerprint, plan, shard, phase. Keys are
 * numbered as in traffic.h. */
#ifndef SIM_CATALOG_H
#define SIM_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"
#include "weir/key.h"
#include "weir/plan.h"

/* The store's clock at true time 0: a whole minute of 2023. */
#define SIM_STORE_EPOCH_US UINT64_C(1699999980000000)

/* What a process's clock reads at true time 0, before its own error: a machine that has been up for
 * a while. */
#define SIM_LOCAL_START_NS UINT64_C(1000000000000000)

struct sim_key {
    struct weir_key key;
    uint32_t population;
    uint32_t plan;
    uint32_t shard;
    uint64_t window_phase_ns; /* windows are [i x window - phase, ...) of true time */
};

struct sim_catalog {
    const struct sim_scenario *scenario;
    struct sim_key *keys;
    uint32_t key_count;
    struct weir_plan *plans; /* scenario->plan_count; version 1 */
    /* scenario->change_count; the versions of each plan and each endpoint count on from 2. A change
     * that brings no numbers of a plan, a weight or a deletion, has nothing but its version */
    struct weir_plan *changed;
    uint32_t *index; /* open addressing from fingerprint to key number + 1 */
    uint32_t index_mask;
};

/* Exits with a message only on memory exhaustion; plans were validated by the scenario reader. */
void sim_catalog_init(struct sim_catalog *catalog, const struct sim_scenario *scenario);
void sim_catalog_deinit(struct sim_catalog *catalog);

/* The core's plan of these numbers. Exits with a message if they are out of its bounds, which the
 * scenario reader checks too. */
void sim_catalog_make_plan(struct weir_plan *plan, const struct sim_plan *source, uint64_t version);

/* The phase of this key's windows of that length, as in sim_key. */
uint64_t sim_catalog_phase_ns(const struct sim_catalog *catalog, uint32_t key, uint64_t window_us);

/* The key's plan at the start of the run. */
const struct weir_plan *sim_catalog_plan(const struct sim_catalog *catalog, uint32_t key);

/* The number of the key with this fingerprint. Requires that there is one. */
uint32_t sim_catalog_find(const struct sim_catalog *catalog, const struct weir_key *key);

/* "population/number", for people. */
void sim_catalog_name(const struct sim_catalog *catalog, uint32_t key, char *text, uint32_t size);

/* Units in the key's bucket (windows: left in its window) at time 0. */
uint64_t sim_catalog_start_units(const struct sim_catalog *catalog, uint32_t key);
/* The others. */
uint64_t sim_catalog_used_units(const struct sim_catalog *catalog, uint32_t key);

uint64_t sim_store_us(uint64_t true_ns);

/* What a machine takes for the time of day, whose clock nobody sets right. */
uint64_t sim_wall_us(uint64_t local_ns);

#endif
