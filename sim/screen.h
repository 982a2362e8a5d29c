/* A result for people: verdict first and what spoils it, then the worst key and its cause, then the
 * tables. */
#ifndef SIM_SCREEN_H
#define SIM_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "result.h"

struct sim_screen {
    size_t width; /* characters; nothing but a file's path is longer than a line */
    bool colour;
};

/* What the stream can show. */
struct sim_screen sim_screen_of(FILE *file);

/* wall_s: how long the run took, for the speed line. */
void sim_screen_print(FILE *file, const struct sim_screen *screen, const struct sim_result *result,
                      const struct sim_world *world, enum sim_kernel_kind kind, double wall_s);

/* A line for each expectation that was not met. */
void sim_screen_print_misses(FILE *file, const struct sim_screen *screen,
                             const struct sim_result *result);

/* names: those of the files that were written to `folder`, with spaces between. */
void sim_screen_print_files(FILE *file, const struct sim_screen *screen, const char *folder,
                            const char *names);

#endif
