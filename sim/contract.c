#include "contract.h"

#include <assert.h>

void sim_contract_init_bucket(struct sim_contract *contract, uint64_t rate_units,
                              uint64_t period_ns, uint64_t capacity_units)
{
    assert(period_ns > 0);

    *contract = (struct sim_contract){
        .capacity = capacity_units,
        .rate_units = rate_units,
        .period_ns = period_ns,
    };
    contract->capacity *= period_ns; /* 64 x 64 bits: cannot overflow */
}

void sim_contract_init_window(struct sim_contract *contract, uint64_t limit_units,
                              uint64_t window_ns, uint64_t phase_ns, uint64_t used_units)
{
    assert(phase_ns < window_ns);
    assert(used_units <= limit_units);

    *contract = (struct sim_contract){
        .level = used_units,
        .worst = used_units,
        .capacity = limit_units,
        .period_ns = 1,
        .window_ns = window_ns,
        .phase_ns = phase_ns,
    };
}

/* Lindley's recursion: after it, level is the largest of (spent - rate x t) over all intervals that
 * end at now_ns; an interval that starts before the level touched zero cannot be the worst. */
static void bucket_drain(struct sim_contract *contract, uint64_t now_ns)
{
    __extension__ unsigned __int128 drained = now_ns - contract->updated_ns;

    drained *= contract->rate_units;
    contract->level = drained < contract->level ? contract->level - drained : 0;
}

static void window_enter(struct sim_contract *contract, uint64_t now_ns)
{
    /* floor((now + phase) / window), without the sum, which could overflow */
    uint64_t index = now_ns / contract->window_ns;

    if (now_ns % contract->window_ns >= contract->window_ns - contract->phase_ns) {
        index++;
    }
    if (index != contract->window_index) {
        contract->window_index = index;
        contract->level = 0;
    }
}

void sim_contract_spend(struct sim_contract *contract, uint64_t now_ns, uint64_t cost_units)
{
    assert(now_ns >= contract->updated_ns);
    __extension__ unsigned __int128 cost = cost_units;

    if (contract->window_ns == 0) {
        bucket_drain(contract, now_ns);
    } else {
        window_enter(contract, now_ns);
    }
    cost *= contract->period_ns;
    contract->level += cost;
    assert(contract->level >= cost); /* no overflow: that takes 2^81 units of a daily plan */
    if (contract->level > contract->worst) {
        contract->worst = contract->level;
    }
    contract->updated_ns = now_ns;
}

uint64_t sim_contract_excess_units(const struct sim_contract *contract)
{
    if (contract->worst <= contract->capacity) {
        return 0;
    }

    __extension__ unsigned __int128 excess = contract->worst - contract->capacity;

    excess = (excess - 1) / contract->period_ns + 1;
    return excess < UINT64_MAX ? (uint64_t)excess : UINT64_MAX;
}
