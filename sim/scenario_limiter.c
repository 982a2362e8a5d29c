/* The limiter: who coordinates, how leases are sized, and how many keys a process holds. A plan may
 * name a sizer of its own, so the plans are read after this section. */
#include <stddef.h>
#include <string.h>

#include "scenario_sections.h"

enum {
    SIZER_COUNT = SIM_SIZER_DOUBLING + 1,
    FULL_TABLE_COUNT = SIM_FULL_TABLE_PER_REQUEST + 1,
    DEGRADED_COUNT = SIM_DEGRADED_CLOSED + 1,
    WITHOUT_COUNT = 5,
};

const char *const sim_coordination_names[SIM_COORDINATION_COUNT] = {
    [SIM_COORDINATION_LEASE] = "lease",
    [SIM_COORDINATION_PER_REQUEST] = "per_request",
    [SIM_COORDINATION_AS_WRITTEN] = "as_written",
    [SIM_COORDINATION_READ_THEN_WRITE] = "read_then_write",
    [SIM_COORDINATION_TWO_COMMANDS] = "two_commands",
    [SIM_COORDINATION_LOCK] = "lock",
    [SIM_COORDINATION_SERVICE] = "service",
    [SIM_COORDINATION_LOCAL_SPLIT] = "local_split",
    [SIM_COORDINATION_ASYNC_SYNC] = "async_sync",
    [SIM_COORDINATION_RATE_SHARE] = "rate_share",
};

bool sim_scenario_is_plain(const struct sim_scenario *scenario)
{
    return scenario->coordination != SIM_COORDINATION_LEASE &&
           scenario->coordination != SIM_COORDINATION_PER_REQUEST &&
           scenario->coordination != SIM_COORDINATION_SERVICE;
}

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

bool sim_scenario_read_degraded(const struct sim_node *object, enum sim_degraded fallback,
                                enum sim_degraded *degraded)
{
    static const char *const policies[DEGRADED_COUNT] = {
        [SIM_DEGRADED_BOUNDED] = "bounded", [SIM_DEGRADED_UNIFORM] = "uniform",
        [SIM_DEGRADED_SHARE] = "share",     [SIM_DEGRADED_OPEN] = "open",
        [SIM_DEGRADED_CLOSED] = "closed",
    };
    const struct sim_choice_rule rule = {.key = "degraded",
                                         .names = policies,
                                         .name_count = DEGRADED_COUNT,
                                         .presence = SIM_OPTIONAL,
                                         .fallback = fallback};
    size_t chosen = fallback;
    const bool good = sim_read_choice(object, &rule, &chosen);

    *degraded = (enum sim_degraded)chosen;
    return good;
}

static bool asks_each_time(const struct sim_scenario *scenario)
{
    return sim_scenario_keeps_counters(scenario) ||
           scenario->coordination == SIM_COORDINATION_PER_REQUEST ||
           scenario->coordination == SIM_COORDINATION_SERVICE;
}

bool sim_scenario_check_degraded(const struct sim_node *object, const struct sim_scenario *scenario,
                                 enum sim_degraded degraded)
{
    struct sim_node node = sim_read_member(object, "degraded");

    return !asks_each_time(scenario) || degraded == SIM_DEGRADED_OPEN ||
           degraded == SIM_DEGRADED_CLOSED ||
           sim_read_refuse(&node, "\"open\", \"closed\" with coordination \"%s\"",
                           sim_coordination_names[scenario->coordination]);
}

/* How long it waits for the store: a request, and an ask. */
static bool read_waiting(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const struct sim_decimal_rule wait = {.key = "wait_ms",
                                                 .maximum = 60000,
                                                 .scale = 1e6,
                                                 .positive = true,
                                                 .presence = SIM_OPTIONAL,
                                                 .fallback = 1500000};
    static const struct sim_decimal_rule timeout = {.key = "ask_timeout_ms",
                                                    .maximum = 60000,
                                                    .scale = 1e6,
                                                    .positive = true,
                                                    .presence = SIM_OPTIONAL,
                                                    .fallback = 5000000};
    struct sim_node wait_node = sim_read_member(limiter, wait.key);
    struct sim_node timeout_node = sim_read_member(limiter, timeout.key);

    return sim_read_decimal(limiter, &wait, &scenario->wait_max_ns) &&
           sim_read_decimal(limiter, &timeout, &scenario->ask_timeout_ns) &&
           (scenario->wait_max_ns < scenario->ask_timeout_ns ||
            sim_read_refuse(wait_node.value ? &wait_node : &timeout_node,
                            "wait_ms (default: 1.5) below ask_timeout_ms (default: 5)"));
}

/* What those need that decide in the processes. */
static bool read_locally(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const struct sim_decimal_rule interval = {.key = "sync_interval_ms",
                                                     .minimum = 1,
                                                     .maximum = 3600000,
                                                     .scale = 1e6,
                                                     .presence = SIM_OPTIONAL,
                                                     .fallback = 1000000000};
    struct sim_node interval_node = sim_read_member(limiter, interval.key);
    struct sim_node weights = sim_read_member(limiter, "split_weights");

    if (interval_node.value && scenario->coordination != SIM_COORDINATION_ASYNC_SYNC &&
        scenario->coordination != SIM_COORDINATION_RATE_SHARE) {
        return sim_read_fail(&interval_node, "found where nothing is synchronised; allowed: only "
                                             "with coordination \"async_sync\" or \"rate_share\"");
    }
    if (weights.value && scenario->coordination != SIM_COORDINATION_LOCAL_SPLIT) {
        return sim_read_fail(&weights, "found where no limit is split; allowed: only with "
                                       "coordination \"local_split\"");
    }
    return sim_read_decimal(limiter, &interval, &scenario->sync_interval_ns) &&
           (!weights.value ||
            sim_scenario_read_weights(&weights, scenario->process_count, &scenario->split_weights));
}

static bool read_without(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const char allowed[] = "an array of \"breaker\", \"versions\", \"charge_time\", "
                                  "\"store_time\", \"spent_mapping\", each at most once";
    static const char *const names[WITHOUT_COUNT] = {"breaker", "versions", "charge_time",
                                                     "store_time", "spent_mapping"};
    static const unsigned flags[WITHOUT_COUNT] = {SIM_WITHOUT_BREAKER, SIM_WITHOUT_VERSIONS,
                                                  SIM_WITHOUT_CHARGE_TIME, SIM_WITHOUT_STORE_TIME,
                                                  SIM_WITHOUT_SPENT_MAPPING};
    struct sim_node without = sim_read_member(limiter, "without");

    if (without.value && !sim_read_is_array(&without, allowed)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(without.value); i++) {
        struct sim_node element = sim_read_element(&without, i);
        const char *found = json_string_value(element.value);
        size_t number = 0;

        while (number < WITHOUT_COUNT && (!found || strcmp(found, names[number]) != 0)) {
            number++;
        }
        if (number == WITHOUT_COUNT || (scenario->without & flags[number]) != 0) {
            return sim_read_refuse(&element, "%s", allowed);
        }
        scenario->without |= flags[number];
    }
    return true;
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

/* A key that only some coordinations heed. */
static bool check_use(const struct sim_node *limiter, const char *key, bool is_used,
                      const char *coordinations)
{
    struct sim_node node = sim_read_member(limiter, key);

    return !node.value || is_used ||
           sim_read_fail(&node,
                         "found without its coordination; allowed: only with coordination %s",
                         coordinations);
}

static bool read_counters(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const char *const writes[] = {[SIM_WRITE_SET] = "set", [SIM_WRITE_ADD] = "add"};
    static const struct sim_choice_rule write = {
        .key = "write", .names = writes, .name_count = 2, .presence = SIM_OPTIONAL};
    static const struct sim_integer_rule ttl = {.key = "counter_ttl_windows",
                                                .minimum = 1,
                                                .maximum = 100,
                                                .presence = SIM_OPTIONAL,
                                                .fallback = 2};
    size_t chosen = SIM_WRITE_SET;

    if (!check_use(limiter, write.key, scenario->coordination == SIM_COORDINATION_READ_THEN_WRITE,
                   "\"read_then_write\"") ||
        !check_use(limiter, ttl.key, sim_scenario_keeps_counters(scenario),
                   "\"as_written\", \"read_then_write\", \"two_commands\", \"lock\"") ||
        !sim_read_choice(limiter, &write, &chosen)) {
        return false;
    }
    scenario->write = (enum sim_write)chosen;
    return sim_read_integer32(limiter, &ttl, &scenario->counter_ttl_windows);
}

static bool read_lock(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const struct {
        struct sim_decimal_rule rule;
        size_t offset;
    } times[] = {
        {{.key = "lock_ttl_ms",
          .minimum = 1,
          .maximum = 3600000,
          .scale = 1e6,
          .presence = SIM_OPTIONAL,
          .fallback = UINT64_C(1000000000)},
         offsetof(struct sim_scenario, lock_ttl_ns)},
        {{.key = "lock_retry_ms",
          .maximum = 60000,
          .scale = 1e6,
          .positive = true,
          .presence = SIM_OPTIONAL,
          .fallback = 2000000},
         offsetof(struct sim_scenario, lock_retry_ns)},
        {{.key = "lock_wait_ms",
          .maximum = 3600000,
          .scale = 1e6,
          .positive = true,
          .presence = SIM_OPTIONAL,
          .fallback = UINT64_C(1000000000)},
         offsetof(struct sim_scenario, lock_wait_ns)},
    };
    const bool is_used = scenario->coordination == SIM_COORDINATION_LOCK;

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        uint64_t *time_ns = (uint64_t *)(void *)((char *)scenario + times[i].offset);
        if (!check_use(limiter, times[i].rule.key, is_used, "\"lock\"") ||
            !sim_read_decimal(limiter, &times[i].rule, time_ns)) {
            return false;
        }
    }
    return true;
}

static bool read_service(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    static const struct sim_decimal_rule store = {
        .key = "service_store_us", .maximum = 1000000, .scale = 1e3, .presence = SIM_OPTIONAL};

    return check_use(limiter, store.key, scenario->coordination == SIM_COORDINATION_SERVICE,
                     "\"service\"") &&
           sim_read_decimal(limiter, &store, &scenario->service_store_ns);
}

/* Whoever asks for each request knows two ways to go on without an answer. */
static bool read_policy(const struct sim_node *limiter, struct sim_scenario *scenario)
{
    return sim_scenario_read_degraded(
               limiter, asks_each_time(scenario) ? SIM_DEGRADED_OPEN : SIM_DEGRADED_BOUNDED,
               &scenario->degraded) &&
           sim_scenario_check_degraded(limiter, scenario, scenario->degraded);
}

bool sim_scenario_read_limiter(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_key_use uses[] = {{"coordination", 1},
                                              {"sizer", 1},
                                              {"fixed_lease_units", 1},
                                              {"table_keys", 1},
                                              {"full_table", 1},
                                              {"degraded", 1},
                                              {"wait_ms", 1},
                                              {"ask_timeout_ms", 1},
                                              {"without", 1},
                                              {"write", 1},
                                              {"counter_ttl_windows", 1},
                                              {"lock_ttl_ms", 1},
                                              {"lock_retry_ms", 1},
                                              {"lock_wait_ms", 1},
                                              {"service_store_us", 1},
                                              {"sync_interval_ms", 1},
                                              {"split_weights", 1}};
    static const struct sim_choice_rule coordination = {.key = "coordination",
                                                        .names = sim_coordination_names,
                                                        .name_count = SIM_COORDINATION_COUNT,
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
    return read_lease(&limiter, scenario) && read_table(&limiter, scenario) &&
           read_policy(&limiter, scenario) && read_waiting(&limiter, scenario) &&
           read_locally(&limiter, scenario) && read_without(&limiter, scenario) &&
           read_counters(&limiter, scenario) && read_lock(&limiter, scenario) &&
           read_service(&limiter, scenario);
}
