/* Slots by the time they want attention: a 4-ary heap of slot numbers; each slot knows its place.
 */
#include "limiter_private.h"
#include "weir/assert.h"

#define ARITY 4

static bool earlier(const struct weir_limiter *limiter, uint32_t a, uint32_t b)
{
    const uint64_t a_ns = limiter->cold[a].deadline_ns;
    const uint64_t b_ns = limiter->cold[b].deadline_ns;

    return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static void put(struct weir_limiter *limiter, uint32_t place, uint32_t slot)
{
    limiter->heap[place] = slot;
    limiter->cold[slot].deadline_place = place;
}

static void sift_up(struct weir_limiter *limiter, uint32_t place, uint32_t slot)
{
    while (place > 0) {
        const uint32_t parent = (place - 1) / ARITY;
        if (!earlier(limiter, slot, limiter->heap[parent])) {
            break;
        }
        put(limiter, place, limiter->heap[parent]);
        place = parent;
    }
    put(limiter, place, slot);
}

static void sift_down(struct weir_limiter *limiter, uint32_t place, uint32_t slot)
{
    for (;;) {
        const uint32_t first = place * ARITY + 1;
        uint32_t best = place;
        uint32_t best_slot = slot;
        for (uint32_t child = first; child < first + ARITY && child < limiter->heap_size; child++) {
            if (earlier(limiter, limiter->heap[child], best_slot)) {
                best = child;
                best_slot = limiter->heap[child];
            }
        }
        if (best == place) {
            break;
        }
        put(limiter, place, best_slot);
        place = best;
    }
    put(limiter, place, slot);
}

static void remove_from_heap(struct weir_limiter *limiter, uint32_t slot)
{
    const uint32_t place = limiter->cold[slot].deadline_place;
    const uint32_t last = limiter->heap[--limiter->heap_size];

    WEIR_ASSERT(limiter->heap[place] == slot || last == slot);
    if (last == slot) {
        return;
    }
    sift_down(limiter, place, last);
    sift_up(limiter, limiter->cold[last].deadline_place, last);
}

void deadline_set(struct weir_limiter *limiter, uint32_t slot, uint64_t deadline_ns)
{
    struct cold *cold = &limiter->cold[slot];
    const uint64_t before_ns = cold->deadline_ns;

    if (before_ns == deadline_ns) {
        return;
    }
    if (deadline_ns == NEVER) {
        remove_from_heap(limiter, slot);
        cold->deadline_ns = NEVER;
        return;
    }
    cold->deadline_ns = deadline_ns;
    if (before_ns == NEVER) {
        WEIR_ASSERT(limiter->heap_size < limiter->options.key_capacity);
        sift_up(limiter, limiter->heap_size++, slot);
    } else if (deadline_ns < before_ns) {
        sift_up(limiter, cold->deadline_place, slot);
    } else {
        sift_down(limiter, cold->deadline_place, slot);
    }
}
