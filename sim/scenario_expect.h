/* Result paths: what an expectation, a target or a table of runs may name. */
#ifndef SIM_SCENARIO_EXPECT_H
#define SIM_SCENARIO_EXPECT_H

#include "scenario_read.h"
#include "scenario_suggest.h"

/* Is there such a number in a result? The names of causes and populations are not looked at. If
 * not, `suggestion` may have what was meant. */
bool sim_result_path_is_known(const char *path, struct sim_suggestion *suggestion);

/* The name of the population whose number it is, within `path`; NULL: of none. */
const char *sim_result_path_population(const char *path, size_t *length);

/* The same number of the whole run; `path` itself, if it is of no population. */
const char *sim_result_path_of_all(const char *path);

/* The member "path" of the object: the path of a number in the result. */
bool sim_read_result_path(const struct sim_node *object, char *path, size_t path_size);

/* The members "min" and "max" of the object, at least one of them unless `presence` is optional,
 * min <= max. Absent: untouched. */
bool sim_read_range(const struct sim_node *object, enum sim_presence presence, double *minimum,
                    double *maximum);

#endif
