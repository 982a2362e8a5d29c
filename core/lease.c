/* What one process holds of one key.
 *
 * A lease ends at the time it is named by, on the store's clock; since that is known only within an
 * error bar, spending stops at the bar's early end, and what begins at some store time (a trickle's
 * permit, a new window) begins at its late end. Hot fields in local time are shortcuts: they may
 * send a decision the slow way too early, never let it pass too late. */
#include "arithmetic.h"
#include "limiter_private.h"
#include "weir/assert.h"

#define WINDOW_START_DIVISOR 8 /* the part of a window in which all that send have asked */
#define LATE_GRANTS_MAX 4      /* in a row, then the requests that wait are denied */

/* Store time at which the current accounting window ends. */
uint64_t lease_window_end_us(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct cold *cold = &limiter->cold[slot];

    return period_start_us(&limiter->hot[slot].key, cold->window_index + 1, cold->window_us);
}

static void roll_accounting_window(struct weir_limiter *limiter, uint32_t slot, uint64_t store_us,
                                   uint64_t late_us)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];

    if (cold->window_us != 0 && store_us < lease_window_end_us(limiter, slot)) {
        if (late_us >= period_start_us(&hot->key, cold->window_index, cold->window_us)) {
            return;
        }
        /* the clock was ahead, and this window has not begun: what is spent before it counts in a
         * life of its own, as its window may have been reported as over */
        if (outbox_has_to_report(limiter, slot)) {
            outbox_report(limiter, slot, false);
        }
        cold->life = ++limiter->lives;
        degraded_window_ends(limiter, slot);
        hot->spent_units = 0;
    } else if (cold->window_us != 0) {
        if (outbox_has_to_report(limiter, slot)) {
            outbox_report(limiter, slot, true);
        }
        degraded_window_ends(limiter, slot);
        hot->spent_units = 0;
    } /* else what was spent before the store's time was known counts in this one */
    cold->window_us = slot_plan(limiter, slot)->window_us;
    cold->window_index = period_of(&hot->key, store_us, cold->window_us);
    cold->report_sequence = 0;
}

static void end_lease(struct weir_limiter *limiter, uint32_t slot)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];

    cold->returned_units += hot->held_units;
    cold->leased_units -= hot->held_units;
    sizer_lease_ended(limiter, slot, hot->held_units);
    hot->held_units = 0;
    trickle_end(cold);
}

void lease_recall(struct weir_limiter *limiter, uint32_t slot)
{
    struct hot *hot = &limiter->hot[slot];

    hot->fast_until_ns = 0;
    hot->flags |= HOT_RECALLED;
    if (hot->flags & HOT_IN_FLIGHT) {
        hot->flags |= HOT_OUTDATED;
    }
}

static void expire(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    if (lease_is_held(limiter, slot) &&
        clock_late_ns(&limiter->clock, now_ns) >= limiter->cold[slot].lease_end_us * NS_PER_US) {
        end_lease(limiter, slot);
    }
}

static void refresh_shortcuts(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];
    const struct clock_offset *clock = &limiter->clock;

    hot->fast_until_ns = clock_surely_before_ns(clock, now_ns, lease_window_end_us(limiter, slot));
    if (lease_is_held(limiter, slot)) {
        const uint64_t lease_ns = clock_surely_before_ns(clock, now_ns, cold->lease_end_us);
        hot->fast_until_ns = lease_ns < hot->fast_until_ns ? lease_ns : hot->fast_until_ns;
    }
    if (cold->retry_us != 0 && cold->retry_us != NEVER &&
        clock_early_ns(clock, now_ns) >= cold->retry_us * NS_PER_US) {
        cold->retry_us = 0;
    }
    hot->deny_until_ns = 0;
    if (cold->retry_us == 0) {
        hot->deny_units = UINT32_MAX;
        hot->flags &= (uint16_t)~HOT_GRACE;
        return;
    }
    if (slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_LOG) {
        return;
    }
    const uint64_t permit_us = trickle_next_permit_us(limiter, slot);
    const uint64_t until_us = permit_us < cold->retry_us ? permit_us : cold->retry_us;
    hot->deny_until_ns = clock_surely_reached_ns(clock, now_ns, until_us);
}

void lease_refresh(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    if (!limiter->clock.known) {
        return; /* nothing was ever granted */
    }
    roll_accounting_window(limiter, slot, clock_store_ns(&limiter->clock, now_ns) / NS_PER_US,
                           clock_late_ns(&limiter->clock, now_ns) / NS_PER_US);
    if (limiter->hot[slot].flags & HOT_RECALLED) {
        end_lease(limiter, slot);
        limiter->hot[slot].flags &= (uint16_t) ~(HOT_RECALLED | HOT_TRICKLE | HOT_PREFETCH);
    }
    expire(limiter, slot, now_ns);
    trickle_accrue(limiter, slot, clock_early_ns(&limiter->clock, now_ns));
    refresh_shortcuts(limiter, slot, now_ns);
}

void lease_spend(struct weir_limiter *limiter, uint32_t slot, uint32_t cost)
{
    struct hot *hot = &limiter->hot[slot];

    WEIR_ASSERT(cost <= hot->held_units);
    hot->held_units -= cost;
    hot->spent_units += cost;
}

bool lease_denies(const struct weir_limiter *limiter, uint32_t slot, uint32_t cost)
{
    const struct hot *hot = &limiter->hot[slot];

    if (limiter->cold[slot].retry_us == 0 || cost <= hot->held_units) {
        return false;
    }
    /* of a log only the store knows when a larger cost will fit */
    return slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_LOG
               ? cost == hot->deny_units
               : cost - hot->held_units >= hot->deny_units;
}

bool lease_is_held(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct cold *cold = &limiter->cold[slot];

    return limiter->hot[slot].held_units != 0 || cold->trickle[0] != 0 || cold->trickle[1] != 0;
}

static void remember_denial(struct weir_limiter *limiter, uint32_t slot,
                            const struct weir_answer *answer)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];
    const bool denied = answer->retry_us != 0 && answer->granted_units == 0;

    cold->retry_us = answer->retry_us;
    hot->deny_units =
        answer->flags & WEIR_ANSWER_PACED || cold->least_units == 0 ? 1 : cold->least_units;
    hot->flags &= (uint16_t)~HOT_PARKED;
    if (!denied) {
        cold->denied_asks = 0;
        return;
    }
    if (answer->flags & WEIR_ANSWER_PARKED) {
        hot->flags |= HOT_PARKED;
        if (weir_plan_has_windows(plan) && (answer->flags & WEIR_ANSWER_PACED) == 0) {
            /* they may come back before the window ends: look again, ever more rarely */
            const unsigned shift = cold->denied_asks < 10 ? cold->denied_asks : 10;
            const uint64_t again_us =
                answer->store_us + ((plan->trickle_period_us / 4 + 1) << shift);
            cold->retry_us = again_us < cold->retry_us ? again_us : cold->retry_us;
        }
    }
    if (cold->denied_asks < UINT16_MAX) {
        cold->denied_asks++;
    }
}

/* Granted units that the store counts as spent at once; see spent_at_once in take.c. */
static uint32_t granted_to_waiting(const struct cold *cold, const struct weir_answer *answer)
{
    if ((answer->flags & WEIR_ANSWER_UNCOUNTED) != 0) {
        return answer->granted_units;
    }
    return cold->flight_us == 0 || answer->granted_units < cold->need_units ? 0 : cold->need_units;
}

static void not_spent(struct cold *cold, const struct weir_answer *answer, uint32_t units)
{
    if ((answer->flags & WEIR_ANSWER_UNCOUNTED) != 0) {
        trickle_forgo(cold, units);
    } else {
        cold->unused_units += units;
    }
}

/* Permits that came too late to be used: their window or lease is over, or the waiting requests
 * they were for can no longer be decided within the time the store counts them as unspent. Returns
 * what is still good. */
static uint32_t usable_grant(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                             const struct weir_answer *answer)
{
    const struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];
    const uint64_t late_ns = clock_late_ns(&limiter->clock, now_ns);
    const uint32_t granted = answer->granted_units;
    const uint32_t for_waiting = granted_to_waiting(cold, answer);

    if (hot->flags & HOT_UNCOUNTED) {
        return 0; /* what waits is admitted anyway, or asks again under a plan that came since */
    }
    if (late_ns >= answer->lease_end_us * NS_PER_US || hot->flags & HOT_OUTDATED) {
        cold->returned_units += granted - for_waiting;
        not_spent(cold, answer, for_waiting);
        return 0;
    }
    if ((answer->flags & WEIR_ANSWER_UNCOUNTED) != 0) {
        return granted;
    }
    if (for_waiting != 0 && late_ns > (answer->store_us + cold->flight_us) * NS_PER_US) {
        cold->unused_units += for_waiting;
        return granted - for_waiting;
    }
    return granted;
}

/* When the ask came to the store, the lease it named was over: what was held is void, and what came
 * back or was spent of it since concerns no lease that the store still counts. */
static void void_ended_lease(struct weir_limiter *limiter, uint32_t slot, uint64_t reached_us)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];

    if (reached_us < cold->lease_end_us) {
        return;
    }
    cold->returned_units += hot->held_units;
    cold->expired_units = cold->returned_units;
    cold->leased_units = 0;
    hot->held_units = 0;
}

/* Processes that are denied until their window ends do not ask, and the store forgets their demand:
 * it seems to fall then, and for as long as they do not all have asked in the next window. */
static uint64_t demand_seen_milli(const struct weir_limiter *limiter, uint32_t slot,
                                  const struct weir_answer *answer)
{
    const uint64_t seen_milli = limiter->cold[slot].global_rate_milli;
    const uint64_t window_us = slot_plan(limiter, slot)->window_us;
    const uint64_t phase_us = weir_key_phase_us(&limiter->hot[slot].key, window_us);
    const uint64_t into_us = (answer->store_us + phase_us) % window_us;
    const bool is_forgetful =
        slot_plan(limiter, slot)->algorithm == WEIR_ALGORITHM_WINDOW &&
        (answer->granted_units == 0 || into_us < window_us / WINDOW_START_DIVISOR);

    return is_forgetful && seen_milli > answer->global_rate_milli ? seen_milli
                                                                  : answer->global_rate_milli;
}

/* A grace denies nobody: until it is over the key goes on without the store, and does not ask. */
void lease_take_grace(struct weir_limiter *limiter, uint32_t slot, const struct weir_answer *answer)
{
    struct hot *hot = &limiter->hot[slot];

    hot->flags &= (uint16_t)~HOT_GRACE;
    if ((answer->flags & WEIR_ANSWER_GRACE) == 0 || answer->retry_us == 0) {
        return;
    }
    hot->flags |= HOT_GRACE;
    hot->deny_units = UINT32_MAX;
    limiter->cold[slot].retry_us = answer->retry_us;
    limiter->cold[slot].denied_asks = 0;
}

void lease_take_answer(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                       const struct weir_answer *answer)
{
    struct hot *hot = &limiter->hot[slot];
    struct cold *cold = &limiter->cold[slot];

    void_ended_lease(limiter, slot, answer->reached_us);
    cold->lease_end_us = answer->lease_end_us;
    cold->remaining_units = answer->remaining_units;
    cold->outstanding_units = answer->outstanding_units;
    cold->previous_units = answer->previous_units;
    cold->global_rate_milli = demand_seen_milli(limiter, slot, answer);
    cold->answered_us = answer->store_us;
    cold->version = answer->version;
    cold->run_id = answer->run_id;
    cold->rate_share_period = answer->share_period;
    cold->kept_ppm = answer->kept_ppm;
    cold->granted_units = answer->granted_units;
    cold->granted_ms = local_ms(limiter, now_ns);
    hot->flags = (uint16_t)(answer->flags & WEIR_ANSWER_SCARCE ? hot->flags & ~HOT_PREFETCH
                                                               : hot->flags | HOT_PREFETCH);
    remember_denial(limiter, slot, answer);
    trickle_accept(limiter, slot, now_ns, answer);
    lease_take_grace(limiter, slot, answer);
    if (hot->flags & HOT_OUTDATED) {
        plan_forget_denial(limiter, slot);
        trickle_end(cold);
    }

    const uint32_t granted = usable_grant(limiter, slot, now_ns, answer);
    const bool came_late =
        granted < answer->granted_units && (hot->flags & (HOT_UNCOUNTED | HOT_OUTDATED)) == 0;
    const uint32_t reserved =
        granted < answer->granted_units ? 0 : granted_to_waiting(cold, answer);

    cold->late_grants = came_late ? (uint16_t)(cold->late_grants + 1) : 0;
    if (cold->late_grants == LATE_GRANTS_MAX) {
        /* the store answers too slowly for leases this short: to ask on would never end */
        cold->late_grants = 0;
        cold->retry_us = cold->lease_end_us + slot_plan(limiter, slot)->lease_period_us;
        hot->deny_units = 1;
    }
    lease_refresh(limiter, slot, now_ns);
    const uint64_t before = (uint64_t)hot->held_units + granted;
    hot->held_units += granted;
    cold->leased_units += granted - reserved;
    budget_leased(limiter, slot, (uint64_t)granted + answer->trickle_count);
    sizer_lease_granted(limiter, slot, granted);
    refresh_shortcuts(limiter, slot,
                      now_ns); /* the fast path may spend what was granted, till its lease ends */
    waiting_settle(limiter, slot, now_ns);
    const uint64_t taken = before > hot->held_units ? before - hot->held_units : 0;
    if (taken < reserved) {
        const uint32_t left = reserved - (uint32_t)taken;
        hot->held_units -= left;
        not_spent(cold, answer, left);
    }
    cold->need_units = 0;
    hot->flags &= (uint16_t)~HOT_OUTDATED;
}
