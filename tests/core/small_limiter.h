/* A limiter in static memory, for tests of its parts. One at a time. */
#ifndef WEIR_SMALL_LIMITER_H
#define WEIR_SMALL_LIMITER_H

#include "core_support.h"

#include "limiter_private.h"

#define SMALL_KEYS 100
#define SMALL_WAITERS 20
#define SMALL_ASKS 16
#define SMALL_START_NS (UINT64_C(1000) * NS_PER_S)

static inline struct weir_limiter *small_limiter(const struct weir_plan *plan)
{
    static _Alignas(64) unsigned char memory[1 << 20];
    const struct weir_limiter_options options = {
        .process = 7,
        .incarnation = 8,
        .table_secret = 9,
        .key_capacity = SMALL_KEYS,
        .history_capacity = 2,
        .plan_capacity = 1,
        .waiter_capacity = SMALL_WAITERS,
        .start_ns = SMALL_START_NS,
        .ask_capacity = SMALL_ASKS,
    };
    struct weir_limiter *limiter;

    assert_int_equal(weir_limiter_init(&limiter, memory, sizeof memory, &options), WEIR_OK);
    assert_int_equal(weir_limiter_set_plan(limiter, 0, plan), WEIR_OK);
    return limiter;
}

static inline struct weir_key small_key(uint64_t number)
{
    return (struct weir_key){.low = number, .high = number * 17};
}

static inline uint32_t small_slot(struct weir_limiter *limiter, uint64_t number)
{
    const struct weir_key key = small_key(number);
    const uint32_t slot = table_insert(limiter, &key);

    demand_start(limiter, slot, SMALL_START_NS);
    return slot;
}

/* The store's clock read START_US half a round trip before SMALL_START_NS. */
static inline void small_clock(struct weir_limiter *limiter, uint64_t round_trip_ns)
{
    clock_learn(&limiter->clock, SMALL_START_NS - round_trip_ns, SMALL_START_NS, START_US);
}

#endif
