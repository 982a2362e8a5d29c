#include "compare_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "readable.h"
#include "screen_table.h"

#define NS_PER_S UINT64_C(1000000000)
#define TEXT_SIZE 1200

enum list_kind { LIST_BETTER = 0, LIST_WORSE };

static void add(char *text, size_t size, const char *more)
{
    const size_t length = strlen(text);

    snprintf(text + length, size - length, "%s", more);
}

/* In most pairs, and in no pair the other way. */
static bool is_clear(const struct study_gap *gap, size_t pairs, enum list_kind kind)
{
    const size_t so = kind == LIST_BETTER ? gap->better_count : gap->worse_count;
    const size_t other = kind == LIST_BETTER ? gap->worse_count : gap->better_count;

    return gap->is_there && 2 * so > pairs && other == 0;
}

/* "under, % of limit (+23.100)". Returns how many there are. */
static size_t list_clear(char *text, size_t size, const struct study_compare *compare,
                         enum list_kind kind)
{
    size_t count = 0;

    text[0] = '\0';
    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        const struct study_gap *gap = &compare->gaps[i];
        if (!is_clear(gap, compare->seed_count, kind)) {
            continue;
        }
        char item[160];
        snprintf(item, sizeof item, "%s%s (%s)", count == 0 ? "" : "; ", study_measures[i].name,
                 study_measure_change(&study_measures[i], gap->change_median).text);
        add(text, size, item);
        count++;
    }
    return count;
}

static void print_lists(FILE *file, const struct study_comparison *comparison, size_t width)
{
    char better[TEXT_SIZE];
    char worse[TEXT_SIZE];
    const size_t better_count = list_clear(better, sizeof better, comparison->compare, LIST_BETTER);
    const size_t worse_count = list_clear(worse, sizeof worse, comparison->compare, LIST_WORSE);

    if (better_count > 0) {
        sim_screen_wrap(file, width, "B better  ", better);
    }
    if (worse_count > 0) {
        sim_screen_wrap(file, width, "B worse   ", worse);
    }
    if (better_count + worse_count == 0) {
        sim_screen_wrap(file, width, "", "Neither side is the better one in any measure.");
    }
}

static void print_given(FILE *file, const struct study_comparison *comparison, size_t width)
{
    const struct study_divergence *divergence = comparison->divergence;
    const struct study_given *a = &divergence->given[0];
    const struct study_given *b = &divergence->given[1];
    const enum study_pairing pairing = study_given_compare(a, b);
    const char *requests = a->reacts ? "first attempts" : "requests";
    const char *where = a->landings == b->landings ? "on the same processes" : "on other processes";
    char text[TEXT_SIZE];

    if (pairing == STUDY_UNPAIRED) {
        snprintf(text, sizeof text,
                 "A is given %s %s of %s, B %s of %s; what differs is %s. A part of every "
                 "difference below is owed to that.",
                 sim_readable_count(a->request_count).text, requests,
                 sim_readable_units(a->unit_count).text, sim_readable_count(b->request_count).text,
                 sim_readable_units(b->unit_count).text,
                 study_given_difference(divergence->scenarios[0], divergence->scenarios[1]));
        sim_screen_wrap(file, width, "NOT PAIRED  ", text);
        return;
    }
    char faults[120] = "no faults";
    if (pairing == STUDY_PAIRED_BUT_FAULTS) {
        snprintf(faults, sizeof faults,
                 "but not the same faults: A has %" PRIu32 ", B has %" PRIu32, a->fault_count,
                 b->fault_count);
    } else if (a->fault_count > 0) {
        snprintf(faults, sizeof faults, "and the same %" PRIu32 " fault%s", a->fault_count,
                 a->fault_count == 1 ? "" : "s");
    }
    snprintf(text, sizeof text, "both are given the same %s %s, %s, %s",
             sim_readable_count(a->request_count).text, requests, where, faults);
    sim_screen_wrap(file, width, "paired    ", text);
}

static void print_table(FILE *file, const struct study_compare *compare, size_t width)
{
    static const struct sim_screen_column columns[] = {
        {"median of the seeds", SIM_SCREEN_LEFT, 9},
        {"A", SIM_SCREEN_RIGHT, 8},
        {"B", SIM_SCREEN_RIGHT, 7},
        {"change", SIM_SCREEN_RIGHT, 6},
        {"worst", SIM_SCREEN_RIGHT, 4},
        {"B better", SIM_SCREEN_RIGHT, 5},
        {"worse", SIM_SCREEN_RIGHT, 3},
    };
    struct sim_screen_table table;
    size_t row = 0;

    sim_screen_table_init(&table, columns, sizeof columns / sizeof columns[0], STUDY_MEASURE_COUNT,
                          20);
    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        const struct study_measure *measure = &study_measures[i];
        const struct study_gap *gap = &compare->gaps[i];
        if (!gap->is_there) {
            continue;
        }
        char *const cells[] = {
            sim_screen_table_cell(&table, row, 0), sim_screen_table_cell(&table, row, 1),
            sim_screen_table_cell(&table, row, 2), sim_screen_table_cell(&table, row, 3),
            sim_screen_table_cell(&table, row, 4), sim_screen_table_cell(&table, row, 5),
            sim_screen_table_cell(&table, row, 6),
        };
        const size_t size = SIM_SCREEN_CELL_SIZE;
        snprintf(cells[0], size, "%s", measure->name);
        snprintf(cells[1], size, "%s", study_measure_value(measure, gap->medians[0]).text);
        snprintf(cells[2], size, "%s", study_measure_value(measure, gap->medians[1]).text);
        if (gap->differing_count == 0) {
            snprintf(cells[3], size, "same");
        } else {
            snprintf(cells[3], size, "%s", study_measure_change(measure, gap->change_median).text);
            snprintf(cells[4], size, "%s", study_measure_change(measure, gap->change_worst).text);
        }
        if (measure->better != STUDY_BETTER_NEITHER && gap->differing_count > 0) {
            snprintf(cells[5], size, "%zu of %zu", gap->better_count, compare->seed_count);
            snprintf(cells[6], size, "%zu", gap->worse_count);
        }
        row++;
    }
    table.row_count = row;
    sim_screen_table_print(file, &table, width);
    sim_screen_table_free(&table);
}

static void describe_decision(char *text, size_t size, const struct study_decision *decision)
{
    static const char *const reasons[] = {
        "",
        ": there is no limit",
        ": over the limit",
        ": it costs more than the capacity",
        ": what is left is held by other processes",
        "",
        ": above what a process may admit without the store",
    };

    if (!decision->is_there) {
        snprintf(text, size, "never decided");
        return;
    }
    const uint64_t waited_ns = decision->decided_ns - decision->arrived_ns;
    snprintf(text, size, "%s in process %" PRIu32 ", %s%s%s%s",
             decision->verdict == WEIR_VERDICT_ADMITTED ? "admitted" : "denied", decision->process,
             waited_ns == 0 ? "at once" : "after ",
             waited_ns == 0 ? "" : sim_readable_time(waited_ns).text,
             decision->mode == WEIR_MODE_DEGRADED ? ", without the store" : "",
             reasons[decision->reason]);
}

static void print_why(FILE *file, const struct study_comparison *comparison)
{
    const struct study_divergence *divergence = comparison->divergence;

    for (size_t side = 0; side < 2 && comparison->folder != NULL; side++) {
        const struct study_decision *decision = &divergence->decisions[side];
        if (decision->is_there) {
            fprintf(file,
                    "  weir why %s/%s.json --key %s --at %" PRIu64 ".%09" PRIu64
                    " --process %" PRIu32 "\n",
                    comparison->folder, side == 0 ? "a" : "b",
                    study_divergence_key(divergence->scenarios[0], decision->key).text,
                    decision->arrived_ns / NS_PER_S, decision->arrived_ns % NS_PER_S,
                    decision->process);
        }
    }
}

static void print_divergence(FILE *file, const struct study_comparison *comparison, size_t width)
{
    const struct study_divergence *divergence = comparison->divergence;
    const struct study_decision *first = &divergence->decisions[0];
    char text[TEXT_SIZE];

    if (study_given_compare(&divergence->given[0], &divergence->given[1]) == STUDY_UNPAIRED) {
        return;
    }
    if (!divergence->found) {
        snprintf(text, sizeof text, "with seed %" PRIu64 " both decide every request alike",
                 comparison->compare->first_seed);
        sim_screen_wrap(file, width, "", text);
        return;
    }
    snprintf(text, sizeof text,
             "with seed %" PRIu64 ", the request of %s at %" PRIu64 ".%09" PRIu64
             " s (%s); all before it are decided alike",
             comparison->compare->first_seed,
             study_divergence_key(divergence->scenarios[0], first->key).text,
             first->arrived_ns / NS_PER_S, first->arrived_ns % NS_PER_S,
             sim_readable_units(first->cost_units).text);
    sim_screen_wrap(file, width, "first difference  ", text);
    describe_decision(text, sizeof text, &divergence->decisions[0]);
    sim_screen_wrap(file, width, "  A  ", text);
    describe_decision(text, sizeof text, &divergence->decisions[1]);
    sim_screen_wrap(file, width, "  B  ", text);
    snprintf(text, sizeof text,
             "in its second %s of %s requests are decided differently; so are some in %" PRIu32
             " of %" PRIu32 " seconds",
             sim_readable_count(divergence->second_differing_count).text,
             sim_readable_count(divergence->second_request_count).text,
             divergence->differing_second_count, divergence->second_count);
    sim_screen_wrap(file, width, "  ", text);
    print_why(file, comparison);
}

void study_compare_print(FILE *file, const struct study_comparison *comparison, size_t width)
{
    const struct study_compare *compare = comparison->compare;
    char text[TEXT_SIZE];

    if (compare->seed_count == 1) {
        snprintf(text, sizeof text, "seed %" PRIu64, compare->first_seed);
    } else {
        snprintf(text, sizeof text, "seeds %" PRIu64 " to %" PRIu64, compare->first_seed,
                 compare->first_seed + compare->seed_count - 1);
    }
    fprintf(file, "%s: %s\n\n", comparison->title, text);
    sim_screen_wrap(file, width, "A         ", comparison->names[0]);
    sim_screen_wrap(file, width, "B         ", comparison->names[1]);
    print_given(file, comparison, width);
    print_lists(file, comparison, width);
    fputc('\n', file);
    print_table(file, compare, width);
    fputc('\n', file);
    print_divergence(file, comparison, width);
}
