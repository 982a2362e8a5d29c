/* How far the limiter is off in a grid of conditions, against its targets: limits, demands,
 * balances, plans, start fills and seeds, each cell a simulation of its own on the event heap.
 *
 *   bench/accuracy-table --help */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "memory.h"
#include "pool.h"
#include "progress.h"
#include "table_options.h"
#include "table_report.h"

#define TERMINAL_INTERVAL_NS UINT64_C(200000000)
#define PLAIN_INTERVAL_NS UINT64_C(10000000000)
#define CELL_COST_REQUESTS 400000 /* what a cell costs besides its requests */

/* Cells, what was measured so far, and the line that says so. */
struct run {
    enum table_subject subject;
    const struct table_cell *cells;
    struct table_figures *figures;
    size_t cell_count;

    size_t done_count;
    size_t missed_count;
    double done_cost;
    double total_cost;
    bool is_terminal;
    uint64_t started_ns; /* wall clock */
    uint64_t shown_ns;
};

static double cost_of(const struct table_cell *cell)
{
    return CELL_COST_REQUESTS + table_cell_requests(cell);
}

static void show_progress(void *context)
{
    struct run *run = context;
    const uint64_t now_ns = sim_progress_wall_ns();
    const double wall_s = (double)(now_ns - run->started_ns) / 1e9;

    if (now_ns - run->shown_ns < (run->is_terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS)) {
        return;
    }
    run->shown_ns = now_ns;
    fprintf(stderr, "%s%zu of %zu cells  %.0f %% of the work  %zu missed  %.0f s",
            run->is_terminal ? "\r\033[K" : "", run->done_count, run->cell_count,
            100 * run->done_cost / run->total_cost, run->missed_count, wall_s);
    if (run->done_cost > 0) {
        fprintf(stderr, ", %.0f s left",
                wall_s * (run->total_cost - run->done_cost) / run->done_cost);
    }
    fputs(run->is_terminal ? "" : "\n", stderr);
    fflush(stderr);
}

static void wipe_progress(const struct run *run)
{
    if (run->is_terminal) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}

static void measure_cell(void *context, size_t cell, FILE *result)
{
    const struct run *run = context;
    struct table_figures figures = {0};

    table_figures_measure(&figures, &run->cells[cell], run->subject);
    (void)fwrite(&figures, sizeof figures, 1, result);
}

/* Returns NULL, or why there is nothing to keep. */
static const char *keep_cell(void *context, size_t cell, const char *result, size_t size)
{
    struct run *run = context;

    if (size != sizeof run->figures[cell]) {
        return "its process wrote too little";
    }
    memcpy(&run->figures[cell], result, size);
    if (run->figures[cell].error[0] != '\0') {
        return run->figures[cell].error;
    }
    const struct table_outcome outcome = {.subject = run->subject,
                                          .cells = &run->cells[cell],
                                          .figures = &run->figures[cell],
                                          .cell_count = 1};
    run->missed_count += table_report_miss_count(&outcome);
    run->done_cost += cost_of(&run->cells[cell]);
    run->done_count++;
    return NULL;
}

struct costly {
    double cost;
    size_t cell;
};

static int by_cost(const void *a, const void *b)
{
    const struct costly *left = a;
    const struct costly *right = b;

    if (left->cost < right->cost || left->cost > right->cost) {
        return left->cost < right->cost ? 1 : -1;
    }
    return (left->cell > right->cell) - (left->cell < right->cell);
}

/* The most expensive cells first, so that no long one is left over at the end. */
static size_t *order_cells(struct run *run)
{
    struct costly *costs = sim_memory_new(run->cell_count, sizeof *costs);
    size_t *order = sim_memory_new(run->cell_count, sizeof *order);

    for (size_t i = 0; i < run->cell_count; i++) {
        costs[i] = (struct costly){cost_of(&run->cells[i]), i};
        run->total_cost += costs[i].cost;
    }
    qsort(costs, run->cell_count, sizeof *costs, by_cost);
    for (size_t i = 0; i < run->cell_count; i++) {
        order[i] = costs[i].cell;
    }
    free(costs);
    return order;
}

/* Returns an exit status: SIM_EXIT_PASS if all cells were measured. */
static int measure(struct run *run, unsigned job_count)
{
    size_t *order = order_cells(run);
    struct study_pool pool = {
        .order = order,
        .task_count = run->cell_count,
        .job_count = job_count,
        .context = run,
        .work = measure_cell,
        .done = keep_cell,
        .tick = show_progress,
    };
    char name[TABLE_NAME_SIZE];
    int status = SIM_EXIT_PASS;

    const enum study_end end = study_pool_run(&pool);
    wipe_progress(run);
    if (end == STUDY_SIGNALLED) {
        fprintf(stderr, "accuracy-table: interrupted\n");
        status = 128 + pool.signal_number;
    } else if (end == STUDY_FAILED) {
        table_cell_name(&run->cells[pool.failed_task], name, sizeof name);
        fprintf(stderr, "accuracy-table: cell %s: %s\n", name, pool.error);
        status = SIM_EXIT_INTERNAL;
    }
    free(order);
    return status;
}

static void print_markdown(const struct table_outcome *outcome, FILE *file)
{
    table_report_print(outcome, file, TEXT_TABLE_MARKDOWN);
}

/* To `path`, unless it is NULL. */
static bool write_file(const char *path, const struct table_outcome *outcome,
                       void (*print)(const struct table_outcome *outcome, FILE *file))
{
    if (path == NULL) {
        return true;
    }
    FILE *file = fopen(path, "w");
    bool is_good = file != NULL;
    if (is_good) {
        print(outcome, file);
        is_good = ferror(file) == 0;
        is_good &= fclose(file) == 0;
    }
    if (!is_good) {
        fprintf(stderr, "accuracy-table: %s: cannot write: %s\n", path, strerror(errno));
    }
    return is_good;
}

static int report(const struct table_options *options, const struct table_outcome *outcome)
{
    table_report_print(outcome, stdout, TEXT_TABLE_PLAIN);
    bool is_written = fflush(stdout) == 0;
    is_written &= write_file(options->csv, outcome, table_report_csv);
    is_written &= write_file(options->markdown, outcome, print_markdown);
    if (!is_written) {
        return SIM_EXIT_INTERNAL;
    }
    return table_report_miss_count(outcome) == 0 ? SIM_EXIT_PASS : SIM_EXIT_FAIL;
}

int main(int argc, char **argv)
{
    struct table_options options;
    struct run run = {.is_terminal = isatty(STDERR_FILENO) != 0};

    table_options_parse(&options, argc, argv);
    struct table_cell *cells = options.is_hardest
                                   ? table_cells_new_hardest(options.grid.subject, &run.cell_count)
                                   : table_cells_new(&options.grid, &run.cell_count);
    if (run.cell_count == 0) {
        fprintf(stderr, "accuracy-table: no cell is left: %s does not go with these\n",
                table_subject_names[options.grid.subject]);
        free(cells);
        return SIM_EXIT_USAGE;
    }
    run.subject = options.grid.subject;
    run.cells = cells;
    run.figures = sim_memory_new(run.cell_count, sizeof *run.figures);
    run.started_ns = sim_progress_wall_ns();
    run.shown_ns = run.started_ns;
    int status = measure(&run, options.job_count);
    if (status == SIM_EXIT_PASS) {
        const struct table_outcome outcome = {.subject = run.subject,
                                              .command = options.command,
                                              .cells = cells,
                                              .figures = run.figures,
                                              .cell_count = run.cell_count};
        status = report(&options, &outcome);
        fprintf(stderr, "accuracy-table: %zu cells in %.0f s\n", run.cell_count,
                (double)(sim_progress_wall_ns() - run.started_ns) / 1e9);
    }
    free(run.figures);
    free(cells);
    return status;
}
