/* A whole file in memory, or one line that says why not. */
#ifndef SIM_SCENARIO_FILE_H
#define SIM_SCENARIO_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario.h"

/* *bytes is allocated (the caller frees it), zero-terminated, and holds 1 to bytes_max bytes.
 * On failure *error says "file: what; what is allowed", with line 0. */
bool sim_file_read(const char *path, size_t bytes_max, char **bytes, size_t *size,
                   struct sim_error *error);

/* The folder of `path` joined with `name`; allocated. `name` alone if it is absolute or `path` has
 * no folder. */
char *sim_file_beside(const char *path, const char *name);

#endif
