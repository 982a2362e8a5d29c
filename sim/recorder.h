/* Watches one request of one key in a run: what its process had asked and heard before, and how the
 * whole world stood at the instant it arrived. Nothing that it does changes the run.
 *
 * The request is the key's first at or after an instant, and known as soon as its arrival is. From
 * then on no process is run past that instant until a stop there, at which everybody's state is
 * that instant's. Asks are kept in a short ring for each process, until the one that matters is
 * known. Those of it go on being followed to the end of the run: an answer may come late. */
#ifndef SIM_RECORDER_H
#define SIM_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange.h"
#include "traffic.h"
#include "weir/decision.h"
#include "weir/snapshot.h"
#include "weir/take.h"

struct sim_world;
struct sim_waiting;

#define SIM_RECORDER_ASKS 6
#define SIM_RECORDER_ANY UINT32_MAX
#define SIM_RECORDER_NEVER UINT64_MAX

/* The key in the store. */
struct sim_recorded_level {
    uint64_t left_units;
    uint64_t out_units; /* permits out in processes, as far as the store knows */
};

/* One ask, all its repetitions included. Times are SIM_RECORDER_NEVER for what did not happen. */
struct sim_recorded_ask {
    struct sim_exchange exchange; /* as last seen: the ask, and its answer once there is one */
    uint64_t sent_ns;             /* first */
    uint32_t sent_count;
    uint64_t resent_ns; /* last */
    uint64_t arrived_ns;
    uint32_t arrived_count; /* more than one: it was repeated, or doubled on its way */
    uint64_t done_ns;
    struct sim_recorded_level before; /* of its first service */
    struct sim_recorded_level after;
    uint64_t answered_ns;
};

struct sim_recorded_process {
    uint64_t held_units; /* with those promised and not yet due */
    uint64_t spendable_units;
};

struct sim_recorder {
    /* what is looked for */
    uint32_t key;
    uint32_t process; /* SIM_RECORDER_ANY */
    uint64_t from_ns;

    /* the request */
    bool found;
    bool stopped; /* the world was looked at */
    bool decided;
    struct sim_arrival arrival;
    bool ideal_admits;
    uint64_t ideal_left_units; /* before it; UINT64_MAX: no limit */
    uint64_t decided_ns;
    struct weir_decision decision;
    uint64_t nearest_ns; /* not found: the last one before; SIM_RECORDER_NEVER: none */

    /* the world when it arrived, before it was decided */
    struct sim_recorded_level level;
    uint64_t limit_units;                   /* per minute or window; UINT64_MAX: none */
    struct sim_recorded_process *processes; /* by number; owned */
    uint32_t process_count;
    uint64_t local_ns;
    bool is_known; /* the process holds the key: all of snapshot says something */
    struct weir_snapshot snapshot;
    uint32_t open_breaker_count; /* of its limiter, one for each shard */

    /* the process's asks for the key, oldest first: asks[0 .. ask_count - 1] once found */
    struct sim_recorded_ask *rings; /* SIM_RECORDER_ASKS of each process; owned */
    uint64_t *ring_counts;          /* ever added; owned */

    struct sim_recorded_state *states; /* the store before steps at or after from_ns; owned */
    size_t state_count;
    size_t state_capacity;
};

struct sim_recorded_state {
    uint64_t done_ns;
    struct weir_store_key state;
};

void sim_recorder_init(struct sim_recorder *recorder, uint32_t key, uint32_t process,
                       uint64_t from_ns, uint32_t process_count);
void sim_recorder_deinit(struct sim_recorder *recorder);

/* The asks of the request's process up to its decision, oldest first. Requires found. */
size_t sim_recorder_ask_count(const struct sim_recorder *recorder);
const struct sim_recorded_ask *sim_recorder_ask(const struct sim_recorder *recorder, size_t index);

/* No process may be run past this yet. */
uint64_t sim_recorder_bound_ns(const struct sim_recorder *recorder);

/* Calls of the world, in the course of a run. */
void sim_recorder_arrival(struct sim_recorder *recorder, struct sim_world *world,
                          const struct sim_arrival *arrival, bool ideal_admits);
/* The stop: all processes are at the instant of the arrival. */
void sim_recorder_stop(struct sim_recorder *recorder, struct sim_world *world);
void sim_recorder_decided(struct sim_recorder *recorder, uint32_t process,
                          const struct sim_waiting *request, uint64_t decided_ns,
                          const struct weir_decision *decision);
void sim_recorder_sent(struct sim_recorder *recorder, const struct sim_exchange *exchange);
/* Before and after the store carries it out. */
void sim_recorder_serving(struct sim_recorder *recorder, const struct sim_world *world,
                          const struct sim_exchange *exchange, uint64_t now_ns, uint64_t done_ns);
void sim_recorder_served(struct sim_recorder *recorder, const struct sim_world *world,
                         const struct sim_exchange *exchange, uint64_t done_ns);
void sim_recorder_answered(struct sim_recorder *recorder, const struct sim_exchange *exchange,
                           uint64_t now_ns);

#endif
