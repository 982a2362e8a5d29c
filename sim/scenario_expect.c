/* Expectations: bounds on paths of the result, in numbers or by the name of a target. */
#include "scenario_expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "memory.h"
#include "scenario_sections.h"
#include "scenario_suggest.h"
#include "scenario_text.h"
#include "targets.h"

enum {
    CAUSES_SIZE = 200,
};

/* Every number of result.json. "*" stands for a name, "[]" for an index. */

/* Said of the whole run, and after "populations.NAME." of each population. */
static const char *const common_paths[] = {
    "units.demand",
    "units.admitted",
    "units.oracle",
    "accuracy.over_pct.max",
    "accuracy.over_pct.p99",
    "accuracy.over_pct.mean",
    "accuracy.under_pct.max",
    "accuracy.under_pct.p99",
    "accuracy.under_pct.mean",
    "accuracy.over_units.max",
    "accuracy.under_units.max",
    "accuracy.contract_over_pct.max",
    "accuracy.sliding_over_pct.max",
    "accuracy.causes.*.units",
    "billing.true_units",
    "billing.reported_units",
    "billing.lost_units",
    "billing.flagged_windows",
    "billing.unsealed_windows",
    "liveness.recovered",
    "liveness.recovery_s",
    "liveness.checked_intervals",
    "liveness.unhealthy_intervals",
    "outage.count",
    "outage.cut_count",
    "outage.bound_used_pct.max",
    "outage.over_units.max",
    "outage.over_of_accrued_pct.max",
    "outage.admitted_of_ideal_pct.min",
    "outage.admitted_of_ideal_pct.max",
    "outage.under_of_accrued_pct.max",
    "outage.floor_split_pct.max",
    "outage.under_above_floor_pct.max",
    "outage.cut_share_pct.min",
    "outage.cut_share_pct.max",
    "outage.requests",
    "outage.units.demand",
    "outage.units.admitted",
    "outage.units.refused",
    "outage.units.ideal",
    "outage.answered_pct",
    "outage.wait_us.p50",
    "outage.wait_us.p99",
    "outage.wait_us.max",
    "outage.wait_us.waited_pct",
    "outage.alone_after_s",
};

/* Said of the whole run alone. */
static const char *const whole_paths[] = {
    "seed",
    "decisions.total",
    "decisions.admitted",
    "decisions.denied",
    "decisions.degraded",
    "accuracy.same_arrivals.over_pct.max",
    "accuracy.same_arrivals.over_pct.p99",
    "accuracy.same_arrivals.over_pct.mean",
    "accuracy.same_arrivals.under_pct.max",
    "accuracy.same_arrivals.under_pct.p99",
    "accuracy.same_arrivals.under_pct.mean",
    "accuracy.same_arrivals.over_units.max",
    "accuracy.same_arrivals.under_units.max",
    "fairness.admitted_pct.min",
    "fairness.admitted_pct.max",
    "store.asks",
    "store.asks_per_s.mean",
    "store.asks_per_s.max_1s",
    "store.asks_max_10ms",
    "store.requests_per_ask",
    "store.in_flight_max",
    "store.in_flight_mean",
    "store.pairs",
    "store.keys.mean",
    "store.keys.max",
    "store.keys.at_end",
    "store.keys_without_ttl",
    "store.keys_made_anew",
    "store.units_made_anew",
    "lock.taken",
    "lock.missed",
    "lock.ran_out",
    "lock.stale_writes",
    "lock.held_by_dead",
    "lock.held_by_dead_s",
    "lock.wait_us.p50",
    "lock.wait_us.p99",
    "lock.wait_us.max",
    "latency_us.p50",
    "latency_us.p99",
    "latency_us.p999",
    "latency_us.max",
    "availability.answered_pct",
    "availability.within_5ms_pct",
    "billing.duplicates_dropped",
    "billing.reports",
    "billing.batches",
    "clients.retries",
    "clients.given_up",
    "clients.first_denial_to_admission_s.mean",
    "clients.first_denial_to_admission_s.max",
    "clients.cut_off",
    "clients.recovered",
    "clients.ideal.retries",
    "clients.ideal.given_up",
    "clients.ideal.cut_off",
    "clients.ideal.recovered",
    "clients.ideal.first_denial_to_admission_s.mean",
    "clients.ideal.first_denial_to_admission_s.max",
    "clients.herd_ratio",
    "clients.herd_arrivals_ratio",
    "remaining.polls",
    "remaining.unknown",
    "remaining.outside_bounds",
    "remaining.error_units.max",
    "remaining.age_ms.max",
    "remaining.disagreement_units.max",
    "config.pushes",
    "config.stale_pushes",
    "config.version_spread_max",
    "ledger.missing_units",
    "ledger.overcharged_units",
    "ledger.outstanding_units",
    "ledger.dead_units",
    "ledger.lost_reply_units",
    "ledger.data_lost_units",
    "ledger.degraded_units",
    "ledger.charged_units",
    "ledger.covered_units",
    "billing.undelivered_reports",
    "billing.bound_low_units",
    "billing.bound_high_units",
    "degraded.admitted",
    "degraded.denied",
    "degraded.units",
    "degraded.lost_charge_units",
    "degraded.first_s",
    "degraded.last_s",
    "degraded.processes_max",
    "degraded.share_of_time_pct",
    "breaker.openings",
    "breaker.probes",
    "breaker.open_at_end",
    "asks.failed",
    "asks.repeated",
    "asks.expired",
    "asks.data_losses",
    "liveness.open_breakers",
    "liveness.held_units",
    "faults[].fired_count",
    "faults[].changed_count",
};

/* Said of a population alone. */
static const char *const population_paths[] = {
    "accuracy.contract_over_units.max",
    "accuracy.pairs",
    "billing.degraded_units",
    "billing.flagged_units",
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const char population_prefix[] = "populations.";

static const char cause_prefix[] = "accuracy.causes.";

static const char fault_prefix[] = "faults[";

static bool path_matches(const char *path, const char *pattern)
{
    while (*pattern) {
        size_t skip = 0;

        if (*pattern == '*') {
            skip = strspn(path, "abcdefghijklmnopqrstuvwxyz0123456789_");
        } else if (*pattern == '[') {
            skip = path[0] == '[' ? strspn(path + 1, "0123456789") : 0;
            skip += skip > 0 ? 1 : 0;
        } else if (*path == *pattern) {
            skip = 1;
        }
        if (skip == 0) {
            return false;
        }
        path += skip;
        pattern++;
    }
    return *path == '\0';
}

/* The cause that `path` names exists. */
static bool check_cause(const struct sim_node *node, const char *path)
{
    char list[CAUSES_SIZE];
    struct sim_text text;
    const char *prefix = strstr(path, cause_prefix);

    if (prefix == NULL) {
        return true;
    }
    const char *cause = prefix + sizeof cause_prefix - 1;
    const size_t length = strcspn(cause, ".");
    sim_text_init(&text, list, sizeof list);
    for (size_t i = 0; i < SIM_CAUSE_COUNT; i++) {
        if (strlen(sim_cause_names[i]) == length &&
            memcmp(sim_cause_names[i], cause, length) == 0) {
            return true;
        }
        sim_text_add(&text, "%s%s", i > 0 ? ", " : "", sim_cause_names[i]);
    }
    return sim_read_refuse(node, "one of the causes %s", list);
}

static bool is_among(const char *path, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (path_matches(path, patterns[i])) {
            return true;
        }
    }
    return false;
}

static void offer(struct sim_suggestion *suggestion, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strpbrk(patterns[i], "*[") == NULL) {
            sim_suggestion_offer(suggestion, patterns[i]);
        }
    }
}

const char *sim_result_path_of_all(const char *path)
{
    size_t length;
    const char *name = sim_result_path_population(path, &length);

    return name == NULL ? path : name[length] == '.' ? name + length + 1 : "";
}

const char *sim_result_path_population(const char *path, size_t *length)
{
    if (strncmp(path, population_prefix, sizeof population_prefix - 1) != 0) {
        return NULL;
    }
    path += sizeof population_prefix - 1;
    *length = strcspn(path, ".");
    return path;
}

bool sim_result_path_is_known(const char *path, struct sim_suggestion *suggestion)
{
    const char *part = sim_result_path_of_all(path);

    suggestion->found = path;
    if (is_among(part, common_paths, COUNT_OF(common_paths))) {
        return true;
    }
    if (part != path) {
        return is_among(part, population_paths, COUNT_OF(population_paths));
    }
    offer(suggestion, common_paths, COUNT_OF(common_paths));
    offer(suggestion, whole_paths, COUNT_OF(whole_paths));
    return is_among(path, whole_paths, COUNT_OF(whole_paths));
}

bool sim_read_result_path(const struct sim_node *object, char *path, size_t path_size)
{
    struct sim_node node = sim_read_member(object, "path");
    const char *found = NULL;
    struct sim_suggestion suggestion = {0};

    if (!sim_read_line(&node, "a path of the result", path_size - 1, &found)) {
        return false;
    }
    if (sim_result_path_is_known(found, &suggestion)) {
        memcpy(path, found, strlen(found) + 1);
        return check_cause(&node, found);
    }
    if (suggestion.best) {
        return sim_read_refuse(&node, "a number's path in the result; did you mean \"%s\"?",
                               suggestion.best);
    }
    return sim_read_refuse(&node, "a number's path in the result, such as "
                                  "accuracy.over_pct.max (all: docs/SCENARIOS.md)");
}

bool sim_read_range(const struct sim_node *object, enum sim_presence presence, double *minimum,
                    double *maximum)
{
    struct sim_node min = sim_read_member(object, "min");
    struct sim_node max = sim_read_member(object, "max");

    if (!sim_read_bound(object, "min", minimum) || !sim_read_bound(object, "max", maximum)) {
        return false;
    }
    if (presence == SIM_REQUIRED && !min.value && !max.value) {
        return sim_read_fail(object, "found no bound; required: min, max or both");
    }
    return *minimum <= *maximum ||
           sim_read_refuse(min.value ? &min : &max, "min no larger than max");
}

/* The population that the expectation's path names is in the file. */
static bool check_population(const struct sim_node *node, const struct sim_expectation *expectation)
{
    const json_t *populations = json_object_get(node->document->root, "keys");
    struct sim_node path = sim_read_member(node, "path");
    size_t length = 0;
    const char *name = sim_result_path_population(expectation->path, &length);

    return name == NULL || json_object_getn(populations, name, length) != NULL ||
           sim_read_refuse(&path, "a population of this file's keys");
}

/* The fault that the expectation's path names, itself or through its target, is in the file. */
static bool check_fault(const struct sim_node *node, const struct sim_expectation *expectation)
{
    const json_t *faults = json_object_get(node->document->root, "faults");
    struct sim_node cited =
        sim_read_member(node, expectation->target[0] != '\0' ? "target" : "path");
    size_t count = json_array_size(faults);

    if (strncmp(expectation->path, fault_prefix, sizeof fault_prefix - 1) != 0) {
        return true;
    }
    return strtoull(expectation->path + sizeof fault_prefix - 1, NULL, 10) < count ||
           sim_read_refuse(&cited, "the index of one of the %zu faults of this file", count);
}

static bool check_tighter(const struct sim_node *node, const struct sim_target *target,
                          const struct sim_expectation *expectation)
{
    struct sim_node min = sim_read_member(node, "min");
    struct sim_node max = sim_read_member(node, "max");
    bool min_is_looser = expectation->minimum < target->minimum;
    char bound[40];
    struct sim_text text;

    if (!min_is_looser && expectation->maximum <= target->maximum) {
        return true;
    }
    sim_text_init(&text, bound, sizeof bound);
    sim_text_add_number(&text, min_is_looser ? target->minimum : target->maximum);
    return sim_read_refuse(min_is_looser ? &min : &max, "tighter than the target \"%s\": at %s %s",
                           target->name, min_is_looser ? "least" : "most", bound);
}

/* The target the expectation cites, or NULL with the error filled. The targets are read when the
 * first one is cited. */
static const struct sim_target *find_target(const struct sim_node *node,
                                            struct sim_targets *targets)
{
    struct sim_node name = sim_read_member(node, "target");
    const char *found = NULL;
    uint32_t index = 0;

    if (!sim_read_line(&name, "the name of a target", SIM_NAME_SIZE - 1, &found)) {
        return NULL;
    }
    if (targets->count == 0) {
        char *file = sim_targets_locate(node->document->file);
        if (!file) {
            (void)sim_read_refuse(&name,
                                  "a target only where a targets.json stands beside the "
                                  "scenario, or there or in scenarios/ up to 4 folders above");
            return NULL;
        }
        bool good = sim_targets_load(targets, file, node->document->error);
        free(file);
        if (!good) {
            return NULL;
        }
    }
    return sim_read_reference_text(&name, found, "target", targets->targets,
                                   sizeof *targets->targets, targets->count, &index)
               ? &targets->targets[index]
               : NULL;
}

static bool read_expectation(const struct sim_node *node, struct sim_targets *targets,
                             struct sim_expectation *expectation)
{
    static const struct sim_key_use uses[] = {{"path", 1}, {"target", 2}, {"min", 3}, {"max", 3}};
    static const char *const names[] = {"path", "target"};
    size_t chosen = 0;

    expectation->minimum = -(double)INFINITY;
    expectation->maximum = (double)INFINITY;
    if (!sim_read_is_object(node, "an object with a path or a target") ||
        !sim_read_keys(node, uses, 4) || !sim_read_one_of(node, names, 2, &chosen)) {
        return false;
    }
    if (chosen == 0) {
        return sim_read_result_path(node, expectation->path, sizeof expectation->path) &&
               check_population(node, expectation) && check_fault(node, expectation) &&
               sim_read_range(node, SIM_REQUIRED, &expectation->minimum, &expectation->maximum);
    }
    const struct sim_target *target = find_target(node, targets);
    if (!target) {
        return false;
    }
    memcpy(expectation->path, target->path, sizeof expectation->path);
    memcpy(expectation->target, target->name, sizeof expectation->target);
    expectation->minimum = target->minimum;
    expectation->maximum = target->maximum;
    return check_fault(node, expectation) &&
           sim_read_range(node, SIM_OPTIONAL, &expectation->minimum, &expectation->maximum) &&
           check_tighter(node, target, expectation);
}

bool sim_scenario_read_expect(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node expect = sim_read_member(root, "expect");
    struct sim_targets targets = {0};
    bool good = true;

    if (!expect.value) {
        return true;
    }
    if (!sim_read_is_array(&expect, "an array of expectations")) {
        return false;
    }
    size_t count = json_array_size(expect.value);
    scenario->expectations = sim_memory_new(count, sizeof *scenario->expectations);
    for (size_t i = 0; i < count && good; i++) {
        struct sim_node node = sim_read_element(&expect, i);

        good = read_expectation(&node, &targets,
                                &scenario->expectations[scenario->expectation_count++]);
    }
    sim_targets_free(&targets);
    return good;
}
