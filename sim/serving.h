/* What a shard makes of an ask that arrives, and how the answer leaves. */
#ifndef SIM_SERVING_H
#define SIM_SERVING_H

#include "world.h"

/* shard: its node. */
void sim_serving_ask(struct sim_world *world, struct sim_exchange *exchange, uint32_t shard,
                     uint64_t now_ns);

#endif
