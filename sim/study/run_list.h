/* Runs to make, each with the sets it has and its seed, in memory of the list's own. */
#ifndef STUDY_RUN_LIST_H
#define STUDY_RUN_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "batch.h"

struct study_run_list {
    struct study_run *runs; /* owned; their results are let go with study_batch_free */
    size_t count;
    size_t room;
    void **sets; /* of each run; owned */
};

/* Add `run`, with more sets behind its own and, if there is one, a seed behind those. Texts are
 * borrowed. */
void study_run_list_add(struct study_run_list *list, const struct study_run *run,
                        const char *const *more, size_t more_count, const uint64_t *seed);
void study_run_list_free(struct study_run_list *list);

#endif
