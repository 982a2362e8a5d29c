#include "weir/plan.h"

#include "arithmetic.h"
#include "weir/assert.h"

/* T is a sixtieth of the window, so that a lease's worth of permits is under 2 % of a window. */
#define TRICKLES_PER_WINDOW 60
/* Block leases live one to two of these. */
#define LEASE_PERIODS_PER_WINDOW 12
#define PERIOD_US_MIN 1000
/* A customer who is billed by the month is no reason to let permits lie about for days. */
#define PERIODS_SPAN_US_MAX UINT64_C(3600000000)

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* So short that what accrues in it, times its length, stays below 2^53: the part of a trickle that
 * is due is that product, divided. */
static uint64_t exact_trickle_period_us(const struct weir_plan *plan, uint64_t period_us)
{
    while (period_us > PERIOD_US_MIN &&
           plan->rate_milli_per_s / 1000 >= WEIR_EXACT_MAX / period_us * 1000000 / period_us) {
        period_us = greater(period_us / 2, PERIOD_US_MIN);
    }
    return period_us;
}

static enum weir_status check_ranges(const struct weir_plan_options *options)
{
    if (options->version == 0 || options->rate_period_us == 0 ||
        (unsigned)options->algorithm > WEIR_ALGORITHM_LOG ||
        (unsigned)options->sizer > WEIR_SIZER_DOUBLING ||
        (unsigned)options->degraded > WEIR_DEGRADED_CLOSED) {
        return WEIR_ERR_ARGUMENT;
    }
    if (options->window_us < WEIR_WINDOW_US_MIN || options->window_us > WEIR_WINDOW_US_MAX) {
        return WEIR_ERR_ARGUMENT;
    }
    if (options->sizer == WEIR_SIZER_FIXED && options->fixed_lease_units == 0) {
        return WEIR_ERR_ARGUMENT;
    }
    /* rate_units / period_us <= 10^9 / 10^6, compared without forming a product that could wrap */
    if (options->rate_units / 1000 > options->rate_period_us ||
        (options->rate_units / 1000 == options->rate_period_us &&
         options->rate_units % 1000 != 0)) {
        return WEIR_ERR_ARGUMENT;
    }
    return WEIR_OK;
}

/* value x factor / divisor, or UINT64_MAX if the product leaves 2^53. */
static uint64_t scaled_exactly(uint64_t value, uint64_t factor, uint64_t divisor)
{
    if (factor != 0 && value > (WEIR_EXACT_MAX - 1) / factor) {
        return UINT64_MAX;
    }
    return value * factor / divisor;
}

/* limit_units and capacity_units, and the bound that keeps every later product exact. */
static enum weir_status derive_limits(struct weir_plan *plan,
                                      const struct weir_plan_options *options)
{
    const int windows = weir_plan_has_windows(plan);
    const uint64_t span_us = windows ? options->window_us : UINT64_C(60000000);

    plan->limit_units = scaled_exactly(plan->rate_units, span_us, plan->rate_period_us);
    plan->capacity_units = windows ? plan->limit_units : options->capacity_units;
    if (plan->limit_units == UINT64_MAX || plan->capacity_units >= WEIR_EXACT_MAX ||
        plan->rate_units >= WEIR_EXACT_MAX) {
        return WEIR_ERR_PLAN_INEXACT;
    }
    if (options->algorithm == WEIR_ALGORITHM_BUCKET &&
        plan->capacity_units > (WEIR_EXACT_MAX - 1 - plan->rate_units) / plan->rate_period_us) {
        return WEIR_ERR_PLAN_INEXACT;
    }
    if (options->algorithm == WEIR_ALGORITHM_SLIDING &&
        plan->limit_units > (WEIR_EXACT_MAX - 1) / options->window_us) {
        return WEIR_ERR_PLAN_INEXACT;
    }
    return options->algorithm == WEIR_ALGORITHM_LOG && plan->limit_units > WEIR_LOG_UNITS_MAX
               ? WEIR_ERR_ARGUMENT
               : WEIR_OK;
}

enum weir_status weir_plan_make(struct weir_plan *plan, const struct weir_plan_options *options)
{
    *plan = (struct weir_plan){0};
    enum weir_status status = check_ranges(options);
    if (status != WEIR_OK) {
        return status;
    }

    const uint64_t divisor = greatest_common_divisor(options->rate_units, options->rate_period_us);
    struct weir_plan made = {
        .version = options->version,
        .since_us = options->since_us,
        .rate_units = options->rate_units / divisor,
        .rate_period_us = options->rate_period_us / divisor,
        .window_us = options->window_us,
        .fixed_lease_units = options->fixed_lease_units,
        .algorithm = (uint8_t)options->algorithm,
        .sizer = (uint8_t)options->sizer,
        .degraded = (uint8_t)options->degraded,
    };
    if (options->algorithm != WEIR_ALGORITHM_UNLIMITED) {
        status = derive_limits(&made, options);
        if (status != WEIR_OK) {
            return status;
        }
    }

    made.full_us = weir_plan_refill_us(&made, made.capacity_units, 0);
    made.rate_milli_per_s = made.rate_units > UINT64_MAX / 1000000000
                                ? UINT64_MAX
                                : made.rate_units * 1000000000 / made.rate_period_us;
    const uint64_t span_us = lesser(made.window_us, PERIODS_SPAN_US_MAX);
    made.trickle_period_us =
        exact_trickle_period_us(&made, greater(span_us / TRICKLES_PER_WINDOW, PERIOD_US_MIN));
    made.lease_period_us = greater(span_us / LEASE_PERIODS_PER_WINDOW, PERIOD_US_MIN);
    if (weir_plan_has_windows(&made) || made.sizer != WEIR_SIZER_TAPERED) {
        made.lease_period_us = made.window_us;
    }
    *plan = made;
    return WEIR_OK;
}

int weir_plan_is_valid(const struct weir_plan *plan)
{
    const struct weir_plan_options options = {
        .version = plan->version,
        .algorithm = (enum weir_algorithm)plan->algorithm,
        .sizer = (enum weir_sizer)plan->sizer,
        .degraded = (enum weir_degraded_policy)plan->degraded,
        .rate_units = plan->rate_units,
        .rate_period_us = plan->rate_period_us,
        .capacity_units = plan->capacity_units,
        .window_us = plan->window_us,
        .fixed_lease_units = plan->fixed_lease_units,
    };
    struct weir_plan made;

    return weir_plan_make(&made, &options) == WEIR_OK &&
           made.capacity_units == plan->capacity_units && made.full_us == plan->full_us &&
           plan->trickle_period_us >= PERIOD_US_MIN && plan->lease_period_us >= PERIOD_US_MIN;
}

uint64_t weir_plan_refill_us(const struct weir_plan *plan, uint64_t units, uint64_t carry)
{
    WEIR_ASSERT(carry < plan->rate_period_us || carry == 0);
    if (units == 0) {
        return 0;
    }
    if (plan->rate_units == 0 || units > WEIR_EXACT_MAX / plan->rate_period_us) {
        return UINT64_MAX;
    }
    const uint64_t missing = units * plan->rate_period_us - carry;
    return (missing + plan->rate_units - 1) / plan->rate_units;
}
