#include "command_run.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "plot.h"
#include "progress.h"
#include "result.h"
#include "screen.h"

#define PATH_SIZE 4096

struct options {
    const char *scenario;
    const char **sets; /* borrowed texts; one is made here for --seed */
    size_t set_count;
    char seed_set[48];
    enum sim_kernel_kind kernel;
    const char *folder; /* NULL: no files */
    bool json;
    bool quiet;
    int argc;
    char **argv;
};

static const struct argp_option option_table[] = {
    {"seed", 's', "N", 0, "Run with another seed than the scenario's (0 ... 2^63 - 1)", 0},
    {"kernel", 'k', "KERNEL", 0,
     "simgrid (default: SimGrid hosts, links and messages) or heap (a plain event heap; same "
     "results "
     "where no bandwidth is limited, and faster)",
     0},
    {"set", 'S', "PATH=VALUE", 0,
     "Change the scenario before it runs, such as plans.gold.rate_per_min=5000 or "
     "traffic[0].demand_ratio=2; may be repeated",
     0},
    {"out", 'o', "DIR", 0,
     "Write result.json, timeline.csv, intervals.csv, run.svg and run.png into DIR (made if "
     "missing)",
     0},
    {"json", 'j', 0, 0, "Print the result as JSON instead of tables", 0},
    {"quiet", 'q', 0, 0, "Print nothing but errors: the exit status tells", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    char *end;

    switch (key) {
    case 's':
        errno = 0;
        (void)strtoull(argument, &end, 10);
        if (errno != 0 || *end != '\0' || end == argument || argument[0] == '-') {
            argp_error(state, "--seed: found \"%s\"; allowed: a whole number from 0 to 2^63 - 1",
                       argument);
        }
        snprintf(options->seed_set, sizeof options->seed_set, "seed=%s", argument);
        break;
    case 'k':
        if (strcmp(argument, "simgrid") != 0 && strcmp(argument, "heap") != 0) {
            argp_error(state, "--kernel: found \"%s\"; allowed: simgrid, heap", argument);
        }
        options->kernel = strcmp(argument, "heap") == 0 ? SIM_KERNEL_HEAP : SIM_KERNEL_SIMGRID;
        break;
    case 'S':
        options->sets[options->set_count++] = argument;
        break;
    case 'o':
        options->folder = argument;
        break;
    case 'j':
        options->json = true;
        break;
    case 'q':
        options->quiet = true;
        break;
    case ARGP_KEY_ARG:
        if (options->scenario != NULL) {
            argp_error(state, "one scenario at a time: found \"%s\" after \"%s\"", argument,
                       options->scenario);
        }
        options->scenario = argument;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a scenario file is missing, such as scenarios/skewed-fleet.json");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "SCENARIO",
    .doc = "Simulate SCENARIO and measure how far its limiter lets too much or too little through, "
           "against "
           "an exact central limiter.\v"
           "Examples:\n"
           "  weir run scenarios/skewed-fleet.json\n"
           "  weir run scenarios/skewed-fleet.json --seed 7 --out out\n"
           "  weir run scenarios/small-limits.json --set fleet.processes=200\n\n"
           "Exit status: 0 all expectations met; 1 an expectation failed; 2 inconclusive; "
           "64 bad usage or scenario; 70 internal error.",
};

/* Make the folder and its parents. */
static bool make_folder(const char *folder)
{
    char path[PATH_SIZE];

    if (folder[0] == '\0' || strlen(folder) >= sizeof path) {
        errno = folder[0] == '\0' ? ENOENT : ENAMETOOLONG;
        return false;
    }
    strcpy(path, folder);
    for (char *slash = path + 1; *slash != '\0'; slash++) {
        if (*slash == '/') {
            *slash = '\0';
            if (mkdir(path, 0777) != 0 && errno != EEXIST) {
                return false;
            }
            *slash = '/';
        }
    }
    struct stat found;
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    if (errno == EEXIST && stat(path, &found) == 0 && !S_ISDIR(found.st_mode)) {
        errno = ENOTDIR;
    }
    return errno == EEXIST;
}

static bool write_files(const struct options *options, const struct sim_result *result,
                        const struct sim_world *world)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/result.json", options->folder);
    if (json_dump_file(result->json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) != 0 ||
        !sim_plot_write_csv(options->folder, world)) {
        fprintf(stderr, "weir: %s: cannot write: %s\n", options->folder, strerror(errno));
        return false;
    }
    if (!sim_plot_draw(options->folder, result, world) && !options->quiet) {
        fprintf(stderr, "weir: no plot: gnuplot is missing or failed\n");
    }
    return true;
}

/* One word as a shell reads it back. */
static void print_word(FILE *file, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fprintf(file, " %s", word);
        return;
    }
    fprintf(file, " '");
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            fprintf(file, "'\\''");
        } else {
            fputc(*word, file);
        }
    }
    fputc('\'', file);
}

static void print_replay(FILE *file, const struct options *options)
{
    fprintf(file, "replay: weir run");
    for (int i = 1; i < options->argc; i++) {
        print_word(file, options->argv[i]);
    }
    fprintf(file, "\n");
}

static void report(const struct options *options, const struct sim_result *result,
                   const struct sim_world *world, double wall_s)
{
    if (options->json) {
        json_dumpf(result->json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
    } else if (!options->quiet) {
        sim_screen_print(stdout, result, world, options->kernel, wall_s);
        if (options->folder != NULL) {
            printf("\nfiles    %s/{result.json,timeline.csv,intervals.csv,run.svg,run.png}\n",
                   options->folder);
        }
    }
    if (result->verdict != SIM_VERDICT_PASS) {
        print_replay(stderr, options);
    }
}

static int run(const struct options *options, const struct sim_scenario *scenario)
{
    struct sim_world world;
    struct sim_progress progress;
    char reason[256];
    static const int statuses[] = {SIM_EXIT_PASS, SIM_EXIT_FAIL, SIM_EXIT_INCONCLUSIVE};

    if (!sim_world_init(&world, scenario, options->kernel, reason, sizeof reason)) {
        fprintf(stderr, "weir: %s\n", reason);
        return SIM_EXIT_USAGE;
    }
    sim_progress_start(&progress);
    if (!options->quiet) {
        world.progress = sim_progress_update;
        world.progress_context = &progress;
    }
    if (!sim_world_run(&world)) {
        fprintf(stderr, "weir: the %s kernel failed\n",
                options->kernel == SIM_KERNEL_HEAP ? "heap" : "simgrid");
        sim_world_deinit(&world);
        return SIM_EXIT_INTERNAL;
    }
    const double wall_s = (double)(sim_progress_wall_ns() - progress.started_ns) / 1e9;
    if (!options->quiet) {
        sim_progress_end(&progress);
    }
    struct sim_result result;
    sim_result_make(&result, &world, options->kernel);
    int status = statuses[result.verdict];
    if (options->folder != NULL && !write_files(options, &result, &world)) {
        status = SIM_EXIT_INTERNAL;
    }
    report(options, &result, &world, wall_s);
    sim_result_free(&result);
    sim_world_deinit(&world);
    return status;
}

int sim_command_run(int argc, char **argv)
{
    struct options options = {
        .sets = sim_memory_new((size_t)argc + 1, sizeof(char *)), .argc = argc, .argv = argv};
    struct sim_scenario scenario;
    struct sim_error error;
    static char name[] = "weir run";

    argv[0] = name;
    argp_err_exit_status = SIM_EXIT_USAGE;
    (void)argp_parse(&parser, argc, argv, 0, NULL, &options);
    if (options.seed_set[0] != '\0') {
        options.sets[options.set_count++] = options.seed_set;
    }
    if (!sim_scenario_load(&scenario, options.scenario, options.sets, options.set_count, &error)) {
        fprintf(stderr, "%s\n", error.text);
        free(options.sets);
        return SIM_EXIT_USAGE;
    }
    int status = SIM_EXIT_USAGE;
    if (options.folder != NULL && !make_folder(options.folder)) {
        fprintf(stderr, "weir: --out %s: cannot be made a folder: %s\n", options.folder,
                strerror(errno));
    } else {
        status = run(&options, &scenario);
    }
    sim_scenario_free(&scenario);
    free(options.sets);
    return status;
}
