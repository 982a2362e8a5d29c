/* The files of a run beside result.json: tables (CSV) and pictures.
 *
 * A file never outlives its run: all that an earlier run may have left are removed first, so that a
 * table or picture always belongs to the result beside it. */
#ifndef SIM_PLOT_H
#define SIM_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "picture.h"
#include "result.h"

/* Remove tables and pictures of an earlier run. Returns false, with errno set, if one stays. */
bool sim_plot_remove(const char *folder);

/* What was written, in order: "timeline.csv timeline.svg ...". */
struct sim_plot_list {
    char text[600];
};

struct sim_plot_data;

/* Write the tables. Returns false, with errno set, if one cannot be written. */
bool sim_plot_write_tables(const char *folder, const struct sim_plot_data *data,
                           struct sim_plot_list *written);

/* Draw the pictures with gnuplot. Returns false if some could not be drawn, with a line that says
 * why in `reason`; `written` has those that were. */
bool sim_plot_draw(const char *folder, const struct sim_plot_data *data, enum sim_plot_kind kind,
                   struct sim_plot_list *written, char *reason, size_t reason_size);

#endif
