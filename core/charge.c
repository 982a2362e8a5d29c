/* Units that processes admitted without the store, charged once it answers again.
 *
 * Bucket: what was spent from time t0 on lowers the tokens as of t0,
 *
 *   tokens = min(capacity, tokens(t0)) - units + rate x (now - t0)
 *
 * The state has gone on since t0, so this is told from what the bucket had no room for meanwhile:
 * with the charge there had been room. Refill spilled since t0 pays first, then the tokens, then
 * the refill to come (debt). Spills are kept for one to two share periods, in two sums, and
 * charges take no more of them than what accrued from t0 until the bucket was last full: together,
 * if the times they are for overlap.
 *
 * A debt is at most a capacity. So the bucket goes no further below empty than it can rise above,
 * and a customer waits no longer for it to be paid than an empty bucket takes to fill, however
 * generous the processes were: what was given away beyond that was the operator's choice.
 *
 * Windows: the count of the window in which the units were admitted, if that is still counted. It
 * may exceed the limit then. Log: an entry as of the last of them, in its place among the others;
 * processes tell theirs by slices of the window (owed.c).
 *
 * Grace. The first process that comes back would take what the others have spent. If the key was
 * silent since before its charge began, everybody was without the store: then, for as long as it
 * may take all of them to find it again, charges are collected and nothing is granted. But no
 * longer than the charge's own spell; one lost ask of a slow key has none. A lone process, or one
 * that lost its way while others kept asking, waits for nobody. */
#include "store_key.h"

#define GRACE_SLACK_US UINT64_C(20000) /* asks whose answers were already lost */

static uint64_t charged_units(const struct weir_ask *ask)
{
    return (uint64_t)ask->charge_units + ask->charge_before_units;
}

static void begin_grace(struct weir_store_key *state, const struct weir_ask *ask, uint64_t now_us)
{
    const uint64_t from_us = ask->charge_from_us;
    const uint64_t spell_us = saturating_sub(lesser(ask->charge_until_us, now_us), from_us);

    if (from_us == 0 || spell_us == 0 || state->asked_active < 2 ||
        state->asked_us > from_us + lesser(GRACE_SLACK_US, spell_us / 2)) {
        return;
    }
    state->grace_until_us =
        greater(state->grace_until_us, now_us + lesser(WEIR_GRACE_US, spell_us));
}

/* What charges took of the time that spilled since from_us; all that the last ones took that
 * overlap, even if some of it spilled before. */
static uint64_t reclaimed_since_us(const struct weir_store_key *state, uint64_t from_us)
{
    return from_us < state->reclaimed_until_us ? state->reclaimed_us : 0;
}

/* Refill of an earlier time that a charge from then takes, although it had no room when it came. */
static uint64_t take_spilled(struct weir_store_key *state, const struct weir_plan *plan,
                             uint64_t from_us, uint64_t units)
{
    uint64_t carry;
    const uint64_t reclaimed_us = reclaimed_since_us(state, from_us);
    const uint64_t since_us = saturating_sub(saturating_sub(state->full_us, from_us), reclaimed_us);
    const uint64_t spilled_us = lesser(state->spilled_us[0] + state->spilled_us[1], since_us);
    const uint64_t taken = lesser(units, bucket_accrued_units(plan, spilled_us, &carry));
    const uint64_t taken_us = weir_plan_refill_us(plan, taken, 0);
    const uint64_t newer_us = lesser(taken_us, state->spilled_us[0]);

    state->spilled_us[0] -= newer_us;
    state->spilled_us[1] = saturating_sub(state->spilled_us[1], taken_us - newer_us);
    state->reclaimed_us = reclaimed_us + taken_us;
    state->reclaimed_until_us = state->full_us;
    return taken;
}

static void charge_bucket(struct weir_store_key *state, const struct weir_plan *plan,
                          uint64_t from_us, uint64_t units)
{
    const uint64_t rest = units - take_spilled(state, plan, from_us, units);
    const uint64_t there = lesser(rest, state->tokens);
    const uint64_t debt =
        lesser(rest - there, saturating_sub(plan->capacity_units, state->debt_units));

    state->tokens -= there;
    state->debt_units += debt;
    state->taken_units += (int64_t)(there + debt);
}

void charge(struct weir_store_key *state, const struct weir_ask *ask, const struct weir_plan *plan,
            uint64_t now_us)
{
    const uint64_t from_us = ask->charge_from_us == 0 ? now_us : ask->charge_from_us;
    const uint64_t until_us =
        ask->charge_until_us == 0 ? now_us : lesser(ask->charge_until_us, now_us);

    if (charged_units(ask) == 0) {
        return;
    }
    if (is_unlimited(state)) {
        return;
    }
    begin_grace(state, ask, now_us);
    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        charge_bucket(state, plan, from_us, ask->charge_units);
        break;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
        window_charge(state, ask, plan, until_us);
        break;
    case WEIR_ALGORITHM_LOG:
        if (ask->charge_units != 0 && until_us + plan->window_us > now_us) {
            log_add_past(state, plan, until_us + plan->window_us, ask->charge_units);
            state->taken_units += ask->charge_units;
        }
        break;
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
}
