#include "result_clients.h"

#include <math.h>

#include "json_value.h"

static json_t *totals_json(const struct sim_clientele_totals *totals)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:{s:f, s:f}}", "retries", integer(totals->retries),
                     "given_up", integer(totals->given_up), "cut_off", integer(totals->cut_off),
                     "recovered", integer(totals->recovered), "first_denial_to_admission_s", "mean",
                     sim_clientele_recovery_mean_s(totals), "max",
                     (double)totals->recovery_max_ns / 1e9);
}

json_t *sim_result_clients(const struct sim_world *world)
{
    json_t *json = totals_json(sim_clientele_totals(world->clientele));

    json_object_set_new(json, "ideal", totals_json(&world->ideal));
    json_object_set_new(json, "herd_ratio", json_real(sim_herd_ratio(&world->herd)));
    json_object_set_new(json, "herd_arrivals_ratio",
                        json_real(sim_herd_arrivals_ratio(&world->herd)));
    return json;
}

json_t *sim_result_remaining(const struct sim_world *world)
{
    const struct sim_polling_totals *totals = &world->polling.totals;

    return json_pack(
        "{s:o, s:o, s:o, s:{s:o}, s:{s:f}, s:{s:o}}", "polls", integer(totals->polls), "unknown",
        integer(totals->unknown), "outside_bounds", integer(totals->outside_bounds), "error_units",
        "max", integer(totals->error_units_max), "age_ms", "max", (double)totals->age_ns_max / 1e6,
        "disagreement_units", "max", integer(totals->disagreement_units_max));
}

static json_t *process_json(const struct sim_process *process)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "requests", integer(process->requests),
                     "admitted", integer(process->admitted), "denied", integer(process->denied),
                     "units_demand", integer(process->demand_units), "units_admitted",
                     integer(process->admitted_units));
}

json_t *sim_result_fairness(const struct sim_world *world)
{
    json_t *processes = json_array();
    double least = (double)INFINITY;
    double most = 0;

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        const struct sim_process *process = &world->processes[i];
        json_array_append_new(processes, process_json(process));
        if (process->demand_units == 0) {
            continue;
        }
        const double part = (double)process->admitted_units / (double)process->demand_units;
        least = part < least ? part : least;
        most = part > most ? part : most;
    }
    least = most < least ? 0.0 : least;
    return json_pack("{s:f, s:f, s:{s:f, s:f}, s:o}", "admitted_per_demand_min", least,
                     "admitted_per_demand_max", most, "admitted_pct", "min", 100.0 * least, "max",
                     100.0 * most, "processes", processes);
}
