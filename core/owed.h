/* Units admitted without the store that no ask has charged yet. */
#ifndef WEIR_OWED_H
#define WEIR_OWED_H

#include "limiter_private.h"

void owed_add(struct weir_limiter *limiter, uint32_t slot, uint64_t now_us, uint32_t cost);
bool owed_any(const struct weir_limiter *limiter, uint32_t slot);
/* They go into this ask ... */
void owed_charge(struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask);
/* ... and come back: it was refused. */
void owed_take_back(struct weir_limiter *limiter, uint32_t slot, const struct weir_ask *ask);
/* The store granted a request of `units` after it was admitted without it: how many of them need
 * not be charged any more. */
uint32_t owed_covered(struct weir_limiter *limiter, uint32_t slot, uint32_t units);

#endif
