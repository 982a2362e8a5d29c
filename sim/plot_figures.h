/* The pictures of a run: for each, a gnuplot script of its own in plots/. What is said and drawn is
 * worked out here, and handed over as variables and data blocks of a few hundred rows, however long
 * the run was; the scripts only draw. */
#ifndef SIM_PLOT_FIGURES_H
#define SIM_PLOT_FIGURES_H

#include <stdio.h>

#include "plot_data.h"

#define SIM_PLOT_FIGURE_COUNT 9

/* "timeline", "error", ... */
const char *sim_plot_figure_name(unsigned figure);

/* Those about faults are drawn of runs that have any. */
bool sim_plot_figure_is_due(unsigned figure, const struct sim_plot_data *data);

/* Print all that gnuplot needs to draw it as NAME.KIND (svg, png) in the current folder. */
void sim_plot_print_figure(FILE *script, unsigned figure, const char *kind,
                           const struct sim_plot_data *data);

#endif
