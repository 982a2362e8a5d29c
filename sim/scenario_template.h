/* A scenario to begin with: a few numbers become a commented file that the reader accepts. */
#ifndef SIM_SCENARIO_TEMPLATE_H
#define SIM_SCENARIO_TEMPLATE_H

#include <stdio.h>

#include "scenario.h"

struct sim_template {
    uint64_t limit_units; /* a minute */
    enum sim_algorithm algorithm;
    double capacity_s; /* bucket only */
    uint64_t process_count;
    enum sim_balance_kind balance; /* not weights */
    double demand_ratio;           /* above 0 */
    double duration_s;
    double round_trip_us;
    const char *schema; /* the way from the file to its schema; NULL: not known */
};

/* Write the scenario's text. Whether that worked, ferror(file) tells. */
void sim_template_write(const struct sim_template *template, FILE *file);

#endif
