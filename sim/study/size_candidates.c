#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "run_list.h"
#include "scenario_document.h"
#include "scenario_set.h"
#include "size.h"
#include "weir/assert.h"

static const uint32_t lease_sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
#define LEASE_SIZE_COUNT (sizeof lease_sizes / sizeof lease_sizes[0])

static const char *const degraded_names[] = {"bounded", "uniform", "share", "open", "closed"};
#define DEGRADED_COUNT (sizeof degraded_names / sizeof degraded_names[0])

/* What a candidate decides of the limiter section. */
static const char *const own_keys[] = {"coordination", "sizer", "fixed_lease_units"};
#define OWN_KEY_COUNT (sizeof own_keys / sizeof own_keys[0])

struct way {
    const char *coordination; /* NULL: leases */
    const char *sizer;        /* NULL: none */
    uint32_t lease_units;     /* 0: none */
    const char *degraded;     /* NULL: the scenario's */
};

/* The section as the sets leave it; an empty object if there is none. */
static json_t *limiter_of(const struct study_size *size)
{
    struct sim_document document;
    struct sim_error error;
    json_t *limiter = NULL;

    if (sim_document_open(&document, size->scenario, &error)) {
        if (sim_scenario_apply_sets(&document, size->sets, size->set_count)) {
            limiter = json_deep_copy(json_object_get(document.root, "limiter"));
        }
        sim_document_close(&document);
    }
    return limiter == NULL ? json_object() : limiter;
}

static void add_set(struct study_candidate *candidate, const char *path, const char *value)
{
    const size_t length = strlen(path) + strlen(value) + 2;
    char *set = sim_memory_new(length, 1);

    WEIR_ASSERT(candidate->set_count < STUDY_CANDIDATE_SETS_MAX);
    snprintf(set, length, "%s=%s", path, value);
    candidate->sets[candidate->set_count++] = set;
}

/* A key can be set, but not taken away: where the section has any that is not this way's, all of it
 * is set anew. */
static void set_whole(struct study_candidate *candidate, json_t *limiter, const struct way *way)
{
    for (size_t i = 0; i < OWN_KEY_COUNT; i++) {
        json_object_del(limiter, own_keys[i]);
    }
    if (way->coordination != NULL) {
        json_object_set_new(limiter, own_keys[0], json_string(way->coordination));
    }
    if (way->sizer != NULL) {
        json_object_set_new(limiter, own_keys[1], json_string(way->sizer));
    }
    if (way->lease_units != 0) {
        json_object_set_new(limiter, own_keys[2], json_integer(way->lease_units));
    }
    if (way->degraded != NULL) {
        json_object_set_new(limiter, "degraded", json_string(way->degraded));
    }
    char *text = json_dumps(limiter, JSON_COMPACT);
    add_set(candidate, "limiter", text);
    free(text);
}

static void set_each(struct study_candidate *candidate, const struct way *way)
{
    char units[16];

    if (way->coordination != NULL) {
        add_set(candidate, "limiter.coordination", way->coordination);
    }
    if (way->sizer != NULL) {
        add_set(candidate, "limiter.sizer", way->sizer);
    }
    if (way->lease_units != 0) {
        snprintf(units, sizeof units, "%" PRIu32, way->lease_units);
        add_set(candidate, "limiter.fixed_lease_units", units);
    }
    if (way->degraded != NULL) {
        add_set(candidate, "limiter.degraded", way->degraded);
    }
}

static bool can_run(const struct study_size *size, const struct study_candidate *candidate)
{
    const struct study_run run = {
        .scenario = size->scenario, .sets = size->sets, .set_count = size->set_count};
    struct study_run_list list = {0};
    struct sim_scenario scenario;
    struct sim_error error;

    study_run_list_add(&list, &run, (const char *const *)candidate->sets, candidate->set_count,
                       NULL);
    const bool good = sim_scenario_load(&scenario, size->scenario, list.runs[0].sets,
                                        list.runs[0].set_count, &error);
    if (good) {
        sim_scenario_free(&scenario);
    }
    study_run_list_free(&list);
    return good;
}

static void add(struct study_size *size, const char *name, const struct way *way)
{
    WEIR_ASSERT(size->candidate_count < STUDY_CANDIDATES_MAX);
    struct study_candidate *candidate = &size->candidates[size->candidate_count++];
    json_t *limiter = limiter_of(size);
    bool has_own = false;

    *candidate = (struct study_candidate){.lease_units = way->lease_units};
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
    for (size_t i = 0; i < OWN_KEY_COUNT; i++) {
        has_own = has_own || json_object_get(limiter, own_keys[i]) != NULL;
    }
    if (has_own) {
        set_whole(candidate, limiter, way);
    } else {
        set_each(candidate, way);
    }
    json_decref(limiter);
    candidate->is_refused = !can_run(size, candidate);
}

void study_candidates_add_fixed(struct study_size *size, uint32_t lease_units)
{
    char name[48];

    snprintf(name, sizeof name, "fixed, %" PRIu32 " unit%s", lease_units,
             lease_units == 1 ? "" : "s");
    add(size, name, &(struct way){.sizer = "fixed", .lease_units = lease_units});
}

/* Only where something breaks do processes have to do without the store. */
static void add_degraded(struct study_size *size, const struct sim_scenario *scenario)
{
    char name[48];

    for (size_t i = 0; i < DEGRADED_COUNT && scenario->faults.count > 0; i++) {
        if (i != (size_t)scenario->degraded) {
            snprintf(name, sizeof name, "tapered, degraded %s", degraded_names[i]);
            add(size, name, &(struct way){.sizer = "tapered", .degraded = degraded_names[i]});
        }
    }
}

void study_candidates_make(struct study_size *size)
{
    struct sim_scenario scenario;
    struct sim_error error;

    size->candidate_count = 0;
    add(size, "tapered", &(struct way){.sizer = "tapered"});
    add(size, "rate", &(struct way){.sizer = "rate"});
    add(size, "doubling", &(struct way){.sizer = "doubling"});
    for (size_t i = 0; i < LEASE_SIZE_COUNT; i++) {
        study_candidates_add_fixed(size, lease_sizes[i]);
    }
    add(size, "an ask per request", &(struct way){.coordination = "per_request"});
    if (sim_scenario_load(&scenario, size->scenario, size->sets, size->set_count, &error)) {
        add_degraded(size, &scenario);
        sim_scenario_free(&scenario);
    }
}
