/* The tables of a run as CSV: docs/RESULTS.md says what their columns mean. */
#ifndef SIM_PLOT_TABLES_H
#define SIM_PLOT_TABLES_H

#include <stdio.h>

#include "plot_data.h"

#define SIM_PLOT_TABLE_COUNT 6

/* File name, such as "timeline.csv". */
const char *sim_plot_table_name(unsigned table);

void sim_plot_print_table(FILE *file, unsigned table, const struct sim_plot_data *data);

#endif
