#include "ideal.h"

#include "arrivals.h"
#include "weir/decision.h"

void sim_ideal_run(const struct sim_catalog *catalog, struct sim_accuracy *ideal,
                   struct sim_clientele_totals *totals)
{
    struct sim_clientele *clientele = sim_clientele_new(catalog->scenario);
    struct sim_arrivals arrivals;
    struct sim_arrival arrival;

    sim_arrivals_init(&arrivals, catalog->scenario, clientele, SIM_ARRIVALS_AGAIN);
    sim_accuracy_init(ideal, catalog);
    while (sim_arrivals_next(&arrivals, UINT64_MAX, &arrival)) {
        const uint64_t now_ns = arrival.time_ns;
        if (sim_accuracy_arrival(ideal, arrival.key, now_ns, arrival.cost_units)) {
            sim_clientele_admitted(clientele, arrival.job, now_ns);
            continue;
        }
        const uint64_t admitted_ns =
            sim_oracle_retry_ns(&ideal->keys[arrival.key].oracle, now_ns, arrival.cost_units);
        sim_clientele_denied(clientele, arrival.job, now_ns,
                             admitted_ns == UINT64_MAX ? WEIR_RETRY_NEVER : admitted_ns - now_ns);
    }
    sim_accuracy_finish(ideal);
    *totals = *sim_clientele_totals(clientele);
    sim_arrivals_deinit(&arrivals);
    sim_clientele_free(clientele);
}
