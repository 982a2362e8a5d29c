/* Customers who ask what remains. */
#include "memory.h"
#include "scenario_sections.h"

enum {
    CONNECTIONS_DEFAULT = 2,
};

static bool read_poll(const struct sim_node *node, const struct sim_scenario *scenario,
                      struct sim_poll *poll)
{
    static const struct sim_key_use uses[] = {
        {"keys", 1}, {"every_s", 1}, {"connections", 1}, {"from_s", 1}, {"until_s", 1}};
    static const struct sim_decimal_rule every = {
        .key = "every_s", .minimum = 1e-3, .maximum = 86400, .scale = 1e9};
    const struct sim_integer_rule connections = {
        .key = "connections",
        .minimum = 1,
        .maximum = scenario->process_count,
        .presence = SIM_OPTIONAL,
        .fallback = scenario->process_count < CONNECTIONS_DEFAULT ? scenario->process_count
                                                                  : CONNECTIONS_DEFAULT};

    if (!sim_read_is_object(node, "an object with keys and every_s") ||
        !sim_read_keys(node, uses, sizeof uses / sizeof uses[0])) {
        return false;
    }
    struct sim_node keys = sim_read_member(node, "keys");
    return sim_read_reference(&keys, "population of keys", scenario->populations,
                              sizeof *scenario->populations, scenario->population_count,
                              &poll->population) &&
           sim_read_decimal(node, &every, &poll->every_ns) &&
           sim_read_integer32(node, &connections, &poll->connection_count) &&
           sim_scenario_read_span(node, scenario, &poll->from_ns, &poll->until_ns);
}

bool sim_scenario_read_polls(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node polls = sim_read_member(root, "polls");

    if (!polls.value) {
        return true;
    }
    if (!sim_read_is_array(&polls, "an array of polls")) {
        return false;
    }
    size_t count = json_array_size(polls.value);
    scenario->polls = sim_memory_new(count, sizeof *scenario->polls);
    for (size_t i = 0; i < count; i++) {
        struct sim_node node = sim_read_element(&polls, i);

        if (!read_poll(&node, scenario, &scenario->polls[scenario->poll_count++])) {
            return false;
        }
    }
    return true;
}
