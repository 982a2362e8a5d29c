/* The machines: fleet, store, limiter. */
#include <string.h>

#include "scenario_sections.h"

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

bool sim_scenario_read_fleet(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {{"processes", 1}, {"balance", 1}, {"clock", 1}};
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
    return read_clock(&fleet, scenario);
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

static bool read_lease_units(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const struct sim_integer_rule lease = {.key = "fixed_lease_units",
                                                  .minimum = 1,
                                                  .maximum = 1000000000,
                                                  .presence = SIM_OPTIONAL,
                                                  .fallback = 20};
    struct sim_node node = sim_read_member(limiter, lease.key);

    if (node.value && scenario->sizer != SIM_SIZER_FIXED &&
        scenario->coordination != SIM_COORDINATION_AS_WRITTEN) {
        return sim_read_fail(&node, "found without a fixed lease; allowed: only with sizer "
                                    "\"fixed\" or coordination \"as_written\"");
    }
    return sim_read_integer32(limiter, &lease, &scenario->fixed_lease_units);
}

bool sim_scenario_read_limiter(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {
        {"coordination", 1}, {"sizer", 1}, {"fixed_lease_units", 1}, {"table_keys", 1}};
    static const char *const coordinations[] = {
        [SIM_COORDINATION_LEASE] = "lease",
        [SIM_COORDINATION_PER_REQUEST] = "per_request",
        [SIM_COORDINATION_AS_WRITTEN] = "as_written",
    };
    static const char *const sizers[] = {
        [SIM_SIZER_TAPERED] = "tapered", [SIM_SIZER_FIXED] = "fixed"};
    static const struct sim_choice_rule coordination = {
        .key = "coordination", .names = coordinations, .name_count = 3, .presence = SIM_OPTIONAL};
    static const struct sim_choice_rule sizer = {
        .key = "sizer", .names = sizers, .name_count = 2, .presence = SIM_OPTIONAL};
    static const struct sim_integer_rule table = {
        .key = "table_keys", .maximum = 1000000000, .presence = SIM_OPTIONAL};
    struct sim_node limiter = sim_read_member(root, "limiter");
    size_t coordination_index = SIM_COORDINATION_LEASE;
    size_t sizer_index = SIM_SIZER_TAPERED;

    if (limiter.value && !sim_read_is_object(&limiter, "an object")) {
        return false;
    }
    if (!sim_read_keys(&limiter, uses, sizeof uses / sizeof uses[0]) ||
        !sim_read_choice(&limiter, &coordination, &coordination_index) ||
        !sim_read_choice(&limiter, &sizer, &sizer_index)) {
        return false;
    }
    scenario->coordination = (enum sim_coordination)coordination_index;
    scenario->sizer = (enum sim_sizer)sizer_index;
    return read_lease_units(&limiter, scenario) &&
           sim_read_integer32(&limiter, &table, &scenario->table_keys);
}
