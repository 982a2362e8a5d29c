#include "size_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "readable.h"
#include "result.h"
#include "screen_table.h"
#include "shell_word.h"
#include "weir/assert.h"

#define TEXT_SIZE 1200

/* "0.140 % of the limit" */
struct bound_text {
    char text[120];
};

static struct bound_text value_of(enum study_bound_kind bound, double value)
{
    const struct study_bound_text *of = &study_bound_texts[bound];
    struct bound_text text;

    snprintf(text.text, sizeof text.text, "%s%s",
             study_measure_value(study_measure_find(of->path), value).text, of->unit);
    return text;
}

/* As it was given: a bound of 0.0005 is not 0.001. */
static struct bound_text bound_number(const struct study_size *size, enum study_bound_kind bound)
{
    struct bound_text text;
    const double value = size->bounds[bound];

    if (value >= 1000) {
        snprintf(text.text, sizeof text.text, "%s", sim_readable_count((uint64_t)value).text);
    } else {
        snprintf(text.text, sizeof text.text, "%.6g", value);
    }
    return text;
}

/* A result to read what all candidates have in common. */
static const json_t *any_result(const struct study_size *size)
{
    WEIR_ASSERT(size->candidate_count > 0);
    WEIR_ASSERT(size->candidates[0].seed_count > 0);
    return size->candidates[0].results[0];
}

double study_size_asks_floor(const struct study_sizing *sizing)
{
    double pairs = 0;

    (void)sim_result_number(any_result(sizing->size), "store.pairs", &pairs);
    return pairs / ((double)sizing->scenario->duration_ns / 1e9);
}

static void print_floors(FILE *file, const struct study_sizing *sizing, size_t width)
{
    const struct study_size *size = sizing->size;
    char text[TEXT_SIZE];
    double pairs = 0;
    double first = 0;
    double all = 0;

    if (size->is_bounded[STUDY_BOUND_ASKS]) {
        (void)sim_result_number(any_result(size), "store.pairs", &pairs);
        snprintf(text, sizeof text,
                 "%s pairs of key and process meet in %s, and each has to ask at least once: "
                 "nobody can do with less than %s",
                 sim_readable_count((uint64_t)pairs).text,
                 sim_readable_duration(sizing->scenario->duration_ns).text,
                 value_of(STUDY_BOUND_ASKS, study_size_asks_floor(sizing)).text);
        sim_screen_wrap(file, width, "floor   ", text);
    }
    (void)sim_result_number(any_result(size), "latency_us.first_touches.count", &first);
    (void)sim_result_number(any_result(size), "latency_us.count", &all);
    if (size->is_bounded[STUDY_BOUND_P99] && all > 0 && first > 0.01 * all) {
        snprintf(text, sizeof text,
                 "%.1f %% of the admitted requests are the first of their key in their process "
                 "and wait for the store: nobody's p99 is below a round trip, %s",
                 100 * first / all, sim_readable_time(sizing->scenario->round_trip_ns).text);
        sim_screen_wrap(file, width, "floor   ", text);
    }
}

void study_size_explain(char *text, size_t text_size, const struct study_sizing *sizing,
                        enum study_bound_kind bound)
{
    const struct study_size *size = sizing->size;
    const struct study_candidate *best = &size->candidates[study_size_best(size, bound)];
    const size_t other = study_size_best_of_others(size, bound);
    char given[100];

    snprintf(given, sizeof given, "--%s %.60s", study_bound_texts[bound].option,
             bound_number(size, bound).text);
    if (best->worst[bound] > size->bounds[bound]) {
        snprintf(text, text_size, "%s: out of reach; the least of all is %s (%s)", given,
                 value_of(bound, best->worst[bound]).text, best->name);
    } else if (other == STUDY_SIZE_NOBODY) {
        snprintf(text, text_size, "%s: can be kept (%s), and giving it up would not help", given,
                 best->name);
    } else if (size->candidates[other].misses == 0) {
        text[0] = '\0';
    } else {
        snprintf(text, text_size, "%s: with all the others kept, the least is %s (%s)", given,
                 value_of(bound, size->candidates[other].worst[bound]).text,
                 size->candidates[other].name);
    }
}

void study_size_find(char *text, size_t text_size, const struct study_sizing *sizing)
{
    const struct study_size *size = sizing->size;

    if (size->chosen == STUDY_SIZE_NOBODY) {
        snprintf(text, text_size, "No settings keep all bounds");
    } else {
        const struct study_candidate *chosen = &size->candidates[size->chosen];
        snprintf(text, text_size, "%s keeps all bounds, with at most %s", chosen->name,
                 value_of(STUDY_BOUND_ASKS, chosen->worst[STUDY_BOUND_ASKS]).text);
    }
}

static void print_verdict(FILE *file, const struct study_sizing *sizing, size_t width)
{
    const struct study_size *size = sizing->size;
    char text[TEXT_SIZE];

    study_size_find(text, sizeof text, sizing);
    if (size->chosen != STUDY_SIZE_NOBODY) {
        const struct study_candidate *chosen = &size->candidates[size->chosen];
        sim_screen_wrap(file, width, "FOUND   ", text);
        fprintf(file, "  weir run");
        sim_shell_word_print(file, size->scenario);
        for (size_t i = 0; i < size->set_count + chosen->set_count; i++) {
            fprintf(file, " --set");
            sim_shell_word_print(file, i < size->set_count ? size->sets[i]
                                                           : chosen->sets[i - size->set_count]);
        }
        fputc('\n', file);
        return;
    }
    sim_screen_wrap(file, width, "NONE    ", text);
    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        if (size->is_bounded[bound]) {
            study_size_explain(text, sizeof text, sizing, (enum study_bound_kind)bound);
            sim_screen_wrap(file, width, "  ", text);
        }
    }
    print_floors(file, sizing, width);
}

static void list_misses(char *text, size_t text_size, const struct study_candidate *candidate)
{
    size_t length = 0;

    text[0] = '\0';
    for (int bound = 0; bound < STUDY_BOUND_COUNT && length < text_size; bound++) {
        if ((candidate->misses & 1u << bound) != 0) {
            const int added = snprintf(text + length, text_size - length, "%s%s",
                                       length == 0 ? "" : ", ", study_bound_texts[bound].option);
            length += added < 0 ? 0 : (size_t)added;
        }
    }
}

static void fill_row(const struct sim_screen_table *table, size_t row,
                     const struct study_size *size, size_t index)
{
    static const enum study_bound_kind shown[] = {
        STUDY_BOUND_OVER, STUDY_BOUND_UNDER,     STUDY_BOUND_OVER_UNITS, STUDY_BOUND_UNDER_UNITS,
        STUDY_BOUND_ASKS, STUDY_BOUND_PEAK_ASKS, STUDY_BOUND_P99};
    const struct study_candidate *candidate = &size->candidates[index];
    const char *mark = index == size->chosen ? ">" : candidate->is_efficient ? "*" : " ";

    snprintf(sim_screen_table_cell(table, row, 0), SIM_SCREEN_CELL_SIZE, "%s %s", mark,
             candidate->name);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        const enum study_bound_kind bound = shown[i];
        const bool in_units = bound == STUDY_BOUND_OVER_UNITS || bound == STUDY_BOUND_UNDER_UNITS;
        if (!in_units || size->is_bounded[bound]) {
            const struct study_measure *of = study_measure_find(study_bound_texts[bound].path);
            snprintf(sim_screen_table_cell(table, row, 1 + i), SIM_SCREEN_CELL_SIZE, "%s",
                     study_measure_value(of, candidate->worst[bound]).text);
        }
    }
    snprintf(sim_screen_table_cell(table, row, 8), SIM_SCREEN_CELL_SIZE, "%zu",
             candidate->seed_count);
    list_misses(sim_screen_table_cell(table, row, 9), SIM_SCREEN_CELL_SIZE, candidate);
}

static void print_table(FILE *file, const struct study_size *size, size_t width)
{
    static const struct sim_screen_column columns[] = {
        {"  settings", SIM_SCREEN_LEFT, 20}, {"over %", SIM_SCREEN_RIGHT, 10},
        {"under %", SIM_SCREEN_RIGHT, 11},   {"over u", SIM_SCREEN_RIGHT, 12},
        {"under u", SIM_SCREEN_RIGHT, 13},   {"asks/s", SIM_SCREEN_RIGHT, 14},
        {"busiest s", SIM_SCREEN_RIGHT, 4},  {"p99 us", SIM_SCREEN_RIGHT, 5},
        {"seeds", SIM_SCREEN_RIGHT, 3},      {"misses", SIM_SCREEN_LEFT, 9},
    };
    struct sim_screen_table table;
    size_t row = 0;

    sim_screen_table_init(&table, columns, sizeof columns / sizeof columns[0],
                          size->candidate_count, 24);
    for (size_t i = 0; i < size->candidate_count; i++) {
        if (size->candidates[i].seed_count > 0) {
            fill_row(&table, row++, size, i);
        }
    }
    table.row_count = row;
    sim_screen_table_print(file, &table, width);
    sim_screen_table_free(&table);
}

void study_size_print(FILE *file, const struct study_sizing *sizing, size_t width)
{
    const struct study_size *size = sizing->size;
    char text[TEXT_SIZE] = "";
    size_t refused = 0;

    fprintf(file, "%s: the worst of %zu seed%s, from %" PRIu64 " on\n\n", sizing->scenario->name,
            size->seed_count, size->seed_count == 1 ? "" : "s", size->first_seed);
    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        if (size->is_bounded[bound]) {
            const size_t length = strlen(text);
            snprintf(text + length, sizeof text - length, "%s--%s %s", length == 0 ? "" : " ",
                     study_bound_texts[bound].option,
                     bound_number(size, (enum study_bound_kind)bound).text);
        }
    }
    sim_screen_wrap(file, width, "bounds  ", text);
    print_verdict(file, sizing, width);
    fputc('\n', file);
    print_table(file, size, width);
    for (size_t i = 0; i < size->candidate_count; i++) {
        refused += size->candidates[i].is_refused;
    }
    fputc('\n', file);
    sim_screen_wrap(file, width, "",
                    size->chosen == STUDY_SIZE_NOBODY
                        ? "* no other is as good in all bounds and asks"
                        : "> keeps all bounds at the fewest asks; * no other is as good in all "
                          "bounds and asks");
    if (refused > 0) {
        snprintf(text, sizeof text, "not tried, as the scenario's faults do not allow it:");
        for (size_t i = 0; i < size->candidate_count; i++) {
            if (size->candidates[i].is_refused) {
                const size_t length = strlen(text);
                snprintf(text + length, sizeof text - length, " %s", size->candidates[i].name);
            }
        }
        sim_screen_wrap(file, width, "", text);
    }
}
