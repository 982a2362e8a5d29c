/* The world: processes, a load balancer's arrivals, store shards and the network between them, on a
 * kernel. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "accuracy.h"
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

struct sim_world {
    const struct sim_scenario *scenario;
    struct sim_kernel *kernel;
    struct sim_catalog catalog;
    struct sim_clientele *clientele;
    struct sim_process *processes;
    struct sim_store store;
    struct sim_prng answer_jitter;
    struct sim_accuracy accuracy;
    struct sim_metrics metrics;
    struct sim_trace_hash trace;
    struct sim_herd herd;
    struct sim_polling polling;

    /* Clients that react: the oracle in `accuracy` is that of a second run, see ideal.h, once the
     * run is over, and this is how it went with the oracle fed the arrivals that were made. */
    bool reacts;
    struct sim_judgement same_arrivals; /* only if reacts */
    struct sim_clientele_totals ideal;  /* what the ideal limiter's clients did */

    /* by key: the first interval whose end the store's state was not noted at */
    uint32_t *next_samples;

    uint64_t epoch_ns; /* length of the current one */
    uint64_t epoch_start_ns;
    uint32_t drain_rounds;
    struct sim_exchange *free_exchanges;
    void **exchange_blocks;
    uint32_t exchange_block_count;
    bool drained; /* every process handed over what it held */

    /* called now and then with how far the run is; may be NULL */
    void (*progress)(void *context, const struct sim_world *world, uint64_t now_ns);
    void *progress_context;
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

/* Units the processes reported to billing. */
uint64_t sim_world_reported_units(const struct sim_world *world);

/* Requests the processes denied because their limiters had no place for them. */
uint64_t sim_world_undecided_count(const struct sim_world *world);

/* For processes. */
void sim_world_decided(struct sim_world *world, uint32_t process, const struct sim_waiting *request,
                       uint64_t decided_ns, const struct weir_decision *decision);
struct sim_exchange *sim_world_new_exchange(struct sim_world *world);
void sim_world_free_exchange(struct sim_world *world, struct sim_exchange *exchange);
void sim_world_send_ask(struct sim_world *world, struct sim_exchange *exchange, uint64_t send_ns);

#endif
