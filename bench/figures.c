#include "figures.h"

#include <math.h>
#include <stdio.h>

#include "ledger.h"
#include "world.h"

const struct table_figure_words table_figure_words[TABLE_FIGURE_COUNT] = {
    [TABLE_OVER_PCT] = {"over", "over_pct", " %", 3},
    [TABLE_UNDER_PCT] = {"under", "under_pct", " %", 3},
    [TABLE_OVER_FIRST_PCT] = {"over, first saturation", "over_first_pct", " %", 3},
    [TABLE_UNDER_FIRST_PCT] = {"under, first saturation", "under_first_pct", " %", 3},
    [TABLE_OVER_UNITS] = {"over, units", "over_units", "", 0},
    [TABLE_UNDER_UNITS] = {"under, units", "under_units", "", 0},
    [TABLE_REQUESTS_PER_ASK] = {"requests per ask", "requests_per_ask", "", 1},
    [TABLE_WAITED_PCT] = {"admitted that waited", "waited_pct", " %", 2},
    [TABLE_P99_US] = {"added, p99", "p99_us", " us", 0},
    [TABLE_CONTRACT_UNITS] = {"above the contract, units", "contract_units", "", 0},
    [TABLE_UNEXPLAINED_UNITS] = {"error without a cause, units", "unexplained_units", "", 0},
    [TABLE_MISSING_UNITS] = {"missing in the ledger, units", "missing_units", "", 0},
    [TABLE_UNBILLED_UNITS] = {"spent, not reported, units", "unbilled_units", "", 0},
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Over and under of every interval of the only key, that of first saturation apart. */
static void measure_intervals(struct table_figures *figures, const struct sim_world *world)
{
    const struct sim_accuracy *accuracy = &world->accuracy;
    const struct sim_key_accuracy *key = &accuracy->keys[0];
    const double limit = (double)world->catalog.plans[world->catalog.keys[0].plan].limit_units;
    double *values = figures->values;

    figures->first_interval = -1;
    for (uint32_t i = 0; i < key->cell_count; i++) {
        const struct sim_cell *cell = &accuracy->cells[key->first_cell + i];
        uint64_t over;
        uint64_t under;
        sim_judgement_interval(accuracy, 0, i, &over, &under);
        const double over_pct = 100.0 * (double)over / limit;
        const double under_pct = 100.0 * (double)under / limit;
        if (figures->first_interval < 0 && cell->oracle_units < cell->demand_units) {
            figures->first_interval = (int)i;
            values[TABLE_OVER_FIRST_PCT] = over_pct;
            values[TABLE_UNDER_FIRST_PCT] = under_pct;
        } else {
            values[TABLE_OVER_PCT] = larger(values[TABLE_OVER_PCT], over_pct);
            values[TABLE_UNDER_PCT] = larger(values[TABLE_UNDER_PCT], under_pct);
        }
    }
}

static void measure_accuracy(struct table_figures *figures, const struct table_cell *cell,
                             const struct sim_world *world)
{
    const bool is_leased = world->scenario->coordination == SIM_COORDINATION_LEASE;
    const double excess = ((double)cell->demand_ppm - 1e6) / (double)cell->demand_ppm;
    double *values = figures->values;
    struct sim_judgement all;

    sim_judgement_make(&all, &world->accuracy, SIM_EVERY_POPULATION);
    values[TABLE_OVER_UNITS] = (double)all.over_units_max;
    values[TABLE_UNDER_UNITS] = (double)all.under_units_max;
    values[TABLE_CONTRACT_UNITS] = (double)all.contract_over_units_max;
    values[TABLE_UNEXPLAINED_UNITS] = (double)all.cause_units[SIM_CAUSE_UNEXPLAINED];
    if (is_leased) {
        struct sim_ledger ledger;
        sim_ledger_make(&ledger, world, &all);
        values[TABLE_MISSING_UNITS] = fabs((double)ledger.missing_units);
    }
    values[TABLE_UNBILLED_UNITS] =
        fabs((double)sim_world_reported_units(world) - (double)all.admitted_units);
    figures->demand_units = all.demand_units;
    figures->oracle_units = all.oracle_units;
    figures->admitted_units = all.admitted_units;
    figures->is_inconclusive = excess > 0 && (double)(all.demand_units - all.oracle_units) <
                                                 0.5 * excess * (double)all.demand_units;
    figures->worst_interval = all.worst.interval;
    figures->worst_cause = all.worst.percent > 0 ? all.worst.cause : SIM_CAUSE_COUNT;
    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        figures->cause_units[i] = all.cause_units[i];
    }
}

static void measure_costs(struct table_figures *figures, const struct sim_world *world)
{
    const struct sim_metrics *metrics = &world->metrics;
    const struct sim_latency *latency = NULL;
    double *values = figures->values;

    figures->request_count = metrics->requests;
    figures->ask_count = metrics->asks;
    if (metrics->asks > 0) {
        values[TABLE_REQUESTS_PER_ASK] = (double)metrics->requests / (double)metrics->asks;
    }
    for (int i = 0; i < SIM_LIMIT_CLASSES; i++) { /* one key: one class has them all */
        if (metrics->by_class[i].count > 0) {
            latency = &metrics->by_class[i];
        }
    }
    if (latency != NULL) {
        values[TABLE_WAITED_PCT] = 100.0 * (double)latency->waited / (double)latency->count;
        values[TABLE_P99_US] = (double)sim_latency_percentile_ns(latency, 990000) / 1000;
    }
}

void table_figures_measure(struct table_figures *figures, const struct table_cell *cell,
                           enum table_subject subject)
{
    struct table_sets sets;
    struct sim_scenario scenario;
    struct sim_error error;
    struct sim_world world;

    *figures = (struct table_figures){0};
    table_cell_sets(cell, subject, &sets);
    if (!sim_scenario_load(&scenario, TABLE_CELL_JSON, sets.pointers, sets.count, &error)) {
        snprintf(figures->error, sizeof figures->error, "%.399s", error.text);
        return;
    }
    if (sim_world_init(&world, &scenario, SIM_KERNEL_HEAP, figures->error, sizeof figures->error)) {
        if (sim_world_run(&world)) {
            measure_intervals(figures, &world);
            measure_accuracy(figures, cell, &world);
            measure_costs(figures, &world);
        } else {
            snprintf(figures->error, sizeof figures->error, "the heap kernel failed");
        }
        sim_world_deinit(&world);
    }
    sim_scenario_free(&scenario);
}

const char *table_figures_cause(const struct table_figures *figures)
{
    return figures->worst_cause == SIM_CAUSE_COUNT ? "none" : sim_cause_names[figures->worst_cause];
}

void table_figure_text(enum table_figure figure, double value, char *text, size_t text_size)
{
    const struct table_figure_words *words = &table_figure_words[figure];

    snprintf(text, text_size, "%.*f%s", words->digits, value, words->unit);
}
