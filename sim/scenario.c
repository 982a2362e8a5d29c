#include "scenario.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "scenario_sections.h"
#include "scenario_set.h"
#include "scenario_text.h"

enum {
    WHY_BYTES_MAX = 2000,
};

static const struct sim_key_use root_uses[] = {
    {"name", 1},  {"why", 1},    {"seed", 1},    {"duration_s", 1},
    {"fleet", 1}, {"store", 1},  {"limiter", 1}, {"endpoints", 1},
    {"plans", 1}, {"keys", 1},   {"traffic", 1}, {"changes", 1},
    {"polls", 1}, {"faults", 1}, {"expect", 1},  {"$schema", 1},
};

/* The file's name without folder and .json, made fit to print: odd bytes become "_". */
static void name_after_file(struct sim_scenario *scenario, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    size_t length = strlen(base);
    struct sim_text text;

    if (length > 5 && strcmp(base + length - 5, ".json") == 0) {
        length -= 5;
    }
    sim_text_init(&text, scenario->name, sizeof scenario->name);
    for (size_t i = 0; i < length;) {
        size_t size = sim_text_character_size(base + i, length - i);
        bool odd = size == 0 || sim_text_is_control(base + i, size);

        size = size > 0 ? size : 1;
        if (text.length + size >= text.size) {
            return;
        }
        if (odd) {
            sim_text_add(&text, "_");
        } else {
            sim_text_add(&text, "%.*s", (int)size, base + i);
        }
        i += size;
    }
}

static bool read_name(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node node = sim_read_member(root, "name");
    const char *name = NULL;

    if (!node.value) {
        name_after_file(scenario, root->document->file);
        return true;
    }
    if (!sim_read_line(&node, "a name", SIM_NAME_SIZE - 1, &name)) {
        return false;
    }
    if (strchr(name, '/') != NULL) {
        return sim_read_refuse(&node, "a name without /");
    }
    memcpy(scenario->name, name, strlen(name) + 1);
    return true;
}

static bool read_why(const struct sim_node *root, struct sim_scenario *scenario)
{
    struct sim_node node = sim_read_member(root, "why");
    const char *why = NULL;

    if (!sim_read_line(&node, "what the scenario shows", WHY_BYTES_MAX, &why)) {
        return false;
    }
    scenario->why = sim_memory_new(strlen(why) + 1, 1);
    memcpy(scenario->why, why, strlen(why) + 1);
    return true;
}

/* For editors: where the schema of this file is. */
static bool read_schema(const struct sim_node *root)
{
    struct sim_node schema = sim_read_member(root, "$schema");

    return !schema.value || json_is_string(schema.value) ||
           sim_read_refuse(&schema, "the path or address of a JSON Schema");
}

static bool read_scenario(const struct sim_node *root, struct sim_scenario *scenario)
{
    static const struct sim_integer_rule seed = {
        .key = "seed", .maximum = INT64_MAX, .presence = SIM_OPTIONAL, .fallback = 1};
    static const struct sim_decimal_rule duration = {
        .key = "duration_s", .maximum = 86400, .scale = 1e9, .positive = true};

    return sim_read_is_object(root, "one object") &&
           sim_read_keys(root, root_uses, sizeof root_uses / sizeof root_uses[0]) &&
           read_schema(root) && read_name(root, scenario) && read_why(root, scenario) &&
           sim_read_integer(root, &seed, &scenario->seed) &&
           sim_read_decimal(root, &duration, &scenario->duration_ns) &&
           sim_scenario_read_fleet(root, scenario) && sim_scenario_read_store(root, scenario) &&
           sim_scenario_read_limiter(root, scenario) &&
           sim_scenario_read_endpoints(root, scenario) && sim_scenario_read_plans(root, scenario) &&
           sim_scenario_read_keys(root, scenario) && sim_scenario_read_traffic(root, scenario) &&
           sim_scenario_read_changes(root, scenario) && sim_scenario_read_polls(root, scenario) &&
           sim_scenario_read_faults(root, scenario) && sim_scenario_check_work(root, scenario) &&
           sim_scenario_read_expect(root, scenario);
}

bool sim_scenario_load(struct sim_scenario *scenario, const char *path, const char *const *sets,
                       size_t set_count, struct sim_error *error)
{
    struct sim_document document;

    *scenario = (struct sim_scenario){0};
    if (!sim_document_open(&document, path, error)) {
        return false;
    }
    struct sim_node root = sim_document_root(&document);
    bool good =
        sim_scenario_apply_sets(&document, sets, set_count) && read_scenario(&root, scenario);
    sim_document_close(&document);
    if (!good) {
        sim_scenario_free(scenario);
    }
    return good;
}

static void free_faults(struct fault_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->faults[i].processes.member);
        free(list->faults[i].shards.member);
    }
    free(list->faults);
    free(list->fired_count);
}

static void free_balance(struct sim_balance *balance)
{
    free(balance->before.weights);
    free(balance->after.weights);
}

void sim_scenario_free(struct sim_scenario *scenario)
{
    for (size_t i = 0; i < scenario->population_count; i++) {
        free_balance(&scenario->populations[i].balance);
        free(scenario->populations[i].mix);
    }
    for (size_t i = 0; i < scenario->traffic_count; i++) {
        free(scenario->traffic[i].rows);
    }
    free_balance(&scenario->balance);
    free_faults(&scenario->faults);
    free(scenario->regions);
    free(scenario->split_weights);
    free(scenario->why);
    free(scenario->plans);
    free(scenario->endpoints);
    free(scenario->populations);
    free(scenario->traffic);
    free(scenario->changes);
    free(scenario->polls);
    free(scenario->expectations);
    *scenario = (struct sim_scenario){0};
}

bool sim_scenario_keeps_counters(const struct sim_scenario *scenario)
{
    const enum sim_coordination coordination = scenario->coordination;

    return coordination == SIM_COORDINATION_AS_WRITTEN ||
           coordination == SIM_COORDINATION_READ_THEN_WRITE ||
           coordination == SIM_COORDINATION_TWO_COMMANDS || coordination == SIM_COORDINATION_LOCK;
}
