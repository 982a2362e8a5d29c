/* One key of a process that decides without the store, for tests of that: answers and requests at
 * a time after the start. */
#ifndef WEIR_SPELL_H
#define WEIR_SPELL_H

#include "small_limiter.h"

#include "arithmetic.h"

static struct weir_limiter *limiter;
static struct hot *hot;
static struct cold *cold;

static inline void with_plan(struct weir_plan plan, enum weir_degraded_policy policy)
{
    plan.degraded = (uint8_t)policy;
    limiter = small_limiter(&plan);
    limiter->options.process_count = 50;
    assert_int_equal(small_slot(limiter, 0), 0);
    small_clock(limiter, 0); /* store time is START_US + what passed, exactly */
    hot = &limiter->hot[0];
    cold = &limiter->cold[0];
    cold->window_us = plan.window_us;
    cold->window_index = period_of(&hot->key, START_US, plan.window_us);
}

/* A key whose windows begin at multiples of their length: its phase is 0. */
static inline const struct weir_plan *plan(void)
{
    return slot_plan(limiter, 0);
}

static inline void answered(uint64_t remaining_units, uint32_t own_milli, uint64_t all_milli)
{
    const struct weir_answer answer = {
        .store_us = START_US, .remaining_units = remaining_units, .global_rate_milli = all_milli};

    cold->rate_reported_milli = own_milli;
    degraded_answered(limiter, 0, SMALL_START_NS, &answer, false);
}

static inline uint64_t at(uint64_t after_us)
{
    return SMALL_START_NS + after_us * NS_PER_US;
}

static inline struct weir_decision decide(uint64_t after_us, uint32_t cost)
{
    /* as the limiter does before it decides */
    if (cold->window_index != period_of(&hot->key, START_US + after_us, cold->window_us)) {
        degraded_window_ends(limiter, 0);
        hot->spent_units = 0;
        cold->window_index = period_of(&hot->key, START_US + after_us, cold->window_us);
    }
    return degraded_decide(limiter, 0, at(after_us), cost);
}

static inline bool admits(uint64_t after_us, uint32_t cost)
{
    return decide(after_us, cost).verdict == WEIR_VERDICT_ADMITTED;
}

/* Requests of one unit admitted at that instant. */
static inline uint32_t admitted(uint64_t after_us)
{
    uint32_t count = 0;

    while (count < 100000 && admits(after_us, 1)) {
        count++;
    }
    return count;
}

/* An answer that came so late that its ask had been given up. */
static inline void answered_late(uint64_t after_us, uint64_t remaining_units, uint32_t own_milli,
                                 uint64_t all_milli)
{
    const struct weir_answer answer = {.store_us = START_US + after_us,
                                       .remaining_units = remaining_units,
                                       .global_rate_milli = all_milli};

    cold->rate_reported_milli = own_milli;
    degraded_answered(limiter, 0, at(after_us), &answer, true);
}

#endif
