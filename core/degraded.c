/* Deciding without the store.
 *
 * A process goes degraded with a key when a request cannot wait any longer (the spell begins), and
 * back to normal with the next answer that grants anything or could have. During a spell it is a
 * limiter of its own, with a fraction of the limit:
 *
 *   bounded   the fraction is its share s of the key's demand, as the store's last answer had it.
 * It starts with s x (what was left then, less what the others have used since), and its share of
 * what was refilled since, less what it has leased in the meantime. So if the shares of all
 * processes sum to 1 or less, they admit no more than was left and accrues, and on top one request
 * per process and accounting window, of processes that have demand and no share yet. uniform   1 /
 * processes; share: s, at least 2 %. Both start full: limiters that know nothing of what was spent
 * before.
 *
 * The others use the remainder for as long as the store answers them, not until this process first
 * needs it: that was when the shard was lost, halfway between the last ask that it answered and the
 * first that it did not.
 *
 * Own use is left out of what others have used, or it would be counted twice: a bucket of 20 s of
 * rate, at 1.5 times the rate, would be empty after 10 s instead of 40 s.
 *
 * Buckets: a token bucket of fraction x rate and fraction x capacity, exact: its level is in 1 /
 * rate_period_us of a unit, with the fraction's remainder carried. Windows: up to fraction x limit
 * in each window. Sliding windows and logs: the same, less what this process spent in the window
 * before, by the part of it that still counts.
 *
 * What was admitted is charged by the next ask, with the time it was admitted in. */
#include "arithmetic.h"
#include "limiter_private.h"
#include "weir/assert.h"

#define PPM UINT64_C(1000000)
#define UNKNOWN_RETRY_NS NS_PER_S /* nobody knows when the store comes back */

/* x * ppm / 10^6, rounded down. */
static uint64_t part_of(uint64_t x, uint32_t ppm)
{
    return x / PPM * ppm + x % PPM * ppm / PPM;
}

/* Store time; 0: not known. */
static uint64_t store_now_us(const struct weir_limiter *limiter, uint64_t now_ns)
{
    return limiter->clock.known ? clock_store_ns(&limiter->clock, now_ns) / NS_PER_US : 0;
}

static enum weir_degraded_policy policy_of(const struct weir_plan *plan)
{
    return (enum weir_degraded_policy)plan->degraded;
}

void degraded_start(struct weir_limiter *limiter, uint32_t slot)
{
    limiter->degraded[slot] = (struct degraded){.floor_window = NEVER};
}

void degraded_answered(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                       const struct weir_answer *answer)
{
    const struct cold *cold = &limiter->cold[slot];
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t all_milli = answer->global_rate_milli;
    const uint64_t own_milli = lesser(cold->rate_reported_milli, all_milli);

    (void)now_ns;
    if (answer->flags & WEIR_ANSWER_GRACE) {
        return;
    }
    degraded->in_spell = false;
    degraded->base_us = answer->store_us;
    degraded->remaining_units = answer->remaining_units;
    degraded->previous_units = answer->previous_units;
    degraded->others_milli = all_milli - own_milli;
    degraded->share_ppm = all_milli == 0 ? 0 : (uint32_t)(own_milli * PPM / all_milli);
    degraded->leased_units = (uint64_t)limiter->hot[slot].held_units + answer->granted_units +
                             cold->trickle[0] - cold->trickle_taken + cold->trickle[1] +
                             answer->trickle_count;
}

static uint32_t fraction_ppm(const struct weir_limiter *limiter, const struct degraded *degraded,
                             const struct weir_plan *plan)
{
    switch (policy_of(plan)) {
    case WEIR_DEGRADED_UNIFORM:
        return (uint32_t)(PPM / limiter->options.process_count);
    case WEIR_DEGRADED_SHARE:
        return degraded->share_ppm > WEIR_MIN_SHARE_PPM ? degraded->share_ppm : WEIR_MIN_SHARE_PPM;
    case WEIR_DEGRADED_BOUNDED:
    case WEIR_DEGRADED_OPEN:
    case WEIR_DEGRADED_CLOSED:
        break;
    }
    return degraded->share_ppm;
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
    degraded->level += share;
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

    degraded->updated_us = now_us;
    degraded->carry = 0;
    if (policy_of(plan) != WEIR_DEGRADED_BOUNDED) {
        degraded->level = capacity;
        return;
    }
    const uint64_t elapsed_us = saturating_sub(now_us, degraded->base_us);
    const uint64_t refilled = part_of(refill(plan, elapsed_us), degraded->fraction_ppm);
    const uint64_t leased = degraded->leased_units * plan->rate_period_us;
    const uint64_t own = lesser(own_part_of_remainder(degraded, lost_us), plan->capacity_units);

    degraded->level =
        lesser(own * plan->rate_period_us + saturating_sub(refilled, leased), capacity);
}

/* Microseconds until the level reaches `goal`; NEVER if it cannot. */
static uint64_t bucket_wait_us(const struct degraded *degraded, const struct weir_plan *plan,
                               uint64_t goal)
{
    const uint64_t speed = plan->rate_units * degraded->fraction_ppm; /* per 10^6 us */
    const uint64_t missing = saturating_sub(goal, degraded->level);

    if (goal > bucket_capacity(degraded, plan) || speed == 0) {
        return NEVER;
    }
    /* missing x 10^6 / speed, in two steps that fit */
    const uint64_t thousands = missing % speed * 1000;
    const uint64_t whole = missing / speed * PPM + thousands / speed * 1000;
    return whole + thousands % speed * 1000 / speed + 1;
}

/* --- windows --- */

static uint64_t window_of(const struct weir_limiter *limiter, uint32_t slot, uint64_t time_us)
{
    return period_of(&limiter->hot[slot].key, time_us, slot_plan(limiter, slot)->window_us);
}

/* Units that may have been admitted without the store in the window that holds now_us. */
static uint64_t window_budget(const struct weir_limiter *limiter, uint32_t slot, uint64_t now_us)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const struct degraded *degraded = &limiter->degraded[slot];
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

/* Without a clock the accounting windows have no name yet: they count as one. */
static uint64_t accounting_window(const struct weir_limiter *limiter, uint32_t slot)
{
    return limiter->clock.known ? limiter->cold[slot].window_index : 0;
}

static void begin_spell(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const uint64_t now_us = store_now_us(limiter, now_ns);
    const uint64_t lost_us =
        store_now_us(limiter, breaker_lost_ns(limiter, &limiter->hot[slot].key, now_ns));
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];

    degraded->in_spell = true;
    degraded->fraction_ppm = fraction_ppm(limiter, degraded, plan);
    degraded->spell_window = accounting_window(limiter, slot);
    degraded->spell_units = 0;
    degraded->pool_units = 0;
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        begin_bucket(degraded, plan, now_us, lost_us);
    } else {
        degraded->pool_units = own_part_of_remainder(degraded, lost_us);
    }
}

/* Whether the spell's own limiter has room for a request; if so, takes it. */
static bool take(struct weir_limiter *limiter, uint32_t slot, uint64_t now_us, uint32_t cost)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];

    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        bucket_refill(degraded, plan, now_us);
        const uint64_t price = cost * plan->rate_period_us;
        if (price > degraded->level) {
            return false;
        }
        degraded->level -= price;
        return true;
    }
    if (degraded->spell_window != accounting_window(limiter, slot)) {
        degraded->spell_window = accounting_window(limiter, slot);
        degraded->spell_units = 0;
    }
    if (saturating_add(degraded->spell_units, cost) > window_budget(limiter, slot, now_us)) {
        return false;
    }
    degraded->spell_units += cost;
    return true;
}

/* One request per process and window. */
static bool take_floor(struct weir_limiter *limiter, uint32_t slot)
{
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t window = accounting_window(limiter, slot);

    if (policy_of(slot_plan(limiter, slot)) != WEIR_DEGRADED_BOUNDED ||
        degraded->floor_window == window) {
        return false;
    }
    degraded->floor_window = window;
    return true;
}

static bool admits(struct weir_limiter *limiter, uint32_t slot, uint64_t now_us, uint32_t cost)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);

    switch (policy_of(plan)) {
    case WEIR_DEGRADED_OPEN:
        return true;
    case WEIR_DEGRADED_CLOSED:
        return false;
    case WEIR_DEGRADED_BOUNDED:
    case WEIR_DEGRADED_UNIFORM:
    case WEIR_DEGRADED_SHARE:
        break;
    }
    if (plan->capacity_units == 0) {
        return false;
    }
    return take(limiter, slot, now_us, cost) || take_floor(limiter, slot);
}

/* --- charges --- */

/* What was admitted in a window that is over is charged to nobody, but for a sliding window. */
static void settle_ended_charge(struct weir_limiter *limiter, uint32_t slot)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t window = accounting_window(limiter, slot);

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

static void add_charge(struct weir_limiter *limiter, uint32_t slot, uint64_t now_us, uint32_t cost)
{
    struct degraded *degraded = &limiter->degraded[slot];

    settle_ended_charge(limiter, slot);
    if (degraded->charge_units == 0) {
        degraded->charge_from_us = now_us;
        degraded->charge_window = accounting_window(limiter, slot);
    }
    degraded->charge_until_us = now_us;
    degraded->charge_units =
        (uint32_t)lesser((uint64_t)degraded->charge_units + cost, GRANT_UNITS_MAX);
}

bool degraded_has_charge(const struct weir_limiter *limiter, uint32_t slot)
{
    const struct degraded *degraded = &limiter->degraded[slot];

    return degraded->charge_units != 0 || degraded->charge_before_units != 0;
}

void degraded_charge(struct weir_limiter *limiter, uint32_t slot, struct weir_ask *ask)
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

void degraded_uncharge(struct weir_limiter *limiter, uint32_t slot, const struct weir_ask *ask)
{
    struct degraded *degraded = &limiter->degraded[slot];

    limiter->counts.charged_units -= (uint64_t)ask->charge_units + ask->charge_before_units;
    if (degraded->charge_units == 0) {
        degraded->charge_until_us = ask->charge_until_us;
    }
    if (ask->charge_units != 0) {
        degraded->charge_from_us = ask->charge_from_us;
    }
    degraded->charge_units += ask->charge_units;
    degraded->charge_before_units += ask->charge_before_units;
}

uint32_t degraded_covered(struct weir_limiter *limiter, uint32_t slot, uint32_t units)
{
    struct degraded *degraded = &limiter->degraded[slot];
    const uint32_t covered = units < degraded->charge_units ? units : degraded->charge_units;

    degraded->charge_units -= covered;
    limiter->counts.covered_units += covered;
    return covered;
}

void degraded_window_ends(struct weir_limiter *limiter, uint32_t slot)
{
    struct degraded *degraded = &limiter->degraded[slot];

    degraded->before_units = limiter->hot[slot].spent_units;
    degraded->window_units = 0;
    degraded->decided = false;
}

/* --- decisions --- */

/* How long a client has to wait for this process to admit a cost, if the store stays away. */
static uint64_t retry_ns(const struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                         uint32_t cost)
{
    const struct weir_plan *plan = slot_plan(limiter, slot);
    const struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t now_us = store_now_us(limiter, now_ns);

    if (policy_of(plan) == WEIR_DEGRADED_CLOSED || now_us == 0) {
        return UNKNOWN_RETRY_NS;
    }
    if (plan->capacity_units == 0) {
        return WEIR_RETRY_NEVER;
    }
    const uint64_t window_us = saturating_sub(lease_window_end_us(limiter, slot), now_us) + 1;
    const uint64_t level_us = plan->algorithm == WEIR_ALGORITHM_BUCKET
                                  ? bucket_wait_us(degraded, plan, cost * plan->rate_period_us)
                                  : window_us;
    const bool has_floor = policy_of(plan) == WEIR_DEGRADED_BOUNDED;
    const uint64_t wait_us =
        has_floor || level_us == NEVER ? lesser(level_us, window_us) : level_us;
    return clock_wait_ns(0, clock_surely_reached_ns(&limiter->clock, now_ns, now_us + wait_us) -
                                now_ns);
}

static struct weir_decision refused(struct weir_limiter *limiter, uint64_t retry_after_ns)
{
    limiter->counts.degraded_denied++;
    return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                  .reason = WEIR_REASON_DEGRADED_CAP,
                                  .mode = WEIR_MODE_DEGRADED,
                                  .retry_after_ns = retry_after_ns};
}

struct weir_decision degraded_decide(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                                     uint32_t cost)
{
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t now_us = store_now_us(limiter, now_ns);

    if (!degraded->in_spell) {
        begin_spell(limiter, slot, now_ns);
    }
    degraded->decided = true;
    if (!admits(limiter, slot, now_us, cost)) {
        return refused(limiter, retry_ns(limiter, slot, now_ns, cost));
    }
    add_charge(limiter, slot, now_us, cost);
    limiter->hot[slot].spent_units += cost;
    degraded->window_units += cost;
    limiter->counts.degraded_admitted++;
    limiter->counts.degraded_units += cost;
    return (struct weir_decision){.mode = WEIR_MODE_DEGRADED};
}

/* Nothing is known of it, and nothing could be remembered: only `open` admits. */
struct weir_decision degraded_decide_without_slot(struct weir_limiter *limiter, uint64_t now_ns,
                                                  uint32_t plan_index, uint32_t cost)
{
    (void)now_ns;
    (void)plan_index;
    (void)cost;
    return refused(limiter, UNKNOWN_RETRY_NS);
}
