/* Files for people and spreadsheets: what was admitted over time, and the error of every interval.
 */
#ifndef SIM_PLOT_H
#define SIM_PLOT_H

#include <stdbool.h>

#include "result.h"

/* Write DIR/timeline.csv and DIR/intervals.csv. Returns false, with errno set, if a file cannot be
 * written. */
bool sim_plot_write_csv(const char *folder, const struct sim_world *world);

/* Draw DIR/run.svg and DIR/run.png from them with gnuplot. Returns false if gnuplot is missing or
 * fails. */
bool sim_plot_draw(const char *folder, const struct sim_result *result,
                   const struct sim_world *world);

#endif
