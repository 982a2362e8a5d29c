/* Admitted units with their times, oldest first: a ring that grows with the entries alive.
 *
 * Invariant: units is the sum over the entries, and below 2^63. A zeroed ring is empty. */
#ifndef SIM_RECENT_H
#define SIM_RECENT_H

#include <stddef.h>
#include <stdint.h>

struct sim_recent_entry {
    uint64_t time_ns;
    uint64_t units;
};

struct sim_recent {
    struct sim_recent_entry *entries; /* owned */
    size_t capacity;                  /* 0 or a power of two */
    size_t first;
    size_t count;
    uint64_t units;
};

void sim_recent_deinit(struct sim_recent *recent);

/* time_ns never decreases between calls. Entries of 0 units are not kept. */
void sim_recent_add(struct sim_recent *recent, uint64_t time_ns, uint64_t units);

/* The entry with `index` older ones before it. Requires index < count. */
const struct sim_recent_entry *sim_recent_at(const struct sim_recent *recent, size_t index);

/* Requires count > 0. */
void sim_recent_drop_oldest(struct sim_recent *recent);

/* Forget all entries; their memory is kept for new ones. */
void sim_recent_clear(struct sim_recent *recent);

#endif
