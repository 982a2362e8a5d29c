#include "result_faults.h"

#define NS_PER_S 1e9

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *seconds(uint64_t time_ns)
{
    return json_real((double)time_ns / NS_PER_S);
}

/* UINT64_MAX: there is no such time. */
static json_t *seconds_if_any(uint64_t time_ns)
{
    return time_ns == UINT64_MAX ? json_null() : seconds(time_ns);
}

static json_t *faults_json(const struct sim_aftermath *aftermath, const struct sim_world *world)
{
    const uint64_t duration_ns = world->scenario->duration_ns;
    json_t *list = json_array();

    for (size_t i = 0; i < aftermath->fault_count; i++) {
        const struct fault *fault = &world->scenario->faults.faults[i];
        const struct sim_fault_outcome *outcome = &aftermath->faults[i];
        const uint64_t until_ns = fault->until_ns < duration_ns ? fault->until_ns : duration_ns;
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "id", fault->id, "kind",
                      fault_kind_names[fault->kind], "from_s", seconds(fault->from_ns), "until_s",
                      seconds(until_ns), "fired_count", integer(outcome->fired_count),
                      "changed_count",
                      aftermath->is_compared ? integer(outcome->changed_count) : json_null()));
    }
    return list;
}

static json_t *degraded_json(const struct sim_degradation *degradation,
                             const struct weir_limiter_counts *counts)
{
    const uint32_t all = degradation->second_count;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "admitted", integer(degradation->admitted),
        "denied", integer(degradation->denied), "units", integer(degradation->units),
        "lost_charge_units", integer(counts->lost_charge_units), "first_s",
        seconds_if_any(degradation->first_ns), "last_s", seconds_if_any(degradation->last_ns),
        "processes_max", integer(sim_degradation_processes_max(degradation)), "share_of_time_pct",
        all == 0 ? 0.0 : 100.0 * (double)sim_degradation_seconds(degradation) / (double)all);
}

static json_t *liveness_json(const struct sim_liveness *liveness)
{
    const bool asked = liveness->recovery != SIM_RECOVERY_NOT_ASKED;
    const bool known = asked && liveness->recovery != SIM_RECOVERY_UNKNOWN;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "recovered",
                     known ? integer(liveness->recovery == SIM_RECOVERY_DONE) : json_null(),
                     "recovery_s",
                     asked ? seconds(liveness->recovered_ns - liveness->last_end_ns) : json_null(),
                     "checked_intervals", integer(liveness->checked_intervals),
                     "unhealthy_intervals", integer(liveness->unhealthy_intervals), "open_breakers",
                     integer(liveness->open_breakers), "held_units", integer(liveness->held_units));
}

/* -1: there is none. */
static json_t *figure(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *waits_json(const struct sim_latency *waits)
{
    const double count = (double)waits->count;

    if (waits->count == 0) {
        return json_pack("{s:n, s:n, s:n, s:n}", "p50", "p99", "max", "waited_pct");
    }
    return json_pack(
        "{s:f, s:f, s:f, s:f}", "p50", (double)sim_latency_percentile_ns(waits, 500000) / 1000,
        "p99", (double)sim_latency_percentile_ns(waits, 990000) / 1000, "max",
        (double)waits->max_ns / 1000, "waited_pct", 100.0 * (double)waits->waited / count);
}

static void add_service(json_t *json, const struct sim_world *world, uint32_t population)
{
    struct sim_outage_service service;

    sim_outage_services_sum(&world->watch.services, population, &service);
    json_object_set_new(json, "requests", integer(service.requests));
    json_object_set_new(json, "units",
                        json_pack("{s:o, s:o, s:o, s:o}", "demand", integer(service.demand_units),
                                  "admitted", integer(service.admitted_units), "refused",
                                  integer(service.demand_units - service.admitted_units), "ideal",
                                  integer(service.ideal_units)));
    json_object_set_new(json, "answered_pct", figure(sim_outage_service_answered_pct(&service)));
    json_object_set_new(json, "wait_us", waits_json(&service.waits));
    json_object_set_new(json, "alone_after_s",
                        service.requests == 0 ? json_null() : seconds(service.alone_after_ns));
}

json_t *sim_result_outage(const struct sim_world *world, uint32_t population)
{
    struct sim_outage_figures figures;
    json_t *json = json_object();

    sim_outages_figures(&world->watch.outages, population, &figures);

    json_object_set_new(json, "count", integer(figures.outage_count));
    json_object_set_new(json, "cut_count", integer(figures.cut_count));
    json_object_set_new(json, "bound_used_pct",
                        json_pack("{s:o}", "max", figure(figures.bound_used_pct)));
    json_object_set_new(json, "over_units", json_pack("{s:o}", "max", figure(figures.over_units)));
    json_object_set_new(json, "over_of_accrued_pct",
                        json_pack("{s:o}", "max", figure(figures.over_of_accrued_pct)));
    json_object_set_new(json, "admitted_of_ideal_pct",
                        json_pack("{s:o, s:o}", "min", figure(figures.admitted_of_ideal_min_pct),
                                  "max", figure(figures.admitted_of_ideal_max_pct)));
    json_object_set_new(json, "under_of_accrued_pct",
                        json_pack("{s:o}", "max", figure(figures.under_of_accrued_pct)));
    json_object_set_new(json, "floor_split_pct",
                        json_pack("{s:o}", "max", figure(figures.floor_split_pct)));
    json_object_set_new(json, "under_above_floor_pct",
                        json_pack("{s:o}", "max", figure(figures.under_above_floor_pct)));
    json_object_set_new(json, "cut_share_pct",
                        json_pack("{s:o, s:o}", "min", figure(figures.cut_share_min_pct), "max",
                                  figure(figures.cut_share_max_pct)));
    add_service(json, world, population);
    return json;
}

void sim_result_add_faults(json_t *json, const struct sim_aftermath *aftermath,
                           const struct sim_world *world)
{
    const struct weir_limiter_counts *counts = &aftermath->counts;

    json_object_set_new(json, "faults", faults_json(aftermath, world));
    json_object_set_new(json, "degraded", degraded_json(&world->watch.degradation, counts));
    json_object_set_new(json, "breaker",
                        json_pack("{s:o, s:o, s:o}", "openings", integer(counts->breaker_openings),
                                  "probes", integer(counts->probes), "open_at_end",
                                  integer(aftermath->liveness.open_breakers)));
    json_object_set_new(json, "asks",
                        json_pack("{s:o, s:o, s:o, s:o}", "failed", integer(counts->asks_failed),
                                  "repeated", integer(counts->asks_repeated), "expired",
                                  integer(counts->asks_expired), "data_losses",
                                  integer(counts->data_losses)));
    json_object_set_new(json, "liveness", liveness_json(&aftermath->liveness));
    json_object_set_new(json, "outage", sim_result_outage(world, SIM_EVERY_POPULATION));
}

json_t *sim_result_billing(const struct sim_aftermath *aftermath, const struct sim_world *world,
                           uint64_t spent_units)
{
    const struct sim_billing *billing = &world->watch.billing;
    const bool has_reports = world->scenario->coordination == SIM_COORDINATION_LEASE;
    const uint64_t reported =
        has_reports ? billing->reported_units : sim_world_reported_units(world);
    const uint64_t high = has_reports ? aftermath->bill_bound_high_units : reported;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "true_units",
        integer(spent_units), "reports", integer(billing->report_count), "batches",
        integer(billing->batch_count), "reported_units", integer(reported), "lost_units",
        integer(spent_units > reported ? spent_units - reported : reported - spent_units),
        "duplicates_dropped", integer(billing->duplicates_dropped), "flagged_windows",
        integer(billing->flagged_windows), "unsealed_windows", integer(billing->unsealed_windows),
        "undelivered_reports", integer(billing->undelivered_count), "bound_low_units",
        integer(reported), "bound_high_units", integer(high));
}
