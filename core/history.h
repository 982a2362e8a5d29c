/* What this process admitted of a log's keys, and when that ends to count. Nothing is kept of keys
 * under other plans, nor beyond options.history_capacity keys. */
#ifndef WEIR_HISTORY_H
#define WEIR_HISTORY_H

#include "limiter_private.h"

/* Of one key under a log's plan: units admitted here, by slices of local time; see history.c. */
#define HISTORY_SLICES 256u
struct history {
    uint64_t first_slice;   /* the first that counts */
    uint64_t ended_units;   /* of all slices before it */
    uint64_t known_units;   /* of them: in what the last answer said is left, or maybe so */
    int64_t offset_us;      /* from local to store time: the greatest since something is owed */
    uint64_t charged_slice; /* when an ask took some of what is owed; 0: none did */
    uint32_t owed_units;    /* sum of owed[] */
    uint32_t next_free;     /* place + 1 */
    uint32_t units[HISTORY_SLICES];
    uint32_t owed[HISTORY_SLICES]; /* of them: yet to be charged; kept by owed.c */
};

void history_init(struct weir_limiter *limiter);
/* What was admitted is not to be counted on any more: another plan or key comes into the slot. */
void history_forget(struct weir_limiter *limiter, uint32_t slot);
/* Without effect unless the slot's plan is a log's. */
void history_admitted(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t units);
/* The store said what is left: entries that end from now on are not in that. */
void history_mark(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
bool history_is_kept(const struct weir_limiter *limiter, uint32_t slot);
/* The history as of now: slices that have surely ended hold nothing. NULL: none is kept. */
struct history *history_reach(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);
/* Slice n holds local times from n x this on. */
uint64_t history_slice_us(const struct weir_plan *plan);
/* Units admitted here that have surely ended since history_mark. Requires that it is kept. */
uint64_t history_ended_units(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns);

#endif
