#include "replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "digest.h"
#include "memory.h"
#include "scenario_file.h"
#include "scenario_text.h"

#define SCENARIO_BYTES_MAX (16u << 20)
#define RESULT_BYTES_MAX (256u << 20)
#define HASH_SIZE 17

/* It only has to see that somebody edited the file. */
static bool hash_file(const char *file, char hash[HASH_SIZE], struct sim_error *error)
{
    char *bytes;
    size_t size;

    if (!sim_file_read(file, SCENARIO_BYTES_MAX, &bytes, &size, error)) {
        return false;
    }
    const uint64_t value = sim_digest_add(SIM_DIGEST_START, bytes, size);
    free(bytes);
    snprintf(hash, HASH_SIZE, "%016" PRIx64, value);
    return true;
}

void sim_replay_note(json_t *result, const char *file, const char *const *sets, size_t set_count,
                     enum sim_kernel_kind kernel)
{
    char hash[HASH_SIZE] = ""; /* a pipe cannot be read again: there is no repeating it */
    struct sim_error error;
    json_t *list = json_array();

    (void)hash_file(file, hash, &error);
    for (size_t i = 0; i < set_count; i++) {
        json_array_append_new(list, json_string(sets[i]));
    }
    json_object_set_new(result, "replay",
                        json_pack("{s:s, s:s, s:o, s:s}", "scenario", file, "scenario_hash", hash,
                                  "sets", list, "kernel", sim_kernel_name(kernel)));
}

static bool refuse(struct sim_error *error, const char *path, const char *what)
{
    struct sim_text text;

    *error = (struct sim_error){0};
    sim_text_init(&text, error->text, sizeof error->text);
    sim_text_add_file(&text, path);
    sim_text_add(&text, ": %s", what);
    return false;
}

static bool read_members(struct sim_replay *replay, const char *path, struct sim_error *error)
{
    const json_t *note = json_object_get(replay->result, "replay");
    const json_t *sets = json_object_get(note, "sets");
    const char *kernel = json_string_value(json_object_get(note, "kernel"));

    replay->trace_hash = json_string_value(json_object_get(replay->result, "trace_hash"));
    replay->file = json_string_value(json_object_get(note, "scenario"));
    if (replay->trace_hash == NULL) {
        return refuse(error, path,
                      "found no trace_hash; allowed: the result.json of weir run, or its folder");
    }
    if (note == NULL) {
        return refuse(error, path,
                      "is of a version that did not note how to repeat a run; run it again");
    }
    if (replay->file == NULL || kernel == NULL || !json_is_array(sets)) {
        return refuse(error, path, "its replay is not as weir run writes it; run it again");
    }
    replay->kernel = strcmp(kernel, "heap") == 0 ? SIM_KERNEL_HEAP : SIM_KERNEL_SIMGRID;
    replay->sets = sim_memory_new(json_array_size(sets) + 1, sizeof *replay->sets);
    for (size_t i = 0; i < json_array_size(sets); i++) {
        const char *set = json_string_value(json_array_get(sets, i));
        if (set == NULL) {
            return refuse(error, path, "its replay is not as weir run writes it; run it again");
        }
        replay->sets[replay->set_count++] = set;
    }
    return true;
}

static bool check_scenario(const struct sim_replay *replay, const char *path,
                           struct sim_error *error)
{
    const json_t *note = json_object_get(replay->result, "replay");
    const char *then = json_string_value(json_object_get(note, "scenario_hash"));
    char now[HASH_SIZE];

    if (!hash_file(replay->file, now, error)) {
        return false;
    }
    if (then == NULL || strcmp(then, now) != 0) {
        struct sim_text text;
        char what[300];
        sim_text_init(&text, what, sizeof what);
        sim_text_add(&text, "its scenario ");
        sim_text_add_file(&text, replay->file);
        sim_text_add(&text, " has changed since; run it again");
        return refuse(error, path, what);
    }
    return true;
}

bool sim_replay_read(struct sim_replay *replay, const char *path, struct sim_error *error)
{
    struct stat status;
    char file[4096];
    char *bytes;
    size_t size;

    *replay = (struct sim_replay){0};
    const bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (strlen(path) + sizeof "/result.json" > sizeof file) {
        return refuse(error, path, "the name is too long");
    }
    snprintf(file, sizeof file, "%s%s", path, is_folder ? "/result.json" : "");
    if (!sim_file_read(file, RESULT_BYTES_MAX, &bytes, &size, error)) {
        return false;
    }
    replay->result = json_loadb(bytes, size, 0, NULL);
    free(bytes);
    if (!json_is_object(replay->result)) {
        sim_replay_free(replay);
        return refuse(error, file,
                      "is not a JSON object; allowed: the result.json of weir run, or its folder");
    }
    if (!read_members(replay, file, error) || !check_scenario(replay, file, error)) {
        sim_replay_free(replay);
        return false;
    }
    return true;
}

void sim_replay_free(struct sim_replay *replay)
{
    json_decref(replay->result);
    free(replay->sets);
    *replay = (struct sim_replay){0};
}
