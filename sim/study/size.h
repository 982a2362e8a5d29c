/* Which settings of a limiter keep within bounds on error, asks and latency?
 *
 * All ways of leasing are tried under the first seed; over bounds there means out, as the worst
 * seed counts. Those that keep all bounds, or that no other one beats everywhere, are run under the
 * other seeds, too. Between two sizes of fixed leases of which one asks too much and the other errs
 * too much, sizes in between are tried. */
#ifndef STUDY_SIZE_H
#define STUDY_SIZE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "measure.h"
#include "scenario.h"

#define STUDY_SIZE_SEEDS_MAX 100
#define STUDY_CANDIDATES_MAX 64
#define STUDY_CANDIDATE_SETS_MAX 4
#define STUDY_SIZE_NOBODY SIZE_MAX

enum study_bound_kind {
    STUDY_BOUND_OVER = 0,
    STUDY_BOUND_UNDER,
    STUDY_BOUND_OVER_UNITS,
    STUDY_BOUND_UNDER_UNITS,
    STUDY_BOUND_ASKS,
    STUDY_BOUND_PEAK_ASKS,
    STUDY_BOUND_P99,
    STUDY_BOUND_COUNT,
};

struct study_bound_text {
    const char *option; /* "over" */
    const char *path;   /* in the result */
    const char *name;   /* "over-admission" */
    const char *unit;   /* behind a number: " % of the limit" */
};

extern const struct study_bound_text study_bound_texts[STUDY_BOUND_COUNT];

struct study_candidate {
    char name[48];                        /* "fixed, 50 units" */
    char *sets[STUDY_CANDIDATE_SETS_MAX]; /* owned */
    size_t set_count;
    uint32_t lease_units; /* of fixed leases; else 0 */
    bool is_refused;      /* the scenario cannot be run so */

    size_t seed_count;                     /* run so far */
    json_t *results[STUDY_SIZE_SEEDS_MAX]; /* owned */
    double worst[STUDY_BOUND_COUNT];       /* over the seeds that were run */
    unsigned misses;                       /* a bit for each bound */
    bool is_efficient; /* none that was run is as good in all that is bounded and in asks, and
                          better in one of them */
};

struct study_size {
    const char *scenario;    /* path; borrowed */
    const char *const *sets; /* borrowed */
    size_t set_count;
    uint64_t first_seed;
    size_t seed_count;
    enum sim_kernel_kind kernel;
    const char *folder; /* where runs are kept; NULL: nowhere */
    unsigned job_count; /* 0: one per core */
    bool quiet;
    bool is_bounded[STUDY_BOUND_COUNT];
    double bounds[STUDY_BOUND_COUNT];

    /* filled in */
    struct study_candidate candidates[STUDY_CANDIDATES_MAX]; /* by asks, those refused last */
    size_t candidate_count;
    size_t chosen; /* the candidate that meets all at the fewest asks; or STUDY_SIZE_NOBODY */
    int signal_number;
    char error[512];
};

/* Requires a scenario that can be loaded, a bound, and seeds. On a failure `error` says why. */
enum study_end study_size_run(struct study_size *size);
void study_size_free(struct study_size *size);

/* size_candidates.c: what there is to try; the scenario as the sets leave it tells what applies. */
void study_candidates_make(struct study_size *size);
/* Fixed leases of another size. */
void study_candidates_add_fixed(struct study_size *size, uint32_t lease_units);

/* The least that any candidate comes to, and the least of those that keep all other bounds;
 * STUDY_SIZE_NOBODY: none does. */
size_t study_size_best(const struct study_size *size, enum study_bound_kind bound);
size_t study_size_best_of_others(const struct study_size *size, enum study_bound_kind bound);

#endif
