#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "result.h"
#include "weir/assert.h"

const struct study_run *study_compare_pair(const struct study_compare *compare, size_t side,
                                           size_t pair)
{
    WEIR_ASSERT(side < 2);
    WEIR_ASSERT(pair < compare->seed_count);
    return &compare->list.runs[side * compare->seed_count + pair];
}

/* A's by seed, then B's. */
static void plan(struct study_compare *compare)
{
    const size_t count = compare->seed_count;

    for (size_t i = 0; i < 2 * count; i++) {
        const struct study_side *side = &compare->sides[i / count];
        const uint64_t seed = compare->first_seed + i % count;
        const struct study_run run = {.scenario = side->scenario,
                                      .sets = side->sets,
                                      .set_count = side->set_count,
                                      .kernel = compare->kernel};
        study_run_list_add(&compare->list, &run, NULL, 0, &seed);
    }
}

static bool is_worse_change(const struct study_measure *measure, double change, double than)
{
    switch (measure->better) {
    case STUDY_BETTER_LESS:
        return change > than;
    case STUDY_BETTER_MORE:
        return change < than;
    case STUDY_BETTER_NEITHER:
    default:
        return fabs(change) > fabs(than);
    }
}

/* values: of A by pair, of B, and room for the changes. */
static void fill_gap(struct study_gap *gap, const struct study_measure *measure, double *values,
                     size_t count)
{
    double *changes = values + 2 * count;

    for (size_t i = 0; i < count; i++) {
        const double a = values[i];
        const double b = values[count + i];
        const int better = study_measure_compare(measure, b, a);
        changes[i] = b - a;
        gap->better_count += better > 0;
        gap->worse_count += better < 0;
        gap->differing_count +=
            strcmp(study_measure_value(measure, a).text, study_measure_value(measure, b).text) != 0;
        if (i == 0 || is_worse_change(measure, changes[i], gap->change_worst)) {
            gap->change_worst = changes[i];
        }
    }
    gap->change_median = study_median(changes, count);
    gap->medians[0] = study_median(values, count);
    gap->medians[1] = study_median(values + count, count);
    gap->is_there = true;
}

static void measure_gap(struct study_compare *compare, size_t measure)
{
    const size_t count = compare->seed_count;
    double *values = sim_memory_new(3 * count, sizeof *values);
    bool is_there = true;

    for (size_t i = 0; i < 2 * count; i++) {
        is_there = sim_result_number(compare->list.runs[i].result, study_measures[measure].path,
                                     &values[i]) &&
                   is_there;
    }
    if (is_there) {
        fill_gap(&compare->gaps[measure], &study_measures[measure], values, count);
    }
    free(values);
}

enum study_end study_compare_run(struct study_compare *compare)
{
    WEIR_ASSERT(compare->seed_count > 0);
    WEIR_ASSERT(compare->seed_count <= STUDY_COMPARE_SEEDS_MAX);
    plan(compare);
    compare->batch = (struct study_batch){
        .runs = compare->list.runs,
        .run_count = compare->list.count,
        .folder = compare->folder,
        .job_count = compare->job_count,
        .label = "compare",
        .quiet = compare->quiet,
    };
    const enum study_end end = study_batch_run(&compare->batch);
    for (size_t i = 0; i < STUDY_MEASURE_COUNT && end == STUDY_DONE; i++) {
        compare->gaps[i] = (struct study_gap){0};
        measure_gap(compare, i);
    }
    return end;
}

void study_compare_free(struct study_compare *compare)
{
    study_batch_free(&compare->batch);
    study_run_list_free(&compare->list);
    *compare = (struct study_compare){0};
}
