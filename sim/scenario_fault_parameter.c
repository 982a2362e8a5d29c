/* The parameters of faults, and that they are possible in this scenario. */
#include "scenario_fault.h"

#define DAYS_31_S (31 * 86400.0)
#define HOUR_MS 3600e3

enum {
    PPM = 1000000,
    PERIODS_MAX = 10000, /* each is an event or two, for every process perhaps */
};

#define IS(fault, kinds) (((kinds)&sim_kind_of(fault)) != 0)

static bool read_probability(const struct sim_node *node, struct fault *fault)
{
    static const struct sim_decimal_rule rule = {.key = "probability_pct",
                                                 .maximum = 100,
                                                 .scale = 1e4,
                                                 .positive = true,
                                                 .presence = SIM_OPTIONAL,
                                                 .fallback = PPM};

    return sim_read_decimal32(node, &rule, &fault->probability_ppm);
}

/* Where a kind has nothing else that it could do, one of them is needed. */
static bool read_delay(const struct sim_node *node, struct fault *fault)
{
    static const struct sim_decimal_rule factor = {.key = "factor",
                                                   .minimum = 1,
                                                   .maximum = 1000,
                                                   .scale = PPM,
                                                   .presence = SIM_OPTIONAL,
                                                   .fallback = PPM};
    static const struct sim_decimal_rule added = {.key = "added_ms",
                                                  .maximum = HOUR_MS,
                                                  .scale = 1e6,
                                                  .positive = true,
                                                  .presence = SIM_OPTIONAL};
    static const struct sim_decimal_rule spread = {.key = "spread_ms",
                                                   .maximum = HOUR_MS,
                                                   .scale = 1e6,
                                                   .positive = true,
                                                   .presence = SIM_OPTIONAL};

    if (!sim_read_decimal32(node, &factor, &fault->factor_ppm) ||
        !sim_read_decimal(node, &added, &fault->added_ns) ||
        !sim_read_decimal(node, &spread, &fault->spread_ns)) {
        return false;
    }
    const bool is_given = sim_read_member(node, "factor").value ||
                          sim_read_member(node, "added_ms").value ||
                          sim_read_member(node, "spread_ms").value;
    if (IS(fault, KIND(DELAY) | KIND(PUSH_DELAYED) | KIND(REPORT_DELAYED))) {
        return is_given || sim_read_fail(node, "found none; required: added_ms, spread_ms or both");
    }
    return is_given || fault->kind != FAULT_STORE_SLOW ||
           sim_read_fail(node, "found none; required: at least one of factor, added_ms, spread_ms");
}

static bool check_periods(const struct sim_node *period, const struct fault *fault)
{
    const uint64_t count = (fault->until_ns - fault->from_ns) / fault->period_ns;

    return count <= PERIODS_MAX ||
           sim_read_refuse(period,
                           "at most %d of them from the fault's begin to its end (here %llu)",
                           PERIODS_MAX, (unsigned long long)count);
}

static bool read_period(const struct sim_node *node, const char *key, struct fault *fault)
{
    const struct sim_decimal_rule rule = {
        .key = key, .minimum = 1e-3, .maximum = 86400, .scale = 1e9};
    struct sim_node period = sim_read_member(node, key);

    return sim_read_decimal(node, &rule, &fault->period_ns) && check_periods(&period, fault);
}

/* A store that comes and goes has both. */
static bool read_outage(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct fault *fault)
{
    (void)scenario;
    static const struct sim_decimal_rule on = {
        .key = "on_pct", .maximum = 100, .scale = 1e4, .positive = true};

    if (!sim_read_member(node, "period_s").value && !sim_read_member(node, "on_pct").value) {
        return true;
    }
    return read_period(node, "period_s", fault) && sim_read_decimal32(node, &on, &fault->on_ppm);
}

/* Once, or again and again for a while. */
static bool read_evict(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    (void)scenario;
    struct sim_node length = sim_read_member(node, "for_s");
    struct sim_node until = sim_read_member(node, "until_s");

    if (sim_read_member(node, "every_s").value) {
        return read_period(node, "every_s", fault);
    }
    fault->until_ns = fault->from_ns + 1;
    return (!length.value && !until.value) ||
           sim_read_fail(length.value ? &length : &until,
                         "found without every_s; allowed: an end only of what comes again");
}

static bool read_error(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    (void)scenario;
    /* a full connection table has a kind of its own */
    const struct sim_choice_rule rule = {.key = "error",
                                         .names = fault_error_names + FAULT_ERROR_OOM,
                                         .name_count = FAULT_ERROR_CONNECTIONS - FAULT_ERROR_OOM};
    size_t chosen = 0;

    if (!sim_read_choice(node, &rule, &chosen)) {
        return false;
    }
    fault->error = (enum fault_error)(chosen + FAULT_ERROR_OOM);
    return true;
}

static bool read_lag(const struct sim_node *node, const struct sim_scenario *scenario,
                     struct fault *fault)
{
    (void)scenario;
    static const struct sim_decimal_rule rule = {
        .key = "lag_ms", .maximum = HOUR_MS, .scale = 1e6, .presence = SIM_OPTIONAL};
    struct sim_node lag = sim_read_member(node, rule.key);

    return sim_read_decimal(node, &rule, &fault->lag_ns) &&
           (fault->lag_ns <= fault->from_ns ||
            sim_read_refuse(&lag, "no more than from_s: nothing was done before the run"));
}

/* Milliseconds for jitter, seconds for days. */
static bool read_step(const struct sim_node *node, const struct sim_scenario *scenario,
                      struct fault *fault)
{
    (void)scenario;
    static const char *const keys[] = {"step_s", "step_ms"};
    static const struct sim_decimal_rule rules[] = {
        {.key = "step_s", .maximum = DAYS_31_S, .scale = 1e9},
        {.key = "step_ms", .maximum = DAYS_31_S * 1e3, .scale = 1e6}};
    size_t chosen = 0;

    return sim_read_one_of(node, keys, 2, &chosen) &&
           sim_read_signed(node, &rules[chosen], &fault->step_ns);
}

static bool read_square(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct fault *fault)
{
    return read_step(node, scenario, fault) && read_period(node, "period_s", fault);
}

/* A clock that is smeared never runs backwards, nor faster than twice. */
static bool read_smear(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    if (!read_step(node, scenario, fault)) {
        return false;
    }
    const uint64_t size_ns = (uint64_t)(fault->step_ns < 0 ? -fault->step_ns : fault->step_ns);
    struct sim_node seconds = sim_read_member(node, "step_s");
    struct sim_node milliseconds = sim_read_member(node, "step_ms");
    return size_ns <= fault->until_ns - fault->from_ns ||
           sim_read_refuse(seconds.value ? &seconds : &milliseconds,
                           "a step no longer than the time it is smeared over");
}

static bool read_drift(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    (void)scenario;
    static const struct sim_decimal_rule rule = {
        .key = "drift_ppm", .maximum = 100000, .scale = 1e3};
    int64_t drift_ppb = 0;
    const bool good = sim_read_signed(node, &rule, &drift_ppb);

    fault->drift_ppb = (int32_t)drift_ppb;
    return good;
}

static bool read_way(const struct sim_node *node, const struct sim_scenario *scenario,
                     struct fault *fault)
{
    (void)scenario;
    static const char *const ways[] = {[FAULT_BOTH_WAYS] = "both",
                                       [FAULT_TO_STORE] = "to_store",
                                       [FAULT_TO_PROCESS] = "to_process"};
    static const struct sim_choice_rule rule = {
        .key = "way", .names = ways, .name_count = 3, .presence = SIM_OPTIONAL};
    size_t chosen = FAULT_BOTH_WAYS;
    const bool good = sim_read_choice(node, &rule, &chosen);

    fault->way = (enum fault_way)chosen;
    return good;
}

static bool read_bandwidth(const struct sim_node *node, const struct sim_scenario *scenario,
                           struct fault *fault)
{
    struct sim_node kind = sim_read_member(node, "kind");

    if (scenario->bandwidth_bytes_per_s == 0) {
        return sim_read_refuse(&kind, "a slow link only where store.bandwidth_bytes_per_s is "
                                      "above 0");
    }
    const struct sim_integer_rule rule = {
        .key = "bandwidth_bytes_per_s", .minimum = 1, .maximum = scenario->bandwidth_bytes_per_s};
    return sim_read_integer(node, &rule, &fault->bytes_per_s);
}

static bool read_crash(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    static const struct sim_decimal_rule rule = {.key = "restart_after_s",
                                                 .maximum = 86400,
                                                 .scale = 1e9,
                                                 .positive = true,
                                                 .presence = SIM_OPTIONAL,
                                                 .fallback = 0};
    struct sim_node restart = sim_read_member(node, rule.key);
    uint64_t down_ns = 0;

    if (!sim_read_decimal(node, &rule, &down_ns) ||
        !sim_read_truth(node, "lose_mapping", &fault->lose_mapping)) {
        return false;
    }
    fault->until_ns = restart.value ? fault->from_ns + down_ns : UINT64_MAX;
    return !restart.value || fault->until_ns < scenario->duration_ns ||
           sim_read_refuse(&restart, "a restart before duration_s, or none");
}

static uint64_t member_count(const struct fault_set *set)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        count += fault_set_holds(set, i);
    }
    return count;
}

static bool read_deploy(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct fault *fault)
{
    static const struct sim_decimal_rule every = {
        .key = "every_s", .minimum = 1e-3, .maximum = 86400, .scale = 1e9};
    static const struct sim_decimal_rule down = {
        .key = "down_s", .maximum = 86400, .scale = 1e9, .positive = true};
    const uint64_t count = member_count(&fault->processes);
    struct sim_node every_node = sim_read_member(node, every.key);

    if (!sim_read_decimal(node, &every, &fault->period_ns) ||
        !sim_read_decimal(node, &down, &fault->added_ns)) {
        return false;
    }
    fault->until_ns = fault->from_ns + (count - 1) * fault->period_ns + fault->added_ns;
    return fault->until_ns < scenario->duration_ns ||
           sim_read_refuse(&every_node, "the last of %llu processes back before duration_s",
                           (unsigned long long)count);
}

/* The copy of a process has a number of its own, and nobody ran under it. */
static bool check_copies(const struct sim_node *node, const struct sim_scenario *scenario,
                         struct fault *fault)
{
    (void)scenario;
    const uint64_t count = member_count(&fault->processes);

    for (uint32_t i = 0; i < fault->processes.count; i++) {
        if (!fault_set_holds(&fault->processes, i)) {
            continue;
        }
        if (i + count >= fault->processes.count ||
            fault_set_holds(&fault->processes, (uint32_t)(i + count))) {
            return sim_read_fail(node,
                                 "found no number for the copy of process %lu: it would be process "
                                 "%llu; allowed: copies within fleet.processes, beside the "
                                 "processes that are copied",
                                 (unsigned long)i, (unsigned long long)(i + count));
        }
    }
    return true;
}

static bool read_scale(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    (void)scenario;
    static const char *const directions[] = {"in", "out"};
    static const struct sim_choice_rule rule = {
        .key = "direction", .names = directions, .name_count = 2};
    size_t chosen = 0;
    const bool good = sim_read_choice(node, &rule, &chosen);

    fault->limit = (uint32_t)chosen;
    return good;
}

static bool read_limit(const struct sim_node *node, const char *key, uint64_t minimum,
                       uint64_t maximum, struct fault *fault)
{
    const struct sim_integer_rule rule = {.key = key, .minimum = minimum, .maximum = maximum};

    return sim_read_integer32(node, &rule, &fault->limit);
}

static bool read_connections(const struct sim_node *node, const struct sim_scenario *scenario,
                             struct fault *fault)
{
    return read_limit(node, "connections", 0, scenario->process_count - 1, fault);
}

static bool read_count(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    (void)scenario;
    return read_limit(node, "processes_told", 1, 1000, fault);
}

static bool read_flip(const struct sim_node *node, const struct sim_scenario *scenario,
                      struct fault *fault)
{
    struct sim_node kind = sim_read_member(node, "kind");

    return (scenario->process_count > 1 ||
            sim_read_refuse(&kind, "a flip only where fleet.processes is above 1")) &&
           read_limit(node, "by", 1, scenario->process_count - 1, fault);
}

static bool read_population(const struct sim_node *node, const struct sim_scenario *scenario,
                            struct fault *fault)
{
    struct sim_node keys = sim_read_member(node, "keys");

    return sim_read_reference(&keys, "population of keys", scenario->populations,
                              sizeof *scenario->populations, scenario->population_count,
                              &fault->population);
}

static bool read_hot_key(const struct sim_node *node, const struct sim_scenario *scenario,
                         struct fault *fault)
{
    if (!read_population(node, scenario, fault)) {
        return false;
    }
    const struct sim_integer_rule key = {.key = "key",
                                         .maximum =
                                             scenario->populations[fault->population].key_count - 1,
                                         .presence = SIM_OPTIONAL};
    return sim_read_integer32(node, &key, &fault->key_index) &&
           read_limit(node, "times", 2, 1000, fault);
}

static bool read_churn(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    struct sim_node keys = sim_read_member(node, "keys");

    return read_population(node, scenario, fault) &&
           (scenario->populations[fault->population].key_count > 1 ||
            sim_read_refuse(&keys, "a population of at least 2 keys")) &&
           read_period(node, "every_s", fault);
}

static bool check_storm(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct fault *fault)
{
    struct sim_node spread = sim_read_member(node, "spread_ms");

    return fault->spread_ns <= scenario->duration_ns - fault->until_ns ||
           sim_read_refuse(&spread, "all requests back before duration_s");
}

static bool check_pushes(const struct sim_node *node, const struct sim_scenario *scenario,
                         struct fault *fault)
{
    (void)fault;
    struct sim_node kind = sim_read_member(node, "kind");

    return scenario->change_count > 0 ||
           sim_read_refuse(&kind, "a fault of pushes only where there are changes to push");
}

/* What a kind has beyond probability and delay; kinds that are not named have nothing. */
static bool (*const readers[FAULT_KIND_COUNT])(const struct sim_node *, const struct sim_scenario *,
                                               struct fault *) = {
    [FAULT_STORE_OUTAGE] = read_outage,
    [FAULT_STORE_ERROR] = read_error,
    [FAULT_STORE_CONNECTIONS] = read_connections,
    [FAULT_STORE_FAILOVER] = read_lag,
    [FAULT_STORE_EVICT] = read_evict,
    [FAULT_STORE_SPLIT] = read_lag,
    [FAULT_STORE_CLOCK] = read_step,
    [FAULT_PARTITION] = read_way,
    [FAULT_SLOW_LINK] = read_bandwidth,
    [FAULT_CRASH] = read_crash,
    [FAULT_DEPLOY] = read_deploy,
    [FAULT_FORK] = check_copies,
    [FAULT_SCALE] = read_scale,
    [FAULT_PROCESS_COUNT] = read_count,
    [FAULT_CLOCK_OFFSET] = read_step,
    [FAULT_CLOCK_DRIFT] = read_drift,
    [FAULT_CLOCK_SQUARE] = read_square,
    [FAULT_CLOCK_SMEAR] = read_smear,
    [FAULT_FLIP] = read_flip,
    [FAULT_RETRY] = check_storm,
    [FAULT_HOT_KEY] = read_hot_key,
    [FAULT_CHURN] = read_churn,
    [FAULT_PUSH_LOST] = check_pushes,
    [FAULT_PUSH_DELAYED] = check_pushes,
};

bool sim_scenario_read_parameters(const struct sim_node *node, const struct sim_scenario *scenario,
                                  struct fault *fault)
{
    return read_probability(node, fault) && read_delay(node, fault) &&
           (readers[fault->kind] == NULL || readers[fault->kind](node, scenario, fault));
}
