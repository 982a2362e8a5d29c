/* Which keys of a process are due in its next round of exchanges with the store: those it had
 * requests for since the last one. Rounds come every interval by the process's clock, at a random
 * phase of its own, as processes do not start together. */
#ifndef SIM_SYNC_ROUND_H
#define SIM_SYNC_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog.h"

struct sim_sync_round {
    uint64_t interval_ns;
    uint64_t next_ns;
    uint64_t begun_ns;   /* when the round began that is on, or the first life ... */
    uint64_t covered_ns; /* ... and for how long keys had become due then; > 0 */
    bool *is_due;        /* by key */
    uint32_t *due;       /* keys, in the order in which they became it */
    uint32_t due_count;
    uint32_t
        *leaving; /* of the round that is on, those from leaving_next on are still to be sent */
    uint32_t leaving_next;
    uint32_t leaving_count;
};

void sim_sync_round_init(struct sim_sync_round *round, const struct sim_catalog *catalog,
                         uint32_t process, uint32_t life, uint64_t start_ns);
void sim_sync_round_deinit(struct sim_sync_round *round);

/* The key takes part in the next round. */
void sim_sync_round_add(struct sim_sync_round *round, uint32_t key, uint64_t local_ns);

/* Begin a round, if its time has come, ... */
void sim_sync_round_expire(struct sim_sync_round *round, uint64_t local_ns);

/* ... or whether it has or not. */
void sim_sync_round_begin(struct sim_sync_round *round, uint64_t local_ns);

/* The next key of the round that is on; false: no more. */
bool sim_sync_round_next(struct sim_sync_round *round, uint32_t *key);

#endif
