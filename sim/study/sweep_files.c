#include "sweep_files.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53: every whole number up to it is one of a double */

/* Results have twelve digits: what is read back is the same number. */
static json_t *number_json(double value)
{
    if (!isfinite(value)) {
        return json_null();
    }
    const bool is_whole = !(value < floor(value) || value > floor(value));
    return is_whole && fabs(value) <= WHOLE_MAX ? json_integer((json_int_t)value)
                                                : json_real(value);
}

static json_t *measures_json(const struct study_sweep *sweep)
{
    static const char *const better[] = {"less", "more", "neither"};
    json_t *measures = json_array();

    for (size_t i = 0; i < sweep->measure_count; i++) {
        const struct study_sweep_measure *measure = &sweep->measures[i];
        json_array_append_new(measures, json_pack("{s:s, s:s, s:o, s:o}", "path", measure->path,
                                                  "better", better[measure->as.better], "min",
                                                  number_json(measure->minimum), "max",
                                                  number_json(measure->maximum)));
    }
    return measures;
}

static json_t *runs_json(const struct study_sweep *sweep, size_t cell)
{
    json_t *runs = json_array();

    for (size_t seed = 0; seed < sweep->seed_count; seed++) {
        const struct study_sweep_row *row = &sweep->rows[cell * sweep->seed_count + seed];
        if (!row->is_there) {
            continue;
        }
        json_t *values = json_array();
        for (size_t i = 0; i < sweep->measure_count; i++) {
            json_array_append_new(values, number_json(row->values[i]));
        }
        json_array_append_new(runs, json_pack("{s:I, s:s, s:s, s:o}", "seed",
                                              (json_int_t)(sweep->first_seed + seed), "verdict",
                                              row->verdict, "trace_hash", row->trace_hash, "values",
                                              values));
    }
    return runs;
}

static json_t *sums_json(const struct study_sweep *sweep, size_t cell)
{
    json_t *sums = json_array();

    for (size_t i = 0; i < sweep->measure_count; i++) {
        const struct study_sweep_sum sum = study_sweep_sum(sweep, cell, i);
        const bool is_judged = sweep->measures[i].as.better != STUDY_BETTER_NEITHER;
        json_array_append_new(
            sums, sum.count == 0
                      ? json_null()
                      : json_pack("{s:o, s:o, s:o, s:o}", "median", number_json(sum.median),
                                  "least", number_json(sum.least), "most", number_json(sum.most),
                                  "worst", is_judged ? number_json(sum.worst) : json_null()));
    }
    return sums;
}

static json_t *cells_json(const struct study_sweep *sweep)
{
    const size_t cell_count = study_grid_cell_count(&sweep->grid);
    json_t *cells = json_array();

    for (size_t cell = 0; cell < cell_count; cell++) {
        json_t *at = json_array();
        for (size_t i = 0; i < sweep->grid.axis_count; i++) {
            json_array_append_new(at,
                                  study_grid_value_json(study_grid_value(&sweep->grid, cell, i)));
        }
        json_array_append_new(cells,
                              json_pack("{s:o, s:o, s:o}", "at", at, "runs", runs_json(sweep, cell),
                                        "measures", sums_json(sweep, cell)));
    }
    return cells;
}

json_t *study_sweep_json(const struct study_sweep *sweep)
{
    json_t *sets = json_array();
    json_t *vary = json_array();

    for (size_t i = 0; i < sweep->set_count; i++) {
        json_array_append_new(sets, json_string(sweep->sets[i]));
    }
    for (size_t i = 0; i < sweep->grid.axis_count; i++) {
        json_array_append_new(vary, study_grid_axis_json(&sweep->grid.axes[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:{s:I, s:I}, s:o, s:{s:I, s:I}, s:o}", "name",
                     sweep->name, "scenario", sweep->scenario, "scenario_hash",
                     sweep->scenario_hash, "sets", sets, "kernel", sim_kernel_name(sweep->kernel),
                     "vary", vary, "seeds", "first", (json_int_t)sweep->first_seed, "count",
                     (json_int_t)sweep->seed_count, "measures", measures_json(sweep), "shard",
                     "number", (json_int_t)sweep->shard, "of", (json_int_t)sweep->shard_count,
                     "cells", cells_json(sweep));
}

/* A field of a CSV file: quoted if it has to be. */
static void print_field(FILE *file, const char *text)
{
    if (text[strcspn(text, ",\"\n\r")] == '\0') {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            fputc('"', file);
        }
        fputc(*text, file);
    }
    fputc('"', file);
}

static void print_csv(FILE *file, const void *context)
{
    const struct study_sweep *sweep = context;
    const size_t row_count = study_sweep_row_count(sweep);

    for (size_t i = 0; i < sweep->grid.axis_count; i++) {
        print_field(file, sweep->grid.axes[i].path);
        fputc(',', file);
    }
    fprintf(file, "seed,verdict,trace_hash");
    for (size_t i = 0; i < sweep->measure_count; i++) {
        fputc(',', file);
        print_field(file, sweep->measures[i].path);
    }
    fputc('\n', file);
    for (size_t at = 0; at < row_count; at++) {
        const struct study_sweep_row *row = &sweep->rows[at];
        if (!row->is_there) {
            continue;
        }
        for (size_t i = 0; i < sweep->grid.axis_count; i++) {
            print_field(file, study_grid_value(&sweep->grid, at / sweep->seed_count, i)->text);
            fputc(',', file);
        }
        fprintf(file, "%" PRIu64 ",%s,%s", sweep->first_seed + at % sweep->seed_count, row->verdict,
                row->trace_hash);
        for (size_t i = 0; i < sweep->measure_count; i++) {
            fprintf(file, isnan(row->values[i]) ? "," : ",%.12g", row->values[i]);
        }
        fputc('\n', file);
    }
}

bool study_sweep_write(const struct study_sweep *sweep, const char *folder)
{
    json_t *json = study_sweep_json(sweep);
    const bool good = sim_output_write_json(folder, "sweep.json", json) &&
                      sim_output_write(folder, "sweep.csv", print_csv, sweep);

    json_decref(json);
    return good;
}
