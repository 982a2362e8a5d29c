/* One picture that gnuplot draws from a script. */
#ifndef SIM_PICTURE_H
#define SIM_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum sim_plot_kind {
    SIM_PLOT_NONE = 0,
    SIM_PLOT_SVG,
    SIM_PLOT_PNG,
};

/* "svg" ... */
const char *sim_picture_kind_name(enum sim_plot_kind kind);

/* Draw folder/NAME.KIND with what `print` writes, which is given the kind's name. It replaces
 * pictures of that name from before, whatever their kind, also if it could not be drawn; with
 * SIM_PLOT_NONE they are removed, and that is all. Returns false with a line that says why. */
bool sim_picture_draw(const char *folder, const char *name, enum sim_plot_kind kind,
                      void (*print)(FILE *script, const void *context, const char *kind),
                      const void *context, char *reason, size_t reason_size);

#endif
