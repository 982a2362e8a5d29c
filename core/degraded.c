/* Deciding without the store.
 *
 * A process goes degraded with a key when a request cannot wait any longer (the spell begins), and
 * back to normal with the next answer that grants anything or could have; unless it came late, or
 * the shard's breaker is not closed. During a spell it is a limiter of its own, with a fraction of
 * the limit:
 *
 *   bounded   the fraction is its share s of the key's demand, as the store's last answer had it;
 *             who rests keeps the share it had, or on/off traffic would have none in a pause.
 *             It starts with s x (what was left then, less what the others have used since) and s x
 *             what was refilled since, less what that answer promised of it; if that is less than
 *             nothing, it has to be refilled first. So if the shares of all processes sum to 1 or
 *             less, they admit no more than was left and accrues, and on top one request per
 *             process and accounting window, of processes that would admit nothing otherwise.
 *   uniform   1 / processes
 *   share     s, at least 2 %. Both start full, and know nothing of what was spent before.
 *
 * The others use the remainder for as long as the store answers them, not until this process first
 * needs it: that was when the shard was lost, halfway between the last ask that it answered and the
 * first that it did not.
 *
 * Own use is left out of what others have used, or it would be counted twice: a bucket of 20 s of
 * rate, at 1.5 times the rate, would be empty after 10 s instead of 40 s.
 *
 * What was admitted is charged by the next ask, with the time it was admitted in. */
#include "arithmetic.h"
#include "budget.h"
#include "history.h"
#include "owed.h"
#include "weir/assert.h"

#define UNKNOWN_RETRY_NS NS_PER_S /* nobody knows when the store comes back */

void degraded_start(struct weir_limiter *limiter, uint32_t slot)
{
    limiter->degraded[slot] = (struct degraded){.floor_window = NEVER};
}

/* What rests is forgotten by the store in one to two share periods, and its share belongs to the
 * others then. */
static bool is_forgotten(const struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t lost_ns = breaker_lost_ns(limiter, &limiter->hot[slot].key, now_ns);

    return limiter->cold[slot].rate_reported_milli == 0 &&
           saturating_sub(lost_ns, degraded->share_ns) >= WEIR_SHARE_US * NS_PER_US;
}

static uint32_t fraction_ppm(const struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    const uint32_t share_ppm =
        is_forgotten(limiter, slot, now_ns) ? 0 : limiter->degraded[slot].share_ppm;

    switch (policy_of(slot_plan(limiter, slot))) {
    case WEIR_DEGRADED_UNIFORM:
        return (uint32_t)(PPM / limiter->options.process_count);
    case WEIR_DEGRADED_SHARE:
        return share_ppm > WEIR_MIN_SHARE_PPM ? share_ppm : WEIR_MIN_SHARE_PPM;
    case WEIR_DEGRADED_BOUNDED:
    case WEIR_DEGRADED_OPEN:
    case WEIR_DEGRADED_CLOSED:
        break;
    }
    return share_ppm;
}

/* --- answers --- */

/* The store answers late, or now and then. What it says is left holds all that others have admitted
 * without it and could not tell yet; each of them would take its share of that again, and with
 * every answer. So the spell goes on, until the shard answers as it should. */
static bool is_troubled(const struct weir_limiter *limiter, uint32_t slot, bool is_late)
{
    const struct degraded *degraded = &limiter->degraded[slot];

    return degraded->in_spell && degraded->base_us != 0 &&
           (is_late || !breaker_is_closed(limiter, &limiter->hot[slot].key));
}

/* What those that rest leave is divided by demand. The demand of those that rest is not told: it is
 * to that of the others as their shares are. */
static void hear_share(struct degraded *degraded, uint64_t reported_milli,
                       const struct weir_answer *answer)
{
    const uint64_t all_milli = answer->global_rate_milli;
    const uint64_t own_milli = lesser(reported_milli, all_milli);
    const uint64_t left_ppm = saturating_sub(PPM, answer->resting_ppm);

    if (reported_milli == 0) {
        degraded->share_ppm = answer->kept_ppm;
    } else {
        degraded->own_milli = own_milli;
        degraded->share_ppm = all_milli == 0 ? 0 : (uint32_t)(own_milli * left_ppm / all_milli);
    }
    degraded->others_milli =
        answer->resting_ppm == 0 || degraded->share_ppm == 0
            ? all_milli - own_milli
            : degraded->own_milli * (PPM - degraded->share_ppm) / degraded->share_ppm;
}

void degraded_answered(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns,
                       const struct weir_answer *answer, bool is_late)
{
    const struct cold *cold = &limiter->cold[slot];
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t age_us = saturating_sub(store_now_us(limiter, now_ns), answer->store_us);

    if (answer->flags & WEIR_ANSWER_GRACE) {
        return;
    }
    hear_share(degraded, cold->rate_reported_milli, answer);
    degraded->share_ns = saturating_sub(now_ns, age_us * NS_PER_US);
    if (is_troubled(limiter, slot, is_late)) {
        budget_hear(limiter, slot, now_ns, answer, fraction_ppm(limiter, slot, now_ns));
        return;
    }
    degraded->in_spell = false;
    history_mark(limiter, slot, now_ns);
    degraded->base_us = answer->store_us;
    degraded->remaining_units = answer->remaining_units;
    degraded->previous_units = answer->previous_units;
    degraded->promised_units =
        (uint64_t)cold->trickle[0] - cold->trickle_taken + cold->trickle[1] + answer->trickle_count;
}

/* One request per process and window, where its share is nothing or has admitted nothing yet. */
static bool take_floor(struct weir_limiter *limiter, uint32_t slot)
{
    struct degraded *degraded = &limiter->degraded[slot];
    const uint64_t window = degraded->spell_window; /* as budget_take has brought it up to date */
    const bool is_served =
        limiter->clock.known && degraded->fraction_ppm != 0 && limiter->hot[slot].spent_units != 0;

    if (policy_of(slot_plan(limiter, slot)) != WEIR_DEGRADED_BOUNDED || is_served ||
        degraded->floor_window == window) {
        return false;
    }
    degraded->floor_window = window;
    return true;
}

/* The plan holds nothing, or the request waits since before it became too small. */
static bool is_beyond(const struct weir_plan *plan, uint32_t cost)
{
    return plan->capacity_units == 0 || cost > plan->capacity_units;
}

static bool admits(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns, uint32_t cost)
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
    return !is_beyond(plan, cost) &&
           (budget_take(limiter, slot, now_ns, cost) || take_floor(limiter, slot));
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

    if (policy_of(plan) == WEIR_DEGRADED_CLOSED) {
        return UNKNOWN_RETRY_NS;
    }
    if (is_beyond(plan, cost)) {
        return WEIR_RETRY_NEVER;
    }
    if (!limiter->clock.known) {
        const uint64_t level_us =
            plan->algorithm == WEIR_ALGORITHM_BUCKET ? budget_wait_us(degraded, plan, cost) : NEVER;
        return level_us == NEVER ? UNKNOWN_RETRY_NS : level_us * NS_PER_US;
    }
    const uint64_t window_us = saturating_sub(lease_window_end_us(limiter, slot), now_us) + 1;
    const uint64_t level_us =
        plan->algorithm == WEIR_ALGORITHM_BUCKET ? budget_wait_us(degraded, plan, cost) : window_us;
    const bool has_floor = policy_of(plan) == WEIR_DEGRADED_BOUNDED;
    const uint64_t wait_us =
        has_floor || level_us == NEVER ? lesser(level_us, window_us) : level_us;
    return clock_wait_ns(0, clock_surely_reached_ns(&limiter->clock, now_ns, now_us + wait_us) -
                                now_ns);
}

static struct weir_decision admitted(struct weir_limiter *limiter, uint32_t cost)
{
    limiter->counts.degraded_admitted++;
    limiter->counts.degraded_units += cost;
    return (struct weir_decision){.mode = WEIR_MODE_DEGRADED};
}

struct weir_decision degraded_unlimited(struct weir_limiter *limiter, uint32_t cost)
{
    struct weir_decision decision = admitted(limiter, cost);

    decision.reason = WEIR_REASON_UNLIMITED;
    return decision;
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

    if (!degraded->in_spell) {
        degraded->in_spell = true;
        budget_begin(limiter, slot, now_ns, fraction_ppm(limiter, slot, now_ns));
    }
    degraded->decided = true;
    if (!admits(limiter, slot, now_ns, cost)) {
        return refused(limiter, retry_ns(limiter, slot, now_ns, cost));
    }
    history_admitted(limiter, slot, now_ns, cost);
    owed_add(limiter, slot, now_ns, cost);
    limiter->hot[slot].spent_units += cost;
    degraded->window_units += cost;
    return admitted(limiter, cost);
}

/* Nothing is known of it, and what it owes could not be remembered: only `open` admits, and
 * who has no limit owes nothing. */
struct weir_decision degraded_decide_without_slot(struct weir_limiter *limiter, uint64_t now_ns,
                                                  const struct weir_key *key,
                                                  const struct weir_plan *plan, uint32_t cost)
{
    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        outbox_report_once(limiter, key, plan, now_ns, cost, true);
        return degraded_unlimited(limiter, cost);
    }
    if (policy_of(plan) != WEIR_DEGRADED_OPEN) {
        outbox_report_refused(limiter, key, plan, now_ns);
        return refused(limiter, UNKNOWN_RETRY_NS);
    }
    outbox_report_once(limiter, key, plan, now_ns, cost, true);
    limiter->counts.lost_charge_units += cost;
    return admitted(limiter, cost);
}
