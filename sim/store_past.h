/* What faults do to a shard's memory. Private to store.c and store_past.c. */
#ifndef SIM_STORE_PAST_H
#define SIM_STORE_PAST_H

#include "store.h"

void sim_store_past_init(struct sim_store *store);
void sim_store_past_deinit(struct sim_store *store);

/* The entry that a process's exchange arriving now meets, and the run it meets it in. */
struct sim_store_entry *sim_store_past_entry(struct sim_store *store, uint32_t key,
                                             uint32_t process, struct weir_store_run **run);

/* The entry is about to change. */
void sim_store_past_touch(struct sim_store *store, uint32_t key, uint64_t now_ns);

/* Whether what this process changes in this shard now will be dropped. */
bool sim_store_past_is_split(const struct sim_store *store, uint32_t shard, uint32_t process);

#endif
