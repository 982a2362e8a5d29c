/* What was admitted without the store and is yet to be charged by an ask, with the time it was
 * admitted in.
 *
 * A log whose history is kept owes by slices (history.c), and each ask charges one, as of the
 * slice's end or the last request, if that was before: never earlier than any of its requests.
 * Those that are over come first, the newest of them with the time of nearly the whole spell: by
 * that the store knows how long to wait for the others (charge.c), and what is told last ends
 * first. Without a history, and at eviction, all is charged at once, as of the last request.
 *
 * Slices are local time, charges store time. Of the offsets between them the greatest since
 * something is owed counts: whichever clock stepped meanwhile, nothing is told too early. */
#include "owed.h"
#include "arithmetic.h"
#include "budget.h"

/* What was admitted in a window that is over is charged to nobody, but for a sliding window. A log
 * knows no windows. */
static void settle_ended_charge(struct weir_limiter *limiter, uint32_t slot)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t window = budget_window(limiter, slot);

    if (!weir_plan_has_windows(plan) || plan->algorithm == WEIR_ALGORITHM_LOG ||
        degraded->charge_window == window || degraded->charge_until_us == 0) {
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

/* An ask charges no more than one could be granted; what lies beyond is charged to nobody. Returns
 * what is owed of it. */
static uint32_t owe(struct weir_limiter *limiter, uint32_t *owed_units, uint32_t units)
{
    const uint32_t room = GRANT_UNITS_MAX - *owed_units;
    const uint32_t owed = units < room ? units : room;

    *owed_units += owed;
    limiter->counts.lost_charge_units += units - owed;
    return owed;
}

/* --- slices of a log --- */

static uint32_t place_of(uint64_t slice)
{
    return (uint32_t)(slice % HISTORY_SLICES);
}

/* Local time to store time, never too early. */
static int64_t charge_offset_us(const struct weir_limiter *limiter, struct history *history)
{
    const int64_t offset_ns = limiter->clock.offset_ns;
    const int64_t offset_us = (offset_ns > 0 ? offset_ns + 999 : offset_ns) / 1000; /* up */

    if (limiter->clock.known && (history->owed_units == 0 || offset_us > history->offset_us)) {
        history->offset_us = offset_us;
    }
    return history->offset_us;
}

static void owe_in_slice(struct history *history, uint64_t slice, uint32_t units)
{
    history->owed[place_of(slice)] += units;
    history->owed_units += units;
}

static uint32_t take_slice(struct weir_limiter *limiter, uint32_t slot, struct history *history,
                           uint32_t place)
{
    const uint32_t units = history->owed[place];

    history->owed[place] = 0;
    history->owed_units -= units;
    limiter->degraded[slot].charge_units -= units;
    return units;
}

void owed_ended(struct weir_limiter *limiter, uint32_t slot, struct history *history,
                uint32_t place)
{
    limiter->counts.lost_charge_units += take_slice(limiter, slot, history, place);
}

/* What is owed of slices that are over: more may be admitted in the one of now. */
static uint32_t complete_units(const struct history *history, uint64_t now_slice)
{
    return history->owed_units - history->owed[place_of(now_slice)];
}

/* The newest that is over and owes anything; else the one of now. */
static uint64_t slice_to_charge(const struct history *history, uint64_t now_slice)
{
    uint64_t slice = now_slice;

    if (complete_units(history, now_slice) != 0) {
        do {
            slice--;
        } while (history->owed[place_of(slice)] == 0);
    }
    return slice;
}

/* One; more where asks get through more rarely than slices end, or the rest would never be told. */
static uint64_t slices_at_once(const struct history *history, uint64_t now_slice)
{
    return history->charged_slice == 0 ? 1 : 1 + 2 * (now_slice - history->charged_slice);
}

/* Whether there was anything to charge. */
static bool charge_slices(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                          struct weir_ask *ask)
{
    const uint64_t slice_us = history_slice_us(slot_plan(limiter, slot));
    struct history *history = history_reach(limiter, slot, now_ns);

    if (history == NULL || history->owed_units == 0) {
        return false;
    }
    const uint64_t now_slice = now_ns / NS_PER_US / slice_us;
    const uint64_t slice = slice_to_charge(history, now_slice);
    const uint64_t count =
        lesser(slices_at_once(history, now_slice), slice - history->first_slice + 1);
    const uint64_t end_us = (slice + 1) * slice_us + (uint64_t)charge_offset_us(limiter, history);

    for (uint64_t i = 0; i < count; i++) {
        ask->charge_units += take_slice(limiter, slot, history, place_of(slice - i));
    }
    ask->charge_from_us = limiter->degraded[slot].charge_from_us;
    ask->charge_until_us = lesser(end_us, limiter->degraded[slot].charge_until_us);
    history->charged_slice = history->owed_units == 0 ? 0 : now_slice;
    return true;
}

/* --- */

void owed_add(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t cost)
{
    const uint64_t now_us = store_now_us(limiter, now_ns);
    struct degraded *degraded = &limiter->degraded[slot];
    struct history *history = history_reach(limiter, slot, now_ns);

    settle_ended_charge(limiter, slot);
    if (degraded->charge_units == 0) {
        degraded->charge_from_us = now_us;
    }
    degraded->charge_until_us = now_us;
    degraded->charge_window = budget_window(limiter, slot);
    const uint32_t units = owe(limiter, &degraded->charge_units, cost);
    if (history != NULL) {
        (void)charge_offset_us(limiter, history);
        owe_in_slice(history, now_ns / NS_PER_US / history_slice_us(slot_plan(limiter, slot)),
                     units);
    }
}

bool owed_any(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct degraded *degraded = &limiter->degraded[slot];

    return degraded->charge_units != 0 || degraded->charge_before_units != 0;
}

bool owed_is_due(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    if (!owed_any(limiter, slot) || (limiter->hot[slot].flags & HOT_GRACE) == 0) {
        return owed_any(limiter, slot);
    }
    const struct history *history = history_reach(limiter, slot, now_ns);
    const uint64_t slice_us = history_slice_us(slot_plan(limiter, slot));
    return history != NULL && complete_units(history, now_ns / NS_PER_US / slice_us) != 0;
}

void owed_charge(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, struct weir_ask *ask)
{
    struct degraded *degraded = &limiter->degraded[slot];

    settle_ended_charge(limiter, slot);
    if (!charge_slices(limiter, slot, now_ns, ask)) {
        ask->charge_units = degraded->charge_units;
        ask->charge_before_units = degraded->charge_before_units;
        ask->charge_from_us = degraded->charge_from_us;
        ask->charge_until_us = degraded->charge_until_us;
        degraded->charge_units = 0;
        degraded->charge_before_units = 0;
    }
    limiter->counts.charged_units += (uint64_t)ask->charge_units + ask->charge_before_units;
}

/* Into the slice it was charged as of, or a later one. */
static void owe_slice_again(struct weir_limiter *limiter, uint32_t slot, struct history *history,
                            uint64_t now_ns, const struct weir_ask *ask)
{
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t slice_us = history_slice_us(slot_plan(limiter, slot));
    const uint64_t local_us = ask->charge_until_us - (uint64_t)charge_offset_us(limiter, history);
    const uint64_t slice = lesser(local_us - 1, now_ns / NS_PER_US) / slice_us;

    if (slice < history->first_slice) {
        limiter->counts.lost_charge_units += ask->charge_units;
        return;
    }
    degraded->charge_from_us = ask->charge_from_us;
    degraded->charge_until_us = greater(degraded->charge_until_us, ask->charge_until_us);
    history->charged_slice = 0; /* it may have waited for long */
    owe_in_slice(history, slice, owe(limiter, &degraded->charge_units, ask->charge_units));
}

/* As it was admitted: a window may have ended since, and more been admitted in the next. */
void owed_take_back(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                    const struct weir_ask *ask)
{
    struct degraded *degraded = &limiter->degraded[slot];
    struct history *history = history_reach(limiter, slot, now_ns);

    limiter->counts.charged_units -= (uint64_t)ask->charge_units + ask->charge_before_units;
    if (history != NULL && ask->charge_units != 0 && ask->charge_until_us != 0) {
        owe_slice_again(limiter, slot, history, now_ns, ask);
        return;
    }
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

/* The grant counts from after the request was admitted: it may stand for the oldest. */
static void cover_slices(struct history *history, uint32_t left_units)
{
    for (uint64_t slice = history->first_slice; history->owed_units > left_units; slice++) {
        uint32_t *owed_units = &history->owed[place_of(slice)];
        const uint32_t covered = (uint32_t)lesser(*owed_units, history->owed_units - left_units);
        *owed_units -= covered;
        history->owed_units -= covered;
    }
}

uint32_t owed_covered(struct weir_limiter *limiter, uint32_t slot, uint32_t units)
{
    struct degraded *degraded = &limiter->degraded[slot];
    const uint32_t covered = units < degraded->charge_units ? units : degraded->charge_units;

    degraded->charge_units -= covered;
    if (history_is_kept(limiter, slot)) {
        cover_slices(&limiter->histories[degraded->history - 1], degraded->charge_units);
    }
    limiter->counts.covered_units += covered;
    return covered;
}
