#include "contract.h"

#include <assert.h>

/* Of the 128-bit sums below none can overflow while counts of units stay below this. */
#define UNITS_END (UINT64_C(1) << 63)

/* 64 x 64 bits: cannot overflow. */
__extension__ static unsigned __int128 product(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 wide = a;

    return wide * b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* floor((now + phase) / window), without the sum, which could overflow. */
static uint64_t index_of_window(const struct sim_oracle_rule *rule, uint64_t now_ns)
{
    const uint64_t begun = now_ns % rule->window_ns >= rule->window_ns - rule->phase_ns;

    return now_ns / rule->window_ns + begun;
}

/* (previous x (W - e) + current x W) at updated_ns. */
__extension__ static unsigned __int128 weighted(const struct sim_contract *contract,
                                                uint64_t previous_units, uint64_t current_units)
{
    const struct sim_oracle_rule *rule = &contract->rule;
    __extension__ unsigned __int128 end_ns = product(contract->window_index + 1, rule->window_ns);

    end_ns -= rule->phase_ns;
    return product(previous_units, (uint64_t)(end_ns - contract->updated_ns)) +
           product(current_units, rule->window_ns);
}

static void begin(struct sim_contract *contract, const struct sim_oracle_rule *rule,
                  uint64_t now_ns, uint64_t used_units)
{
    contract->rule = *rule;
    contract->updated_ns = now_ns;
    contract->units = used_units;
    contract->previous_units = 0;
    contract->carried_units = used_units;
    contract->carried_previous_units = 0;
    contract->carried_count = 0;
    sim_recent_clear(&contract->recent);
    switch (rule->kind) {
    case SIM_ORACLE_BUCKET:
        assert(rule->period_ns > 0);
        contract->level = product(
            used_units < rule->capacity_units ? used_units : rule->capacity_units, rule->period_ns);
        break;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        assert(rule->phase_ns < rule->window_ns);
        contract->window_index = index_of_window(rule, now_ns);
        break;
    case SIM_ORACLE_LOG:
        assert(rule->window_ns > 0);
        sim_recent_add(&contract->recent, now_ns, used_units);
        contract->carried_count = contract->recent.count;
        break;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
}

void sim_contract_init(struct sim_contract *contract, const struct sim_oracle_rule *rule,
                       uint64_t used_units)
{
    assert((rule->kind != SIM_ORACLE_WINDOW && rule->kind != SIM_ORACLE_SLIDING &&
            rule->kind != SIM_ORACLE_LOG) ||
           used_units <= rule->limit_units);

    *contract = (struct sim_contract){.worst_units = 0, .kind = rule->kind};
    begin(contract, rule, 0, used_units);
}

void sim_contract_deinit(struct sim_contract *contract)
{
    sim_recent_deinit(&contract->recent);
}

/* Lindley's recursion: after it, level is the largest of (spent - rate x t) over all intervals that
 * end at now_ns; an interval that starts before the level touched zero cannot be the worst. */
static void bucket_drain(struct sim_contract *contract, uint64_t now_ns)
{
    __extension__ unsigned __int128 drained =
        product(now_ns - contract->updated_ns, contract->rule.rate_units);

    contract->level = drained < contract->level ? contract->level - drained : 0;
}

static void windows_enter(struct sim_contract *contract, uint64_t now_ns)
{
    const uint64_t index = index_of_window(&contract->rule, now_ns);
    const uint64_t passed = index - contract->window_index;

    if (passed == 0) {
        return;
    }
    contract->previous_units = passed == 1 ? contract->units : 0;
    contract->carried_previous_units = passed == 1 ? contract->carried_units : 0;
    contract->units = 0;
    contract->carried_units = 0;
    contract->window_index = index;
}

static void log_forget(struct sim_contract *contract, uint64_t now_ns)
{
    while (contract->recent.count != 0) {
        const struct sim_recent_entry *oldest = sim_recent_at(&contract->recent, 0);
        if (now_ns - oldest->time_ns < contract->rule.window_ns) {
            break;
        }
        if (contract->carried_count != 0) {
            contract->carried_units -= oldest->units;
            contract->carried_count--;
        }
        sim_recent_drop_oldest(&contract->recent);
    }
}

static void advance(struct sim_contract *contract, uint64_t now_ns)
{
    assert(now_ns >= contract->updated_ns);

    switch (contract->rule.kind) {
    case SIM_ORACLE_BUCKET:
        bucket_drain(contract, now_ns);
        break;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        windows_enter(contract, now_ns);
        break;
    case SIM_ORACLE_LOG:
        log_forget(contract, now_ns);
        break;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
    contract->updated_ns = now_ns;
}

/* Level above what the rule allows now, in whole units. */
static uint64_t excess_now_units(const struct sim_contract *contract)
{
    const struct sim_oracle_rule *rule = &contract->rule;
    __extension__ unsigned __int128 level = 0;
    __extension__ unsigned __int128 allowed = 0;
    uint64_t divisor = 1;

    switch (contract->kind) {
    case SIM_ORACLE_BUCKET:
        level = contract->level;
        allowed = product(rule->capacity_units, rule->period_ns);
        divisor = rule->period_ns;
        break;
    case SIM_ORACLE_WINDOW:
        level = contract->units;
        allowed = larger(rule->limit_units, contract->carried_units);
        break;
    case SIM_ORACLE_SLIDING: {
        __extension__ unsigned __int128 carried =
            weighted(contract, contract->carried_previous_units, contract->carried_units);
        level = weighted(contract, contract->previous_units, contract->units);
        allowed = product(rule->limit_units, rule->window_ns);
        allowed = carried > allowed ? carried : allowed;
        divisor = rule->window_ns;
        break;
    }
    case SIM_ORACLE_LOG:
        level = contract->recent.units;
        allowed = larger(rule->limit_units, contract->carried_units);
        break;
    case SIM_ORACLE_DELETED:
        level = contract->illicit_units;
        break;
    case SIM_ORACLE_UNLIMITED:
        break;
    }
    if (level <= allowed) {
        return 0;
    }
    level = (level - allowed - 1) / divisor + 1;
    return level < UINT64_MAX ? (uint64_t)level : UINT64_MAX;
}

void sim_contract_spend(struct sim_contract *contract, uint64_t now_ns, uint64_t cost_units)
{
    advance(contract, now_ns);
    switch (contract->kind) {
    case SIM_ORACLE_BUCKET: {
        __extension__ unsigned __int128 cost = product(cost_units, contract->rule.period_ns);
        contract->level += cost;
        assert(contract->level >= cost); /* no overflow: that takes 2^81 units of a daily plan */
        break;
    }
    case SIM_ORACLE_LOG:
        sim_recent_add(&contract->recent, now_ns, cost_units);
        break;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        assert(cost_units < UNITS_END - contract->units);
        contract->units += cost_units;
        break;
    case SIM_ORACLE_DELETED:
        assert(cost_units < UNITS_END - contract->illicit_units);
        contract->illicit_units += cost_units;
        break;
    case SIM_ORACLE_UNLIMITED:
        break;
    }
    contract->worst_units = larger(contract->worst_units, excess_now_units(contract));
}

/* What the rule holds against the customer, in whole units, rounded up. */
static uint64_t used_units(const struct sim_contract *contract)
{
    const struct sim_oracle_rule *rule = &contract->rule;
    __extension__ unsigned __int128 used = 0;

    switch (rule->kind) {
    case SIM_ORACLE_BUCKET:
        used = (contract->level + rule->period_ns - 1) / rule->period_ns;
        break;
    case SIM_ORACLE_SLIDING:
        used = weighted(contract, contract->previous_units, contract->units);
        used = (used + rule->window_ns - 1) / rule->window_ns;
        break;
    case SIM_ORACLE_WINDOW:
        used = contract->units;
        break;
    case SIM_ORACLE_LOG:
        used = contract->recent.units;
        break;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
    assert(used < UNITS_END);
    return (uint64_t)used;
}

void sim_contract_change(struct sim_contract *contract, uint64_t now_ns,
                         const struct sim_oracle_rule *rule)
{
    advance(contract, now_ns);
    contract->kind = rule->kind;
    if (rule->kind == SIM_ORACLE_UNLIMITED || rule->kind == SIM_ORACLE_DELETED) {
        contract->illicit_units = 0;
        return;
    }
    if (!sim_oracle_counts_alike(&contract->rule, rule)) {
        begin(contract, rule, now_ns, used_units(contract));
        return;
    }
    contract->rule = *rule;
    switch (rule->kind) {
    case SIM_ORACLE_BUCKET: {
        __extension__ unsigned __int128 capacity = product(rule->capacity_units, rule->period_ns);
        contract->level = contract->level < capacity ? contract->level : capacity;
        break;
    }
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        contract->carried_units = contract->units;
        contract->carried_previous_units = contract->previous_units;
        break;
    case SIM_ORACLE_LOG:
        contract->carried_units = contract->recent.units;
        contract->carried_count = contract->recent.count;
        break;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
}

uint64_t sim_contract_excess_units(const struct sim_contract *contract)
{
    return contract->worst_units;
}
