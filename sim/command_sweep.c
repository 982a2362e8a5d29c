#include "command_sweep.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_study.h"
#include "exit_status.h"
#include "memory.h"
#include "option.h"
#include "output.h"
#include "readable.h"
#include "sweep.h"
#include "sweep_files.h"
#include "sweep_report.h"
#include "terminal.h"

struct options {
    struct sim_shared_options shared;
    struct study_sweep *sweep; /* filled in as options are read; owned */
    const char **arguments;    /* the scenario, or folders to merge; owned, borrowed texts */
    size_t argument_count;
    const char *for_runs; /* an option that says how to make runs; NULL: none was given */
    bool merge;
};

static const struct argp_option option_table[] = {
    {"vary", 'v', "PATH=VALUES", 0,
     "A path of the scenario and the values it takes: a,b,c; from:to:step; from:to*factor; may be "
     "repeated, then every combination is run",
     1},
    {"measure", 'm', "PATH", 0,
     "A number of the result, such as latency_us.p999, instead of the usual seven; may be repeated",
     1},
    {"shard", 'i', "I/N", 0,
     "Make part I of N only, every Nth run, here or on another machine; needs --out", 1},
    {"merge", 'M', 0, 0, "Put the parts of one sweep together: the arguments are their folders", 1},
    {0},
};

static void parse_vary(struct study_sweep *sweep, const char *argument, struct argp_state *state)
{
    char error[300];
    char path[300];
    char cut[300];

    if (!study_grid_add(&sweep->grid, argument, error, sizeof error)) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(argument, "="), argument);
        sim_readable_cut(cut, sizeof cut, path, 60);
        argp_error(state, "--vary %s: %s", cut, error);
    }
}

static void parse_measure(struct study_sweep *sweep, const char *argument, struct argp_state *state)
{
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

static void parse_shard(struct study_sweep *sweep, const char *argument, struct argp_state *state)
{
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

/* The sweep is told of what was shared; a merge has no use for it. */
static void take_shared(struct options *options, struct argp_state *state)
{
    const struct sim_shared_options *shared = &options->shared;
    struct study_sweep *sweep = options->sweep;
    const char *given = sim_shared_options_given(shared, SIM_SHARED_SET | SIM_SHARED_SEEDS |
                                                             SIM_SHARED_KERNEL | SIM_SHARED_JOBS);

    options->for_runs = given == NULL ? options->for_runs : given;
    sweep->seed_count = (size_t)shared->seed_count;
    for (size_t i = 0; i < shared->set_count; i++) {
        if (i == STUDY_SWEEP_SETS_MAX) {
            argp_error(state, "--set %s: found another; allowed: up to %d", shared->sets[i],
                       STUDY_SWEEP_SETS_MAX);
        }
        sweep->sets[sweep->set_count++] = study_sweep_copy(shared->sets[i]);
    }
}

static void check_size(const struct study_sweep *sweep, struct argp_state *state)
{
    const size_t cell_count = study_grid_cell_count(&sweep->grid);

    if (cell_count > STUDY_SWEEP_RUNS_MAX / sweep->seed_count) {
        argp_error(state, "found %zu combinations under %zu seeds; allowed: up to %d runs",
                   cell_count, sweep->seed_count, STUDY_SWEEP_RUNS_MAX);
    }
    if (sweep->shard_count > cell_count * sweep->seed_count) {
        argp_error(state, "--shard: found %zu parts; allowed: no more than runs, %zu",
                   sweep->shard_count, cell_count * sweep->seed_count);
    }
}

static void check_options(const struct options *options, struct argp_state *state)
{
    if (options->merge) {
        if (options->for_runs != NULL) {
            argp_error(state, "--%s with --merge: the parts were made already", options->for_runs);
        }
        return;
    }
    if (options->argument_count > 1) {
        argp_error(state, "one scenario at a time: found \"%s\" after \"%s\"",
                   options->arguments[1], options->arguments[0]);
    }
    if (options->sweep->grid.axis_count == 0) {
        argp_error(state,
                   "--vary PATH=VALUES is missing, such as --vary fleet.processes=10,50,200");
    }
    check_paths(options->sweep, state);
    check_size(options->sweep, state);
    if (options->sweep->shard_count > 1 && options->shared.folder == NULL) {
        argp_error(state, "--shard needs --out DIR: what is to be put together is kept there");
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->shared;
        break;
    case 'v':
        options->for_runs = "vary";
        parse_vary(options->sweep, argument, state);
        break;
    case 'm':
        options->for_runs = "measure";
        parse_measure(options->sweep, argument, state);
        break;
    case 'i':
        options->for_runs = "shard";
        parse_shard(options->sweep, argument, state);
        break;
    case 'M':
        options->merge = true;
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
        take_shared(options, state);
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

static void draw(const struct sim_shared_options *shared, const struct study_sweep *sweep)
{
    const bool has_plot = study_sweep_has_plot(sweep);

    sim_study_draw(shared, "sweep", has_plot ? study_sweep_print_plot : NULL, sweep);
    if (!has_plot && shared->plots != SIM_PLOT_NONE && !shared->quiet) {
        fprintf(stderr, "weir: no picture: %s\n",
                sweep->shard_count > 1       ? "this is a part; --merge draws it"
                : sweep->grid.axis_count > 2 ? "more than two paths vary; sweep.csv has all"
                                             : "there is one combination only");
    }
}

static int report(const struct sim_shared_options *shared, struct study_sweep *sweep)
{
    study_sweep_settle(sweep);
    if (shared->folder != NULL) {
        if (!study_sweep_write(sweep, shared->folder)) {
            return sim_study_cannot_write(shared);
        }
        draw(shared, sweep);
    }
    if (shared->json) {
        json_t *json = study_sweep_json(sweep);
        sim_output_print_json(json);
        json_decref(json);
    } else {
        study_sweep_print(stdout, sweep, sim_terminal_width(stdout));
    }
    return SIM_EXIT_PASS;
}

static int run(const struct sim_shared_options *shared, struct study_sweep *sweep)
{
    char runs_folder[SIM_STUDY_PATH_SIZE];
    struct study_sweep_making making = {
        .folder = sim_study_runs_folder(shared, runs_folder),
        .job_count = (unsigned)shared->job_count,
        .quiet = shared->quiet,
    };

    switch (study_sweep_run(sweep, &making)) {
    case STUDY_SIGNALLED:
        return sim_study_broke_off(shared, making.signal_number);
    case STUDY_FAILED:
        return sim_study_failed(making.error);
    case STUDY_DONE:
        break;
    }
    if (making.reused_count > 0 && !shared->quiet) {
        fprintf(stderr, "weir: %zu kept in %s, %zu made now\n", making.reused_count, runs_folder,
                making.made_count);
    }
    return report(shared, sweep);
}

/* Read the scenario, in every cell, and what is to be measured. */
static bool prepare(const struct options *options)
{
    struct study_sweep *sweep = options->sweep;
    struct sim_scenario scenario;
    struct sim_error error;
    bool limits_bandwidth = false;

    sweep->scenario = study_sweep_copy(options->arguments[0]);
    if (!sim_scenario_load(&scenario, sweep->scenario, options->shared.sets,
                           options->shared.set_count, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    bool good = study_sweep_check(sweep, &limits_bandwidth, &error) &&
                study_sweep_check_measures(sweep, &scenario, &error);
    if (!good) {
        fprintf(stderr, "%s\n", error.text);
    }
    good = good && sim_study_check_seeds(&options->shared, scenario.seed);
    sweep->kernel = sim_study_kernel(&options->shared, limits_bandwidth);
    sweep->name = study_sweep_copy(scenario.name);
    sweep->first_seed = scenario.seed;
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
    } else if (sim_shared_options_make_folder(&options->shared)) {
        status = report(&options->shared, parts[0]);
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
        .shared = {.has = SIM_STUDY_OPTIONS,
                   .seeds_max = STUDY_SWEEP_SEEDS_MAX,
                   .seed_count = 5,
                   .kernel_help = SIM_STUDY_KERNEL_HELP,
                   .out_help = "Write sweep.json, sweep.csv and a picture" SIM_STUDY_OUT_HELP,
                   .plots = SIM_PLOT_SVG},
        .sweep = study_sweep_new(),
        .arguments = sim_memory_new((size_t)argc, sizeof(char *)),
    };
    int status = SIM_EXIT_USAGE;

    sim_shared_options_parse(&options.shared, &parser, argc, argv, &options);
    if (options.merge) {
        status = merge(&options);
    } else if (prepare(&options) && sim_shared_options_make_folder(&options.shared)) {
        status = run(&options.shared, options.sweep);
    }
    study_sweep_free(options.sweep);
    free(options.arguments);
    sim_shared_options_free(&options.shared);
    return status;
}
