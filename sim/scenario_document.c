#include "scenario_document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_file.h"
#include "scenario_text.h"

enum {
    HASH_SEED = 20119, /* any constant: jansson would take one from the operating system */
    PATH_SIZE = 121,
    KEY_CHARACTERS_MAX = 40,
    OVERRIDE_CHARACTERS_MAX = 90,
};

static void parse_fail(struct sim_document *document, const json_error_t *why)
{
    static const char *const with_path[][2] = {
        {"duplicate object key", "this key appears twice in its object; allowed: each key once"},
        {"too big", "integer too large; allowed: at most 9223372036854775807"},
        {"\\u0000", "string with a zero character; allowed: any other character"},
        {"real number overflow", "number too large; allowed: less than 1.8e308"},
        {"maximum parsing depth", "nested too deeply; allowed: 2048 levels"},
    };
    struct sim_error *error = document->error;
    struct sim_text text;
    char path[PATH_SIZE];

    error->line = why->line > 0 ? why->line : 1;
    error->column = why->column > 0 ? why->column : 1;
    sim_text_init(&text, error->text, sizeof error->text);
    sim_text_add_file(&text, document->file);
    sim_text_add(&text, ":%d: ", error->line);
    for (size_t i = 0; i < sizeof with_path / sizeof with_path[0]; i++) {
        if (strncmp(why->text, with_path[i][0], strlen(with_path[i][0])) == 0) {
            sim_json_position_path(document->text, document->text_size, (size_t)why->position, path,
                                   sizeof path);
            sim_text_add(&text, "%s%s%s", path, path[0] ? ": " : "", with_path[i][1]);
            return;
        }
    }
    sim_text_add(&text, "not JSON: ");
    sim_text_add_escaped(&text, why->text, strlen(why->text), sizeof error->text);
    sim_text_add(&text, "; allowed: one JSON object in UTF-8");
}

bool sim_document_open(struct sim_document *document, const char *file, struct sim_error *error)
{
    json_error_t why;

    *document = (struct sim_document){.file = file, .error = error};
    *error = (struct sim_error){0};
    json_object_seed(HASH_SEED);
    if (!sim_file_read(file, SIM_JSON_BYTES_MAX, &document->text, &document->text_size, error)) {
        return false;
    }
    document->root = json_loadb(document->text, document->text_size, JSON_REJECT_DUPLICATES, &why);
    if (!document->root) {
        parse_fail(document, &why);
        sim_document_close(document);
        return false;
    }
    struct sim_node root = sim_document_root(document);
    if (!json_is_object(root.value)) {
        (void)sim_read_refuse(&root, "one object");
        sim_document_close(document);
        return false;
    }
    return true;
}

void sim_document_close(struct sim_document *document)
{
    for (size_t i = 0; i < document->override_count; i++) {
        free(document->overrides[i].path);
    }
    free(document->overrides);
    free(document->text);
    json_decref(document->root);
    *document = (struct sim_document){0};
}

struct sim_node sim_document_root(const struct sim_document *document)
{
    return (struct sim_node){.document = document, .value = document->root};
}

struct sim_node sim_read_member(const struct sim_node *object, const char *key)
{
    return (struct sim_node){
        .document = object->document,
        .parent = object,
        .key = key,
        .value = json_object_get(object->value, key),
    };
}

struct sim_node sim_read_element(const struct sim_node *array, size_t index)
{
    return (struct sim_node){
        .document = array->document,
        .parent = array,
        .index = index,
        .value = json_array_get(array->value, index),
    };
}

/* The way from the top level to the node. Returns the number of steps; a scenario has far fewer
 * than there is room for. */
static size_t node_steps(const struct sim_node *node, struct sim_json_step *steps)
{
    size_t count = 0;

    for (const struct sim_node *at = node; at->parent && count < SIM_PATH_STEPS_MAX;
         at = at->parent) {
        count++;
    }
    size_t i = count;
    for (const struct sim_node *at = node; i > 0; at = at->parent) {
        i--;
        steps[i] = (struct sim_json_step){.key = at->key, .index = at->index};
    }
    return count;
}

static bool steps_equal(const struct sim_json_step *left, const struct sim_json_step *right,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((left[i].key != NULL) != (right[i].key != NULL)) {
            return false;
        }
        if (left[i].key ? strcmp(left[i].key, right[i].key) != 0
                        : left[i].index != right[i].index) {
            return false;
        }
    }
    return true;
}

/* The override that set the node or something around it: the last one rules. */
static const struct sim_override *override_of(const struct sim_document *document,
                                              const struct sim_json_step *steps, size_t step_count)
{
    for (size_t i = document->override_count; i > 0; i--) {
        const struct sim_override *override = &document->overrides[i - 1];

        if (override->step_count <= step_count &&
            steps_equal(override->steps, steps, override->step_count)) {
            return override;
        }
    }
    return NULL;
}

static void add_path(struct sim_text *text, const struct sim_json_step *steps, size_t step_count)
{
    char path[PATH_SIZE];
    struct sim_text out;

    sim_text_init(&out, path, sizeof path);
    for (size_t i = 0; i < step_count; i++) {
        if (steps[i].key) {
            sim_text_add(&out, "%s%s", i > 0 ? "." : "", steps[i].key[0] ? "" : "\"\"");
            sim_text_add_escaped(&out, steps[i].key, strlen(steps[i].key), KEY_CHARACTERS_MAX);
        } else {
            sim_text_add(&out, "[%zu]", steps[i].index);
        }
    }
    sim_text_add(text, "%s%s", path, step_count > 0 ? ": " : "");
}

static void fail_at(const struct sim_node *node, const char *message)
{
    const struct sim_document *document = node->document;
    struct sim_error *error = document->error;
    struct sim_json_step steps[SIM_PATH_STEPS_MAX];
    size_t step_count = node_steps(node, steps);
    const struct sim_override *override = override_of(document, steps, step_count);
    struct sim_text text;

    sim_text_init(&text, error->text, sizeof error->text);
    if (override) {
        error->line = 0;
        error->column = 0;
        sim_text_add(&text, "--set ");
        sim_text_add_escaped(&text, override->text, strlen(override->text),
                             OVERRIDE_CHARACTERS_MAX);
        sim_text_add(&text, ": ");
    } else {
        struct sim_json_place place =
            sim_json_position_find(document->text, document->text_size, steps, step_count);
        error->line = place.line;
        error->column = place.column;
        sim_text_add_file(&text, document->file);
        sim_text_add(&text, ":%d: ", place.line);
    }
    add_path(&text, steps, step_count);
    sim_text_add(&text, "%s", message);
}

bool sim_read_fail(const struct sim_node *node, const char *format, ...)
{
    char message[sizeof node->document->error->text];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fail_at(node, message);
    return false;
}

/* A real number of whole value keeps its ".0", or nobody could see why it is not an integer. */
static void add_real(struct sim_text *text, double value)
{
    size_t begin = text->length;

    sim_text_add_number(text, value);
    sim_text_add(text, "%s", strpbrk(text->bytes + begin, ".e") ? "" : ".0");
}

static void add_found(struct sim_text *text, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        sim_text_add(text, json_object_size(value) > 0 ? "an object" : "an empty object");
        break;
    case JSON_ARRAY:
        sim_text_add(text, json_array_size(value) > 0 ? "an array of %zu" : "an empty array",
                     json_array_size(value));
        break;
    case JSON_STRING:
        sim_text_add_quoted(text, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        sim_text_add(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        add_real(text, json_real_value(value));
        break;
    case JSON_TRUE:
        sim_text_add(text, "true");
        break;
    case JSON_FALSE:
        sim_text_add(text, "false");
        break;
    case JSON_NULL:
        sim_text_add(text, "null");
        break;
    }
}

bool sim_read_refuse(const struct sim_node *node, const char *format, ...)
{
    char message[sizeof node->document->error->text];
    char allowed[sizeof node->document->error->text];
    struct sim_text text;
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(allowed, sizeof allowed, format, arguments);
    va_end(arguments);
    sim_text_init(&text, message, sizeof message);
    if (node->value) {
        sim_text_add(&text, "found ");
        add_found(&text, node->value);
        sim_text_add(&text, "; allowed: %s", allowed);
    } else {
        sim_text_add(&text, "missing; required: %s", allowed);
    }
    fail_at(node, message);
    return false;
}
