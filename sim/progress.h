/* Shows on standard error how far a run is: one line that is redrawn on a terminal, a plain line
 * now and then elsewhere. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "world.h"

struct sim_progress {
    bool terminal;
    uint64_t started_ns;  /* wall clock */
    uint64_t last_ns;     /* wall clock of the last line; 0: none yet */
    double worst_percent; /* of the intervals that ended so far */
    uint32_t judged_minutes;
};

uint64_t sim_progress_wall_ns(void);

void sim_progress_start(struct sim_progress *progress);
/* For struct sim_world.progress. */
void sim_progress_update(void *context, const struct sim_world *world, uint64_t now_ns);
/* Wipe the line. */
void sim_progress_end(const struct sim_progress *progress);

#endif
