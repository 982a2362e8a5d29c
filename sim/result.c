#include "result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "result_clients.h"
#include "result_counters.h"
#include "result_faults.h"

static const char *const verdict_names[] = {"pass", "fail", "inconclusive"};

const char *sim_verdict_name(enum sim_verdict verdict)
{
    return verdict_names[verdict];
}

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 100.0 : 100.0 * (double)part / (double)whole;
}

static json_t *spread_json(const struct sim_spread *spread)
{
    return json_pack("{s:f, s:f, s:f}", "max", spread->max, "p99", spread->p99, "mean",
                     spread->mean);
}

/* With the oracle fed the arrivals that were made: the same unless clients react. */
static json_t *same_arrivals_json(const struct sim_judgement *judgement)
{
    return json_pack("{s:o, s:o, s:{s:o}, s:{s:o}}", "over_pct", spread_json(&judgement->over_pct),
                     "under_pct", spread_json(&judgement->under_pct), "over_units", "max",
                     integer(judgement->over_units_max), "under_units", "max",
                     integer(judgement->under_units_max));
}

static json_t *accuracy_json(const struct sim_judgement *judgement)
{
    json_t *causes = json_object();

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        json_object_set_new(causes, sim_cause_names[i],
                            json_pack("{s:o}", "units", integer(judgement->cause_units[i])));
    }
    json_t *json = json_object();
    json_object_set_new(json, "over_pct", spread_json(&judgement->over_pct));
    json_object_set_new(json, "under_pct", spread_json(&judgement->under_pct));
    json_object_set_new(json, "over_units",
                        json_pack("{s:o}", "max", integer(judgement->over_units_max)));
    json_object_set_new(json, "under_units",
                        json_pack("{s:o}", "max", integer(judgement->under_units_max)));
    json_object_set_new(json, "contract_over_pct",
                        json_pack("{s:f}", "max", judgement->contract_over_pct_max));
    json_object_set_new(json, "contract_over_units",
                        json_pack("{s:o}", "max", integer(judgement->contract_over_units_max)));
    json_object_set_new(json, "sliding_over_pct",
                        judgement->sliding_over_pct_max < 0
                            ? json_pack("{s:n}", "max")
                            : json_pack("{s:f}", "max", judgement->sliding_over_pct_max));
    json_object_set_new(json, "pairs", integer(judgement->pair_count));
    json_object_set_new(json, "causes", causes);
    return json;
}

static json_t *latency_json(const struct sim_latency *latency)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "p50",
                     (double)sim_latency_percentile_ns(latency, 500000) / 1000, "p99",
                     (double)sim_latency_percentile_ns(latency, 990000) / 1000, "p999",
                     (double)sim_latency_percentile_ns(latency, 999000) / 1000, "max",
                     (double)latency->max_ns / 1000, "waited_pct",
                     latency->count == 0 ? 0.0 : percent(latency->waited, latency->count), "count",
                     integer(latency->count));
}

static json_t *latencies_json(const struct sim_metrics *metrics)
{
    json_t *json = latency_json(&metrics->all);
    json_t *classes = json_object();

    for (int i = 0; i < SIM_LIMIT_CLASSES; i++) {
        json_object_set_new(classes, sim_limit_class_names[i], latency_json(&metrics->by_class[i]));
    }
    json_object_set_new(json, "by_limit", classes);
    json_object_set_new(json, "first_touches", latency_json(&metrics->first_touches));
    return json;
}

static json_t *store_json(const struct sim_world *world)
{
    const struct sim_metrics *metrics = &world->metrics;
    const double seconds = (double)world->scenario->duration_ns / 1e9;

    return json_pack("{s:o, s:{s:f, s:o}, s:o, s:f, s:o, s:f, s:o}", "asks", integer(metrics->asks),
                     "asks_per_s", "mean", (double)metrics->asks / seconds, "max_1s",
                     integer(sim_metrics_asks_max_1s(metrics)), "asks_max_10ms",
                     integer(sim_metrics_asks_max_10ms(metrics)), "requests_per_ask",
                     metrics->asks == 0 ? 0.0 : (double)metrics->requests / (double)metrics->asks,
                     "in_flight_max", integer(sim_metrics_in_flight_max(metrics)), "in_flight_mean",
                     (double)sim_metrics_flight_ns(metrics) / 1e9 / seconds, "pairs",
                     integer(metrics->pairs));
}

static json_t *ladder_json(const struct sim_trace_hash *trace)
{
    json_t *ladder = json_array();
    char text[17];

    for (size_t i = 0; i < trace->second_count; i++) {
        snprintf(text, sizeof text, "%016" PRIx64, sim_trace_hash_value(trace, i));
        json_array_append_new(ladder, json_string(text));
    }
    return ladder;
}

/* The value at "a.b[2].c", or NULL. */
static const json_t *lookup(const json_t *root, const char *path)
{
    const json_t *at = root;

    for (const char *part = path; at != NULL && *part != '\0';) {
        const size_t length = strcspn(part, ".[");
        char name[96];
        if (*part == '[') {
            at = json_array_get(at, (size_t)strtoul(part + 1, NULL, 10));
            part += strcspn(part, "]") + 1;
            part += *part == '.';
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, part);
        at = json_object_get(at, name);
        part += length + (part[length] == '.');
    }
    return at;
}

bool sim_result_number(const json_t *result, const char *path, double *number)
{
    const json_t *found = lookup(result, path);

    if (json_is_boolean(found)) {
        *number = json_is_true(found) ? 1 : 0;
        return true;
    }
    if (json_is_number(found)) {
        *number = json_number_value(found);
        return true;
    }
    return false;
}

static bool check_expectations(const struct sim_scenario *scenario, json_t *root)
{
    json_t *list = json_array();
    bool all = true;

    for (size_t i = 0; i < scenario->expectation_count; i++) {
        const struct sim_expectation *expectation = &scenario->expectations[i];
        double value = (double)NAN;
        const bool is_there = sim_result_number(root, expectation->path, &value);
        const bool pass = value >= expectation->minimum && value <= expectation->maximum;
        json_t *bound = json_object();
        if (isfinite(expectation->minimum)) {
            json_object_set_new(bound, "min", json_real(expectation->minimum));
        }
        if (isfinite(expectation->maximum)) {
            json_object_set_new(bound, "max", json_real(expectation->maximum));
        }
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:b, s:s}", "path",
                                              expectation->path, "bound", bound, "value",
                                              is_there ? json_real(value) : json_null(), "pass",
                                              pass, "target", expectation->target));
        all &= pass;
    }
    json_object_set_new(root, "expectations", list);
    return all;
}

static json_t *populations_json(const struct sim_result *result, const struct sim_world *world)
{
    json_t *json = json_object();

    for (size_t i = 0; i < world->scenario->population_count; i++) {
        const struct sim_judgement *judgement = &result->by_population[i];
        json_object_set_new(json, world->scenario->populations[i].name,
                            json_pack("{s:{s:o, s:o, s:o}, s:o, s:o}", "units", "demand",
                                      integer(judgement->demand_units), "admitted",
                                      integer(judgement->admitted_units), "oracle",
                                      integer(judgement->oracle_units), "accuracy",
                                      accuracy_json(judgement), "outage",
                                      sim_result_outage(world, (uint32_t)i)));
    }
    return json;
}

static struct sim_config_totals config_of(const struct sim_world *world)
{
    struct sim_config_totals config = {.version_spread_max =
                                           sim_changes_version_spread(&world->catalog)};

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        config.pushes += world->processes[i].pushes.next;
        config.stale_pushes += world->processes[i].stale_push_count;
    }
    return config;
}

static json_t *config_json(const struct sim_config_totals *config)
{
    return json_pack("{s:o, s:o, s:o}", "pushes", integer(config->pushes), "stale_pushes",
                     integer(config->stale_pushes), "version_spread_max",
                     integer(config->version_spread_max));
}

/* Without the store, and those that a limiter had no place for. */
static uint64_t degraded_count(const struct sim_world *world)
{
    return world->watch.degradation.admitted + world->watch.degradation.denied +
           sim_world_undecided_count(world);
}

static json_t *body_json(const struct sim_result *result, const struct sim_world *world,
                         enum sim_kernel_kind kind)
{
    const struct sim_scenario *scenario = world->scenario;
    const struct sim_metrics *metrics = &world->metrics;
    const uint64_t answered = metrics->admitted + metrics->denied;
    char hash[17];
    json_t *json = json_object();

    snprintf(hash, sizeof hash, "%016" PRIx64,
             sim_trace_hash_value(&world->trace, world->trace.second_count - 1));
    json_object_set_new(json, "scenario", json_string(scenario->name));
    json_object_set_new(json, "seed", integer(scenario->seed));
    json_object_set_new(json, "kernel", json_string(sim_kernel_name(kind)));
    json_object_set_new(json, "trace_hash", json_string(hash));
    json_object_set_new(json, "verdict", json_string("pass"));
    json_object_set_new(json, "duration_s", json_real((double)scenario->duration_ns / 1e9));
    json_object_set_new(json, "decisions",
                        json_pack("{s:o, s:o, s:o, s:o}", "total", integer(metrics->requests),
                                  "admitted", integer(metrics->admitted), "denied",
                                  integer(metrics->denied), "degraded",
                                  integer(degraded_count(world))));
    json_object_set_new(json, "units",
                        json_pack("{s:o, s:o, s:o}", "demand", integer(result->all.demand_units),
                                  "admitted", integer(result->all.admitted_units), "oracle",
                                  integer(result->all.oracle_units)));
    json_t *accuracy = accuracy_json(&result->all);
    json_object_set_new(accuracy, "same_arrivals",
                        same_arrivals_json(world->reacts ? &world->same_arrivals : &result->all));
    json_object_set_new(json, "accuracy", accuracy);
    json_object_set_new(json, "populations", populations_json(result, world));
    json_object_set_new(json, "store", store_json(world));
    sim_result_add_counters(json, world);
    json_object_set_new(json, "latency_us", latencies_json(metrics));
    json_object_set_new(
        json, "availability",
        json_pack("{s:f, s:f}", "answered_pct",
                  percent(answered, metrics->requests - metrics->killed), "within_5ms_pct",
                  percent(metrics->answered_within_5ms, metrics->requests - metrics->killed)));
    json_object_set_new(json, "clients", sim_result_clients(world));
    json_object_set_new(json, "remaining", sim_result_remaining(world));
    json_object_set_new(json, "fairness", sim_result_fairness(world));
    json_object_set_new(json, "ledger", sim_ledger_json(&result->ledger));
    json_object_set_new(json, "billing",
                        sim_result_billing(&result->aftermath, world, result->all.charged_units));
    json_object_set_new(json, "config", config_json(&result->config));
    sim_result_add_faults(json, &result->aftermath, world);
    return json;
}

/* A run that did not recover, or failed, has shown something; one whose faults did nothing has not.
 */
static enum sim_verdict verdict_of(const struct sim_result *result, const struct sim_world *world,
                                   bool met)
{
    if (world->metrics.requests == 0) {
        return SIM_VERDICT_INCONCLUSIVE;
    }
    if (!met || result->aftermath.liveness.recovery == SIM_RECOVERY_FAILED) {
        return SIM_VERDICT_FAIL;
    }
    return sim_aftermath_is_inconclusive(&result->aftermath) ? SIM_VERDICT_INCONCLUSIVE
                                                             : SIM_VERDICT_PASS;
}

void sim_result_make(struct sim_result *result, const struct sim_world *world,
                     enum sim_kernel_kind kind)
{
    const struct sim_scenario *scenario = world->scenario;

    *result = (struct sim_result){.config = config_of(world)};
    result->by_population =
        sim_memory_new(scenario->population_count, sizeof(struct sim_judgement));
    sim_judgement_make(&result->all, &world->accuracy, SIM_EVERY_POPULATION);
    for (uint32_t i = 0; i < scenario->population_count; i++) {
        sim_judgement_make(&result->by_population[i], &world->accuracy, i);
    }
    sim_ledger_make(&result->ledger, world, &result->all);
    sim_aftermath_make(&result->aftermath, world, &result->ledger);
    result->all.cause_units[SIM_CAUSE_UNEXPLAINED] += sim_ledger_unexplained_units(&result->ledger);
    result->json = body_json(result, world, kind);
    const bool met = check_expectations(scenario, result->json);
    result->verdict = verdict_of(result, world, met);
    json_object_set_new(result->json, "verdict", json_string(sim_verdict_name(result->verdict)));
    json_object_set_new(result->json, "trace_ladder", ladder_json(&world->trace));
}

void sim_result_free(struct sim_result *result)
{
    json_decref(result->json);
    sim_aftermath_free(&result->aftermath);
    free(result->by_population);
    *result = (struct sim_result){0};
}
