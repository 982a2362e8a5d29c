/* A sweep read back from its file, and parts of one put together. What is read comes from outside:
 * nothing of it is believed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "option.h"
#include "scenario_file.h"
#include "sweep_files.h"
#include "weir/assert.h"

#define PATH_SIZE 4400
#define FILE_BYTES_MAX (256u << 20)

struct reading {
    struct study_sweep *sweep;
    const char *file;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *reading,
                                                         const char *format, ...)
{
    char message[300];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(reading->error, reading->error_size, "%.200s: %s", reading->file, message);
    return false;
}

/* The number of a member from `least` to `most`. */
static bool read_whole(const json_t *object, const char *key, json_int_t least, json_int_t most,
                       uint64_t *number)
{
    const json_t *member = json_object_get(object, key);
    const json_int_t value = json_integer_value(member);

    *number = (uint64_t)value;
    return json_is_integer(member) && value >= least && value <= most;
}

static bool read_number(const json_t *json, double absent, double *number)
{
    *number = json_is_null(json) ? absent : json_number_value(json);
    return json_is_null(json) || json_is_number(json);
}

static bool read_measure(const struct reading *reading, const json_t *json)
{
    static const char *const words[] = {"less", "more", "neither"};
    const char *path = json_string_value(json_object_get(json, "path"));
    const char *better = json_string_value(json_object_get(json, "better"));

    if (path == NULL || strlen(path) >= sizeof reading->sweep->measures[0].path || better == NULL) {
        return refuse(reading, "found a measure without path and better");
    }
    struct study_sweep_measure *measure = study_sweep_add_measure(reading->sweep, path);
    if (measure == NULL) {
        return refuse(reading, "found more measures; allowed: up to %d", STUDY_SWEEP_MEASURES_MAX);
    }
    for (int i = STUDY_BETTER_LESS; i <= STUDY_BETTER_NEITHER; i++) {
        if (strcmp(better, words[i]) == 0) {
            measure->as.better = (enum study_better)i;
        }
    }
    return (read_number(json_object_get(json, "min"), -INFINITY, &measure->minimum) &&
            read_number(json_object_get(json, "max"), INFINITY, &measure->maximum)) ||
           refuse(reading, "measure %s: found no min and max", path);
}

static bool read_head(const struct reading *reading, const json_t *json)
{
    struct study_sweep *sweep = reading->sweep;
    const json_t *seeds = json_object_get(json, "seeds");
    const json_t *shard = json_object_get(json, "shard");
    const char *const texts[] = {
        json_string_value(json_object_get(json, "scenario")),
        json_string_value(json_object_get(json, "name")),
        json_string_value(json_object_get(json, "scenario_hash")),
        json_string_value(json_object_get(json, "kernel")),
    };
    uint64_t seed_count = 0;
    uint64_t number = 0;
    uint64_t count = 0;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i] == NULL) {
            return refuse(reading, "found no sweep, as weir sweep --out writes it");
        }
    }
    sweep->scenario = study_sweep_copy(texts[0]);
    sweep->name = study_sweep_copy(texts[1]);
    sweep->scenario_hash = study_sweep_copy(texts[2]);
    if (!sim_option_kernel(texts[3], &sweep->kernel)) {
        return refuse(reading, "kernel: found \"%.20s\"; allowed: " SIM_OPTION_KERNELS, texts[3]);
    }
    if (!read_whole(seeds, "first", 0, INT64_MAX, &sweep->first_seed) ||
        !read_whole(seeds, "count", 1, STUDY_SWEEP_SEEDS_MAX, &seed_count) ||
        seed_count - 1 > INT64_MAX - sweep->first_seed) {
        return refuse(reading, "seeds: found no first and count of 1 to %d", STUDY_SWEEP_SEEDS_MAX);
    }
    if (!read_whole(shard, "of", 1, STUDY_SWEEP_RUNS_MAX, &count) ||
        !read_whole(shard, "number", 1, (json_int_t)count, &number)) {
        return refuse(reading, "shard: found no number of a part, and of how many");
    }
    sweep->seed_count = (size_t)seed_count;
    sweep->shard = (size_t)number;
    sweep->shard_count = (size_t)count;
    return true;
}

static bool read_lists(const struct reading *reading, const json_t *json)
{
    struct study_sweep *sweep = reading->sweep;
    json_t *value;
    size_t index;
    char error[300];

    json_array_foreach(json_object_get(json, "sets"), index, value)
    {
        if (!json_is_string(value) || sweep->set_count == STUDY_SWEEP_SETS_MAX) {
            return refuse(reading, "sets: found more than %d, or no text", STUDY_SWEEP_SETS_MAX);
        }
        sweep->sets[sweep->set_count++] = study_sweep_copy(json_string_value(value));
    }
    json_array_foreach(json_object_get(json, "vary"), index, value)
    {
        if (!study_grid_add_json(&sweep->grid, value, error, sizeof error)) {
            return refuse(reading, "vary: %s", error);
        }
    }
    json_array_foreach(json_object_get(json, "measures"), index, value)
    {
        if (!read_measure(reading, value)) {
            return false;
        }
    }
    if (sweep->grid.axis_count == 0 || sweep->measure_count == 0) {
        return refuse(reading, "found nothing that is varied or measured");
    }
    return study_grid_cell_count(&sweep->grid) <= STUDY_SWEEP_RUNS_MAX / sweep->seed_count ||
           refuse(reading, "found more runs; allowed: up to %d", STUDY_SWEEP_RUNS_MAX);
}

/* Does it fit, and need no quotes anywhere? */
static bool is_word(const char *text, size_t size)
{
    return text != NULL && strlen(text) < size &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789")] == '\0';
}

static bool read_run(const struct reading *reading, size_t cell, const json_t *json)
{
    struct study_sweep *sweep = reading->sweep;
    const char *verdict = json_string_value(json_object_get(json, "verdict"));
    const char *trace_hash = json_string_value(json_object_get(json, "trace_hash"));
    const json_t *values = json_object_get(json, "values");
    const json_int_t first = (json_int_t)sweep->first_seed;
    uint64_t seed;

    if (!read_whole(json, "seed", first, first + (json_int_t)sweep->seed_count - 1, &seed) ||
        !is_word(verdict, sizeof sweep->rows[0].verdict) ||
        !is_word(trace_hash, sizeof sweep->rows[0].trace_hash) ||
        json_array_size(values) != sweep->measure_count) {
        return refuse(reading,
                      "cell %zu: found a run without a seed of the sweep, verdict, "
                      "trace_hash and %zu values",
                      cell + 1, sweep->measure_count);
    }
    const size_t at = cell * sweep->seed_count + (size_t)(seed - sweep->first_seed);
    struct study_sweep_row *row = &sweep->rows[at];
    if (row->is_there || !study_sweep_is_in_shard(sweep, at)) {
        return refuse(reading,
                      "cell %zu, seed %" JSON_INTEGER_FORMAT ": found twice, or not of "
                      "this part",
                      cell + 1, (json_int_t)seed);
    }
    row->is_there = true;
    snprintf(row->verdict, sizeof row->verdict, "%s", verdict);
    snprintf(row->trace_hash, sizeof row->trace_hash, "%s", trace_hash);
    for (size_t i = 0; i < sweep->measure_count; i++) {
        if (!read_number(json_array_get(values, i), NAN, &row->values[i])) {
            return refuse(reading, "cell %zu: found a value that is no number", cell + 1);
        }
    }
    return true;
}

static bool read_cells(const struct reading *reading, const json_t *json)
{
    struct study_sweep *sweep = reading->sweep;
    const json_t *cells = json_object_get(json, "cells");
    const size_t row_count = study_sweep_row_count(sweep);
    json_t *run;
    size_t index;

    if (json_array_size(cells) != study_grid_cell_count(&sweep->grid)) {
        return refuse(reading, "cells: found %zu; allowed: %zu, one for each combination",
                      json_array_size(cells), study_grid_cell_count(&sweep->grid));
    }
    sweep->rows = sim_memory_new(row_count, sizeof *sweep->rows);
    for (size_t cell = 0; cell < json_array_size(cells); cell++) {
        json_array_foreach(json_object_get(json_array_get(cells, cell), "runs"), index, run)
        {
            if (!read_run(reading, cell, run)) {
                return false;
            }
        }
    }
    return true;
}

struct study_sweep *study_sweep_read(const char *folder, char *error, size_t error_size)
{
    char path[PATH_SIZE];
    char *bytes;
    size_t size;
    struct sim_error file_error;
    json_error_t json_error;

    snprintf(path, sizeof path, "%.4000s/sweep.json", folder);
    if (!sim_file_read(path, FILE_BYTES_MAX, &bytes, &size, &file_error)) {
        snprintf(error, error_size, "%s", file_error.text);
        return NULL;
    }
    json_t *json = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &json_error);
    free(bytes);
    struct reading reading = {
        .sweep = study_sweep_new(), .file = path, .error = error, .error_size = error_size};
    const bool good =
        json == NULL
            ? refuse(&reading, "line %d: %s", json_error.line, json_error.text)
            : read_head(&reading, json) && read_lists(&reading, json) && read_cells(&reading, json);
    json_decref(json);
    if (good) {
        return reading.sweep;
    }
    study_sweep_free(reading.sweep);
    return NULL;
}

/* All but the runs and which part it is. */
static char *head_of(const struct study_sweep *sweep)
{
    json_t *json = study_sweep_json(sweep);

    json_object_del(json, "cells");
    json_object_del(json, "shard");
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}

static bool are_of_one(const struct study_sweep *a, const struct study_sweep *b)
{
    char *head_a = head_of(a);
    char *head_b = head_of(b);
    const bool same = strcmp(head_a, head_b) == 0;

    free(head_a);
    free(head_b);
    return same;
}

static bool take_rows(struct study_sweep *to, const struct study_sweep *from, const char *folder,
                      char *error, size_t error_size)
{
    const size_t row_count = study_sweep_row_count(to);

    for (size_t row = 0; row < row_count; row++) {
        if (from->rows[row].is_there && to->rows[row].is_there) {
            snprintf(error, error_size,
                     "%.200s: has runs that one of the parts before it has, too; allowed: each "
                     "part once",
                     folder);
            return false;
        }
        if (from->rows[row].is_there) {
            to->rows[row] = from->rows[row];
        }
    }
    return true;
}

bool study_sweep_merge(struct study_sweep *const *parts, const char *const *folders,
                       size_t part_count, char *error, size_t error_size)
{
    struct study_sweep *all = parts[0];
    const size_t row_count = study_sweep_row_count(all);
    size_t missing = 0;

    WEIR_ASSERT(part_count > 0);
    for (size_t i = 1; i < part_count; i++) {
        if (parts[i]->shard_count != all->shard_count) {
            snprintf(error, error_size, "%.200s: is one of %zu parts, and %.200s one of %zu",
                     folders[i], parts[i]->shard_count, folders[0], all->shard_count);
            return false;
        }
        if (!are_of_one(all, parts[i])) {
            snprintf(error, error_size,
                     "%.200s: is of another sweep than %.200s: another scenario, sets, grid, seeds "
                     "or measures",
                     folders[i], folders[0]);
            return false;
        }
        if (!take_rows(all, parts[i], folders[i], error, error_size)) {
            return false;
        }
    }
    for (size_t row = row_count; row > 0; row--) {
        missing = all->rows[row - 1].is_there ? missing : row;
    }
    if (missing > 0) {
        snprintf(error, error_size,
                 "run %zu of %zu is in none of the folders; missing is part %zu of %zu", missing,
                 row_count, (missing - 1) % all->shard_count + 1, all->shard_count);
        return false;
    }
    all->shard = 1;
    all->shard_count = 1;
    return true;
}
