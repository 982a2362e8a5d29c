/* Configuration changes on their way: who hears of which, and when. A change is in force for the
 * customer from at_ns on; each process hears of it 1 + repeats times, each time with a delay of its
 * own, so that pushes of one plan may overtake each other. Faults may lose pushes, or make them
 * later still. */
#ifndef SIM_CHANGES_H
#define SIM_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog.h"

struct sim_push {
    uint64_t time_ns;
    uint32_t change; /* index into scenario->changes */
};

/* What one process hears, in order of time. */
struct sim_pushes {
    struct sim_push *list;
    size_t count;
    size_t next;
};

void sim_pushes_init(struct sim_pushes *pushes, const struct sim_scenario *scenario,
                     uint32_t process);
void sim_pushes_deinit(struct sim_pushes *pushes);

/* A process that starts at now_ns has missed what came before. */
void sim_pushes_skip(struct sim_pushes *pushes, uint64_t now_ns);

/* It gives the plan other numbers, or deletes it. */
bool sim_changes_are_of_plan(const struct sim_change *change, size_t plan);

/* Same plan, or same endpoint: of these versions count. */
bool sim_changes_concern_the_same(const struct sim_change *a, const struct sim_change *b);

/* UINT64_MAX: nothing more is heard. */
uint64_t sim_pushes_next_ns(const struct sim_pushes *pushes);

/* What a request to the endpoint costs at time_ns. */
uint32_t sim_changes_weight_units(const struct sim_scenario *scenario, uint32_t endpoint,
                                  uint64_t time_ns);

/* The most versions that a process was behind the plan or weight in force, at any time. */
uint64_t sim_changes_version_spread(const struct sim_catalog *catalog);

#endif
