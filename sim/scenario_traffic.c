/* Arrivals: which keys, which pattern, how much and when. */
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "scenario_sections.h"

enum {
    PATTERN_COUNT = 6, /* a trace is not named by "pattern" */
    KIND_TEXT_SIZE = 40,
    NS_PER_S = 1000000000,
};

enum {
    RATED = 1U << SIM_PATTERN_POISSON | 1U << SIM_PATTERN_CONSTANT | 1U << SIM_PATTERN_ON_OFF,
    COUNTED = 1U << SIM_PATTERN_BURST | 1U << SIM_PATTERN_HERD,
};

static const enum sim_pattern patterns[PATTERN_COUNT] = {
    SIM_PATTERN_POISSON, SIM_PATTERN_CONSTANT, SIM_PATTERN_ON_OFF,
    SIM_PATTERN_BURST,   SIM_PATTERN_HERD,     SIM_PATTERN_CLOSED,
};

static const char *const pattern_names[PATTERN_COUNT] = {"poisson", "constant", "on_off",
                                                         "burst",   "herd",     "closed"};

static const struct sim_key_use traffic_uses[] = {
    {"keys", ~0U},
    {"trace", 1U << SIM_PATTERN_TRACE},
    {"pattern", RATED | COUNTED | 1U << SIM_PATTERN_CLOSED},
    {"demand_ratio", RATED},
    {"period_s", 1U << SIM_PATTERN_ON_OFF},
    {"on_fraction", 1U << SIM_PATTERN_ON_OFF},
    {"requests", COUNTED},
    {"spread_ms", COUNTED},
    {"clients", 1U << SIM_PATTERN_CLOSED},
    {"think_ms", 1U << SIM_PATTERN_CLOSED},
    {"from_s", ~0U},
    {"until_s", ~0U},
    {"on_denial", ~0U},
};

static bool read_pattern(const struct sim_node *node, struct sim_traffic_spec *spec)
{
    static const struct sim_choice_rule rule = {.key = "pattern",
                                                .names = pattern_names,
                                                .name_count = PATTERN_COUNT,
                                                .presence = SIM_OPTIONAL};
    const size_t use_count = sizeof traffic_uses / sizeof traffic_uses[0];
    struct sim_node trace = sim_read_member(node, "trace");
    char kind_text[KIND_TEXT_SIZE] = "a trace";
    size_t pattern = 0;

    if (trace.value) {
        spec->pattern = SIM_PATTERN_TRACE;
    } else {
        if (!sim_read_choice(node, &rule, &pattern)) {
            return false;
        }
        spec->pattern = patterns[pattern];
        (void)snprintf(kind_text, sizeof kind_text, "pattern \"%s\"", pattern_names[pattern]);
    }
    return sim_read_keys_of_kind(node, traffic_uses, use_count, 1U << spec->pattern, kind_text);
}

bool sim_scenario_read_span(const struct sim_node *node, const struct sim_scenario *scenario,
                            uint64_t *from_ns, uint64_t *until_ns)
{
    const double duration_s = (double)scenario->duration_ns / NS_PER_S;
    const struct sim_decimal_rule from = {
        .key = "from_s", .maximum = duration_s, .scale = 1e9, .presence = SIM_OPTIONAL};
    const struct sim_decimal_rule until = {.key = "until_s",
                                           .maximum = duration_s,
                                           .scale = 1e9,
                                           .presence = SIM_OPTIONAL,
                                           .fallback = scenario->duration_ns};

    if (!sim_read_decimal(node, &from, from_ns) || !sim_read_decimal(node, &until, until_ns)) {
        return false;
    }
    if (*until_ns > *from_ns) {
        return true;
    }
    struct sim_node until_node = sim_read_member(node, "until_s");
    struct sim_node from_node = sim_read_member(node, "from_s");
    return sim_read_refuse(until_node.value ? &until_node : &from_node,
                           "from_s before until_s (default: duration_s)");
}

/* Herds come once per window and must not overlap. */
static bool check_herd(const struct sim_node *node, const struct sim_scenario *scenario,
                       const struct sim_traffic_spec *spec)
{
    const struct sim_plan *plan = &scenario->plans[scenario->populations[spec->population].plan];
    struct sim_node spread = sim_read_member(node, "spread_ms");

    return spec->pattern != SIM_PATTERN_HERD || spec->spread_ns <= plan->window_us * 1000 ||
           sim_read_refuse(&spread, "at most the window of the keys' plan");
}

/* Demand is a part of the plan's rate, so there must be one. */
static bool read_demand(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct sim_traffic_spec *spec)
{
    static const struct sim_decimal_rule demand = {
        .key = "demand_ratio", .maximum = 1000, .scale = 1e6};
    const struct sim_plan *plan = &scenario->plans[scenario->populations[spec->population].plan];

    return (plan->algorithm != SIM_ALGORITHM_UNLIMITED ||
            sim_read_fail(node, "found demand_ratio, a part of the plan's rate, for an unlimited "
                                "plan; allowed: pattern \"burst\", \"herd\", \"closed\", or a "
                                "trace")) &&
           sim_read_decimal(node, &demand, &spec->demand_ppm);
}

static bool read_clients(const struct sim_node *node, struct sim_traffic_spec *spec)
{
    static const struct sim_integer_rule clients = {
        .key = "clients", .minimum = 1, .maximum = 100000};
    static const struct sim_decimal_rule think = {
        .key = "think_ms", .maximum = 86400e3, .scale = 1e6, .positive = true};

    return sim_read_integer32(node, &clients, &spec->client_count) &&
           sim_read_decimal(node, &think, &spec->think_ns);
}

static bool read_details(const struct sim_node *node, const struct sim_scenario *scenario,
                         struct sim_traffic_spec *spec)
{
    static const struct sim_decimal_rule period = {
        .key = "period_s", .minimum = 1e-3, .maximum = 86400, .scale = 1e9};
    static const struct sim_decimal_rule on = {
        .key = "on_fraction", .maximum = 1, .scale = 1e6, .positive = true};
    static const struct sim_integer_rule requests = {
        .key = "requests", .minimum = 1, .maximum = 1000000000};
    static const struct sim_decimal_rule spread = {
        .key = "spread_ms", .maximum = 86400e3, .scale = 1e6, .presence = SIM_OPTIONAL};
    struct sim_node trace = sim_read_member(node, "trace");

    switch (spec->pattern) {
    case SIM_PATTERN_POISSON:
    case SIM_PATTERN_CONSTANT:
        return read_demand(node, scenario, spec);
    case SIM_PATTERN_ON_OFF:
        return read_demand(node, scenario, spec) &&
               sim_read_decimal(node, &period, &spec->period_ns) &&
               sim_read_decimal32(node, &on, &spec->on_ppm);
    case SIM_PATTERN_BURST:
    case SIM_PATTERN_HERD:
        return sim_read_integer(node, &requests, &spec->request_count) &&
               sim_read_decimal(node, &spread, &spec->spread_ns) &&
               check_herd(node, scenario, spec);
    case SIM_PATTERN_CLOSED:
        return read_clients(node, spec);
    case SIM_PATTERN_TRACE:
        return sim_scenario_read_trace(&trace, scenario, spec);
    }
    return false;
}

static bool read_spec(const struct sim_node *node, const struct sim_scenario *scenario,
                      struct sim_traffic_spec *spec)
{
    if (!sim_read_is_object(node, "an object with keys and a pattern or a trace") ||
        !sim_read_keys(node, traffic_uses, sizeof traffic_uses / sizeof traffic_uses[0])) {
        return false;
    }
    struct sim_node keys = sim_read_member(node, "keys");
    return sim_read_reference(&keys, "population of keys", scenario->populations,
                              sizeof *scenario->populations, scenario->population_count,
                              &spec->population) &&
           read_pattern(node, spec) &&
           sim_scenario_read_span(node, scenario, &spec->from_ns, &spec->until_ns) &&
           sim_scenario_read_denial(node, &spec->on_denial) && read_details(node, scenario, spec);
}

bool sim_scenario_read_traffic(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node traffic = sim_read_member(root, "traffic");
    size_t count = json_is_array(traffic.value) ? json_array_size(traffic.value) : 1;

    if (!json_is_array(traffic.value) && !json_is_object(traffic.value)) {
        return sim_read_refuse(&traffic, "one object, or an array of at least one");
    }
    if (count == 0) {
        return sim_read_refuse(&traffic, "one object, or an array of at least one");
    }
    scenario->traffic = sim_memory_new(count, sizeof *scenario->traffic);
    for (size_t i = 0; i < count; i++) {
        struct sim_node element = sim_read_element(&traffic, i);
        const struct sim_node *node = json_is_array(traffic.value) ? &element : &traffic;

        if (!read_spec(node, scenario, &scenario->traffic[scenario->traffic_count++])) {
            return false;
        }
    }
    return true;
}
