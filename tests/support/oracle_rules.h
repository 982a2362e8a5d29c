/* Rules in one line, and oracles that start with them. */
#ifndef WEIR_ORACLE_RULES_H
#define WEIR_ORACLE_RULES_H

#include "oracle.h"
#include "prng.h"

#define RULE_KIND_COUNT 6

static inline struct sim_oracle_rule rule_bucket(uint64_t rate_units, uint64_t period_ns,
                                                 uint64_t capacity_units)
{
    return (struct sim_oracle_rule){.kind = SIM_ORACLE_BUCKET,
                                    .rate_units = rate_units,
                                    .period_ns = period_ns,
                                    .capacity_units = capacity_units};
}

/* window, sliding or log */
static inline struct sim_oracle_rule rule_of_windows(enum sim_oracle_kind kind,
                                                     uint64_t limit_units, uint64_t window_ns,
                                                     uint64_t phase_ns)
{
    return (struct sim_oracle_rule){
        .kind = kind, .limit_units = limit_units, .window_ns = window_ns, .phase_ns = phase_ns};
}

/* unlimited or deleted */
static inline struct sim_oracle_rule rule_without_numbers(enum sim_oracle_kind kind)
{
    return (struct sim_oracle_rule){.kind = kind};
}

static inline void start_bucket(struct sim_oracle *oracle, uint64_t rate_units, uint64_t period_ns,
                                uint64_t capacity_units, uint64_t fill_units)
{
    const struct sim_oracle_rule rule = rule_bucket(rate_units, period_ns, capacity_units);

    sim_oracle_init(oracle, &rule, capacity_units - fill_units);
}

static inline void start_window(struct sim_oracle *oracle, uint64_t limit_units, uint64_t window_ns,
                                uint64_t phase_ns, uint64_t used_units)
{
    const struct sim_oracle_rule rule =
        rule_of_windows(SIM_ORACLE_WINDOW, limit_units, window_ns, phase_ns);

    sim_oracle_init(oracle, &rule, used_units);
}

/* A few periods and windows, so that some rules are alike. */
static inline struct sim_oracle_rule rule_draw(struct sim_prng *prng)
{
    static const uint64_t periods_ns[] = {7, 7, 3};
    static const uint64_t windows_ns[] = {20, 20, 33};
    const uint64_t window_ns = windows_ns[sim_prng_below(prng, 3)];
    const uint64_t limit_units = sim_prng_below(prng, 30);

    return (struct sim_oracle_rule){
        .kind = (enum sim_oracle_kind)sim_prng_below(prng, RULE_KIND_COUNT),
        .rate_units = sim_prng_below(prng, 5),
        .period_ns = periods_ns[sim_prng_below(prng, 3)],
        .capacity_units = limit_units,
        .limit_units = limit_units,
        .window_ns = window_ns,
        .phase_ns = window_ns / 3,
    };
}

#endif
