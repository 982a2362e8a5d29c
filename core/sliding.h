/* The sliding window's arithmetic: the units of the window before count by the part of it that the
 * last window's length still covers,
 *
 *   previous x (window - elapsed) / window + current <= limit
 *
 * (Cloudflare, "How we built rate limiting capable of scaling to millions of domains", 2017), here
 * rounded up, in integers. Exact while limit x window < 2^53, which weir_plan_make requires. */
#ifndef WEIR_SLIDING_H
#define WEIR_SLIDING_H

#include <stdint.h>

#include "weir/plan.h"

/* What `previous` counts for, elapsed_us into the window. Requires elapsed_us <= window_us. */
uint64_t sliding_weighted_units(const struct weir_plan *plan, uint64_t previous,
                                uint64_t elapsed_us);

/* Microseconds after the current window's start from which `need` units more can be had, if nothing
 * else comes; UINT64_MAX: never. Up to two windows. */
uint64_t sliding_ready_us(const struct weir_plan *plan, uint64_t previous, uint64_t current,
                          uint64_t need);

#endif
