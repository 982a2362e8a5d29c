/* What is noted of a run because of its faults: which decisions they changed, what was decided
 * without the store, what an outage let through. One call for each thing that happens; none of
 * them changes the run. */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "accuracy.h"
#include "billing.h"
#include "degradation.h"
#include "exchange.h"
#include "journal.h"
#include "outage_service.h"
#include "process.h"

struct sim_watch {
    struct sim_journal journal; /* keeps nothing unless its from_ns is set */
    struct sim_degradation degradation;
    struct sim_outages outages;
    struct sim_outage_services services; /* of these outages: a watch stays where it is */
    struct sim_billing billing;
    struct weir_limiter_counts retired; /* of limiters that are no more */
};

void sim_watch_init(struct sim_watch *watch, const struct sim_plan_history *history);
void sim_watch_deinit(struct sim_watch *watch);

/* is_due: the exact limiter admits it. */
void sim_watch_arrival(struct sim_watch *watch, const struct sim_arrival *arrival, bool is_due);

/* Books what was admitted without the store in `accuracy`, too. */
void sim_watch_decided(struct sim_watch *watch, struct sim_accuracy *accuracy, uint32_t process,
                       const struct sim_waiting *request, uint64_t decided_ns,
                       const struct weir_decision *decision);

/* It died with its process. */
void sim_watch_killed(struct sim_watch *watch, uint32_t key, uint64_t arrived_ns);

void sim_watch_before_serving(struct sim_watch *watch, const struct sim_store *store, uint32_t key,
                              uint64_t done_ns);
void sim_watch_served(struct sim_watch *watch, const struct sim_exchange *exchange,
                      uint64_t done_ns);

/* A process ends: its limiter's counts are kept. */
void sim_watch_retire(struct sim_watch *watch, const struct sim_client *client);
/* Add a limiter's counts to others. */
void sim_watch_add_counts(struct weir_limiter_counts *sum, const struct sim_client *client);

/* All that takes effect before now_ns has been done. */
void sim_watch_advance(struct sim_watch *watch, const struct sim_store *store, uint64_t now_ns);

/* The run is over. */
void sim_watch_finish(struct sim_watch *watch, const struct sim_store *store);

#endif
