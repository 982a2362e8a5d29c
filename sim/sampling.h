/* The store's state at the end of each key's intervals, noted for the judgement. */
#ifndef SIM_SAMPLING_H
#define SIM_SAMPLING_H

#include "world.h"

/* Once, before the run. */
void sim_sampling_schedule(struct sim_world *world);

/* Note the store's state at the end of each of the key's intervals up to until_ns. An ask is
 * carried out when it arrives, with the time at which its service ends, which may be much later:
 * call this first, so that the state is never ahead of an interval's end. */
void sim_sampling_key(struct sim_world *world, uint32_t key, uint64_t until_ns);

/* A minute ends; one of the key's windows does. */
void sim_sampling_minute(struct sim_world *world, uint64_t now_ns);
void sim_sampling_window(struct sim_world *world, uint32_t key, uint64_t now_ns);

#endif
