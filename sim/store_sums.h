/* What the store keeps for baselines that decide in the processes and tell it now and then: a count
 * (async_sync), or what each process saw (rate_share). Not touched by faults of the store's
 * memory. */
#ifndef SIM_STORE_SUMS_H
#define SIM_STORE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog.h"
#include "exchange.h"

/* Of one key, all processes together. Zeroed: nothing is counted. */
struct sim_store_sum {
    /* window: the two newest, as with a time to live of two windows */
    uint64_t window[2];
    uint64_t window_units[2];
    /* bucket: in 1 / rate_period_us of a unit; below 0 where more was let through than was there */
    __extension__ __int128 level;
    uint64_t updated_us;
    uint64_t taken_units; /* since time 0 */
};

/* What one process saw of a key. */
struct sim_store_sighting {
    uint64_t units;
    uint64_t at_us; /* 0: never */
};

struct sim_store_sums {
    const struct sim_catalog *catalog;
    struct sim_store_sum *sums;           /* by key; NULL: of no use */
    struct sim_store_sighting *sightings; /* by key and process; NULL: of no use */
    bool is_dealt_out;                    /* the whole limit is in the processes */
};

void sim_store_sums_init(struct sim_store_sums *sums, const struct sim_catalog *catalog);
void sim_store_sums_deinit(struct sim_store_sums *sums);

/* Carry out a SIM_EXCHANGE_SYNC or SIM_EXCHANGE_SHARE at store time now_us, and fill its reply. */
void sim_store_sums_serve(struct sim_store_sums *sums, struct sim_exchange *exchange,
                          uint64_t now_us);

/* See sim_store_peek. Returns false if the scenario's coordination is none of these. Limits that
 * are dealt out to processes count as taken, all that there is. */
struct sim_store_level;
bool sim_store_sums_peek(const struct sim_store_sums *sums, uint32_t key, uint64_t now_us,
                         struct sim_store_level *level);

#endif
