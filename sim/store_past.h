/* What faults do to a store's memory: a replica that lags takes over, two primaries, a restart
 * without data, evictions. Fault times are known in advance, so what a replica will have forgotten
 * is copied as it is first touched within the lag. */
#ifndef SIM_STORE_PAST_H
#define SIM_STORE_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "weir/take.h"

struct sim_store;

/* A key as it was. */
struct sim_store_copy {
    uint32_t key;
    struct weir_store_key state; /* its log is owned */
    uint64_t granted_units;      /* since */
};

/* Of one fault that looks back. */
struct sim_store_lookback {
    uint32_t *place_of_key; /* + 1; 0: not copied */
    struct sim_store_copy *copies;
    uint32_t count;
    uint32_t capacity;
};

/* The old primary of a split. */
struct sim_store_old {
    bool lives;
    struct weir_store_key *states; /* by key; their logs are owned */
    uint64_t *granted_units;       /* by key: since the split */
    struct weir_store_run run;
};

struct sim_store_past {
    struct sim_store_lookback *lookbacks; /* by fault */
    struct sim_store_old *olds;           /* by fault */
};

void sim_store_past_init(struct sim_store *store);
void sim_store_past_deinit(struct sim_store *store);

/* Who serves a process's ask at time_ns: state and run; `old` is the index of the split whose old
 * primary it is, UINT32_MAX: the primary. */
struct sim_store_side {
    struct weir_store_key *state;
    const struct weir_store_run *run;
    uint32_t old;
};
struct sim_store_side sim_store_side_of(struct sim_store *store, uint32_t process, uint32_t key,
                                        uint64_t time_ns);

/* Before a key changes, and what it then granted. */
void sim_store_past_touch(struct sim_store *store, uint32_t key, uint64_t time_ns);
void sim_store_past_granted(struct sim_store *store, const struct sim_store_side *side,
                            uint32_t key, uint64_t time_ns, uint64_t units);

/* A fault of the scenario's begins, begins again, or ends. Anything that happened before time_ns
 * has been served. */
void sim_store_past_event(struct sim_store *store, uint32_t fault, uint64_t time_ns);

#endif
