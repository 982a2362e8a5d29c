#include "memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 64

void *sim_memory_new(size_t count, size_t size)
{
    assert(size > 0);
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "weir: out of memory: %zu objects of %zu bytes\n", count, size);
        exit(70); /* internal error, as sysexits has it */
    }
    return memory;
}

void *sim_memory_grow(void *elements, size_t count, size_t *capacity, size_t size)
{
    assert(count <= *capacity);
    if (count < *capacity) {
        return elements;
    }
    *capacity = *capacity == 0 ? CAPACITY_FIRST : 2 * *capacity;
    void *grown = sim_memory_new(*capacity, size);
    if (count != 0) {
        memcpy(grown, elements, count * size);
    }
    free(elements);
    return grown;
}
