/* Two sides, each a scenario with its changes, run under the same seeds: by how much each measure
 * differs, pair by pair. What is different in a pair is owed to what the sides differ in, and not
 * to luck, as long as both get the same requests; see given.h. */
#ifndef STUDY_COMPARE_H
#define STUDY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "given.h"
#include "measure.h"
#include "run_list.h"

#define STUDY_COMPARE_SEEDS_MAX 1000

struct study_side {
    const char *scenario;    /* path; borrowed */
    const char *const *sets; /* without a seed; borrowed */
    size_t set_count;
};

/* One measure over all pairs. "Change" is B's value less A's. */
struct study_gap {
    bool is_there;     /* in both results of each pair */
    double medians[2]; /* of A, of B */
    double change_median;
    double change_worst; /* for B; where neither way is good, the largest */
    size_t better_count; /* pairs in which B is better */
    size_t worse_count;
    size_t differing_count; /* also where neither way is good */
};

struct study_compare {
    struct study_side sides[2];
    uint64_t first_seed; /* of seed_count successive ones */
    size_t seed_count;
    enum sim_kernel_kind kernel;
    const char *folder; /* where runs are kept; NULL: nowhere */
    unsigned job_count; /* 0: one per core */
    bool quiet;

    /* filled in */
    struct study_batch batch;
    struct study_run_list list; /* A's by seed, then B's; owned */
    struct study_gap gaps[STUDY_MEASURE_COUNT];
};

/* Make all runs, and measure. On a failure, compare->batch has the error. */
enum study_end study_compare_run(struct study_compare *compare);
void study_compare_free(struct study_compare *compare);

/* The run of a pair: side 0 is A. */
const struct study_run *study_compare_pair(const struct study_compare *compare, size_t side,
                                           size_t pair);

#endif
