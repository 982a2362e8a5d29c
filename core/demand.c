/* How fast requests for a key come in at this process, admitted or not.
 *
 * A sliding ten seconds: the units counted since demand_start_ms, and before that the rate of the
 * period before, for the part of the ten seconds the count does not cover. Long enough that on/off
 * traffic with a period of a second shows its mean, which is what a bucket's refill has to meet. */
#include "limiter_private.h"

#define SPAN_MS_MIN 400u    /* a first request is no rate yet */
#define IDLE_GAPS 8u        /* mean gaps: e^-8 = 0.03 % of the gaps of a steady key are longer */
#define IDLE_PERIODS_MAX 5u /* of T, however slow the key */

uint32_t local_ms(const struct weir_limiter *limiter, uint64_t now_ns)
{
    return (uint32_t)((now_ns - limiter->options.start_ns) / NS_PER_MS);
}

void demand_start(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    limiter->cold[slot].demand_start_ms = local_ms(limiter, now_ns);
    limiter->cold[slot].resumed_ms = local_ms(limiter, now_ns);
    limiter->cold[slot].rate_before_milli = UINT32_MAX; /* none */
    limiter->hot[slot].demand_units = 0;
}

static uint32_t clamp_u32(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

uint64_t demand_rate_milli(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];
    uint32_t age_ms = local_ms(limiter, now_ns) - cold->demand_start_ms;

    if (age_ms >= DEMAND_PERIOD_MS) {
        cold->rate_before_milli =
            clamp_u32((uint64_t)hot->demand_units * 1000000 / age_ms, UINT32_MAX - 1);
        cold->demand_start_ms += age_ms;
        hot->demand_units = 0;
        age_ms = 0;
    }
    uint64_t milli_units_ms = (uint64_t)hot->demand_units * 1000000;
    uint64_t span_ms = age_ms;
    if (cold->rate_before_milli != UINT32_MAX) {
        milli_units_ms += (uint64_t)cold->rate_before_milli * (DEMAND_PERIOD_MS - age_ms);
        span_ms = DEMAND_PERIOD_MS;
    }
    return milli_units_ms / (span_ms < SPAN_MS_MIN ? SPAN_MS_MIN : span_ms);
}

uint64_t demand_idle_ns(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint64_t rate_milli = demand_rate_milli(limiter, slot, now_ns);
    const uint64_t period_ns = plan->trickle_period_us * NS_PER_US;
    const uint64_t most_ns = IDLE_PERIODS_MAX * period_ns;
    const uint64_t gaps_ns =
        rate_milli == 0 ? most_ns : IDLE_GAPS * UINT64_C(1000) * NS_PER_S / rate_milli;

    if (gaps_ns > most_ns) {
        return most_ns;
    }
    return gaps_ns > period_ns / 4 ? gaps_ns : period_ns / 4;
}

bool demand_is_idle(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const uint32_t quiet_ms = local_ms(limiter, now_ns) - limiter->hot[slot].touched_ms;

    return quiet_ms * NS_PER_MS >= demand_idle_ns(limiter, slot, now_ns);
}
