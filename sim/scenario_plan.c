/* Plans: what is allowed, and whether the limiter's integer arithmetic can hold it. */
#include <assert.h>
#include <stdio.h>

#include "memory.h"
#include "scenario_sections.h"

/* The core keeps state in integers that a Redis script can hold exactly. With the rate in lowest
 * terms of units per microseconds: capacity x period + rate < 2^53, and rate x window < 2^53
 * (bucket: x 60 s, to say what a minute's is). Sliding windows also weigh their units by the
 * microseconds they still count for: limit x window < 2^53. */
static const uint64_t exact_below = UINT64_C(1) << 53;

enum {
    ALGORITHM_COUNT = SIM_ALGORITHM_UNLIMITED + 1,
    LOG_LIMIT_UNITS_MAX = 1000000, /* the store keeps every request of a window */
    RATE_PER_S_MAX = 1000000000,
    WINDOW_S_MAX = 31 * 86400,
    MINUTE_US = 60 * 1000000,
    KIND_TEXT_SIZE = 40,
};

/* A bit for each algorithm, and further up another for the plans of changes. */
enum {
    IN_CHANGES = ALGORITHM_COUNT,
    BUCKETS = 1U << SIM_ALGORITHM_BUCKET,
    LEASED = BUCKETS | 1U << SIM_ALGORITHM_WINDOW | 1U << SIM_ALGORITHM_SLIDING,
    LIMITED = LEASED | 1U << SIM_ALGORITHM_LOG,
};

static const struct sim_key_use plan_uses[] = {
    {"algorithm", ~0U},
    {"rate_per_s", LIMITED | LIMITED << IN_CHANGES},
    {"rate_per_min", LIMITED | LIMITED << IN_CHANGES},
    {"rate_per_h", LIMITED | LIMITED << IN_CHANGES},
    {"rate_per_day", LIMITED | LIMITED << IN_CHANGES},
    {"capacity_units", BUCKETS | BUCKETS << IN_CHANGES},
    {"capacity_s", BUCKETS | BUCKETS << IN_CHANGES},
    {"window_s", ~0U},
    {"start_fill_pct", LIMITED},
    {"sizer", LEASED | LEASED << IN_CHANGES},
    {"fixed_lease_units", LEASED | LEASED << IN_CHANGES},
    {"degraded", LIMITED | LIMITED << IN_CHANGES},
};

static const char *const algorithm_names[ALGORITHM_COUNT] = {
    [SIM_ALGORITHM_BUCKET] = "bucket",       [SIM_ALGORITHM_WINDOW] = "window",
    [SIM_ALGORITHM_SLIDING] = "sliding",     [SIM_ALGORITHM_LOG] = "log",
    [SIM_ALGORITHM_UNLIMITED] = "unlimited",
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool read_rate(const struct sim_node *node, struct sim_plan *plan, const char **rate_key)
{
    static const char *const keys[] = {"rate_per_s", "rate_per_min", "rate_per_h", "rate_per_day"};
    static const uint32_t periods_s[] = {1, 60, 3600, 86400};
    size_t chosen = 0;

    if (!sim_read_one_of(node, keys, 4, &chosen)) {
        return false;
    }
    const struct sim_integer_rule rule = {.key = keys[chosen],
                                          .maximum = (uint64_t)RATE_PER_S_MAX * periods_s[chosen]};
    *rate_key = keys[chosen];
    plan->rate_period_us = (uint64_t)periods_s[chosen] * 1000000;
    return sim_read_integer(node, &rule, &plan->rate_units);
}

static bool read_window(const struct sim_node *node, struct sim_plan *plan)
{
    static const struct sim_decimal_rule rule = {.key = "window_s",
                                                 .minimum = 1e-3,
                                                 .maximum = WINDOW_S_MAX,
                                                 .scale = 1e6,
                                                 .presence = SIM_OPTIONAL,
                                                 .fallback = MINUTE_US};

    return sim_read_decimal(node, &rule, &plan->window_us);
}

/* capacity_s seconds of the rate, rounded down; UINT64_MAX if that is far above any capacity that
 * is exact. */
static uint64_t units_of_time(const struct sim_plan *plan, uint64_t divisor, uint64_t capacity_us)
{
    uint64_t rate_units = plan->rate_units / divisor;

    if (rate_units > 0 && capacity_us > UINT64_MAX / rate_units) {
        return UINT64_MAX;
    }
    uint64_t units = rate_units * capacity_us / (plan->rate_period_us / divisor);
    return units > 0 ? units : 1;
}

static bool check_capacity(const struct sim_node *capacity, const struct sim_plan *plan,
                           uint64_t divisor)
{
    uint64_t units_max =
        (exact_below - 1 - plan->rate_units / divisor) / (plan->rate_period_us / divisor);

    if (plan->capacity_units == 0 && plan->rate_units > 0) {
        return sim_read_refuse(capacity, "at least 1 unit, or a rate of 0 too (which denies "
                                         "everything)");
    }
    return plan->capacity_units <= units_max ||
           sim_read_refuse(capacity,
                           "at most %llu units at this rate (capacity x %llu us + %llu units must "
                           "stay below 2^53)",
                           (unsigned long long)units_max,
                           (unsigned long long)(plan->rate_period_us / divisor),
                           (unsigned long long)(plan->rate_units / divisor));
}

static bool read_capacity(const struct sim_node *node, struct sim_plan *plan)
{
    static const char *const keys[] = {"capacity_units", "capacity_s"};
    static const struct sim_decimal_rule time = {
        .key = "capacity_s", .maximum = WINDOW_S_MAX, .scale = 1e6, .positive = true};
    const struct sim_integer_rule units = {.key = "capacity_units", .maximum = exact_below - 1};
    uint64_t divisor = common_divisor(plan->rate_units, plan->rate_period_us);
    uint64_t capacity_us = 0;
    size_t chosen = 0;

    if (!sim_read_one_of(node, keys, 2, &chosen)) {
        return false;
    }
    if (chosen == 0) {
        if (!sim_read_integer(node, &units, &plan->capacity_units)) {
            return false;
        }
    } else {
        if (!sim_read_decimal(node, &time, &capacity_us)) {
            return false;
        }
        plan->capacity_units = units_of_time(plan, divisor, capacity_us);
    }
    struct sim_node capacity = sim_read_member(node, keys[chosen]);
    return check_capacity(&capacity, plan, divisor);
}

/* What the algorithm must be able to count in one window. A window that admits nothing although
 * its rate does is a mistake in its units. */
static bool check_window_limit(const struct sim_node *cause, const struct sim_plan *plan,
                               uint64_t limit_units)
{
    if (limit_units == 0 && plan->rate_units > 0) {
        return sim_read_refuse(cause, "rate x window of at least 1 unit, or a rate of 0");
    }
    if (plan->algorithm == SIM_ALGORITHM_SLIDING &&
        limit_units > (exact_below - 1) / plan->window_us) {
        return sim_read_refuse(cause,
                               "at most %llu units per window (here %llu), as units x %llu us must "
                               "stay below 2^53 with algorithm \"sliding\"",
                               (unsigned long long)((exact_below - 1) / plan->window_us),
                               (unsigned long long)limit_units,
                               (unsigned long long)plan->window_us);
    }
    if (plan->algorithm == SIM_ALGORITHM_LOG && limit_units > LOG_LIMIT_UNITS_MAX) {
        return sim_read_refuse(cause,
                               "at most %d units per window (here %llu) with algorithm \"log\", "
                               "which keeps each of them",
                               LOG_LIMIT_UNITS_MAX, (unsigned long long)limit_units);
    }
    return true;
}

static bool check_limit(const struct sim_node *node, const struct sim_plan *plan,
                        const char *rate_key)
{
    struct sim_node window = sim_read_member(node, "window_s");
    struct sim_node rate = sim_read_member(node, rate_key);
    bool is_window = plan->algorithm != SIM_ALGORITHM_BUCKET;
    uint64_t span_us = is_window ? plan->window_us : MINUTE_US;
    uint64_t divisor = common_divisor(plan->rate_units, plan->rate_period_us);
    uint64_t rate_units = plan->rate_units / divisor;
    uint64_t period_us = plan->rate_period_us / divisor;

    assert(period_us > 0); /* the divisor is one of both */
    if (rate_units > (exact_below - 1) / span_us) {
        return sim_read_refuse(
            &rate,
            "in lowest terms (here %llu units per %llu us) at most %llu units, as units x %llu us "
            "must stay below 2^53",
            (unsigned long long)rate_units, (unsigned long long)period_us,
            (unsigned long long)((exact_below - 1) / span_us), (unsigned long long)span_us);
    }
    return !is_window || check_window_limit(window.value ? &window : &rate, plan,
                                            rate_units * span_us / period_us);
}

static bool read_algorithm(const struct sim_node *node, const struct sim_scenario *scenario,
                           enum sim_plan_use use, struct sim_plan *plan)
{
    const unsigned shift = use == SIM_PLAN_OF_A_CHANGE ? IN_CHANGES : 0;
    static const struct sim_choice_rule rule = {.key = "algorithm",
                                                .names = algorithm_names,
                                                .name_count = ALGORITHM_COUNT,
                                                .presence = SIM_OPTIONAL};
    const size_t use_count = sizeof plan_uses / sizeof plan_uses[0];
    struct sim_node named = sim_read_member(node, rule.key);
    char kind_text[KIND_TEXT_SIZE];
    size_t algorithm = SIM_ALGORITHM_BUCKET;

    if (!sim_read_choice(node, &rule, &algorithm)) {
        return false;
    }
    plan->algorithm = (enum sim_algorithm)algorithm;
    if (sim_scenario_is_plain(scenario) && algorithm != SIM_ALGORITHM_BUCKET &&
        algorithm != SIM_ALGORITHM_WINDOW) {
        return sim_read_refuse(&named, "\"bucket\", \"window\" with coordination \"%s\"",
                               sim_coordination_names[scenario->coordination]);
    }
    (void)snprintf(kind_text, sizeof kind_text, "%salgorithm \"%s\"",
                   use == SIM_PLAN_OF_A_CHANGE ? "a change to " : "", algorithm_names[algorithm]);
    return sim_read_keys_of_kind(node, plan_uses, use_count, 1U << (algorithm + shift), kind_text);
}

static bool read_lease(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct sim_plan *plan)
{
    struct sim_node units = sim_read_member(node, "fixed_lease_units");

    if (!sim_scenario_read_sizer(node, scenario->sizer, &plan->sizer)) {
        return false;
    }
    if (units.value && plan->sizer != SIM_SIZER_FIXED) {
        return sim_read_fail(&units, "found without a fixed lease; allowed: only with sizer "
                                     "\"fixed\", of the plan or of the limiter");
    }
    return sim_scenario_read_lease_units(node, scenario->fixed_lease_units,
                                         &plan->fixed_lease_units);
}

bool sim_scenario_read_plan(const struct sim_node *node, const struct sim_scenario *scenario,
                            enum sim_plan_use use, struct sim_plan *plan)
{
    static const struct sim_decimal_rule fill = {.key = "start_fill_pct",
                                                 .maximum = 100,
                                                 .scale = 1e4,
                                                 .presence = SIM_OPTIONAL,
                                                 .fallback = 1000000};
    const char *rate_key = NULL;

    if (!sim_read_is_object(node, "an object with a rate, or algorithm \"unlimited\"") ||
        !sim_read_keys(node, plan_uses, sizeof plan_uses / sizeof plan_uses[0]) ||
        !read_algorithm(node, scenario, use, plan)) {
        return false;
    }
    if (!read_window(node, plan) || !sim_read_decimal32(node, &fill, &plan->start_fill_ppm) ||
        !read_lease(node, scenario, plan) ||
        !sim_scenario_read_degraded(node, scenario->degraded, &plan->degraded) ||
        !sim_scenario_check_degraded(node, scenario, plan->degraded)) {
        return false;
    }
    if (plan->algorithm == SIM_ALGORITHM_UNLIMITED) {
        plan->rate_period_us = 1000000; /* its rate stays 0: it is not asked for */
        return true;
    }
    return read_rate(node, plan, &rate_key) && check_limit(node, plan, rate_key) &&
           (plan->algorithm != SIM_ALGORITHM_BUCKET || read_capacity(node, plan));
}

bool sim_scenario_read_plans(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node plans = sim_read_member(root, "plans");
    const char *name;
    json_t *value;

    if (!sim_read_is_object(&plans, "an object with at least one plan")) {
        return false;
    }
    if (json_object_size(plans.value) == 0) {
        return sim_read_refuse(&plans, "at least one plan");
    }
    scenario->plans = sim_memory_new(json_object_size(plans.value), sizeof *scenario->plans);
    json_object_foreach(plans.value, name, value)
    {
        struct sim_node node = sim_read_member(&plans, name);
        struct sim_plan *plan = &scenario->plans[scenario->plan_count++];

        if (!sim_read_entry_name(&node, plan->name) ||
            !sim_scenario_read_plan(&node, scenario, SIM_PLAN_OF_THE_START, plan)) {
            return false;
        }
    }
    return true;
}
