/* When the requests of one traffic spec arrive: its pattern as a sequence of times.
 *
 * Patterns that spread requests over keys by their nature (constant, burst, herd, trace) also say
 * which key. Times never decrease. Patterns are anchored in true time: on/off periods and herds at
 * multiples of the period and of the window, wherever from_ns lies. */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prng.h"
#include "scenario.h"
#include "traffic.h"

#define SIM_SCHEDULE_ANY_KEY UINT32_MAX /* the key is to be drawn by popularity */

struct sim_schedule_options {
    const struct sim_traffic_spec *spec; /* must outlive the schedule */
    uint64_t seed;
    uint64_t spec_index; /* names the stream */
    uint64_t duration_ns;
    uint64_t window_ns; /* of the plan: herd */
    double gap_ns;      /* mean, between consecutive requests of the spec; HUGE_VAL: none */
    uint32_t key_count;
    bool keys_take_turns; /* constant: keys round-robin, not drawn by popularity */
};

struct sim_schedule {
    const struct sim_traffic_spec *spec;
    struct sim_prng prng;
    uint64_t next_ns; /* UINT64_MAX: no more */
    uint64_t end_ns;

    /* poisson, constant, on_off: the clock runs only while there is traffic */
    uint64_t clock_ns;
    double clock_fraction_ns; /* in [0, 1): no gap is rounded */
    double gap_ns;
    uint64_t on_ns; /* on_off: how long of each period */

    /* burst, herd: request i comes floor(i x spread_ns / request_total) after start_ns */
    uint64_t start_ns;
    uint64_t window_ns; /* 0: the burst does not come again */
    uint64_t request_total;
    uint64_t request_index;
    uint64_t step_ns;
    uint64_t step_rest; /* in ns / request_total */
    uint64_t rest;

    size_t row_index; /* trace */
    uint32_t key;     /* constant, burst, herd: whose turn it is */
    uint32_t key_count;
};

/* Requires key_count > 0 and gap_ns > 0; on_off: period_ns > 0, on_ppm <= 1e6; herd: window_ns > 0
 * and spread_ns <= window_ns, so that herds do not overlap; trace: rows sorted by time; until_ns or
 * duration_ns below 2^63. */
void sim_schedule_init(struct sim_schedule *schedule, const struct sim_schedule_options *options);

/* Fill in time_ns, cost_units (1 but for traces), endpoint (none) and key (within the population,
 * or SIM_SCHEDULE_ANY_KEY) of the arrival at next_ns, and go on to the one after it.
 * Requires next_ns != UINT64_MAX. */
void sim_schedule_take(struct sim_schedule *schedule, struct sim_arrival *arrival);

#endif
