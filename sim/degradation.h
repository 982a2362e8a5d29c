/* How much was decided without the store: when, by how many processes, and what came of it. */
#ifndef SIM_DEGRADATION_H
#define SIM_DEGRADATION_H

#include <stdint.h>

struct sim_degradation {
    uint32_t process_count;
    uint64_t admitted; /* requests */
    uint64_t denied;
    uint64_t units;    /* admitted */
    uint64_t first_ns; /* time of the first and the last such decision; UINT64_MAX: there is none */
    uint64_t last_ns;
    uint32_t second_count; /* whole seconds of the run, the last may be cut short */
    uint64_t *by_second;   /* decisions */
    uint64_t *processes;   /* bit sets, one of process_count bits for each second */
};

void sim_degradation_init(struct sim_degradation *degradation, uint64_t duration_ns,
                          uint32_t process_count);
void sim_degradation_deinit(struct sim_degradation *degradation);

/* One decision made without the store. Requests that arrived before
 * the end may be decided after it: they count, but in no second. */
void sim_degradation_admitted(struct sim_degradation *degradation, uint32_t process,
                              uint64_t decided_ns, uint64_t units);
void sim_degradation_denied(struct sim_degradation *degradation, uint32_t process,
                            uint64_t decided_ns);

/* The most processes that decided so within one second. */
uint32_t sim_degradation_processes_max(const struct sim_degradation *degradation);

/* Seconds of the run with such a decision. */
uint32_t sim_degradation_seconds(const struct sim_degradation *degradation);

#endif
