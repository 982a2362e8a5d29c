/* Runs gnuplot, as a program of its own, on one script. */
#ifndef SIM_GNUPLOT_H
#define SIM_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

enum sim_gnuplot_outcome {
    SIM_GNUPLOT_DONE = 0,
    SIM_GNUPLOT_MISSING,
    SIM_GNUPLOT_FAILED,
};

/* Run all that was written to `script` (a file open for reading and writing) with `folder` as the
 * current one and none of the user's own settings. On a failure, `message` is one line of what
 * gnuplot said. */
enum sim_gnuplot_outcome sim_gnuplot_run(const char *folder, FILE *script, char *message,
                                         size_t message_size);

#endif
