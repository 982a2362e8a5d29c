/* A process's own clock: off by a constant and drifting by a constant, both exact integers. */
#ifndef SIM_VIRTUAL_CLOCK_H
#define SIM_VIRTUAL_CLOCK_H

#include <stdint.h>

struct sim_virtual_clock {
    uint64_t start_ns; /* reading at true time 0 */
    int64_t drift_ppb; /* > -10^9 */
};

/* Reading at true time; never goes back. */
uint64_t sim_virtual_clock_read(const struct sim_virtual_clock *clock, uint64_t true_ns);

/* The first true time at which the clock reads local_ns or more; UINT64_MAX stays UINT64_MAX. */
uint64_t sim_virtual_clock_when(const struct sim_virtual_clock *clock, uint64_t local_ns);

#endif
