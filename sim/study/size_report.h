/* What a search for settings came to: a table on the screen, CSV and JSON, and a picture. */
#ifndef STUDY_SIZE_REPORT_H
#define STUDY_SIZE_REPORT_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "size.h"

struct study_sizing {
    const struct study_size *size;
    const struct sim_scenario *scenario; /* as the user's changes leave it; borrowed */
};

void study_size_print(FILE *file, const struct study_sizing *sizing, size_t width);

/* {"bounds", "candidates", "chosen", "impossible", "floors"}; the caller owns it. */
json_t *study_size_json(const struct study_sizing *sizing);

/* A line for each candidate and seed; `context` is a struct study_sizing, as of sim_output_write.
 */
void study_size_print_csv(FILE *file, const void *context);

/* Which settings, or why none, in one sentence. */
void study_size_find(char *text, size_t text_size, const struct study_sizing *sizing);

/* The picture size.KIND, as a gnuplot script; `context` is a struct study_sizing, as of
 * sim_picture_draw. */
void study_size_print_plot(FILE *script, const void *context, const char *kind);

/* The asks per second below which nobody can be: each process asks at least once for each key that
 * it meets. */
double study_size_asks_floor(const struct study_sizing *sizing);

/* "impossible" of one bound; an empty text if some candidate keeps it with all the others. */
void study_size_explain(char *text, size_t text_size, const struct study_sizing *sizing,
                        enum study_bound_kind bound);

#endif
