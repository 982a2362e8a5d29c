/* A scenario given as text, run on the heap kernel, with everything it leaves behind. */
#ifndef WEIR_WORLD_RUN_H
#define WEIR_WORLD_RUN_H

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "result.h"
#include "scenario.h"
#include "world.h"

struct world_run {
    struct sim_scenario scenario;
    struct sim_world world;
    struct sim_result result;
};

static inline void world_run_write(const char *file_name, const char *text)
{
    FILE *file = fopen(file_name, "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The file is written, read and removed: its name only has to be the test's own. */
static inline void world_run_load(struct sim_scenario *scenario, const char *file_name,
                                  const char *text)
{
    struct sim_error error;

    world_run_write(file_name, text);
    if (!sim_scenario_load(scenario, file_name, NULL, 0, &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(unlink(file_name), 0);
}

/* Run run->scenario. */
static inline void world_run_start(struct world_run *run, enum sim_kernel_kind kind)
{
    char error[256];

    if (!sim_world_init(&run->world, &run->scenario, kind, error, sizeof error)) {
        fail_msg("%s", error);
    }
    assert_true(sim_world_run(&run->world));
    sim_result_make(&run->result, &run->world, kind);
}

/* For stores that are slow and never away: requests wait for them. */
static inline void world_run_be_patient(struct sim_scenario *scenario)
{
    scenario->wait_max_ns = UINT64_C(60000000000);
    scenario->ask_timeout_ns = UINT64_C(60000000000);
}

static inline void world_run_play_patiently(struct world_run *run, const char *file_name,
                                            const char *text, enum sim_kernel_kind kind)
{
    world_run_load(&run->scenario, file_name, text);
    world_run_be_patient(&run->scenario);
    world_run_start(run, kind);
}

static inline void world_run_play(struct world_run *run, const char *file_name, const char *text,
                                  enum sim_kernel_kind kind)
{
    world_run_load(&run->scenario, file_name, text);
    world_run_start(run, kind);
}

static inline void world_run_free(struct world_run *run)
{
    sim_result_free(&run->result);
    sim_world_deinit(&run->world);
    sim_scenario_free(&run->scenario);
}

#endif
