/* What a run decided and what its store answered, one number for each, so that two runs can be
 * compared: what is in one and not in the other was changed by what they differ in.
 *
 * Entries come in any order, as processes run ahead of each other; a comparison looks at them as
 * sets in which one entry may stand several times. */
#ifndef SIM_JOURNAL_H
#define SIM_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

struct sim_journal_entry {
    uint64_t time_ns;
    uint64_t hash; /* of what happened then, the time included */
};

struct sim_journal {
    uint64_t from_ns; /* what happened before is not kept; UINT64_MAX: nothing is */
    struct sim_journal_entry *entries;
    size_t count;
    size_t capacity;
};

/* An empty one that keeps nothing: set from_ns before the run. */
void sim_journal_init(struct sim_journal *journal);
void sim_journal_deinit(struct sim_journal *journal);

/* A decision about a request: what was asked of which key when, and how it was decided. Not by
 * whom: a request that another process decides alike is not changed. */
void sim_journal_decision(struct sim_journal *journal, uint64_t arrived_ns, uint32_t key,
                          uint32_t cost_units, uint32_t verdict, uint32_t mode);

/* An answer of the store. */
void sim_journal_answer(struct sim_journal *journal, uint64_t done_ns, uint32_t process,
                        uint32_t key, uint64_t granted_units);

/* Put the entries in order. Call once after the run. */
void sim_journal_finish(struct sim_journal *journal);

/* How many entries of [from_ns, until_ns) `journal` has that `other` has not. Both are finished. */
uint64_t sim_journal_missing_count(const struct sim_journal *journal,
                                   const struct sim_journal *other, uint64_t from_ns,
                                   uint64_t until_ns);

#endif
