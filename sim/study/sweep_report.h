/* What a sweep says: on the terminal, and as a picture. */
#ifndef STUDY_SWEEP_REPORT_H
#define STUDY_SWEEP_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sweep.h"

/* Requires a settled sweep, as the others do. */
void study_sweep_print(FILE *file, const struct study_sweep *sweep, size_t width);

/* Is there anything to draw? One path: curves; two: maps; of more paths, of a part of a sweep and
 * of one cell there is no picture. */
bool study_sweep_has_plot(const struct study_sweep *sweep);
/* As a gnuplot script; `context` is a struct study_sweep, as of sim_picture_draw. */
void study_sweep_print_plot(FILE *script, const void *context, const char *kind);

#endif
