/* The same run without its faults: what it decided, and how far it was off. What a run with faults
 * did is held against it.
 *
 * It takes the heap kernel, which can be run any number of times in a process and gives the same
 * results; where bandwidth is limited SimGrid, which starts only once, in a child of its own. */
#ifndef SIM_TWIN_H
#define SIM_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "journal.h"
#include "scenario.h"

struct sim_world;

struct sim_twin {
    struct sim_journal journal; /* from the first fault on */
    size_t cell_count;
    uint64_t *error_units;  /* by cell, as in sim_accuracy: over or under */
    uint32_t open_breakers; /* at the end: of a store that is always too slow */
};

/* Run it. Requires a scenario with faults, and that SimGrid has not started. Returns false with a
 * one-line reason in `error` if its kernel failed. */
bool sim_twin_run(struct sim_twin *twin, const struct sim_scenario *scenario, char *error,
                  size_t error_size);
void sim_twin_free(struct sim_twin *twin);

/* Have a world, before it runs, note what a comparison needs. The twin must outlive it. */
void sim_twin_attach(const struct sim_twin *twin, struct sim_world *world);

#endif
