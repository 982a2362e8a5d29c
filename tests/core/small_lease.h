/* One slot of a small limiter whose clock is known, and the store's answers to it.
 */
#ifndef WEIR_SMALL_LEASE_H
#define WEIR_SMALL_LEASE_H

#include "small_limiter.h"

#define ROUND_TRIP_NS UINT64_C(400000)
#define LEASE_END_US (START_US + 5 * SECOND_US) /* of the lease period that has begun */
#define TRICKLE_PERIOD (START_US / SECOND_US)

static struct weir_limiter *limiter;
static struct hot *hot;
static struct cold *cold;

static inline int with_plan(struct weir_plan plan)
{
    limiter = small_limiter(&plan);
    assert_int_equal(small_slot(limiter, 0), 0);
    small_clock(limiter, ROUND_TRIP_NS);
    hot = &limiter->hot[0];
    cold = &limiter->cold[0];
    return 0;
}

static inline int reset(void **state)
{
    (void)state;
    return with_plan(bucket_plan(10, 100));
}

/* Local time at which the store's clock is surely, or for the first time possibly, at START_US +
 * after_us. */
static inline uint64_t surely_ns(uint64_t after_us)
{
    return clock_surely_reached_ns(&limiter->clock, SMALL_START_NS, START_US + after_us);
}

static inline uint64_t possibly_ns(uint64_t after_us)
{
    uint64_t at_ns = clock_surely_before_ns(&limiter->clock, SMALL_START_NS, START_US + after_us);

    while (clock_late_ns(&limiter->clock, at_ns) < (START_US + after_us) * NS_PER_US) {
        at_ns++;
    }
    return at_ns;
}

static inline void hold(uint32_t units, uint64_t lease_end_us)
{
    hot->held_units = units;
    cold->leased_units = units;
    cold->lease_end_us = lease_end_us;
}

static inline struct weir_answer answer_now(uint32_t granted)
{
    return (struct weir_answer){
        .key = hot->key,
        .granted_units = granted,
        .lease_end_us = LEASE_END_US + 5 * SECOND_US,
        .trickle_period = TRICKLE_PERIOD + 1,
        .store_us = START_US,
        .reached_us = START_US,
        .version = 5,
        .remaining_units = 60,
    };
}

#endif
