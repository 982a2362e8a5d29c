#include "claim_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define PATH_SIZE 4096

static int is_claim(const struct dirent *entry)
{
    static const char end[] = ".claim.json";
    const size_t length = strlen(entry->d_name);

    return length > strlen(end) && strcmp(entry->d_name + length - strlen(end), end) == 0;
}

static int by_place(const void *a, const void *b)
{
    const struct study_claim *left = a;
    const struct study_claim *right = b;

    if (left->section != right->section) {
        return left->section < right->section ? -1 : 1;
    }
    const size_t letters = strcspn(left->id, "0123456789");
    const int order = strncmp(left->id, right->id, letters);
    if (order != 0 || strcspn(right->id, "0123456789") != letters) {
        return strcmp(left->id, right->id);
    }
    const long left_number = strtol(left->id + letters, NULL, 10);
    const long right_number = strtol(right->id + letters, NULL, 10);
    return left_number != right_number ? (left_number < right_number ? -1 : 1)
                                       : strcmp(left->id, right->id);
}

static bool read_claims(struct study_claim_set *set, const char *folder, struct dirent **files,
                        size_t file_count, char *error, size_t error_size)
{
    struct sim_error reason;
    char path[PATH_SIZE];

    set->claims = sim_memory_new(file_count, sizeof *set->claims);
    for (size_t i = 0; i < file_count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        struct study_claim *claim = &set->claims[set->claim_count];
        if (!study_claim_load(claim, path, &reason)) {
            snprintf(error, error_size, "%s", reason.text);
            return false;
        }
        set->claim_count++;
    }
    qsort(set->claims, set->claim_count, sizeof *set->claims, by_place);
    for (size_t i = 1; i < set->claim_count; i++) {
        if (strcmp(set->claims[i - 1].id, set->claims[i].id) == 0) {
            snprintf(error, error_size, "%s: id: found \"%s\", which is that of %s, too",
                     set->claims[i].file, set->claims[i].id, set->claims[i - 1].file);
            return false;
        }
    }
    return true;
}

static void list_run(struct study_run_list *list, struct study_claim_run *run)
{
    const struct study_run made = {.scenario = run->scenario,
                                   .sets = run->sets,
                                   .set_count = run->set_count,
                                   .kernel = run->kernel};

    run->first = list->count;
    if (run->seed_count == 0) {
        study_run_list_add(list, &made, NULL, 0, NULL);
    }
    for (uint64_t seed = 1; seed <= run->seed_count; seed++) {
        study_run_list_add(list, &made, NULL, 0, &seed);
    }
}

static void list_runs(struct study_claim_set *set)
{
    for (size_t i = 0; i < set->claim_count; i++) {
        for (size_t j = 0; j < set->claims[i].run_count; j++) {
            list_run(&set->list, &set->claims[i].runs[j]);
        }
    }
}

/* Its place, or claim_count. */
static size_t find_claim(const struct study_claim_set *set, const char *id)
{
    size_t at = 0;

    while (at < set->claim_count && strcmp(set->claims[at].id, id) != 0) {
        at++;
    }
    return at;
}

static bool is_one_of(const char *id, const char *const *ids, size_t id_count)
{
    size_t at = 0;

    while (at < id_count && strcmp(ids[at], id) != 0) {
        at++;
    }
    return at < id_count;
}

static bool keep_only(struct study_claim_set *set, const char *folder, const char *const *ids,
                      size_t id_count, char *error, size_t error_size)
{
    const size_t count = set->claim_count;

    for (size_t i = 0; i < id_count; i++) {
        if (find_claim(set, ids[i]) == count) {
            snprintf(error, error_size, "weir: found \"%.40s\"; allowed: a claim of %s, such as %s",
                     ids[i], folder, set->claims[0].id);
            return false;
        }
    }
    if (id_count == 0) {
        return true;
    }
    set->claim_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_one_of(set->claims[i].id, ids, id_count)) {
            set->claims[set->claim_count++] = set->claims[i];
        } else {
            study_claim_free(&set->claims[i]);
        }
    }
    return true;
}

bool study_claim_set_load(struct study_claim_set *set, const char *folder, const char *const *ids,
                          size_t id_count, char *error, size_t error_size)
{
    struct dirent **files = NULL;
    const int file_count = scandir(folder, &files, is_claim, alphasort);

    *set = (struct study_claim_set){0};
    if (file_count <= 0) {
        snprintf(error, error_size, "%s: %s; required: a folder with claims, NAME.claim.json",
                 folder, file_count < 0 ? strerror(errno) : "found none");
        free(files);
        return false;
    }
    const bool good = read_claims(set, folder, files, (size_t)file_count, error, error_size) &&
                      keep_only(set, folder, ids, id_count, error, error_size);
    for (int i = 0; i < file_count; i++) {
        free(files[i]);
    }
    free(files);
    if (!good) {
        study_claim_set_free(set);
        return false;
    }
    list_runs(set);
    return true;
}

void study_claim_set_name_run(const struct study_claim_set *set, size_t run, char *text,
                              size_t size)
{
    for (size_t i = 0; i < set->claim_count; i++) {
        const struct study_claim *claim = &set->claims[i];
        for (size_t j = 0; j < claim->run_count; j++) {
            const size_t first = claim->runs[j].first;
            const size_t count = claim->runs[j].seed_count == 0 ? 1 : claim->runs[j].seed_count;
            if (run >= first && run < first + count) {
                snprintf(text, size, "%s: runs.%s", claim->file, claim->runs[j].name);
            }
        }
    }
}

bool study_claim_set_judge(struct study_claim_set *set, char *error, size_t error_size)
{
    set->judged = sim_memory_new(set->claim_count, sizeof *set->judged);
    for (size_t i = 0; i < set->claim_count; i++) {
        if (!study_claim_judge(&set->judged[i], &set->claims[i], set->list.runs, error,
                               error_size)) {
            return false;
        }
    }
    return true;
}

const struct study_judged *study_claim_set_find(const struct study_claim_set *set, const char *id)
{
    const size_t at = find_claim(set, id);

    return at == set->claim_count ? NULL : &set->judged[at];
}

void study_claim_set_free(struct study_claim_set *set)
{
    for (size_t i = 0; i < set->list.count; i++) {
        json_decref(set->list.runs[i].result);
    }
    for (size_t i = 0; i < set->claim_count; i++) {
        if (set->judged != NULL) {
            study_judged_free(&set->judged[i]);
        }
        study_claim_free(&set->claims[i]);
    }
    free(set->judged);
    study_run_list_free(&set->list);
    free(set->claims);
    *set = (struct study_claim_set){0};
}
