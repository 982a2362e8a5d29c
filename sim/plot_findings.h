/* What each picture shows, in one sentence: its title. */
#ifndef SIM_PLOT_FINDINGS_H
#define SIM_PLOT_FINDINGS_H

#include <stddef.h>

#include "plot_data.h"

void sim_plot_find_timeline(char *text, size_t size, const struct sim_plot_data *data);
void sim_plot_find_error(char *text, size_t size, const struct sim_plot_data *data);
void sim_plot_find_asks(char *text, size_t size, const struct sim_plot_data *data);
void sim_plot_find_latency(char *text, size_t size, const struct sim_plot_data *data);
void sim_plot_find_processes(char *text, size_t size, const struct sim_plot_data *data);
void sim_plot_find_causes(char *text, size_t size, const struct sim_plot_data *data);
void sim_plot_find_worst_keys(char *text, size_t size, const struct sim_plot_data *data);

#endif
