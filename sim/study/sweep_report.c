#include "sweep_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "option.h"
#include "readable.h"
#include "scenario_expect.h"
#include "screen_table.h"

#define ROWS_MAX 200
#define TEXT_SIZE 1200

/* A heading that leaves room for others: of paths without one, the last two names. */
static const char *short_name(const char *path)
{
    static const char *const names[][2] = {
        {"accuracy.over_pct.max", "over %"},
        {"accuracy.under_pct.max", "under %"},
        {"accuracy.over_units.max", "over units"},
        {"accuracy.under_units.max", "under units"},
        {"accuracy.contract_over_pct.max", "contract %"},
        {"store.asks_per_s.mean", "asks/s"},
        {"store.requests_per_ask", "requests/ask"},
        {"latency_us.p99", "p99 us"},
        {"availability.answered_pct", "answered %"},
    };

    size_t length;
    const char *population = sim_result_path_population(path, &length);

    if (population != NULL) {
        return population;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(path, names[i][0]) == 0) {
            return names[i][1];
        }
    }
    const char *last = strrchr(path, '.');
    while (last != NULL && last > path && last[-1] != '.') {
        last--;
    }
    return last == NULL ? path : last;
}

static void fill_measure(char *text, const struct study_sweep *sweep, size_t cell, size_t index)
{
    const struct study_sweep_measure *measure = &sweep->measures[index];
    const struct study_sweep_sum sum = study_sweep_sum(sweep, cell, index);
    const struct study_number median = study_measure_value(&measure->as, sum.median);
    const struct study_number worst = study_measure_value(&measure->as, sum.worst);
    const char *mark = study_sweep_is_within(measure, sum.worst) ? "" : "! ";

    if (sum.count == 0) {
        snprintf(text, SIM_SCREEN_CELL_SIZE, "-");
    } else if (strcmp(median.text, worst.text) == 0) {
        snprintf(text, SIM_SCREEN_CELL_SIZE, "%s%.60s", mark, worst.text);
    } else {
        snprintf(text, SIM_SCREEN_CELL_SIZE, "%s%.50s/%.50s", mark, median.text, worst.text);
    }
}

static bool is_numeric(const struct study_axis *axis)
{
    bool numeric = true;

    for (size_t i = 0; i < axis->value_count; i++) {
        numeric = numeric && axis->values[i].is_number;
    }
    return numeric;
}

static size_t measures_shown(const struct study_sweep *sweep)
{
    const size_t room = SIM_SCREEN_COLUMNS_MAX - sweep->grid.axis_count;

    return sweep->measure_count < room ? sweep->measure_count : room;
}

static bool has_runs(const struct study_sweep *sweep, size_t cell)
{
    bool any = false;

    for (size_t seed = 0; seed < sweep->seed_count; seed++) {
        any = any || sweep->rows[cell * sweep->seed_count + seed].is_there;
    }
    return any;
}

/* The order in which usual measures are given is that of their importance. */
static size_t print_table(FILE *file, const struct study_sweep *sweep, size_t width)
{
    const struct study_grid *grid = &sweep->grid;
    const size_t cell_count = study_grid_cell_count(grid);
    const size_t axes = grid->axis_count;
    const size_t shown = measures_shown(sweep);
    struct sim_screen_column columns[SIM_SCREEN_COLUMNS_MAX];
    struct sim_screen_table table;
    size_t row = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < axes; i++) {
        columns[i] = (struct sim_screen_column){
            grid->axes[i].name, is_numeric(&grid->axes[i]) ? SIM_SCREEN_RIGHT : SIM_SCREEN_LEFT,
            1000};
    }
    for (size_t i = 0; i < shown; i++) {
        columns[axes + i] = (struct sim_screen_column){short_name(sweep->measures[i].path),
                                                       SIM_SCREEN_RIGHT, 100 - (unsigned)i};
    }
    sim_screen_table_init(&table, columns, axes + shown,
                          cell_count < ROWS_MAX ? cell_count : ROWS_MAX, 30);
    for (size_t cell = 0; cell < cell_count; cell++) {
        if (!has_runs(sweep, cell)) {
            continue;
        }
        if (row == ROWS_MAX) {
            left_out++;
            continue;
        }
        for (size_t i = 0; i < axes; i++) {
            snprintf(sim_screen_table_cell(&table, row, i), SIM_SCREEN_CELL_SIZE, "%.100s",
                     study_grid_value(grid, cell, i)->label);
        }
        for (size_t i = 0; i < shown; i++) {
            fill_measure(sim_screen_table_cell(&table, row, axes + i), sweep, cell, i);
        }
        row++;
    }
    table.row_count = row;
    sim_screen_table_print(file, &table, width);
    sim_screen_table_free(&table);
    return left_out;
}

/* "over, % of limit at most 0.1", and how many cells are beyond it. */
static void print_bounds(FILE *file, const struct study_sweep *sweep, size_t width)
{
    const size_t cell_count = study_grid_cell_count(&sweep->grid);
    char text[TEXT_SIZE];

    for (size_t i = 0; i < sweep->measure_count; i++) {
        const struct study_sweep_measure *measure = &sweep->measures[i];
        const bool has_minimum = isfinite(measure->minimum);
        const bool has_maximum = isfinite(measure->maximum);
        size_t beyond = 0;
        if (!has_minimum && !has_maximum) {
            continue;
        }
        for (size_t cell = 0; cell < cell_count; cell++) {
            const struct study_sweep_sum sum = study_sweep_sum(sweep, cell, i);
            beyond += sum.count > 0 && !(study_sweep_is_within(measure, sum.least) &&
                                         study_sweep_is_within(measure, sum.most));
        }
        int length = snprintf(text, sizeof text, "%s:", measure->name);
        if (has_minimum) {
            length += snprintf(text + length, sizeof text - (size_t)length, " at least %.6g",
                               measure->minimum);
        }
        if (has_maximum) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s at most %.6g",
                               has_minimum ? "," : "", measure->maximum);
        }
        snprintf(text + length, sizeof text - (size_t)length, "; %s of %s cell%s beyond it%s",
                 beyond == 0 ? "none" : sim_readable_count(beyond).text,
                 sim_readable_count(cell_count).text, cell_count == 1 ? "" : "s",
                 beyond == 0 ? "" : " (!)");
        sim_screen_wrap(file, width, "expected  ", text);
    }
}

static void print_head(FILE *file, const struct study_sweep *sweep, size_t width)
{
    const size_t cell_count = study_grid_cell_count(&sweep->grid);
    char text[TEXT_SIZE];
    int length = snprintf(text, sizeof text, "%.200s: ", sweep->name);

    for (size_t i = 0; i < sweep->grid.axis_count; i++) {
        const struct study_axis *axis = &sweep->grid.axes[i];
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%.100s (%zu value%s)",
                           i > 0 ? " x " : "", axis->path, axis->value_count,
                           axis->value_count == 1 ? "" : "s");
    }
    snprintf(text + length, sizeof text - (size_t)length,
             ", %zu seed%s from %" PRIu64 " on: %s run%s", sweep->seed_count,
             sweep->seed_count == 1 ? "" : "s", sweep->first_seed,
             sim_readable_count(cell_count * sweep->seed_count).text,
             cell_count * sweep->seed_count == 1 ? "" : "s");
    sim_screen_wrap(file, width, "", text);
    if (sweep->set_count > 0) {
        sim_option_join(text, sizeof text, (const char *const *)sweep->sets, sweep->set_count, "");
        sim_screen_wrap(file, width, "with  ", text);
    }
    if (sweep->shard_count > 1) {
        snprintf(text, sizeof text, "part %zu of %zu; weir sweep --merge puts them together",
                 sweep->shard, sweep->shard_count);
        sim_screen_wrap(file, width, "", text);
    }
}

void study_sweep_print(FILE *file, const struct study_sweep *sweep, size_t width)
{
    char text[TEXT_SIZE];
    const size_t shown = measures_shown(sweep);

    print_head(file, sweep, width);
    fputc('\n', file);
    const size_t left_out = print_table(file, sweep, width);
    fputc('\n', file);
    if (left_out > 0) {
        snprintf(text, sizeof text, "left out here, in the files of --out: cells, %s",
                 sim_readable_count(left_out).text);
        sim_screen_wrap(file, width, "", text);
    }
    if (shown < sweep->measure_count) {
        snprintf(text, sizeof text, "left out here, in the files of --out: measures, %zu",
                 sweep->measure_count - shown);
        sim_screen_wrap(file, width, "", text);
    }
    if (sweep->seed_count > 1) {
        sim_screen_wrap(file, width, "", "median/worst of the seeds; one number if they are alike");
    }
    print_bounds(file, sweep, width);
}
