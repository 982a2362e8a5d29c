/* A result for people: verdict first, then the worst key and its cause, then the tables. */
#ifndef SIM_SCREEN_H
#define SIM_SCREEN_H

#include <stdio.h>

#include "result.h"

/* wall_s: how long the run took, for the speed line. */
void sim_screen_print(FILE *file, const struct sim_result *result, const struct sim_world *world,
                      enum sim_kernel_kind kind, double wall_s);

#endif
