/* Pictures of what faults do, and the shading of them in others. Each figure returns NULL, or why
 * there is nothing to show; finds are its title. */
#ifndef SIM_PLOT_FAULTS_H
#define SIM_PLOT_FAULTS_H

#include <stddef.h>
#include <stdio.h>

#include "plot_data.h"

#define SIM_PLOT_FAULT_ROWS 4 /* of labels, one above the other */

/* fault_count, and for each fault that has a place in the picture fault_from, fault_until
 * (seconds), fault_labels, fault_at (where a label
 * begins) and fault_rows: from the top, so that no label is on another; -1: there
 * is no room for it. fault_row_count: how many rows are used. */
void sim_plot_faults_shade(FILE *script, const struct sim_world *world);

/* Share of processes that decide without the store, second by second. */
const char *sim_plot_degraded(FILE *script, const struct sim_plot_data *data);
void sim_plot_find_degraded(char *text, size_t size, const struct sim_plot_data *data);

/* What each population asked for and got while the store could not be reached. */
const char *sim_plot_outage(FILE *script, const struct sim_plot_data *data);
void sim_plot_find_outage(char *text, size_t size, const struct sim_plot_data *data);

#endif
