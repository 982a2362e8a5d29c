/* From when to when a fault is in force. */
#include "scenario_fault.h"

/* Kinds whose point is what happens at the end. */
#define NEEDS_AN_END (KIND(STORE_EMPTY) | KIND(PAUSE) | KIND(RETRY) | KIND(CLOCK_SMEAR))

/* They begin, and no more; or their parameters say when they end. */
#define BEGINS_ONLY (KIND(STORE_FAILOVER) | KIND(CRASH) | KIND(DEPLOY) | KIND(FORK))

static bool read_for(const struct sim_node *node, const struct sim_scenario *scenario,
                     struct fault *fault)
{
    const struct sim_decimal_rule rule = {.key = "for_s",
                                          .maximum = (double)scenario->duration_ns / 1e9,
                                          .scale = 1e9,
                                          .positive = true};
    struct sim_node length = sim_read_member(node, rule.key);
    uint64_t length_ns = 0;

    if (!sim_read_decimal(node, &rule, &length_ns)) {
        return false;
    }
    fault->until_ns = fault->from_ns + length_ns;
    return fault->until_ns <= scenario->duration_ns ||
           sim_read_refuse(&length, "from_s + for_s no later than duration_s");
}

static bool read_until(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    const struct sim_decimal_rule rule = {
        .key = "until_s", .maximum = (double)scenario->duration_ns / 1e9, .scale = 1e9};
    struct sim_node until = sim_read_member(node, rule.key);

    return sim_read_decimal(node, &rule, &fault->until_ns) &&
           (fault->until_ns > fault->from_ns || sim_read_refuse(&until, "a time after from_s"));
}

static bool read_end(const struct sim_node *node, const struct sim_scenario *scenario,
                     struct fault *fault)
{
    static const char *const keys[] = {"for_s", "until_s"};
    const bool needs_an_end = (NEEDS_AN_END & sim_kind_of(fault)) != 0;
    struct sim_node length = sim_read_member(node, keys[0]);
    struct sim_node until = sim_read_member(node, keys[1]);
    size_t chosen = 0;

    fault->until_ns = scenario->duration_ns;
    if (!length.value && !until.value && !needs_an_end) {
        return true;
    }
    if (!sim_read_one_of(node, keys, 2, &chosen) ||
        !(chosen == 0 ? read_for(node, scenario, fault) : read_until(node, scenario, fault))) {
        return false;
    }
    return !needs_an_end || fault->until_ns < scenario->duration_ns ||
           sim_read_refuse(chosen == 0 ? &length : &until,
                           "an end before duration_s, for what comes then to be seen");
}

bool sim_scenario_read_fault_span(const struct sim_node *node, const struct sim_scenario *scenario,
                                  struct fault *fault)
{
    const struct sim_decimal_rule rule = {
        .key = "from_s", .maximum = (double)scenario->duration_ns / 1e9, .scale = 1e9};
    struct sim_node from = sim_read_member(node, rule.key);

    if (!sim_read_decimal(node, &rule, &fault->from_ns)) {
        return false;
    }
    if (fault->from_ns >= scenario->duration_ns) {
        return sim_read_refuse(&from, "a time before duration_s");
    }
    if ((BEGINS_ONLY & sim_kind_of(fault)) != 0) {
        fault->until_ns = fault->from_ns + 1;
        return true;
    }
    return read_end(node, scenario, fault);
}
