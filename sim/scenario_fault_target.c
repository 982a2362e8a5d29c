/* Whom a fault concerns: sets of processes and of shards. */
#include "memory.h"
#include "scenario_fault.h"

/* A fault of one of these without targets would not say whom it means. */
#define NEEDS_PROCESSES                                                                            \
    (KIND(STORE_SPLIT) | KIND(CRASH) | KIND(PAUSE) | KIND(FORK) | KIND(SCALE) | KIND(DRAIN))

/* Somebody must be left for the other side. */
#define NEEDS_OTHERS (KIND(STORE_SPLIT) | KIND(DRAIN))

static uint8_t *own_members(struct fault_set *set)
{
    set->member = sim_memory_new(set->count, sizeof *set->member);
    return set->member;
}

static void add_range(struct fault_set *set, uint32_t first, uint32_t count)
{
    uint8_t *member = own_members(set);

    for (uint32_t i = first; i < first + count; i++) {
        member[i] = 1;
    }
}

/* {"first": 0, "count": 10} */
static bool read_range(const struct sim_node *node, struct fault_set *set)
{
    static const struct sim_key_use uses[] = {{"first", 1}, {"count", 1}};
    const struct sim_integer_rule first_rule = {.key = "first", .maximum = set->count - 1};
    uint32_t first = 0;
    uint32_t count = 0;

    if (!sim_read_keys(node, uses, 2) || !sim_read_integer32(node, &first_rule, &first)) {
        return false;
    }
    const struct sim_integer_rule count_rule = {
        .key = "count", .minimum = 1, .maximum = set->count - first};
    if (!sim_read_integer32(node, &count_rule, &count)) {
        return false;
    }
    add_range(set, first, count);
    return true;
}

/* [1, 2] */
static bool read_numbers(const struct sim_node *node, struct fault_set *set)
{
    uint8_t *member = own_members(set);

    if (json_array_size(node->value) == 0) {
        return sim_read_refuse(node, "at least one number");
    }
    for (size_t i = 0; i < json_array_size(node->value); i++) {
        struct sim_node element = sim_read_element(node, i);
        const json_int_t number = json_integer_value(element.value);

        if (!json_is_integer(element.value) || number < 0 || number >= (json_int_t)set->count) {
            return sim_read_refuse(&element, "an integer from 0 to %lu",
                                   (unsigned long)set->count - 1);
        }
        if (member[number] != 0) {
            return sim_read_refuse(&element, "each number once");
        }
        member[number] = 1;
    }
    return true;
}

static bool read_region(const struct sim_node *node, const struct sim_scenario *scenario,
                        struct fault_set *set)
{
    uint32_t region = 0;

    if (!sim_read_reference(node, "region", scenario->regions, sizeof *scenario->regions,
                            scenario->region_count, &region)) {
        return false;
    }
    add_range(set, scenario->regions[region].first_process,
              scenario->regions[region].process_count);
    return true;
}

static bool read_processes(const struct sim_node *node, const struct sim_scenario *scenario,
                           struct fault *fault)
{
    static const char *const keys[] = {"processes", "region"};
    struct sim_node processes = sim_read_member(node, "processes");
    struct sim_node region = sim_read_member(node, "region");
    size_t chosen = 0;

    if (fault->kind == FAULT_REGION_CUT) {
        return read_region(&region, scenario, &fault->processes);
    }
    if (!processes.value && !region.value && (NEEDS_PROCESSES & sim_kind_of(fault)) == 0) {
        return true;
    }
    if (!sim_read_one_of(node, keys, 2, &chosen)) {
        return false;
    }
    if (chosen == 1) {
        return read_region(&region, scenario, &fault->processes);
    }
    if (json_is_object(processes.value)) {
        return read_range(&processes, &fault->processes);
    }
    return sim_read_is_array(&processes, "an array of numbers, or an object with first and "
                                         "count") &&
           read_numbers(&processes, &fault->processes);
}

static bool leaves_others(const struct fault_set *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (!fault_set_holds(set, i)) {
            return true;
        }
    }
    return false;
}

bool sim_scenario_read_targets(const struct sim_node *node, const struct sim_scenario *scenario,
                               struct fault *fault)
{
    struct sim_node shards = sim_read_member(node, "shards");

    fault->processes.count = scenario->process_count;
    fault->shards.count = scenario->shard_count;
    if (!read_processes(node, scenario, fault)) {
        return false;
    }
    if ((NEEDS_OTHERS & sim_kind_of(fault)) != 0 && !leaves_others(&fault->processes)) {
        return sim_read_fail(node, "found all %lu processes; allowed: all but at least one",
                             (unsigned long)scenario->process_count);
    }
    return !shards.value || (sim_read_is_array(&shards, "an array of numbers") &&
                             read_numbers(&shards, &fault->shards));
}
