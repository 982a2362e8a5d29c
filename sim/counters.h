/* What a store holds for limiters that send it plain commands: of each key a counter for each
 * window, with a time to live or without, and a lock; and how many such counters there are.
 *
 * A counter is gone once its time to live is over. Times are those of the store's clock. */
#ifndef SIM_COUNTERS_H
#define SIM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "exchange.h"

#define SIM_COUNTER_FOR_EVER UINT64_MAX

struct sim_counter {
    uint64_t window;
    uint64_t count;
    uint64_t expires_us;
};

/* Of one key. All zero: nothing. */
struct sim_counters {
    struct sim_counter *list; /* owned; those that are gone too, for as long as there is room */
    uint32_t count;
    uint32_t capacity;
    uint64_t lock_value; /* 0: free */
    uint64_t lock_until_us;
    uint32_t lock_process;
    uint32_t lock_life;
};

/* Of a whole store. */
struct sim_keyspace {
    uint64_t start_us;
    uint32_t second_count;
    int64_t *changes;         /* of the number of counters, by whole second */
    uint64_t without_ttl;     /* counters that stay for ever */
    uint64_t reborn_count;    /* counters made anew for a window whose counter had been there ... */
    uint64_t reborn_units;    /* ... and what those had counted */
    uint64_t lock_count;      /* locks taken, ... */
    uint64_t lock_miss_count; /* ... and not, as another had it */
    uint64_t lock_ran_out;    /* taken from one that did not give it up in its time */
    uint64_t stale_writes;    /* by one that took itself to hold the lock */
    uint64_t dead_locks;      /* whose holder died ... */
    uint64_t dead_lock_us;    /* ... and that were held so long all the same */
};

/* How many counters there are, at whole seconds from the start to the end. */
struct sim_keyspace_figures {
    uint64_t max;
    uint64_t at_end;
    double mean;
};

void sim_keyspace_init(struct sim_keyspace *keyspace, uint64_t start_us, uint64_t duration_us);
void sim_keyspace_deinit(struct sim_keyspace *keyspace);
void sim_keyspace_figures(const struct sim_keyspace *keyspace,
                          struct sim_keyspace_figures *figures);

void sim_counters_deinit(struct sim_counters *counters);

/* Carry out an exchange that is no ask, and fill its reply. */
void sim_counters_serve(struct sim_counters *counters, struct sim_keyspace *keyspace,
                        struct sim_exchange *exchange, uint64_t now_us);

/* The counter of a window; 0: there is none. */
uint64_t sim_counters_count(const struct sim_counters *counters, uint64_t window, uint64_t now_us);

/* A counter of which something is taken at the start. */
void sim_counters_begin(struct sim_counters *counters, struct sim_keyspace *keyspace,
                        uint64_t window, uint64_t count, uint64_t now_us, uint64_t ttl_us);

/* The process's life is over: whatever lock it has stays until its time is over. */
void sim_counters_holder_died(const struct sim_counters *counters, struct sim_keyspace *keyspace,
                              uint32_t process, uint32_t life, uint64_t now_us);

/* The store forgets it all. Returns whether there was anything. */
bool sim_counters_forget(struct sim_counters *counters, struct sim_keyspace *keyspace,
                         uint64_t now_us);

#endif
