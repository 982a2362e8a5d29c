#include "simulation.h"

#include <stdio.h>

static bool run_twin(struct sim_simulation *simulation, const struct sim_scenario *scenario,
                     char *error, size_t error_size)
{
    sim_progress_phase(&simulation->progress, "the same run without its faults");
    const bool ran = sim_twin_run(&simulation->twin, scenario, error, error_size);
    sim_progress_end(&simulation->progress);
    simulation->has_twin = ran;
    return ran;
}

/* The world, up to the end of its run. */
static enum sim_exit run(struct sim_simulation *simulation, const struct sim_scenario *scenario,
                         enum sim_kernel_kind kernel, char *error, size_t error_size)
{
    struct sim_world *world = &simulation->world;
    struct sim_progress *progress = &simulation->progress;

    if (!sim_world_init(world, scenario, kernel, error, (uint32_t)error_size)) {
        return SIM_EXIT_USAGE;
    }
    if (simulation->has_twin) {
        sim_twin_attach(&simulation->twin, world);
    }
    sim_progress_start(progress, progress->style);
    world->progress = sim_progress_update;
    world->progress_context = progress;
    const bool ran = sim_world_run(world);
    sim_progress_end(progress);
    if (!ran) {
        (void)snprintf(error, error_size, "the %s kernel failed", sim_kernel_name(kernel));
        sim_world_deinit(world);
        return SIM_EXIT_INTERNAL;
    }
    return SIM_EXIT_PASS;
}

enum sim_exit sim_simulation_make(struct sim_simulation *simulation,
                                  const struct sim_scenario *scenario, enum sim_kernel_kind kernel,
                                  enum sim_progress_style style, char *error, size_t error_size)
{
    *simulation = (struct sim_simulation){0};
    sim_progress_start(&simulation->progress, style);
    /* first: SimGrid, which the run itself may take, starts only once */
    if (scenario->faults.count > 0 && !run_twin(simulation, scenario, error, error_size)) {
        return SIM_EXIT_INTERNAL;
    }
    const enum sim_exit status = run(simulation, scenario, kernel, error, error_size);
    if (status != SIM_EXIT_PASS) {
        if (simulation->has_twin) {
            sim_twin_free(&simulation->twin);
        }
        return status;
    }
    sim_progress_phase(&simulation->progress, "measuring");
    sim_result_make(&simulation->result, &simulation->world, kernel);
    sim_progress_end(&simulation->progress);
    return SIM_EXIT_PASS;
}

void sim_simulation_free(struct sim_simulation *simulation)
{
    sim_result_free(&simulation->result);
    sim_world_deinit(&simulation->world);
    if (simulation->has_twin) {
        sim_twin_free(&simulation->twin);
    }
}

enum sim_exit sim_simulation_status(const struct sim_result *result)
{
    static const enum sim_exit statuses[] = {SIM_EXIT_PASS, SIM_EXIT_FAIL, SIM_EXIT_INCONCLUSIVE};

    return result->aftermath.liveness.recovery == SIM_RECOVERY_FAILED ? SIM_EXIT_NOT_RECOVERED
                                                                      : statuses[result->verdict];
}
