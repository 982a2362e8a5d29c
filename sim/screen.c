#include "screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static bool has_colour(FILE *file)
{
    return isatty(fileno(file)) && getenv("NO_COLOR") == NULL;
}

/* 1234567 -> "1,234,567"; the text is in one of a few turns of static space, so that one call can
 * show several. */
static const char *grouped(uint64_t value)
{
    static char texts[8][32];
    static unsigned turn;
    char plain[24];
    char *text = texts[turn++ % 8];
    size_t out = 0;
    const size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRIu64, value);

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[out++] = ',';
        }
        text[out++] = plain[i];
    }
    text[out] = '\0';
    return text;
}

/* Small limits are judged in units: one unit of 100 is a per cent, and the least there is. */
static bool has_percentages(const struct sim_world *world)
{
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        if (world->catalog.plans[world->catalog.keys[key].plan].limit_units >=
            SIM_PERCENT_LIMIT_MIN) {
            return true;
        }
    }
    return false;
}

static void print_verdict(FILE *file, const struct sim_result *result,
                          const struct sim_world *world)
{
    static const char *const colours[] = {"\033[1;32m", "\033[1;31m", "\033[1;33m"};
    static const char *const words[] = {"PASS", "FAIL", "INCONCLUSIVE"};
    const bool colour = has_colour(file);
    const struct sim_judgement *all = &result->all;

    fprintf(file, "%s%s%s  ", colour ? colours[result->verdict] : "", words[result->verdict],
            colour ? "\033[0m" : "");
    if (world->metrics.requests == 0) {
        fprintf(file, "no request was made\n");
        return;
    }
    if (has_percentages(world)) {
        fprintf(file, "over by at most %.3f %%, under by at most %.3f %% of a limit\n",
                all->over_pct.max, all->under_pct.max);
    } else {
        fprintf(file, "over by at most %s, under by at most %s units\n",
                grouped(all->over_units_max), grouped(all->under_units_max));
    }
    if (all->contract_over_units_max == 0) {
        fprintf(file, "contract held in every interval of any length\n");
    } else {
        fprintf(file, "contract exceeded by up to %s units (%.3f %%)\n",
                grouped(all->contract_over_units_max), all->contract_over_pct_max);
    }
}

static void print_worst(FILE *file, const struct sim_result *result, const struct sim_world *world)
{
    const struct sim_worst *worst = &result->all.worst;
    char name[SIM_NAME_SIZE + 16];

    if (worst->percent <= 0) {
        return;
    }
    sim_catalog_name(&world->catalog, worst->key, name, sizeof name);
    const double end_s =
        (double)sim_accuracy_interval_end_ns(&world->accuracy, worst->key, worst->interval) / 1e9;
    const uint64_t units =
        (uint64_t)(worst->delta_units < 0 ? -worst->delta_units : worst->delta_units);
    fprintf(file, "worst %s, interval up to %.0f s: %s unit%s too %s (%.3f %%), mostly %s\n", name,
            end_s, grouped(units), units == 1 ? "" : "s", worst->delta_units < 0 ? "many" : "few",
            worst->percent, sim_cause_names[worst->cause]);
}

static void print_populations(FILE *file, const struct sim_result *result,
                              const struct sim_world *world)
{
    const struct sim_scenario *scenario = world->scenario;

    fprintf(file, "\n%-12s %-6s %5s %9s %6s %10s %10s %7s %7s\n", "keys", "kind", "count", "limit",
            "demand", "admitted", "ideal", "over %", "under %");
    for (size_t i = 0; i < scenario->population_count; i++) {
        const struct sim_population *population = &scenario->populations[i];
        const struct weir_plan *plan = &world->catalog.plans[population->plan];
        const struct sim_judgement *judgement = &result->by_population[i];
        const bool in_percent = plan->limit_units >= SIM_PERCENT_LIMIT_MIN;
        const double span_s =
            plan->algorithm == WEIR_ALGORITHM_WINDOW ? (double)plan->window_us / 1e6 : 60;
        const double offered = (double)plan->limit_units * (double)population->key_count *
                               (double)scenario->duration_ns / 1e9 / span_s;
        fprintf(file, "%-12.12s %-6s %5u %9s %5.2fx %10s %10s ", population->name,
                plan->algorithm == WEIR_ALGORITHM_WINDOW ? "window" : "bucket",
                population->key_count, grouped(plan->limit_units),
                offered > 0 ? (double)judgement->demand_units / offered : 0,
                grouped(judgement->admitted_units), grouped(judgement->oracle_units));
        if (in_percent) {
            fprintf(file, "%7.3f %7.3f\n", judgement->over_pct.max, judgement->under_pct.max);
        } else {
            fprintf(file, "%5s u %5s u\n", grouped(judgement->over_units_max),
                    grouped(judgement->under_units_max));
        }
    }
}

static void print_costs(FILE *file, const struct sim_result *result, const struct sim_world *world)
{
    const struct sim_metrics *metrics = &world->metrics;
    const struct sim_latency *latency = &metrics->all;
    const double seconds = (double)world->scenario->duration_ns / 1e9;

    fprintf(file,
            "\nstore    %s asks: %.1f/s on average\n"
            "         %s in the busiest second, %s in the busiest 10 ms\n",
            grouped(metrics->asks), (double)metrics->asks / seconds,
            grouped(sim_metrics_asks_max_1s(metrics)), grouped(sim_metrics_asks_max_10ms(metrics)));
    fprintf(file, "         %.1f requests per ask; %s key-process pairs met\n",
            metrics->asks == 0 ? 0 : (double)metrics->requests / (double)metrics->asks,
            grouped(metrics->pairs));
    fprintf(file,
            "latency  added to admitted requests:\n"
            "         p50 %.0f us, p99 %.0f us, p99.9 %.0f us, max %.0f us\n",
            (double)sim_latency_percentile_ns(latency, 500000) / 1e3,
            (double)sim_latency_percentile_ns(latency, 990000) / 1e3,
            (double)sim_latency_percentile_ns(latency, 999000) / 1e3,
            (double)latency->max_ns / 1e3);
    fprintf(file, "         %.2f %% of them waited for the store\n",
            latency->count == 0 ? 0 : 100.0 * (double)latency->waited / (double)latency->count);
    fprintf(file, "billing  %s units spent, %s reported\n", grouped(result->all.admitted_units),
            grouped(sim_world_reported_units(world)));
}

static void print_expectations(FILE *file, const struct sim_result *result)
{
    const json_t *list = json_object_get(result->json, "expectations");
    size_t index;
    const json_t *entry;

    if (json_array_size(list) == 0) {
        return;
    }
    fprintf(file, "\n%-6s %-36s %12s  %s\n", "expect", "path", "measured", "allowed");
    json_array_foreach(list, index, entry)
    {
        const json_t *bound = json_object_get(entry, "bound");
        const json_t *least = json_object_get(bound, "min");
        const json_t *most = json_object_get(bound, "max");
        const json_t *value = json_object_get(entry, "value");
        char measured[32] = "none";
        if (json_is_number(value)) {
            snprintf(measured, sizeof measured, "%.10g", json_number_value(value));
        }
        fprintf(file, "%-6s %-36s %12s ",
                json_is_true(json_object_get(entry, "pass")) ? "ok" : "MISS",
                json_string_value(json_object_get(entry, "path")), measured);
        if (least != NULL) {
            fprintf(file, " >= %.10g", json_number_value(least));
        }
        if (most != NULL) {
            fprintf(file, " <= %.10g", json_number_value(most));
        }
        const char *target = json_string_value(json_object_get(entry, "target"));
        fprintf(file, "%s%s\n", *target != '\0' ? "  target " : "", target);
    }
}

void sim_screen_print(FILE *file, const struct sim_result *result, const struct sim_world *world,
                      enum sim_kernel_kind kind, double wall_s)
{
    const struct sim_scenario *scenario = world->scenario;
    const double simulated_s = (double)scenario->duration_ns / 1e9;

    fprintf(file, "%s: seed %" PRIu64 ", %u processes, %s decisions in %.0f s, %s kernel\n",
            scenario->name, scenario->seed, scenario->process_count,
            grouped(world->metrics.requests), simulated_s,
            kind == SIM_KERNEL_SIMGRID ? "simgrid" : "heap");
    fprintf(file, "%.1f s of wall time: %.0f x real time, %.2f M decisions/s\n\n", wall_s,
            simulated_s / wall_s, (double)world->metrics.requests / wall_s / 1e6);
    print_verdict(file, result, world);
    print_worst(file, result, world);
    print_populations(file, result, world);
    print_costs(file, result, world);
    print_expectations(file, result);
}
