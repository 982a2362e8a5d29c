#include "records.h"

#include <stdlib.h>

#include "memory.h"
#include "prng.h"

#define CHAINS_FIRST 1024

/* Chains looked through for what is over, for each record that is added: so all of them are before
 * their number doubles. A grant that nobody took stays: who is to say how long an answer is on its
 * way? */
#define CHAINS_PER_SWEEP 2

void sim_records_init(struct sim_records *records, const struct sim_records_owner *owner,
                      void *context)
{
    *records = (struct sim_records){
        .chains = sim_memory_new(CHAINS_FIRST, sizeof(struct sim_record *)),
        .chain_count = CHAINS_FIRST,
        .owner = owner,
        .context = context,
    };
}

static void free_list(struct sim_record *record)
{
    while (record != NULL) {
        struct sim_record *next = record->next;
        free(record);
        record = next;
    }
}

void sim_records_deinit(struct sim_records *records)
{
    for (size_t i = 0; i < records->chain_count; i++) {
        free_list(records->chains[i]);
    }
    free_list(records->free_list);
    free(records->chains);
    *records = (struct sim_records){0};
}

static bool is_single(const struct weir_ask *ask)
{
    return (ask->flags & (WEIR_ASK_SPEND | WEIR_ASK_RETURN)) != 0;
}

/* Of a single ask its own: a process may have any number of them within the time they are kept. */
static struct sim_record **chain(const struct sim_records *records, uint32_t key, uint32_t process,
                                 uint32_t single)
{
    const uint64_t hash = sim_prng_mix(sim_prng_mix((uint64_t)key << 32 | process) + single);

    return &records->chains[hash & (records->chain_count - 1)];
}

static struct sim_record **chain_of(const struct sim_records *records, uint32_t key,
                                    const struct weir_ask *ask)
{
    return chain(records, key, ask->id.process, is_single(ask) ? ask->id.sequence : 0);
}

static void drop(struct sim_records *records, struct sim_record **place)
{
    struct sim_record *record = *place;

    if (record->untaken_units != 0) {
        records->owner->lost(records->context, record);
    }
    *place = record->next;
    record->next = records->free_list;
    records->free_list = record;
    records->count--;
}

static bool is_of(const struct sim_record *record, uint32_t key, const struct weir_ask *ask)
{
    return record->key == key && record->record.id.process == ask->id.process &&
           record->record.id.incarnation == ask->id.incarnation &&
           record->is_single == is_single(ask) &&
           (!record->is_single || record->record.id.sequence == ask->id.sequence);
}

const struct sim_record *sim_records_find(const struct sim_records *records, uint32_t key,
                                          const struct weir_ask *ask, uint64_t now_us)
{
    for (const struct sim_record *record = *chain_of(records, key, ask); record != NULL;
         record = record->next) {
        if (!record->is_hidden && is_of(record, key, ask)) {
            return record->record.expires_us > now_us ? record : NULL;
        }
    }
    return NULL;
}

static void grow(struct sim_records *records)
{
    struct sim_records old = *records;

    records->chain_count *= 2;
    records->chains = sim_memory_new(records->chain_count, sizeof(struct sim_record *));
    for (size_t i = 0; i < old.chain_count; i++) {
        struct sim_record *record = old.chains[i];
        struct sim_record **ends[2] = {NULL, NULL};
        for (; record != NULL; record = record->next) { /* in order: the newest stays first */
            struct sim_record **start = chain(records, record->key, record->process,
                                              record->is_single ? record->record.id.sequence : 0);
            const unsigned which = start != &records->chains[i];
            *(ends[which] == NULL ? start : ends[which]) = record;
            ends[which] = &record->next;
        }
        for (unsigned which = 0; which < 2; which++) {
            if (ends[which] != NULL) {
                *ends[which] = NULL;
            }
        }
    }
    free(old.chains);
}

/* Nobody takes it, and nothing that it answers for can be carried out again. */
static bool is_over(const struct sim_records *records, const struct sim_record *record,
                    uint64_t now_ns)
{
    return record->untaken_units == 0 && record->dropped_ns <= now_ns &&
           (record->is_hidden ||
            record->record.expires_us <=
                records->owner->clock_us(records->context, record->key, now_ns));
}

static void sweep(struct sim_records *records, uint64_t now_ns)
{
    for (unsigned i = 0; i < CHAINS_PER_SWEEP; i++) {
        struct sim_record **place = &records->chains[records->swept_chain];
        records->swept_chain = (records->swept_chain + 1) & (records->chain_count - 1);
        while (*place != NULL) {
            if (is_over(records, *place, now_ns)) {
                drop(records, place);
            } else {
                place = &(*place)->next;
            }
        }
    }
}

/* The one before the newest is replaced; if its answer was taken, nothing is left of it. */
static void replace(struct sim_records *records, uint32_t key, const struct weir_ask *ask)
{
    struct sim_record **place = chain_of(records, key, ask);

    while (*place != NULL) {
        struct sim_record *record = *place;
        if (is_of(record, key, ask)) {
            record->is_hidden = true;
            if (record->untaken_units == 0) {
                drop(records, place);
                continue;
            }
        }
        place = &record->next;
    }
}

uint64_t sim_records_add(struct sim_records *records, const struct sim_record *record,
                         const struct weir_ask *ask)
{
    sweep(records, record->arrived_ns); /* a queue may be done only much later */
    replace(records, record->key, ask);
    if (records->count >= records->chain_count) {
        grow(records);
    }
    struct sim_record *place = records->free_list;
    if (place == NULL) {
        place = sim_memory_new(1, sizeof *place);
    } else {
        records->free_list = place->next;
    }
    struct sim_record **start = chain_of(records, record->key, ask);
    *place = *record;
    place->number = ++records->last_number;
    place->process = ask->id.process;
    place->is_single = is_single(ask);
    place->next = *start;
    *start = place;
    records->count++;
    return place->number;
}

uint64_t sim_records_taken(struct sim_records *records, uint32_t key, const struct weir_ask *ask,
                           uint64_t number)
{
    struct sim_record **place = chain_of(records, key, ask);
    uint64_t units = 0;

    while (*place != NULL && (*place)->number != number) {
        place = &(*place)->next;
    }
    if (*place != NULL) {
        units = (*place)->untaken_units;
        (*place)->untaken_units = 0;
        if ((*place)->is_hidden) {
            drop(records, place);
        }
    }
    return units;
}

void sim_records_change(struct sim_records *records,
                        void (*change)(const void *context, struct sim_record *record),
                        const void *context)
{
    for (size_t i = 0; i < records->chain_count; i++) {
        for (struct sim_record *record = records->chains[i]; record != NULL;
             record = record->next) {
            if (!record->is_hidden) {
                change(context, record);
            }
        }
    }
}

void sim_records_finish(struct sim_records *records)
{
    for (size_t i = 0; i < records->chain_count; i++) {
        while (records->chains[i] != NULL) {
            drop(records, &records->chains[i]);
        }
    }
}
