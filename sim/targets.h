/* The targets: bounds every scenario may cite by name, written once in scenarios/targets.json.
 *
 * {"targets": {NAME: {"path": RESULT_PATH, "min" and/or "max": number, "row": the condition in
 * words}}} */
#ifndef SIM_TARGETS_H
#define SIM_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario.h"

struct sim_target {
    char name[SIM_NAME_SIZE]; /* first, so that names can be searched */
    char path[96];
    double minimum; /* -INFINITY when there is none */
    double maximum; /* INFINITY when there is none */
    char *row;      /* owned */
};

struct sim_targets {
    struct sim_target *targets;
    size_t count;
};

/* Returns true, or false with *error filled and *targets zeroed. */
bool sim_targets_load(struct sim_targets *targets, const char *path, struct sim_error *error);
void sim_targets_free(struct sim_targets *targets);

/* The path of the targets.json that a scenario means: beside it, or in that folder's scenarios/, or
 * the same in one of the 4 folders above. NULL if there is none. The caller frees it. */
char *sim_targets_locate(const char *scenario_path);

#endif
