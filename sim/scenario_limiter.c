/* The limiter: who coordinates, how leases are sized, and how many keys a process holds. A plan may
 * name a sizer of its own, so the plans are read after this section. */
#include "scenario_sections.h"

enum {
    COORDINATION_COUNT = SIM_COORDINATION_AS_WRITTEN + 1,
    SIZER_COUNT = SIM_SIZER_DOUBLING + 1,
    FULL_TABLE_COUNT = SIM_FULL_TABLE_PER_REQUEST + 1,
};

bool sim_scenario_read_sizer(const struct sim_node *object, enum sim_sizer fallback,
                             enum sim_sizer *sizer)
{
    static const char *const sizers[SIZER_COUNT] = {
        [SIM_SIZER_TAPERED] = "tapered",
        [SIM_SIZER_FIXED] = "fixed",
        [SIM_SIZER_RATE] = "rate",
        [SIM_SIZER_DOUBLING] = "doubling",
    };
    const struct sim_choice_rule rule = {.key = "sizer",
                                         .names = sizers,
                                         .name_count = SIZER_COUNT,
                                         .presence = SIM_OPTIONAL,
                                         .fallback = fallback};
    size_t chosen = fallback;
    bool good = sim_read_choice(object, &rule, &chosen);

    *sizer = (enum sim_sizer)chosen;
    return good;
}

bool sim_scenario_read_lease_units(const struct sim_node *object, uint32_t fallback,
                                   uint32_t *lease_units)
{
    const struct sim_integer_rule rule = {.key = "fixed_lease_units",
                                          .minimum = 1,
                                          .maximum = 1000000000,
                                          .presence = SIM_OPTIONAL,
                                          .fallback = fallback};

    return sim_read_integer32(object, &rule, lease_units);
}

static bool read_lease(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    struct sim_node node = sim_read_member(limiter, "fixed_lease_units");

    if (!sim_scenario_read_sizer(limiter, SIM_SIZER_TAPERED, &scenario->sizer)) {
        return false;
    }
    if (node.value && scenario->sizer != SIM_SIZER_FIXED &&
        scenario->coordination != SIM_COORDINATION_AS_WRITTEN) {
        return sim_read_fail(&node, "found without a fixed lease; allowed: only with sizer "
                                    "\"fixed\" or coordination \"as_written\"");
    }
    return sim_scenario_read_lease_units(limiter, 20, &scenario->fixed_lease_units);
}

static bool read_table(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const char *const full_tables[FULL_TABLE_COUNT] = {
        [SIM_FULL_TABLE_EVICT] = "evict",
        [SIM_FULL_TABLE_PER_REQUEST] = "per_request",
    };
    static const struct sim_choice_rule full = {.key = "full_table",
                                                .names = full_tables,
                                                .name_count = FULL_TABLE_COUNT,
                                                .presence = SIM_OPTIONAL};
    static const struct sim_integer_rule table = {
        .key = "table_keys", .maximum = 1000000000, .presence = SIM_OPTIONAL};
    size_t chosen = SIM_FULL_TABLE_EVICT;
    bool good = sim_read_integer32(limiter, &table, &scenario->table_keys) &&
                sim_read_choice(limiter, &full, &chosen);

    scenario->full_table = (enum sim_full_table)chosen;
    return good;
}

bool sim_scenario_read_limiter(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {{"coordination", 1},
                                              {"sizer", 1},
                                              {"fixed_lease_units", 1},
                                              {"table_keys", 1},
                                              {"full_table", 1}};
    static const char *const coordinations[COORDINATION_COUNT] = {
        [SIM_COORDINATION_LEASE] = "lease",
        [SIM_COORDINATION_PER_REQUEST] = "per_request",
        [SIM_COORDINATION_AS_WRITTEN] = "as_written",
    };
    static const struct sim_choice_rule coordination = {.key = "coordination",
                                                        .names = coordinations,
                                                        .name_count = COORDINATION_COUNT,
                                                        .presence = SIM_OPTIONAL};
    struct sim_node limiter = sim_read_member(root, "limiter");
    size_t chosen = SIM_COORDINATION_LEASE;

    if (limiter.value && !sim_read_is_object(&limiter, "an object")) {
        return false;
    }
    if (!sim_read_keys(&limiter, uses, sizeof uses / sizeof uses[0]) ||
        !sim_read_choice(&limiter, &coordination, &chosen)) {
        return false;
    }
    scenario->coordination = (enum sim_coordination)chosen;
    return read_lease(&limiter, scenario) && read_table(&limiter, scenario);
}
