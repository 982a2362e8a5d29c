/* Why one request was decided as it was, from what a recorder saw of it. */
#ifndef SIM_WHY_H
#define SIM_WHY_H

#include <jansson.h>
#include <stdio.h>

#include "recorder.h"
#include "world.h"

/* Both require a finished run with a recorder that found its request. */
void sim_why_print(FILE *file, const struct sim_world *world);
json_t *sim_why_json(const struct sim_world *world);

/* Each fault in force at time_ns that concerns a process or the shard of the key, by its index; at
 * most `count` of them. Returns how many. */
size_t sim_why_faults(const struct sim_world *world, uint64_t time_ns, size_t *faults,
                      size_t count);

/* "over limit: the store had too little left", and so on. */
const char *sim_why_reason(const struct weir_decision *decision);

/* "normal", "probing", "degraded" */
extern const char *const sim_why_modes[];

/* What became of an ask, in a word: "answered", "refused", "answer lost", "ask lost", "under way".
 */
const char *sim_why_fate(const struct sim_world *world, const struct sim_recorded_ask *ask);

/* Processes by what they hold of the key, the most first; those that hold nothing are left out. At
 * most `count` of them. Returns how many hold any. */
size_t sim_why_holders(const struct sim_recorder *recorder, uint32_t *processes, size_t count);

#endif
