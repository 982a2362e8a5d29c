/* Who asks and for what: endpoints, and populations of keys. */
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "scenario_sections.h"

enum {
    KEYS_MAX = 5000000, /* of one population */
    KEYS_TOTAL_MAX = 20 * KEYS_MAX,
    SHARES_PPM = 1000000,
};

bool sim_scenario_read_endpoints(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {{"weight_units", 1}};
    static const struct sim_integer_rule weight = {.key = "weight_units", .maximum = 1000000000};
    struct sim_node endpoints = sim_read_member(root, "endpoints");
    const char *name;
    json_t *value;

    if (!endpoints.value) {
        return true;
    }
    if (!sim_read_is_object(&endpoints, "an object with an entry for each endpoint")) {
        return false;
    }
    scenario->endpoints =
        sim_memory_new(json_object_size(endpoints.value), sizeof *scenario->endpoints);
    json_object_foreach(endpoints.value, name, value)
    {
        struct sim_node node = sim_read_member(&endpoints, name);
        struct sim_endpoint *endpoint = &scenario->endpoints[scenario->endpoint_count++];

        if (!sim_read_entry_name(&node, endpoint->name) ||
            !sim_read_is_object(&node, "an object with weight_units") ||
            !sim_read_keys(&node, uses, 1) ||
            !sim_read_integer32(&node, &weight, &endpoint->weight_units)) {
            return false;
        }
    }
    return true;
}

/* Turn the shares, as micros of whatever the file counted in, into parts per million that sum to
 * exactly one million: each gets what the rounded running total gains. */
static void normalise_shares(struct sim_endpoint_share *mix, const uint64_t *micros, size_t count,
                             uint64_t sum)
{
    uint64_t running = 0;
    uint32_t given_ppm = 0;

    for (size_t i = 0; i < count; i++) {
        running += micros[i];
        uint32_t total_ppm = (uint32_t)llround((double)running / (double)sum * (double)SHARES_PPM);
        mix[i].share_ppm = total_ppm - given_ppm;
        given_ppm = total_ppm;
    }
}

static bool read_shares(const struct sim_node *mix, const struct sim_scenario *scenario,
                        struct sim_population *population, uint64_t *micros)
{
    static const struct sim_decimal_rule share = {.maximum = 1e9, .scale = 1e6};
    uint64_t sum = 0;
    size_t count = 0;
    const char *name;
    json_t *value;

    json_object_foreach(mix->value, name, value)
    {
        struct sim_node node = sim_read_member(mix, name);

        if (!sim_read_reference_text(&node, name, "endpoint", scenario->endpoints,
                                     sizeof *scenario->endpoints, scenario->endpoint_count,
                                     &population->mix[count].endpoint) ||
            !sim_read_decimal_value(&node, &share, &micros[count])) {
            return false;
        }
        sum += micros[count++];
    }
    if (sum == 0) {
        return sim_read_fail(mix, "found shares that sum to 0; allowed: at least one above 0");
    }
    normalise_shares(population->mix, micros, count, sum);
    population->mix_count = count;
    return true;
}

static bool read_mix(const struct sim_node *keys, const struct sim_scenario *scenario,
                     struct sim_population *population)
{
    struct sim_node mix = sim_read_member(keys, "mix");

    if (!mix.value) {
        return true;
    }
    if (!sim_read_is_object(&mix, "an object with a share for each endpoint")) {
        return false;
    }
    size_t count = json_object_size(mix.value);
    uint64_t *micros = sim_memory_new(count, sizeof *micros);
    population->mix = sim_memory_new(count, sizeof *population->mix);
    bool good = read_shares(&mix, scenario, population, micros);
    free(micros);
    return good;
}

static bool read_population(const struct sim_node *node, const struct sim_scenario *scenario,
                            struct sim_population *population)
{
    static const struct sim_key_use uses[] = {
        {"plan", 1}, {"count", 1}, {"popularity_exponent", 1}, {"balance", 1}, {"mix", 1}};
    static const struct sim_integer_rule count = {
        .key = "count", .minimum = 1, .maximum = KEYS_MAX, .presence = SIM_OPTIONAL, .fallback = 1};
    static const struct sim_decimal_rule exponent = {
        .key = "popularity_exponent", .maximum = 3, .scale = 1e6, .presence = SIM_OPTIONAL};

    if (!sim_read_entry_name(node, population->name) ||
        !sim_read_is_object(node, "an object with a plan") ||
        !sim_read_keys(node, uses, sizeof uses / sizeof uses[0])) {
        return false;
    }
    struct sim_node plan = sim_read_member(node, "plan");
    struct sim_node balance = sim_read_member(node, "balance");
    if (!sim_read_reference(&plan, "plan", scenario->plans, sizeof *scenario->plans,
                            scenario->plan_count, &population->plan) ||
        !sim_read_integer32(node, &count, &population->key_count) ||
        !sim_read_decimal32(node, &exponent, &population->zipf_ppm)) {
        return false;
    }
    if (!balance.value) {
        sim_scenario_copy_balance(scenario, &scenario->balance, &population->balance);
    } else if (!sim_scenario_read_balance(&balance, scenario, &population->balance)) {
        return false;
    }
    return read_mix(node, scenario, population);
}

bool sim_scenario_read_keys(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node keys = sim_read_member(root, "keys");
    uint64_t total = 0;
    const char *name;
    json_t *value;

    if (!sim_read_is_object(&keys, "an object with at least one population of keys")) {
        return false;
    }
    if (json_object_size(keys.value) == 0) {
        return sim_read_refuse(&keys, "at least one population of keys");
    }
    scenario->populations =
        sim_memory_new(json_object_size(keys.value), sizeof *scenario->populations);
    json_object_foreach(keys.value, name, value)
    {
        struct sim_node node = sim_read_member(&keys, name);
        struct sim_population *population = &scenario->populations[scenario->population_count++];

        if (!read_population(&node, scenario, population)) {
            return false;
        }
        total += population->key_count;
        if (total > KEYS_TOTAL_MAX) {
            return sim_read_fail(&node, "found more than %d keys in all; allowed: up to that",
                                 KEYS_TOTAL_MAX);
        }
    }
    return true;
}
