/* The answers that a store remembers, so that an ask that comes again is answered from them, and
 * what became of what they granted.
 *
 * The store keeps, until it expires, the newest answer to each process's (incarnation's) asks about
 * a key; and each answer to an ask of which a process may have any number under way: those that are
 * decided at the store (WEIR_ASK_SPEND) and those that want nothing (WEIR_ASK_RETURN: last words
 * about a key, whose order does not matter). An answer that the store has lost or replaced is still
 * kept here, out of the store's sight, until somebody takes what it granted. What nobody took by
 * the end is handed to `lost`. */
#ifndef SIM_RECORDS_H
#define SIM_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/take.h"

/* An answer may be taken this much after it expired, as clocks have error bars. */
#define SIM_RECORDS_LATE_NS UINT64_C(1000000000)

struct sim_record {
    struct weir_ask_record record;
    uint64_t number;     /* of this carrying out of the ask, unique in a run, from 1 */
    uint64_t arrived_ns; /* true time: the ask's arrival, and when it was carried out */
    uint64_t done_ns;
    uint64_t dropped_ns; /* true time from which nobody takes it any more; if the store's clock
                            steps back it is kept until it has expired by that, too */
    uint64_t untaken_units;
    uint32_t key;
    uint32_t process; /* as the ask names it; set by sim_records_add, as the next one is */
    bool is_single;   /* of this one ask */
    bool is_hidden;   /* the store has lost or replaced it */
    bool is_split;    /* known to the old one of two primaries alone */
    struct sim_record *next;
};

/* Whose records they are. */
struct sim_records_owner {
    void (*lost)(void *context, const struct sim_record *record);
    /* by which the key's records expire, at a true time */
    uint64_t (*clock_us)(const void *context, uint32_t key, uint64_t now_ns);
};

struct sim_records {
    struct sim_record **chains; /* see chain_of, the newest first; NULL: none are kept */
    size_t chain_count;         /* a power of two */
    size_t count;
    size_t swept_chain;
    uint64_t last_number;
    struct sim_record *free_list;
    const struct sim_records_owner *owner;
    void *context; /* the owner's */
};

/* Ownership: `owner` and what `context` points to live longer than the records. */
void sim_records_init(struct sim_records *records, const struct sim_records_owner *owner,
                      void *context);
void sim_records_deinit(struct sim_records *records);

/* What the store knows of this ask at its time now_us: its own record, or that of an earlier or a
 * later one of its process about the key. NULL: nothing. Valid until something is added. */
const struct sim_record *sim_records_find(const struct sim_records *records, uint32_t key,
                                          const struct weir_ask *ask, uint64_t now_us);

/* The ask was carried out; record as weir_take left it. Returns the number it was given. */
uint64_t sim_records_add(struct sim_records *records, const struct sim_record *record,
                         const struct weir_ask *ask);

/* A process took the answer to this ask. Returns what nobody had taken before. */
uint64_t sim_records_taken(struct sim_records *records, uint32_t key, const struct weir_ask *ask,
                           uint64_t number);

/* Go through all records that the store sees; `change` may set is_hidden and is_split. */
void sim_records_change(struct sim_records *records,
                        void (*change)(const void *context, struct sim_record *record),
                        const void *context);

/* The run is over: what was not taken never will be. */
void sim_records_finish(struct sim_records *records);

#endif
