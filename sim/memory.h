/* Memory for the simulator, which has no use for a failed allocation: it ends the program. */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stddef.h>

/* Zeroed memory for `count` objects of `size` bytes; never NULL: exhaustion ends the program with
 * a message. Release with free(). Requires size > 0. */
void *sim_memory_new(size_t count, size_t size);

/* Room for one more of `count` elements of `size` bytes each: the same memory, or twice as much,
 * into which they have moved, and *capacity how many it holds. NULL with a capacity of 0 begins.
 * Ownership of `elements` passes to what is returned. Requires count <= *capacity. */
void *sim_memory_grow(void *elements, size_t count, size_t *capacity, size_t size);

#endif
