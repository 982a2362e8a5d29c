/* The world: processes, a load balancer's arrivals, store shards and the network between them, on a
 * kernel. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "accuracy.h"
#include "arrivals.h"
#include "catalog.h"
#include "clientele.h"
#include "exchange.h"
#include "herd.h"
#include "judgement.h"
#include "kernel.h"
#include "metrics.h"
#include "polling.h"
#include "process.h"
#include "recorder.h"
#include "store.h"
#include "trace_hash.h"
#include "twin.h"
#include "watch.h"

struct sim_world {
    const struct sim_scenario *scenario;
    struct sim_kernel *kernel;
    struct sim_catalog catalog;
    struct sim_clientele *clientele;
    struct sim_arrivals arrivals;
    struct sim_process *processes;
    struct sim_store store;
    struct sim_prng answer_jitter;
    struct sim_accuracy accuracy;
    struct sim_metrics metrics;
    struct sim_trace_hash trace;
    struct sim_herd herd;
    struct sim_polling polling;
    struct sim_watch watch;
    const struct sim_twin *twin; /* the run without its faults; NULL: none, or nobody compares */

    /* Clients that react: the oracle in `accuracy` is that of a second run, see ideal.h, once the
     * run is over, and this is how it went with the oracle fed the arrivals that were made. */
    bool reacts;
    struct sim_judgement same_arrivals; /* only if reacts */
    int64_t *same_errors;               /* by cell; only if reacts */
    struct sim_clientele_totals ideal;  /* what the ideal limiter's clients did */

    /* by key: the first interval whose end the store's state was not noted at */
    uint32_t *next_samples;

    uint64_t epoch_ns; /* length of the current one */
    uint64_t epoch_start_ns;
    struct fault_life *lives; /* what happens to processes; those from life_next on are to come */
    size_t life_count;
    size_t life_next;
    uint64_t next_life_ns; /* no process is run further; UINT64_MAX: nothing more happens */
    uint32_t drain_rounds;
    struct sim_exchange *free_exchanges;
    void **exchange_blocks;
    uint32_t exchange_block_count;
    bool drained;           /* every process handed over what it held */
    uint32_t open_breakers; /* before they did: all at once, they may overload the store */

    /* called now and then with how far the run is; may be NULL */
    void (*progress)(void *context, const struct sim_world *world, uint64_t now_ns);
    void *progress_context;
    /* called with each decision, in no certain order; may be NULL */
    void (*decided)(void *context, uint32_t process, const struct sim_waiting *request,
                    uint64_t decided_ns, const struct weir_decision *decision);
    void *decided_context;
    struct sim_recorder *recorder; /* watches one request; NULL: nobody does */
};

/* The last of the events of an instant. */
#define SIM_WORLD_TAG_RECORDER (UINT64_C(3) << 32)

/* Returns false with a one-line reason in `error` if the kernel refuses the scenario. */
bool sim_world_init(struct sim_world *world, const struct sim_scenario *scenario,
                    enum sim_kernel_kind kind, char *error, uint32_t error_size);
void sim_world_deinit(struct sim_world *world);

/* Simulate it all. Returns false if the kernel failed. */
bool sim_world_run(struct sim_world *world);

/* Units too few or, negative, too many in an interval, by the arrivals that were made. After the
 * run. */
int64_t sim_world_error(const struct sim_world *world, uint32_t key, uint32_t interval);

/* Units the processes reported to billing. */
uint64_t sim_world_reported_units(const struct sim_world *world);

/* Requests the processes denied because their limiters had no place for them. */
uint64_t sim_world_undecided_count(const struct sim_world *world);

/* Run a process on, and where the time of a reply cannot be known in advance, come back when it has
 * caught up. */
void sim_world_run_process(struct sim_world *world, struct sim_process *process);

/* For processes. */
void sim_world_decided(struct sim_world *world, uint32_t process, const struct sim_waiting *request,
                       uint64_t decided_ns, const struct weir_decision *decision);
struct sim_exchange *sim_world_new_exchange(struct sim_world *world);
void sim_world_free_exchange(struct sim_world *world, struct sim_exchange *exchange);
/* Nothing of an exchange is under way any more. */
void sim_world_end_exchange(struct sim_world *world, struct sim_exchange *exchange,
                            uint64_t now_ns);
/* A request was in a process when that was killed. */
void sim_world_killed(struct sim_world *world, const struct sim_waiting *request, uint64_t now_ns);
/* A reply arrives for a life that is over: what it brings is lost. */
void sim_world_stale_reply(struct sim_world *world, struct sim_exchange *exchange, uint64_t now_ns);
void sim_world_send_ask(struct sim_world *world, struct sim_exchange *exchange, uint64_t send_ns);

/* Events, in the order in which they happen at one instant: what happens to processes first. */
enum {
    SIM_WORLD_TAG_LIFE = 0,
    SIM_WORLD_TAG_SAMPLE_MINUTE,
    SIM_WORLD_TAG_EPOCH,
    SIM_WORLD_TAG_DRAIN,
    SIM_WORLD_TAG_FAULT,
};
#define SIM_WORLD_TAG_WAKE (UINT64_C(1) << 32)       /* + process */
#define SIM_WORLD_TAG_SAMPLE_KEY (UINT64_C(2) << 32) /* + key: one of its windows ends */

/* world_fault.c, for world.c: faults that act of themselves, on nobody's message. The next instant,
 * from from_ns on, at which one does is scheduled; one has come. */
void sim_world_fault_schedule(struct sim_world *world, uint64_t from_ns);
void sim_world_fault_event(struct sim_world *world, uint64_t now_ns);

/* world_life.c, for world.c. */
void sim_world_life_init(struct sim_world *world);
void sim_world_life_event(struct sim_world *world, uint64_t now_ns);
/* The run is over: whoever is paused resumes, to hand over what it holds. */
void sim_world_life_end(struct sim_world *world, uint64_t now_ns);
/* A reply arrives at a process. Returns whether that was all: it is of an earlier life, or has to
 * wait. */
bool sim_world_life_takes(struct sim_world *world, struct sim_exchange *exchange, uint64_t now_ns);
/* Which process gets a request. Returns false if none takes any: the client sees an error. */
bool sim_world_route(struct sim_world *world, struct sim_arrival *arrival);

#endif
