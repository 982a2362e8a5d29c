/* How customers were served while the store could not be reached: what became of the requests that
 * arrived during an outage which concerns their key, population by population. Definitions as in
 * docs/MODEL.md, "Outages". */
#ifndef SIM_OUTAGE_SERVICE_H
#define SIM_OUTAGE_SERVICE_H

#include <stdint.h>

#include "metrics.h"
#include "outage_bound.h"

/* Of one population, or of several together. */
struct sim_outage_service {
    uint64_t demand_units;
    uint64_t ideal_units;    /* admitted by the exact limiter */
    uint64_t admitted_units; /* by ours */
    uint64_t requests;
    uint64_t killed;          /* died with their process */
    struct sim_latency waits; /* from arrival to decision, whatever that was */
    uint64_t alone_after_ns;  /* the longest time from the end of an outage to the last decision
                                 without the store before the next one */
};

struct sim_outage_services {
    const struct sim_outages *outages;
    struct sim_outage_service *by_population; /* owned */
};

/* `outages` must outlive it. */
void sim_outage_services_init(struct sim_outage_services *services,
                              const struct sim_outages *outages);
void sim_outage_services_deinit(struct sim_outage_services *services);

/* is_due: the exact limiter admits it. */
void sim_outage_services_arrival(struct sim_outage_services *services,
                                 const struct sim_arrival *arrival, bool is_due);
/* A request of admitted_units was decided; 0: refused. */
void sim_outage_services_decided(struct sim_outage_services *services, uint32_t key,
                                 uint64_t arrived_ns, uint64_t decided_ns, uint32_t admitted_units);
/* One was decided without the store. */
void sim_outage_services_alone(struct sim_outage_services *services, uint32_t key,
                               uint64_t decided_ns);
void sim_outage_services_killed(struct sim_outage_services *services, uint32_t key,
                                uint64_t arrived_ns);

/* Of one population, or of all (SIM_EVERY_POPULATION). */
void sim_outage_services_sum(const struct sim_outage_services *services, uint32_t population,
                             struct sim_outage_service *sum);

/* Requests that were answered, of those that did not die with their process, in percent; -1: there
 * were none. */
double sim_outage_service_answered_pct(const struct sim_outage_service *service);

#endif
