#include "table_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define NO_CELL SIZE_MAX

static const char *const cell_headings[] = {"limit>",  "demand>", "balance", "plan",
                                            "fill %>", "seed>",   "missed"};
#define CELL_HEADING_COUNT (sizeof cell_headings / sizeof cell_headings[0])

static const enum table_figure shown[] = {
    TABLE_OVER_PCT,         TABLE_UNDER_PCT,  TABLE_OVER_FIRST_PCT, TABLE_UNDER_FIRST_PCT,
    TABLE_REQUESTS_PER_ASK, TABLE_WAITED_PCT, TABLE_P99_US};
#define SHOWN_COUNT (sizeof shown / sizeof shown[0])

static bool is_in_row(const struct table_outcome *outcome, size_t row, size_t cell)
{
    return table_rows[row].holds_for(&outcome->cells[cell]);
}

static bool is_met(const struct table_outcome *outcome, size_t row, size_t cell)
{
    return table_row_is_met(&table_rows[row], &outcome->cells[cell], &outcome->figures[cell]);
}

size_t table_report_miss_count(const struct table_outcome *outcome)
{
    size_t count = 0;

    for (size_t cell = 0; cell < outcome->cell_count; cell++) {
        const size_t row = table_row_of(&outcome->cells[cell]);
        count +=
            !is_met(outcome, TABLE_ROW_EVERY_CELL, cell) ||
            (table_row_binds(&table_rows[row], outcome->subject) && !is_met(outcome, row, cell));
    }
    return count;
}

struct row_count {
    size_t cells;
    size_t passed;
    size_t inconclusive; /* and no miss */
    size_t missed;
};

static struct row_count count_row(const struct table_outcome *outcome, size_t row)
{
    struct row_count count = {0};

    for (size_t cell = 0; cell < outcome->cell_count; cell++) {
        if (is_in_row(outcome, row, cell)) {
            const bool is_good = is_met(outcome, row, cell);
            const bool is_unsure = outcome->figures[cell].is_inconclusive;
            count.cells++;
            count.missed += !is_good;
            count.inconclusive += is_good && is_unsure;
            count.passed += is_good && !is_unsure;
        }
    }
    return count;
}

static void print_heading(FILE *file, enum text_table_style style, const char *text)
{
    fprintf(file, style == TEXT_TABLE_MARKDOWN ? "\n## %s\n\n" : "\n%s\n", text);
}

/* What the row says of the subject. */
static const char *verdict(const struct table_outcome *outcome, size_t row,
                           const struct row_count *count)
{
    const bool is_good = count->missed == 0;

    if (count->cells == 0) {
        return "";
    }
    switch (table_rows[row].promise) {
    case TABLE_REQUIRED:
        return is_good ? "required: met" : "required: BROKEN";
    case TABLE_TARGET:
        if (outcome->subject == TABLE_TAPERED) {
            return is_good ? "target: met" : "target: missed";
        }
        return is_good ? "contrast: met" : "contrast: missed";
    case TABLE_NO_TARGET:
        break;
    }
    return is_good ? "no target: met" : "no target: missed";
}

static void print_summary(const struct table_outcome *outcome, FILE *file,
                          enum text_table_style style)
{
    static const char *const headings[] = {"row",     "cells>",  "passed>",    "inconclusive>",
                                           "missed>", "verdict", "which cells"};
    struct text_table table;

    text_table_init(&table, headings, sizeof headings / sizeof headings[0]);
    for (size_t row = 0; row < TABLE_ROW_COUNT; row++) {
        const struct row_count count = count_row(outcome, row);
        text_table_add(&table, "%s", table_rows[row].id);
        text_table_add(&table, "%zu", count.cells);
        text_table_add(&table, "%zu", count.passed);
        text_table_add(&table, "%zu", count.inconclusive);
        text_table_add(&table, "%zu", count.missed);
        text_table_add(&table, "%s", verdict(outcome, row, &count));
        text_table_add(&table, "%s", table_rows[row].words);
    }
    text_table_print(&table, file, style);
    text_table_deinit(&table);
}

/* One line for each promise of the row: the worst cell for it. */
static void print_checks(const struct table_outcome *outcome, size_t row, FILE *file,
                         enum text_table_style style)
{
    static const char *const headings[] = {"figure", "target>",    "worst>",        "missed>",
                                           "cells>", "worst cell", "of which cells"};
    struct text_table table;

    text_table_init(&table, headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < table_rows[row].check_count; i++) {
        const struct table_check *check = &table_rows[row].checks[i];
        size_t worst = NO_CELL;
        double worst_strain = -1;
        size_t missed = 0;
        size_t count = 0;
        char text[TABLE_NAME_SIZE];
        for (size_t cell = 0; cell < outcome->cell_count; cell++) {
            const struct table_cell *place = &outcome->cells[cell];
            const struct table_figures *figures = &outcome->figures[cell];
            if (!is_in_row(outcome, row, cell) || !table_check_applies(check, place)) {
                continue;
            }
            const double strain = table_check_strain(check, place, figures);
            count++;
            missed += !table_check_is_met(check, place, figures);
            worst = strain > worst_strain ? cell : worst;
            worst_strain = strain > worst_strain ? strain : worst_strain;
        }
        if (worst == NO_CELL) {
            continue;
        }
        text_table_add(&table, "%s", table_figure_words[check->figure].name);
        table_check_text(check, text, sizeof text);
        text_table_add(&table, "%s", text);
        table_figure_text(check->figure, outcome->figures[worst].values[check->figure], text,
                          sizeof text);
        text_table_add(&table, "%s", text);
        text_table_add(&table, "%zu", missed);
        text_table_add(&table, "%zu", count);
        table_cell_name(&outcome->cells[worst], text, sizeof text);
        text_table_add(&table, "%s", worst_strain > 0 ? text : "");
        text_table_add(&table, "%s", check->scope == NULL ? "all" : check->scope);
    }
    text_table_print(&table, file, style);
    text_table_deinit(&table);
}

/* What the cell missed, with its value: "under 0.132 %, requests per ask 4.1". */
static void missed_text(const struct table_outcome *outcome, size_t row, size_t cell, char *text,
                        size_t text_size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < table_rows[row].check_count; i++) {
        const struct table_check *check = &table_rows[row].checks[i];
        char value[64];
        if (!table_check_applies(check, &outcome->cells[cell]) ||
            table_check_is_met(check, &outcome->cells[cell], &outcome->figures[cell]) ||
            length >= text_size) {
            continue;
        }
        table_figure_text(check->figure, outcome->figures[cell].values[check->figure], value,
                          sizeof value);
        length +=
            (size_t)snprintf(text + length, text_size - length, "%s%s %s", length > 0 ? "; " : "",
                             table_figure_words[check->figure].name, value);
    }
}

static void add_miss(const struct table_outcome *outcome, size_t row, size_t cell,
                     struct text_table *table)
{
    const struct table_cell *place = &outcome->cells[cell];
    const struct table_figures *figures = &outcome->figures[cell];
    char text[400];

    text_table_add(table, "%" PRIu64, place->limit_per_min);
    text_table_add(table, "%g", (double)place->demand_ppm / 1e6);
    text_table_add(table, "%s", table_balance_names[place->balance]);
    table_cell_plan_name(place, text, sizeof text);
    text_table_add(table, "%s", text);
    text_table_add(table, "%" PRIu32, place->start_fill_pct);
    text_table_add(table, "%" PRIu32, place->seed);
    missed_text(outcome, row, cell, text, sizeof text);
    text_table_add(table, "%s", text);
    for (size_t i = 0; i < SHOWN_COUNT; i++) {
        table_figure_text(shown[i], figures->values[shown[i]], text, sizeof text);
        text_table_add(table, "%s", text);
    }
    if (figures->worst_cause == SIM_CAUSE_COUNT) {
        text_table_add(table, "none");
    } else {
        text_table_add(table, "%s, interval %" PRIu32, table_figures_cause(figures),
                       figures->worst_interval);
    }
}

struct miss {
    size_t cell;
    double strain;
};

static int by_strain(const void *a, const void *b)
{
    const struct miss *left = a;
    const struct miss *right = b;

    if (left->strain < right->strain || left->strain > right->strain) {
        return left->strain < right->strain ? 1 : -1;
    }
    return (left->cell > right->cell) - (left->cell < right->cell);
}

static void print_replay(const struct table_outcome *outcome, size_t cell, FILE *file,
                         enum text_table_style style)
{
    struct table_sets sets;

    table_cell_sets(&outcome->cells[cell], outcome->subject, &sets);
    fprintf(file,
            style == TEXT_TABLE_MARKDOWN ? "\nReplay of the first:\n\n    " : "replay the first: ");
    fprintf(file, "./run run bench/cell.json --kernel heap");
    for (size_t i = 0; i < sets.count; i++) {
        fprintf(file, " --set '%s'", sets.pointers[i]);
    }
    fputc('\n', file);
}

/* Worst first. */
static void print_misses(const struct table_outcome *outcome, size_t row, FILE *file,
                         enum text_table_style style)
{
    const char *headings[CELL_HEADING_COUNT + SHOWN_COUNT + 1] = {NULL};
    static const char *const figure_headings[SHOWN_COUNT] = {
        "over>", "under>", "first over>", "first under>", "req/ask>", "waited>", "p99>"};
    struct miss *misses = sim_memory_new(outcome->cell_count, sizeof *misses);
    struct text_table table;
    size_t count = 0;

    for (size_t cell = 0; cell < outcome->cell_count; cell++) {
        if (is_in_row(outcome, row, cell) && !is_met(outcome, row, cell)) {
            misses[count++] =
                (struct miss){cell, table_row_strain(&table_rows[row], &outcome->cells[cell],
                                                     &outcome->figures[cell])};
        }
    }
    if (count == 0) {
        free(misses);
        return;
    }
    qsort(misses, count, sizeof *misses, by_strain);
    memcpy(headings, cell_headings, sizeof cell_headings);
    memcpy(headings + CELL_HEADING_COUNT, figure_headings, sizeof figure_headings);
    headings[CELL_HEADING_COUNT + SHOWN_COUNT] = "largest cause";
    text_table_init(&table, headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < count; i++) {
        add_miss(outcome, row, misses[i].cell, &table);
    }
    fprintf(file, "\n%s, worst first:\n\n",
            table_rows[row].promise == TABLE_NO_TARGET ? "What a target would miss" : "Misses");
    text_table_print(&table, file, style);
    print_replay(outcome, misses[0].cell, file, style);
    text_table_deinit(&table);
    free(misses);
}

/* What every subject has to keep in every cell, and what the other rows are for this one. */
static void print_requirements(const struct table_outcome *outcome, FILE *file)
{
    const struct row_count required = count_row(outcome, TABLE_ROW_EVERY_CELL);

    fprintf(file, "Required of every limiter in every cell: 0 units above the contract, 0 of error "
                  "without a cause, 0 missing in the ledger, 0 spent and not reported. ");
    if (required.missed == 0) {
        fprintf(file, "Met in all %zu.", required.cells);
    } else {
        fprintf(file, "BROKEN in %zu of %zu.", required.missed, required.cells);
    }
    if (outcome->subject != TABLE_TAPERED) {
        fprintf(file,
                " The other rows are the targets of tapered leases; for %s they are contrast.",
                table_subject_names[outcome->subject]);
    }
    fprintf(file, "\n\n");
}

static void print_head(const struct table_outcome *outcome, FILE *file, enum text_table_style style)
{
    const bool is_markdown = style == TEXT_TABLE_MARKDOWN;

    fprintf(file, "%sAccuracy table: %s\n\n", is_markdown ? "# " : "",
            table_subject_names[outcome->subject]);
    fprintf(file, is_markdown ? "Made by `%s`; do not edit.\n\n" : "%s\n\n", outcome->command);
    fprintf(file,
            "%zu cells: 50 processes, round trip 500 us, clocks off by up to 50 ms and "
            "20 ppm, Poisson traffic; over and under in percent of the limit, largest of "
            "all intervals. Inconclusive: above the limit, but the ideal limiter refused "
            "less than half of the excess during the run.\n\n",
            outcome->cell_count);
    print_requirements(outcome, file);
}

void table_report_print(const struct table_outcome *outcome, FILE *file,
                        enum text_table_style style)
{
    print_head(outcome, file, style);
    print_summary(outcome, file, style);
    for (size_t row = 0; row < TABLE_ROW_COUNT; row++) {
        const struct row_count count = count_row(outcome, row);
        char heading[256];
        if (count.cells == 0) {
            continue;
        }
        snprintf(heading, sizeof heading, "%s: %s", table_rows[row].id, table_rows[row].words);
        print_heading(file, style, heading);
        fprintf(file, "%zu cells: %zu passed, %zu inconclusive, %zu missed\n\n", count.cells,
                count.passed, count.inconclusive, count.missed);
        print_checks(outcome, row, file, style);
        print_misses(outcome, row, file, style);
    }
}

static void print_csv_headings(FILE *file)
{
    fprintf(file, "subject,limit_per_min,demand_ratio,balance,capacity_s,start_fill_pct,seed,"
                  "duration_s,row,verdict,strain,first_saturation_interval,worst_interval,"
                  "worst_cause,requests,asks,demand_units,oracle_units,admitted_units");
    for (int i = 0; i < TABLE_FIGURE_COUNT; i++) {
        fprintf(file, ",%s", table_figure_words[i].id);
    }
    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        fprintf(file, ",cause_%s_units", sim_cause_names[i]);
    }
    fputc('\n', file);
}

void table_report_csv(const struct table_outcome *outcome, FILE *file)
{
    print_csv_headings(file);
    for (size_t i = 0; i < outcome->cell_count; i++) {
        const struct table_cell *cell = &outcome->cells[i];
        const struct table_figures *figures = &outcome->figures[i];
        const size_t row = table_row_of(cell);
        const bool is_good = is_met(outcome, row, i) && is_met(outcome, TABLE_ROW_EVERY_CELL, i);
        fprintf(file, "%s,%" PRIu64 ",%g,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32,
                table_subject_names[outcome->subject], cell->limit_per_min,
                (double)cell->demand_ppm / 1e6, table_balance_names[cell->balance],
                cell->capacity_s, cell->start_fill_pct, cell->seed, table_cell_duration_s(cell));
        fprintf(file, ",%s,%s,%.3f,%d,%" PRIu32 ",%s", table_rows[row].id,
                !is_good                   ? "miss"
                : figures->is_inconclusive ? "inconclusive"
                                           : "pass",
                table_row_strain(&table_rows[row], cell, figures), figures->first_interval,
                figures->worst_interval, table_figures_cause(figures));
        fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                figures->request_count, figures->ask_count, figures->demand_units,
                figures->oracle_units, figures->admitted_units);
        for (int j = 0; j < TABLE_FIGURE_COUNT; j++) {
            fprintf(file, ",%.6g", figures->values[j]);
        }
        for (int j = 0; j < SIM_CAUSE_COUNT; j++) {
            fprintf(file, ",%" PRIu64, figures->cause_units[j]);
        }
        fputc('\n', file);
    }
}
