/* The simulated store: shards that serve asks one after another, each in service_ns, in the order
 * they arrive; and what faults do to their memory.
 *
 * While a shard has two primaries, the entries and runs here are those of the one that stays; the
 * other one's are kept with the fault (store_past.c). */
#ifndef SIM_STORE_H
#define SIM_STORE_H

#include <stdint.h>

#include "accuracy.h"
#include "catalog.h"
#include "counters.h"
#include "exchange.h"
#include "records.h"
#include "store_sums.h"
#include "weir/take.h"

struct sim_store_entry {
    struct weir_store_key state; /* all zero but for the log's memory: the store does not know it */
    uint64_t lumps_units; /* granted at once, less what came back; trickles are counted in state */
    uint64_t log_window;  /* log: the window of the key's own phase ... */
    uint64_t log_units;   /* ... and what was granted in it */
};

struct sim_store_past;

struct sim_store {
    const struct sim_catalog *catalog;
    struct sim_store_entry *entries; /* by key */
    struct sim_counters *counters;   /* by key; NULL: no limiter keeps any */
    struct sim_keyspace keyspace;    /* only if there are counters */
    uint64_t *busy_until_ns;         /* by shard */
    struct weir_store_run *runs;     /* by shard */
    struct sim_records records;      /* without chains: nothing is ever sent twice */
    uint64_t prompt_ns; /* an answer that leaves within this of the sending of its ask is there
                           before the ask could be repeated: it needs no record */
    struct sim_store_sums sums;   /* of baselines that tell it now and then */
    struct sim_store_past *pasts; /* by fault; NULL: none touches a shard's memory */
    size_t past_count;

    /* told of units that leave the ordinary course; NULL: nobody */
    void (*lost)(void *context, enum sim_loss loss, uint32_t key, uint64_t time_ns, uint64_t units);
    void *lost_context;

    /* the ledger: all that answers granted or promised, all that asks gave back or called off */
    uint64_t granted_units;
    uint64_t returned_units;
    uint64_t charged_units;
    uint64_t recharged_units; /* of them: of asks that it had carried out before and forgotten */
};

void sim_store_init(struct sim_store *store, const struct sim_catalog *catalog);
void sim_store_deinit(struct sim_store *store);

/* When the service of an exchange of this key will end, if it arrives at now_ns and takes
 * service_ns. */
uint64_t sim_store_done_ns(const struct sim_store *store, uint32_t key, uint64_t now_ns,
                           uint64_t service_ns);

/* The shard's clock. */
uint64_t sim_store_clock_us(const struct sim_store *store, uint32_t shard, uint64_t true_ns);

/* Serve one exchange, from when its service begins to done_ns (never decreasing per shard), which
 * is as sim_store_done_ns says, and fill the reply. A fault that forgets what was done lately goes
 * by exchange->arrived_ns. */
void sim_store_serve(struct sim_store *store, struct sim_exchange *exchange, uint64_t done_ns);

/* A process's life is over: locks that it has stay. Requires that there are counters. */
void sim_store_holder_died(struct sim_store *store, uint32_t process, uint32_t life,
                           uint64_t now_ns);

/* The process took the answer of an exchange: what it granted is not lost. Returns what that is, as
 * far as it is on record and was not taken before. */
uint64_t sim_store_taken(struct sim_store *store, const struct sim_exchange *exchange);

/* The run is over: answers that nobody took are lost now. */
void sim_store_finish(struct sim_store *store);

/* Tell `lost`. */
void sim_store_lost(const struct sim_store *store, enum sim_loss loss, uint32_t key,
                    uint64_t time_ns, uint64_t units);

/* The first instant, from from_ns on, at which a fault changes what a shard remembers; UINT64_MAX:
 * none. */
uint64_t sim_store_next_fault_ns(const struct sim_store *store, uint64_t from_ns);

/* Have those faults act whose instant is now_ns, before anything that arrives then. */
void sim_store_fault(struct sim_store *store, uint64_t now_ns);

/* When the last shard will have served all that it has now. */
uint64_t sim_store_idle_ns(const struct sim_store *store, uint64_t now_ns);

/* The key's remainder under a plan, and what was taken from it, as of time_ns, without changing
 * anything. Requires that nothing was served whose service ends later. */
struct sim_store_level {
    uint64_t left_units;
    uint64_t taken_units;        /* since time 0, less what came back */
    uint64_t out_units;          /* in processes, as far as the store knows */
    uint64_t window_left_units;  /* window, sliding, log: of the window that ends at time_ns, ... */
    uint64_t window_taken_units; /* ... and taken in it; of another algorithm 0 */
};
void sim_store_peek(const struct sim_store *store, uint32_t key, const struct weir_plan *plan,
                    uint64_t time_ns, struct sim_store_level *level);

#endif
