#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "result.h"
#include "run_list.h"
#include "scenario_expect.h"
#include "weir/assert.h"

char *study_sweep_copy(const char *text)
{
    char *copy = sim_memory_new(strlen(text) + 1, 1);

    memcpy(copy, text, strlen(text));
    return copy;
}

struct study_sweep *study_sweep_new(void)
{
    struct study_sweep *sweep = sim_memory_new(1, sizeof *sweep);

    sweep->sets = sim_memory_new(STUDY_SWEEP_SETS_MAX, sizeof *sweep->sets);
    sweep->measures = sim_memory_new(STUDY_SWEEP_MEASURES_MAX, sizeof *sweep->measures);
    sweep->seed_count = 1;
    sweep->shard = 1;
    sweep->shard_count = 1;
    return sweep;
}

void study_sweep_free(struct study_sweep *sweep)
{
    for (size_t i = 0; i < sweep->set_count; i++) {
        free(sweep->sets[i]);
    }
    study_grid_free(&sweep->grid);
    free(sweep->sets);
    free(sweep->measures);
    free(sweep->rows);
    free(sweep->scenario);
    free(sweep->name);
    free(sweep->scenario_hash);
    free(sweep);
}

/* What is known of a measure; of one of a population, what is known of the same of all. */
static const struct study_measure *known_measure(const char *path)
{
    return study_measure_known(sim_result_path_of_all(path));
}

static void name_measure(struct study_sweep_measure *measure, const char *name)
{
    size_t length;
    const char *population = sim_result_path_population(measure->path, &length);

    if (population == NULL) {
        snprintf(measure->name, sizeof measure->name, "%s", name);
    } else {
        snprintf(measure->name, sizeof measure->name, "%.*s: %s", (int)length, population, name);
    }
}

struct study_sweep_measure *study_sweep_add_measure(struct study_sweep *sweep, const char *path)
{
    if (sweep->measure_count == STUDY_SWEEP_MEASURES_MAX) {
        return NULL;
    }
    struct study_sweep_measure *measure = &sweep->measures[sweep->measure_count++];
    *measure = (struct study_sweep_measure){.minimum = -INFINITY, .maximum = INFINITY};
    snprintf(measure->path, sizeof measure->path, "%s", path);
    snprintf(measure->name, sizeof measure->name, "%s", path);
    measure->as.better = STUDY_BETTER_NEITHER;
    measure->as.decimals = 3;
    const struct study_measure *known = known_measure(path);
    if (known != NULL) {
        measure->as = *known;
        name_measure(measure, known->name);
    }
    measure->as.path = measure->path;
    measure->as.name = measure->name;
    return measure;
}

void study_sweep_add_usual_measures(struct study_sweep *sweep, const struct sim_scenario *scenario)
{
    static const char *const usual[] = {
        "accuracy.contract_over_pct.max", "store.asks_per_s.mean",
        "store.requests_per_ask",         "latency_us.p99",
        "availability.answered_pct",
    };
    const bool in_percent = study_measure_has_percentages(scenario);

    (void)study_sweep_add_measure(sweep,
                                  in_percent ? "accuracy.over_pct.max" : "accuracy.over_units.max");
    (void)study_sweep_add_measure(sweep, in_percent ? "accuracy.under_pct.max"
                                                    : "accuracy.under_units.max");
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        (void)study_sweep_add_measure(sweep, usual[i]);
    }
}

void study_sweep_take_bounds(struct study_sweep *sweep, const struct sim_scenario *scenario)
{
    for (size_t i = 0; i < sweep->measure_count; i++) {
        struct study_sweep_measure *measure = &sweep->measures[i];
        for (size_t k = 0; k < scenario->expectation_count; k++) {
            const struct sim_expectation *expected = &scenario->expectations[k];
            if (strcmp(expected->path, measure->path) == 0) {
                measure->minimum = fmax(measure->minimum, expected->minimum);
                measure->maximum = fmin(measure->maximum, expected->maximum);
            }
        }
        /* of what is no measure of ours, the bound says which way is good */
        const bool has_minimum = isfinite(measure->minimum);
        if (known_measure(measure->path) == NULL && has_minimum != isfinite(measure->maximum)) {
            measure->as.better = has_minimum ? STUDY_BETTER_MORE : STUDY_BETTER_LESS;
        }
    }
}

size_t study_sweep_row_count(const struct study_sweep *sweep)
{
    return study_grid_cell_count(&sweep->grid) * sweep->seed_count;
}

bool study_sweep_is_in_shard(const struct study_sweep *sweep, size_t row)
{
    return row % sweep->shard_count == sweep->shard - 1;
}

/* The run of a cell, under a seed or, where that is NULL, under the scenario's. */
static void add_run(const struct study_sweep *sweep, size_t cell, const uint64_t *seed,
                    struct study_run_list *list)
{
    const struct study_run run = {.scenario = sweep->scenario,
                                  .sets = (const char *const *)sweep->sets,
                                  .set_count = sweep->set_count,
                                  .kernel = sweep->kernel};
    const char *values[STUDY_GRID_AXES_MAX];

    for (size_t i = 0; i < sweep->grid.axis_count; i++) {
        values[i] = study_grid_value(&sweep->grid, cell, i)->set;
    }
    study_run_list_add(list, &run, values, sweep->grid.axis_count, seed);
}

/* The reader knows of --set only; the path was given with --vary. */
static void name_option(const struct study_sweep *sweep, struct sim_error *error)
{
    static const char set[] = "--set ";
    char rest[sizeof error->text];

    for (size_t i = 0; i < sweep->grid.axis_count; i++) {
        const char *path = sweep->grid.axes[i].path;
        const char *at = error->text + sizeof set - 1;
        if (strncmp(error->text, set, sizeof set - 1) == 0 &&
            strncmp(at, path, strlen(path)) == 0 &&
            (at[strlen(path)] == '=' || at[strlen(path)] == ':')) {
            snprintf(rest, sizeof rest, "%s", at);
            snprintf(error->text, sizeof error->text, "--vary %.*s",
                     (int)(sizeof error->text - sizeof "--vary "), rest);
            return;
        }
    }
}

bool study_sweep_check(const struct study_sweep *sweep, bool *limits_bandwidth,
                       struct sim_error *error)
{
    const size_t cell_count = study_grid_cell_count(&sweep->grid);
    struct sim_scenario scenario;
    bool good = true;

    *limits_bandwidth = false;
    for (size_t cell = 0; cell < cell_count && good; cell++) {
        struct study_run_list list = {0};
        add_run(sweep, cell, NULL, &list);
        good = sim_scenario_load(&scenario, sweep->scenario, list.runs[0].sets,
                                 list.runs[0].set_count, error);
        if (good) {
            *limits_bandwidth = *limits_bandwidth || scenario.bandwidth_bytes_per_s > 0;
            sim_scenario_free(&scenario);
        } else {
            name_option(sweep, error);
        }
        study_run_list_free(&list);
    }
    return good;
}

static void read_row(struct study_sweep *sweep, size_t row, const json_t *result)
{
    struct study_sweep_row *to = &sweep->rows[row];
    const char *verdict = json_string_value(json_object_get(result, "verdict"));
    const char *trace_hash = json_string_value(json_object_get(result, "trace_hash"));
    const json_t *replay = json_object_get(result, "replay");
    const char *hash = json_string_value(json_object_get(replay, "scenario_hash"));

    to->is_there = true;
    snprintf(to->verdict, sizeof to->verdict, "%s", verdict == NULL ? "" : verdict);
    snprintf(to->trace_hash, sizeof to->trace_hash, "%s", trace_hash == NULL ? "" : trace_hash);
    for (size_t i = 0; i < sweep->measure_count; i++) {
        if (!sim_result_number(result, sweep->measures[i].path, &to->values[i])) {
            to->values[i] = NAN;
        }
    }
    if (sweep->scenario_hash == NULL) {
        sweep->scenario_hash = study_sweep_copy(hash == NULL ? "" : hash);
    }
}

/* The shard's runs. */
struct plan {
    struct study_run_list list;
    size_t *rows; /* by run; owned */
};

static void make_plan(struct plan *plan, const struct study_sweep *sweep)
{
    const size_t row_count = study_sweep_row_count(sweep);

    *plan = (struct plan){.rows = sim_memory_new(row_count, sizeof *plan->rows)};
    for (size_t row = 0; row < row_count; row++) {
        if (study_sweep_is_in_shard(sweep, row)) {
            const uint64_t seed = sweep->first_seed + row % sweep->seed_count;
            plan->rows[plan->list.count] = row;
            add_run(sweep, row / sweep->seed_count, &seed, &plan->list);
        }
    }
}

/* Take the figures and let go of the rest: all results of a large sweep would fill the memory. */
struct taking {
    struct study_sweep *sweep;
    const struct plan *plan;
};

static void take_result(void *context, size_t run)
{
    const struct taking *taking = context;
    struct study_run *from = &taking->plan->list.runs[run];

    read_row(taking->sweep, taking->plan->rows[run], from->result);
    json_decref(from->result);
    from->result = NULL;
}

/* If it is of a population, of one that there is. */
static bool is_there(const char *path, const struct sim_scenario *scenario)
{
    size_t length = 0;
    const char *name = sim_result_path_population(path, &length);

    for (size_t i = 0; name != NULL && i < scenario->population_count; i++) {
        const char *other = scenario->populations[i].name;
        if (strlen(other) == length && memcmp(other, name, length) == 0) {
            return true;
        }
    }
    return name == NULL;
}

bool study_sweep_check_measures(const struct study_sweep *sweep,
                                const struct sim_scenario *scenario, struct sim_error *error)
{
    for (size_t i = 0; i < sweep->measure_count; i++) {
        const char *path = sweep->measures[i].path;
        struct sim_suggestion suggestion = {0};
        if (study_measure_known(path) != NULL ||
            (sim_result_path_is_known(path, &suggestion) && is_there(path, scenario))) {
            continue;
        }
        *error = (struct sim_error){0};
        if (suggestion.best != NULL) {
            snprintf(error->text, sizeof error->text,
                     "weir: --measure %s: no number of the result; did you mean \"%s\"?", path,
                     suggestion.best);
        } else {
            snprintf(error->text, sizeof error->text,
                     "weir: --measure %s: no number of the result; allowed: a path such as "
                     "accuracy.over_pct.max (all: docs/SCENARIOS.md)",
                     path);
        }
        return false;
    }
    return true;
}

enum study_end study_sweep_run(struct study_sweep *sweep, struct study_sweep_making *making)
{
    struct plan plan;

    make_plan(&plan, sweep);
    WEIR_ASSERT(plan.list.count > 0);
    free(sweep->rows);
    sweep->rows = sim_memory_new(study_sweep_row_count(sweep), sizeof *sweep->rows);
    struct taking taking = {.sweep = sweep, .plan = &plan};
    struct study_batch batch = {
        .runs = plan.list.runs,
        .run_count = plan.list.count,
        .folder = making->folder,
        .job_count = making->job_count,
        .label = "sweep",
        .quiet = making->quiet,
        .done = take_result,
        .context = &taking,
    };
    const enum study_end end = study_batch_run(&batch);
    making->made_count = batch.made_count;
    making->reused_count = batch.reused_count;
    making->signal_number = batch.signal_number;
    snprintf(making->error, sizeof making->error, "%s", batch.error);
    study_batch_free(&batch);
    study_run_list_free(&plan.list);
    free(plan.rows);
    return end;
}

void study_sweep_settle(struct study_sweep *sweep)
{
    const size_t row_count = study_sweep_row_count(sweep);

    for (size_t i = 0; i < sweep->measure_count; i++) {
        struct study_sweep_measure *measure = &sweep->measures[i];
        bool is_whole = true;
        for (size_t row = 0; row < row_count; row++) {
            const double value = sweep->rows[row].values[i];
            is_whole = is_whole && (!sweep->rows[row].is_there || isnan(value) ||
                                    !(value < floor(value) || value > floor(value)));
        }
        if (known_measure(measure->path) == NULL) {
            measure->as.decimals = is_whole ? 0 : 3;
        }
    }
}

struct study_sweep_sum study_sweep_sum(const struct study_sweep *sweep, size_t cell, size_t measure)
{
    double values[STUDY_SWEEP_SEEDS_MAX];
    struct study_sweep_sum sum = {0};

    for (size_t i = 0; i < sweep->seed_count; i++) {
        const struct study_sweep_row *row = &sweep->rows[cell * sweep->seed_count + i];
        if (row->is_there && !isnan(row->values[measure])) {
            values[sum.count++] = row->values[measure];
        }
    }
    if (sum.count == 0) {
        return sum;
    }
    sum.median = study_median(values, sum.count);
    sum.least = values[0]; /* they are in order now */
    sum.most = values[sum.count - 1];
    switch (sweep->measures[measure].as.better) {
    case STUDY_BETTER_LESS:
        sum.worst = sum.most;
        break;
    case STUDY_BETTER_MORE:
        sum.worst = sum.least;
        break;
    case STUDY_BETTER_NEITHER:
    default:
        sum.worst = sum.median;
        break;
    }
    return sum;
}

bool study_sweep_is_within(const struct study_sweep_measure *measure, double value)
{
    return !(value < measure->minimum) && !(value > measure->maximum);
}
