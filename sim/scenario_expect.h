/* Result paths: what an expectation or a target may name. Private to the readers of scenarios and
 * targets. */
#ifndef SIM_SCENARIO_EXPECT_H
#define SIM_SCENARIO_EXPECT_H

#include "scenario_read.h"

/* The member "path" of the object: the path of a number in the result. */
bool sim_read_result_path(const struct sim_node *object, char *path, size_t path_size);

/* The members "min" and "max" of the object, at least one of them unless `presence` is optional,
 * min <= max. Absent: untouched. */
bool sim_read_range(const struct sim_node *object, enum sim_presence presence, double *minimum,
                    double *maximum);

#endif
