/* What the store promised a slot over time: trickle[0] over the period trickle_period, trickle[1]
 * over the next. A permit is held as soon as it is surely valid.
 *
 * Every promise ends up as a permit or is reported as given up: the store took it either way. */
#include "arithmetic.h"
#include "limiter_private.h"

/* Start of a trickle period, store microseconds. */
static uint64_t start_us(const struct weir_limiter *limiter, uint32_t slot, uint64_t period)
{
    const uint64_t period_us = slot_plan(limiter, slot)->trickle_period_us;

    return period_start_us(&limiter->hot[slot].key, period, period_us);
}

void trickle_forgo(struct cold *cold, uint32_t promised)
{
    cold->returned_units += promised;
    cold->expired_units += promised;
}

void trickle_end(struct cold *cold)
{
    trickle_forgo(cold, cold->trickle[0] - cold->trickle_taken + cold->trickle[1]);
    cold->trickle[0] = 0;
    cold->trickle[1] = 0;
    cold->trickle_taken = 0;
}

void trickle_accrue(struct weir_limiter *limiter, uint32_t slot, uint64_t early_ns)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];
    const uint64_t period_us = slot_plan(limiter, slot)->trickle_period_us;

    while (cold->trickle[0] != 0 || cold->trickle[1] != 0) {
        const uint64_t from_us = start_us(limiter, slot, cold->trickle_period);
        const uint64_t early_us = early_ns / NS_PER_US;
        const bool over = early_us >= from_us + period_us;
        uint32_t valid = 0;
        if (over) {
            valid = cold->trickle[0];
        } else if (early_us > from_us) {
            valid = (uint32_t)((early_us - from_us) * cold->trickle[0] / period_us);
        }
        if (valid > cold->trickle_taken) {
            hot->held_units += valid - cold->trickle_taken;
            cold->leased_units += valid - cold->trickle_taken;
            cold->trickle_taken = valid;
        }
        if (!over) {
            return;
        }
        cold->trickle[0] = cold->trickle[1];
        cold->trickle[1] = 0;
        cold->trickle_taken = 0;
        cold->trickle_period++;
    }
}

uint64_t trickle_next_permit_us(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct cold *cold = &limiter->cold[slot];
    const uint64_t period_us = slot_plan(limiter, slot)->trickle_period_us;
    const unsigned which = cold->trickle[0] > cold->trickle_taken ? 0 : 1;
    const uint32_t count = cold->trickle[which];

    if (count == 0) {
        return NEVER;
    }
    const uint64_t nth = which == 0 ? cold->trickle_taken + UINT64_C(1) : 1;
    return start_us(limiter, slot, cold->trickle_period + which) +
           (nth * period_us + count - 1) / count;
}

/* The store numbers trickles by what the key has reached, which is in period `current`. Those of
 * before are over for it, and have accrued in full. One that had begun when the store's clock
 * stepped back went back with it, and is the current one still. */
static void follow_store(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                         uint64_t store_us, uint64_t current)
{
    struct cold *cold = &limiter->cold[slot];
    const uint64_t reached_us = greater(store_us, start_us(limiter, slot, current));

    trickle_accrue(limiter, slot, reached_us * NS_PER_US);
    if (cold->trickle_period > current &&
        clock_late_ns(&limiter->clock, now_ns) <
            start_us(limiter, slot, cold->trickle_period) * NS_PER_US) {
        cold->trickle_period = current;
    }
}

/* Until it starts the key is paced; while a trickle runs, the next ask comes in the last quarter of
 * its period, at a moment of the process's own. */
static void pace(struct weir_limiter *limiter, uint32_t slot, const struct weir_ask_id *id)
{
    struct cold *cold = &limiter->cold[slot];
    const uint64_t period_us = slot_plan(limiter, slot)->trickle_period_us;
    const uint64_t from_us = start_us(limiter, slot, cold->trickle_period + 1);

    if (cold->trickle[0] != 0 || cold->retry_us >= from_us) {
        const uint64_t spread = (id->sequence * UINT64_C(0x9e3779b97f4a7c15) +
                                 id->process * UINT64_C(0xd1b54a32d192ed03)) >>
                                44;
        cold->retry_us = from_us + period_us * 3 / 4 + (period_us / 5 * spread >> 20);
        limiter->hot[slot].deny_units = 1;
        limiter->hot[slot].flags |= HOT_TRICKLE;
    }
}

static void promised(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                     const struct weir_answer *answer)
{
    struct cold *cold = &limiter->cold[slot];
    const uint64_t current = answer->trickle_period - 1;

    follow_store(limiter, slot, now_ns, answer->store_us, current);
    if (cold->trickle[0] == 0 && cold->trickle[1] == 0) {
        cold->trickle_period = current;
        cold->trickle_taken = 0;
    }
    if (cold->trickle[1] == 0 && cold->trickle_period == current) {
        cold->trickle[1] = answer->trickle_count;
    } else {
        trickle_forgo(cold, answer->trickle_count);
    }
}

void trickle_accept(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                    const struct weir_answer *answer)
{
    struct cold *cold = &limiter->cold[slot];
    const bool is_of_this_plan = slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_BUCKET &&
                                 (limiter->hot[slot].flags & HOT_OUTDATED) == 0 &&
                                 (answer->flags & WEIR_ANSWER_STALE_PLAN) == 0;

    if (is_of_this_plan) {
        promised(limiter, slot, now_ns, answer);
    } else {
        trickle_forgo(cold, answer->trickle_count); /* it counts by the periods of another */
    }
    if (cold->trickle[1] != 0) {
        pace(limiter, slot, &answer->id);
    }
}
