#include "claim_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "memory.h"
#include "readable.h"
#include "result.h"
#include "table_cell.h"

#define DIGITS 3 /* that count */

/* 1,234; 12.3; 0.0012; no zeros at the end of a fraction */
static void write_number(char *text, size_t size, double value)
{
    const double length = fabs(value);
    const char *sign = value < 0 ? "-" : "";

    if (length >= 999.5) {
        snprintf(text, size, "%s%s", sign, sim_readable_count((uint64_t)(length + 0.5)).text);
        return;
    }
    int decimals = DIGITS - 1;
    for (double edge = 9.995; decimals > 0 && length >= edge; edge *= 10) {
        decimals--;
    }
    for (double edge = 0.0995; length > 0 && length < 1 && decimals < 6 && length < edge;
         edge /= 10) {
        decimals++;
    }
    if (length < 1 && decimals == DIGITS - 1) {
        decimals = DIGITS;
    }
    snprintf(text, size, "%s%.*f", sign, decimals, length);
    if (strchr(text, '.') != NULL) {
        size_t end = strlen(text);
        while (text[end - 1] == '0') {
            text[--end] = '\0';
        }
        if (text[end - 1] == '.') {
            text[end - 1] = '\0';
        }
    }
}

/* The unit that a value is shown in; *scale is how many of `unit` are one of it. */
static const char *shown_unit(double value, const char *unit, double *scale)
{
    *scale = 1;
    if (strcmp(unit, "us") == 0 && fabs(value) >= 1e6) {
        *scale = 1e6;
        return "s";
    }
    if (strcmp(unit, "us") == 0 && fabs(value) >= 1e3) {
        *scale = 1e3;
        return "ms";
    }
    return unit;
}

/* "asks" and "units" lose their last letter beside a one; "us", "asks/s", "entries" and "times",
 * which is a factor, do not. */
static bool is_plural(const char *unit)
{
    const size_t length = strlen(unit);

    return length > 3 && unit[length - 1] == 's' && strchr(unit, '/') == NULL &&
           strcmp(unit + length - 3, "ies") != 0 && strcmp(unit, "times") != 0;
}

/* In `unit`, or the larger one that `beside` calls for. */
static void write_bare(char *text, size_t size, double value, const char *unit, double beside)
{
    double scale;

    (void)shown_unit(beside, unit, &scale);
    write_number(text, size, value / scale);
    if (strcmp(text, "-0") == 0) {
        snprintf(text, size, "0");
    }
}

struct study_amount study_amount_bare(double value, const char *unit, double beside)
{
    struct study_amount amount;

    write_bare(amount.text, sizeof amount.text, value, unit, beside);
    return amount;
}

struct study_amount study_amount(double value, const char *unit)
{
    struct study_amount amount;
    char number[64];
    double scale;

    write_bare(number, sizeof number, value, unit, value);
    unit = shown_unit(value, unit, &scale);
    snprintf(amount.text, sizeof amount.text, "%s%s%s", number, unit[0] == '\0' ? "" : " ", unit);
    if (strcmp(number, "1") == 0 && is_plural(unit)) {
        amount.text[strlen(amount.text) - 1] = '\0';
    }
    return amount;
}

static bool figure_of_run(struct study_figure *figure, const struct study_claim *claim,
                          const struct study_claim_measure *measure, const struct study_run *runs,
                          char *error, size_t error_size)
{
    const struct study_claim_run *run = &claim->runs[measure->run];
    const size_t count = run->seed_count == 0 ? 1 : run->seed_count;
    double *values = sim_memory_new(count, sizeof *values);
    bool good = true;

    for (size_t i = 0; i < count && good; i++) {
        good = sim_result_number(runs[run->first + i].result, measure->path, &values[i]);
    }
    if (!good) {
        snprintf(error, error_size,
                 "%s: measures.%s.path: found \"%s\"; allowed: a number that "
                 "is in the result of run \"%s\"",
                 claim->file, measure->name, measure->path, run->name);
        free(values);
        return false;
    }
    figure->seed_count = run->seed_count;
    figure->middle = study_median(values, count);
    figure->least = figure->most = values[0];
    for (size_t i = 1; i < count; i++) {
        figure->least = fmin(figure->least, values[i]);
        figure->most = fmax(figure->most, values[i]);
    }
    figure->value = measure->seeds == STUDY_SEEDS_MAX   ? figure->most
                    : measure->seeds == STUDY_SEEDS_MIN ? figure->least
                                                        : figure->middle;
    free(values);
    return true;
}

static double combine(const struct study_claim_measure *measure, const struct study_figure *figures)
{
    double value = figures[measure->operands[0]].value;

    for (size_t i = 1; i < measure->operand_count; i++) {
        const double next = figures[measure->operands[i]].value;

        switch (measure->kind) {
        case STUDY_MEASURE_RATIO:
            value /= next;
            break;
        case STUDY_MEASURE_DIFFERENCE:
            value -= next;
            break;
        case STUDY_MEASURE_SUM:
            value += next;
            break;
        case STUDY_MEASURE_PRODUCT:
            value *= next;
            break;
        case STUDY_MEASURE_MAX:
            value = fmax(value, next);
            break;
        case STUDY_MEASURE_MIN:
            value = fmin(value, next);
            break;
        case STUDY_MEASURE_RUN:
        case STUDY_MEASURE_VALUE:
        case STUDY_MEASURE_CELL:
            break;
        }
    }
    return value;
}

static bool make_figure(struct study_judged *judged, size_t index, const struct study_run *runs,
                        char *error, size_t error_size)
{
    const struct study_claim *claim = judged->claim;
    const struct study_claim_measure *measure = &claim->measures[index];
    struct study_figure *figure = &judged->figures[index];

    if (measure->kind == STUDY_MEASURE_RUN) {
        return figure_of_run(figure, claim, measure, runs, error, error_size);
    }
    if (measure->kind == STUDY_MEASURE_CELL) {
        char reason[400];
        if (!study_table_cell(measure->file, measure->heading, measure->row, measure->column,
                              &figure->value, reason, sizeof reason)) {
            snprintf(error, error_size, "%s: measures.%s: %s", claim->file, measure->name, reason);
            return false;
        }
    } else {
        figure->value = measure->kind == STUDY_MEASURE_VALUE ? measure->value
                                                             : combine(measure, judged->figures);
    }
    if (!isfinite(figure->value)) {
        snprintf(error, error_size, "%s: measures.%s: comes to no number: divided by 0",
                 claim->file, measure->name);
        return false;
    }
    figure->least = figure->middle = figure->most = figure->value;
    return true;
}

static bool applies(const struct study_verdict *verdict, const struct study_figure *figures)
{
    for (size_t i = 0; i < verdict->condition_count; i++) {
        const struct study_condition *at = &verdict->conditions[i];
        const double value = figures[at->measure].value;
        if (!(value >= at->minimum && value <= at->maximum)) {
            return false;
        }
    }
    return true;
}

static char *fill_words(const struct study_claim *claim, const char *words,
                        const struct study_figure *figures)
{
    char *filled = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&filled, &size);

    if (text == NULL) {
        return NULL;
    }
    while (*words != '\0') {
        const size_t plain = strcspn(words, "{");
        fprintf(text, "%.*s", (int)plain, words);
        words += plain;
        if (*words == '{') {
            const size_t length = strcspn(words + 1, "}");
            const size_t measure = study_claim_find(claim, words + 1, length);
            fputs(study_amount(figures[measure].value, claim->measures[measure].unit).text, text);
            words += length + 2;
        }
    }
    fclose(text);
    return filled;
}

static bool check_agrees(const struct study_check *check, const struct study_figure *figures)
{
    const double against = figures[check->against].value;
    double off = fabs(figures[check->measure].value - against);

    if (check->is_percent && off > 0) {
        off = 100 * off / fabs(against); /* of nothing: infinite, which agrees with no bound */
    }
    return off <= check->within + 1e-9;
}

bool study_claim_judge(struct study_judged *judged, const struct study_claim *claim,
                       const struct study_run *runs, char *error, size_t error_size)
{
    *judged = (struct study_judged){
        .claim = claim,
        .figures = sim_memory_new(claim->measure_count, sizeof *judged->figures),
        .agrees = sim_memory_new(claim->check_count + 1, sizeof *judged->agrees),
    };
    for (size_t i = 0; i < claim->measure_count; i++) {
        if (!make_figure(judged, i, runs, error, error_size)) {
            study_judged_free(judged);
            return false;
        }
    }
    judged->verdict = claim->verdicts;
    while (!applies(judged->verdict, judged->figures)) {
        judged->verdict++; /* the last has no conditions */
    }
    for (size_t i = 0; i < claim->check_count; i++) {
        judged->agrees[i] = check_agrees(&claim->checks[i], judged->figures);
    }
    judged->words = fill_words(claim, judged->verdict->words, judged->figures);
    return true;
}

void study_judged_free(struct study_judged *judged)
{
    free(judged->figures);
    free(judged->agrees);
    free(judged->words);
    *judged = (struct study_judged){0};
}
