#include "weir/take.h"

#include <stdbool.h>

#include "grant.h"
#include "weir/assert.h"

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t saturating_sub(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* A pair of sums, [0] for the current period and [1] for the next: after the turn of a period the
 * next is current. */
static void pair_roll_forward(uint64_t pair[2], uint64_t *period, uint64_t now_period)
{
    if (now_period <= *period) {
        return;
    }
    pair[0] = now_period == *period + 1 ? pair[1] : 0;
    pair[1] = 0;
    *period = now_period;
}

/* The same with [1] for the period before; the caller moves the period. */
static void pair_roll_back(uint64_t pair[2], uint64_t period, uint64_t now_period)
{
    if (now_period <= period) {
        return;
    }
    pair[1] = now_period == period + 1 ? pair[0] : 0;
    pair[0] = 0;
}

static uint64_t period_of(const struct weir_key *key, uint64_t now_us, uint64_t period_us)
{
    return (now_us + weir_key_phase_us(key, period_us)) / period_us;
}

static uint64_t held_out(const struct weir_store_key *state)
{
    return state->outstanding[0] + state->outstanding[1] + state->flight[0] + state->flight[1];
}

/* Add what accrued since the last call, up to what the capacity leaves beside the permits that are
 * out. */
static void refill(struct weir_store_key *state, const struct weir_plan *plan, uint64_t now_us)
{
    const uint64_t cap = saturating_sub(plan->capacity_units, held_out(state));
    const uint64_t elapsed_us = lesser(saturating_sub(now_us, state->updated_us), plan->full_us);

    if (now_us <= state->updated_us) {
        return; /* the store's clock stepped back: wait for it */
    }
    state->updated_us = now_us;
    /* exact: elapsed_us <= full_us, so elapsed_us x rate_units < capacity x period + rate < 2^53 */
    const uint64_t gain =
        (plan->rate_units == 0 ? 0 : elapsed_us * plan->rate_units) + state->carry;
    const uint64_t tokens = state->tokens + gain / plan->rate_period_us;

    state->carry = gain % plan->rate_period_us;
    if (tokens >= cap) {
        state->tokens = state->tokens > cap ? state->tokens : cap;
        state->carry = 0;
    } else {
        state->tokens = tokens;
    }
}

/* Trickles of the current period: take from the tokens what has accrued to their holders by now. */
static void debit_trickles(struct weir_store_key *state, uint64_t due)
{
    const uint64_t debit = lesser(saturating_sub(due, state->trickle_debited), state->tokens);

    state->tokens -= debit;
    state->trickle_debited += debit;
    state->trickled_units += debit;
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
        pair_roll_forward(state->trickle, &state->trickle_period, state->trickle_period + 1);
    }
    if (state->trickle[0] != 0) {
        const uint64_t into_us = (now_us + weir_key_phase_us(key, period_us)) % period_us;
        debit_trickles(state, (state->trickle[0] * into_us + period_us - 1) / period_us);
    }
}

/* Room comes back when a lease period ends and when grants have landed; what accrues before that is
 * lost if the bucket cannot hold it. So the refill goes from one such instant to the next: at most
 * four of them, then both pairs are empty. */
static uint64_t next_room_us(const struct weir_store_key *state, const struct weir_key *key,
                             const struct weir_plan *plan, uint64_t now_us)
{
    uint64_t until_us = now_us;

    if (state->outstanding[0] != 0 || state->outstanding[1] != 0) {
        const uint64_t phase_us = weir_key_phase_us(key, plan->lease_period_us);
        until_us = lesser(until_us, (state->lease_period + 1) * plan->lease_period_us - phase_us);
    }
    if (state->flight[0] != 0 || state->flight[1] != 0) {
        until_us = lesser(until_us, (state->flight_period + 1) * state->flight_us);
    }
    return until_us;
}

static void advance_bucket(struct weir_store_key *state, const struct weir_key *key,
                           const struct weir_plan *plan, uint64_t now_us)
{
    uint64_t until_us;

    do {
        until_us = next_room_us(state, key, plan, now_us);
        refill(state, plan, until_us);
        pair_roll_forward(state->outstanding, &state->lease_period,
                          period_of(key, until_us, plan->lease_period_us));
        const uint64_t flight_period = until_us / state->flight_us;
        pair_roll_back(state->flight, state->flight_period, flight_period);
        state->flight_period =
            flight_period > state->flight_period ? flight_period : state->flight_period;
    } while (until_us < now_us);
    advance_trickles(state, key, plan, now_us);
}

static void advance_window(struct weir_store_key *state, const struct weir_key *key,
                           const struct weir_plan *plan, uint64_t now_us)
{
    const uint64_t index = period_of(key, now_us, plan->window_us);

    if (index > state->window_index) {
        state->window_index = index;
        state->tokens = 0;
        state->outstanding[0] = 0;
        state->outstanding[1] = 0;
        state->lease_period = index;
    }
}

void weir_store_key_advance(struct weir_store_key *state, const struct weir_key *key,
                            const struct weir_plan *plan, uint64_t now_us)
{
    WEIR_ASSERT(state->version != 0);
    const uint64_t share_period = now_us / WEIR_SHARE_US;

    pair_roll_back(state->rate_milli, state->share_period, share_period);
    pair_roll_back(state->active, state->share_period, share_period);
    state->share_period = share_period > state->share_period ? share_period : state->share_period;
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        advance_bucket(state, key, plan, now_us);
    } else if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        advance_window(state, key, plan, now_us);
    }
}

uint64_t weir_store_key_remaining(const struct weir_store_key *state, const struct weir_plan *plan)
{
    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        return state->tokens;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
    case WEIR_ALGORITHM_LOG:
        return saturating_sub(plan->limit_units, state->tokens);
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
    return UINT32_MAX;
}

void weir_store_key_init(struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t now_us, uint64_t fill_units)
{
    WEIR_ASSERT(fill_units <= plan->capacity_units || plan->algorithm == WEIR_ALGORITHM_UNLIMITED);
    *state = (struct weir_store_key){
        .version = 1,
        .plan_version = plan->version,
        .rate_period_us = plan->rate_period_us,
        .tokens = plan->algorithm == WEIR_ALGORITHM_BUCKET ? fill_units
                                                           : plan->capacity_units - fill_units,
        .updated_us = now_us,
        .window_index = period_of(key, now_us, plan->window_us),
        .lease_period = period_of(key, now_us, plan->lease_period_us),
        .flight_us = WEIR_FLIGHT_US_MIN,
        .flight_period = now_us / WEIR_FLIGHT_US_MIN,
        .trickle_period = period_of(key, now_us, plan->trickle_period_us),
        .share_period = now_us / WEIR_SHARE_US,
    };
}

/* A newer plan takes effect with what was already spent: tokens are clipped to the new capacity. An
 * older plan, from a process that has not heard yet, is served under the newest one's numbers only
 * as far as its own go. */
static void adopt_plan(struct weir_store_key *state, const struct weir_plan *plan)
{
    if (state->rate_period_us != plan->rate_period_us) {
        state->rate_period_us =
            plan->rate_period_us; /* of an older plan too: the carry is in its unit now */
        state->carry = 0;
    }
    if (plan->version <= state->plan_version) {
        return;
    }
    state->plan_version = plan->version;
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        state->tokens = lesser(state->tokens, plan->capacity_units);
    }
}

/* New leases of a bucket end with the next lease period, those of a window with the window. */
static unsigned new_lease_sum(const struct weir_plan *plan)
{
    return plan->algorithm == WEIR_ALGORITHM_BUCKET ? 1 : 0;
}

static void give_back(struct weir_store_key *state, const struct weir_plan *plan, uint64_t units)
{
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        state->tokens = saturating_sub(state->tokens, units);
        return;
    }
    const uint64_t room = saturating_sub(plan->capacity_units, held_out(state) + state->tokens);
    state->tokens += lesser(units, room);
}

/* A trickle is given up: its future part was never taken, and what accrued to it unseen since comes
 * back too. */
static void cancel_trickles(struct weir_store_key *state, const struct weir_ask *ask,
                            uint64_t now_us)
{
    const uint64_t period_us = ask->plan.trickle_period_us;
    const uint64_t into_us = (now_us + weir_key_phase_us(&ask->key, period_us)) % period_us;
    uint64_t current = ask->trickle_count[0];
    uint64_t next = ask->trickle_count[1];
    uint64_t accrued = lesser(ask->trickle_accrued, current);

    if (ask->trickle_period + 1 == state->trickle_period) {
        give_back(state, &ask->plan, current - accrued); /* ended meanwhile, all debited */
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
        give_back(state, &ask->plan, debited - accrued);
    }
}

/* Permits of a lease that ends with lease_period are out no longer. What came by a trickle is
 * booked to the later sum, whatever the ask names; the earlier sum is never the wrong one to reduce
 * first, since it is dropped first. */
static void count_back(struct weir_store_key *state, uint64_t lease_period, uint64_t units)
{
    if (lease_period == state->lease_period) {
        const uint64_t earlier = lesser(state->outstanding[0], units);
        state->outstanding[0] -= earlier;
        units -= earlier;
    }
    state->outstanding[1] = saturating_sub(state->outstanding[1], units);
}

/* What the ask says about earlier leases. Once the period they end with is over they are counted no
 * more, and the bucket has refilled in their place: they are neither out nor given back, and what
 * was held is void (the process learns it from the answer's lease_period). */
static void settle(struct weir_store_key *state, const struct weir_ask *ask, uint64_t now_us)
{
    const bool window = ask->plan.algorithm == WEIR_ALGORITHM_WINDOW;
    const uint64_t returned = saturating_sub(ask->returned_units, ask->expired_units);

    if (ask->lease_period == state->lease_period || ask->lease_period == state->lease_period + 1) {
        count_back(state, ask->lease_period,
                   ask->held_units + (uint64_t)ask->spent_units + returned);
        state->outstanding[new_lease_sum(&ask->plan)] += ask->held_units;
        give_back(state, &ask->plan, returned + (window ? ask->unused_units : 0));
    }
    if (ask->flags & WEIR_ASK_CANCEL_TRICKLE && ask->plan.algorithm == WEIR_ALGORITHM_BUCKET) {
        cancel_trickles(state, ask, now_us);
    }
}

/* Move this process's demand from where it was last counted to now. */
static void count_demand(struct weir_store_key *state, const struct weir_ask *ask)
{
    int before = -1;

    if (ask->rate_share_period == state->share_period) {
        before = 0;
    } else if (ask->rate_share_period + 1 == state->share_period) {
        before = 1;
    }
    if (before >= 0 && ask->rate_milli_before != 0) {
        state->rate_milli[before] =
            saturating_sub(state->rate_milli[before], ask->rate_milli_before);
        state->active[before] = saturating_sub(state->active[before], 1);
    }
    if (ask->rate_milli != 0) {
        state->rate_milli[0] += ask->rate_milli;
        state->active[0] += 1;
    }
}

/* A slower process stretches the flight period for all; it shrinks again once nothing is in flight.
 */
static void adjust_flight(struct weir_store_key *state, uint32_t flight_us, uint64_t now_us)
{
    const uint64_t in_flight = state->flight[0] + state->flight[1];

    if (flight_us != 0 && (flight_us > state->flight_us || in_flight == 0)) {
        state->flight_us = flight_us;
        state->flight_period = now_us / flight_us;
        state->flight[0] = in_flight;
        state->flight[1] = 0;
    }
}

/* Granted units that requests spend as soon as the answer comes, so that no later ask needs to say
 * what became of them. If only a part of the need is granted, some of it may be left over. */
static uint32_t spent_at_once(const struct weir_ask *ask, const struct grant *grant)
{
    if (ask->flags & WEIR_ASK_SPEND || ask->plan.algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return grant->units;
    }
    return ask->flight_us == 0 || grant->units < ask->need_units ? 0 : ask->need_units;
}

static void debit_grant(struct weir_store_key *state, const struct weir_ask *ask,
                        const struct grant *grant)
{
    const uint32_t waiting = spent_at_once(ask, grant);

    if (ask->plan.algorithm == WEIR_ALGORITHM_WINDOW) {
        state->tokens += grant->units;
    } else if (ask->plan.algorithm == WEIR_ALGORITHM_BUCKET) {
        state->tokens -= grant->units;
        state->flight[0] += ask->flags & WEIR_ASK_SPEND && ask->flight_us == 0 ? 0 : waiting;
        state->trickle[1] += grant->trickle_count;
    }
    state->outstanding[new_lease_sum(&ask->plan)] += grant->units - waiting;
}

/* This process's turn: about one pace from now, after those who got their turn before it. */
static uint64_t next_turn_us(struct weir_store_key *state, const struct grant *grant,
                             uint64_t now_us)
{
    const uint64_t active = state->active[0] + state->active[1];
    const uint64_t soonest_us = now_us + grant->pace_us / 2;
    const uint64_t latest_us = now_us + grant->pace_us / 2 * 3;

    if (state->pace_next_us > latest_us) {
        return latest_us; /* sooner than the others: out of turn */
    }
    const uint64_t turn_us = state->pace_next_us < soonest_us ? soonest_us : state->pace_next_us;
    state->pace_next_us = turn_us + grant->pace_us / (active == 0 ? 1 : active);
    return turn_us;
}

/* When all that is in flight has landed: until then it may leave no room for what accrues. */
static uint64_t landing_us(const struct weir_store_key *state, uint64_t now_us)
{
    const uint64_t periods = state->flight[0] != 0 ? 2 : state->flight[1] != 0 ? 1 : 0;
    const uint64_t landed_us = (state->flight_period + periods) * state->flight_us;

    return periods != 0 && landed_us > now_us ? landed_us : now_us;
}

static uint64_t retry_us(struct weir_store_key *state, const struct weir_ask *ask,
                         const struct grant *grant, uint64_t now_us)
{
    const uint64_t turn_us = grant->pace_us == 0 ? 0 : next_turn_us(state, grant, now_us);

    const struct weir_plan *plan = &ask->plan;

    const uint64_t least = grant->units == 0 && ask->least_units > 1 ? ask->least_units : 1;
    const bool refused =
        grant->units == 0 && ask->want_units != 0 && weir_store_key_remaining(state, plan) < least;

    if (grant->pace_us == 0 && !refused) {
        return 0;
    }
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        return (state->window_index + 1) * plan->window_us -
               weir_key_phase_us(&ask->key, plan->window_us);
    }
    const bool crowded = saturating_sub(plan->capacity_units, held_out(state)) < least;
    const uint64_t from_us = crowded ? landing_us(state, now_us) : now_us;
    const uint64_t wait_us =
        weir_plan_refill_us(plan, saturating_sub(least, state->tokens), crowded ? 0 : state->carry);
    if (wait_us == UINT64_MAX) {
        return UINT64_MAX;
    }
    return from_us + wait_us > turn_us ? from_us + wait_us : turn_us;
}

static int ask_is_valid(const struct weir_ask *ask)
{
    return ask->want_units >= ask->need_units && ask->need_units >= ask->least_units &&
           ask->id.sequence != 0 &&
           (ask->flight_us == 0 ||
            (ask->flight_us >= WEIR_FLIGHT_US_MIN && ask->flight_us <= WEIR_FLIGHT_US_MAX));
}

/* The effect of a new ask. */
static void apply(struct weir_store_key *state, const struct weir_ask *ask, uint64_t now_us,
                  struct weir_answer *answer)
{
    const struct weir_plan *plan = &ask->plan;

    adopt_plan(state, plan);
    weir_store_key_advance(state, &ask->key, plan, now_us);
    settle(state, ask, now_us);
    count_demand(state, ask);

    struct grant grant = {0};
    if ((ask->flags & WEIR_ASK_RETURN) == 0) {
        const uint64_t active = state->active[0] + state->active[1];
        const struct grant_input input = {
            .plan = plan,
            .ask = ask,
            .remaining_units = weir_store_key_remaining(state, plan),
            .outstanding_units = held_out(state),
            .global_rate_milli = state->rate_milli[0] + state->rate_milli[1],
            .active_processes = active == 0 ? 1 : active,
            .trickle_promised = state->trickle[1],
        };
        grant = weir_grant_decide(&input);
        adjust_flight(state, ask->flight_us, now_us);
        debit_grant(state, ask, &grant);
    }
    state->version++;

    answer->flags = grant.flags;
    answer->granted_units = grant.units;
    answer->trickle_count = grant.trickle_count;
    answer->trickle_period = state->trickle_period + 1;
    answer->lease_period = state->lease_period + new_lease_sum(plan);
    answer->retry_us = retry_us(state, ask, &grant, now_us);
    answer->outstanding_units = held_out(state);
    if (grant.units == 0 && answer->retry_us != 0 && answer->outstanding_units > ask->held_units) {
        answer->flags |= WEIR_ANSWER_PARKED;
    }
}

enum weir_status weir_take(struct weir_store_key *state, struct weir_ask_record *record,
                           const struct weir_ask *ask, uint64_t now_us, uint64_t run_id,
                           struct weir_answer *answer)
{
    *answer = (struct weir_answer){0};
    if (!ask_is_valid(ask)) {
        return WEIR_ERR_ARGUMENT;
    }
    if (record->id.sequence == ask->id.sequence && record->id.process == ask->id.process &&
        record->id.incarnation == ask->id.incarnation) {
        *answer = record->answer;
        answer->flags |= WEIR_ANSWER_REPEATED;
        return WEIR_OK;
    }
    if (state->version == 0) {
        weir_store_key_init(state, &ask->key, &ask->plan, now_us, ask->plan.capacity_units);
    }

    apply(state, ask, now_us, answer);
    answer->key = ask->key;
    answer->id = ask->id;
    answer->store_us = now_us;
    answer->run_id = run_id;
    answer->version = state->version;
    answer->remaining_units = weir_store_key_remaining(state, &ask->plan);
    answer->global_rate_milli = state->rate_milli[0] + state->rate_milli[1];
    answer->share_period = state->share_period;
    answer->active_processes = (uint32_t)lesser(state->active[0] + state->active[1], UINT32_MAX);
    *record = (struct weir_ask_record){.id = ask->id, .answer = *answer};
    return WEIR_OK;
}
