#include "time_sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)
#define SHORT_COUNT 32u /* below, moving entries one by one is faster than counting digits */

struct entry {
    uint64_t time_ns;
    uint64_t rest;
};

_Static_assert(sizeof(struct entry) == SIM_TIME_SORT_BYTES, "entries are copied whole");

static struct entry read_entry(const unsigned char *bytes, size_t at)
{
    struct entry entry;

    memcpy(&entry, bytes + at * sizeof entry, sizeof entry);
    return entry;
}

static void write_entry(unsigned char *bytes, size_t at, const struct entry *entry)
{
    memcpy(bytes + at * sizeof *entry, entry, sizeof *entry);
}

static void insert_each(unsigned char *bytes, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct entry moved = read_entry(bytes, i);
        size_t at = i;
        for (; at > 0; at--) {
            const struct entry before = read_entry(bytes, at - 1);
            if (before.time_ns <= moved.time_ns) {
                break;
            }
            write_entry(bytes, at, &before);
        }
        write_entry(bytes, at, &moved);
    }
}

/* The bits in which times differ; 0: they are in order. */
static uint64_t differing_bits(const unsigned char *bytes, size_t count)
{
    const uint64_t first_ns = read_entry(bytes, 0).time_ns;
    uint64_t last_ns = first_ns;
    uint64_t bits = 0;
    int in_order = 1;

    for (size_t i = 1; i < count; i++) {
        const uint64_t time_ns = read_entry(bytes, i).time_ns;
        bits |= time_ns ^ first_ns;
        in_order &= last_ns <= time_ns;
        last_ns = time_ns;
    }
    return in_order ? 0 : bits;
}

static void move_by_digit(const unsigned char *from, unsigned char *to, size_t count,
                          unsigned shift)
{
    size_t places[DIGITS] = {0};
    size_t place = 0;

    for (size_t i = 0; i < count; i++) {
        places[read_entry(from, i).time_ns >> shift & (DIGITS - 1)]++;
    }
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t width = places[digit];
        places[digit] = place;
        place += width;
    }
    for (size_t i = 0; i < count; i++) {
        const struct entry entry = read_entry(from, i);
        write_entry(to, places[entry.time_ns >> shift & (DIGITS - 1)]++, &entry);
    }
}

void sim_time_sort(void *entries, size_t count)
{
    if (count < SHORT_COUNT) {
        insert_each(entries, count);
        return;
    }
    const uint64_t bits = differing_bits(entries, count);
    if (bits == 0) {
        return;
    }
    unsigned char *const spare = sim_memory_new(count, SIM_TIME_SORT_BYTES);
    unsigned char *from = entries;
    unsigned char *to = spare;
    for (unsigned shift = 0; shift < 64 && bits >> shift != 0; shift += DIGIT_BITS) {
        if ((bits >> shift & (DIGITS - 1)) == 0) {
            continue;
        }
        move_by_digit(from, to, count, shift);
        unsigned char *const filled = to;
        to = from;
        from = filled;
    }
    if (from == spare) {
        memcpy(entries, spare, count * SIM_TIME_SORT_BYTES);
    }
    free(spare);
}
