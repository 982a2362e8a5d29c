#include "amount.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "readable.h"

#define DIGITS 3 /* that count */

/* 1,234; 12.3; 0.0012; no zeros at the end of a fraction */
struct study_amount study_amount_number(double value)
{
    const double length = fabs(value);
    struct study_amount number;
    char *digits = number.text + 1; /* behind room for a sign */
    const size_t size = sizeof number.text - 1;
    int decimals = DIGITS - 1;

    for (double edge = 9.995; decimals > 0 && length >= edge; edge *= 10) {
        decimals--;
    }
    for (double edge = 0.0995; length > 0 && length < 1 && decimals < 6 && length < edge;
         edge /= 10) {
        decimals++;
    }
    if (length < 1 && decimals == DIGITS - 1) {
        decimals = DIGITS;
    }
    if (length >= 999.5) {
        snprintf(digits, size, "%s", sim_readable_count((uint64_t)(length + 0.5)).text);
    } else {
        snprintf(digits, size, "%.*f", decimals, length);
    }
    if (strchr(digits, '.') != NULL) {
        size_t end = strlen(digits);
        while (digits[end - 1] == '0') {
            digits[--end] = '\0';
        }
        if (digits[end - 1] == '.') {
            digits[end - 1] = '\0';
        }
    }
    if (value < 0 && strcmp(digits, "0") != 0) {
        number.text[0] = '-';
    } else {
        memmove(number.text, digits, strlen(digits) + 1);
    }
    return number;
}

/* "units" without its end, if it is a word that ends in "s": "asks/s" is "ask/s". Times stay. */
static void write_one(char *text, size_t size, const char *unit)
{
    const size_t length = strcspn(unit, "/ ");
    const bool is_plural = length > 2 && unit[length - 1] == 's' && strcmp(unit, "times") != 0;
    const char *end = "";
    size_t kept = length - is_plural;

    if (is_plural && length > 3 && strncmp(unit + length - 3, "ies", 3) == 0) {
        kept = length - 3; /* entries */
        end = "y";
    } else if (is_plural && length > 4 && strncmp(unit + length - 4, "sses", 4) == 0) {
        kept = length - 2; /* processes */
    }
    snprintf(text, size, "%.*s%s%s", (int)kept, unit, end, unit + length);
}

struct scale {
    const char *unit;
    double size; /* in the unit that was given */
};

static struct scale scale_of(double value, const char *unit)
{
    const double us = strcmp(unit, "us") == 0 ? 1 : strcmp(unit, "ms") == 0 ? 1e3 : 0;

    if (us * fabs(value) >= 1e6) {
        return (struct scale){"s", 1e6 / us};
    }
    if (us > 0 && us < 1e3 && fabs(value) >= 1e3) {
        return (struct scale){"ms", 1e3};
    }
    if (strcmp(unit, "bytes") == 0 && fabs(value) >= 1e6) {
        return (struct scale){"MB", 1e6};
    }
    return (struct scale){unit, 1};
}

static void write_unit(struct study_amount *amount, const char *unit, bool is_one)
{
    const size_t length = strlen(amount->text);
    char one[40];

    if (unit[0] != '\0') {
        write_one(one, sizeof one, unit);
        snprintf(amount->text + length, sizeof amount->text - length, " %s", is_one ? one : unit);
    }
}

struct study_amount study_amount(double value, const char *unit)
{
    const struct scale scale = scale_of(value, unit);
    struct study_amount amount = study_amount_number(value / scale.size);

    write_unit(&amount, scale.unit, strcmp(amount.text, "1") == 0);
    return amount;
}

struct study_amount study_amount_range(double least, double middle, double most, const char *unit)
{
    const struct scale scale = scale_of(most, unit);
    struct study_amount amount;

    snprintf(amount.text, sizeof amount.text, "%.20s, %.20s, %.20s",
             study_amount_number(least / scale.size).text,
             study_amount_number(middle / scale.size).text,
             study_amount_number(most / scale.size).text);
    write_unit(&amount, scale.unit, strcmp(study_amount_number(most / scale.size).text, "1") == 0);
    return amount;
}
