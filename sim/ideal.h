/* The second run: the scenario's clients against an ideal limiter, which decides every attempt
 * exactly, at the instant it arrives, and tells the exact time to wait.
 *
 * Clients that react come back at times that depend on what they were told, so the oracle fed with
 * the arrivals that were made answers only what an exact limiter would have done with those. What
 * it would have led to is another run. Same jobs, same client seeds, no processes and no store. */
#ifndef SIM_IDEAL_H
#define SIM_IDEAL_H

#include "accuracy.h"
#include "catalog.h"
#include "clientele.h"

/* `ideal` is initialised here, and holds the run's demand and what its oracle admitted; the caller
 * releases it with sim_accuracy_deinit. */
void sim_ideal_run(const struct sim_catalog *catalog, struct sim_accuracy *ideal,
                   struct sim_clientele_totals *totals);

#endif
