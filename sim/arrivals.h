/* The requests that are made: the clients' attempts, as faults of demand leave them.
 *
 * A fault delays an attempt, turns it to another key of its population, or adds requests to it. The
 * limiter and the oracle are given what comes out alike: which requests are made is not theirs to
 * choose. An attempt that no fault concerns comes out as it was, and at its time. Requests that a
 * fault adds are nobody's attempt: no client waits for what becomes of them.
 *
 * Causality: a request comes out no earlier than the attempt it comes of, so what holds for
 * attempts holds here (see clientele.h). */
#ifndef SIM_ARRIVALS_H
#define SIM_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clientele.h"
#include "fault.h"
#include "scenario.h"

struct sim_held_arrival;

struct sim_arrivals {
    const struct sim_scenario *scenario;
    struct sim_clientele *clientele;
    struct fault_list faults; /* the scenario's; counted or not */
    bool is_disturbed;        /* some fault is of demand */
    uint64_t attempt_count;

    struct sim_held_arrival *held; /* a heap by time, then by number */
    size_t held_count;
    size_t held_capacity;
    uint64_t held_total;
};

enum sim_arrivals_run {
    SIM_ARRIVALS_FIRST = 0, /* faults that act are counted */
    SIM_ARRIVALS_AGAIN,     /* they were: this is a second run of the same scenario */
};

/* Scenario and clientele must outlive the arrivals. */
void sim_arrivals_init(struct sim_arrivals *arrivals, const struct sim_scenario *scenario,
                       struct sim_clientele *clientele, enum sim_arrivals_run run);
void sim_arrivals_deinit(struct sim_arrivals *arrivals);

/* The next request before end_ns, or false. Times never decrease; at equal times what is on time
 * comes before what was held back. */
bool sim_arrivals_next(struct sim_arrivals *arrivals, uint64_t end_ns, struct sim_arrival *arrival);

#endif
