#include "scenario_set.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "scenario_suggest.h"
#include "scenario_text.h"

enum {
    SHOWN_CHARACTERS_MAX = 90,
    WORD_SIZE = 200,
    INDEX_DIGITS_MAX = 9,
};

__attribute__((format(printf, 3, 4))) static bool set_fail(const struct sim_document *document,
                                                           const char *set, const char *format, ...)
{
    struct sim_error *error = document->error;
    char message[sizeof error->text];
    struct sim_text text;
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    *error = (struct sim_error){0};
    sim_text_init(&text, error->text, sizeof error->text);
    sim_text_add(&text, "--set ");
    sim_text_add_escaped(&text, set, strcspn(set, "="), SHOWN_CHARACTERS_MAX);
    sim_text_add(&text, ": %s", message);
    return false;
}

/* One step at `at`: a name, copied to `name`, or [digits]. Returns its length, 0 if it is neither.
 */
static size_t parse_step(const char *at, char *name, struct sim_json_step *step)
{
    if (*at != '[') {
        size_t length = strcspn(at, ".[]=");
        memcpy(name, at, length);
        *step = (struct sim_json_step){.key = name};
        return length;
    }
    size_t digits = strspn(at + 1, "0123456789");
    if (digits == 0 || digits > INDEX_DIGITS_MAX || at[1 + digits] != ']') {
        return 0;
    }
    *step = (struct sim_json_step){.index = (size_t)strtoul(at + 1, NULL, 10)};
    return digits + 2;
}

/* Returns the length of the path in `set`, up to its "="; 0 with *bad_offset set if it is
 * malformed. */
static size_t parse_path(const char *set, struct sim_override *override, size_t *bad_offset)
{
    size_t offset = 0;

    while (override->step_count < SIM_PATH_STEPS_MAX) {
        struct sim_json_step *step = &override->steps[override->step_count];
        bool after_dot = offset == 0 || set[offset - 1] == '.';
        /* names are copied to their own offset, so each keeps a zero byte behind it in place of the
         * separator */
        size_t length = parse_step(set + offset, override->path + offset, step);

        *bad_offset = offset;
        if (length == 0 || after_dot != (step->key != NULL)) {
            return 0;
        }
        offset += length;
        override->step_count++;
        *bad_offset = offset;
        if (set[offset] == '=') {
            return offset;
        }
        if (set[offset] == '.') {
            offset++;
        } else if (set[offset] != '[') {
            return 0;
        }
    }
    return 0;
}

static json_t *parse_value(const char *value)
{
    json_t *parsed = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);

    return parsed ? parsed : json_string(value);
}

static bool fail_no_member(const struct sim_document *document, const char *set, json_t *object,
                           const char *name)
{
    struct sim_suggestion suggestion = {.found = name};
    char word[WORD_SIZE];
    struct sim_text text;
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        sim_suggestion_offer(&suggestion, key);
    }
    sim_text_init(&text, word, sizeof word);
    sim_text_add_quoted(&text, name, strlen(name));
    if (suggestion.best) {
        sim_text_add(&text, "; did you mean ");
        sim_text_add_quoted(&text, suggestion.best, strlen(suggestion.best));
        return set_fail(document, set, "found no %s?", word);
    }
    return set_fail(document, set,
                    "found no %s to set something in; allowed: what the file has, or the whole "
                    "section as a JSON object",
                    word);
}

/* The section that a file may leave out, all defaults; a part of it may be set all the same. */
static void add_limiter(const struct sim_document *document, const struct sim_override *override)
{
    const struct sim_json_step *steps = override->steps;

    if (override->step_count >= 2 && steps[0].key != NULL && steps[1].key != NULL &&
        strcmp(steps[0].key, "limiter") == 0 && json_is_object(document->root) &&
        json_object_get(document->root, "limiter") == NULL) {
        (void)json_object_set_new(document->root, "limiter", json_object());
    }
}

/* The value that one step of the override leads to from `parent`, or NULL with the error filled. */
static json_t *enter(const struct sim_document *document, const struct sim_override *override,
                     json_t *parent, const struct sim_json_step *step)
{
    const char *set = override->text;
    json_t *child =
        step->key ? json_object_get(parent, step->key) : json_array_get(parent, step->index);

    if (child) {
        return child;
    }
    if (step->key && json_is_object(parent)) {
        (void)fail_no_member(document, set, parent, step->key);
    } else if (step->key) {
        (void)set_fail(document, set,
                       "found no object to take a name from at step %zu; allowed: %s",
                       (size_t)(step - override->steps) + 1,
                       json_is_array(parent) ? "an index such as [0] before the name"
                                             : "a path through objects and arrays");
    } else if (json_is_array(parent)) {
        (void)set_fail(document, set, "found index %zu of an array of %zu; allowed: less than that",
                       step->index, json_array_size(parent));
    } else {
        (void)set_fail(document, set, "found no array to take [%zu] of; allowed: a name",
                       step->index);
    }
    return NULL;
}

/* "traffic[0]" of a file that has one object for its traffic means that object. */
static void drop_index_of_single(const struct sim_document *document, struct sim_override *override)
{
    struct sim_json_step *steps = override->steps;

    if (override->step_count < 2 || !steps[0].key || steps[1].key || steps[1].index != 0 ||
        strcmp(steps[0].key, "traffic") != 0 ||
        !json_is_object(json_object_get(document->root, "traffic"))) {
        return;
    }
    override->step_count--;
    memmove(steps + 1, steps + 2, (override->step_count - 1) * sizeof steps[0]);
}

static bool put(const struct sim_document *document, const struct sim_override *override,
                const char *value)
{
    const char *set = override->text;
    const struct sim_json_step *last = &override->steps[override->step_count - 1];
    json_t *parent = document->root;

    add_limiter(document, override);
    for (size_t i = 0; i + 1 < override->step_count; i++) {
        parent = enter(document, override, parent, &override->steps[i]);
        if (!parent) {
            return false;
        }
    }
    bool is_new_member = last->key && json_is_object(parent);
    if (!is_new_member && !enter(document, override, parent, last)) {
        return false;
    }
    json_t *parsed = parse_value(value);
    if (!parsed) {
        return set_fail(document, set, "found bytes that are not UTF-8; allowed: JSON or a string");
    }
    int status = last->key ? json_object_set_new(parent, last->key, parsed)
                           : json_array_set_new(parent, last->index, parsed);
    return status == 0 || set_fail(document, set, "found a name that is not UTF-8; allowed: UTF-8");
}

static bool apply_set(struct sim_document *document, const char *set)
{
    struct sim_override *override = &document->overrides[document->override_count++];
    size_t bad_offset = 0;

    *override = (struct sim_override){.text = set};
    override->path = sim_memory_new(strlen(set) + 1, 1);
    if (strchr(set, '=') == NULL) {
        return set_fail(document, set, "found no \"=\"; allowed: PATH=VALUE");
    }
    size_t path_size = parse_path(set, override, &bad_offset);
    if (path_size == 0) {
        return set_fail(document, set,
                        "malformed at character %zu; allowed: names joined by \".\", indices as "
                        "[0], at most %d steps",
                        bad_offset + 1, SIM_PATH_STEPS_MAX);
    }
    drop_index_of_single(document, override);
    return put(document, override, set + path_size + 1);
}

bool sim_scenario_apply_sets(struct sim_document *document, const char *const *sets,
                             size_t set_count)
{
    document->overrides = sim_memory_new(set_count, sizeof *document->overrides);
    for (size_t i = 0; i < set_count; i++) {
        if (!apply_set(document, sets[i])) {
            return false;
        }
    }
    return true;
}
