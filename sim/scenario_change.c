/* Changes of the configuration in mid-run: plans set and deleted, weights of endpoints. */
#include "memory.h"
#include "scenario_sections.h"

enum {
    CHANGES_MAX = 1000,
    OF_PLAN = 1U << 0,
    OF_ENDPOINT = 1U << 1,
};

static const struct sim_key_use change_uses[] = {
    {"at_s", OF_PLAN | OF_ENDPOINT},
    {"plan", OF_PLAN},
    {"to", OF_PLAN},
    {"delete", OF_PLAN},
    {"endpoint", OF_ENDPOINT},
    {"weight_units", OF_ENDPOINT},
    {"spread_ms", OF_PLAN | OF_ENDPOINT},
    {"repeats", OF_PLAN | OF_ENDPOINT},
};

static bool read_times(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct sim_change *change)
{
    const struct sim_decimal_rule at = {
        .key = "at_s", .maximum = (double)scenario->duration_ns / 1e9, .scale = 1e9};
    static const struct sim_decimal_rule spread = {
        .key = "spread_ms", .maximum = 60000, .scale = 1e6, .presence = SIM_OPTIONAL};
    static const struct sim_integer_rule repeats = {
        .key = "repeats", .maximum = 10, .presence = SIM_OPTIONAL};
    struct sim_node at_node = sim_read_member(node, at.key);

    return sim_read_decimal(node, &at, &change->at_ns) &&
           (change->at_ns < scenario->duration_ns ||
            sim_read_refuse(&at_node, "a time before duration_s")) &&
           sim_read_decimal(node, &spread, &change->spread_ns) &&
           sim_read_integer32(node, &repeats, &change->repeats);
}

static bool read_plan_change(const struct sim_node *node, const struct sim_scenario *scenario,
                             struct sim_change *change)
{
    static const char *const keys[] = {"to", "delete"};
    struct sim_node plan = sim_read_member(node, "plan");
    size_t chosen = 0;

    if (!sim_read_keys_of_kind(node, change_uses, sizeof change_uses / sizeof change_uses[0],
                               OF_PLAN, "a change of a plan") ||
        !sim_read_reference(&plan, "plan", scenario->plans, sizeof *scenario->plans,
                            scenario->plan_count, &change->target) ||
        !sim_read_one_of(node, keys, 2, &chosen)) {
        return false;
    }
    struct sim_node action = sim_read_member(node, keys[chosen]);
    if (chosen == 0) {
        change->kind = SIM_CHANGE_PLAN;
        return sim_scenario_read_plan(&action, scenario, SIM_PLAN_OF_A_CHANGE, &change->plan);
    }
    change->kind = SIM_CHANGE_DELETE;
    return json_is_true(action.value) || sim_read_refuse(&action, "true");
}

static bool read_weight_change(const struct sim_node *node, const struct sim_scenario *scenario,
                               struct sim_change *change)
{
    static const struct sim_integer_rule weight = {.key = "weight_units", .maximum = 1000000000};
    struct sim_node endpoint = sim_read_member(node, "endpoint");

    change->kind = SIM_CHANGE_WEIGHT;
    return sim_read_keys_of_kind(node, change_uses, sizeof change_uses / sizeof change_uses[0],
                                 OF_ENDPOINT, "a change of an endpoint") &&
           sim_read_reference(&endpoint, "endpoint", scenario->endpoints,
                              sizeof *scenario->endpoints, scenario->endpoint_count,
                              &change->target) &&
           sim_read_integer32(node, &weight, &change->weight_units);
}

static bool read_change(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct sim_change *change)
{
    static const char *const targets[] = {"plan", "endpoint"};
    size_t chosen = 0;

    if (!sim_read_is_object(node, "an object with at_s and a plan or an endpoint") ||
        !sim_read_keys(node, change_uses, sizeof change_uses / sizeof change_uses[0]) ||
        !sim_read_one_of(node, targets, 2, &chosen) || !read_times(node, scenario, change)) {
        return false;
    }
    return chosen == 0 ? read_plan_change(node, scenario, change)
                       : read_weight_change(node, scenario, change);
}

/* By insertion: changes of the same time keep the order of the file. */
static void sort_by_time(struct sim_change *changes, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct sim_change moved = changes[i];
        size_t place = i;

        for (; place > 0 && changes[place - 1].at_ns > moved.at_ns; place--) {
            changes[place] = changes[place - 1];
        }
        changes[place] = moved;
    }
}

bool sim_scenario_read_changes(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node changes = sim_read_member(root, "changes");

    if (!changes.value) {
        return true;
    }
    if (!sim_read_is_array(&changes, "an array of changes")) {
        return false;
    }
    size_t count = json_array_size(changes.value);
    if (count > CHANGES_MAX) {
        return sim_read_refuse(&changes, "at most %d changes", CHANGES_MAX);
    }
    if (count > 0 && sim_scenario_is_plain(scenario)) {
        return sim_read_refuse(&changes, "no changes with coordination \"%s\"",
                               sim_coordination_names[scenario->coordination]);
    }
    scenario->changes = sim_memory_new(count, sizeof *scenario->changes);
    for (size_t i = 0; i < count; i++) {
        struct sim_node node = sim_read_element(&changes, i);

        if (!read_change(&node, scenario, &scenario->changes[scenario->change_count++])) {
            return false;
        }
    }
    sort_by_time(scenario->changes, count);
    return true;
}
