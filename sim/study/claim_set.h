/* All claims of a folder, the runs they need, and the verdicts. */
#ifndef STUDY_CLAIM_SET_H
#define STUDY_CLAIM_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "batch.h"
#include "claim.h"
#include "claim_judge.h"
#include "run_list.h"

struct study_claim_set {
    struct study_claim *claims; /* by section, then by id: L2 before L10; owned */
    size_t claim_count;
    struct study_run_list list;  /* of all claims; owned */
    struct study_judged *judged; /* by claim, once judged; owned */
};

/* Read every *.claim.json of the folder, and keep those with one of the `ids`; all if there are
 * none. Returns false with one line in `error` (nothing is left to free) if one is wrong or there
 * is none. */
bool study_claim_set_load(struct study_claim_set *set, const char *folder, const char *const *ids,
                          size_t id_count, char *error, size_t error_size);
void study_claim_set_free(struct study_claim_set *set);

/* After the runs were made. */
bool study_claim_set_judge(struct study_claim_set *set, char *error, size_t error_size);

/* Whose run of set->runs that is, "FILE: runs.NAME". */
void study_claim_set_name_run(const struct study_claim_set *set, size_t run, char *text,
                              size_t size);

/* The claim of that id, or NULL. */
const struct study_judged *study_claim_set_find(const struct study_claim_set *set, const char *id);

#endif
