/* A limiter that leases nothing, to hold admissions against: one key, decided at the instant of
 * each, in microseconds of the store's clock. Bucket: any t seconds admit at most what it held at
 * the start + rate x t, if and only if it never lacks a token. Window and log: the sum of what
 * counts. Sliding: the units of the window before times what is left of this one, plus this one's
 * units times the window's length, compared as products, so that nothing is rounded. What lacks is
 * counted, not owed.
 *
 * A plan takes over from another what that one counts (weir/plan.h). An unlimited one lets it go on
 * forgetting and adds nothing. */
#ifndef WEIR_EXACT_H
#define WEIR_EXACT_H

#include "core_support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct exact_entry {
    uint64_t at_us;
    uint64_t units;
};

struct exact {
    struct weir_key key;
    struct weir_plan plan; /* the newest that limits anything */
    bool lifted;           /* an unlimited one is in force */
    uint64_t units; /* bucket: missing from the capacity; else: what counts, in this window */
    uint64_t previous_units;
    uint64_t carry; /* bucket, in 1 / rate_period_us */
    uint64_t updated_us;
    uint64_t window;
    struct exact_entry *entries; /* log, owned: those before `first` count no longer */
    uint32_t first, count, capacity;
};

static inline void exact_log_add(struct exact *exact, uint64_t now_us, uint64_t units)
{
    if (exact->count == exact->capacity) {
        const uint32_t kept = exact->count - exact->first;
        exact->capacity = 2 * kept + 64;
        struct exact_entry *entries = calloc(exact->capacity, sizeof *entries);
        assert_non_null(entries);
        if (kept != 0) {
            memcpy(entries, exact->entries + exact->first, kept * sizeof *entries);
        }
        free(exact->entries);
        exact->entries = entries;
        exact->first = 0;
        exact->count = kept;
    }
    exact->entries[exact->count++] = (struct exact_entry){.at_us = now_us, .units = units};
    exact->units += units;
}

static inline uint64_t exact_window_of(const struct exact *exact, uint64_t now_us)
{
    const uint64_t phase_us = weir_key_phase_us(&exact->key, exact->plan.window_us);

    return (now_us + phase_us) / exact->plan.window_us;
}

/* Of this window, the part that is left, in microseconds. */
static inline uint64_t exact_left_us(const struct exact *exact, uint64_t now_us)
{
    const uint64_t phase_us = weir_key_phase_us(&exact->key, exact->plan.window_us);

    return exact->plan.window_us - (now_us + phase_us) % exact->plan.window_us;
}

/* Begin with used_units of the plan spent. */
static inline void exact_start(struct exact *exact, const struct weir_plan *plan, uint64_t now_us,
                               uint64_t used_units)
{
    exact->plan = *plan;
    exact->units = used_units;
    exact->previous_units = 0;
    exact->carry = 0;
    exact->updated_us = now_us;
    exact->window = exact_window_of(exact, now_us);
    exact->first = 0;
    exact->count = 0;
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET && used_units > plan->capacity_units) {
        exact->units = plan->capacity_units;
    } else if (plan->algorithm == WEIR_ALGORITHM_LOG) {
        exact->units = 0;
        exact_log_add(exact, now_us, used_units);
    }
}

static inline void exact_free(struct exact *exact)
{
    free(exact->entries);
    exact->entries = NULL;
}

static inline void exact_advance(struct exact *exact, uint64_t now_us)
{
    const struct weir_plan *plan = &exact->plan;

    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        const uint64_t gain = (now_us - exact->updated_us) * plan->rate_units + exact->carry;
        const uint64_t refilled = gain / plan->rate_period_us;
        exact->carry = refilled >= exact->units ? 0 : gain % plan->rate_period_us;
        exact->units -= refilled >= exact->units ? exact->units : refilled;
    } else if (plan->algorithm == WEIR_ALGORITHM_LOG) {
        while (exact->first != exact->count &&
               exact->entries[exact->first].at_us + plan->window_us <= now_us) {
            exact->units -= exact->entries[exact->first++].units;
        }
    } else {
        const uint64_t window = exact_window_of(exact, now_us);
        if (window != exact->window) {
            exact->previous_units = window == exact->window + 1 ? exact->units : 0;
            exact->units = 0;
            exact->window = window;
        }
    }
    exact->updated_us = now_us;
}

/* What the plan in force counts at this instant, of a sliding window rounded up. */
static inline uint64_t exact_used_units(const struct exact *exact)
{
    const uint64_t window_us = exact->plan.window_us;
    const uint64_t before = exact->previous_units * exact_left_us(exact, exact->updated_us);

    return exact->plan.algorithm == WEIR_ALGORITHM_SLIDING
               ? exact->units + (before + window_us - 1) / window_us
               : exact->units;
}

static inline void exact_change(struct exact *exact, const struct weir_plan *plan, uint64_t now_us)
{
    const struct weir_plan old = exact->plan;

    exact_advance(exact, now_us);
    exact->lifted = plan->algorithm == WEIR_ALGORITHM_UNLIMITED;
    if (exact->lifted && old.algorithm != WEIR_ALGORITHM_UNLIMITED) {
        return;
    }
    if (old.algorithm != plan->algorithm ||
        (weir_plan_has_windows(plan) && old.window_us != plan->window_us)) {
        exact_start(exact, plan, now_us, exact_used_units(exact));
        return;
    }
    exact->plan = *plan;
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        exact->carry = old.rate_period_us == plan->rate_period_us ? exact->carry : 0;
        exact->units = exact->units < plan->capacity_units ? exact->units : plan->capacity_units;
    }
}

/* Returns how many of the units are beyond what the plan allows. Units carried over that exceed a
 * smaller limit are not; all that is admitted while they do is. */
static inline uint64_t exact_admit(struct exact *exact, uint64_t now_us, uint64_t units)
{
    const struct weir_plan *plan = &exact->plan;
    const uint64_t window_us = plan->window_us;
    uint64_t over_units = 0;

    exact_advance(exact, now_us);
    if (exact->lifted || plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return 0;
    }
    if (plan->algorithm == WEIR_ALGORITHM_LOG) {
        exact_log_add(exact, now_us, units);
    } else {
        exact->units += units;
    }
    if (plan->algorithm == WEIR_ALGORITHM_SLIDING) {
        const uint64_t counted =
            exact->previous_units * exact_left_us(exact, now_us) + exact->units * window_us;
        const uint64_t allowed = plan->capacity_units * window_us;
        over_units = counted > allowed ? (counted - allowed + window_us - 1) / window_us : 0;
    } else if (exact->units > plan->capacity_units) {
        over_units = exact->units - plan->capacity_units;
    }
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        exact->units -= over_units;
    }
    return over_units < units ? over_units : units;
}

#endif
