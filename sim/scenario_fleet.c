/* The machines: fleet and store. */
#include <string.h>

#include "memory.h"
#include "scenario_sections.h"

enum {
    REGIONS_MAX = 100,
};

static bool read_clock(const struct sim_node *fleet, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {{"offset_max_ms", 1}, {"drift_max_ppm", 1}};
    static const struct sim_decimal_rule offset = {
        .key = "offset_max_ms", .maximum = 31 * 86400e3, .scale = 1e6, .presence = SIM_OPTIONAL};
    static const struct sim_decimal_rule drift = {
        .key = "drift_max_ppm", .maximum = 100000, .scale = 1e3, .presence = SIM_OPTIONAL};
    struct sim_node clock = sim_read_member(fleet, "clock");

    if (!clock.value) {
        return true;
    }
    return sim_read_is_object(&clock, "an object with offset_max_ms and drift_max_ppm") &&
           sim_read_keys(&clock, uses, sizeof uses / sizeof uses[0]) &&
           sim_read_decimal(&clock, &offset, &scenario->clock_offset_max_ns) &&
           sim_read_decimal32(&clock, &drift, &scenario->clock_drift_max_ppb);
}

static bool read_region(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct sim_region *region)
{
    static const struct sim_key_use uses[] = {{"name", 1}, {"first_process", 1}, {"processes", 1}};
    const struct sim_integer_rule first = {.key = "first_process",
                                           .maximum = scenario->process_count - 1};

    if (!sim_read_is_object(node, "an object with name, first_process and processes") ||
        !sim_read_keys(node, uses, sizeof uses / sizeof uses[0])) {
        return false;
    }
    struct sim_node name = sim_read_member(node, "name");
    if (!sim_read_name(&name, region->name) ||
        !sim_read_integer32(node, &first, &region->first_process)) {
        return false;
    }
    const struct sim_integer_rule processes = {.key = "processes",
                                               .minimum = 1,
                                               .maximum =
                                                   scenario->process_count - region->first_process};
    if (!sim_read_integer32(node, &processes, &region->process_count)) {
        return false;
    }
    for (const struct sim_region *other = scenario->regions; other < region; other++) {
        if (strcmp(other->name, region->name) == 0) {
            return sim_read_refuse(&name, "a name that no region before has");
        }
        if (region->first_process < other->first_process + other->process_count &&
            other->first_process < region->first_process + region->process_count) {
            return sim_read_fail(node, "found processes of an earlier region among its own; "
                                       "allowed: regions that share none");
        }
    }
    return true;
}

static bool read_regions(const struct sim_node *fleet, struct sim_scenario *scenario)
{
    struct sim_node regions = sim_read_member(fleet, "regions");
    const size_t count = json_array_size(regions.value);

    if (!regions.value) {
        return true;
    }
    if (!sim_read_is_array(&regions, "an array of regions")) {
        return false;
    }
    if (count > REGIONS_MAX) {
        return sim_read_refuse(&regions, "at most %d regions", REGIONS_MAX);
    }
    scenario->regions = sim_memory_new(count, sizeof *scenario->regions);
    for (size_t i = 0; i < count; i++) {
        struct sim_node node = sim_read_element(&regions, i);

        if (!read_region(&node, scenario, &scenario->regions[scenario->region_count++])) {
            return false;
        }
    }
    return true;
}

bool sim_scenario_read_fleet(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {
        {"processes", 1}, {"balance", 1}, {"clock", 1}, {"regions", 1}};
    static const struct sim_integer_rule processes = {
        .key = "processes", .minimum = 1, .maximum = 1000};
    struct sim_node fleet = sim_read_member(root, "fleet");

    if (!sim_read_is_object(&fleet, "an object with at least processes") ||
        !sim_read_keys(&fleet, uses, sizeof uses / sizeof uses[0]) ||
        !sim_read_integer32(&fleet, &processes, &scenario->process_count)) {
        return false;
    }
    struct sim_node balance = sim_read_member(&fleet, "balance");
    if (balance.value) {
        if (!sim_scenario_read_balance(&balance, scenario, &scenario->balance)) {
            return false;
        }
    } else {
        scenario->balance.flip_ns = UINT64_MAX;
    }
    return read_regions(&fleet, scenario) && read_clock(&fleet, scenario);
}

bool sim_scenario_read_store(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {{"shards", 1},
                                              {"round_trip_us", 1},
                                              {"jitter_us", 1},
                                              {"capacity_per_s", 1},
                                              {"bandwidth_bytes_per_s", 1}};
    static const struct sim_integer_rule shards = {
        .key = "shards", .minimum = 1, .maximum = 64, .presence = SIM_OPTIONAL, .fallback = 1};
    static const struct sim_decimal_rule round_trip = {.key = "round_trip_us",
                                                       .minimum = 1,
                                                       .maximum = 1e6,
                                                       .scale = 1e3,
                                                       .presence = SIM_OPTIONAL,
                                                       .fallback = 500000};
    static const struct sim_decimal_rule jitter = {
        .key = "jitter_us", .maximum = 1e6, .scale = 1e3, .presence = SIM_OPTIONAL};
    static const struct sim_integer_rule capacity = {.key = "capacity_per_s",
                                                     .minimum = 1,
                                                     .maximum = 1000000000,
                                                     .presence = SIM_OPTIONAL,
                                                     .fallback = 100000};
    static const struct sim_integer_rule bandwidth = {
        .key = "bandwidth_bytes_per_s", .maximum = 1000000000000, .presence = SIM_OPTIONAL};
    struct sim_node store = sim_read_member(root, "store");
    uint64_t capacity_per_s = 0;

    if (store.value && !sim_read_is_object(&store, "an object")) {
        return false;
    }
    if (!sim_read_keys(&store, uses, sizeof uses / sizeof uses[0]) ||
        !sim_read_integer32(&store, &shards, &scenario->shard_count) ||
        !sim_read_decimal(&store, &round_trip, &scenario->round_trip_ns) ||
        !sim_read_decimal(&store, &jitter, &scenario->jitter_ns) ||
        !sim_read_integer(&store, &capacity, &capacity_per_s) ||
        !sim_read_integer(&store, &bandwidth, &scenario->bandwidth_bytes_per_s)) {
        return false;
    }
    scenario->service_ns = (1000000000 + capacity_per_s / 2) / capacity_per_s;
    return true;
}
