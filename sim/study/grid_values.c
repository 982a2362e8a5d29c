#include "grid_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "memory.h"
#include "readable.h"

#define DIGITS_MAX 9 /* before the point, and behind it: scaled numbers fit 63 bits */
#define SHOWN_WIDTH 40
#define ALLOWED_RANGES "from:to:step or from:to*factor, such as 10:50:10 or 1:1000*10"

struct reading {
    bool (*add)(void *context, const char *value);
    void *context;
    char *error;
    size_t error_size;
    size_t count;
};

/* digits / 10^decimals */
struct decimal {
    int64_t digits;
    unsigned decimals;
};

static bool refuse(const struct reading *reading, const char *found, const char *allowed)
{
    char cut[4 * SHOWN_WIDTH];

    sim_readable_cut(cut, sizeof cut, found, SHOWN_WIDTH);
    snprintf(reading->error, reading->error_size, "found \"%s\"; allowed: %s", cut, allowed);
    return false;
}

static bool add(struct reading *reading, const char *value)
{
    if (reading->count == STUDY_GRID_VALUES_MAX) {
        snprintf(reading->error, reading->error_size, "found more values; allowed: up to %d",
                 STUDY_GRID_VALUES_MAX);
        return false;
    }
    reading->count++;
    return reading->add(reading->context, value);
}

/* Returns the length of the number at `text`, 0 if there is none. */
static size_t read_decimal(const char *text, struct decimal *decimal)
{
    const size_t sign = text[0] == '-';
    const size_t whole = strspn(text + sign, "0123456789");
    const char *point = text + sign + whole;
    const size_t behind = *point == '.' ? strspn(point + 1, "0123456789") : 0;

    *decimal = (struct decimal){0};
    if (whole == 0 || whole > DIGITS_MAX || behind > DIGITS_MAX || (*point == '.' && behind == 0)) {
        return 0;
    }
    for (size_t i = 0; i < whole; i++) {
        decimal->digits = 10 * decimal->digits + (text[sign + i] - '0');
    }
    for (size_t i = 0; i < behind; i++) {
        decimal->digits = 10 * decimal->digits + (point[1 + i] - '0');
    }
    decimal->digits = sign > 0 ? -decimal->digits : decimal->digits;
    decimal->decimals = (unsigned)behind;
    return sign + whole + (behind > 0 ? 1 + behind : 0);
}

static int64_t power_of_10(unsigned exponent)
{
    int64_t power = 1;

    while (exponent-- > 0) {
        power *= 10;
    }
    return power;
}

static double number_of(struct decimal decimal)
{
    return (double)decimal.digits / (double)power_of_10(decimal.decimals);
}

/* In whole steps of the last digit, so that ten times 0.1 is 1. */
static bool add_steps(struct reading *reading, const struct decimal range[3])
{
    unsigned decimals = 0;
    int64_t scaled[3];
    char text[64];

    for (size_t i = 0; i < 3; i++) {
        decimals = range[i].decimals > decimals ? range[i].decimals : decimals;
    }
    for (size_t i = 0; i < 3; i++) {
        scaled[i] = range[i].digits * power_of_10(decimals - range[i].decimals);
    }
    const int64_t unit = power_of_10(decimals);
    for (int64_t at = scaled[0]; at <= scaled[1]; at += scaled[2]) {
        const int64_t size = at < 0 ? -at : at;
        int length = snprintf(text, sizeof text, "%s%" PRId64, at < 0 ? "-" : "", size / unit);
        if (decimals > 0) {
            snprintf(text + length, sizeof text - (size_t)length, ".%0*" PRId64, (int)decimals,
                     size % unit);
        }
        if (!add(reading, text)) {
            return false;
        }
    }
    return true;
}

/* From a whole number on, whole numbers: the nearest, each once. */
static bool add_products(struct reading *reading, const struct decimal range[3])
{
    const double last = number_of(range[1]) * (1 + 1e-9);
    const bool is_whole = range[0].decimals == 0;
    double before = 0;
    char text[64];

    for (double exact = number_of(range[0]); exact <= last; exact *= number_of(range[2])) {
        const double value = is_whole ? floor(exact + 0.5) : exact;
        if (is_whole && !(value > before)) {
            continue;
        }
        before = value;
        snprintf(text, sizeof text, is_whole ? "%.0f" : "%.9g", value);
        if (!add(reading, text)) {
            return false;
        }
    }
    return true;
}

/* Is it a range, or at least begun as one? A number and a colon. */
static bool looks_like_range(const char *item)
{
    const size_t number = strspn(item, "-.0123456789");

    return number > 0 && item[number] == ':';
}

static bool add_range(struct reading *reading, const char *item)
{
    struct decimal range[3];
    const size_t from = read_decimal(item, &range[0]);
    const char *at = item + from;
    const size_t to = from > 0 && *at == ':' ? read_decimal(at + 1, &range[1]) : 0;

    at += 1 + to;
    const char by = to > 0 ? *at : '\0';
    const size_t third = by == ':' || by == '*' ? read_decimal(at + 1, &range[2]) : 0;
    if (third == 0 || at[1 + third] != '\0') {
        return refuse(reading, item, ALLOWED_RANGES);
    }
    if (number_of(range[1]) < number_of(range[0])) {
        return refuse(reading, item, "a range that ends no lower than it begins");
    }
    if (by == ':') {
        return range[2].digits > 0 ? add_steps(reading, range)
                                   : refuse(reading, item, "a range with a step above 0");
    }
    if (range[0].digits <= 0 || number_of(range[2]) < 1.0001) {
        return refuse(reading, item, "a range from above 0, by a factor above 1");
    }
    return add_products(reading, range);
}

/* Bytes up to the comma that ends the item, or to the end. */
static size_t item_length(const char *text)
{
    size_t depth = 0;
    size_t at = 0;

    for (; text[at] != '\0' && (text[at] != ',' || depth > 0); at++) {
        if (text[at] == '{' || text[at] == '[') {
            depth++;
        } else if ((text[at] == '}' || text[at] == ']') && depth > 0) {
            depth--;
        } else if (text[at] == '"') {
            for (at++; text[at] != '\0' && text[at] != '"'; at++) {
                at += text[at] == '\\' && text[at + 1] != '\0';
            }
            if (text[at] == '\0') {
                break;
            }
        }
    }
    return at;
}

static bool add_item(struct reading *reading, const char *text, size_t length)
{
    while (length > 0 && strchr(" \t\n\r", text[0]) != NULL) {
        text++;
        length--;
    }
    while (length > 0 && strchr(" \t\n\r", text[length - 1]) != NULL) {
        length--;
    }
    if (length == 0) {
        snprintf(reading->error, reading->error_size,
                 "found an empty value; allowed: values with commas between, such as 10,20 or "
                 "fixed,rate or 10:50:10");
        return false;
    }
    char *item = sim_memory_new(length + 1, 1);
    memcpy(item, text, length);
    const bool good = looks_like_range(item) ? add_range(reading, item) : add(reading, item);
    free(item);
    return good;
}

bool study_grid_values(const char *text, bool (*add_value)(void *context, const char *value),
                       void *context, char *error, size_t error_size)
{
    struct reading reading = {
        .add = add_value, .context = context, .error = error, .error_size = error_size};

    for (;;) {
        const size_t length = item_length(text);
        if (!add_item(&reading, text, length)) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}
