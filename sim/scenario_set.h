/* Overrides from the command line: --set a.b[0].c=VALUE. Private to the scenario reader. */
#ifndef SIM_SCENARIO_SET_H
#define SIM_SCENARIO_SET_H

#include "scenario_document.h"

/* Apply `sets` in order. VALUE is JSON, or a bare string if it is not. The parent must exist; a new
 * key in an existing object is allowed here and judged by whoever reads it. The strings must
 * outlive the document. */
bool sim_scenario_apply_sets(struct sim_document *document, const char *const *sets,
                             size_t set_count);

#endif
