/* The key of requests that the store decides one by one, if it is in the table: what their asks
 * tell the store of it, and what it says. */
#ifndef WEIR_DIRECT_KEY_H
#define WEIR_DIRECT_KEY_H

#include "limiter_private.h"

/* The state as the store knew it last, and the demand, unless another ask tells that. */
void direct_tell_key(struct weir_limiter *limiter, uint32_t plan_index, uint64_t now_ns,
                     struct weir_ask *ask);
/* The ask is answered no more: whether the store heard the demand nobody knows ... */
void direct_demand_in_doubt(struct weir_limiter *limiter, const struct weir_ask *ask);
/* ... or it did not: the ask was refused. */
void direct_demand_untold(struct weir_limiter *limiter, const struct weir_ask *ask);
/* The slot of the key, if it is in the table under this plan; what the answer says is known. */
uint32_t direct_hear_key(struct weir_limiter *limiter, uint32_t plan_index, uint64_t now_ns,
                         const struct weir_ask *ask, const struct weir_answer *answer,
                         bool is_late);

#endif
