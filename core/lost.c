/* A state that the store has lost, or a part of its past: failover to a copy that lags, a restart
 * with nothing, eviction, two stores that both served.
 *
 * Each ask says what its process saw last. If that is of another run of the store, or from before
 * this state began, or of a higher version than the state ever had, the state may lack something.
 * Then it is held to what the process saw: no more than that, refilled from then to now, less what
 * was taken here since. If nothing was lost this changes nothing: the state is what the process
 * saw, refilled, less what everybody took. What others gave back meanwhile is the exception; it is
 * lost then, once.
 *
 * What is out, and the entries of a log, may rightly have become less since the process looked. So
 * they are taken over only if the version proves a loss.
 *
 * A loss that nobody saw cannot be made good: what was granted then, and in no later answer's
 * numbers, may be granted again. */
#include <stdbool.h>

#include "sliding.h"
#include "store_key.h"

/* A process that has seen the key says when, and in which run. */
static bool has_seen(const struct weir_ask *ask)
{
    return ask->version_seen != 0 && ask->run_seen != 0;
}

void lost_begin(struct weir_store_key *state, const struct weir_ask *ask, uint64_t now_us,
                const struct weir_store_run *run)
{
    const struct weir_plan *plan = &ask->plan;
    const uint64_t leases_us = 2 * plan->lease_period_us + WEIR_FLIGHT_US_MAX;

    weir_store_key_init(state, &ask->key, plan, now_us, plan->capacity_units);
    /* leases of a run before this one may be out: those who know come and say so meanwhile */
    if (!has_seen(ask) && now_us < run->started_us + leases_us && !is_unlimited(state)) {
        state->grace_until_us = now_us + lesser(plan->trickle_period_us, WEIR_GRACE_US);
    }
}

/* What the sender saw, and what became of it since. */
struct view {
    const struct weir_ask *ask;
    const struct weir_plan *plan;
    int64_t taken_units; /* here, and not in what it saw */
    bool lost;           /* surely */
};

static bool take_over_tokens(struct weir_store_key *state, const struct view *view, uint64_t now_us)
{
    const struct weir_plan *plan = view->plan;
    const uint64_t elapsed_us = saturating_sub(now_us, view->ask->seen_us);
    uint64_t carry;

    if (plan->rate_units != 0 && elapsed_us >= (WEIR_EXACT_MAX - 1) / plan->rate_units) {
        return false; /* so long ago that it says nothing */
    }
    const uint64_t seen = lesser(view->ask->remaining_seen_units, plan->capacity_units) +
                          bucket_accrued_units(plan, elapsed_us, &carry);
    const int64_t left = (int64_t)seen - view->taken_units;
    const uint64_t most = left > 0 ? (uint64_t)left : 0;
    if (most >= state->tokens) {
        return false;
    }
    state->tokens = most;
    state->carry = carry;
    return true;
}

static bool take_over_bucket(struct weir_store_key *state, const struct view *view, uint64_t now_us)
{
    const uint64_t seen_out = view->ask->outstanding_seen_units;
    const uint64_t out = weir_store_key_out(state);
    /* of the last lease that is in it */
    const uint64_t end_us = bucket_lease_end_us(&view->ask->key, view->plan, view->ask->seen_us);
    bool changed = take_over_tokens(state, view, now_us);

    if (view->lost && seen_out > out && end_us > state->updated_us) {
        state->outstanding[end_us <= state->lease_end_us[0] ? 0 : 1] += seen_out - out;
        state->tokens = lesser(state->tokens, saturating_sub(view->plan->capacity_units, seen_out));
        changed = true;
    }
    return changed;
}

static bool raise_to(uint64_t *units, uint64_t least)
{
    if (least <= *units) {
        return false;
    }
    *units = least;
    return true;
}

static bool take_over_windows(struct weir_store_key *state, const struct view *view)
{
    const struct weir_ask *ask = view->ask;
    const struct weir_plan *plan = view->plan;
    const uint64_t index = period_of(&ask->key, ask->seen_us, plan->window_us);
    const uint64_t into_us =
        (ask->seen_us + weir_key_phase_us(&ask->key, plan->window_us)) % plan->window_us;
    const uint64_t before = lesser(ask->previous_seen_units, window_count_max(plan));
    const uint64_t weighted = plan->algorithm == WEIR_ALGORITHM_SLIDING
                                  ? sliding_weighted_units(plan, before, into_us)
                                  : 0;
    const uint64_t used = saturating_sub(plan->limit_units, ask->remaining_seen_units + weighted);
    const int64_t with_taken = (int64_t)used + view->taken_units;
    bool changed = false;

    if (index == state->window_index) {
        const uint64_t count = with_taken > 0 ? (uint64_t)with_taken : 0;
        changed = raise_to(&state->tokens, lesser(count, window_count_max(plan)));
        if (plan->algorithm == WEIR_ALGORITHM_SLIDING) {
            changed |= raise_to(&state->previous_units, before);
        }
        if (view->lost) {
            changed |= raise_to(&state->outstanding[0],
                                lesser(ask->outstanding_seen_units, state->tokens));
        }
    } else if (index + 1 == state->window_index && plan->algorithm == WEIR_ALGORITHM_SLIDING) {
        changed = raise_to(&state->previous_units, used);
    }
    if (plan->algorithm == WEIR_ALGORITHM_SLIDING) {
        window_weigh(state, &ask->key, plan);
    }
    return changed;
}

/* One entry for all that is missing, which counts for as long as any of it may. */
static bool take_over_log(struct weir_store_key *state, const struct view *view, uint64_t now_us)
{
    const struct weir_plan *plan = view->plan;
    const uint64_t until_us = view->ask->seen_us + plan->window_us + WEIR_FLIGHT_US_MAX;
    const uint64_t used = saturating_sub(plan->limit_units, view->ask->remaining_seen_units);
    const int64_t missing = (int64_t)used + view->taken_units - (int64_t)state->tokens;

    if (!view->lost || missing <= 0 || until_us <= now_us) {
        return false;
    }
    log_add(state, until_us, (uint64_t)missing);
    return true;
}

static bool take_over(struct weir_store_key *state, const struct view *view, uint64_t now_us)
{
    switch ((enum weir_algorithm)view->plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        return take_over_bucket(state, view, now_us);
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
        return take_over_windows(state, view);
    case WEIR_ALGORITHM_LOG:
        return take_over_log(state, view, now_us);
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
    return false;
}

uint32_t lost_take_over(struct weir_store_key *state, const struct weir_ask *ask,
                        const struct weir_plan *plan, uint64_t now_us,
                        const struct weir_store_run *run)
{
    if (state->run_id != run->id) {
        state->run_id = run->id;
        state->since_us = now_us;
        state->taken_units = 0;
    }
    state->since_us = lesser(state->since_us, now_us); /* the clock may step back a little */
    const bool lost = ask->version_seen > state->version;
    const bool before = ask->seen_us < state->since_us;

    if (!has_seen(ask) || (!lost && !before && ask->run_seen == run->id)) {
        return 0;
    }
    state->version = greater(state->version, ask->version_seen);
    if (plan->version != ask->plan.version || is_unlimited(state)) {
        return 0; /* what it saw is of another plan */
    }
    const struct view view = {
        .ask = ask,
        .plan = plan,
        .taken_units = before ? state->taken_units : 0,
        .lost = lost,
    };
    return take_over(state, &view, now_us) ? WEIR_ANSWER_DATA_LOST : 0;
}
