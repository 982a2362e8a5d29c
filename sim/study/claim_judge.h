/* What runs say about a claim. */
#ifndef STUDY_CLAIM_JUDGE_H
#define STUDY_CLAIM_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "batch.h"
#include "claim.h"

/* A measure of a claim, in its unit. */
struct study_figure {
    double value;
    /* over its seeds; the value itself unless there are several */
    double least;
    double middle;
    double most;
    size_t seed_count; /* 0: no run, or the scenario's own seed */
};

struct study_judged {
    const struct study_claim *claim; /* borrowed */
    struct study_figure *figures;    /* by measure; owned */
    bool *agrees;                    /* by check: with what it is held against; owned */
    const struct study_verdict *verdict;
    char *words; /* the verdict's, with values; owned */
};

/* `runs` are those of the batch that the claim's are part of, made. Returns false, with one line in
 * `error` and *judged zeroed, if a result or a table has no such number. */
bool study_claim_judge(struct study_judged *judged, const struct study_claim *claim,
                       const struct study_run *runs, char *error, size_t error_size);
void study_judged_free(struct study_judged *judged);

/* Returned by value, as of readable.h. */
struct study_amount {
    char text[80];
};

/* As people write it: three digits that count, larger numbers in full with grouped digits, long
 * times in ms or s. */
struct study_amount study_amount(double value, const char *unit);

/* The number alone, in the unit in which study_amount shows `beside`. */
struct study_amount study_amount_bare(double value, const char *unit, double beside);

#endif
