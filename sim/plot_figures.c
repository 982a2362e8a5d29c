#include "plot_figures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "plot_faults.h"
#include "plot_findings.h"
#include "plot_script.h"
#include "readable.h"

#define NS_PER_S UINT64_C(1000000000)
#define BIN_COUNT_MAX 400    /* of a picture's width */
#define BAR_COUNT_MAX 60     /* bars that can be told apart */
#define POINT_COUNT_MAX 3000 /* more are put on a grid */
#define GRID_COLUMNS 200
#define GRID_ROWS 120

/* Each returns NULL, or why there is nothing to show. */
static const char *timeline(FILE *script, const struct sim_plot_data *data)
{
    const struct sim_accuracy *accuracy = &data->world->accuracy;
    const uint32_t count = sim_plot_second_count(data->world);
    const uint32_t width = (count + BIN_COUNT_MAX - 1) / BIN_COUNT_MAX;
    const double duration_s = (double)accuracy->duration_ns / 1e9;
    double last[3] = {0, 0, 0};
    double top = 0;

    if (accuracy->second_count == 0) {
        return "seconds are not kept of so many keys";
    }
    double *limits = sim_plot_new_limits(data->world, count);
    fprintf(script, "$data << EOD\n");
    for (uint32_t s = 0; s < count; s += width) {
        const double end_s = s + width < duration_s ? s + width : duration_s;
        last[0] = last[1] = last[2] = 0;
        for (uint32_t i = s; i < s + width && i < count; i++) {
            last[0] += (double)accuracy->admitted_totals[i] / (end_s - s);
            last[1] += (double)accuracy->oracle_totals[i] / (end_s - s);
            last[2] = limits[i] > last[2] ? limits[i] : last[2];
        }
        for (int i = 0; i < 3; i++) {
            top = last[i] > top ? last[i] : top;
        }
        fprintf(script, "%" PRIu32 "\t%.6g\t%.6g\t%.6g\n", s, last[0], last[1], last[2]);
    }
    fprintf(script, "%.9g\t%.6g\t%.6g\t%.6g\nEOD\n", duration_s, last[0], last[1], last[2]);
    fprintf(script, "$limit << EOD\n");
    for (uint32_t s = 0; s < count; s++) {
        /* sums of what changes; a billionth is no change */
        if (s == 0 || limits[s] > limits[s - 1] * (1 + 1e-9) ||
            limits[s] < limits[s - 1] * (1 - 1e-9)) {
            fprintf(script, "%" PRIu32 "\t%.6g\n", s, limits[s]);
        }
    }
    fprintf(script, "%.9g\t%.6g\nEOD\n", duration_s, limits[count - 1]);
    sim_plot_script_number(script, "top", top > 0 ? top : 1);
    free(limits);
    return NULL;
}

/* As many points as can be told apart: one for each place of a grid that has any. */
static void print_points(FILE *script, const struct sim_plot_data *data, double reach)
{
    const double duration_s = (double)data->world->scenario->duration_ns / 1e9;
    uint8_t *taken = data->point_count > POINT_COUNT_MAX
                         ? sim_memory_new(GRID_COLUMNS * (size_t)GRID_ROWS, 1)
                         : NULL;

    fprintf(script, "$data << EOD\n");
    for (size_t i = 0; i < data->point_count; i++) {
        const struct sim_plot_point *point = &data->points[i];
        if (taken != NULL) {
            const size_t column = (size_t)(point->end_s / duration_s * (GRID_COLUMNS - 1));
            const size_t row = (size_t)((point->error / reach + 1) / 2 * (GRID_ROWS - 1) + 0.5);
            if (taken[row * GRID_COLUMNS + column]) {
                continue;
            }
            taken[row * GRID_COLUMNS + column] = 1;
        }
        fprintf(script, "%.6g\t%.6g\n", point->end_s, point->error);
    }
    fprintf(script, "EOD\n");
    free(taken);
}

static const char *error(FILE *script, const struct sim_plot_data *data)
{
    double reach = 1.2;

    for (size_t i = 0; i < data->point_count; i++) {
        const double size =
            data->points[i].error < 0 ? -data->points[i].error : data->points[i].error;
        reach = 1.1 * size > reach ? 1.1 * size : reach;
    }
    print_points(script, data, reach);
    sim_plot_script_number(script, "reach", reach);
    sim_plot_script_text(script, "error_label",
                         data->in_percent ? "error, % of the limit" : "error, units");
    sim_plot_script_text(script, "budget_label",
                         data->in_percent ? "budget: ±1 %" : "budget: ±1 unit");
    return data->point_count == 0 ? "no key has a limit of 1,000 units or more and demand" : NULL;
}

static const char *asks(FILE *script, const struct sim_plot_data *data)
{
    const struct sim_world *world = data->world;
    const uint32_t count = sim_plot_second_count(world);
    const uint32_t width = (count + BIN_COUNT_MAX - 1) / BIN_COUNT_MAX;
    const double duration_s = (double)world->scenario->duration_ns / 1e9;
    const double capacity =
        1e9 / (double)world->scenario->service_ns * world->scenario->shard_count;
    const double mean = (double)world->metrics.asks / duration_s;
    uint64_t busiest = 0;
    uint32_t busiest_s = 0;
    double last[2] = {0, 0};

    fprintf(script, "$data << EOD\n");
    for (uint32_t s = 0; s < count; s += width) {
        const double end_s = s + width < duration_s ? s + width : duration_s;
        last[0] = last[1] = 0;
        for (uint32_t i = s; i < s + width && i < count; i++) {
            const uint64_t sent = sim_metrics_asks_in_second(&world->metrics, i);
            last[0] += (double)sent / (end_s - s);
            last[1] = (double)sent > last[1] ? (double)sent : last[1];
            busiest_s = sent > busiest ? i : busiest_s;
            busiest = sent > busiest ? sent : busiest;
        }
        fprintf(script, "%" PRIu32 "\t%.6g\t%.6g\n", s, last[0], last[1]);
    }
    fprintf(script, "%.9g\t%.6g\t%.6g\nEOD\n", duration_s, last[0], last[1]);
    sim_plot_script_number(script, "mean", mean);
    sim_plot_script_text(script, "mean_text", sim_readable_count((uint64_t)(mean + 0.5)).text);
    sim_plot_script_number(script, "busiest", (double)busiest);
    sim_plot_script_text(script, "busiest_text", sim_readable_count(busiest).text);
    sim_plot_script_number(script, "busiest_s", busiest_s);
    sim_plot_script_number(script, "bin_s", width);
    sim_plot_script_number(script, "capacity", capacity);
    sim_plot_script_text(script, "capacity_text", sim_readable_count((uint64_t)capacity).text);
    return world->metrics.asks == 0 ? "the store was not asked" : NULL;
}

/* What part of the requests waited longer, down a staircase, to `floor` where none did. */
static void print_longer(FILE *script, const char *name, const struct sim_latency *latency,
                         double left_us, double floor)
{
    uint64_t longer = latency->count;

    fprintf(script, "$%s << EOD\n", name);
    if (latency->waited > 0) {
        fprintf(script, "%.9g\t%.9g\n", left_us, (double)latency->waited / (double)latency->count);
    }
    for (unsigned i = 0; i < SIM_LATENCY_BUCKETS; i++) {
        const uint64_t top_ns = sim_latency_bucket_ns(i);
        longer -= latency->counts[i];
        if (latency->counts[i] > 0 && top_ns > 0) {
            fprintf(script, "%.9g\t%.9g\n",
                    (double)(top_ns < latency->max_ns ? top_ns : latency->max_ns) / 1e3,
                    longer > 0 ? (double)longer / (double)latency->count : floor);
        }
    }
    fprintf(script, "EOD\n");
}

static const char *latency(FILE *script, const struct sim_plot_data *data)
{
    static const uint32_t parts_ppm[] = {500000, 990000, 999000};
    static const char *const names[] = {"p50", "p99", "p99.9"};
    const struct sim_metrics *metrics = &data->world->metrics;
    const struct sim_latency *all = &metrics->all;
    const double round_trip_us = (double)data->world->scenario->round_trip_ns / 1e3;
    double left_us = 1e12;
    double floor = 1;

    if (all->waited == 0) {
        return all->count == 0 ? "no request was admitted" : "no admitted request waited";
    }
    for (unsigned i = SIM_LATENCY_BUCKETS; i-- > 1;) {
        left_us = all->counts[i] > 0 ? (double)sim_latency_bucket_ns(i) / 1e3 : left_us;
    }
    left_us = left_us < round_trip_us ? left_us : round_trip_us;
    while (floor * (double)all->count > 0.5 && floor > 1.5e-6) {
        floor /= 10;
    }
    left_us /= 2;
    print_longer(script, "all", all, left_us, floor / 10);
    print_longer(script, "first", &metrics->first_touches, left_us, floor / 10);
    fprintf(script, "$marks << EOD\n");
    for (int i = 0; i < 3; i++) {
        const uint64_t value_ns = sim_latency_percentile_ns(all, parts_ppm[i]);
        if (value_ns > 0) {
            fprintf(script, "%.9g\t%.9g\t%s: %s\n", (double)value_ns / 1e3,
                    (1e6 - parts_ppm[i]) / 1e6, names[i], sim_readable_time(value_ns).text);
        }
    }
    fprintf(script, "EOD\n");
    /* far below a round trip the curves are flat */
    sim_plot_script_number(script, "left_us",
                           left_us > round_trip_us / 20 ? left_us : round_trip_us / 20);
    sim_plot_script_number(script, "max_us", (double)all->max_ns / 1e3);
    sim_plot_script_number(script, "floor_share", floor);
    sim_plot_script_number(script, "has_first_touches", metrics->first_touches.waited > 0);
    sim_plot_script_number(script, "round_trip_us", round_trip_us);
    return NULL;
}

static const char *processes(FILE *script, const struct sim_plot_data *data)
{
    const struct sim_world *world = data->world;
    const uint32_t count = world->scenario->process_count;
    uint64_t demand = 0;
    uint64_t admitted = 0;
    double top = 100.0 / count;

    for (uint32_t i = 0; i < count; i++) {
        demand += world->processes[i].demand_units;
        admitted += world->processes[i].admitted_units;
    }
    fprintf(script, "$data << EOD\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_process *process = &world->processes[i];
        const double demand_pct =
            demand > 0 ? 100.0 * (double)process->demand_units / (double)demand : 0;
        const double admitted_pct =
            admitted > 0 ? 100.0 * (double)process->admitted_units / (double)admitted : 0;
        top = demand_pct > top ? demand_pct : top;
        top = admitted_pct > top ? admitted_pct : top;
        fprintf(script, "%" PRIu32 "\t%.6g\t%.6g\n", i, demand_pct, admitted_pct);
    }
    fprintf(script, "EOD\n");
    sim_plot_script_number(script, "process_count", count);
    sim_plot_script_number(script, "even_pct", 100.0 / count);
    sim_plot_script_number(script, "top", top);
    return demand == 0 ? "no request was made" : NULL;
}

/* Stacked bars of one cause: over upwards, under downwards, on what the causes before it took. */
static void print_cause(FILE *script, const struct sim_plot_data *data, uint32_t width, int cause)
{
    const double duration_s = (double)data->world->scenario->duration_ns / 1e9;

    for (uint32_t m = 0; m < data->minute_count; m += width) {
        const double end_s = 60.0 * (m + width) < duration_s ? 60.0 * (m + width) : duration_s;
        double base[2] = {0, 0};
        double units[2] = {0, 0};
        for (uint32_t i = m; i < m + width && i < data->minute_count; i++) {
            for (int c = 0; c < cause; c++) {
                base[0] += (double)data->minutes[i].over_units[c];
                base[1] -= (double)data->minutes[i].under_units[c];
            }
            units[0] += (double)data->minutes[i].over_units[cause];
            units[1] -= (double)data->minutes[i].under_units[cause];
        }
        for (int side = 0; side < 2; side++) {
            fprintf(script, "%.9g\t%.9g\t%.9g\t%.9g\n", 60.0 * m, end_s, base[side],
                    base[side] + units[side]);
        }
    }
}

static const char *causes(FILE *script, const struct sim_plot_data *data)
{
    const uint32_t width = (data->minute_count + BAR_COUNT_MAX - 1) / BAR_COUNT_MAX;
    const uint64_t *units = data->result->all.cause_units;
    const uint32_t second_count = sim_plot_second_count(data->world);
    uint64_t total = 0;
    char list[100] = "";
    char label[60];

    fprintf(script, "$data << EOD\n");
    for (int cause = 0; cause < SIM_CAUSE_COUNT; cause++) {
        if (units[cause] > 0) {
            print_cause(script, data, width, cause);
            fprintf(script, "\n\n");
            strcat(strcat(list, list[0] == '\0' ? "" : " "), sim_cause_names[cause]);
        }
        total += units[cause];
    }
    fprintf(script, "EOD\n");
    double *limits = sim_plot_new_limits(data->world, second_count);
    double limit_units = 0;
    for (uint32_t s = 0; s < second_count; s++) {
        limit_units += limits[s] / second_count * 60 * width;
    }
    free(limits);
    snprintf(label, sizeof label, width == 1 ? "units per minute" : "units per %" PRIu32 " minutes",
             width);
    sim_plot_script_text(script, "causes", list);
    sim_plot_script_text(script, "units_label", label);
    sim_plot_script_number(script, "budget", limit_units / 100);
    sim_plot_script_text(script, "budget_text",
                         sim_readable_count((uint64_t)(limit_units / 100 + 0.5)).text);
    return total == 0 ? "no error: every interval admitted what the ideal did" : NULL;
}

static const char *worst_keys(FILE *script, const struct sim_plot_data *data)
{
    bool seen[SIM_CAUSE_COUNT] = {false};
    char list[100] = "";
    double top = 1; /* the budget */

    fprintf(script, "$data << EOD\n");
    for (uint32_t i = 0; i < data->worst_count; i++) {
        const struct sim_plot_worst *worst = &data->worst[i];
        const struct sim_explanation *explanation = &worst->explanation;
        const uint64_t units = explanation->over_units + explanation->under_units;
        const double length = data->in_percent ? worst->percent : (double)units;
        char name[SIM_NAME_SIZE + 16];
        char cut[100];
        sim_catalog_name(&data->world->catalog, worst->key, name, sizeof name);
        sim_readable_cut(cut, sizeof cut, name, 18);
        fprintf(script, "%" PRIu32 "\t%.9g\t%s\t", i, length, sim_cause_names[explanation->cause]);
        seen[explanation->cause] = true;
        sim_plot_script_cell(script, cut);
        fprintf(script, ", up to %s: %s too %s, %s\n",
                sim_readable_time(sim_plot_end_ns(data->world, worst->key, worst->interval)).text,
                data->in_percent ? sim_readable_percent(worst->percent).text
                                 : sim_readable_units(units).text,
                explanation->over_units > 0 ? data->in_percent ? "much" : "many"
                : data->in_percent          ? "little"
                                            : "few",
                sim_cause_names[explanation->cause]);
        top = length > top ? length : top;
    }
    fprintf(script, "EOD\n");
    for (int cause = 0; cause < SIM_CAUSE_COUNT; cause++) {
        if (seen[cause]) {
            strcat(strcat(list, list[0] == '\0' ? "" : " "), sim_cause_names[cause]);
        }
    }
    sim_plot_script_text(script, "causes", list);
    sim_plot_script_number(script, "top", top);
    sim_plot_script_text(script, "error_label",
                         data->in_percent ? "error, % of the limit" : "error, units");
    sim_plot_script_text(script, "budget_label",
                         data->in_percent ? "budget: 1 %" : "budget: 1 unit");
    return data->worst_count == 0 ? "no interval admitted more or less than the ideal" : NULL;
}

struct figure {
    const char *name;
    const char *(*print)(FILE *script, const struct sim_plot_data *data);
    void (*find)(char *text, size_t size, const struct sim_plot_data *data);
};

static const struct figure figures[SIM_PLOT_FIGURE_COUNT] = {
    {"timeline", timeline, sim_plot_find_timeline},
    {"error", error, sim_plot_find_error},
    {"asks", asks, sim_plot_find_asks},
    {"latency", latency, sim_plot_find_latency},
    {"processes", processes, sim_plot_find_processes},
    {"causes", causes, sim_plot_find_causes},
    {"worst-keys", worst_keys, sim_plot_find_worst_keys},
    {"degraded", sim_plot_degraded, sim_plot_find_degraded},
    {"outage", sim_plot_outage, sim_plot_find_outage},
};

const char *sim_plot_figure_name(unsigned figure)
{
    return figures[figure].name;
}

bool sim_plot_figure_is_due(unsigned figure, const struct sim_plot_data *data)
{
    const bool is_outage = figures[figure].print == sim_plot_outage;
    const bool is_degraded = figures[figure].print == sim_plot_degraded;

    return (!is_outage || data->world->watch.outages.count > 0) &&
           (!is_degraded || data->world->scenario->faults.count > 0);
}

/* Which policy made the decisions: pictures of one policy have one colour. */
static const char *policy_of(const struct sim_scenario *scenario)
{
    static const char *const sizers[] = {"lease_tapered", "lease_fixed", "lease_rate",
                                         "lease_doubling"};

    return scenario->coordination == SIM_COORDINATION_LEASE
               ? sizers[scenario->sizer]
               : sim_coordination_names[scenario->coordination];
}

static void print_common(FILE *script, const char *name, const char *kind,
                         const struct sim_world *world)
{
    const struct sim_scenario *scenario = world->scenario;
    const double duration_s = (double)scenario->duration_ns / 1e9;
    const double scale = duration_s <= 600 ? 1 : duration_s <= 4 * 3600 ? 60 : 3600;
    char cut[100];
    char subtitle[240];

    sim_readable_cut(cut, sizeof cut, scenario->name, 30);
    snprintf(subtitle, sizeof subtitle, "%s, seed %" PRIu64 ", %" PRIu32 " process%s, %s", cut,
             scenario->seed, scenario->process_count, scenario->process_count == 1 ? "" : "es",
             sim_readable_duration(scenario->duration_ns).text);
    sim_plot_script_text(script, "figure", name);
    sim_plot_script_text(script, "kind", kind);
    sim_plot_script_text(script, "subtitle", subtitle);
    sim_plot_script_text(script, "policy", policy_of(scenario));
    sim_plot_script_number(script, "duration", duration_s / scale);
    sim_plot_script_number(script, "time_scale", scale);
    sim_plot_script_text(script, "time_unit", scale < 2 ? "s" : scale < 100 ? "min" : "h");
    sim_plot_faults_shade(script, world);
}

void sim_plot_print_figure(FILE *script, unsigned figure, const char *kind,
                           const struct sim_plot_data *data)
{
    char finding[300];

    print_common(script, figures[figure].name, kind, data->world);
    figures[figure].find(finding, sizeof finding, data);
    sim_plot_script_title(script, "finding", finding);
    const char *nothing = data->world->metrics.requests == 0 ? "no request was made"
                                                             : figures[figure].print(script, data);
    sim_plot_script_text(script, "nothing", nothing == NULL ? "" : nothing);
    sim_plot_script_load(script, nothing == NULL ? figures[figure].name : NULL);
}
