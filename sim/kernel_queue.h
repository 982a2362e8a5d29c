/* What a kernel has yet to do: a 4-ary heap of events, messages and departures.
 *
 * One order for both kernels, and the reason why their traces agree. By time; at one instant events
 * (by tag), then messages (by receiver, sender, order of sending), then departures (by order of
 * sending). The three words below are compared as one number. A departure is a message that has yet
 * to be handed to its link; only the SimGrid kernel queues them. */
#ifndef SIM_KERNEL_QUEUE_H
#define SIM_KERNEL_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_kernel_entry_kind {
    SIM_KERNEL_ENTRY_EVENT = 0,
    SIM_KERNEL_ENTRY_MESSAGE,
    SIM_KERNEL_ENTRY_DEPARTURE,
};

struct sim_kernel_entry {
    uint64_t time_ns;
    /* kind in the top two bits, then receiver (30 bits) and sender (32 bits); event: 0 */
    uint64_t rank;
    uint64_t order; /* event: its tag; message and departure: how many were sent before it */
    void *payload;
    uint32_t size_bytes;
};

_Static_assert(sizeof(struct sim_kernel_entry) == 40, "sifting copies it: keep it small");

/* Nodes are numbered below this, so that a rank holds receiver and sender. */
#define SIM_KERNEL_NODE_COUNT_MAX (UINT32_C(1) << 30)

struct sim_kernel_queue {
    struct sim_kernel_entry
        *entries; /* owned; a heap: every entry after its parent (index - 1) / 4 */
    size_t count;
    size_t capacity;
};

void sim_kernel_queue_init(struct sim_kernel_queue *queue);
void sim_kernel_queue_deinit(struct sim_kernel_queue *queue);

void sim_kernel_queue_push(struct sim_kernel_queue *queue, const struct sim_kernel_entry *entry);

/* Requires a queue that is not empty. */
struct sim_kernel_entry sim_kernel_queue_pop(struct sim_kernel_queue *queue);

static inline enum sim_kernel_entry_kind sim_kernel_entry_kind(const struct sim_kernel_entry *entry)
{
    return (enum sim_kernel_entry_kind)(entry->rank >> 62);
}

static inline uint32_t sim_kernel_entry_to(const struct sim_kernel_entry *entry)
{
    return (uint32_t)(entry->rank >> 32) & (SIM_KERNEL_NODE_COUNT_MAX - 1);
}

static inline uint32_t sim_kernel_entry_from(const struct sim_kernel_entry *entry)
{
    return (uint32_t)entry->rank;
}

static inline uint64_t sim_kernel_rank(enum sim_kernel_entry_kind kind, uint32_t to, uint32_t from)
{
    return ((uint64_t)kind << 62) | ((uint64_t)to << 32) | from;
}

/* True if `a` is dispatched before `b`. */
static inline bool sim_kernel_entry_precedes(const struct sim_kernel_entry *a,
                                             const struct sim_kernel_entry *b)
{
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank;
    }
    return a->order < b->order;
}

#endif
