#include "memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CAPACITY_FIRST 64u

static void *require(void *memory, size_t count, size_t size)
{
    if (memory == NULL) {
        fprintf(stderr, "weir: out of memory: %zu objects of %zu bytes\n", count, size);
        exit(70); /* internal error, as sysexits has it */
    }
    return memory;
}

void *sim_memory_new(size_t count, size_t size)
{
    assert(size > 0);
    return require(calloc(count > 0 ? count : 1, size), count, size);
}

void *sim_memory_grow(void *memory, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return memory;
    }
    *capacity = *capacity == 0 ? CAPACITY_FIRST : 2 * *capacity;
    assert(size > 0 && count < *capacity && *capacity <= SIZE_MAX / size);
    return require(realloc(memory, *capacity * size), *capacity, size);
}
