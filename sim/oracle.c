#include "oracle.h"

#include <assert.h>

void sim_oracle_init_bucket(struct sim_oracle *oracle, uint64_t rate_units, uint64_t period_ns,
                            uint64_t capacity_units, uint64_t fill_units)
{
    assert(period_ns > 0);
    assert(fill_units <= capacity_units);

    *oracle = (struct sim_oracle){
        .kind = SIM_ORACLE_BUCKET,
        .level = fill_units,
        .capacity = capacity_units,
        .rate_units = rate_units,
        .period_ns = period_ns,
        .full_ns = fill_units == capacity_units ? 0 : UINT64_MAX,
    };
    oracle->level *= period_ns; /* 64 x 64 bits: cannot overflow */
    oracle->capacity *= period_ns;
}

void sim_oracle_init_window(struct sim_oracle *oracle, uint64_t limit_units, uint64_t window_ns,
                            uint64_t phase_ns, uint64_t used_units)
{
    assert(phase_ns < window_ns);
    assert(used_units <= limit_units);

    *oracle = (struct sim_oracle){
        .kind = SIM_ORACLE_WINDOW,
        .window_ns = window_ns,
        .phase_ns = phase_ns,
        .limit_units = limit_units,
        .used_units = used_units,
    };
}

static void bucket_advance(struct sim_oracle *oracle, uint64_t now_ns)
{
    __extension__ unsigned __int128 gain = now_ns - oracle->updated_ns;
    __extension__ unsigned __int128 missing = oracle->capacity - oracle->level;

    gain *= oracle->rate_units;
    if (gain >= missing) {
        oracle->level = oracle->capacity;
        oracle->full_ns = now_ns;
    } else {
        oracle->level += gain;
    }
}

static void window_advance(struct sim_oracle *oracle, uint64_t now_ns)
{
    /* floor((now + phase) / window), without the sum, which could overflow */
    uint64_t index = now_ns / oracle->window_ns;

    if (now_ns % oracle->window_ns >= oracle->window_ns - oracle->phase_ns) {
        index++;
    }
    if (index != oracle->window_index) {
        oracle->window_index = index;
        oracle->used_units = 0;
    }
}

static void advance(struct sim_oracle *oracle, uint64_t now_ns)
{
    assert(now_ns >= oracle->updated_ns);

    switch (oracle->kind) {
    case SIM_ORACLE_BUCKET:
        bucket_advance(oracle, now_ns);
        assert(oracle->level <= oracle->capacity);
        break;
    case SIM_ORACLE_WINDOW:
        window_advance(oracle, now_ns);
        assert(oracle->used_units <= oracle->limit_units);
        break;
    }
    oracle->updated_ns = now_ns;
}

bool sim_oracle_admit(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units)
{
    advance(oracle, now_ns);
    if (oracle->kind == SIM_ORACLE_WINDOW) {
        if (cost_units > oracle->limit_units - oracle->used_units) {
            return false;
        }
        oracle->used_units += cost_units;
        return true;
    }

    __extension__ unsigned __int128 cost = cost_units;

    cost *= oracle->period_ns;
    if (cost > oracle->level) {
        return false;
    }
    oracle->level -= cost;
    return true;
}

uint64_t sim_oracle_remaining_units(struct sim_oracle *oracle, uint64_t now_ns)
{
    advance(oracle, now_ns);
    if (oracle->kind == SIM_ORACLE_WINDOW) {
        return oracle->limit_units - oracle->used_units;
    }
    return (uint64_t)(oracle->level / oracle->period_ns);
}

static uint64_t bucket_retry_ns(const struct sim_oracle *oracle, uint64_t cost_units)
{
    __extension__ unsigned __int128 cost = cost_units;

    cost *= oracle->period_ns;
    if (cost <= oracle->level) {
        return oracle->updated_ns;
    }
    if (cost > oracle->capacity || oracle->rate_units == 0) {
        return UINT64_MAX;
    }
    /* rounded up: at the nanosecond before, something would be missing still */
    __extension__ unsigned __int128 retry_ns = (cost - oracle->level - 1) / oracle->rate_units + 1;

    retry_ns += oracle->updated_ns;
    return retry_ns < UINT64_MAX ? (uint64_t)retry_ns : UINT64_MAX;
}

static uint64_t window_retry_ns(const struct sim_oracle *oracle, uint64_t cost_units)
{
    if (cost_units <= oracle->limit_units - oracle->used_units) {
        return oracle->updated_ns;
    }
    if (cost_units > oracle->limit_units) {
        return UINT64_MAX;
    }
    __extension__ unsigned __int128 end_ns = oracle->window_index;

    end_ns = (end_ns + 1) * oracle->window_ns - oracle->phase_ns;
    return end_ns < UINT64_MAX ? (uint64_t)end_ns : UINT64_MAX;
}

uint64_t sim_oracle_retry_ns(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units)
{
    advance(oracle, now_ns);
    return oracle->kind == SIM_ORACLE_BUCKET ? bucket_retry_ns(oracle, cost_units)
                                             : window_retry_ns(oracle, cost_units);
}

uint64_t sim_oracle_last_full_ns(struct sim_oracle *oracle, uint64_t now_ns)
{
    advance(oracle, now_ns);
    if (oracle->kind == SIM_ORACLE_BUCKET) {
        return oracle->full_ns;
    }
    if (oracle->window_index == 0) {
        return 0;
    }
    return oracle->window_index * oracle->window_ns - oracle->phase_ns;
}
