#include "outage_service.h"

#include <stdlib.h>

#include "judgement.h"
#include "memory.h"

void sim_outage_services_init(struct sim_outage_services *services,
                              const struct sim_outages *outages)
{
    const struct sim_scenario *scenario = outages->history->catalog->scenario;

    *services = (struct sim_outage_services){
        .outages = outages,
        .by_population =
            sim_memory_new(scenario->population_count, sizeof *services->by_population),
    };
}

void sim_outage_services_deinit(struct sim_outage_services *services)
{
    free(services->by_population);
    *services = (struct sim_outage_services){0};
}

static struct sim_outage_service *service_of(struct sim_outage_services *services, uint32_t key)
{
    return &services->by_population[services->outages->history->catalog->keys[key].population];
}

static bool is_during_any(const struct sim_outage_services *services, uint32_t key,
                          uint64_t arrived_ns)
{
    const struct sim_outages *outages = services->outages;

    for (size_t i = 0; i < outages->count; i++) {
        if (sim_outages_holds(outages, &outages->list[i], key, arrived_ns)) {
            return true;
        }
    }
    return false;
}

void sim_outage_services_arrival(struct sim_outage_services *services,
                                 const struct sim_arrival *arrival, bool is_due)
{
    struct sim_outage_service *service = service_of(services, arrival->key);

    if (is_during_any(services, arrival->key, arrival->time_ns)) {
        service->requests++;
        service->demand_units += arrival->cost_units;
        service->ideal_units += is_due ? arrival->cost_units : 0;
    }
}

void sim_outage_services_decided(struct sim_outage_services *services, uint32_t key,
                                 uint64_t arrived_ns, uint64_t decided_ns, uint32_t admitted_units)
{
    struct sim_outage_service *service = service_of(services, key);

    if (is_during_any(services, key, arrived_ns)) {
        service->admitted_units += admitted_units;
        sim_latency_record(&service->waits, decided_ns - arrived_ns);
    }
}

void sim_outage_services_alone(struct sim_outage_services *services, uint32_t key,
                               uint64_t decided_ns)
{
    const struct sim_outages *outages = services->outages;
    struct sim_outage_service *service = service_of(services, key);
    uint64_t since_ns = UINT64_MAX; /* the end of the last outage */

    for (size_t i = 0; i < outages->count; i++) {
        const struct sim_outage *outage = &outages->list[i];
        if (sim_outages_holds(outages, outage, key, decided_ns)) {
            return;
        }
        if (decided_ns >= outage->up_ns && decided_ns - outage->up_ns < since_ns &&
            sim_outages_holds(outages, outage, key, outage->down_ns)) {
            since_ns = decided_ns - outage->up_ns;
        }
    }
    if (since_ns != UINT64_MAX && since_ns > service->alone_after_ns) {
        service->alone_after_ns = since_ns;
    }
}

void sim_outage_services_killed(struct sim_outage_services *services, uint32_t key,
                                uint64_t arrived_ns)
{
    if (is_during_any(services, key, arrived_ns)) {
        service_of(services, key)->killed++;
    }
}

void sim_outage_services_sum(const struct sim_outage_services *services, uint32_t population,
                             struct sim_outage_service *sum)
{
    const size_t count = services->outages->history->catalog->scenario->population_count;

    *sum = (struct sim_outage_service){0};
    for (size_t i = 0; i < count; i++) {
        const struct sim_outage_service *service = &services->by_population[i];
        if (population != SIM_EVERY_POPULATION && population != i) {
            continue;
        }
        sum->demand_units += service->demand_units;
        sum->ideal_units += service->ideal_units;
        sum->admitted_units += service->admitted_units;
        sum->requests += service->requests;
        sum->killed += service->killed;
        sim_latency_add(&sum->waits, &service->waits);
        if (service->alone_after_ns > sum->alone_after_ns) {
            sum->alone_after_ns = service->alone_after_ns;
        }
    }
}

double sim_outage_service_answered_pct(const struct sim_outage_service *service)
{
    const uint64_t alive = service->requests - service->killed;

    return alive == 0 ? -1 : 100.0 * (double)service->waits.count / (double)alive;
}
