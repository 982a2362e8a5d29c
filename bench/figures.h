/* What is measured in one cell of the accuracy table. */
#ifndef TABLE_FIGURES_H
#define TABLE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "cells.h"
#include "judgement.h"

/* First saturation: the first interval in which the oracle denied something. */
enum table_figure {
    TABLE_OVER_PCT = 0, /* largest of all intervals but that of first saturation, in percent of L */
    TABLE_UNDER_PCT,
    TABLE_OVER_FIRST_PCT, /* in the interval of first saturation */
    TABLE_UNDER_FIRST_PCT,
    TABLE_OVER_UNITS, /* largest of all intervals */
    TABLE_UNDER_UNITS,
    TABLE_REQUESTS_PER_ASK,
    TABLE_WAITED_PCT, /* of admitted requests, first touches apart */
    TABLE_P99_US,     /* added to them */
    TABLE_CONTRACT_UNITS,
    TABLE_UNEXPLAINED_UNITS,
    TABLE_MISSING_UNITS,  /* granted, neither spent nor given back */
    TABLE_UNBILLED_UNITS, /* spent and not reported, or reported and not spent */
    TABLE_FIGURE_COUNT,
};

struct table_figure_words {
    const char *name; /* for people */
    const char *id;   /* for columns of a CSV file */
    const char *unit; /* with a blank before it, or "" */
    int digits;       /* after the point */
};

extern const struct table_figure_words table_figure_words[TABLE_FIGURE_COUNT];

struct table_figures {
    double values[TABLE_FIGURE_COUNT];
    bool is_inconclusive; /* above the limit, and the oracle refused less than half of the excess */
    int first_interval;   /* of first saturation; -1: none */

    /* the interval with the largest error; SIM_CAUSE_COUNT: there was no error */
    uint32_t worst_interval;
    enum sim_cause worst_cause;

    uint64_t cause_units[SIM_CAUSE_COUNT]; /* over the whole run */
    uint64_t request_count;
    uint64_t ask_count;
    uint64_t demand_units;
    uint64_t oracle_units;
    uint64_t admitted_units;
    char error[400]; /* "": measured */
};

/* Simulate the cell on the event heap. On failure *figures holds nothing but the reason. */
void table_figures_measure(struct table_figures *figures, const struct table_cell *cell,
                           enum table_subject subject);

/* In words; "none" if there was no error. */
const char *table_figures_cause(const struct table_figures *figures);

/* "0.123 %" */
void table_figure_text(enum table_figure figure, double value, char *text, size_t text_size);

#endif
