#include "targets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "scenario_expect.h"
#include "scenario_file.h"

enum {
    FOLDERS_ABOVE_MAX = 4,
    ROW_BYTES_MAX = 1000,
};

_Static_assert(sizeof(((struct sim_target *)0)->path) ==
                   sizeof(((struct sim_expectation *)0)->path),
               "an expectation copies its target's path");

static bool read_target(const struct sim_node *node, struct sim_target *target)
{
    static const struct sim_key_use uses[] = {{"path", 1}, {"min", 1}, {"max", 1}, {"row", 1}};
    const char *row = NULL;

    target->minimum = -(double)INFINITY;
    target->maximum = (double)INFINITY;
    if (!sim_read_entry_name(node, target->name) ||
        !sim_read_is_object(node, "an object with path, row, and min or max") ||
        !sim_read_keys(node, uses, sizeof uses / sizeof uses[0]) ||
        !sim_read_result_path(node, target->path, sizeof target->path) ||
        !sim_read_range(node, SIM_REQUIRED, &target->minimum, &target->maximum)) {
        return false;
    }
    struct sim_node row_node = sim_read_member(node, "row");
    if (!sim_read_line(&row_node, "the condition in words", ROW_BYTES_MAX, &row)) {
        return false;
    }
    target->row = sim_memory_new(strlen(row) + 1, 1);
    memcpy(target->row, row, strlen(row) + 1);
    return true;
}

static bool read_targets(const struct sim_node *root, struct sim_targets *targets)
{
    static const struct sim_key_use uses[] = {{"targets", 1}};
    struct sim_node node = sim_read_member(root, "targets");
    const char *name;
    json_t *value;

    if (!sim_read_keys(root, uses, 1) ||
        !sim_read_is_object(&node, "an object with at least one target")) {
        return false;
    }
    if (json_object_size(node.value) == 0) {
        return sim_read_refuse(&node, "at least one target");
    }
    targets->targets = sim_memory_new(json_object_size(node.value), sizeof *targets->targets);
    json_object_foreach(node.value, name, value)
    {
        struct sim_node entry = sim_read_member(&node, name);

        if (!read_target(&entry, &targets->targets[targets->count++])) {
            return false;
        }
    }
    return true;
}

bool sim_targets_load(struct sim_targets *targets, const char *path, struct sim_error *error)
{
    struct sim_document document;

    *targets = (struct sim_targets){0};
    if (!sim_document_open(&document, path, error)) {
        return false;
    }
    struct sim_node root = sim_document_root(&document);
    bool good = read_targets(&root, targets);
    sim_document_close(&document);
    if (!good) {
        sim_targets_free(targets);
    }
    return good;
}

void sim_targets_free(struct sim_targets *targets)
{
    for (size_t i = 0; i < targets->count; i++) {
        free(targets->targets[i].row);
    }
    free(targets->targets);
    *targets = (struct sim_targets){0};
}

char *sim_targets_locate(const char *scenario_path)
{
    static const char *const places[] = {"targets.json", "scenarios/targets.json"};
    char name[FOLDERS_ABOVE_MAX * 3 + 32] = "";

    for (size_t above = 0; above <= FOLDERS_ABOVE_MAX; above++) {
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            memcpy(name + above * 3, places[i], strlen(places[i]) + 1);
            char *path = sim_file_beside(scenario_path, name);

            if (access(path, F_OK) == 0) {
                return path;
            }
            free(path);
        }
        memcpy(name + above * 3, "../", 4);
    }
    return NULL;
}
