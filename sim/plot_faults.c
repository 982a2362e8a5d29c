#include "plot_faults.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "plot_script.h"
#include "readable.h"

#define BIN_COUNT_MAX 400
#define POPULATION_COUNT_MAX 16
#define PIXELS_PER_CHARACTER 7
#define PICTURE_PIXELS 550 /* between the axes */

/* The first row whose last label ends left of this one. */
static int row_of(double ends[SIM_PLOT_FAULT_ROWS], double from, double width)
{
    for (int row = 0; row < SIM_PLOT_FAULT_ROWS; row++) {
        if (ends[row] <= from) {
            ends[row] = from + width;
            return row;
        }
    }
    return -1;
}

static int by_start(const void *left, const void *right)
{
    const struct fault *const *a = left;
    const struct fault *const *b = right;

    return (*a)->from_ns != (*b)->from_ns ? ((*a)->from_ns < (*b)->from_ns ? -1 : 1)
                                          : strcmp((*a)->id, (*b)->id);
}

void sim_plot_faults_shade(FILE *script, const struct sim_world *world)
{
    const struct fault_list *list = &world->scenario->faults;
    const double duration_s = (double)world->scenario->duration_ns / 1e9;
    const struct fault **faults = sim_memory_new(list->count + 1, sizeof(struct fault *));
    double ends[SIM_PLOT_FAULT_ROWS] = {0};
    size_t count = 0;
    int row_count = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (list->faults[i].from_ns < world->scenario->duration_ns) {
            faults[count++] = &list->faults[i];
        }
    }
    qsort(faults, count, sizeof *faults, by_start);
    sim_plot_script_number(script, "fault_count", (double)count);
    sim_plot_script_number(script, "fault_row_count", 0);
    if (count == 0) {
        free(faults);
        return;
    }
    static const char *const arrays[] = {"from", "until", "at", "rows", "labels"};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        fprintf(script, "array fault_%s[%zu]\n", arrays[i], count);
    }
    for (size_t i = 0; i < count; i++) {
        const double from_s = (double)faults[i]->from_ns / 1e9;
        const double until_s = (double)faults[i]->until_ns / 1e9;
        char cut[40];
        char name[40];
        sim_readable_cut(cut, sizeof cut, faults[i]->id, 24);
        const double width_s =
            (double)sim_readable_width(cut) * PIXELS_PER_CHARACTER / PICTURE_PIXELS * duration_s;
        /* a label that would leave the picture ends with it */
        const double at_s = from_s + width_s > duration_s ? duration_s - width_s : from_s;
        const int row = row_of(ends, at_s, width_s);
        row_count = row + 1 > row_count ? row + 1 : row_count;
        snprintf(name, sizeof name, "fault_labels[%zu]", i + 1);
        sim_plot_script_text(script, name, cut);
        fprintf(script, "fault_from[%zu] = %.9g\nfault_until[%zu] = %.9g\n", i + 1, from_s, i + 1,
                until_s < duration_s ? until_s : duration_s);
        fprintf(script, "fault_at[%zu] = %.9g\nfault_rows[%zu] = %d\n", i + 1, at_s, i + 1, row);
    }
    sim_plot_script_number(script, "fault_row_count", row_count);
    free(faults);
}

/* Processes that decided without the store in a second, in percent. */
static double degraded_pct(const struct sim_degradation *degradation, uint32_t second)
{
    const size_t words = (degradation->process_count + (size_t)63) / 64;
    uint32_t count = 0;

    for (uint32_t i = 0; i < degradation->process_count; i++) {
        count += (degradation->processes[second * words + i / 64] >> (i % 64) & 1) != 0;
    }
    return 100.0 * count / degradation->process_count;
}

const char *sim_plot_degraded(FILE *script, const struct sim_plot_data *data)
{
    const struct sim_degradation *degradation = &data->world->watch.degradation;
    const uint32_t count = degradation->second_count;
    const uint32_t width = (count + BIN_COUNT_MAX - 1) / BIN_COUNT_MAX;
    const double duration_s = (double)data->world->scenario->duration_ns / 1e9;
    double most = 0;

    fprintf(script, "$data << EOD\n");
    for (uint32_t s = 0; s < count; s += width) {
        most = 0;
        for (uint32_t i = s; i < s + width && i < count; i++) {
            const double percent = degraded_pct(degradation, i);
            most = percent > most ? percent : most;
        }
        fprintf(script, "%" PRIu32 "\t%.6g\n", s, most);
    }
    fprintf(script, "%.9g\t%.6g\nEOD\n", duration_s, most);
    return degradation->admitted + degradation->denied == 0
               ? "every request was decided with the store"
               : NULL;
}

void sim_plot_find_degraded(char *text, size_t size, const struct sim_plot_data *data)
{
    const struct sim_degradation *degradation = &data->world->watch.degradation;
    const uint64_t decisions = degradation->admitted + degradation->denied;

    if (decisions == 0) {
        snprintf(text, size, "No process decides without the store");
        return;
    }
    snprintf(text, size,
             "Up to %" PRIu32 " of %" PRIu32 " processes decide without the store: %s "
             "request%s in %" PRIu32 " s",
             sim_degradation_processes_max(degradation), degradation->process_count,
             sim_readable_count(decisions).text, decisions == 1 ? "" : "s",
             sim_degradation_seconds(degradation));
}

const char *sim_plot_outage(FILE *script, const struct sim_plot_data *data)
{
    const struct sim_scenario *scenario = data->world->scenario;
    uint32_t rows = 0;
    double top = 100;

    fprintf(script, "$data << EOD\n");
    for (uint32_t p = 0; p < scenario->population_count && rows < POPULATION_COUNT_MAX; p++) {
        const struct sim_outage_service *service = &data->world->watch.services.by_population[p];
        char cut[40];
        if (service->ideal_units == 0) {
            continue;
        }
        const double unit = 100.0 / (double)service->ideal_units;
        const double demand_pct = unit * (double)service->demand_units;
        const double admitted_pct = unit * (double)service->admitted_units;
        top = admitted_pct > top ? admitted_pct : top;
        sim_readable_cut(cut, sizeof cut, scenario->populations[p].name, 20);
        fprintf(script, "%" PRIu32 "\t%.6g\t%.6g\t%s\t", rows++, demand_pct, admitted_pct,
                sim_readable_percent(admitted_pct).text);
        sim_plot_script_cell(script, cut);
        fputc('\n', script);
        top = demand_pct > top && demand_pct < 400 ? demand_pct : top;
    }
    fprintf(script, "EOD\n");
    sim_plot_script_number(script, "rows", rows);
    sim_plot_script_number(script, "top", top);
    return rows == 0 ? "there was no outage with anything to admit" : NULL;
}

void sim_plot_find_outage(char *text, size_t size, const struct sim_plot_data *data)
{
    const struct sim_scenario *scenario = data->world->scenario;
    double least = 1e300;
    double most = 0;

    for (uint32_t p = 0; p < scenario->population_count; p++) {
        const struct sim_outage_service *service = &data->world->watch.services.by_population[p];
        if (service->ideal_units != 0) {
            const double percent =
                100.0 * (double)service->admitted_units / (double)service->ideal_units;
            least = percent < least ? percent : least;
            most = percent > most ? percent : most;
        }
    }
    if (least > most) {
        snprintf(text, size, "No outage of the store");
    } else if (most - least < 0.05) {
        snprintf(text, size, "While cut off from the store customers get %s of what is ideal",
                 sim_readable_percent(most).text);
    } else {
        snprintf(text, size, "While cut off from the store customers get %s to %s of what is ideal",
                 sim_readable_percent(least).text, sim_readable_percent(most).text);
    }
}
