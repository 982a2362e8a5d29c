/* How requests are spread over processes. */
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "scenario_sections.h"

enum {
    KIND_FLIP = SIM_BALANCE_STICKY + 1,
    KIND_COUNT,
    KIND_TEXT_SIZE = 40,
};

static const char *const kind_names[KIND_COUNT] = {
    [SIM_BALANCE_UNIFORM] = "uniform",
    [SIM_BALANCE_ZIPF] = "zipf",
    [SIM_BALANCE_WEIGHTS] = "weights",
    [SIM_BALANCE_STICKY] = "sticky",
    [KIND_FLIP] = "flip",
};

static const struct sim_key_use balance_uses[] = {
    {"kind", ~0U},
    {"exponent", 1U << SIM_BALANCE_ZIPF},
    {"first_process", 1U << SIM_BALANCE_ZIPF | 1U << SIM_BALANCE_STICKY},
    {"weights", 1U << SIM_BALANCE_WEIGHTS},
    {"processes", 1U << SIM_BALANCE_STICKY},
    {"at_s", 1U << KIND_FLIP},
    {"before", 1U << KIND_FLIP},
    {"after", 1U << KIND_FLIP},
};

static bool read_kind(const struct sim_node *node, size_t kind_count, size_t *kind)
{
    const struct sim_choice_rule rule = {
        .key = "kind", .names = kind_names, .name_count = kind_count};
    const size_t use_count = sizeof balance_uses / sizeof balance_uses[0];
    char kind_text[KIND_TEXT_SIZE];

    if (!sim_read_is_object(node, "an object with a kind") ||
        !sim_read_keys(node, balance_uses, use_count) || !sim_read_choice(node, &rule, kind)) {
        return false;
    }
    (void)snprintf(kind_text, sizeof kind_text, "kind \"%s\"", kind_names[*kind]);
    return sim_read_keys_of_kind(node, balance_uses, use_count, 1U << *kind, kind_text);
}

bool sim_scenario_read_weights(const struct sim_node *weights, uint32_t process_count,
                               uint64_t **in_ppm)
{
    static const struct sim_decimal_rule weight = {.maximum = 1e9, .scale = 1e6};
    uint64_t sum = 0;

    if (!sim_read_is_array(weights, "an array with a number for each process")) {
        return false;
    }
    if (json_array_size(weights->value) != process_count) {
        return sim_read_fail(weights, "found %zu weights; allowed: exactly %lu, one per process",
                             json_array_size(weights->value), (unsigned long)process_count);
    }
    *in_ppm = sim_memory_new(process_count, sizeof **in_ppm);
    for (uint32_t i = 0; i < process_count; i++) {
        struct sim_node element = sim_read_element(weights, i);

        if (!sim_read_decimal_value(&element, &weight, &(*in_ppm)[i])) {
            return false;
        }
        sum += (*in_ppm)[i];
    }
    return sum > 0 ||
           sim_read_fail(weights, "found a sum of 0; allowed: at least one weight above 0");
}

/* One rule: any kind but a flip. */
static bool read_rule(const struct sim_node *node, uint32_t process_count, size_t kind,
                      struct sim_balance_rule *rule)
{
    static const struct sim_decimal_rule exponent = {.key = "exponent",
                                                     .maximum = 5,
                                                     .scale = 1e6,
                                                     .presence = SIM_OPTIONAL,
                                                     .fallback = 1100000};
    const struct sim_integer_rule first = {
        .key = "first_process", .maximum = process_count - 1, .presence = SIM_OPTIONAL};
    const struct sim_integer_rule processes = {
        .key = "processes", .minimum = 1, .maximum = process_count};

    struct sim_node weights;

    rule->kind = (enum sim_balance_kind)kind;
    switch (rule->kind) {
    case SIM_BALANCE_UNIFORM:
        return true;
    case SIM_BALANCE_ZIPF:
        return sim_read_decimal32(node, &exponent, &rule->exponent_ppm) &&
               sim_read_integer32(node, &first, &rule->first_process);
    case SIM_BALANCE_WEIGHTS:
        weights = sim_read_member(node, "weights");
        return sim_scenario_read_weights(&weights, process_count, &rule->weights);
    case SIM_BALANCE_STICKY:
        return sim_read_integer32(node, &processes, &rule->process_count) &&
               sim_read_integer32(node, &first, &rule->first_process);
    }
    return false;
}

static bool read_half(const struct sim_node *flip, const char *key, uint32_t process_count,
                      struct sim_balance_rule *rule)
{
    struct sim_node node = sim_read_member(flip, key);
    size_t kind = SIM_BALANCE_UNIFORM;

    return read_kind(&node, KIND_FLIP, &kind) && read_rule(&node, process_count, kind, rule);
}

bool sim_scenario_read_balance(const struct sim_node *node, const struct sim_scenario *scenario,
                               struct sim_balance *balance)
{
    static const struct sim_decimal_rule at = {.key = "at_s", .maximum = 86400, .scale = 1e9};
    size_t kind = SIM_BALANCE_UNIFORM;

    balance->flip_ns = UINT64_MAX;
    if (!read_kind(node, KIND_COUNT, &kind)) {
        return false;
    }
    if (kind != KIND_FLIP) {
        return read_rule(node, scenario->process_count, kind, &balance->before);
    }
    return sim_read_decimal(node, &at, &balance->flip_ns) &&
           read_half(node, "before", scenario->process_count, &balance->before) &&
           read_half(node, "after", scenario->process_count, &balance->after);
}

static void copy_weights(const struct sim_scenario *scenario, struct sim_balance_rule *rule)
{
    const uint64_t *weights = rule->weights;

    if (weights) {
        rule->weights = sim_memory_new(scenario->process_count, sizeof *rule->weights);
        memcpy(rule->weights, weights, scenario->process_count * sizeof *weights);
    }
}

void sim_scenario_copy_balance(const struct sim_scenario *scenario,
                               const struct sim_balance *balance, struct sim_balance *copy)
{
    *copy = *balance;
    copy_weights(scenario, &copy->before);
    copy_weights(scenario, &copy->after);
}
