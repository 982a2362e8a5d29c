/* Units admitted without the store that no ask has charged yet. */
#ifndef WEIR_OWED_H
#define WEIR_OWED_H

#include "history.h"
#include "limiter_private.h"

/* After history_admitted. */
void owed_add(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t cost);
bool owed_any(const struct weir_limiter *limiter, uint32_t slot);
/* Whether an ask of now has something to charge: in a grace there may be more to come. */
bool owed_is_due(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
/* They go into this ask, those of a log one slice at a time ... */
void owed_charge(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                 struct weir_ask *ask);
/* ... and come back: it was refused. */
void owed_take_back(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                    const struct weir_ask *ask);
/* The store granted a request of `units` after it was admitted without it: how many of them need
 * not be charged any more. */
uint32_t owed_covered(struct weir_limiter *limiter, uint32_t slot, uint32_t units);
/* history.c: what was admitted in the slice at this place counts no longer. */
void owed_ended(struct weir_limiter *limiter, uint32_t slot, struct history *history,
                uint32_t place);

#endif
