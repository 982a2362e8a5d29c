/* Plans, keys and dice shared by the tests of the core. */
#ifndef WEIR_CORE_SUPPORT_H
#define WEIR_CORE_SUPPORT_H

#include "unit.h"

#include "weir/key.h"
#include "weir/plan.h"
#include "weir/take.h"

#define SECOND_US UINT64_C(1000000)
#define MINUTE_US UINT64_C(60000000)
#define MS_US UINT64_C(1000)
#define START_US (UINT64_C(1000000) * MINUTE_US) /* where tests put the store's clock */

/* A key whose windows and periods start at multiples of their length. */
static const struct weir_key PLAIN_KEY = {.low = 1, .high = 0};

/* A store that has been up since for ever. */
static const struct weir_store_run the_run = {.id = 1};

struct dice {
    uint64_t seed;
};

/* Linear congruential generator (Knuth, MMIX); its low bits are weak. */
static inline uint64_t dice_roll(struct dice *dice)
{
    dice->seed = dice->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return dice->seed >> 32;
}

static inline uint64_t dice_below(struct dice *dice, uint64_t bound)
{
    const uint64_t high = dice_roll(dice);

    return ((high << 32) | dice_roll(dice)) % bound;
}

static inline struct weir_plan plan_from(const struct weir_plan_options *options)
{
    struct weir_plan plan;

    assert_int_equal(weir_plan_make(&plan, options), WEIR_OK);
    return plan;
}

static inline struct weir_plan bucket_plan(uint64_t rate_per_s, uint64_t capacity_units)
{
    const struct weir_plan_options options = {
        .version = 1,
        .rate_units = rate_per_s,
        .rate_period_us = SECOND_US,
        .capacity_units = capacity_units,
        .window_us = MINUTE_US,
    };

    return plan_from(&options);
}

/* A plan that counts by windows: window, sliding or log. */
static inline struct weir_plan windowed_plan(enum weir_algorithm algorithm, uint64_t limit_units,
                                             uint64_t window_us)
{
    const struct weir_plan_options options = {
        .version = 1,
        .algorithm = algorithm,
        .rate_units = limit_units,
        .rate_period_us = window_us,
        .window_us = window_us,
    };

    return plan_from(&options);
}

static inline struct weir_plan window_plan(uint64_t limit_units, uint64_t window_us)
{
    return windowed_plan(WEIR_ALGORITHM_WINDOW, limit_units, window_us);
}

static inline struct weir_plan sliding_plan(uint64_t limit_units, uint64_t window_us)
{
    return windowed_plan(WEIR_ALGORITHM_SLIDING, limit_units, window_us);
}

static inline struct weir_plan log_plan(uint64_t limit_units, uint64_t window_us)
{
    return windowed_plan(WEIR_ALGORITHM_LOG, limit_units, window_us);
}

static inline struct weir_plan unlimited_plan(void)
{
    const struct weir_plan_options options = {
        .version = 1,
        .algorithm = WEIR_ALGORITHM_UNLIMITED,
        .rate_period_us = 1,
        .window_us = MINUTE_US,
    };

    return plan_from(&options);
}

static inline struct weir_plan fixed_plan(struct weir_plan plan, uint32_t lease_units)
{
    plan.sizer = WEIR_SIZER_FIXED;
    plan.fixed_lease_units = lease_units;
    plan.lease_period_us = plan.window_us;
    return plan;
}

#endif
