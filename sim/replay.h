/* What a result says about how to repeat its run: {"replay": {"scenario", "scenario_hash", "sets",
 * "kernel"}}, the seed being one of the sets if it was given. */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "scenario.h"

struct sim_replay {
    json_t *result;    /* owned */
    const char *file;  /* the scenario's path, as it was given */
    const char **sets; /* owned; the texts are the result's */
    size_t set_count;
    enum sim_kernel_kind kernel;
    const char *trace_hash;
};

/* Add it to the result of a run of this file. */
void sim_replay_note(json_t *result, const char *file, const char *const *sets, size_t set_count,
                     enum sim_kernel_kind kernel);

/* Read a result.json, or the one in a folder. Returns false, with *error filled, if it is no
 * result, or the scenario's file is not what it was. */
bool sim_replay_read(struct sim_replay *replay, const char *path, struct sim_error *error);
void sim_replay_free(struct sim_replay *replay);

#endif
