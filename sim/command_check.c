#include "command_check.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_status.h"
#include "memory.h"
#include "scenario.h"
#include "scenario_file.h"
#include "scenario_text.h"
#include "shared_options.h"
#include "targets.h"

enum {
    FOLDER_DEPTH_MAX = 16,
    SHOWN_SIZE = 400,
};

struct check {
    struct sim_shared_options shared;
    const char **files; /* owned; borrowed texts */
    size_t file_count;
    size_t checked_count;
    size_t bad_count;
    size_t folder_count;
};

static void print_bad(struct check *check, const char *message)
{
    check->checked_count++;
    check->bad_count++;
    (void)printf("%s\n", message);
}

static void print_bad_path(struct check *check, const char *path, const char *message)
{
    char line[SHOWN_SIZE];
    struct sim_text text;

    sim_text_init(&text, line, sizeof line);
    sim_text_add_file(&text, path);
    sim_text_add(&text, ": %s", message);
    print_bad(check, line);
}

static bool ends_with(const char *string, const char *end)
{
    size_t length = strlen(string);
    size_t end_length = strlen(end);

    return length >= end_length && strcmp(string + length - end_length, end) == 0;
}

static bool is_targets(const char *path)
{
    return strcmp(path, "targets.json") == 0 || ends_with(path, "/targets.json");
}

/* Returns true if the file is good. */
static bool check_file(struct check *check, const char *path)
{
    struct sim_error error;
    bool good;

    if (is_targets(path)) {
        struct sim_targets targets;
        good = sim_targets_load(&targets, path, &error);
        sim_targets_free(&targets);
    } else {
        struct sim_scenario scenario;
        good =
            sim_scenario_load(&scenario, path, check->shared.sets, check->shared.set_count, &error);
        sim_scenario_free(&scenario);
    }
    if (!good) {
        print_bad(check, error.text);
        return false;
    }
    check->checked_count++;
    return true;
}

/* Of a folder only what is bad is worth a line; a file that was named gets one. */
static void check_named_file(struct check *check, const char *path)
{
    char shown[SHOWN_SIZE];
    struct sim_text text;

    if (check_file(check, path) && !check->shared.quiet) {
        sim_text_init(&text, shown, sizeof shown);
        sim_text_add_file(&text, path);
        (void)printf("%s: ok\n", shown);
    }
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = sim_memory_new(size, 1);

    (void)snprintf(path, size, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", name);
    return path;
}

/* A folder with a file `error` beside its scenario is a test of the reader: it is meant to be bad.
 */
static bool is_bad_case(const char *folder)
{
    char *error = join(folder, "error");
    bool is_bad = access(error, F_OK) == 0;

    free(error);
    return is_bad;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Claims, and the frame of their report, are weir report's to read. */
static bool is_scenario_name(const char *name)
{
    return ends_with(name, ".json") && !ends_with(name, ".schema.json") && !is_targets(name) &&
           !ends_with(name, ".claim.json") && strcmp(name, "report.json") != 0;
}

static void check_folder(struct check *check, const char *folder, size_t depth)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_visible, by_name);

    if (count < 0) {
        print_bad_path(check, folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        char *path = join(folder, entries[i]->d_name);

        if (is_folder(path)) {
            if (depth < FOLDER_DEPTH_MAX && !is_bad_case(path)) {
                check_folder(check, path, depth + 1);
            }
        } else if (is_scenario_name(entries[i]->d_name)) {
            (void)check_file(check, path);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
}

static void check_argument(struct check *check, const char *path)
{
    size_t checked_before = check->checked_count;

    if (!is_folder(path)) {
        check_named_file(check, path);
        return;
    }
    check->folder_count++;
    check_folder(check, path, 0);
    if (check->checked_count == checked_before) {
        print_bad_path(check, path,
                       "found no scenario; allowed: a folder with *.json in it or below");
    }
}

static void print_summary(const struct check *check)
{
    if (check->shared.quiet || (check->folder_count == 0 && check->checked_count < 2)) {
        return;
    }
    (void)printf("%zu %s checked, %zu bad\n", check->checked_count,
                 check->checked_count == 1 ? "file" : "files", check->bad_count);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct check *check = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &check->shared;
        return 0;
    case ARGP_KEY_ARG:
        check->files[check->file_count++] = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a scenario file is missing, such as scenarios/skewed-fleet.json");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .parser = parse_option,
    .args_doc = "SCENARIO...",
    .doc =
        "Read scenarios as weir run would, and run nothing.\v"
        "One line is printed for each bad file: what is wrong with it, where, and what is "
        "allowed; a good one that was named gets FILE: ok. Several files, or a folder, end in a "
        "line that counts them. Of a folder every *.json in it and below is read, except "
        "targets.json (name it to check it), *.schema.json, claims (weir report reads those) and "
        "folders that hold a file named error.\n\n"
        "Examples:\n"
        "  weir check scenarios\n"
        "  weir check scenarios/small-limits.json --set fleet.processes=200\n\n"
        "Exit status: 0 every file is good; 64 one is not, or bad usage.",
};

int sim_command_check(int argc, char **argv)
{
    struct check check = {
        .shared = {.has = SIM_SHARED_SET | SIM_SHARED_QUIET, .quiet_help = "Print bad files only"},
        .files = sim_memory_new((size_t)argc, sizeof *check.files),
    };

    sim_shared_options_parse(&check.shared, &parser, argc, argv, &check);
    for (size_t i = 0; i < check.file_count; i++) {
        check_argument(&check, check.files[i]);
    }
    print_summary(&check);
    free(check.files);
    sim_shared_options_free(&check.shared);
    return check.bad_count == 0 ? SIM_EXIT_PASS : SIM_EXIT_USAGE;
}
