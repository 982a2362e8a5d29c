/* The order of asks: lists of slots, waiters, flights and probes, linked both ways, so that an
 * entry leaves from wherever it is. Each entry is in one list at most, and knows which. */
#include "limiter_private.h"
#include "weir/assert.h"

void ask_queue_init(struct weir_limiter *limiter)
{
    for (uint32_t i = 0; i < QUEUE_HELD + limiter->options.shard_count; i++) {
        limiter->queues[i] = (struct ask_queue){.first = SLOT_NONE, .last = SLOT_NONE};
    }
}

struct ask_link *ask_link_of(struct weir_limiter *limiter, uint32_t entry)
{
    if ((entry & ASK_DIRECT) != 0) {
        return &limiter->directs[entry & ~ASK_DIRECT].link;
    }
    if ((entry & ASK_FLIGHT) != 0) {
        return &limiter->flights[entry & ~ASK_FLIGHT].link;
    }
    return (entry & ASK_PROBE) != 0 ? &limiter->breakers[entry & ~ASK_PROBE].link
                                    : &limiter->cold[entry].link;
}

const struct weir_key *ask_key_of(const struct weir_limiter *limiter, uint32_t entry)
{
    if ((entry & ASK_DIRECT) != 0) {
        return &limiter->directs[entry & ~ASK_DIRECT].key;
    }
    if ((entry & ASK_FLIGHT) != 0) {
        return &limiter->flights[entry & ~ASK_FLIGHT].ask.key;
    }
    return (entry & ASK_PROBE) != 0 ? &limiter->breakers[entry & ~ASK_PROBE].key
                                    : &limiter->hot[entry].key;
}

void ask_queue_append(struct weir_limiter *limiter, uint32_t queue, uint32_t entry)
{
    struct ask_queue *list = &limiter->queues[queue];
    struct ask_link *link = ask_link_of(limiter, entry);

    WEIR_ASSERT(link->queue == QUEUE_NONE);
    *link = (struct ask_link){.next = SLOT_NONE, .previous = list->last, .queue = queue};
    if (list->last == SLOT_NONE) {
        list->first = entry;
    } else {
        ask_link_of(limiter, list->last)->next = entry;
    }
    list->last = entry;
}

void ask_queue_remove(struct weir_limiter *limiter, uint32_t entry)
{
    struct ask_link *link = ask_link_of(limiter, entry);
    struct ask_queue *list = &limiter->queues[link->queue];

    if (link->queue == QUEUE_NONE) {
        return;
    }
    if (link->previous == SLOT_NONE) {
        list->first = link->next;
    } else {
        ask_link_of(limiter, link->previous)->next = link->next;
    }
    if (link->next == SLOT_NONE) {
        list->last = link->previous;
    } else {
        ask_link_of(limiter, link->next)->previous = link->previous;
    }
    link->queue = QUEUE_NONE;
}

uint32_t ask_queue_pop(struct weir_limiter *limiter, uint32_t queue)
{
    const uint32_t entry = limiter->queues[queue].first;

    if (entry != SLOT_NONE) {
        ask_queue_remove(limiter, entry);
    }
    return entry;
}
