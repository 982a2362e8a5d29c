/* Memory for the simulator, which has no use for a failed allocation: it ends the program. */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stddef.h>

/* Zeroed memory for `count` objects of `size` bytes; never NULL: exhaustion ends the program with
 * a message. Release with free(). Requires size > 0. */
void *sim_memory_new(size_t count, size_t size);

/* Room for one more than `count` objects of `size` bytes: `memory`, or if that has no more
 * *capacity, memory twice as large to which they have moved. What follows them is not zeroed. */
void *sim_memory_grow(void *memory, size_t count, size_t *capacity, size_t size);

#endif
