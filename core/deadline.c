/* What wants attention, by the time at which it does: a 4-ary heap of numbers. A slot, a flight, a
 * shard and the oldest waiter without a slot each know their deadline, and their place in it. */
#include "limiter_private.h"
#include "weir/assert.h"

#define ARITY 4

static uint64_t deadline_of(const struct weir_limiter *limiter, uint32_t number)
{
    if ((number & ASK_DIRECT) != 0) {
        return limiter->directs_deadline_ns;
    }
    if ((number & ASK_FLIGHT) != 0) {
        return limiter->flights[number & ~ASK_FLIGHT].deadline_ns;
    }
    return (number & ASK_PROBE) != 0 ? limiter->breakers[number & ~ASK_PROBE].deadline_ns
                                     : limiter->cold[number].deadline_ns;
}

static void note(struct weir_limiter *limiter, uint32_t number, uint64_t deadline_ns)
{
    if ((number & ASK_DIRECT) != 0) {
        limiter->directs_deadline_ns = deadline_ns;
    } else if ((number & ASK_FLIGHT) != 0) {
        limiter->flights[number & ~ASK_FLIGHT].deadline_ns = deadline_ns;
    } else if ((number & ASK_PROBE) != 0) {
        limiter->breakers[number & ~ASK_PROBE].deadline_ns = deadline_ns;
    } else {
        limiter->cold[number].deadline_ns = deadline_ns;
    }
}

static uint32_t *place_of(struct weir_limiter *limiter, uint32_t number)
{
    if ((number & ASK_DIRECT) != 0) {
        return &limiter->directs_deadline_place;
    }
    if ((number & ASK_FLIGHT) != 0) {
        return &limiter->flights[number & ~ASK_FLIGHT].deadline_place;
    }
    return (number & ASK_PROBE) != 0 ? &limiter->breakers[number & ~ASK_PROBE].deadline_place
                                     : &limiter->cold[number].deadline_place;
}

static bool earlier(const struct weir_limiter *limiter, uint32_t a, uint32_t b)
{
    const uint64_t a_ns = deadline_of(limiter, a);
    const uint64_t b_ns = deadline_of(limiter, b);

    return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static void put(struct weir_limiter *limiter, uint32_t place, uint32_t number)
{
    limiter->heap[place] = number;
    *place_of(limiter, number) = place;
}

static void sift_up(struct weir_limiter *limiter, uint32_t place, uint32_t number)
{
    while (place > 0) {
        const uint32_t parent = (place - 1) / ARITY;
        if (!earlier(limiter, number, limiter->heap[parent])) {
            break;
        }
        put(limiter, place, limiter->heap[parent]);
        place = parent;
    }
    put(limiter, place, number);
}

static void sift_down(struct weir_limiter *limiter, uint32_t place, uint32_t number)
{
    for (;;) {
        const uint32_t first = place * ARITY + 1;
        uint32_t best = place;
        uint32_t best_number = number;
        for (uint32_t child = first; child < first + ARITY && child < limiter->heap_size; child++) {
            if (earlier(limiter, limiter->heap[child], best_number)) {
                best = child;
                best_number = limiter->heap[child];
            }
        }
        if (best == place) {
            break;
        }
        put(limiter, place, best_number);
        place = best;
    }
    put(limiter, place, number);
}

static void remove_from_heap(struct weir_limiter *limiter, uint32_t number)
{
    const uint32_t place = *place_of(limiter, number);
    const uint32_t last = limiter->heap[--limiter->heap_size];

    WEIR_ASSERT(limiter->heap[place] == number || last == number);
    if (last == number) {
        return;
    }
    sift_down(limiter, place, last);
    sift_up(limiter, *place_of(limiter, last), last);
}

uint64_t deadline_first_ns(const struct weir_limiter *limiter)
{
    return limiter->heap_size == 0 ? NEVER : deadline_of(limiter, limiter->heap[0]);
}

void deadline_set(struct weir_limiter *limiter, uint32_t number, uint64_t deadline_ns)
{
    const uint64_t before_ns = deadline_of(limiter, number);

    if (before_ns == deadline_ns) {
        return;
    }
    if (deadline_ns == NEVER) {
        remove_from_heap(limiter, number);
        note(limiter, number, NEVER);
        return;
    }
    note(limiter, number, deadline_ns);
    if (before_ns == NEVER) {
        WEIR_ASSERT(limiter->heap_size < deadline_capacity(&limiter->options));
        sift_up(limiter, limiter->heap_size++, number);
    } else if (deadline_ns < before_ns) {
        sift_up(limiter, *place_of(limiter, number), number);
    } else {
        sift_down(limiter, *place_of(limiter, number), number);
    }
}
