/* One picture that gnuplot draws from a script. */
#ifndef STUDY_PICTURE_H
#define STUDY_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plot.h"

/* Draw folder/NAME.KIND with what `print` writes, which is given the kind's name. Pictures of that
 * name from before are removed first, whatever their kind; with SIM_PLOT_NONE that is all. Returns
 * false, with a line that says why, if it could not be drawn. */
bool study_picture_draw(const char *folder, const char *name, enum sim_plot_kind kind,
                        void (*print)(FILE *script, const void *context, const char *kind),
                        const void *context, char *reason, size_t reason_size);

#endif
