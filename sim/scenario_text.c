#include "scenario_text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUOTED_CHARACTERS_MAX = 40,
    FILE_BYTES_MAX = 120,
};

void sim_text_init(struct sim_text *text, char *bytes, size_t size)
{
    assert(size > 0);
    text->bytes = bytes;
    text->size = size;
    text->length = 0;
    bytes[0] = '\0';
}

/* Drop the first bytes of a character whose last bytes were cut off. */
static void text_trim(struct sim_text *text)
{
    size_t begin = text->length;

    while (begin > 0 && ((unsigned char)text->bytes[begin - 1] & 0xc0) == 0x80) {
        begin--;
    }
    if (begin == 0) {
        return;
    }
    begin--;
    if (sim_text_character_size(text->bytes + begin, text->length - begin) == 0) {
        text->length = begin;
        text->bytes[begin] = '\0';
    }
}

void sim_text_add(struct sim_text *text, const char *format, ...)
{
    size_t room = text->size - text->length;
    va_list arguments;

    va_start(arguments, format);
    int wanted = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (wanted < 0) {
        text->bytes[text->length] = '\0';
        return;
    }
    if ((size_t)wanted < room) {
        text->length += (size_t)wanted;
        return;
    }
    text->length = text->size - 1;
    text_trim(text);
}

static uint32_t character_code(const char *string, size_t size)
{
    static const unsigned char lead_mask[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)string[0] & lead_mask[size];

    for (size_t i = 1; i < size; i++) {
        code = code << 6 | ((unsigned char)string[i] & 0x3f);
    }
    return code;
}

size_t sim_text_character_size(const char *string, size_t length)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = length > 0 ? (unsigned char)string[0] : 0xff;
    size_t size = lead < 0x80             ? 1
                  : (lead & 0xe0) == 0xc0 ? 2
                  : (lead & 0xf0) == 0xe0 ? 3
                  : (lead & 0xf8) == 0xf0 ? 4
                                          : 0;

    if (size == 0 || size > length) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        if (((unsigned char)string[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    uint32_t code = character_code(string, size);
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[size] || code > 0x10ffff || surrogate ? 0 : size;
}

bool sim_text_is_control(const char *string, size_t size)
{
    uint32_t code = character_code(string, size);

    return code < 0x20 || code == 0x200e || code == 0x200f || code == 0xfeff ||
           (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

static void add_control(struct sim_text *text, uint32_t code)
{
    switch (code) {
    case '\n':
        sim_text_add(text, "\\n");
        break;
    case '\r':
        sim_text_add(text, "\\r");
        break;
    case '\t':
        sim_text_add(text, "\\t");
        break;
    default:
        sim_text_add(text, "\\u%04x", (unsigned)code);
        break;
    }
}

/* Append the character at `string`; returns its bytes. */
static size_t add_character(struct sim_text *text, const char *string, size_t length)
{
    size_t size = sim_text_character_size(string, length);

    if (size == 0) {
        sim_text_add(text, "\\x%02x", (unsigned char)string[0]);
        return 1;
    }
    if (sim_text_is_control(string, size)) {
        add_control(text, character_code(string, size));
    } else {
        sim_text_add(text, "%.*s", (int)size, string);
    }
    return size;
}

void sim_text_add_escaped(struct sim_text *text, const char *string, size_t length,
                          size_t shown_max)
{
    size_t shown = 0;

    for (size_t i = 0; i < length; shown++) {
        if (shown == shown_max) {
            sim_text_add(text, "...");
            return;
        }
        i += add_character(text, string + i, length - i);
    }
}

void sim_text_add_quoted(struct sim_text *text, const char *string, size_t length)
{
    size_t shown = 0;

    sim_text_add(text, "\"");
    for (size_t i = 0; i < length && shown < QUOTED_CHARACTERS_MAX; shown++) {
        if (string[i] == '"' || string[i] == '\\') {
            sim_text_add(text, "\\");
        }
        i += add_character(text, string + i, length - i);
        if (shown + 1 == QUOTED_CHARACTERS_MAX && i < length) {
            sim_text_add(text, "...");
        }
    }
    sim_text_add(text, "\"");
}

void sim_text_add_file(struct sim_text *text, const char *path)
{
    size_t length = strlen(path);
    size_t begin = 0;

    if (length > FILE_BYTES_MAX) {
        begin = length - FILE_BYTES_MAX;
        while (begin < length && ((unsigned char)path[begin] & 0xc0) == 0x80) {
            begin++;
        }
        sim_text_add(text, "...");
    }
    sim_text_add_escaped(text, path + begin, length - begin, FILE_BYTES_MAX);
}

void sim_text_add_number(struct sim_text *text, double value)
{
    char digits[40];

    for (int precision = 1; precision <= 17; precision++) {
        (void)snprintf(digits, sizeof digits, "%.*g", precision, value);
        double back = strtod(digits, NULL);
        if (memcmp(&back, &value, sizeof value) == 0) {
            break;
        }
    }
    if (value > -1e15 && value < 1e15 && strchr(digits, 'e') != NULL &&
        strchr(digits, '-') == NULL) {
        (void)snprintf(digits, sizeof digits, "%.0f", value); /* 5000000 rather than 5e+06 */
    }
    sim_text_add(text, "%s", digits);
}
