/* What a comparison came to: a table on the screen, CSV and JSON, and a picture. */
#ifndef STUDY_COMPARE_REPORT_H
#define STUDY_COMPARE_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compare.h"
#include "divergence.h"

struct study_comparison {
    const struct study_compare *compare;
    const struct study_divergence *divergence;
    const char *names[2]; /* what the sides are called; borrowed */
    const char *title;    /* the scenario; borrowed */
    const char *folder;   /* of the results that weir why reads; NULL: there are none */
};

void study_compare_print(FILE *file, const struct study_comparison *comparison, size_t width);

/* {"a", "b", "seeds", "given", "measures", "first_difference"}; the caller owns it. */
json_t *study_compare_json(const struct study_comparison *comparison);

/* A line for each measure and seed; `context` is a struct study_comparison, as of sim_output_write.
 */
void study_compare_print_csv(FILE *file, const void *context);

/* The picture compare.KIND, as a gnuplot script; `context` is a struct study_comparison, as of
 * sim_picture_draw. */
void study_compare_print_plot(FILE *script, const void *context, const char *kind);

#endif
