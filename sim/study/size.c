#include "size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"
#include "run_list.h"
#include "weir/assert.h"

#define REFINEMENTS_MAX 4
#define FINEST_RATIO 1.15 /* sizes closer than this are not told apart */

const struct study_bound_text study_bound_texts[STUDY_BOUND_COUNT] = {
    {"over", "accuracy.over_pct.max", "over-admission", " % of the limit"},
    {"under", "accuracy.under_pct.max", "under-admission", " % of the limit"},
    {"over-units", "accuracy.over_units.max", "over-admission", " units"},
    {"under-units", "accuracy.under_units.max", "under-admission", " units"},
    {"asks-per-s", "store.asks_per_s.mean", "the store's load", " asks/s"},
    {"peak-asks-per-s", "store.asks_per_s.max_1s", "the store's load",
     " asks/s in the busiest second"},
    {"p99-us", "latency_us.p99", "the p99 of what is added to a request", " us"},
};

/* One round: these candidates, under seeds from their own next one on. */
struct round {
    size_t candidates[STUDY_CANDIDATES_MAX];
    size_t count;
    size_t seed_count; /* each is to have as many */
};

static double asks_of(const struct study_candidate *candidate)
{
    return candidate->worst[STUDY_BOUND_ASKS];
}

static void judge(const struct study_size *size, struct study_candidate *candidate)
{
    candidate->misses = 0;
    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        candidate->worst[bound] = 0;
        for (size_t seed = 0; seed < candidate->seed_count; seed++) {
            double value = HUGE_VAL; /* nothing measured keeps no bound */
            (void)sim_result_number(candidate->results[seed], study_bound_texts[bound].path,
                                    &value);
            candidate->worst[bound] = fmax(candidate->worst[bound], value);
        }
        if (size->is_bounded[bound] && !(candidate->worst[bound] <= size->bounds[bound])) {
            candidate->misses |= 1u << bound;
        }
    }
}

/* As good in all that counts, and better in something. */
static bool beats(const struct study_size *size, const struct study_candidate *winner,
                  const struct study_candidate *loser)
{
    bool is_better = false;

    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        if (!size->is_bounded[bound] && bound != STUDY_BOUND_ASKS) {
            continue;
        }
        if (winner->worst[bound] > loser->worst[bound]) {
            return false;
        }
        is_better = is_better || winner->worst[bound] < loser->worst[bound];
    }
    return is_better;
}

static void compare_all(struct study_size *size)
{
    size->chosen = STUDY_SIZE_NOBODY;
    for (size_t i = 0; i < size->candidate_count; i++) {
        struct study_candidate *candidate = &size->candidates[i];
        if (candidate->seed_count == 0) {
            candidate->is_efficient = false;
            continue;
        }
        candidate->is_efficient = true;
        for (size_t other = 0; other < size->candidate_count; other++) {
            candidate->is_efficient =
                candidate->is_efficient && (size->candidates[other].seed_count == 0 ||
                                            !beats(size, &size->candidates[other], candidate));
        }
        if (candidate->misses == 0 && candidate->seed_count == size->seed_count &&
            (size->chosen == STUDY_SIZE_NOBODY ||
             asks_of(candidate) < asks_of(&size->candidates[size->chosen]))) {
            size->chosen = i;
        }
    }
}

static void plan(const struct study_size *size, const struct round *round,
                 struct study_run_list *list)
{
    const struct study_run run = {.scenario = size->scenario,
                                  .sets = size->sets,
                                  .set_count = size->set_count,
                                  .kernel = size->kernel};

    for (size_t i = 0; i < round->count; i++) {
        const struct study_candidate *candidate = &size->candidates[round->candidates[i]];
        for (size_t at = candidate->seed_count; at < round->seed_count; at++) {
            const uint64_t seed = size->first_seed + at;
            study_run_list_add(list, &run, (const char *const *)candidate->sets,
                               candidate->set_count, &seed);
        }
    }
}

static void take(struct study_size *size, const struct round *round, const struct study_run *runs)
{
    for (size_t i = 0; i < round->count; i++) {
        struct study_candidate *candidate = &size->candidates[round->candidates[i]];
        while (candidate->seed_count < round->seed_count) {
            candidate->results[candidate->seed_count++] = json_incref(runs->result);
            runs++;
        }
        judge(size, candidate);
    }
}

static enum study_end make_round(struct study_size *size, const struct round *round)
{
    struct study_run_list list = {0};

    plan(size, round, &list);
    if (list.count == 0) {
        return STUDY_DONE;
    }
    struct study_batch batch = {
        .runs = list.runs,
        .run_count = list.count,
        .folder = size->folder,
        .job_count = size->job_count,
        .label = round->seed_count == 1 ? "size: first seed" : "size: more seeds",
        .quiet = size->quiet,
    };
    const enum study_end end = study_batch_run(&batch);
    if (end == STUDY_DONE) {
        take(size, round, list.runs);
    }
    size->signal_number = batch.signal_number;
    snprintf(size->error, sizeof size->error, "%s", batch.error);
    study_batch_free(&batch);
    study_run_list_free(&list);
    return end;
}

static struct round new_ones(const struct study_size *size)
{
    struct round round = {.seed_count = 1};

    for (size_t i = 0; i < size->candidate_count; i++) {
        if (!size->candidates[i].is_refused && size->candidates[i].seed_count == 0) {
            round.candidates[round.count++] = i;
        }
    }
    return round;
}

static struct round promising_ones(const struct study_size *size)
{
    struct round round = {.seed_count = size->seed_count};

    for (size_t i = 0; i < size->candidate_count; i++) {
        const struct study_candidate *candidate = &size->candidates[i];
        if (candidate->seed_count > 0 && (candidate->misses == 0 || candidate->is_efficient)) {
            round.candidates[round.count++] = i;
        }
    }
    return round;
}

/* Larger leases ask less and err more: what one size misses and the next does not may be kept, with
 * all the rest, in between. */
static bool is_worth_a_look(const struct study_candidate *low, const struct study_candidate *high)
{
    return low->seed_count > 0 && high->seed_count > 0 && low->misses != high->misses &&
           (low->misses & high->misses) == 0 &&
           (double)high->lease_units > FINEST_RATIO * (double)low->lease_units &&
           high->lease_units > low->lease_units + 1;
}

/* The fixed ones, from the smallest lease to the largest. */
static size_t sort_fixed(const struct study_size *size, size_t order[STUDY_CANDIDATES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < size->candidate_count; i++) {
        const uint32_t units = size->candidates[i].lease_units;
        size_t place = count;
        if (units == 0) {
            continue;
        }
        for (; place > 0 && size->candidates[order[place - 1]].lease_units > units; place--) {
            order[place] = order[place - 1];
        }
        order[place] = i;
        count++;
    }
    return count;
}

/* Returns whether there is anything new to run. */
static bool refine(struct study_size *size)
{
    size_t order[STUDY_CANDIDATES_MAX];
    const size_t count = sort_fixed(size, order);
    bool added = false;

    for (size_t i = 0; i + 1 < count && size->candidate_count < STUDY_CANDIDATES_MAX; i++) {
        const struct study_candidate *low = &size->candidates[order[i]];
        const struct study_candidate *high = &size->candidates[order[i + 1]];
        if (is_worth_a_look(low, high)) {
            const double middle = sqrt((double)low->lease_units * (double)high->lease_units);
            study_candidates_add_fixed(size, (uint32_t)(middle + 0.5));
            added = true;
        }
    }
    return added;
}

static int by_asks(const void *a, const void *b)
{
    const struct study_candidate *left = a;
    const struct study_candidate *right = b;

    if ((left->seed_count == 0) != (right->seed_count == 0)) {
        return left->seed_count == 0 ? 1 : -1;
    }
    if (asks_of(left) < asks_of(right) || asks_of(left) > asks_of(right)) {
        return asks_of(left) < asks_of(right) ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

enum study_end study_size_run(struct study_size *size)
{
    WEIR_ASSERT(size->seed_count > 0);
    WEIR_ASSERT(size->seed_count <= STUDY_SIZE_SEEDS_MAX);
    study_candidates_make(size);
    struct round round = new_ones(size);
    enum study_end end = make_round(size, &round);
    for (unsigned i = 0; i < REFINEMENTS_MAX && end == STUDY_DONE && refine(size); i++) {
        round = new_ones(size);
        end = make_round(size, &round);
    }
    if (end == STUDY_DONE) {
        compare_all(size);
        round = promising_ones(size);
        end = make_round(size, &round);
    }
    qsort(size->candidates, size->candidate_count, sizeof size->candidates[0], by_asks);
    compare_all(size);
    return end;
}

void study_size_free(struct study_size *size)
{
    for (size_t i = 0; i < size->candidate_count; i++) {
        struct study_candidate *candidate = &size->candidates[i];
        for (size_t seed = 0; seed < candidate->seed_count; seed++) {
            json_decref(candidate->results[seed]);
        }
        for (size_t set = 0; set < candidate->set_count; set++) {
            free(candidate->sets[set]);
        }
    }
    size->candidate_count = 0;
}

static size_t best_within(const struct study_size *size, enum study_bound_kind bound,
                          unsigned ignored)
{
    size_t best = STUDY_SIZE_NOBODY;

    for (size_t i = 0; i < size->candidate_count; i++) {
        const struct study_candidate *candidate = &size->candidates[i];
        if (candidate->seed_count > 0 && (candidate->misses & ~ignored) == 0 &&
            (best == STUDY_SIZE_NOBODY ||
             candidate->worst[bound] < size->candidates[best].worst[bound])) {
            best = i;
        }
    }
    return best;
}

size_t study_size_best(const struct study_size *size, enum study_bound_kind bound)
{
    return best_within(size, bound, ~0u);
}

size_t study_size_best_of_others(const struct study_size *size, enum study_bound_kind bound)
{
    return best_within(size, bound, 1u << bound);
}
