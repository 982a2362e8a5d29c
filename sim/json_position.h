/* Where in a JSON text a value stands. jansson forgets positions once a text is parsed; this scans
 * the text again, and only when there is an error to report. The text need not be valid JSON: the
 * scan never fails, it just finds less. */
#ifndef SIM_JSON_POSITION_H
#define SIM_JSON_POSITION_H

#include <stddef.h>

/* One step of a JSON path. */
struct sim_json_step {
    const char *key; /* NULL: an element of an array */
    size_t index;
};

struct sim_json_place {
    int line;          /* 1-based */
    int column;        /* 1-based, in characters */
    size_t step_count; /* how many of the steps exist: the place is that of the deepest one that
                          does */
};

/* The place of a member is that of its key; of an element, that of its value. */
struct sim_json_place sim_json_position_find(const char *text, size_t text_size,
                                             const struct sim_json_step *steps, size_t step_count);

/* Write the path of the innermost member or element that begins before `offset`, "" for the top
 * level. */
void sim_json_position_path(const char *text, size_t text_size, size_t offset, char *path,
                            size_t path_size);

#endif
