/* Putting what happened in order of time, in a time that grows as the number of entries does. */
#ifndef SIM_TIME_SORT_H
#define SIM_TIME_SORT_H

#include <stddef.h>

#define SIM_TIME_SORT_BYTES 16u

/* Sort `count` entries of SIM_TIME_SORT_BYTES each, which begin with a uint64_t: the smallest comes
 * first, and equal ones stay in the order they are in. */
void sim_time_sort(void *entries, size_t count);

#endif
