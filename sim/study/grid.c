#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid_values.h"
#include "memory.h"
#include "readable.h"
#include "weir/assert.h"

#define SHOWN_WIDTH 60
#define TEXT_FORM (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

/* An axis while its values are read. */
struct reading {
    struct study_axis *axis;
    char *error;
    size_t error_size;
};

static char *copy(const char *text, size_t length)
{
    char *new = sim_memory_new(length + 1, 1);

    memcpy(new, text, length);
    return new;
}

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);

    return json != NULL ? json : json_string(text);
}

/* In the one form; allocated. */
static char *text_of(const json_t *json)
{
    if (json_is_string(json)) {
        json_t *mistaken = json_loads(json_string_value(json), JSON_DECODE_ANY, NULL);
        const bool is_plain = mistaken == NULL && json_string_length(json) > 0;
        json_decref(mistaken);
        if (is_plain) {
            return copy(json_string_value(json), json_string_length(json));
        }
    }
    return json_dumps(json, TEXT_FORM);
}

/* {"sizer": "fixed", "fixed_lease_units": 20} is "fixed 20". */
static void add_words(char *label, size_t size, json_t *json)
{
    const char *key;
    json_t *member;
    size_t index;

    json_object_foreach(json, key, member)
    {
        add_words(label, size, member);
    }
    json_array_foreach(json, index, member)
    {
        add_words(label, size, member);
    }
    if (!json_is_object(json) && !json_is_array(json)) {
        char *text = text_of(json);
        const size_t length = strlen(label);
        snprintf(label + length, size - length, "%s%s", length > 0 ? " " : "", text);
        free(text);
    }
}

static bool add_value(struct study_axis *axis, json_t *json, char *error, size_t error_size)
{
    char words[4 * STUDY_GRID_LABEL_SIZE] = "";
    char cut[4 * SHOWN_WIDTH];
    char *text = text_of(json);

    WEIR_ASSERT(text != NULL);
    for (size_t i = 0; i < axis->value_count; i++) {
        if (strcmp(axis->values[i].text, text) == 0) {
            sim_readable_cut(cut, sizeof cut, text, SHOWN_WIDTH);
            snprintf(error, error_size, "found %s twice; allowed: each value once", cut);
            free(text);
            return false;
        }
    }
    struct study_value *value = &axis->values[axis->value_count++];
    const size_t path_length = strlen(axis->path);
    value->set = sim_memory_new(path_length + 1 + strlen(text) + 1, 1);
    memcpy(value->set, axis->path, path_length);
    value->set[path_length] = '=';
    value->text = value->set + path_length + 1;
    memcpy(value->text, text, strlen(text));
    add_words(words, sizeof words, json);
    value->label = sim_memory_new(sizeof words, 1);
    sim_readable_cut(value->label, sizeof words, words[0] == '\0' ? text : words,
                     STUDY_GRID_LABEL_SIZE);
    value->is_number = json_is_number(json);
    value->number = json_number_value(json);
    free(text);
    return true;
}

static bool take_value(void *context, const char *text)
{
    const struct reading *reading = context;
    json_t *json = parse(text);
    bool good = false;

    if (json == NULL) {
        snprintf(reading->error, reading->error_size,
                 "found bytes that are not UTF-8; allowed: JSON or strings");
    } else {
        good = add_value(reading->axis, json, reading->error, reading->error_size);
    }
    json_decref(json);
    return good;
}

static void free_axis(struct study_axis *axis)
{
    for (size_t i = 0; i < axis->value_count; i++) {
        free(axis->values[i].set);
        free(axis->values[i].label);
    }
    free(axis->values);
    free(axis->path);
    *axis = (struct study_axis){0};
}

/* Two objects may have the same members under other names: then their whole text tells them apart.
 */
static void tell_labels_apart(struct study_axis *axis)
{
    bool are_alike = false;

    for (size_t i = 0; i < axis->value_count; i++) {
        for (size_t k = 0; k < i; k++) {
            are_alike = are_alike || strcmp(axis->values[i].label, axis->values[k].label) == 0;
        }
    }
    for (size_t i = 0; i < axis->value_count && are_alike; i++) {
        sim_readable_cut(axis->values[i].label, 4 * STUDY_GRID_LABEL_SIZE, axis->values[i].text,
                         STUDY_GRID_LABEL_SIZE);
    }
}

/* The last name of the path; all of it where two axes end alike. */
static void name_axes(struct study_grid *grid)
{
    for (size_t i = 0; i < grid->axis_count; i++) {
        const char *dot = strrchr(grid->axes[i].path, '.');
        grid->axes[i].name = dot == NULL ? grid->axes[i].path : dot + 1;
    }
    for (size_t i = 0; i < grid->axis_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(grid->axes[i].name, grid->axes[k].name) == 0) {
                grid->axes[i].name = grid->axes[i].path;
                grid->axes[k].name = grid->axes[k].path;
            }
        }
    }
}

/* "traffic" may be one object or an array: "traffic[0].x" is "traffic.x" then. */
static const char *skip_single(const char *path, const char *at)
{
    return at - path == 7 && strncmp(at, "[0]", 3) == 0 && strncmp(path, "traffic", 7) == 0 ? at + 3
                                                                                            : at;
}

bool study_grid_path_undoes(const char *later, const char *path)
{
    const char *a = later;
    const char *b = path;

    for (;;) {
        a = skip_single(later, a);
        b = skip_single(path, b);
        if (*a == '\0' || *a != *b) {
            break;
        }
        a++;
        b++;
    }
    return *a == '\0' && (*b == '\0' || *b == '.' || *b == '[');
}

/* Take the axis in, or say why not. */
static bool admit_axis(struct study_grid *grid, struct study_axis *axis, char *error,
                       size_t error_size)
{
    for (size_t i = 0; i < grid->axis_count; i++) {
        const char *before = grid->axes[i].path;
        if (study_grid_path_undoes(axis->path, before)) {
            const bool is_same = study_grid_path_undoes(before, axis->path);
            snprintf(error, error_size,
                     is_same ? "given twice; allowed: each path once, with all its values"
                             : "would undo %.100s before it; allowed: the other way round",
                     before);
            return false;
        }
    }
    tell_labels_apart(axis);
    grid->axes[grid->axis_count++] = *axis;
    name_axes(grid);
    return true;
}

static bool begin_axis(const struct study_grid *grid, struct study_axis *axis, const char *path,
                       size_t path_length, struct reading *reading)
{
    if (grid->axis_count == STUDY_GRID_AXES_MAX) {
        snprintf(reading->error, reading->error_size,
                 "found another path to vary; allowed: up to %d", STUDY_GRID_AXES_MAX);
        return false;
    }
    *axis = (struct study_axis){
        .path = copy(path, path_length),
        .values = sim_memory_new(STUDY_GRID_VALUES_MAX, sizeof *axis->values),
    };
    reading->axis = axis;
    return true;
}

bool study_grid_add(struct study_grid *grid, const char *vary, char *error, size_t error_size)
{
    const size_t path_length = strcspn(vary, "=");
    struct reading reading = {.error = error, .error_size = error_size};
    struct study_axis axis;

    if (path_length == 0 || vary[path_length] == '\0') {
        snprintf(error, error_size,
                 "found no path and values; allowed: PATH=VALUES, such as "
                 "fleet.processes=10,50,200");
        return false;
    }
    if (!begin_axis(grid, &axis, vary, path_length, &reading)) {
        return false;
    }
    if (study_grid_values(vary + path_length + 1, take_value, &reading, error, error_size) &&
        admit_axis(grid, &axis, error, error_size)) {
        return true;
    }
    free_axis(&axis);
    return false;
}

bool study_grid_add_json(struct study_grid *grid, json_t *json, char *error, size_t error_size)
{
    struct reading reading = {.error = error, .error_size = error_size};
    struct study_axis axis;
    const char *path = NULL;
    json_t *values = NULL;
    json_t *value;
    size_t index;

    if (json_unpack(json, "{s:s, s:o!}", "path", &path, "values", &values) != 0 ||
        json_array_size(values) == 0 || json_array_size(values) > STUDY_GRID_VALUES_MAX ||
        *path == '\0') {
        snprintf(error, error_size, "found no path and 1 to %d values", STUDY_GRID_VALUES_MAX);
        return false;
    }
    if (!begin_axis(grid, &axis, path, strlen(path), &reading)) {
        return false;
    }
    bool good = true;
    json_array_foreach(values, index, value)
    {
        good = good && add_value(&axis, value, error, error_size);
    }
    if (good && admit_axis(grid, &axis, error, error_size)) {
        return true;
    }
    free_axis(&axis);
    return false;
}

json_t *study_grid_value_json(const struct study_value *value)
{
    return parse(value->text);
}

json_t *study_grid_axis_json(const struct study_axis *axis)
{
    json_t *values = json_array();

    for (size_t i = 0; i < axis->value_count; i++) {
        json_array_append_new(values, study_grid_value_json(&axis->values[i]));
    }
    return json_pack("{s:s, s:o}", "path", axis->path, "values", values);
}

void study_grid_free(struct study_grid *grid)
{
    for (size_t i = 0; i < grid->axis_count; i++) {
        free_axis(&grid->axes[i]);
    }
    grid->axis_count = 0;
}

size_t study_grid_cell_count(const struct study_grid *grid)
{
    size_t count = 1;

    for (size_t i = 0; i < grid->axis_count; i++) {
        count *= grid->axes[i].value_count;
    }
    return count;
}

size_t study_grid_index(const struct study_grid *grid, size_t cell, size_t axis)
{
    WEIR_ASSERT(axis < grid->axis_count);
    for (size_t i = grid->axis_count; i > axis + 1; i--) {
        cell /= grid->axes[i - 1].value_count;
    }
    return cell % grid->axes[axis].value_count;
}

const struct study_value *study_grid_value(const struct study_grid *grid, size_t cell, size_t axis)
{
    return &grid->axes[axis].values[study_grid_index(grid, cell, axis)];
}
