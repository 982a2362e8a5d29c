#include "batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "draft.h"
#include "folder.h"
#include "memory.h"
#include "progress.h"
#include "replay.h"
#include "result.h"
#include "scenario_file.h"
#include "simulation.h"

#define PATH_SIZE 4096
#define PROGRAM_BYTES_MAX (256u << 20)
#define SCENARIO_BYTES_MAX (16u << 20)
#define RESULT_BYTES_MAX (256u << 20)
#define REFUSAL '!' /* a child's first byte when there is no result, but a reason */
#define TERMINAL_INTERVAL_NS UINT64_C(200000000)
#define PLAIN_INTERVAL_NS UINT64_C(10000000000)

struct work {
    struct study_batch *batch;
    uint64_t *keys; /* by run: what its result depends on */
    size_t *same;   /* by run: the first that is the same run; itself, if there is none */
    size_t *order;  /* the runs to make */
    size_t order_count;
    enum sim_progress_style style;
    uint64_t started_ns; /* wall clock */
    uint64_t shown_ns;
};

static bool digest_file(const char *path, size_t bytes_max, uint64_t *digest,
                        struct sim_error *error)
{
    char *bytes;
    size_t size;

    if (!sim_file_read(path, bytes_max, &bytes, &size, error)) {
        return false;
    }
    *digest = sim_digest_add(*digest, bytes, size);
    free(bytes);
    return true;
}

/* What it takes from other files than its own: traces and targets. */
static uint64_t digest_read(const struct sim_scenario *scenario, uint64_t digest)
{
    for (size_t i = 0; i < scenario->traffic_count; i++) {
        for (size_t row = 0; row < scenario->traffic[i].row_count; row++) {
            const struct sim_trace_row *at = &scenario->traffic[i].rows[row];
            digest = sim_digest_add(digest, &at->time_ns, sizeof at->time_ns);
            digest = sim_digest_add(digest, &at->key, sizeof at->key);
            digest = sim_digest_add(digest, &at->cost_units, sizeof at->cost_units);
        }
    }
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        const struct sim_expectation *at = &scenario->expectations[i];
        digest = sim_digest_add(digest, at->path, strlen(at->path) + 1);
        digest = sim_digest_add(digest, &at->minimum, sizeof at->minimum);
        digest = sim_digest_add(digest, &at->maximum, sizeof at->maximum);
    }
    return digest;
}

/* Read the scenario; a mistake in it is found here, before the first run. */
static bool make_key(const struct study_run *run, uint64_t program, uint64_t *key,
                     struct sim_error *error)
{
    struct sim_scenario scenario;

    *key = sim_digest_add(program, &run->kernel, sizeof run->kernel);
    *key = sim_digest_add(*key, run->scenario, strlen(run->scenario) + 1);
    for (size_t i = 0; i < run->set_count; i++) {
        *key = sim_digest_add(*key, run->sets[i], strlen(run->sets[i]) + 1);
    }
    if (!sim_scenario_load(&scenario, run->scenario, run->sets, run->set_count, error)) {
        return false;
    }
    *key = digest_read(&scenario, *key);
    sim_scenario_free(&scenario);
    return digest_file(run->scenario, SCENARIO_BYTES_MAX, key, error);
}

static bool make_keys(struct work *work)
{
    struct study_batch *batch = work->batch;
    struct sim_error error = {0};
    uint64_t program = SIM_DIGEST_START;
    bool good = digest_file("/proc/self/exe", PROGRAM_BYTES_MAX, &program, &error);

    for (size_t i = 0; i < batch->run_count && good; i++) {
        good = make_key(&batch->runs[i], program, &work->keys[i], &error);
        batch->is_refused = !good;
        batch->failed_run = good ? batch->run_count : i;
    }
    if (!good) {
        snprintf(batch->error, sizeof batch->error, "%s", error.text);
    }
    return good;
}

struct keyed {
    uint64_t key;
    size_t run;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *left = a;
    const struct keyed *right = b;

    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return (left->run > right->run) - (left->run < right->run);
}

static void find_same(struct work *work)
{
    const size_t count = work->batch->run_count;
    struct keyed *sorted = sim_memory_new(count, sizeof *sorted);

    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct keyed){work->keys[i], i};
    }
    qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 0; i < count; i++) {
        const bool is_new = i == 0 || sorted[i].key != sorted[i - 1].key;
        work->same[sorted[i].run] = is_new ? sorted[i].run : work->same[sorted[i - 1].run];
    }
    free(sorted);
}

static void result_path(const struct work *work, size_t run, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%016" PRIx64 ".json", work->batch->folder, work->keys[run]);
}

/* Somebody may have put another file there. */
static bool is_of(const struct study_run *run, const json_t *result)
{
    const json_t *replay = json_object_get(result, "replay");
    const char *scenario = json_string_value(json_object_get(replay, "scenario"));

    return scenario != NULL && strcmp(scenario, run->scenario) == 0;
}

static json_t *read_kept(const struct work *work, size_t run)
{
    char path[PATH_SIZE];
    char *bytes;
    size_t size;
    struct sim_error error;

    if (work->batch->folder == NULL) {
        return NULL;
    }
    result_path(work, run, path);
    if (!sim_file_read(path, RESULT_BYTES_MAX, &bytes, &size, &error)) {
        return NULL;
    }
    json_t *result = json_loadb(bytes, size, 0, NULL);
    free(bytes);
    if (!is_of(&work->batch->runs[run], result)) {
        json_decref(result);
        return NULL;
    }
    return result;
}

/* Under its name only when it is whole: what was interrupted leaves no half of a result. Returns
 * NULL, or what went wrong. */
static const char *keep(const struct work *work, size_t run, const char *bytes, size_t size)
{
    char path[PATH_SIZE];
    struct sim_draft draft;

    if (work->batch->folder == NULL) {
        return NULL;
    }
    result_path(work, run, path);
    if (!sim_draft_open(&draft, path)) {
        return strerror(errno);
    }
    const bool good = fwrite(bytes, 1, size, draft.file) == size;
    return sim_draft_done(&draft, good) ? NULL : strerror(errno);
}

/* The run's result, and its done() called for all that are the same. */
static void deliver(struct work *work, size_t run, json_t *result)
{
    struct study_batch *batch = work->batch;

    for (size_t i = run; i < batch->run_count; i++) {
        if (work->same[i] != run) {
            continue;
        }
        batch->runs[i].result = json_incref(result);
        if (batch->done != NULL) {
            batch->done(batch->context, i);
        }
    }
    json_decref(result);
}

static void plan(struct work *work)
{
    struct study_batch *batch = work->batch;

    find_same(work);
    for (size_t i = 0; i < batch->run_count; i++) {
        if (work->same[i] != i) {
            continue;
        }
        json_t *kept = read_kept(work, i);
        if (kept == NULL) {
            work->order[work->order_count++] = i;
        } else {
            batch->reused_count++;
            deliver(work, i, kept);
        }
    }
}

/* In a child. */
static void make_run(void *context, size_t task, FILE *output)
{
    const struct work *work = context;
    const struct study_run *run = &work->batch->runs[task];
    struct sim_scenario scenario;
    struct sim_simulation simulation;
    struct sim_error error;
    char reason[256];

    if (!sim_scenario_load(&scenario, run->scenario, run->sets, run->set_count, &error)) {
        fprintf(output, "%c%s", REFUSAL, error.text); /* changed under our hands */
        return;
    }
    if (sim_simulation_make(&simulation, &scenario, run->kernel, SIM_PROGRESS_HIDDEN, reason,
                            sizeof reason) != SIM_EXIT_PASS) {
        fprintf(output, "%c%s: %s", REFUSAL, run->scenario, reason);
        sim_scenario_free(&scenario);
        return;
    }
    sim_replay_note(simulation.result.json, run->scenario, run->sets, run->set_count, run->kernel);
    (void)json_dumpf(simulation.result.json, output, JSON_COMPACT | JSON_REAL_PRECISION(12));
    sim_simulation_free(&simulation);
    sim_scenario_free(&scenario);
}

static const char *take_result(void *context, size_t task, const char *bytes, size_t size)
{
    struct work *work = context;
    struct study_batch *batch = work->batch;

    if (size > 0 && bytes[0] == REFUSAL) {
        snprintf(batch->error, sizeof batch->error, "%.*s", (int)size - 1, bytes + 1);
        return batch->error;
    }
    json_t *result = json_loadb(bytes, size, 0, NULL);
    if (result == NULL) {
        return "its process wrote no result";
    }
    const char *reason = keep(work, task, bytes, size);
    if (reason != NULL) {
        snprintf(batch->error, sizeof batch->error, "%s: cannot write: %s", batch->folder, reason);
        json_decref(result);
        return batch->error;
    }
    batch->made_count++;
    deliver(work, task, result);
    return NULL;
}

static void show_progress(void *context)
{
    struct work *work = context;
    const uint64_t now_ns = sim_progress_wall_ns();
    const bool redrawn = work->style == SIM_PROGRESS_TERMINAL;
    const size_t made = work->batch->made_count;

    if (work->style == SIM_PROGRESS_HIDDEN ||
        now_ns - work->shown_ns < (redrawn ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS)) {
        return;
    }
    work->shown_ns = now_ns;
    const double wall_s = (double)(now_ns - work->started_ns) / 1e9;
    fprintf(stderr, "%s%s: %zu of %zu runs  %.0f s", redrawn ? "\r\033[K" : "", work->batch->label,
            made, work->order_count, wall_s);
    if (made > 0) {
        fprintf(stderr, ", %.0f s left",
                wall_s * (double)(work->order_count - made) / (double)made);
    }
    fputs(redrawn ? "" : "\n", stderr);
    fflush(stderr);
}

static enum study_end make_runs(struct work *work)
{
    struct study_batch *batch = work->batch;
    struct study_pool pool = {
        .order = work->order,
        .task_count = work->order_count,
        .job_count = batch->job_count == 0 ? study_pool_core_count() : batch->job_count,
        .context = work,
        .work = make_run,
        .done = take_result,
        .tick = show_progress,
    };

    const enum study_end end = study_pool_run(&pool);
    if (work->style == SIM_PROGRESS_TERMINAL) {
        fputs("\r\033[K", stderr);
    }
    batch->signal_number = pool.signal_number;
    batch->failed_run = pool.failed_task;
    if (end == STUDY_FAILED && batch->error[0] == '\0') {
        snprintf(batch->error, sizeof batch->error, "%.200s: %.200s",
                 batch->runs[pool.failed_task].scenario, pool.error);
    }
    return end;
}

static bool make_folder(struct study_batch *batch)
{
    if (batch->folder == NULL || sim_folder_make(batch->folder)) {
        return true;
    }
    batch->is_refused = true;
    snprintf(batch->error, sizeof batch->error, "%.300s: cannot be made a folder: %s",
             batch->folder, strerror(errno));
    return false;
}

enum study_end study_batch_run(struct study_batch *batch)
{
    struct work work = {.batch = batch};
    enum study_end end = STUDY_FAILED;

    batch->failed_run = batch->run_count;
    work.keys = sim_memory_new(batch->run_count, sizeof *work.keys);
    work.same = sim_memory_new(batch->run_count, sizeof *work.same);
    work.order = sim_memory_new(batch->run_count, sizeof *work.order);
    work.style = batch->quiet ? SIM_PROGRESS_HIDDEN : sim_progress_style_of(stderr);
    work.started_ns = sim_progress_wall_ns();
    work.shown_ns = work.style == SIM_PROGRESS_TERMINAL ? 0 : work.started_ns;
    if (make_folder(batch) && make_keys(&work)) {
        plan(&work);
        end = work.order_count == 0 ? STUDY_DONE : make_runs(&work);
    }
    free(work.keys);
    free(work.same);
    free(work.order);
    return end;
}

void study_batch_free(struct study_batch *batch)
{
    for (size_t i = 0; i < batch->run_count; i++) {
        json_decref(batch->runs[i].result);
        batch->runs[i].result = NULL;
    }
}
