/* Token bucket. Invariant, after every step: tokens + outstanding + in flight <= capacity, unless a
 * plan with a smaller capacity came while permits were out; then nothing is refilled until they
 * are back. */
#include <stdbool.h>

#include "store_key.h"
#include "weir/assert.h"

uint64_t weir_store_key_out(const struct weir_store_key *state)
{
    return state->outstanding[0] + state->outstanding[1] + state->flight[0] + state->flight[1];
}

uint64_t bucket_accrued_units(const struct weir_plan *plan, uint64_t elapsed_us, uint64_t *carry)
{
    *carry = 0;
    if (plan->rate_units == 0) {
        return 0;
    }
    const uint64_t gain =
        lesser(elapsed_us, (WEIR_EXACT_MAX - 1) / plan->rate_units) * plan->rate_units;
    *carry = gain % plan->rate_period_us;
    return gain / plan->rate_period_us;
}

/* What accrued in this time finds no room: a charge from before may take it. */
static void spill(struct weir_store_key *state, uint64_t time_us, uint64_t now_us)
{
    state->spilled_us[0] += time_us;
    state->full_us = now_us;
}

/* Add what accrues in elapsed_us <= full_us, up to cap. The debt comes first. */
static void accrue(struct weir_store_key *state, const struct weir_plan *plan, uint64_t elapsed_us,
                   uint64_t cap, uint64_t now_us)
{
    /* exact: elapsed_us <= full_us, so elapsed_us x rate_units < capacity x period + rate < 2^53 */
    const uint64_t gain =
        (plan->rate_units == 0 ? 0 : elapsed_us * plan->rate_units) + state->carry;
    const uint64_t units = gain / plan->rate_period_us;
    const uint64_t repaid = lesser(units, state->debt_units);
    const uint64_t tokens = state->tokens + units - repaid;

    state->debt_units -= repaid;
    state->carry = gain % plan->rate_period_us;
    if (tokens >= cap && state->debt_units == 0) {
        const uint64_t kept = greater(state->tokens, cap);
        const uint64_t surplus = (tokens - kept) * plan->rate_period_us + state->carry;
        spill(state, plan->rate_units == 0 ? 0 : surplus / plan->rate_units, now_us);
        state->tokens = kept;
        state->carry = 0;
    } else {
        state->tokens = tokens;
    }
}

/* Add what accrued since the last call, up to what the capacity leaves beside the permits that are
 * out. */
static void refill(struct weir_store_key *state, const struct weir_plan *plan, uint64_t now_us)
{
    const uint64_t cap = saturating_sub(plan->capacity_units, weir_store_key_out(state));
    uint64_t elapsed_us = saturating_sub(now_us, state->updated_us);

    if (now_us <= state->updated_us) {
        return; /* the store's clock stepped back a little: wait for it */
    }
    state->updated_us = now_us;
    if (state->debt_units != 0) { /* at most a capacity, so that after this it is paid, or all is */
        const uint64_t first_us = lesser(elapsed_us, plan->full_us);
        accrue(state, plan, first_us, cap, now_us);
        elapsed_us -= first_us;
    }
    const uint64_t second_us = lesser(elapsed_us, plan->full_us);
    accrue(state, plan, second_us, cap, now_us);
    if (elapsed_us > second_us) {
        spill(state, elapsed_us - second_us, now_us);
    }
}

/* Trickles of the current period: take from the tokens what has accrued to their holders by now. A
 * charge may have left none: their holders spend them all the same, and they add to the debt. */
static void debit_trickles(struct weir_store_key *state, uint64_t due)
{
    const uint64_t missing = saturating_sub(due, state->trickle_debited);
    const uint64_t there = lesser(missing, state->tokens);
    const uint64_t owed =
        state->debt_units == 0
            ? 0
            : lesser(missing - there,
                     saturating_sub(state->in_force.capacity_units, state->debt_units));
    const uint64_t debit = there + owed;

    state->tokens -= there;
    state->debt_units += owed;
    state->trickle_debited += debit;
    state->trickled_units += debit;
    state->taken_units += (int64_t)debit;
    state->outstanding[1] += debit;
}

static void advance_trickles(struct weir_store_key *state, const struct weir_key *key,
                             const struct weir_plan *plan, uint64_t now_us)
{
    const uint64_t period_us = plan->trickle_period_us;
    const uint64_t now_period = period_of(key, now_us, period_us);

    while (state->trickle_period < now_period) {
        debit_trickles(state, state->trickle[0]);
        state->trickle_debited = 0;
        if (state->trickle[0] == 0 && state->trickle[1] == 0) {
            state->trickle_period = now_period;
            return;
        }
        state->trickle[0] = state->trickle[1];
        state->trickle[1] = 0;
        state->trickle_period++;
    }
    if (state->trickle[0] != 0) {
        const uint64_t into_us = (now_us + weir_key_phase_us(key, period_us)) % period_us;
        debit_trickles(state, (state->trickle[0] * into_us + period_us - 1) / period_us);
    }
}

void bucket_end_trickles(struct weir_store_key *state)
{
    debit_trickles(state, state->trickle[0]);
    state->trickle_debited = 0;
    debit_trickles(state, state->trickle[1]);
    state->trickle_debited = 0;
    state->trickle[0] = 0;
    state->trickle[1] = 0;
}

uint64_t bucket_lease_end_us(const struct weir_key *key, const struct weir_plan *plan,
                             uint64_t now_us)
{
    const uint64_t period_us = plan->lease_period_us;

    return period_start_us(key, period_of(key, now_us, period_us) + 2, period_us);
}

void bucket_start(struct weir_store_key *state, const struct weir_key *key,
                  const struct weir_plan *plan, uint64_t now_us)
{
    state->lease_end_us[1] = bucket_lease_end_us(key, plan, now_us);
    state->lease_end_us[0] = state->lease_end_us[1] - plan->lease_period_us;
    state->flight_us = WEIR_FLIGHT_US_MIN;
    state->flight_period = now_us / WEIR_FLIGHT_US_MIN;
    state->trickle_period = period_of(key, now_us, plan->trickle_period_us);
}

/* Leases that ended by now_us are out no longer. */
static void end_leases(struct weir_store_key *state, const struct weir_key *key,
                       const struct weir_plan *plan, uint64_t now_us)
{
    if (now_us < state->lease_end_us[0]) {
        return;
    }
    const uint64_t latest_us = bucket_lease_end_us(key, plan, now_us);
    const bool all = now_us >= state->lease_end_us[1];

    state->outstanding[0] = all ? 0 : state->outstanding[1];
    state->outstanding[1] = 0;
    state->lease_end_us[0] = all ? latest_us - plan->lease_period_us : state->lease_end_us[1];
    state->lease_end_us[1] = greater(latest_us, state->lease_end_us[0]);
}

/* Room comes back when leases end and when grants have landed; what accrues before that is lost if
 * the bucket cannot hold it. So the refill goes from one such instant to the next: at most four of
 * them, then both pairs are empty. */
static uint64_t next_room_us(const struct weir_store_key *state, uint64_t now_us)
{
    uint64_t until_us = now_us;

    if (state->outstanding[0] != 0 || state->outstanding[1] != 0) {
        until_us = lesser(until_us, state->lease_end_us[0]);
    }
    if (state->flight[0] != 0 || state->flight[1] != 0) {
        until_us = lesser(until_us, (state->flight_period + 1) * state->flight_us);
    }
    return until_us;
}

void bucket_advance(struct weir_store_key *state, const struct weir_key *key,
                    const struct weir_plan *plan, uint64_t now_us)
{
    uint64_t until_us;

    do {
        until_us = next_room_us(state, now_us);
        refill(state, plan, until_us);
        end_leases(state, key, plan, until_us);
        const uint64_t flight_period = until_us / state->flight_us;
        pair_roll_back(state->flight, state->flight_period, flight_period);
        state->flight_period = greater(flight_period, state->flight_period);
    } while (until_us < now_us);
    advance_trickles(state, key, plan, now_us);
}

void bucket_give_back(struct weir_store_key *state, const struct weir_plan *plan, uint64_t units)
{
    const uint64_t repaid = lesser(units, state->debt_units);
    const uint64_t room =
        saturating_sub(plan->capacity_units, weir_store_key_out(state) + state->tokens);
    const uint64_t kept = lesser(units - repaid, room);

    state->debt_units -= repaid;
    state->tokens += kept;
    state->taken_units -= (int64_t)(repaid + kept);
}

/* A trickle is given up: its future part was never taken, and what accrued to it unseen since comes
 * back too. */
void bucket_cancel_trickles(struct weir_store_key *state, const struct weir_ask *ask,
                            const struct weir_plan *plan, uint64_t now_us)
{
    const uint64_t period_us = plan->trickle_period_us;
    const uint64_t into_us = (now_us + weir_key_phase_us(&ask->key, period_us)) % period_us;
    uint64_t current = ask->trickle_count[0];
    uint64_t next = ask->trickle_count[1];
    uint64_t accrued = lesser(ask->trickle_accrued, current);

    if (ask->trickle_period + 1 == state->trickle_period) {
        bucket_give_back(state, plan, current - accrued); /* ended meanwhile, all debited */
        current = next;
        next = 0;
        accrued = 0;
    } else if (ask->trickle_period != state->trickle_period) {
        return;
    }
    current = lesser(current, state->trickle[0]);
    const uint64_t debited = lesser(current * into_us / period_us, state->trickle_debited);
    state->trickle[0] -= current;
    state->trickle_debited -= debited;
    state->trickle[1] = saturating_sub(state->trickle[1], next);
    if (debited > accrued) {
        state->outstanding[1] = saturating_sub(state->outstanding[1], debited - accrued);
        bucket_give_back(state, plan, debited - accrued);
    }
}

/* Permits of a lease that ends at lease_end_us are out no longer. What came by a trickle is booked
 * to the later sum, whatever the ask names; the earlier sum is never the wrong one to reduce first,
 * since it is dropped first. */
void bucket_count_back(struct weir_store_key *state, uint64_t lease_end_us, uint64_t units)
{
    if (lease_end_us <= state->lease_end_us[0]) {
        const uint64_t earlier = lesser(state->outstanding[0], units);
        state->outstanding[0] -= earlier;
        units -= earlier;
    }
    state->outstanding[1] = saturating_sub(state->outstanding[1], units);
}

/* A slower process stretches the flight period for all; it shrinks again once nothing is in flight.
 */
void bucket_adjust_flight(struct weir_store_key *state, uint32_t flight_us, uint64_t now_us)
{
    const uint64_t in_flight = state->flight[0] + state->flight[1];

    if (flight_us != 0 && (flight_us > state->flight_us || in_flight == 0)) {
        state->flight_us = flight_us;
        state->flight_period = now_us / flight_us;
        state->flight[0] = in_flight;
        state->flight[1] = 0;
    }
}

/* When all that is in flight has landed: until then it may leave no room for what accrues. */
static uint64_t landing_us(const struct weir_store_key *state, uint64_t now_us)
{
    const uint64_t periods = state->flight[0] != 0 ? 2 : state->flight[1] != 0 ? 1 : 0;
    const uint64_t landed_us = (state->flight_period + periods) * state->flight_us;

    return periods != 0 && landed_us > now_us ? landed_us : now_us;
}

uint64_t bucket_ready_us(const struct weir_store_key *state, const struct weir_plan *plan,
                         uint64_t least, uint64_t now_us)
{
    const bool crowded = saturating_sub(plan->capacity_units, weir_store_key_out(state)) < least;
    const uint64_t from_us = crowded ? landing_us(state, now_us) : now_us;
    const uint64_t debt_us = weir_plan_refill_us(plan, state->debt_units, 0);
    const uint64_t wait_us =
        weir_plan_refill_us(plan, saturating_sub(least, state->tokens), crowded ? 0 : state->carry);

    return wait_us == UINT64_MAX || debt_us == UINT64_MAX ? UINT64_MAX
                                                          : from_us + debt_us + wait_us;
}
