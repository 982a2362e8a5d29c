#include "memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

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
