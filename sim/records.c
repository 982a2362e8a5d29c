#include "records.h"

#include <stdlib.h>

#include "memory.h"
#include "prng.h"

#define CAPACITY_MIN 1024

void sim_records_init(struct sim_records *records, const struct sim_records_sink *sink)
{
    *records = (struct sim_records){
        .places = sim_memory_new(CAPACITY_MIN, sizeof *records->places),
        .capacity = CAPACITY_MIN,
        .sink = *sink,
    };
}

void sim_records_deinit(struct sim_records *records)
{
    free(records->places);
    *records = (struct sim_records){0};
}

/* Asks that share a record have the same: all of a process's and key's, or one that spends. */
static uint64_t hash_of(uint32_t key, const struct weir_ask_id *id, uint32_t is_spend)
{
    uint64_t hash = sim_prng_mix(((uint64_t)key << 32 | id->process) ^ id->incarnation);

    if (is_spend) {
        hash = sim_prng_mix(hash ^ id->sequence);
    }
    return hash;
}

static int is_for(const struct sim_record *place, uint32_t key, const struct weir_ask_id *id,
                  uint32_t is_spend)
{
    const struct weir_ask_id *held = &place->record.id;

    return place->key == key && place->is_spend == is_spend && held->process == id->process &&
           held->incarnation == id->incarnation && (!is_spend || held->sequence == id->sequence);
}

/* Its place, or the empty one where it would be. */
static struct sim_record *place_of(struct sim_records *records, uint32_t key,
                                   const struct weir_ask_id *id, uint32_t is_spend)
{
    size_t at = (size_t)hash_of(key, id, is_spend) & (records->capacity - 1);

    while (records->places[at].record.id.sequence != 0 &&
           !is_for(&records->places[at], key, id, is_spend)) {
        at = (at + 1) & (records->capacity - 1);
    }
    return &records->places[at];
}

static void drop(struct sim_records *records, const struct sim_record *record)
{
    records->sink.dropped(records->sink.context, record);
}

/* Move what is kept to a table that is at most a quarter full. */
static void rebuild(struct sim_records *records, uint64_t now_us,
                    int (*is_of)(const void *context, uint32_t key), const void *context)
{
    struct sim_records old = *records;
    size_t kept = 0;

    for (size_t i = 0; i < old.capacity; i++) {
        struct sim_record *record = &old.places[i];
        if (record->record.id.sequence == 0) {
            continue;
        }
        if (is_of != NULL ? is_of(context, record->key) : record->record.expires_us <= now_us) {
            drop(records, record);
            record->record.id.sequence = 0;
        } else {
            kept++;
        }
    }
    records->capacity = CAPACITY_MIN;
    while (records->capacity < kept * 4) {
        records->capacity *= 2;
    }
    records->places = sim_memory_new(records->capacity, sizeof *records->places);
    records->count = kept;
    for (size_t i = 0; i < old.capacity; i++) {
        const struct sim_record *record = &old.places[i];
        if (record->record.id.sequence != 0) {
            *place_of(records, record->key, &record->record.id, record->is_spend) = *record;
        }
    }
    free(old.places);
}

struct sim_record *sim_records_get(struct sim_records *records, uint32_t key,
                                   const struct weir_ask *ask, uint64_t now_us)
{
    const uint32_t is_spend = (ask->flags & WEIR_ASK_SPEND) != 0;

    if (records->count * 2 >= records->capacity) {
        rebuild(records, now_us, NULL, NULL);
    }
    struct sim_record *place = place_of(records, key, &ask->id, is_spend);
    if (place->record.id.sequence == 0) {
        records->count++;
        *place = (struct sim_record){.key = key, .is_spend = is_spend};
    } else if (place->record.expires_us <= now_us) {
        drop(records, place);
        *place = (struct sim_record){.key = key, .is_spend = is_spend};
    }
    return place;
}

struct sim_record *sim_records_find(struct sim_records *records, uint32_t key,
                                    const struct weir_ask *ask)
{
    struct sim_record *place = place_of(records, key, &ask->id, (ask->flags & WEIR_ASK_SPEND) != 0);

    return place->record.id.sequence == ask->id.sequence ? place : NULL;
}

void sim_records_drop(struct sim_records *records, int (*is_of)(const void *context, uint32_t key),
                      const void *context)
{
    rebuild(records, 0, is_of, context);
}
