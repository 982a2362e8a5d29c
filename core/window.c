/* Window and sliding window: units counted in the window they were granted in, which leases do not
 * outlive. tokens is the count of window_index, previous_units that of the window before (sliding
 * only), weighted_units what it counts for at updated_us. */
#include "sliding.h"
#include "store_key.h"
#include "weir/assert.h"

static void set_lease_ends(struct weir_store_key *state, const struct weir_key *key,
                           const struct weir_plan *plan)
{
    const uint64_t end_us = period_start_us(key, state->window_index + 1, plan->window_us);

    state->outstanding[0] = 0;
    state->outstanding[1] = 0;
    state->lease_end_us[0] = end_us;
    state->lease_end_us[1] = end_us;
}

void window_start(struct weir_store_key *state, const struct weir_key *key,
                  const struct weir_plan *plan, uint64_t now_us)
{
    state->window_index = period_of(key, now_us, plan->window_us);
    state->previous_units = 0;
    state->weighted_units = 0;
    set_lease_ends(state, key, plan);
}

void window_weigh(struct weir_store_key *state, const struct weir_key *key,
                  const struct weir_plan *plan)
{
    const uint64_t start_us = period_start_us(key, state->window_index, plan->window_us);
    const uint64_t elapsed_us = saturating_sub(state->updated_us, start_us);

    state->weighted_units =
        sliding_weighted_units(plan, state->previous_units, lesser(elapsed_us, plan->window_us));
}

void window_advance(struct weir_store_key *state, const struct weir_key *key,
                    const struct weir_plan *plan, uint64_t now_us)
{
    const uint64_t index = period_of(key, now_us, plan->window_us);

    state->updated_us = greater(state->updated_us, now_us);
    if (index > state->window_index) {
        state->previous_units = index == state->window_index + 1 ? state->tokens : 0;
        state->window_index = index;
        state->tokens = 0;
        set_lease_ends(state, key, plan);
    }
    if (plan->algorithm == WEIR_ALGORITHM_SLIDING) {
        window_weigh(state, key, plan);
    }
}

void window_give_back(struct weir_store_key *state, const struct weir_key *key,
                      const struct weir_plan *plan, uint64_t lease_end_us, uint64_t units)
{
    const uint64_t start_us = period_start_us(key, state->window_index, plan->window_us);

    if (lease_end_us > start_us && lease_end_us <= state->lease_end_us[0]) {
        state->taken_units -= (int64_t)lesser(state->tokens, units);
        state->tokens = saturating_sub(state->tokens, units);
    } else if (lease_end_us == start_us && plan->algorithm == WEIR_ALGORITHM_SLIDING) {
        state->previous_units = saturating_sub(state->previous_units, units);
        window_weigh(state, key, plan);
    }
}

uint64_t window_count_max(const struct weir_plan *plan)
{
    return plan->algorithm == WEIR_ALGORITHM_SLIDING ? (WEIR_EXACT_MAX - 1) / plan->window_us
                                                     : WEIR_EXACT_MAX - 1;
}

void window_charge(struct weir_store_key *state, const struct weir_ask *ask,
                   const struct weir_plan *plan, uint64_t until_us)
{
    const uint64_t index = period_of(&ask->key, until_us, plan->window_us);
    const uint64_t most = window_count_max(plan);
    const int sliding = plan->algorithm == WEIR_ALGORITHM_SLIDING;
    uint64_t before = 0;

    if (index >= state->window_index) {
        state->tokens = lesser(state->tokens + ask->charge_units, most);
        state->taken_units += ask->charge_units;
        before = ask->charge_before_units;
    } else if (index + 1 == state->window_index) {
        before = ask->charge_units;
    }
    if (sliding) {
        state->previous_units = lesser(state->previous_units + before, most);
        window_weigh(state, &ask->key, plan);
    }
}

uint64_t window_ready_us(const struct weir_store_key *state, const struct weir_key *key,
                         const struct weir_plan *plan, uint64_t least)
{
    const uint64_t start_us = period_start_us(key, state->window_index, plan->window_us);

    if (least > plan->limit_units) {
        return UINT64_MAX;
    }
    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        return start_us + plan->window_us;
    }
    return start_us + sliding_ready_us(plan, state->previous_units, state->tokens, least);
}
