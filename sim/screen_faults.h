/* What faults came to, for people: only where there are any. */
#ifndef SIM_SCREEN_FAULTS_H
#define SIM_SCREEN_FAULTS_H

#include "screen.h"

void sim_screen_faults(FILE *file, const struct sim_screen *screen, const struct sim_result *result,
                       const struct sim_world *world);

#endif
