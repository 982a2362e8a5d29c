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

#include "memory.h"
#include "scenario.h"
#include "scenario_file.h"
#include "scenario_text.h"
#include "targets.h"

enum {
    EXIT_GOOD = 0,
    EXIT_BAD_USAGE = 64, /* EX_USAGE of sysexits.h, which argp uses too */
    FOLDER_DEPTH_MAX = 16,
    SHOWN_SIZE = 400,
};

struct check {
    const char **files; /* borrowed from argv */
    size_t file_count;
    const char **sets;
    size_t set_count;
    bool quiet;
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
        good = sim_scenario_load(&scenario, path, check->sets, check->set_count, &error);
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

    if (check_file(check, path) && !check->quiet) {
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

static bool is_scenario_name(const char *name)
{
    return ends_with(name, ".json") && !ends_with(name, ".schema.json") && !is_targets(name);
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
    if (check->quiet || (check->folder_count == 0 && check->checked_count < 2)) {
        return;
    }
    (void)printf("%zu %s checked, %zu bad\n", check->checked_count,
                 check->checked_count == 1 ? "file" : "files", check->bad_count);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct check *check = state->input;

    switch (key) {
    case 'S':
        check->sets[check->set_count++] = argument;
        return 0;
    case 'q':
        check->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        check->files[check->file_count++] = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no scenario given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"set", 'S', "PATH=VALUE", 0, "Override a value of every file, e.g. fleet.processes=20", 0},
    {"quiet", 'q', NULL, 0, "Print bad files only", 0},
    {0},
};

static const char doc[] =
    "Read scenarios as `weir run' would, and run nothing."
    "\vOne line is printed for each bad file: what is wrong with it, where, and what is allowed; a "
    "good one that was named gets `FILE: ok'. Several files, or a folder, end in a line that "
    "counts them. Of a folder every *.json in it and below is read, except targets.json (name it "
    "to check it), *.schema.json and folders that hold a file named `error'.\n\n"
    "Exit status: 0 if every file is good, 64 if one is not.\n\n"
    "Examples:\n"
    "  weir check scenarios\n"
    "  weir check --set fleet.processes=200 scenarios/burst.json\n";

int sim_command_check(int argc, char **argv)
{
    static char name[] = "weir check";
    static const struct argp parser = {options, parse_option, "SCENARIO...", doc, NULL, NULL, NULL};
    size_t room = argc > 0 ? (size_t)argc : 1;
    struct check check = {0};

    check.files = sim_memory_new(room, sizeof *check.files);
    check.sets = sim_memory_new(room, sizeof *check.sets);
    if (argc > 0) {
        argv[0] = name;
    }
    error_t status = argp_parse(&parser, argc, argv, 0, NULL, &check);
    for (size_t i = 0; status == 0 && i < check.file_count; i++) {
        check_argument(&check, check.files[i]);
    }
    if (status == 0) {
        print_summary(&check);
    }
    free(check.files);
    free(check.sets);
    return status == 0 && check.bad_count == 0 ? EXIT_GOOD : EXIT_BAD_USAGE;
}
