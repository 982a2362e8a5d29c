/* The answers a store remembers, so that an ask that comes again is answered from the first time:
 * one for each process, incarnation and key, and one for each ask that a process may have several
 * of (WEIR_ASK_SPEND). Each is kept until it expires. */
#ifndef SIM_RECORDS_H
#define SIM_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "weir/take.h"

struct sim_record {
    struct weir_ask_record record; /* sequence 0: an empty place */
    uint64_t granted_ns;           /* true time of the answer */
    uint32_t key;
    uint32_t is_spend;
    uint32_t untaken_units; /* granted, and no process has taken the answer */
};

/* What becomes of a record that is dropped. */
struct sim_records_sink {
    void *context;
    void (*dropped)(void *context, const struct sim_record *record);
};

struct sim_records {
    struct sim_record *places; /* open addressing */
    size_t capacity;           /* a power of two */
    size_t count;
    struct sim_records_sink sink;
};

void sim_records_init(struct sim_records *records, const struct sim_records_sink *sink);
void sim_records_deinit(struct sim_records *records);

/* The record for an ask, made if there is none; zeroed if what it holds has expired at now_us.
 * Valid until the next call. */
struct sim_record *sim_records_get(struct sim_records *records, uint32_t key,
                                   const struct weir_ask *ask, uint64_t now_us);

/* The record of an answered ask, or NULL. */
struct sim_record *sim_records_find(struct sim_records *records, uint32_t key,
                                    const struct weir_ask *ask);

/* Drop all records of keys for which `is_of` says so. */
void sim_records_drop(struct sim_records *records, int (*is_of)(const void *context, uint32_t key),
                      const void *context);

#endif
