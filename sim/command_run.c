#include "command_run.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "folder.h"
#include "memory.h"
#include "option.h"
#include "plot.h"
#include "plot_data.h"
#include "progress.h"
#include "replay.h"
#include "screen.h"
#include "shell_word.h"
#include "simulation.h"

#define PATH_SIZE 4096

struct options {
    const char *scenario;
    const char **sets; /* borrowed texts; one is made here for --seed */
    size_t set_count;
    char seed_set[48];
    enum sim_kernel_kind kernel;
    const char *folder; /* NULL: no files */
    enum sim_plot_kind plots;
    bool plots_named; /* on the command line */
    bool json;
    bool quiet;
    int argc;
    char **argv;
};

static const struct argp_option option_table[] = {
    {"seed", 's', "N", 0, "Run with another seed than the scenario's (0 ... 2^63 - 1)", 0},
    {"kernel", 'k', "KERNEL", 0,
     "simgrid (default: SimGrid hosts, links and messages) or heap (a plain event heap; same "
     "results where no bandwidth is limited, and faster)",
     0},
    {"set", 'S', "PATH=VALUE", 0,
     "Change the scenario before it runs, such as plans.gold.rate_per_min=5000 or "
     "traffic[0].demand_ratio=2; may be repeated",
     0},
    {"out", 'o', "DIR", 0,
     "Write result.json, tables (CSV) and pictures into DIR (made if missing); those of an earlier "
     "run are replaced",
     0},
    {"plots", 'p', "KIND", 0, "Pictures in DIR: svg (default), png or none; needs --out", 0},
    {"json", 'j', 0, 0, "Print the result as JSON instead of tables", 0},
    {"quiet", 'q', 0, 0, "Print nothing but errors, not even with --json: the exit status tells",
     0},
    {0},
};

static void parse_seed(struct options *options, const char *argument, struct argp_state *state)
{
    uint64_t seed;

    if (!sim_option_number(argument, 0, INT64_MAX, &seed)) {
        argp_error(state, "--seed: found \"%s\"; allowed: a whole number from 0 to 2^63 - 1",
                   argument);
    }
    snprintf(options->seed_set, sizeof options->seed_set, "seed=%" PRIu64, seed);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 's':
        parse_seed(options, argument, state);
        break;
    case 'k':
        if (!sim_option_kernel(argument, &options->kernel)) {
            argp_error(state, "--kernel: found \"%s\"; allowed: " SIM_OPTION_KERNELS, argument);
        }
        break;
    case 'S':
        options->sets[options->set_count++] = argument;
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
        if (options->scenario != NULL) {
            argp_error(state, "one scenario at a time: found \"%s\" after \"%s\"", argument,
                       options->scenario);
        }
        options->scenario = argument;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a scenario file is missing, such as scenarios/skewed-fleet.json");
        break;
    case ARGP_KEY_END:
        if (options->plots_named && options->folder == NULL) {
            argp_error(state, "--plots needs --out DIR: it says which pictures go there");
        }
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
           "against an exact central limiter.\v"
           "Examples:\n"
           "  weir run scenarios/skewed-fleet.json\n"
           "  weir run scenarios/skewed-fleet.json --seed 7 --out out\n"
           "  weir run scenarios/small-limits.json --set fleet.processes=200\n\n"
           "Exit status: 0 all expectations met; 1 an expectation failed; 2 inconclusive; "
           "3 not recovered after the faults; 64 bad usage or scenario; 70 internal error.",
};

static bool write_files(const struct options *options, const struct sim_result *result,
                        const struct sim_world *world, struct sim_progress *progress,
                        struct sim_plot_list *written)
{
    char path[PATH_SIZE];
    char reason[400] = "";
    struct sim_plot_data data;

    sim_progress_phase(progress, "writing tables");
    snprintf(path, sizeof path, "%s/result.json", options->folder);
    snprintf(written->text, sizeof written->text, "result.json");
    sim_plot_data_make(&data, result, world);
    const bool done =
        sim_plot_remove(options->folder) &&
        json_dump_file(result->json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
        sim_plot_write_tables(options->folder, &data, written);
    const int error = errno;
    if (done) {
        sim_progress_phase(progress, "drawing");
        (void)sim_plot_draw(options->folder, &data, options->plots, written, reason, sizeof reason);
    }
    sim_progress_end(progress);
    if (!done) {
        fprintf(stderr, "weir: %s: cannot write: %s\n", options->folder, strerror(error));
    } else if (reason[0] != '\0' && !options->quiet) {
        fprintf(stderr, "weir: not all pictures were drawn: %s\n", reason);
    }
    sim_plot_data_free(&data);
    return done;
}

static void print_replay(FILE *file, const struct options *options)
{
    fprintf(file, "replay: weir run");
    for (int i = 1; i < options->argc; i++) {
        sim_shell_word_print(file, options->argv[i]);
    }
    fprintf(file, "\n");
}

static void report(const struct options *options, const struct sim_result *result,
                   const struct sim_world *world, const struct sim_plot_list *written,
                   double wall_s)
{
    if (options->quiet) {
        ;
    } else if (options->json) {
        json_dumpf(result->json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
    } else {
        const struct sim_screen screen = sim_screen_of(stdout);
        sim_screen_print(stdout, &screen, result, world, options->kernel, wall_s);
        if (written->text[0] != '\0') {
            sim_screen_print_files(stdout, &screen, options->folder, written->text);
        }
        fflush(stdout); /* the replay comes last, also where both streams are one file */
    }
    if (result->verdict != SIM_VERDICT_PASS) {
        print_replay(stderr, options);
    }
}

static int run(const struct options *options, const struct sim_scenario *scenario)
{
    struct sim_simulation simulation;
    struct sim_plot_list written = {""};
    char reason[256];

    int status = (int)sim_simulation_make(&simulation, scenario, options->kernel,
                                          options->quiet ? SIM_PROGRESS_HIDDEN
                                                         : sim_progress_style_of(stderr),
                                          reason, sizeof reason);
    if (status != SIM_EXIT_PASS) {
        fprintf(stderr, "weir: %s\n", reason);
        return status;
    }
    struct sim_result *result = &simulation.result;
    sim_replay_note(result->json, options->scenario, options->sets, options->set_count,
                    options->kernel);
    const double wall_s = (double)(sim_progress_wall_ns() - simulation.progress.started_ns) / 1e9;
    status = (int)sim_simulation_status(result);
    if (options->folder != NULL &&
        !write_files(options, result, &simulation.world, &simulation.progress, &written)) {
        status = SIM_EXIT_INTERNAL;
        written.text[0] = '\0';
    }
    report(options, result, &simulation.world, &written, wall_s);
    sim_simulation_free(&simulation);
    return status;
}

int sim_command_run(int argc, char **argv)
{
    struct options options = {
        .sets = sim_memory_new((size_t)argc + 1, sizeof(char *)),
        .plots = SIM_PLOT_SVG,
        .argc = argc,
        .argv = argv,
    };
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
    if (options.folder != NULL && !sim_folder_make(options.folder)) {
        fprintf(stderr, "weir: --out %s: cannot be made a folder: %s\n", options.folder,
                strerror(errno));
    } else {
        status = run(&options, &scenario);
    }
    sim_scenario_free(&scenario);
    free(options.sets);
    return status;
}
