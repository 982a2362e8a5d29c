#include "divergence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "progress.h"
#include "trace_hash.h"
#include "weir/assert.h"
#include "world.h"

#define NS_PER_S UINT64_C(1000000000)
#define NO_SECOND UINT64_MAX

/* What a child writes: this, then `seconds` hashes or `decisions` decisions. */
struct survey {
    struct study_given given;
    uint64_t count;
};

struct look {
    struct study_divergence *divergence;
    uint64_t second; /* NO_SECOND: hash them all */

    /* in a child */
    struct sim_trace_hash hashes;
    struct study_decision *decisions;
    size_t count;
    size_t capacity;

    /* in the parent, by side */
    struct survey surveys[2];
    void *items[2]; /* owned */
};

static void keep_decision(struct look *look, const struct study_decision *decision)
{
    look->decisions =
        sim_memory_grow(look->decisions, look->count, &look->capacity, sizeof *look->decisions);
    look->decisions[look->count++] = *decision;
}

static void take_decision(void *context, uint32_t process, const struct sim_waiting *request,
                          uint64_t decided_ns, const struct weir_decision *decision)
{
    struct look *look = context;

    if (look->second == NO_SECOND) {
        sim_trace_hash_add(&look->hashes, request->arrived_ns, request->cost_units,
                           decision->verdict, request->key);
        return;
    }
    if (request->arrived_ns / NS_PER_S == look->second) {
        keep_decision(look, &(struct study_decision){
                                .arrived_ns = request->arrived_ns,
                                .key = request->key,
                                .cost_units = request->cost_units,
                                .process = process,
                                .is_there = true,
                                .verdict = decision->verdict,
                                .reason = decision->reason,
                                .mode = decision->mode,
                                .decided_ns = decided_ns,
                                .retry_after_ns = decision->retry_after_ns,
                            });
    }
}

/* In a child. What it cannot do it does not write: the parent sees that something is missing. */
static void make_look(void *context, size_t side, FILE *output)
{
    struct look *look = context;
    const struct sim_scenario *scenario = look->divergence->scenarios[side];
    /* the same decisions, and sooner */
    const enum sim_kernel_kind kernel =
        scenario->bandwidth_bytes_per_s == 0 ? SIM_KERNEL_HEAP : look->divergence->kernel;
    struct sim_world world;
    struct survey survey = {0};
    char reason[256];

    if (look->second == NO_SECOND) {
        study_given_survey(&survey.given, scenario);
        sim_trace_hash_init(&look->hashes, scenario->duration_ns);
    }
    if (!sim_world_init(&world, scenario, kernel, reason, sizeof reason)) {
        return;
    }
    world.decided = take_decision;
    world.decided_context = look;
    if (!sim_world_run(&world)) {
        return;
    }
    const bool hashes = look->second == NO_SECOND;
    survey.count = hashes ? look->hashes.second_count : look->count;
    (void)fwrite(&survey, sizeof survey, 1, output);
    if (hashes) {
        (void)fwrite(look->hashes.seconds, sizeof(uint64_t), survey.count, output);
    } else if (survey.count > 0) {
        (void)fwrite(look->decisions, sizeof *look->decisions, survey.count, output);
    }
    sim_world_deinit(&world);
}

static const char *take_look(void *context, size_t side, const char *bytes, size_t size)
{
    struct look *look = context;
    struct survey *survey = &look->surveys[side];
    const size_t item_size =
        look->second == NO_SECOND ? sizeof(uint64_t) : sizeof(struct study_decision);

    if (size < sizeof *survey) {
        return "it could not be repeated";
    }
    memcpy(survey, bytes, sizeof *survey);
    if ((size - sizeof *survey) / item_size != survey->count) {
        return "it could not be repeated in full";
    }
    look->items[side] = sim_memory_new((size_t)survey->count + 1, item_size);
    memcpy(look->items[side], bytes + sizeof *survey, (size_t)survey->count * item_size);
    return NULL;
}

static enum study_end look_at_both(struct look *look)
{
    static const size_t order[] = {0, 1};
    struct sim_progress progress;
    struct study_pool pool = {
        .order = order,
        .task_count = 2,
        .job_count = 2,
        .context = look,
        .work = make_look,
        .done = take_look,
    };

    sim_progress_start(&progress, look->divergence->quiet ? SIM_PROGRESS_HIDDEN
                                                          : sim_progress_style_of(stderr));
    sim_progress_phase(&progress, "looking for the first difference");
    const enum study_end end = study_pool_run(&pool);
    sim_progress_end(&progress);
    if (end == STUDY_FAILED) {
        snprintf(look->divergence->error, sizeof look->divergence->error, "side %c: %.300s",
                 pool.failed_task == 0 ? 'A' : 'B', pool.error);
    }
    look->divergence->signal_number = pool.signal_number;
    return end;
}

static void forget(struct look *look)
{
    free(look->items[0]);
    free(look->items[1]);
    *look = (struct look){.divergence = look->divergence};
}

/* Also counts the seconds that differ. */
static uint64_t first_second(struct study_divergence *divergence, const struct look *look)
{
    const uint64_t *a = look->items[0];
    const uint64_t *b = look->items[1];
    uint64_t first = NO_SECOND;

    divergence->second_count = (uint32_t)look->surveys[0].count;
    for (uint64_t i = 0; i < look->surveys[0].count; i++) {
        if (a[i] != b[i]) {
            first = first == NO_SECOND ? i : first;
            divergence->differing_second_count++;
        }
    }
    return first;
}

/* Requests that are alike in all of these are interchangeable but for their place. */
static int by_request(const struct study_decision *left, const struct study_decision *right)
{
    if (left->arrived_ns != right->arrived_ns) {
        return left->arrived_ns < right->arrived_ns ? -1 : 1;
    }
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return (left->cost_units > right->cost_units) - (left->cost_units < right->cost_units);
}

/* Those that came at one instant for one key: admitted ones first, then as they were decided. */
static int by_request_and_decision(const void *a, const void *b)
{
    const struct study_decision *left = a;
    const struct study_decision *right = b;
    const int order = by_request(left, right);

    if (order != 0) {
        return order;
    }
    if (left->verdict != right->verdict) {
        return left->verdict < right->verdict ? -1 : 1;
    }
    if (left->decided_ns != right->decided_ns) {
        return left->decided_ns < right->decided_ns ? -1 : 1;
    }
    return (left->process > right->process) - (left->process < right->process);
}

static void note_difference(struct study_divergence *divergence, const struct study_decision *a,
                            const struct study_decision *b)
{
    divergence->second_differing_count++;
    if (divergence->found) {
        return;
    }
    divergence->found = true;
    divergence->decisions[0] = a != NULL ? *a : *b;
    divergence->decisions[0].is_there = a != NULL;
    divergence->decisions[1] = b != NULL ? *b : *a;
    divergence->decisions[1].is_there = b != NULL;
}

static void compare_second(struct study_divergence *divergence, const struct look *look)
{
    struct study_decision *a = look->items[0];
    struct study_decision *b = look->items[1];
    const struct study_decision *const a_end = a + look->surveys[0].count;
    const struct study_decision *const b_end = b + look->surveys[1].count;

    qsort(a, (size_t)look->surveys[0].count, sizeof *a, by_request_and_decision);
    qsort(b, (size_t)look->surveys[1].count, sizeof *b, by_request_and_decision);
    while (a < a_end || b < b_end) {
        const int order = a == a_end ? 1 : b == b_end ? -1 : by_request(a, b);
        divergence->second_request_count++;
        if (order != 0 || a->verdict != b->verdict) {
            note_difference(divergence, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
        }
        a += order <= 0;
        b += order >= 0;
    }
}

enum study_end study_divergence_find(struct study_divergence *divergence)
{
    struct look look = {.divergence = divergence, .second = NO_SECOND};

    enum study_end end = look_at_both(&look);
    if (end != STUDY_DONE) {
        forget(&look);
        return end;
    }
    divergence->given[0] = look.surveys[0].given;
    divergence->given[1] = look.surveys[1].given;
    const bool is_paired =
        study_given_compare(&divergence->given[0], &divergence->given[1]) != STUDY_UNPAIRED &&
        look.surveys[0].count == look.surveys[1].count;
    const uint64_t second = is_paired ? first_second(divergence, &look) : NO_SECOND;
    forget(&look);
    if (second == NO_SECOND) {
        return STUDY_DONE;
    }
    look.second = second;
    end = look_at_both(&look);
    if (end == STUDY_DONE) {
        compare_second(divergence, &look);
        WEIR_ASSERT(divergence->found);
    }
    forget(&look);
    return end;
}

struct study_key_name study_divergence_key(const struct sim_scenario *scenario, uint32_t key)
{
    struct study_key_name name = {"?"};
    uint32_t first = 0;

    for (size_t i = 0; i < scenario->population_count; i++) {
        if (key - first < scenario->populations[i].key_count) {
            snprintf(name.text, sizeof name.text, "%s/%" PRIu32, scenario->populations[i].name,
                     key - first);
            return name;
        }
        first += scenario->populations[i].key_count;
    }
    return name;
}
