/* A scenario with faults, given as text, and its twin without: both run, and compared. */
#ifndef WEIR_TWIN_RUN_H
#define WEIR_TWIN_RUN_H

#include "world_run.h"

#include "twin.h"

struct twin_run {
    struct world_run run;
    struct sim_twin twin;
};

/* Only the twin runs. */
static inline void twin_run_start(struct twin_run *pair, const char *file_name, const char *text)
{
    char error[256];

    world_run_load(&pair->run.scenario, file_name, text);
    if (!sim_twin_run(&pair->twin, &pair->run.scenario, error, sizeof error)) {
        fail_msg("%s", error);
    }
}

static inline void twin_run_finish(struct twin_run *pair)
{
    char error[256];

    if (!sim_world_init(&pair->run.world, &pair->run.scenario, SIM_KERNEL_HEAP, error,
                        sizeof error)) {
        fail_msg("%s", error);
    }
    sim_twin_attach(&pair->twin, &pair->run.world);
    assert_true(sim_world_run(&pair->run.world));
    sim_result_make(&pair->run.result, &pair->run.world, SIM_KERNEL_HEAP);
}

static inline void twin_run_play(struct twin_run *pair, const char *file_name, const char *text)
{
    twin_run_start(pair, file_name, text);
    twin_run_finish(pair);
}

static inline void twin_run_free(struct twin_run *pair)
{
    world_run_free(&pair->run);
    sim_twin_free(&pair->twin);
}

#endif
