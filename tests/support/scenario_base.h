/* A scenario that tests change by settings: SCENARIO_TEXT, in a file SCENARIO_FILE of the test's
 * own. The groups' setup and teardown are scenario_base_write and scenario_base_remove. */
#ifndef WEIR_SCENARIO_BASE_H
#define WEIR_SCENARIO_BASE_H

#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "scenario.h"

static inline int scenario_base_write(void **state)
{
    (void)state;
    FILE *file = fopen(SCENARIO_FILE, "wb");

    return !file || fputs(SCENARIO_TEXT, file) < 0 || fclose(file) != 0 ? -1 : 0;
}

static inline int scenario_base_remove(void **state)
{
    (void)state;
    return unlink(SCENARIO_FILE);
}

/* sets: PATH=VALUE */
static inline void scenario_base_load(struct sim_scenario *scenario, const char *const *sets,
                                      size_t set_count)
{
    struct sim_error error;

    if (!sim_scenario_load(scenario, SCENARIO_FILE, sets, set_count, &error)) {
        fail_msg("%s", error.text);
    }
}

#endif
