/* What this process admitted of a log's keys, by slices of the log's window.
 *
 * A log's entries count for a window's length, and the store does not say when they were made. So
 * without it a process knows of its own ones alone when they end. They are counted by slices, and
 * all of a slice ends with the last request that may be in it: up to a slice too late, never too
 * early. What an answer said is left holds the entries that had ended by then; the slice of which
 * some had and some had not counts as among them.
 *
 * Times are local: of a span of time a process needs nobody's clock but its own. */
#include "history.h"

#include "arithmetic.h"
#include "owed.h"

/* Clocks may be 200 ppm fast: a window's length by ours may be so much too short. */
#define DRIFT_DIVISOR 4096

void history_init(struct weir_limiter *limiter)
{
    limiter->history_free = 0;
    limiter->used_histories = 0;
}

static uint64_t span_us(const struct weir_plan *plan)
{
    return plan->window_us + plan->window_us / DRIFT_DIVISOR + 1;
}

/* So long that of the last span no more slices count than there are places. */
uint64_t history_slice_us(const struct weir_plan *plan)
{
    return (span_us(plan) + HISTORY_SLICES - 3) / (HISTORY_SLICES - 2);
}

bool history_is_kept(const struct weir_limiter *limiter, uint32_t slot)
{
    return limiter->degraded[slot].history != 0 &&
           slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_LOG;
}

static struct history *history_of(struct weir_limiter *limiter, uint32_t slot)
{
    return &limiter->histories[limiter->degraded[slot].history - 1];
}

static void advance(struct weir_limiter *limiter, uint32_t slot, uint64_t now_us)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct history *history = history_of(limiter, slot);
    const uint64_t first = saturating_sub(now_us, span_us(plan)) / history_slice_us(plan);
    const uint64_t ended = lesser(saturating_sub(first, history->first_slice), HISTORY_SLICES);

    for (uint64_t i = 0; i < ended; i++) {
        const uint32_t place = (uint32_t)((history->first_slice + i) % HISTORY_SLICES);
        history->ended_units += history->units[place];
        history->units[place] = 0;
        owed_ended(limiter, slot, history, place);
    }
    history->first_slice = greater(history->first_slice, first);
}

struct history *history_reach(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    if (!history_is_kept(limiter, slot)) {
        return NULL;
    }
    advance(limiter, slot, now_ns / NS_PER_US);
    return history_of(limiter, slot);
}

/* 0: there is no room for it. */
static uint32_t take_place(struct weir_limiter *limiter)
{
    const uint32_t place = limiter->history_free;

    if (place != 0) {
        limiter->history_free = limiter->histories[place - 1].next_free;
        return place;
    }
    return limiter->used_histories == limiter->options.history_capacity ? 0
                                                                        : ++limiter->used_histories;
}

static void begin(struct weir_limiter *limiter, uint32_t slot)
{
    struct degraded *degraded = &limiter->degraded[slot];

    degraded->history = take_place(limiter);
    if (degraded->history != 0) {
        *history_of(limiter, slot) = (struct history){0};
    }
}

void history_admitted(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t units)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint64_t now_us = now_ns / NS_PER_US;

    if (plan->algorithm != WEIR_ALGORITHM_LOG) {
        return;
    }
    if (limiter->degraded[slot].history == 0) {
        begin(limiter, slot);
    }
    if (limiter->degraded[slot].history == 0) {
        return;
    }
    struct history *history = history_reach(limiter, slot, now_ns);
    uint32_t *sum = &history->units[now_us / history_slice_us(plan) % HISTORY_SLICES];
    *sum = *sum > UINT32_MAX - units ? UINT32_MAX : *sum + units;
}

void history_mark(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    struct history *history = history_reach(limiter, slot, now_ns);

    if (history == NULL) {
        return;
    }
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint64_t now_us = now_ns / NS_PER_US;
    history->known_units = history->ended_units;
    for (uint64_t slice = history->first_slice;
         slice * history_slice_us(plan) + plan->window_us <= now_us; slice++) {
        history->known_units += history->units[slice % HISTORY_SLICES];
    }
}

uint64_t history_ended_units(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const struct history *history = history_reach(limiter, slot, now_ns);

    return saturating_sub(history->ended_units, history->known_units);
}

void history_forget(struct weir_limiter *limiter, uint32_t slot)
{
    const uint32_t place = limiter->degraded[slot].history;

    if (place != 0) {
        limiter->histories[place - 1].next_free = limiter->history_free;
        limiter->history_free = place;
        limiter->degraded[slot].history = 0;
    }
}
