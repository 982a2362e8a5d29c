/* A hash of everything that happened, and a ladder of it: one value per simulated second, so that
 * two runs that differ show where. Sums of mixed events: the order in which independent processes
 * are simulated does not matter, what each of them did at which nanosecond does. */
#ifndef SIM_TRACE_HASH_H
#define SIM_TRACE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct sim_trace_hash {
    uint64_t *seconds;
    size_t second_count;
};

void sim_trace_hash_init(struct sim_trace_hash *trace, uint64_t duration_ns);
void sim_trace_hash_deinit(struct sim_trace_hash *trace);

/* One event of `actor` (a node) at time_ns; events past the end fall into the last second. */
void sim_trace_hash_add(struct sim_trace_hash *trace, uint64_t time_ns, uint32_t actor,
                        uint64_t what, uint64_t amount);

/* The ladder up to and including second i folded into one value; i = second_count - 1 is the whole.
 */
uint64_t sim_trace_hash_value(const struct sim_trace_hash *trace, size_t second);

#endif
