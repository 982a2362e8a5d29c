/* The files of a sweep: sweep.json, which has all of it and can be read back, and sweep.csv. */
#ifndef STUDY_SWEEP_FILES_H
#define STUDY_SWEEP_FILES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "sweep.h"

json_t *study_sweep_json(const struct study_sweep *sweep);

/* Write both into the folder. Returns false, with errno set, if one cannot be written. */
bool study_sweep_write(const struct study_sweep *sweep, const char *folder);

/* Read folder/sweep.json. Returns NULL, with one line in `error`, if it is no sweep's. */
struct study_sweep *study_sweep_read(const char *folder, char *error, size_t error_size);

/* The parts of one sweep, put together into the first of them. Returns false, with one line in
 * `error`, if they are not of one sweep, or some run is in none of them or in two. `folders` are
 * their names, for the message. */
bool study_sweep_merge(struct study_sweep *const *parts, const char *const *folders,
                       size_t part_count, char *error, size_t error_size);

#endif
