#include "scenario_read.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "scenario_suggest.h"
#include "scenario_text.h"

/* Above this not every scaled value has a double of its own. */
#define EXACT_MAX 9007199254740992.0

enum {
    LIST_SIZE = 240,
    CHOICES_SHOWN_LENGTH = 150, /* of a longer list the rest is left out */
    WORD_SIZE = 200,
    COMMENT_BYTES_MAX = 2000,
};

/* In every object with a fixed set of keys; in objects of names it would be a name. */
static const char comment_key[] = "//";

bool sim_read_is_object(const struct sim_node *node, const char *allowed)
{
    return json_is_object(node->value) || sim_read_refuse(node, "%s", allowed);
}

bool sim_read_is_array(const struct sim_node *node, const char *allowed)
{
    return json_is_array(node->value) || sim_read_refuse(node, "%s", allowed);
}

static const struct sim_key_use *use_of(const struct sim_key_use *uses, size_t count,
                                        const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(uses[i].key, key) == 0) {
            return &uses[i];
        }
    }
    return NULL;
}

static void list_keys(char list[LIST_SIZE], const struct sim_key_use *uses, size_t count,
                      uint64_t kind)
{
    struct sim_text text;

    sim_text_init(&text, list, LIST_SIZE);
    for (size_t i = 0; i < count; i++) {
        if (uses[i].kinds & kind) {
            sim_text_add(&text, "%s%s", text.length > 0 ? ", " : "", uses[i].key);
        }
    }
}

bool sim_read_keys(const struct sim_node *object, const struct sim_key_use *uses, size_t count)
{
    const char *key;
    json_t *value;

    json_object_foreach(object->value, key, value)
    {
        struct sim_node node = sim_read_member(object, key);
        struct sim_suggestion suggestion = {.found = key};
        char list[LIST_SIZE];

        if (use_of(uses, count, key)) {
            continue;
        }
        if (strcmp(key, comment_key) == 0) {
            const char *comment = NULL;

            if (!sim_read_line(&node, "a comment", COMMENT_BYTES_MAX, &comment)) {
                return false;
            }
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            sim_suggestion_offer(&suggestion, uses[i].key);
        }
        if (suggestion.best) {
            return sim_read_fail(&node, "unknown key; did you mean \"%s\"?", suggestion.best);
        }
        list_keys(list, uses, count, UINT64_MAX);
        return sim_read_fail(&node, "unknown key; allowed: %s", list);
    }
    return true;
}

bool sim_read_keys_of_kind(const struct sim_node *object, const struct sim_key_use *uses,
                           size_t count, uint64_t kind, const char *kind_text)
{
    const char *key;
    json_t *value;

    json_object_foreach(object->value, key, value)
    {
        struct sim_node node = sim_read_member(object, key);
        const struct sim_key_use *use = use_of(uses, count, key);
        char list[LIST_SIZE];

        if (use && (use->kinds & kind) == 0) {
            list_keys(list, uses, count, kind);
            return sim_read_fail(&node, "does not belong to %s; allowed there: %s", kind_text,
                                 list);
        }
    }
    return true;
}

bool sim_read_one_of(const struct sim_node *object, const char *const *keys, size_t count,
                     size_t *chosen)
{
    char list[LIST_SIZE];
    struct sim_text text;
    size_t found = count;

    sim_text_init(&text, list, sizeof list);
    for (size_t i = 0; i < count; i++) {
        sim_text_add(&text, "%s%s", i > 0 ? ", " : "", keys[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct sim_node node = sim_read_member(object, keys[i]);

        if (!node.value) {
            continue;
        }
        if (found < count) {
            return sim_read_fail(&node, "found beside %s; allowed: exactly one of %s", keys[found],
                                 list);
        }
        found = i;
    }
    *chosen = found;
    return found < count || sim_read_fail(object, "found none; required: exactly one of %s", list);
}

bool sim_read_integer(const struct sim_node *object, const struct sim_integer_rule *rule,
                      uint64_t *result)
{
    struct sim_node node = sim_read_member(object, rule->key);

    if (!node.value && rule->presence == SIM_OPTIONAL) {
        *result = rule->fallback;
        return true;
    }
    json_int_t value = json_integer_value(node.value); /* 0 if it is none */
    if (!json_is_integer(node.value) || value < 0 || (uint64_t)value < rule->minimum ||
        (uint64_t)value > rule->maximum) {
        return sim_read_refuse(&node, "an integer from %llu to %llu",
                               (unsigned long long)rule->minimum,
                               (unsigned long long)rule->maximum);
    }
    *result = (uint64_t)value;
    return true;
}

bool sim_read_integer32(const struct sim_node *object, const struct sim_integer_rule *rule,
                        uint32_t *result)
{
    assert(rule->maximum <= UINT32_MAX);
    uint64_t wide = 0;
    bool good = sim_read_integer(object, rule, &wide);

    *result = (uint32_t)wide;
    return good;
}

static bool refuse_decimal(const struct sim_node *node, const struct sim_decimal_rule *rule)
{
    char allowed[WORD_SIZE];
    struct sim_text text;

    sim_text_init(&text, allowed, sizeof allowed);
    sim_text_add(&text, rule->positive ? "a number above " : "a number from ");
    sim_text_add_number(&text, rule->minimum);
    sim_text_add(&text, rule->positive ? " up to " : " to ");
    sim_text_add_number(&text, rule->maximum);
    return sim_read_refuse(node, "%s", allowed);
}

bool sim_read_decimal_value(const struct sim_node *node, const struct sim_decimal_rule *rule,
                            uint64_t *result)
{
    assert(rule->minimum >= 0 && rule->maximum * rule->scale <= EXACT_MAX);
    double value = json_number_value(node->value); /* 0 if it is none */

    if (!json_is_number(node->value) || !(value >= rule->minimum && value <= rule->maximum)) {
        return refuse_decimal(node, rule);
    }
    *result = (uint64_t)llround(value * rule->scale);
    if (rule->positive && *result == 0) {
        return refuse_decimal(node, rule);
    }
    return true;
}

bool sim_read_decimal(const struct sim_node *object, const struct sim_decimal_rule *rule,
                      uint64_t *result)
{
    struct sim_node node = sim_read_member(object, rule->key);

    if (!node.value && rule->presence == SIM_OPTIONAL) {
        *result = rule->fallback;
        return true;
    }
    return sim_read_decimal_value(&node, rule, result);
}

bool sim_read_decimal32(const struct sim_node *object, const struct sim_decimal_rule *rule,
                        uint32_t *result)
{
    assert(rule->maximum * rule->scale <= UINT32_MAX);
    uint64_t wide = 0;
    bool good = sim_read_decimal(object, rule, &wide);

    *result = (uint32_t)wide;
    return good;
}

bool sim_read_signed(const struct sim_node *object, const struct sim_decimal_rule *rule,
                     int64_t *result)
{
    assert(rule->maximum * rule->scale <= EXACT_MAX);
    struct sim_node node = sim_read_member(object, rule->key);
    const double value = json_number_value(node.value); /* 0 if it is none */
    const double size = fabs(value);
    char allowed[WORD_SIZE];
    struct sim_text text;

    *result = 0;
    if (json_is_number(node.value) && size >= rule->minimum && size <= rule->maximum) {
        *result = (int64_t)llround(value * rule->scale);
    }
    if (*result != 0) {
        return true;
    }
    sim_text_init(&text, allowed, sizeof allowed);
    sim_text_add(&text, "a number other than 0, from -");
    sim_text_add_number(&text, rule->maximum);
    sim_text_add(&text, " to ");
    sim_text_add_number(&text, rule->maximum);
    return sim_read_refuse(&node, "%s", allowed);
}

bool sim_read_truth(const struct sim_node *object, const char *key, bool *result)
{
    struct sim_node node = sim_read_member(object, key);

    *result = json_is_true(node.value);
    return !node.value || json_is_boolean(node.value) || sim_read_refuse(&node, "true or false");
}

bool sim_read_bound(const struct sim_node *object, const char *key, double *result)
{
    struct sim_node node = sim_read_member(object, key);

    if (!node.value) {
        return true;
    }
    if (!json_is_number(node.value)) {
        return sim_read_refuse(&node, "a number");
    }
    *result = json_number_value(node.value);
    return true;
}

bool sim_read_choice(const struct sim_node *object, const struct sim_choice_rule *rule,
                     size_t *result)
{
    struct sim_node node = sim_read_member(object, rule->key);
    const char *found = json_string_value(node.value);
    struct sim_suggestion suggestion = {.found = found ? found : ""};
    char list[LIST_SIZE];
    struct sim_text text;

    if (!node.value && rule->presence == SIM_OPTIONAL) {
        *result = rule->fallback;
        return true;
    }
    sim_text_init(&text, list, sizeof list);
    for (size_t i = 0; i < rule->name_count; i++) {
        if (found && strcmp(found, rule->names[i]) == 0) {
            *result = i;
            return true;
        }
        if (text.length < CHOICES_SHOWN_LENGTH) {
            sim_text_add(&text, "%s\"%s\"", i > 0 ? ", " : "", rule->names[i]);
            sim_text_add(&text, "%s",
                         text.length >= CHOICES_SHOWN_LENGTH && i + 1 < rule->name_count ? ", ..."
                                                                                         : "");
        }
        sim_suggestion_offer(&suggestion, rule->names[i]);
    }
    if (suggestion.best) {
        sim_text_add(&text, "; did you mean \"%s\"?", suggestion.best);
    }
    return sim_read_refuse(&node, "%s", list);
}

static bool is_one_line(const char *string, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t size = sim_text_character_size(string + i, length - i);

        if (size == 0 || sim_text_is_control(string + i, size)) {
            return false;
        }
        i += size;
    }
    return true;
}

bool sim_read_line(const struct sim_node *node, const char *what, size_t bytes_max,
                   const char **result)
{
    const char *string = json_string_value(node->value);
    size_t length = json_string_length(node->value);

    *result = string;
    if (!string || length == 0 || length > bytes_max || !is_one_line(string, length)) {
        return sim_read_refuse(node, "%s: one line of 1 to %zu bytes", what, bytes_max);
    }
    return true;
}

static bool is_name(const char *text, size_t length)
{
    return length > 0 && length < SIM_NAME_SIZE && is_one_line(text, length) &&
           strpbrk(text, ".[]=\"") == NULL;
}

bool sim_read_entry_name(const struct sim_node *node, char name[SIM_NAME_SIZE])
{
    size_t length = strlen(node->key);

    if (!is_name(node->key, length)) {
        return sim_read_fail(node,
                             "not a name; allowed: 1 to %d bytes on one line, without . [ ] = \"",
                             SIM_NAME_SIZE - 1);
    }
    memcpy(name, node->key, length + 1);
    return true;
}

bool sim_read_name(const struct sim_node *node, char name[SIM_NAME_SIZE])
{
    const char *string = json_string_value(node->value);

    if (!string || !is_name(string, json_string_length(node->value))) {
        return sim_read_refuse(node, "a name: 1 to %d bytes on one line, without . [ ] = \"",
                               SIM_NAME_SIZE - 1);
    }
    memcpy(name, string, strlen(string) + 1);
    return true;
}

bool sim_read_reference_text(const struct sim_node *node, const char *found, const char *what,
                             const void *names, size_t stride, size_t count, uint32_t *result)
{
    struct sim_suggestion suggestion = {.found = found};
    char word[WORD_SIZE];
    char list[LIST_SIZE];
    struct sim_text quoted;
    struct sim_text text;

    sim_text_init(&text, list, sizeof list);
    for (size_t i = 0; i < count; i++) {
        const char *name = (const char *)names + i * stride;

        if (strcmp(name, found) == 0) {
            *result = (uint32_t)i;
            return true;
        }
        if (i < 5) {
            sim_text_add(&text, "%s", i > 0 ? ", " : "");
            sim_text_add_quoted(&text, name, strlen(name));
        }
        sim_suggestion_offer(&suggestion, name);
    }
    sim_text_add(&text, "%s", count == 0 ? "none is defined" : count > 5 ? ", ..." : "");
    if (suggestion.best) {
        sim_text_add(&text, "; did you mean ");
        sim_text_add_quoted(&text, suggestion.best, strlen(suggestion.best));
        sim_text_add(&text, "?");
    }
    sim_text_init(&quoted, word, sizeof word);
    sim_text_add_quoted(&quoted, found, strlen(found));
    return sim_read_fail(node, "found unknown %s %s; allowed: %s", what, word, list);
}

bool sim_read_reference(const struct sim_node *node, const char *what, const void *names,
                        size_t stride, size_t count, uint32_t *result)
{
    const char *found = json_string_value(node->value);

    if (!found) {
        return sim_read_refuse(node, "the name of one %s of this file", what);
    }
    return sim_read_reference_text(node, found, what, names, stride, count, result);
}
