#include "scenario_suggest.h"

#include <stdbool.h>
#include <string.h>

enum {
    WORD_SIZE_MAX = 96,
    EDITS_MAX = 2,
    DISTANCE_FAR = WORD_SIZE_MAX,
};

/* Spellings of units people try, and the one that scenario files use. */
static const char *const unit_spellings[][2] = {
    {"s", "s"},
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"ms", "ms"},
    {"msec", "ms"},
    {"millis", "ms"},
    {"milliseconds", "ms"},
    {"us", "us"},
    {"usec", "us"},
    {"micros", "us"},
    {"microseconds", "us"},
    {"ns", "ns"},
    {"nanoseconds", "ns"},
    {"min", "min"},
    {"mins", "min"},
    {"minute", "min"},
    {"minutes", "min"},
    {"h", "h"},
    {"hr", "h"},
    {"hour", "h"},
    {"hours", "h"},
    {"d", "day"},
    {"day", "day"},
    {"days", "day"},
    {"pct", "pct"},
    {"percent", "pct"},
    {"ppm", "ppm"},
    {"ppb", "ppb"},
    {"ratio", "ratio"},
    {"fraction", "fraction"},
    {"unit", "units"},
    {"units", "units"},
    {"tokens", "units"},
    {"requests", "units"},
    {"keys", "keys"},
};

/* A word cut at its last underscore, if a unit follows there. */
struct parts {
    size_t stem_size;
    const char *unit; /* as scenario files spell it; NULL: no unit */
};

static struct parts parts_of(const char *word)
{
    const char *underscore = strrchr(word, '_');

    for (size_t i = 0; underscore && i < sizeof unit_spellings / sizeof unit_spellings[0]; i++) {
        if (strcmp(underscore + 1, unit_spellings[i][0]) == 0) {
            return (struct parts){(size_t)(underscore - word), unit_spellings[i][1]};
        }
    }
    return (struct parts){strlen(word), NULL};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance (Damerau 1964, Levenshtein 1966), three rows at a time. */
static size_t edit_distance(const char *left, size_t left_size, const char *right,
                            size_t right_size)
{
    size_t rows[3][WORD_SIZE_MAX + 1];
    size_t *before = rows[0];
    size_t *above = rows[1];
    size_t *row = rows[2];

    memset(rows, 0, sizeof rows);
    for (size_t j = 0; j <= right_size; j++) {
        above[j] = j;
    }
    for (size_t i = 1; i <= left_size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= right_size; j++) {
            size_t replace = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = smaller(replace, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = smaller(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[right_size];
}

static bool same_but_for_the_unit(const char *found, const char *word, bool *same_unit)
{
    struct parts a = parts_of(found);
    struct parts b = parts_of(word);

    *same_unit = a.unit && b.unit && strcmp(a.unit, b.unit) == 0;
    return (a.unit || b.unit) && a.stem_size > 0 && a.stem_size == b.stem_size &&
           memcmp(found, word, a.stem_size) == 0;
}

void sim_suggestion_offer(struct sim_suggestion *suggestion, const char *word)
{
    size_t found_size = strlen(suggestion->found);
    size_t word_size = strlen(word);
    size_t distance = DISTANCE_FAR;
    bool same_unit = false;

    if (found_size == 0 || found_size > WORD_SIZE_MAX || word_size > WORD_SIZE_MAX) {
        return;
    }
    if (same_but_for_the_unit(suggestion->found, word, &same_unit)) {
        distance = same_unit ? 0 : EDITS_MAX + 1;
    } else if (found_size <= word_size + EDITS_MAX && word_size <= found_size + EDITS_MAX) {
        distance = edit_distance(suggestion->found, found_size, word, word_size);
        if (distance > EDITS_MAX || distance * 2 > smaller(found_size, word_size)) {
            distance = DISTANCE_FAR;
        }
    }
    if (distance < DISTANCE_FAR && (!suggestion->best || distance < suggestion->distance)) {
        suggestion->best = word;
        suggestion->distance = distance;
    }
}
