/* The limiter that a process is for a key during a spell without the store.
 *
 * Buckets: a token bucket of fraction x rate and fraction x capacity, exact: its level is in 1 /
 * rate_period_us of a unit, with the fraction's remainder carried. Windows: up to fraction x limit
 * in each window. Sliding windows and logs: the same, less what this process spent in the window
 * before, by the part of it that still counts.
 *
 * A log that is held to what was left (`bounded`) knows no windows: its budget is the fraction of
 * what was left, and for each of this process's own entries that ends another one (history.c). The
 * store frees the others' entries, too, but to them they belong. So whatever the shares, entries
 * are replaced one by one, and what is left is divided once.
 *
 * What is leased meanwhile, by an answer that came late, is taken from it. */
#include "budget.h"

#include "arithmetic.h"
#include "history.h"

/* x * ppm / 10^6, rounded down. */
static uint64_t part_of(uint64_t x, uint32_t ppm)
{
    return x / PPM * ppm + x % PPM * ppm / PPM;
}

/* --- buckets: levels in 1 / rate_period_us of a unit --- */

static uint64_t bucket_capacity(const struct degraded *degraded, const struct weir_plan *plan)
{
    return part_of(plan->capacity_units * plan->rate_period_us, degraded->fraction_ppm);
}

/* Of what the plan refills in elapsed_us; what lies beyond a full bucket is of no interest. */
static uint64_t refill(const struct weir_plan *plan, uint64_t elapsed_us)
{
    return plan->rate_units == 0 ? 0 : lesser(elapsed_us, plan->full_us) * plan->rate_units;
}

static void bucket_refill(struct degraded *degraded, const struct weir_plan *plan, uint64_t now_us)
{
    if (now_us <= degraded->updated_us) {
        return;
    }
    const uint64_t refilled = refill(plan, now_us - degraded->updated_us);
    const uint64_t carried = refilled % PPM * degraded->fraction_ppm + degraded->carry;
    const uint64_t share = refilled / PPM * degraded->fraction_ppm + carried / PPM;
    const uint64_t capacity = bucket_capacity(degraded, plan);

    degraded->carry = (uint32_t)(carried % PPM);
    const uint64_t repaid = lesser(share, degraded->owed);
    degraded->owed -= repaid;
    degraded->level += share - repaid;
    if (degraded->level >= capacity) {
        degraded->level = capacity;
        degraded->carry = 0;
    }
    degraded->updated_us = now_us;
}

/* What the others have used of the remainder since the last answer. */
static uint64_t used_by_others(const struct degraded *degraded, uint64_t elapsed_us)
{
    const uint64_t elapsed_ms = elapsed_us / 1000 + 1;

    if (degraded->others_milli == 0) {
        return 0;
    }
    return elapsed_ms > UINT64_MAX / degraded->others_milli
               ? UINT64_MAX
               : elapsed_ms * degraded->others_milli / 1000000;
}

static uint64_t own_part_of_remainder(const struct degraded *degraded, uint64_t now_us)
{
    const uint64_t elapsed_us = saturating_sub(now_us, degraded->base_us);
    const uint64_t left =
        saturating_sub(degraded->remaining_units, used_by_others(degraded, elapsed_us));

    return part_of(left, degraded->fraction_ppm);
}

static void begin_bucket(struct degraded *degraded, const struct weir_plan *plan, uint64_t now_us,
                         uint64_t lost_us)
{
    const uint64_t capacity = bucket_capacity(degraded, plan);

    degraded->carry = 0;
    if (policy_of(plan) != WEIR_DEGRADED_BOUNDED) {
        degraded->level = capacity;
        return;
    }
    const uint64_t elapsed_us = saturating_sub(now_us, degraded->base_us);
    const uint64_t refilled = part_of(refill(plan, elapsed_us), degraded->fraction_ppm);
    const uint64_t there =
        saturating_add(lesser(own_part_of_remainder(degraded, lost_us), plan->capacity_units) *
                           plan->rate_period_us,
                       refilled);
    const uint64_t promised =
        lesser(degraded->promised_units, plan->capacity_units) * plan->rate_period_us;

    degraded->level = lesser(saturating_sub(there, promised), capacity);
    degraded->owed = saturating_sub(promised, there);
}

uint64_t budget_wait_us(const struct degraded *degraded, const struct weir_plan *plan,
                        uint32_t cost)
{
    const uint64_t goal = cost * plan->rate_period_us;
    const uint64_t speed = plan->rate_units * degraded->fraction_ppm; /* per 10^6 us */
    const uint64_t missing = saturating_sub(saturating_add(goal, degraded->owed), degraded->level);

    if (goal > bucket_capacity(degraded, plan) || speed == 0) {
        return NEVER;
    }
    /* missing x 10^6 / speed, in two steps that fit */
    const uint64_t thousands = missing % speed * 1000;
    const uint64_t whole = missing / speed * PPM + thousands / speed * 1000;
    return whole + thousands % speed * 1000 / speed + 1;
}

/* --- windows --- */

/* Its budget grows as entries end, and is not renewed by windows. */
static bool counts_entries(const struct weir_limiter *limiter, uint32_t slot)
{
    return policy_of(slot_plan(limiter, slot)) == WEIR_DEGRADED_BOUNDED &&
           limiter->degraded[slot].base_us != 0 && history_is_kept(limiter, slot);
}

static uint64_t window_of(const struct weir_limiter *limiter, uint32_t slot, uint64_t time_us)
{
    return period_of(&limiter->hot[slot].key, time_us, slot_plan(limiter, slot)->window_us);
}

static uint64_t budget_now_us(const struct weir_limiter *limiter, uint64_t now_ns)
{
    return limiter->clock.known ? store_now_us(limiter, now_ns) : now_ns / NS_PER_US;
}

/* Units that may have been admitted without the store in the window that holds now_ns; of a log
 * whose entries are counted, in the spell. */
static uint64_t window_budget(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const struct degraded *degraded = &limiter->degraded[slot];

    if (counts_entries(limiter, slot)) {
        return saturating_add(degraded->pool_units, history_ended_units(limiter, slot, now_ns));
    }
    const uint64_t now_us = budget_now_us(limiter, now_ns);
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const uint64_t limit = part_of(plan->capacity_units, degraded->fraction_ppm);
    const uint64_t window = window_of(limiter, slot, now_us);
    const uint64_t end_us = period_start_us(&limiter->hot[slot].key, window + 1, plan->window_us);
    const uint64_t left_us = saturating_sub(end_us, now_us);

    if (policy_of(plan) == WEIR_DEGRADED_BOUNDED && degraded->base_us != 0 &&
        window == window_of(limiter, slot, degraded->base_us)) {
        const uint64_t forgotten_us = saturating_sub(now_us, degraded->base_us);
        const uint64_t slid = plan->algorithm == WEIR_ALGORITHM_SLIDING
                                  ? degraded->previous_units * forgotten_us / plan->window_us
                                  : 0;
        return degraded->pool_units + part_of(slid, degraded->fraction_ppm);
    }
    /* what the process spent of it with the store counts, too */
    const uint64_t normal_units =
        saturating_sub(limiter->hot[slot].spent_units, degraded->window_units);
    const uint64_t spent = policy_of(plan) == WEIR_DEGRADED_BOUNDED ? normal_units : 0;
    const uint64_t before =
        plan->algorithm == WEIR_ALGORITHM_WINDOW
            ? 0
            : lesser(degraded->before_units, plan->capacity_units) * left_us / plan->window_us;
    return saturating_sub(limit, spent + before);
}

/* --- a spell --- */

uint64_t budget_window(const struct weir_limiter *limiter, uint32_t slot)
{
    return limiter->clock.known ? limiter->cold[slot].window_index : 0;
}

/* Until the store's time is known, windows are those of local time. The one in which it is learnt
 * goes on under its true name. */
static void roll_spell_window(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const bool is_known = limiter->clock.known;
    const uint64_t window =
        is_known ? budget_window(limiter, slot) : window_of(limiter, slot, now_ns / NS_PER_US);
    struct degraded *degraded = &limiter->degraded[slot];

    if (is_known && degraded->is_local) {
        degraded->is_local = false;
        degraded->floor_window = degraded->floor_window == degraded->spell_window ? window : NEVER;
        degraded->spell_window = window;
    }
    if (degraded->spell_window != window) {
        if (!is_known) {
            degraded->before_units =
                degraded->spell_window + 1 == window ? degraded->spell_units : 0;
        }
        degraded->spell_window = window;
        degraded->spell_units = counts_entries(limiter, slot) ? degraded->spell_units : 0;
    }
    degraded->is_local = !is_known;
}

void budget_begin(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                  uint32_t fraction_ppm)
{
    const uint64_t now_us = store_now_us(limiter, now_ns);
    const uint64_t lost_us =
        store_now_us(limiter, breaker_lost_ns(limiter, &limiter->hot[slot].key, now_ns));
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];

    degraded->fraction_ppm = fraction_ppm;
    roll_spell_window(limiter, slot, now_ns);
    degraded->spell_units = 0;
    degraded->pool_units = 0;
    degraded->owed = 0;
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        begin_bucket(degraded, plan, now_us, lost_us);
        degraded->updated_us = now_ns / NS_PER_US;
    } else {
        degraded->pool_units = own_part_of_remainder(degraded, lost_us);
    }
}

static void lower_level(struct degraded *degraded, const struct weir_plan *plan, uint64_t now_us,
                        const struct weir_answer *answer)
{
    const uint64_t own =
        lesser(part_of(answer->remaining_units, degraded->fraction_ppm), plan->capacity_units);
    const uint64_t since = refill(plan, saturating_sub(now_us, answer->store_us));

    degraded->level = lesser(degraded->level,
                             own * plan->rate_period_us + part_of(since, degraded->fraction_ppm));
}

static void lower_pool(struct degraded *degraded, uint64_t left_units, uint64_t now_us,
                       const struct weir_answer *answer)
{
    degraded->base_us = now_us;
    degraded->previous_units = answer->previous_units;
    degraded->pool_units =
        lesser(left_units, part_of(answer->remaining_units, degraded->fraction_ppm));
    degraded->spell_units = 0;
}

/* A spell that goes on has the share that the answer tells. It may admit no more than before, and
 * no more than its share of what the answer says is left. */
void budget_hear(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                 const struct weir_answer *answer, uint32_t fraction_ppm)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const bool is_bucket = plan->algorithm == WEIR_ALGORITHM_BUCKET;
    const bool is_bounded = policy_of(plan) == WEIR_DEGRADED_BOUNDED;
    const uint64_t now_us = store_now_us(limiter, now_ns);
    struct degraded *degraded = &limiter->degraded[slot];

    if (is_bucket) {
        bucket_refill(degraded, plan, now_ns / NS_PER_US); /* by the share of before */
    } else {
        roll_spell_window(limiter, slot, now_ns);
    }
    const uint64_t left_units =
        is_bucket ? 0 : saturating_sub(window_budget(limiter, slot, now_ns), degraded->spell_units);
    degraded->fraction_ppm = fraction_ppm;
    if (is_bucket && is_bounded) {
        lower_level(degraded, plan, now_us, answer);
    } else if (is_bounded &&
               (counts_entries(limiter, slot) ||
                window_of(limiter, slot, answer->store_us) == window_of(limiter, slot, now_us))) {
        lower_pool(degraded, left_units, now_us, answer);
        history_mark(limiter, slot, now_ns);
    }
}

void budget_leased(struct weir_limiter *limiter, uint32_t slot, uint64_t units)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];

    if (!degraded->in_spell) {
        return;
    }
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        const uint64_t price = lesser(units, plan->capacity_units) * plan->rate_period_us;
        const uint64_t there = lesser(price, degraded->level);
        degraded->level -= there;
        degraded->owed = saturating_add(degraded->owed, price - there);
        return;
    }
    degraded->spell_units = saturating_add(degraded->spell_units, units);
}

bool budget_take(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t cost)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];

    roll_spell_window(limiter, slot, now_ns);
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        bucket_refill(degraded, plan, now_ns / NS_PER_US);
        const uint64_t price = cost * plan->rate_period_us;
        if (price > degraded->level) {
            return false;
        }
        degraded->level -= price;
        return true;
    }
    if (saturating_add(degraded->spell_units, cost) > window_budget(limiter, slot, now_ns)) {
        return false;
    }
    degraded->spell_units += cost;
    return true;
}
