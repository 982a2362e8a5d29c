/* One scenario, simulated and measured: its world, the run without its faults beside it, and the
 * result. */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>

#include "exit_status.h"
#include "progress.h"
#include "result.h"
#include "scenario.h"
#include "twin.h"
#include "world.h"

struct sim_simulation {
    struct sim_world world;
    struct sim_result result;
    struct sim_twin twin; /* only if the scenario has faults */
    bool has_twin;
    struct sim_progress progress; /* for what comes after */
};

/* Requires that SimGrid has not started. Returns SIM_EXIT_PASS, or with a one-line reason in
 * `error` SIM_EXIT_USAGE (the kernel refuses the scenario) or SIM_EXIT_INTERNAL; then nothing is
 * left to free. The scenario must outlive it. */
enum sim_exit sim_simulation_make(struct sim_simulation *simulation,
                                  const struct sim_scenario *scenario, enum sim_kernel_kind kernel,
                                  enum sim_progress_style style, char *error, size_t error_size);
void sim_simulation_free(struct sim_simulation *simulation);

/* SIM_EXIT_PASS, _FAIL, _INCONCLUSIVE or _NOT_RECOVERED. */
enum sim_exit sim_simulation_status(const struct sim_result *result);

#endif
