#include "json_position.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "scenario_text.h"

enum {
    FRAMES_MAX = 64, /* deeper levels share the last frame: no scenario path is that long */
    STEPS_SHOWN_MAX = 8,
    KEY_CHARACTERS_MAX = 40,
};

/* A container the walk is inside of. Frame 0 stands for the text itself: an array of one value. */
struct frame {
    bool is_object;
    bool entered;     /* the present element has been announced */
    size_t key_begin; /* the present member's key, without its quotes */
    size_t key_size;
    size_t index;
};

struct walk {
    const char *text;
    size_t text_size;
    size_t offset;
    size_t depth;
    struct frame frames[FRAMES_MAX];
};

static struct frame *walk_frame(struct walk *walk, size_t depth)
{
    return &walk->frames[depth < FRAMES_MAX ? depth : FRAMES_MAX - 1];
}

static size_t string_end(const struct walk *walk, size_t begin)
{
    size_t i = begin + 1;

    while (i < walk->text_size && walk->text[i] != '"') {
        i += walk->text[i] == '\\' ? 2 : 1;
    }
    return i < walk->text_size ? i + 1 : walk->text_size;
}

static void walk_token(struct walk *walk, char c)
{
    struct frame *top = walk_frame(walk, walk->depth);

    if (c == '"') {
        walk->offset = string_end(walk, walk->offset);
        return;
    }
    walk->offset++;
    if (c == ',') {
        top->index++;
        top->entered = false;
    } else if (c == '{' || c == '[') {
        walk->depth++;
        *walk_frame(walk, walk->depth) = (struct frame){.is_object = c == '{'};
    } else if ((c == '}' || c == ']') && walk->depth > 0) {
        walk->depth--;
    }
}

static bool begins_value(char c)
{
    return c != '\0' && strchr(" \t\r\n:,]}", c) == NULL;
}

/* Advance to the next member (at its key) or element (at its value). */
static bool walk_next(struct walk *walk, size_t *begin)
{
    while (walk->offset < walk->text_size) {
        struct frame *top = walk_frame(walk, walk->depth);
        char c = walk->text[walk->offset];

        if (!top->entered && top->is_object && c == '"') {
            *begin = walk->offset;
            walk->offset = string_end(walk, walk->offset);
            top->entered = true;
            top->key_begin = *begin + 1;
            top->key_size = walk->offset - *begin >= 2 ? walk->offset - *begin - 2 : 0;
            return true;
        }
        if (!top->entered && !top->is_object && begins_value(c)) {
            *begin = walk->offset;
            top->entered = true;
            return true;
        }
        walk_token(walk, c);
    }
    return false;
}

static bool key_matches(const struct walk *walk, const struct frame *frame, const char *key)
{
    const char *raw = walk->text + frame->key_begin;

    if (memchr(raw, '\\', frame->key_size) == NULL) {
        return strlen(key) == frame->key_size && memcmp(raw, key, frame->key_size) == 0;
    }
    json_t *decoded = json_loadb(raw - 1, frame->key_size + 2, JSON_DECODE_ANY, NULL);
    bool matches = json_is_string(decoded) && strcmp(json_string_value(decoded), key) == 0;
    json_decref(decoded);
    return matches;
}

static bool walk_matches(const struct walk *walk, const struct sim_json_step *steps)
{
    for (size_t i = 0; i < walk->depth; i++) {
        const struct frame *frame = &walk->frames[i + 1];

        if (frame->is_object != (steps[i].key != NULL)) {
            return false;
        }
        if (frame->is_object ? !key_matches(walk, frame, steps[i].key)
                             : frame->index != steps[i].index) {
            return false;
        }
    }
    return true;
}

static struct sim_json_place place_of(const char *text, size_t offset)
{
    struct sim_json_place place = {.line = 1, .column = 1};

    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

struct sim_json_place sim_json_position_find(const char *text, size_t text_size,
                                             const struct sim_json_step *steps, size_t step_count)
{
    struct walk walk = {.text = text, .text_size = text_size};
    size_t found_offset = 0;
    size_t found_count = 0;
    size_t begin;

    while (found_count < step_count && walk_next(&walk, &begin)) {
        bool closer = walk.depth > found_count || walk.depth == 0;

        if (closer && walk.depth <= step_count && walk.depth < FRAMES_MAX - 1 &&
            walk_matches(&walk, steps)) {
            found_offset = begin;
            found_count = walk.depth;
        }
    }
    struct sim_json_place place = place_of(text, found_offset);
    place.step_count = found_count;
    return place;
}

void sim_json_position_path(const char *text, size_t text_size, size_t offset, char *path,
                            size_t path_size)
{
    struct walk walk = {.text = text, .text_size = text_size < offset ? text_size : offset};
    struct sim_text out;
    size_t begin;

    sim_text_init(&out, path, path_size);
    while (walk_next(&walk, &begin)) {
    }
    for (size_t i = 1; i <= walk.depth && i < FRAMES_MAX; i++) {
        const struct frame *frame = &walk.frames[i];

        if (!frame->entered) {
            return;
        }
        if (i > STEPS_SHOWN_MAX) {
            sim_text_add(&out, "...");
            return;
        }
        if (frame->is_object) {
            sim_text_add(&out, "%s", i > 1 ? "." : "");
            sim_text_add_escaped(&out, text + frame->key_begin, frame->key_size,
                                 KEY_CHARACTERS_MAX);
        } else {
            sim_text_add(&out, "[%zu]", frame->index);
        }
    }
}
