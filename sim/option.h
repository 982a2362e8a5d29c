/* Values of command-line options that several commands have. Each reader returns false if the text
 * is not what `allowed` says. */
#ifndef SIM_OPTION_H
#define SIM_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "picture.h"

/* A whole number in digits, from `least` to `most`. */
bool sim_option_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* A number, with or without a fraction, from 0 to 1e15. */
bool sim_option_real(const char *text, double *number);

#define SIM_OPTION_KERNELS "simgrid, heap"
bool sim_option_kernel(const char *text, enum sim_kernel_kind *kernel);

#define SIM_OPTION_PLOTS "none, svg, png"
bool sim_option_plots(const char *text, enum sim_plot_kind *kind);

/* "a=1, b=2"; `empty` if there is none. */
void sim_option_join(char *text, size_t size, const char *const *sets, size_t set_count,
                     const char *empty);

#endif
