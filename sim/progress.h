/* Shows on standard error how far a run is: one line that is redrawn on a terminal, a plain line
 * now and then elsewhere. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "world.h"

enum sim_progress_style {
    SIM_PROGRESS_HIDDEN = 0,
    SIM_PROGRESS_PLAIN,    /* whole lines, the first after two seconds */
    SIM_PROGRESS_TERMINAL, /* one line that is redrawn */
};

struct sim_progress {
    enum sim_progress_style style;
    uint64_t started_ns;  /* wall clock */
    uint64_t last_ns;     /* wall clock of the last line; 0: none yet */
    double worst_percent; /* of the intervals that ended so far */
    uint32_t judged_minutes;
};

uint64_t sim_progress_wall_ns(void);

/* Terminals that cannot move the cursor (TERM=dumb) are given plain lines. */
enum sim_progress_style sim_progress_style_of(FILE *file);

void sim_progress_start(struct sim_progress *progress, enum sim_progress_style style);
/* For struct sim_world.progress. */
void sim_progress_update(void *context, const struct sim_world *world, uint64_t now_ns);
/* What is done after the run, of unknown length. */
void sim_progress_phase(struct sim_progress *progress, const char *name);
/* Wipe the line. */
void sim_progress_end(const struct sim_progress *progress);

#endif
