#include "plot_tables.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const names[SIM_PLOT_TABLE_COUNT] = {
    "timeline.csv", "intervals.csv", "latency.csv", "processes.csv", "causes.csv", "worst_keys.csv",
};

const char *sim_plot_table_name(unsigned table)
{
    return names[table];
}

/* A field that holds a separator or a quote is quoted. */
static void print_key(FILE *file, const struct sim_world *world, uint32_t key)
{
    char name[SIM_NAME_SIZE + 16];

    sim_catalog_name(&world->catalog, key, name, sizeof name);
    const char *at = name;
    while (*at != '\0' && *at != ',' && *at != '"' && (unsigned char)*at >= ' ') {
        at++;
    }
    if (*at == '\0') {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (at = name; *at != '\0'; at++) {
        if (*at == '"') {
            fputc('"', file);
        }
        fputc(*at, file);
    }
    fputc('"', file);
}

static double share_pct(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* Seconds are not kept of too many keys: then the units are left empty. */
static void print_timeline(FILE *file, const struct sim_plot_data *data)
{
    const struct sim_world *world = data->world;
    const struct sim_accuracy *accuracy = &world->accuracy;
    const uint32_t count = sim_plot_second_count(world);
    double *limits = sim_plot_new_limits(world, count);

    fprintf(
        file,
        "time_s,admitted_units_per_s,oracle_units_per_s,limit_units_per_s,asks_per_s,degraded\n");
    for (uint32_t s = 0; s < count; s++) {
        fprintf(file, "%" PRIu32 ",", s);
        if (s < accuracy->second_count) {
            fprintf(file, "%" PRIu64 ",%" PRIu64, accuracy->admitted_totals[s],
                    accuracy->oracle_totals[s]);
        } else {
            fprintf(file, ",");
        }
        fprintf(file, ",%.3f,%" PRIu64 ",%" PRIu64 "\n", limits[s],
                sim_metrics_asks_in_second(&world->metrics, s),
                world->watch.degradation.by_second[s]);
    }
    free(limits);
}

static void print_intervals(FILE *file, const struct sim_plot_data *data)
{
    const struct sim_world *world = data->world;
    const struct sim_accuracy *accuracy = &world->accuracy;

    fprintf(file,
            "key,end_s,limit_units,demand_units,admitted_units,oracle_units,over_pct,under_pct\n");
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        const struct sim_key_accuracy *entry = &accuracy->keys[key];
        for (uint32_t i = 0; i < entry->cell_count; i++) {
            const struct sim_cell *cell = &accuracy->cells[entry->first_cell + i];
            const uint64_t limit = sim_accuracy_limit_units(&world->accuracy, key, i);
            uint64_t over;
            uint64_t under;
            sim_judgement_interval(accuracy, key, i, &over, &under);
            print_key(file, world, key);
            fprintf(file, ",%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f\n",
                    (double)sim_plot_end_ns(world, key, i) / 1e9, limit, cell->demand_units,
                    cell->admitted_units, cell->oracle_units, share_pct(over, limit),
                    share_pct(under, limit));
        }
    }
}

static void print_latency(FILE *file, const struct sim_plot_data *data)
{
    const struct sim_metrics *metrics = &data->world->metrics;
    const struct sim_latency *all = &metrics->all;
    const struct sim_latency *first = &metrics->first_touches;
    uint64_t seen[2] = {0, 0};

    fprintf(file, "upto_us,requests,first_touches,longer_pct,first_touches_longer_pct\n");
    for (unsigned i = 0; i < SIM_LATENCY_BUCKETS; i++) {
        const uint64_t top_ns = sim_latency_bucket_ns(i);
        if (all->counts[i] == 0) {
            continue;
        }
        seen[0] += all->counts[i];
        seen[1] += first->counts[i];
        fprintf(file, "%.3f,%" PRIu64 ",%" PRIu64 ",%.6f,%.6f\n",
                (double)(top_ns < all->max_ns ? top_ns : all->max_ns) / 1e3, all->counts[i],
                first->counts[i], share_pct(all->count - seen[0], all->count),
                share_pct(first->count - seen[1], first->count));
    }
}

static void print_processes(FILE *file, const struct sim_plot_data *data)
{
    const struct sim_world *world = data->world;
    uint64_t demand = 0;
    uint64_t admitted = 0;

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        demand += world->processes[i].demand_units;
        admitted += world->processes[i].admitted_units;
    }
    fprintf(file, "process,demand_units,admitted_units,demand_share_pct,admitted_share_pct\n");
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        const struct sim_process *process = &world->processes[i];
        fprintf(file, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f\n", i, process->demand_units,
                process->admitted_units, share_pct(process->demand_units, demand),
                share_pct(process->admitted_units, admitted));
    }
}

static void print_causes(FILE *file, const struct sim_plot_data *data)
{
    fprintf(file, "end_s");
    for (int i = 0; i < 2 * SIM_CAUSE_COUNT; i++) {
        fprintf(file, ",%s_%s_units", i < SIM_CAUSE_COUNT ? "over" : "under",
                sim_cause_names[i % SIM_CAUSE_COUNT]);
    }
    fprintf(file, "\n");
    for (uint32_t m = 0; m < data->minute_count; m++) {
        const double end_s = 60 * (m + 1.0);
        const double duration_s = (double)data->world->scenario->duration_ns / 1e9;
        fprintf(file, "%.3f", end_s < duration_s ? end_s : duration_s);
        for (int i = 0; i < 2 * SIM_CAUSE_COUNT; i++) {
            fprintf(file, ",%" PRIu64,
                    i < SIM_CAUSE_COUNT ? data->minutes[m].over_units[i]
                                        : data->minutes[m].under_units[i - SIM_CAUSE_COUNT]);
        }
        fprintf(file, "\n");
    }
}

static void print_worst_keys(FILE *file, const struct sim_plot_data *data)
{
    fprintf(file, "key,end_s,limit_units,over_units,under_units,percent,cause\n");
    for (uint32_t i = 0; i < data->worst_count; i++) {
        const struct sim_plot_worst *worst = &data->worst[i];
        print_key(file, data->world, worst->key);
        fprintf(file, ",%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%s\n",
                (double)sim_plot_end_ns(data->world, worst->key, worst->interval) / 1e9,
                sim_accuracy_limit_units(&data->world->accuracy, worst->key, worst->interval),
                worst->explanation.over_units, worst->explanation.under_units, worst->percent,
                sim_cause_names[worst->explanation.cause]);
    }
}

void sim_plot_print_table(FILE *file, unsigned table, const struct sim_plot_data *data)
{
    static void (*const print[SIM_PLOT_TABLE_COUNT])(FILE *, const struct sim_plot_data *) = {
        print_timeline,  print_intervals, print_latency,
        print_processes, print_causes,    print_worst_keys,
    };

    print[table](file, data);
}
