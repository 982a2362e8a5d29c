/* From one plan to the next: what was spent stays spent. */
#include "store_key.h"
#include "weir/assert.h"

void plan_put_in_force(struct weir_store_key *state, const struct weir_plan *plan)
{
    state->in_force = (struct weir_store_plan){
        .version = plan->version,
        .rate_units = plan->rate_units,
        .rate_period_us = plan->rate_period_us,
        .capacity_units = plan->capacity_units,
        .window_us = plan->window_us,
        .fixed_lease_units = plan->fixed_lease_units,
        .algorithm = plan->algorithm,
        .sizer = plan->sizer,
    };
}

uint64_t newest_version(const struct weir_store_key *state)
{
    return greater(state->in_force.version, state->in_force.unlimited_version);
}

int is_unlimited(const struct weir_store_key *state)
{
    return state->in_force.algorithm == WEIR_ALGORITHM_UNLIMITED ||
           state->in_force.unlimited_version > state->in_force.version;
}

struct weir_plan plan_in_force(const struct weir_store_key *state)
{
    const struct weir_store_plan *in_force = &state->in_force;
    const struct weir_plan_options options = {
        .version = in_force->version,
        .algorithm = (enum weir_algorithm)in_force->algorithm,
        .sizer = (enum weir_sizer)in_force->sizer,
        .rate_units = in_force->rate_units,
        .rate_period_us = in_force->rate_period_us,
        .capacity_units = in_force->capacity_units,
        .window_us = in_force->window_us,
        .fixed_lease_units = in_force->fixed_lease_units,
    };
    struct weir_plan plan;
    const enum weir_status status = weir_plan_make(&plan, &options);

    WEIR_ASSERT(status == WEIR_OK); /* it was made from such a plan */
    return plan;
}

/* What the old plan still holds against the customer, permits that are out included. */
static uint64_t used_units(const struct weir_store_key *state, const struct weir_plan *old)
{
    switch ((enum weir_algorithm)old->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        return saturating_sub(old->capacity_units, state->tokens);
    case WEIR_ALGORITHM_SLIDING:
        return state->weighted_units + state->tokens;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_LOG:
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
    return state->tokens;
}

void forget_left(struct weir_store_key *state)
{
    if (state->updated_us >= state->left_end_us) {
        state->left_units = 0;
        state->owed_units = 0;
    }
}

/* A bucket is at most empty, so that a smaller one does not hold all that was used against the
 * customer. What it does not must not be credited either when it comes back unspent: else permits
 * that are out would fill a bucket that what was really spent had emptied. */
static void owe(struct weir_store_key *state, const struct weir_plan *plan, uint64_t used)
{
    const uint64_t out = state->outstanding[0] + state->outstanding[1] + state->left_units;

    state->owed_units = lesser(state->owed_units + saturating_sub(used, plan->capacity_units), out);
    state->left_end_us = greater(state->left_end_us, state->lease_end_us[1]);
}

static void change_bucket(struct weir_store_key *state, const struct weir_key *key,
                          const struct weir_plan *old, const struct weir_plan *plan, uint64_t used,
                          uint64_t now_us)
{
    if (old->rate_period_us != plan->rate_period_us || used > plan->capacity_units) {
        state->carry = 0;
    }
    state->tokens = saturating_sub(plan->capacity_units, used);
    state->debt_units = lesser(state->debt_units, plan->capacity_units);
    owe(state, plan, used);
    if (old->lease_period_us == plan->lease_period_us &&
        old->trickle_period_us == plan->trickle_period_us) {
        return;
    }
    bucket_end_trickles(state);
    /* the leases that are out end when they were told, before the first new ones */
    if (state->outstanding[1] != 0) {
        state->outstanding[0] += state->outstanding[1];
        state->outstanding[1] = 0;
        state->lease_end_us[0] = state->lease_end_us[1];
    }
    state->lease_end_us[1] =
        greater(bucket_lease_end_us(key, plan, now_us), state->lease_end_us[0]);
    state->trickle_period = period_of(key, now_us, plan->trickle_period_us);
}

void start_algorithm(struct weir_store_key *state, const struct weir_key *key,
                     const struct weir_plan *plan, uint64_t now_us, uint64_t used)
{
    state->tokens = used;
    switch ((enum weir_algorithm)plan->algorithm) {
    case WEIR_ALGORITHM_BUCKET:
        state->tokens = saturating_sub(plan->capacity_units, used);
        bucket_start(state, key, plan, now_us);
        break;
    case WEIR_ALGORITHM_WINDOW:
    case WEIR_ALGORITHM_SLIDING:
        window_start(state, key, plan, now_us);
        break;
    case WEIR_ALGORITHM_LOG:
        state->tokens = 0;
        if (used != 0) {
            log_add(state, now_us + plan->window_us, used);
        }
        break;
    case WEIR_ALGORITHM_UNLIMITED:
        break;
    }
}

/* To another algorithm, or to windows of another length. */
static void start_again(struct weir_store_key *state, const struct weir_key *key,
                        const struct weir_plan *old, const struct weir_plan *plan, uint64_t used,
                        uint64_t now_us)
{
    if (old->algorithm == WEIR_ALGORITHM_BUCKET) {
        bucket_end_trickles(state);
        used += state->debt_units;
        state->debt_units = 0;
    }
    if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        owe(state, plan, used);
    }
    state->left_end_us = greater(state->left_end_us, state->lease_end_us[1]);
    state->left_units += state->outstanding[0] + state->outstanding[1];
    if (old->algorithm == WEIR_ALGORITHM_LOG) {
        state->owed_units = state->left_units; /* from before it, and it may have forgotten them */
    }
    state->started_us = now_us;
    state->outstanding[0] = 0; /* part of what was used */
    state->outstanding[1] = 0;
    state->flight[0] = 0;
    state->flight[1] = 0;
    state->carry = 0;
    state->previous_units = 0;
    state->weighted_units = 0;
    state->log_first = 0;
    state->log_count = 0;
    start_algorithm(state, key, plan, now_us, used);
}

void plan_change(struct weir_store_key *state, const struct weir_key *key,
                 const struct weir_plan *plan, uint64_t now_us)
{
    const struct weir_plan old = plan_in_force(state);
    const uint64_t used = used_units(state, &old);

    forget_left(state);
    if (plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
        state->in_force.unlimited_version = plan->version;
        return;
    }

    if (old.algorithm != plan->algorithm ||
        (weir_plan_has_windows(plan) && old.window_us != plan->window_us)) {
        start_again(state, key, &old, plan, used, now_us);
    } else if (plan->algorithm == WEIR_ALGORITHM_BUCKET) {
        change_bucket(state, key, &old, plan, used, now_us);
    }
    plan_put_in_force(state, plan);
}
