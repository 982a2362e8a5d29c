/* What faults came to, for people: only where there are any. */
#ifndef SIM_SCREEN_FAULTS_H
#define SIM_SCREEN_FAULTS_H

#include "screen.h"

void sim_screen_faults(FILE *file, const struct sim_screen *screen, const struct sim_result *result,
                       const struct sim_world *world);

/* The first thing that is wrong once all faults are over, or when all was well; nothing of a run
 * without faults. */
void sim_screen_recovery(FILE *file, const struct sim_screen *screen,
                         const struct sim_liveness *liveness, const struct sim_world *world);

#endif
