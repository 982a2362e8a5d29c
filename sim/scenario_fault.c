/* What goes wrong in mid-run: which kind of fault, under which name, and that its keys are those of
 * its kind. Targets, times and parameters have files of their own. */
#include "scenario_fault.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "prng.h"
#include "scenario_sections.h"

enum {
    FAULTS_MAX = 100,
    KIND_TEXT_SIZE = 40,
};

#define ALL_KINDS UINT64_MAX

/* Kinds that begin and end as the file says; the others begin only. */
#define WITH_A_SPAN (~(KIND(STORE_FAILOVER) | KIND(CRASH) | KIND(DEPLOY) | KIND(FORK)))

#define WITH_PROCESSES                                                                             \
    (KINDS_OF_MESSAGES | KINDS_OF_CLOCKS | KINDS_OF_PUSHES | KINDS_OF_REPORTS |                    \
     KIND(STORE_SPLIT) | KIND(CRASH) | KIND(DEPLOY) | KIND(PAUSE) | KIND(FORK) | KIND(SCALE) |     \
     KIND(PROCESS_COUNT) | KIND(DRAIN))

#define WITH_A_STEP                                                                                \
    (KIND(STORE_CLOCK) | KIND(CLOCK_OFFSET) | KIND(CLOCK_SQUARE) | KIND(CLOCK_SMEAR))

#define WITH_A_DELAY (KIND(STORE_SLOW) | KIND(DELAY) | KIND(PUSH_DELAYED) | KIND(REPORT_DELAYED))

static const struct sim_key_use fault_uses[] = {
    {"kind", ALL_KINDS},
    {"id", ALL_KINDS},
    {"from_s", ALL_KINDS},
    {"for_s", WITH_A_SPAN},
    {"until_s", WITH_A_SPAN},
    {"processes", WITH_PROCESSES},
    {"region", WITH_PROCESSES | KIND(REGION_CUT)},
    {"shards", KINDS_OF_STORE | KINDS_OF_MESSAGES | KIND(SLOW_LINK)},
    {"probability_pct", KIND(STORE_ERROR) | KIND(STORE_EVICT) | KIND(REQUEST_LOST) |
                            KIND(REPLY_LOST) | KIND(DUPLICATE) | KIND(LOSS) | KINDS_OF_PUSHES |
                            KINDS_OF_REPORTS},
    {"factor", KIND(STORE_SLOW)},
    {"added_ms", WITH_A_DELAY},
    {"spread_ms", WITH_A_DELAY | KIND(DUPLICATE) | KIND(REPORT_DUPLICATE) | KIND(RETRY)},
    {"period_s", KIND(STORE_OUTAGE) | KIND(CLOCK_SQUARE)},
    {"on_pct", KIND(STORE_OUTAGE)},
    {"every_s", KIND(STORE_EVICT) | KIND(DEPLOY) | KIND(CHURN)},
    {"error", KIND(STORE_ERROR)},
    {"connections", KIND(STORE_CONNECTIONS)},
    {"lag_ms", KIND(STORE_FAILOVER) | KIND(STORE_SPLIT)},
    {"step_s", WITH_A_STEP},
    {"step_ms", WITH_A_STEP},
    {"drift_ppm", KIND(CLOCK_DRIFT)},
    {"way", KIND(PARTITION)},
    {"bandwidth_bytes_per_s", KIND(SLOW_LINK)},
    {"restart_after_s", KIND(CRASH)},
    {"lose_mapping", KIND(CRASH)},
    {"down_s", KIND(DEPLOY)},
    {"direction", KIND(SCALE)},
    {"processes_told", KIND(PROCESS_COUNT)},
    {"by", KIND(FLIP)},
    {"keys", KIND(HOT_KEY) | KIND(CHURN)},
    {"key", KIND(HOT_KEY)},
    {"times", KIND(HOT_KEY)},
};

enum {
    USE_COUNT = sizeof fault_uses / sizeof fault_uses[0],
};

/* An unknown key is told the keys of this kind: those of all would not fit on a line. */
static bool check_keys(const struct sim_node *node, enum fault_kind kind)
{
    struct sim_key_use uses[USE_COUNT];
    char kind_text[KIND_TEXT_SIZE];
    size_t count = 0;

    (void)snprintf(kind_text, sizeof kind_text, "kind \"%s\"", fault_kind_names[kind]);
    for (size_t i = 0; i < USE_COUNT; i++) {
        if ((fault_uses[i].kinds >> kind & 1) != 0) {
            uses[count++] = fault_uses[i];
        }
    }
    return sim_read_keys_of_kind(node, fault_uses, USE_COUNT, UINT64_C(1) << kind, kind_text) &&
           sim_read_keys(node, uses, count);
}

#define KINDS_OF_REPLICAS (KIND(STORE_FAILOVER) | KIND(STORE_SPLIT))

/* What a baseline can suffer. None reports, knows the size of the fleet, or has copies of itself.
 * Counters live in no replica; nor do they change with plans. Those that decide in the processes
 * ask for sums that the store does not lose, or for nothing. */
static uint64_t bearable_kinds(enum sim_coordination coordination)
{
    const uint64_t asking = ~(KINDS_OF_REPORTS | KIND(PROCESS_COUNT) | KIND(FORK));

    switch (coordination) {
    case SIM_COORDINATION_LEASE:
    case SIM_COORDINATION_COUNT:
        break;
    case SIM_COORDINATION_PER_REQUEST:
    case SIM_COORDINATION_SERVICE:
        return asking;
    case SIM_COORDINATION_AS_WRITTEN:
    case SIM_COORDINATION_READ_THEN_WRITE:
    case SIM_COORDINATION_TWO_COMMANDS:
    case SIM_COORDINATION_LOCK:
        return asking & ~(KINDS_OF_REPLICAS | KINDS_OF_PUSHES);
    case SIM_COORDINATION_LOCAL_SPLIT:
        return KINDS_OF_TRAFFIC | KINDS_OF_PROCESSES | KINDS_OF_CLOCKS;
    case SIM_COORDINATION_ASYNC_SYNC:
    case SIM_COORDINATION_RATE_SHARE:
        return ~(KINDS_OF_REPLICAS | KIND(STORE_EMPTY) | KIND(STORE_EVICT) | KINDS_OF_PUSHES |
                 KINDS_OF_REPORTS);
    }
    return ALL_KINDS;
}

static const char *bearable_words(enum sim_coordination coordination)
{
    switch (coordination) {
    case SIM_COORDINATION_PER_REQUEST:
    case SIM_COORDINATION_SERVICE:
        return "no fork, process_count, or fault of reports";
    case SIM_COORDINATION_LOCAL_SPLIT:
        return "a fault of requests, processes or their clocks";
    case SIM_COORDINATION_ASYNC_SYNC:
    case SIM_COORDINATION_RATE_SHARE:
        return "no fault of the store's memory, of pushes or of reports";
    case SIM_COORDINATION_AS_WRITTEN:
    case SIM_COORDINATION_READ_THEN_WRITE:
    case SIM_COORDINATION_TWO_COMMANDS:
    case SIM_COORDINATION_LOCK:
    case SIM_COORDINATION_LEASE:
    case SIM_COORDINATION_COUNT:
        break;
    }
    return "no fork, process_count, or fault of replicas, pushes or reports";
}

static bool check_coordination(const struct sim_node *node, const struct sim_scenario *scenario,
                               enum fault_kind kind)
{
    const enum sim_coordination coordination = scenario->coordination;
    struct sim_node kind_node = sim_read_member(node, "kind");

    return (bearable_kinds(coordination) >> kind & 1) != 0 ||
           sim_read_refuse(&kind_node, "%s with coordination \"%s\"", bearable_words(coordination),
                           sim_coordination_names[coordination]);
}

/* Of several without a name, the second is KIND-2. */
static void name_after_kind(const struct sim_scenario *scenario, struct fault *fault)
{
    size_t number = 1;

    for (const struct fault *other = scenario->faults.faults; other < fault; other++) {
        number += other->kind == fault->kind;
    }
    (void)snprintf(fault->id, sizeof fault->id, number > 1 ? "%s-%zu" : "%s",
                   fault_kind_names[fault->kind], number);
}

static bool read_id(const struct sim_node *node, const struct sim_scenario *scenario,
                    struct fault *fault)
{
    struct sim_node id = sim_read_member(node, "id");
    char name[SIM_NAME_SIZE];

    _Static_assert(sizeof name <= sizeof fault->id, "every name is an id");
    if (!id.value) {
        name_after_kind(scenario, fault);
    } else if (sim_read_name(&id, name)) {
        memcpy(fault->id, name, sizeof name);
    } else {
        return false;
    }
    for (const struct fault *other = scenario->faults.faults; other < fault; other++) {
        if (strcmp(other->id, fault->id) == 0) {
            return sim_read_fail(id.value ? &id : node,
                                 "found a second fault of this id (default: its kind, or KIND-2 "
                                 "and so on); allowed: one");
        }
    }
    return true;
}

static bool read_fault(const struct sim_node *node, const struct sim_scenario *scenario,
                       struct fault *fault)
{
    static const struct sim_choice_rule rule = {
        .key = "kind", .names = fault_kind_names, .name_count = FAULT_KIND_COUNT};
    size_t kind = FAULT_STORE_OUTAGE;
    struct sim_prng prng;

    if (!sim_read_is_object(node, "an object with a kind and from_s") ||
        !sim_read_choice(node, &rule, &kind) || !check_keys(node, (enum fault_kind)kind) ||
        !check_coordination(node, scenario, (enum fault_kind)kind)) {
        return false;
    }
    fault->kind = (enum fault_kind)kind;
    if (!read_id(node, scenario, fault)) {
        return false;
    }
    sim_prng_init(&prng, scenario->seed, "fault", sim_prng_hash_text(fault->id));
    fault->seed = sim_prng_next(&prng);
    return sim_scenario_read_targets(node, scenario, fault) &&
           sim_scenario_read_fault_span(node, scenario, fault) &&
           sim_scenario_read_parameters(node, scenario, fault);
}

bool sim_scenario_read_faults(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node faults = sim_read_member(root, "faults");

    if (!faults.value) {
        return true;
    }
    if (!sim_read_is_array(&faults, "an array of faults")) {
        return false;
    }
    const size_t count = json_array_size(faults.value);
    if (count > FAULTS_MAX) {
        return sim_read_refuse(&faults, "at most %d faults", FAULTS_MAX);
    }
    if (count == 0) {
        return true;
    }
    scenario->faults.faults = sim_memory_new(count, sizeof *scenario->faults.faults);
    scenario->faults.fired_count = sim_memory_new(count, sizeof *scenario->faults.fired_count);
    for (size_t i = 0; i < count; i++) {
        struct sim_node node = sim_read_element(&faults, i);

        if (!read_fault(&node, scenario, &scenario->faults.faults[scenario->faults.count++])) {
            return false;
        }
    }
    return sim_scenario_check_lives(&faults, scenario);
}
