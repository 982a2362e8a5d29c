/* What outages meant for customers: who got what while they lasted, and what came after. */
#ifndef SIM_SCREEN_CUSTOMERS_H
#define SIM_SCREEN_CUSTOMERS_H

#include "screen.h"

/* Two tables with a row for each population that asked for anything during an outage; nothing if
 * there is none. */
void sim_screen_customers(FILE *file, const struct sim_screen *screen,
                          const struct sim_result *result, const struct sim_world *world);

#endif
