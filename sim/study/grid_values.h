/* What stands behind "PATH=" of an axis: "a,b,c", with ranges "from:to:step" and "from:to*factor"
 * among them. */
#ifndef STUDY_GRID_VALUES_H
#define STUDY_GRID_VALUES_H

#include <stdbool.h>
#include <stddef.h>

/* Calls add() with each value as text, in order; commas within JSON brackets, braces and quotes
 * separate nothing. Ends with false as soon as add() does, and if the text is malformed, with one
 * line that says what was found and what is allowed. */
bool study_grid_values(const char *text, bool (*add)(void *context, const char *value),
                       void *context, char *error, size_t error_size);

#endif
