#include "balancer.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "memory.h"

static void weights_init(struct sim_weighted *weighted, const uint64_t *weights_ppm, uint32_t count)
{
    double *weights = sim_memory_new(count, sizeof *weights);

    for (uint32_t i = 0; i < count; i++) {
        weights[i] = (double)weights_ppm[i];
    }
    sim_weighted_init(weighted, weights, count);
    free(weights);
}

static void rule_init(struct sim_weighted *weighted, const struct sim_balance_rule *rule,
                      uint32_t process_count)
{
    switch (rule->kind) {
    case SIM_BALANCE_UNIFORM:
        break;
    case SIM_BALANCE_ZIPF:
        sim_weighted_init_zipf(weighted, process_count, rule->exponent_ppm);
        break;
    case SIM_BALANCE_WEIGHTS:
        weights_init(weighted, rule->weights, process_count);
        break;
    case SIM_BALANCE_STICKY:
        assert(rule->process_count >= 1);
        assert(rule->process_count <= process_count);
        break;
    }
}

void sim_balancer_init(struct sim_balancer *balancer, const struct sim_balance *balance,
                       uint32_t process_count, const char *population_name)
{
    assert(process_count > 0);

    *balancer = (struct sim_balancer){
        .balance = balance,
        .name_hash = sim_prng_hash_text(population_name),
        .process_count = process_count,
    };
    rule_init(&balancer->before, &balance->before, process_count);
    if (balance->flip_ns != UINT64_MAX) {
        rule_init(&balancer->after, &balance->after, process_count);
    }
}

void sim_balancer_deinit(struct sim_balancer *balancer)
{
    sim_weighted_deinit(&balancer->before);
    sim_weighted_deinit(&balancer->after);
}

/* The process `offset` places after the rule's first one, around the ring. */
static uint32_t process_at(const struct sim_balancer *balancer, const struct sim_balance_rule *rule,
                           uint64_t offset)
{
    uint64_t process_count = balancer->process_count;

    return (uint32_t)((offset % process_count + rule->first_process) % process_count);
}

uint32_t sim_balancer_choose(const struct sim_balancer *balancer, struct sim_prng *prng,
                             uint64_t time_ns, uint32_t key_index)
{
    bool is_before = time_ns < balancer->balance->flip_ns;
    const struct sim_balance_rule *rule =
        is_before ? &balancer->balance->before : &balancer->balance->after;
    const struct sim_weighted *weighted = is_before ? &balancer->before : &balancer->after;
    uint64_t home;

    switch (rule->kind) {
    case SIM_BALANCE_UNIFORM:
        break;
    case SIM_BALANCE_ZIPF:
        return process_at(balancer, rule, sim_weighted_draw(weighted, prng));
    case SIM_BALANCE_WEIGHTS:
        return sim_weighted_draw(weighted, prng);
    case SIM_BALANCE_STICKY:
        home = sim_prng_mix(balancer->name_hash ^ sim_prng_mix(key_index));
        home %= balancer->process_count;
        return process_at(balancer, rule, home + sim_prng_below(prng, rule->process_count));
    }
    return (uint32_t)sim_prng_below(prng, balancer->process_count);
}
