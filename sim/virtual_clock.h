/* A process's own clock: off by a constant and drifting by a constant, both exact integers; with
 * faults, in pieces each of which does so, and which step from one to the next. */
#ifndef SIM_VIRTUAL_CLOCK_H
#define SIM_VIRTUAL_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"

struct sim_virtual_clock {
    uint64_t start_ns; /* reading at true time 0 */
    int64_t drift_ppb; /* > -10^9 */

    struct fault_clock_piece *pieces; /* NULL: no faults; owned */
    size_t piece_count;
};

/* Have the faults of the process's clock, as far as they begin before end_ns, count. */
void sim_virtual_clock_add_faults(struct sim_virtual_clock *clock, const struct fault_list *faults,
                                  uint32_t process, uint64_t end_ns);
void sim_virtual_clock_deinit(struct sim_virtual_clock *clock);

/* Reading at true time; without faults it never goes back. */
uint64_t sim_virtual_clock_read(const struct sim_virtual_clock *clock, uint64_t true_ns);

/* The first true time, from now_ns on, at which the clock reads local_ns or more. UINT64_MAX stays
 * UINT64_MAX, and is what a clock that stops for ever never reads. */
uint64_t sim_virtual_clock_when(const struct sim_virtual_clock *clock, uint64_t now_ns,
                                uint64_t local_ns);

#endif
