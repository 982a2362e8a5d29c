/* What a process has given back, or wants to be charged, with asks that the store has not heard
 * yet. An ask that expires on its way, or is in the network when its process dies, takes that with
 * it: neither process nor store has it. */
#ifndef SIM_GIVINGS_H
#define SIM_GIVINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accuracy.h"
#include "weir/ask.h"

struct sim_giving {
    uint64_t incarnation;
    uint64_t sent_ns;
    uint32_t sequence;
    uint32_t key;
    uint64_t units;
    bool is_orphan; /* its process died */
};

struct sim_givings {
    struct sim_giving *list;
    size_t count;
    size_t capacity;
};

void sim_givings_deinit(struct sim_givings *givings);

/* Units that an ask gives back. */
uint64_t sim_givings_units(const struct weir_ask *ask);

/* An ask is sent for the first time: one that is repeated may have been heard already. */
void sim_givings_sent(struct sim_givings *givings, const struct weir_ask *ask, uint32_t key,
                      uint64_t sent_ns);

/* The store heard it, or its process took it back. Returns false if that is known, or it gives
 * nothing; then units is 0. */
bool sim_givings_heard(struct sim_givings *givings, const struct weir_ask_id *id, uint64_t *units);

/* The process dies: what is in the network may still be heard. */
void sim_givings_orphan(struct sim_givings *givings);

/* The run is over: what nobody heard is lost. */
void sim_givings_finish(const struct sim_givings *givings, struct sim_accuracy *accuracy);

#endif
