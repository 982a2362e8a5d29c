#include "command_sweep.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "folder.h"
#include "memory.h"
#include "option.h"
#include "picture.h"
#include "pool.h"
#include "readable.h"
#include "sweep.h"
#include "sweep_files.h"
#include "sweep_report.h"
#include "terminal.h"

#define PATH_SIZE 4400

struct options {
    struct study_sweep *sweep; /* filled in as options are read; owned */
    const char **arguments;    /* the scenario, or folders to merge; owned, borrowed texts */
    size_t argument_count;
    uint64_t job_count; /* 0: one per core */
    const char *making; /* an option that says how to make runs; NULL: none was given */
    bool merge;
    const char *folder; /* NULL: no files */
    enum sim_plot_kind plots;
    bool plots_named;
    bool json;
    bool quiet;
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is run:", 1},
    {"vary", 'v', "PATH=VALUES", 0,
     "A path of the scenario and the values it takes: a,b,c; from:to:step; from:to*factor; may be "
     "repeated, then every combination is run",
     1},
    {"seeds", 'n', "N", 0,
     "Run each combination under N seeds: the scenario's and those after it, 1 to 1000 (default 5)",
     1},
    {"set", 'S', "PATH=VALUE", 0, "Change the scenario, as of weir run; may be repeated", 1},
    {"measure", 'm', "PATH", 0,
     "A number of the result, such as latency_us.p999, instead of the usual seven; may be repeated",
     1},
    {"kernel", 'k', "KERNEL", 0, "simgrid (default) or heap, as of weir run", 1},
    {"jobs", 'J', "N", 0, "Runs at a time, 1 to 256 (default: one for each core)", 1},
    {"shard", 'i', "I/N", 0,
     "Make part I of N only, every Nth run, here or on another machine; needs --out", 1},
    {0, 0, 0, 0, "What becomes of it:", 2},
    {"merge", 'M', 0, 0, "Put the parts of one sweep together: the arguments are their folders", 2},
    {"out", 'o', "DIR", 0,
     "Write sweep.json, sweep.csv and a picture into DIR; runs are kept in DIR/runs, and not made "
     "again as long as nothing has changed",
     2},
    {"plots", 'p', "KIND", 0, "The picture in DIR: svg (default), png or none; needs --out", 2},
    {"json", 'j', 0, 0, "Print JSON instead of text", 2},
    {"quiet", 'q', 0, 0, "Show no progress", 2},
    {0},
};

static void parse_vary(const struct options *options, const char *argument,
                       struct argp_state *state)
{
    char error[300];
    char path[300];
    char cut[300];

    if (!study_grid_add(&options->sweep->grid, argument, error, sizeof error)) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(argument, "="), argument);
        sim_readable_cut(cut, sizeof cut, path, 60);
        argp_error(state, "--vary %s: %s", cut, error);
    }
}

static void parse_set(const struct options *options, const char *argument, struct argp_state *state)
{
    struct study_sweep *sweep = options->sweep;

    if (sweep->set_count == STUDY_SWEEP_SETS_MAX) {
        argp_error(state, "--set %s: found another; allowed: up to %d", argument,
                   STUDY_SWEEP_SETS_MAX);
    }
    sweep->sets[sweep->set_count++] = study_sweep_copy(argument);
}

static void parse_measure(const struct options *options, const char *argument,
                          struct argp_state *state)
{
    struct study_sweep *sweep = options->sweep;

    for (size_t i = 0; i < sweep->measure_count; i++) {
        if (strcmp(sweep->measures[i].path, argument) == 0) {
            argp_error(state, "--measure %s: given twice; allowed: once", argument);
        }
    }
    if (strlen(argument) >= sizeof sweep->measures[0].path) {
        argp_error(state, "--measure %.40s...: found no path of a number in the result", argument);
    }
    if (study_sweep_add_measure(sweep, argument) == NULL) {
        argp_error(state, "--measure %s: found another; allowed: up to %d", argument,
                   STUDY_SWEEP_MEASURES_MAX);
    }
}

static void parse_shard(const struct options *options, const char *argument,
                        struct argp_state *state)
{
    struct study_sweep *sweep = options->sweep;
    char number[24];
    const size_t length = strcspn(argument, "/");
    uint64_t shard = 0;
    uint64_t count = 0;

    snprintf(number, sizeof number, "%.*s", length < 20 ? (int)length : 20, argument);
    if (argument[length] != '/' ||
        !sim_option_number(argument + length + 1, 1, STUDY_SWEEP_RUNS_MAX, &count) ||
        !sim_option_number(number, 1, count, &shard)) {
        argp_error(state, "--shard: found \"%s\"; allowed: I/N, part I of N, such as 1/4",
                   argument);
    }
    sweep->shard = (size_t)shard;
    sweep->shard_count = (size_t)count;
}

/* Options that a merge has no use for. Returns false for others. */
static bool parse_making(struct options *options, int key, const char *argument,
                         struct argp_state *state)
{
    uint64_t seed_count = 0;

    switch (key) {
    case 'v':
        options->making = "--vary";
        parse_vary(options, argument, state);
        return true;
    case 'n':
        options->making = "--seeds";
        if (!sim_option_number(argument, 1, STUDY_SWEEP_SEEDS_MAX, &seed_count)) {
            argp_error(state, "--seeds: found \"%s\"; allowed: a whole number from 1 to %d",
                       argument, STUDY_SWEEP_SEEDS_MAX);
        }
        options->sweep->seed_count = (size_t)seed_count;
        return true;
    case 'S':
        options->making = "--set";
        parse_set(options, argument, state);
        return true;
    case 'm':
        options->making = "--measure";
        parse_measure(options, argument, state);
        return true;
    case 'k':
        options->making = "--kernel";
        if (!sim_option_kernel(argument, &options->sweep->kernel)) {
            argp_error(state, "--kernel: found \"%s\"; allowed: " SIM_OPTION_KERNELS, argument);
        }
        return true;
    case 'J':
        options->making = "--jobs";
        if (!sim_option_number(argument, 1, STUDY_POOL_JOBS_MAX, &options->job_count)) {
            argp_error(state, "--jobs: found \"%s\"; allowed: a whole number from 1 to %d",
                       argument, STUDY_POOL_JOBS_MAX);
        }
        return true;
    case 'i':
        options->making = "--shard";
        parse_shard(options, argument, state);
        return true;
    default:
        return false;
    }
}

/* Runs have the seeds that --seeds says, and what is set may not be undone by what is varied. */
static void check_paths(const struct study_sweep *sweep, struct argp_state *state)
{
    char path[200];

    for (size_t i = 0; i < sweep->grid.axis_count; i++) {
        const char *varied = sweep->grid.axes[i].path;
        if (strcmp(varied, "seed") == 0) {
            argp_error(state, "--vary seed: seeds are not varied; allowed: --seeds N, from "
                              "--set seed=FIRST on");
        }
        for (size_t k = 0; k < sweep->set_count; k++) {
            snprintf(path, sizeof path, "%.*s", (int)strcspn(sweep->sets[k], "="), sweep->sets[k]);
            if (study_grid_path_undoes(varied, path)) {
                argp_error(state, "--vary %s: would undo --set %s; allowed: one of them", varied,
                           sweep->sets[k]);
            }
        }
    }
}

static void check_options(const struct options *options, struct argp_state *state)
{
    const struct study_sweep *sweep = options->sweep;

    if (options->plots_named && options->folder == NULL) {
        argp_error(state, "--plots needs --out DIR: it says which picture goes there");
    }
    if (options->merge) {
        if (options->making != NULL) {
            argp_error(state, "%s with --merge: the parts were made already", options->making);
        }
        return;
    }
    if (options->argument_count > 1) {
        argp_error(state, "one scenario at a time: found \"%s\" after \"%s\"",
                   options->arguments[1], options->arguments[0]);
    }
    if (sweep->grid.axis_count == 0) {
        argp_error(state,
                   "--vary PATH=VALUES is missing, such as --vary fleet.processes=10,50,200");
    }
    check_paths(sweep, state);
    const size_t cell_count = study_grid_cell_count(&sweep->grid);
    if (cell_count > STUDY_SWEEP_RUNS_MAX / sweep->seed_count) {
        argp_error(state, "found %zu combinations under %zu seeds; allowed: up to %d runs",
                   cell_count, sweep->seed_count, STUDY_SWEEP_RUNS_MAX);
    }
    if (sweep->shard_count > cell_count * sweep->seed_count) {
        argp_error(state, "--shard: found %zu parts; allowed: no more than runs, %zu",
                   sweep->shard_count, cell_count * sweep->seed_count);
    }
    if (sweep->shard_count > 1 && options->folder == NULL) {
        argp_error(state, "--shard needs --out DIR: what is to be put together is kept there");
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    if (parse_making(options, key, argument, state)) {
        return 0;
    }
    switch (key) {
    case 'M':
        options->merge = true;
        break;
    case 'o':
        options->folder = argument;
        break;
    case 'p':
        options->plots_named = true;
        if (!sim_option_plots(argument, &options->plots)) {
            argp_error(state, "--plots: found \"%s\"; allowed: " SIM_OPTION_PLOTS, argument);
        }
        break;
    case 'j':
        options->json = true;
        break;
    case 'q':
        options->quiet = true;
        break;
    case ARGP_KEY_ARG:
        options->arguments[options->argument_count++] = argument;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, options->merge
                              ? "folders of the parts are missing, such as part-1 part-2"
                              : "a scenario file is missing, such as scenarios/skewed-fleet.json");
        break;
    case ARGP_KEY_END:
        check_options(options, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "SCENARIO\n--merge DIR...",
    .doc = "Run SCENARIO with every combination of the values given, each under several seeds, and "
           "show the median and the worst of them.\v"
           "Examples:\n"
           "  weir sweep scenarios/skewed-fleet.json --vary fleet.processes=10:200*2\n"
           "  weir sweep scenarios/skewed-fleet.json --vary limiter.sizer=tapered,rate \\\n"
           "      --vary fleet.processes=10,50,200 --seeds 3 --out out\n"
           "  weir sweep scenarios/skewed-fleet.json --vary fleet.processes=10,50,200 \\\n"
           "      --shard 1/4 --out part-1\n"
           "  weir sweep --merge part-1 part-2 part-3 part-4 --out out\n\n"
           "Exit status: 0 all was run, whatever came of it: an expectation that is not met is a "
           "figure like any other; 64 bad usage, scenario or folder; 70 internal error.",
};

static void print_plot(FILE *script, const void *context, const char *kind)
{
    study_sweep_print_plot(script, context, kind);
}

static void draw(const struct options *options, const struct study_sweep *sweep)
{
    char reason[400];
    const bool has_plot = study_sweep_has_plot(sweep);

    if (!sim_picture_draw(options->folder, "sweep", has_plot ? options->plots : SIM_PLOT_NONE,
                          print_plot, sweep, reason, sizeof reason)) {
        fprintf(stderr, "weir: the picture was not drawn: %s\n", reason);
    } else if (!has_plot && options->plots != SIM_PLOT_NONE && !options->quiet) {
        fprintf(stderr, "weir: no picture: %s\n",
                sweep->shard_count > 1       ? "this is a part; --merge draws it"
                : sweep->grid.axis_count > 2 ? "more than two paths vary; sweep.csv has all"
                                             : "there is one combination only");
    }
}

static int report(const struct options *options, struct study_sweep *sweep)
{
    study_sweep_settle(sweep);
    if (options->folder != NULL && !study_sweep_write(sweep, options->folder)) {
        fprintf(stderr, "weir: %s: cannot write: %s\n", options->folder, strerror(errno));
        return SIM_EXIT_INTERNAL;
    }
    if (options->folder != NULL) {
        draw(options, sweep);
    }
    if (options->json) {
        json_t *json = study_sweep_json(sweep);
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(json);
    } else {
        study_sweep_print(stdout, sweep, sim_terminal_width(stdout));
    }
    return SIM_EXIT_PASS;
}

static bool make_folder(const struct options *options)
{
    if (options->folder == NULL || sim_folder_make(options->folder)) {
        return true;
    }
    fprintf(stderr, "weir: --out %s: cannot be made a folder: %s\n", options->folder,
            strerror(errno));
    return false;
}

static int run(const struct options *options)
{
    struct study_sweep *sweep = options->sweep;
    char runs_folder[PATH_SIZE];
    struct study_sweep_making making = {
        .folder = options->folder == NULL ? NULL : runs_folder,
        .job_count = (unsigned)options->job_count,
        .quiet = options->quiet,
    };

    snprintf(runs_folder, sizeof runs_folder, "%s/runs",
             options->folder == NULL ? "" : options->folder);
    const enum study_end end = study_sweep_run(sweep, &making);
    if (end == STUDY_FAILED) {
        fprintf(stderr, "weir: %s\n", making.error);
        return SIM_EXIT_INTERNAL;
    }
    if (end == STUDY_SIGNALLED) {
        fprintf(stderr, "weir: stopped%s\n",
                options->folder == NULL
                    ? ""
                    : "; what was finished is kept, the same command goes on from there");
        return SIM_EXIT_SIGNAL + making.signal_number;
    }
    if (making.reused_count > 0 && !options->quiet) {
        fprintf(stderr, "weir: %zu runs were kept in %s, %zu were made now\n", making.reused_count,
                runs_folder, making.made_count);
    }
    return report(options, sweep);
}

static bool prepare(struct study_sweep *sweep, const char *file)
{
    struct sim_scenario scenario;
    struct sim_error error;

    sweep->scenario = study_sweep_copy(file);
    if (!sim_scenario_load(&scenario, file, (const char *const *)sweep->sets, sweep->set_count,
                           &error)) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    bool good =
        study_sweep_check(sweep, &error) && study_sweep_check_measures(sweep, &scenario, &error);
    if (!good) {
        fprintf(stderr, "%s\n", error.text);
    }
    sweep->name = study_sweep_copy(scenario.name);
    sweep->first_seed = scenario.seed;
    if (good && scenario.seed > INT64_MAX - STUDY_SWEEP_SEEDS_MAX) {
        fprintf(stderr,
                "weir: seed: found %llu; allowed: at least %d below 2^63, for those after "
                "it\n",
                (unsigned long long)scenario.seed, STUDY_SWEEP_SEEDS_MAX);
        good = false;
    }
    if (sweep->measure_count == 0) {
        study_sweep_add_usual_measures(sweep, &scenario);
    }
    study_sweep_take_bounds(sweep, &scenario);
    sim_scenario_free(&scenario);
    return good;
}

static int merge(const struct options *options)
{
    struct study_sweep **parts = sim_memory_new(options->argument_count, sizeof(void *));
    char error[1000];
    bool good = true;
    int status = SIM_EXIT_USAGE;

    for (size_t i = 0; i < options->argument_count && good; i++) {
        parts[i] = study_sweep_read(options->arguments[i], error, sizeof error);
        good = parts[i] != NULL;
    }
    if (!good || !study_sweep_merge(parts, options->arguments, options->argument_count, error,
                                    sizeof error)) {
        fprintf(stderr, "weir: %s\n", error);
    } else if (make_folder(options)) {
        status = report(options, parts[0]);
    }
    for (size_t i = 0; i < options->argument_count; i++) {
        if (parts[i] != NULL) {
            study_sweep_free(parts[i]);
        }
    }
    free(parts);
    return status;
}

int sim_command_sweep(int argc, char **argv)
{
    struct options options = {
        .sweep = study_sweep_new(),
        .arguments = sim_memory_new((size_t)argc + 1, sizeof(char *)),
        .plots = SIM_PLOT_SVG,
    };
    static char name[] = "weir sweep";
    int status = SIM_EXIT_USAGE;

    argv[0] = name;
    options.sweep->seed_count = 5;
    argp_err_exit_status = SIM_EXIT_USAGE;
    (void)argp_parse(&parser, argc, argv, 0, NULL, &options);
    if (options.merge) {
        status = merge(&options);
    } else if (prepare(options.sweep, options.arguments[0]) && make_folder(&options)) {
        status = run(&options);
    }
    study_sweep_free(options.sweep);
    free(options.arguments);
    return status;
}
