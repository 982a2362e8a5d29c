#include "kernel_queue.h"

#include "weir/assert.h"

#include <stdlib.h>

#define CHILD_COUNT                                                                                \
    4 /* siblings lie together in two or three cache lines; half the levels of a binary heap */
#define INITIAL_CAPACITY 256

void sim_kernel_queue_init(struct sim_kernel_queue *queue)
{
    *queue = (struct sim_kernel_queue){0};
}

void sim_kernel_queue_deinit(struct sim_kernel_queue *queue)
{
    free(queue->entries);
    *queue = (struct sim_kernel_queue){0};
}

static void queue_grow(struct sim_kernel_queue *queue)
{
    size_t capacity = queue->capacity == 0 ? INITIAL_CAPACITY : 2 * queue->capacity;

    WEIR_ASSERT(capacity <= SIZE_MAX / sizeof *queue->entries);
    queue->entries = realloc(queue->entries, capacity * sizeof *queue->entries);
    WEIR_ASSERT(queue->entries != NULL);
    queue->capacity = capacity;
}

/* Put `entry` at `hole` or, as long as it precedes the parent, further up. */
static void queue_sift_up(struct sim_kernel_queue *queue, size_t hole,
                          const struct sim_kernel_entry *entry)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / CHILD_COUNT;

        if (!sim_kernel_entry_precedes(entry, &queue->entries[parent])) {
            break;
        }
        queue->entries[hole] = queue->entries[parent];
        hole = parent;
    }
    queue->entries[hole] = *entry;
}

void sim_kernel_queue_push(struct sim_kernel_queue *queue, const struct sim_kernel_entry *entry)
{
    if (queue->count == queue->capacity) {
        queue_grow(queue);
    }
    queue_sift_up(queue, queue->count++, entry);
}

/* Index of `second` if its entry precedes that of `first`, else `first`. Arithmetic instead of a
 * branch: which one it is cannot be predicted. */
static size_t queue_first_of(const struct sim_kernel_queue *queue, size_t first, size_t second)
{
    size_t is_second = sim_kernel_entry_precedes(&queue->entries[second], &queue->entries[first]);

    return first + is_second * (second - first);
}

static size_t queue_first_child(const struct sim_kernel_queue *queue, size_t parent)
{
    size_t begin = parent * CHILD_COUNT + 1;
    size_t first = begin;

    if (begin + CHILD_COUNT <= queue->count) {
        return queue_first_of(queue, queue_first_of(queue, begin, begin + 1),
                              queue_first_of(queue, begin + 2, begin + 3));
    }
    for (size_t child = begin + 1; child < queue->count; child++) {
        first = queue_first_of(queue, first, child);
    }
    return first;
}

/* The hole left at the root sinks to a leaf before the last entry fills it: that entry comes from a
 * leaf and nearly always belongs near one, so comparing it on the way down would be wasted. */
struct sim_kernel_entry sim_kernel_queue_pop(struct sim_kernel_queue *queue)
{
    WEIR_ASSERT(queue->count > 0);
    struct sim_kernel_entry top = queue->entries[0];
    struct sim_kernel_entry last = queue->entries[--queue->count];
    size_t hole = 0;

    if (queue->count == 0) {
        return top;
    }
    while (hole * CHILD_COUNT + 1 < queue->count) {
        size_t child = queue_first_child(queue, hole);

        queue->entries[hole] = queue->entries[child];
        hole = child;
    }
    queue_sift_up(queue, hole, &last);
    return top;
}
