/* The store's clock steps back.
 *
 * By two seconds or less: the key waits, as if no time had passed, until the clock is there again.
 * By more, waiting would lock the customer out for as long as the clock was wrong. So the key goes
 * back with the clock: every instant in its state moves by the same time, and what was used, is out
 * or is owed stays what it was. Nothing is refilled by the step, no window begins by it.
 *
 * A clock that went back often returns (stepped_us remembers by how much it went). A step forward
 * by as much, or almost, is taken for the return: the instants move back to where they were, and
 * only what is left of it counts as time that passed. A clock that swings to and fro so refills
 * nothing twice. If it was no return, but a key that nobody asked for so long, that costs the
 * refill of stepped_us, once.
 *
 * Leases are named by their end, as the clock said it. After a step shorter than a lease they keep
 * it: they count as out a little longer, and names stay what they were. After a longer one their
 * ends move with the rest; their names are then later than that of any lease of now, until they
 * would have ended.
 *
 * Windows are counted by their number. While the clock is in the window before, the count stands
 * and waits: it is of the window that true time is in, or the next. From two windows on the key
 * goes back by whole windows and takes its count with it. */
#include "store_key.h"
#include "weir/assert.h"

/* What the clock lacks up to this is waited for. Steps are seen no more exactly than this. */
#define SLACK_US UINT64_C(2000000)

static void move_back(uint64_t *instant_us, uint64_t by_us)
{
    *instant_us = saturating_sub(*instant_us, by_us);
}

static void move_forward(uint64_t *instant_us, uint64_t by_us)
{
    if (*instant_us != 0) { /* else it stands for "never" */
        *instant_us += by_us;
    }
}

static int counts_by_windows(const struct weir_store_key *state)
{
    return state->in_force.algorithm == WEIR_ALGORITHM_WINDOW ||
           state->in_force.algorithm == WEIR_ALGORITHM_SLIDING;
}

/* All instants in a state; those of a log's entries, and of share periods, count stepped_us in. */
static void move_all(struct weir_store_key *state, uint64_t by_us, uint64_t leases_by_us,
                     void (*move)(uint64_t *instant_us, uint64_t by_us))
{
    move(&state->updated_us, by_us);
    move(&state->pace_next_us, by_us);
    move(&state->full_us, by_us);
    move(&state->reclaimed_until_us, by_us);
    move(&state->grace_until_us, by_us);
    move(&state->asked_us, by_us);
    move(&state->lease_end_us[0], leases_by_us);
    move(&state->lease_end_us[1], leases_by_us);
    move(&state->left_end_us, leases_by_us);
    move(&state->started_us, leases_by_us);
}

static int is_short(const struct weir_store_key *state, uint64_t by_us)
{
    const struct weir_plan plan = plan_in_force(state);

    return !counts_by_windows(state) && by_us < 2 * plan.lease_period_us + SLACK_US;
}

/* What has a number by the clock gets the number of its new place. */
static void renumber(struct weir_store_key *state, const struct weir_key *key)
{
    const struct weir_plan plan = plan_in_force(state);

    state->trickle_period = period_of(key, state->updated_us, plan.trickle_period_us);
    if (state->flight_us != 0) {
        state->flight_period = state->updated_us / state->flight_us;
    }
}

static void go_back(struct weir_store_key *state, const struct weir_key *key, uint64_t now_us)
{
    uint64_t by_us = state->updated_us - now_us;

    if (counts_by_windows(state)) {
        const uint64_t index = period_of(key, now_us, state->in_force.window_us);
        if (index + 1 >= state->window_index) {
            return;
        }
        by_us = (state->window_index - index) * state->in_force.window_us;
        state->window_index = index;
    }
    /* the state may have been ahead of the clock, which then went back by less */
    const uint64_t slack_us = counts_by_windows(state) ? 0 : SLACK_US;
    move_all(state, by_us, is_short(state, by_us) ? 0 : by_us - slack_us, move_back);
    move_back(&state->since_us, by_us); /* for good: what was seen meanwhile is of after it */
    state->stepped_us += by_us;
    renumber(state, key);
}

static void return_if_due(struct weir_store_key *state, const struct weir_key *key, uint64_t now_us)
{
    uint64_t by_us = state->stepped_us;

    if (counts_by_windows(state)) {
        const uint64_t window_us = state->in_force.window_us;
        const uint64_t windows = state->stepped_us / window_us;
        if (windows == 0 || period_of(key, now_us, window_us) + 1 < state->window_index + windows) {
            return;
        }
        by_us = windows * window_us;
        state->window_index += windows;
    } else if (now_us + SLACK_US < state->updated_us + by_us) {
        return;
    }
    move_all(state, by_us, is_short(state, by_us) ? 0 : by_us, move_forward);
    state->stepped_us -= by_us;
    renumber(state, key);
}

void stepped_follow(struct weir_store_key *state, const struct weir_key *key, uint64_t now_us)
{
    if (now_us + SLACK_US < state->updated_us) {
        go_back(state, key, now_us);
    } else if (state->stepped_us != 0) {
        return_if_due(state, key, now_us);
    }
}

uint64_t stepped_lease_end_us(const struct weir_store_key *state, uint64_t lease_end_us)
{
    const uint8_t algorithm = state->in_force.algorithm;

    if (lease_end_us <= state->left_end_us || algorithm == WEIR_ALGORITHM_LOG ||
        algorithm == WEIR_ALGORITHM_UNLIMITED) {
        return lease_end_us;
    }
    if (lease_end_us > state->lease_end_us[1]) { /* of before the step */
        lease_end_us = saturating_sub(lease_end_us, state->stepped_us);
    }
    if (lease_end_us > state->lease_end_us[1]) {
        return 0;
    }
    if (state->stepped_us == 0 || algorithm != WEIR_ALGORITHM_BUCKET) {
        return lease_end_us;
    }
    /* it was over when the clock stepped back, which does not bring it to life */
    const struct weir_plan plan = plan_in_force(state);
    return lease_end_us + plan.lease_period_us <= state->lease_end_us[0] ? 0 : lease_end_us;
}
