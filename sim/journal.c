#include "journal.h"

#include <stdlib.h>

#include "memory.h"
#include "prng.h"
#include "time_sort.h"

#define DECISION UINT64_C(1)
#define ANSWER UINT64_C(2)

_Static_assert(sizeof(struct sim_journal_entry) == SIM_TIME_SORT_BYTES &&
                   offsetof(struct sim_journal_entry, time_ns) == 0,
               "entries are sorted by time");

void sim_journal_init(struct sim_journal *journal)
{
    *journal = (struct sim_journal){.from_ns = UINT64_MAX};
}

void sim_journal_deinit(struct sim_journal *journal)
{
    free(journal->entries);
    sim_journal_init(journal);
}

static void add(struct sim_journal *journal, uint64_t time_ns, uint64_t hash)
{
    if (time_ns < journal->from_ns) {
        return;
    }
    journal->entries = sim_memory_grow(journal->entries, journal->count, &journal->capacity,
                                       sizeof *journal->entries);
    journal->entries[journal->count++] = (struct sim_journal_entry){
        .time_ns = time_ns, .hash = sim_prng_mix(hash ^ sim_prng_mix(time_ns))};
}

void sim_journal_decision(struct sim_journal *journal, uint64_t arrived_ns, uint32_t key,
                          uint32_t cost_units, uint32_t verdict, uint32_t mode)
{
    const uint64_t what = DECISION << 56 | (uint64_t)verdict << 48 | (uint64_t)mode << 40;

    add(journal, arrived_ns, sim_prng_mix(what) ^ sim_prng_mix((uint64_t)cost_units << 32 | key));
}

void sim_journal_answer(struct sim_journal *journal, uint64_t done_ns, uint32_t process,
                        uint32_t key, uint64_t granted_units)
{
    add(journal, done_ns,
        sim_prng_mix(ANSWER << 56 | (uint64_t)process) ^
            sim_prng_mix(sim_prng_mix(granted_units) + key));
}

static int by_hash(const void *a, const void *b)
{
    const struct sim_journal_entry *left = a;
    const struct sim_journal_entry *right = b;

    return (left->hash > right->hash) - (left->hash < right->hash);
}

static int by_time_and_hash(const struct sim_journal_entry *left,
                            const struct sim_journal_entry *right)
{
    return left->time_ns != right->time_ns ? (left->time_ns < right->time_ns ? -1 : 1)
                                           : by_hash(left, right);
}

void sim_journal_finish(struct sim_journal *journal)
{
    struct sim_journal_entry *entries = journal->entries;
    size_t next;

    sim_time_sort(entries, journal->count);
    for (size_t first = 0; first < journal->count; first = next) {
        next = first + 1;
        while (next < journal->count && entries[next].time_ns == entries[first].time_ns) {
            next++;
        }
        if (next - first > 1) {
            qsort(&entries[first], next - first, sizeof *entries, by_hash);
        }
    }
}

/* The first entry at time_ns or later. */
static size_t first_from(const struct sim_journal *journal, uint64_t time_ns)
{
    size_t low = 0;
    size_t high = journal->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (journal->entries[middle].time_ns < time_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t sim_journal_missing_count(const struct sim_journal *journal,
                                   const struct sim_journal *other, uint64_t from_ns,
                                   uint64_t until_ns)
{
    const size_t end = first_from(journal, until_ns);
    size_t theirs = first_from(other, from_ns);
    uint64_t missing = 0;

    for (size_t own = first_from(journal, from_ns); own < end; own++) {
        int order = 1;
        while (theirs < other->count &&
               (order = by_time_and_hash(&other->entries[theirs], &journal->entries[own])) < 0) {
            theirs++;
        }
        if (theirs < other->count && order == 0) {
            theirs++;
        } else {
            missing++;
        }
    }
    return missing;
}
