#include "recent.h"

#include <assert.h>
#include <stdlib.h>

#include "memory.h"

#define CAPACITY_MIN 8

void sim_recent_deinit(struct sim_recent *recent)
{
    free(recent->entries);
    *recent = (struct sim_recent){0};
}

const struct sim_recent_entry *sim_recent_at(const struct sim_recent *recent, size_t index)
{
    assert(index < recent->count);
    return &recent->entries[(recent->first + index) & (recent->capacity - 1)];
}

static void grow(struct sim_recent *recent)
{
    const size_t capacity = recent->capacity == 0 ? CAPACITY_MIN : 2 * recent->capacity;
    struct sim_recent_entry *entries = sim_memory_new(capacity, sizeof *entries);

    for (size_t i = 0; i < recent->count; i++) {
        entries[i] = *sim_recent_at(recent, i);
    }
    free(recent->entries);
    recent->entries = entries;
    recent->capacity = capacity;
    recent->first = 0;
}

void sim_recent_add(struct sim_recent *recent, uint64_t time_ns, uint64_t units)
{
    assert(recent->count == 0 || time_ns >= sim_recent_at(recent, recent->count - 1)->time_ns);
    assert(units < (UINT64_C(1) << 63) - recent->units);
    if (units == 0) {
        return;
    }
    if (recent->count == recent->capacity) {
        grow(recent);
    }
    recent->entries[(recent->first + recent->count) & (recent->capacity - 1)] =
        (struct sim_recent_entry){.time_ns = time_ns, .units = units};
    recent->count++;
    recent->units += units;
}

void sim_recent_drop_oldest(struct sim_recent *recent)
{
    recent->units -= sim_recent_at(recent, 0)->units;
    recent->first = (recent->first + 1) & (recent->capacity - 1);
    recent->count--;
}

void sim_recent_clear(struct sim_recent *recent)
{
    recent->first = 0;
    recent->count = 0;
    recent->units = 0;
}
