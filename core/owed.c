/* What was admitted without the store and is yet to be charged by an ask, with the time it was
 * admitted in. */
#include "owed.h"
#include "arithmetic.h"
#include "budget.h"

/* What was admitted in a window that is over is charged to nobody, but for a sliding window. */
static void settle_ended_charge(struct weir_limiter *limiter, uint32_t slot)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t window = budget_window(limiter, slot);

    if (!weir_plan_has_windows(plan) || degraded->charge_window == window ||
        degraded->charge_until_us == 0) {
        return;
    }
    limiter->counts.lost_charge_units += degraded->charge_before_units;
    degraded->charge_before_units = 0;
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW || window != degraded->charge_window + 1) {
        limiter->counts.lost_charge_units += degraded->charge_units;
    } else {
        degraded->charge_before_units = degraded->charge_units;
    }
    degraded->charge_units = 0;
    degraded->charge_window = window;
}

/* An ask charges no more than one could be granted; what lies beyond is charged to nobody. */
static void owe(struct weir_limiter *limiter, uint32_t *owed_units, uint32_t units)
{
    const uint64_t sum = (uint64_t)*owed_units + units;

    *owed_units = (uint32_t)lesser(sum, GRANT_UNITS_MAX);
    limiter->counts.lost_charge_units += sum - *owed_units;
}

void owed_add(struct weir_limiter *limiter, uint32_t slot, uint64_t now_us, uint32_t cost)
{
    struct degraded *degraded = &limiter->degraded[slot];

    settle_ended_charge(limiter, slot);
    if (degraded->charge_units == 0) {
        degraded->charge_from_us = now_us;
    }
    degraded->charge_until_us = now_us;
    degraded->charge_window = budget_window(limiter, slot);
    owe(limiter, &degraded->charge_units, cost);
}

bool owed_any(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct degraded *degraded = &limiter->degraded[slot];

    return degraded->charge_units != 0 || degraded->charge_before_units != 0;
}

void owed_charge(struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask)
{
    struct degraded *degraded = &limiter->degraded[slot];

    settle_ended_charge(limiter, slot);
    ask->charge_units = degraded->charge_units;
    ask->charge_before_units = degraded->charge_before_units;
    ask->charge_from_us = degraded->charge_from_us;
    ask->charge_until_us = degraded->charge_until_us;
    limiter->counts.charged_units += (uint64_t)ask->charge_units + ask->charge_before_units;
    degraded->charge_units = 0;
    degraded->charge_before_units = 0;
}

/* As it was admitted: a window may have ended since, and more been admitted in the next. */
void owed_take_back(struct weir_limiter *limiter, uint32_t slot, const struct weir_ask *ask)
{
    struct degraded *degraded = &limiter->degraded[slot];

    limiter->counts.charged_units -= (uint64_t)ask->charge_units + ask->charge_before_units;
    settle_ended_charge(limiter, slot);
    const struct degraded since = *degraded;
    degraded->charge_units = ask->charge_units;
    degraded->charge_before_units = ask->charge_before_units;
    degraded->charge_until_us = ask->charge_until_us;
    degraded->charge_window = period_of(&limiter->hot[slot].key, ask->charge_until_us,
                                        slot_plan(limiter, slot)->window_us);
    settle_ended_charge(limiter, slot);
    if (degraded->charge_units != 0) {
        degraded->charge_from_us = ask->charge_from_us;
    }
    if (since.charge_units != 0) {
        degraded->charge_until_us = since.charge_until_us;
    }
    degraded->charge_window = since.charge_window;
    owe(limiter, &degraded->charge_units, since.charge_units);
    owe(limiter, &degraded->charge_before_units, since.charge_before_units);
}

uint32_t owed_covered(struct weir_limiter *limiter, uint32_t slot, uint32_t units)
{
    struct degraded *degraded = &limiter->degraded[slot];
    const uint32_t covered = units < degraded->charge_units ? units : degraded->charge_units;

    degraded->charge_units -= covered;
    limiter->counts.covered_units += covered;
    return covered;
}
