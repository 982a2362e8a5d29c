#include "command_run.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exit_status.h"
#include "option.h"
#include "output.h"
#include "plot.h"
#include "plot_data.h"
#include "progress.h"
#include "replay.h"
#include "screen.h"
#include "screen_faults.h"
#include "shared_options.h"
#include "shell_word.h"
#include "simulation.h"

struct options {
    struct sim_shared_options shared;
    const char *scenario;
    char seed_set[48]; /* what --seed says */
    int argc;
    char **argv;
};

static const struct argp_option option_table[] = {
    {"seed", 's', "N", 0, "Run with another seed than the scenario's (0 to 2^63 - 1)", 1},
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
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->shared;
        break;
    case 's':
        parse_seed(options, argument, state);
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
    char reason[400] = "";
    struct sim_plot_data data;

    sim_progress_phase(progress, "writing tables");
    snprintf(written->text, sizeof written->text, "result.json");
    sim_plot_data_make(&data, result, world);
    const bool done = sim_plot_remove(options->shared.folder) &&
                      sim_output_write_json(options->shared.folder, "result.json", result->json) &&
                      sim_plot_write_tables(options->shared.folder, &data, written);
    const int error = errno;
    if (done) {
        sim_progress_phase(progress, "drawing");
        (void)sim_plot_draw(options->shared.folder, &data, options->shared.plots, written, reason,
                            sizeof reason);
    }
    sim_progress_end(progress);
    if (!done) {
        fprintf(stderr, "weir: %s: cannot write: %s\n", options->shared.folder, strerror(error));
    } else if (reason[0] != '\0' && !options->shared.quiet) {
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

/* Of a run that says nothing else. */
static void print_reasons(FILE *file, const struct sim_result *result,
                          const struct sim_world *world)
{
    const struct sim_screen screen = sim_screen_of(file);
    const struct sim_liveness *liveness = &result->aftermath.liveness;

    sim_screen_print_misses(file, &screen, result);
    if (liveness->recovery == SIM_RECOVERY_FAILED || liveness->recovery == SIM_RECOVERY_UNKNOWN) {
        sim_screen_recovery(file, &screen, liveness, world);
    }
}

static void report(const struct options *options, const struct sim_result *result,
                   const struct sim_world *world, const struct sim_plot_list *written,
                   double wall_s)
{
    if (options->shared.quiet) {
        ;
    } else if (options->shared.json) {
        sim_output_print_json(result->json);
    } else {
        const struct sim_screen screen = sim_screen_of(stdout);
        sim_screen_print(stdout, &screen, result, world, options->shared.kernel, wall_s);
        if (written->text[0] != '\0') {
            sim_screen_print_files(stdout, &screen, options->shared.folder, written->text);
        }
        fflush(stdout); /* the replay comes last, also where both streams are one file */
    }
    if (result->verdict != SIM_VERDICT_PASS) {
        if (options->shared.quiet) {
            print_reasons(stderr, result, world);
        }
        print_replay(stderr, options);
    }
}

static int run(const struct options *options, const struct sim_scenario *scenario)
{
    struct sim_simulation simulation;
    struct sim_plot_list written = {""};
    char reason[256];

    int status = (int)sim_simulation_make(&simulation, scenario, options->shared.kernel,
                                          options->shared.quiet ? SIM_PROGRESS_HIDDEN
                                                                : sim_progress_style_of(stderr),
                                          reason, sizeof reason);
    if (status != SIM_EXIT_PASS) {
        fprintf(stderr, "weir: %s\n", reason);
        return status;
    }
    struct sim_result *result = &simulation.result;
    sim_replay_note(result->json, options->scenario, options->shared.sets,
                    options->shared.set_count, options->shared.kernel);
    const double wall_s = (double)(sim_progress_wall_ns() - simulation.progress.started_ns) / 1e9;
    status = (int)sim_simulation_status(result);
    if (options->shared.folder != NULL &&
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
        .shared = {.has = SIM_SHARED_SET | SIM_SHARED_KERNEL | SIM_SHARED_OUT | SIM_SHARED_PLOTS |
                          SIM_SHARED_JSON | SIM_SHARED_QUIET,
                   .kernel_help = "simgrid (default: SimGrid hosts, links and messages) or heap (a "
                                  "plain event heap: sooner, with the same results where no "
                                  "bandwidth is limited)",
                   .out_help = "Write result.json, tables (CSV) and pictures into DIR (made if "
                               "missing); those of an earlier run are replaced",
                   .quiet_help = "Print nothing but errors and what was not met, not even with "
                                 "--json: the exit status tells",
                   .plots = SIM_PLOT_SVG},
        .argc = argc,
        .argv = argv,
    };
    struct sim_shared_options *shared = &options.shared;
    struct sim_scenario scenario;
    struct sim_error error;
    int status = SIM_EXIT_USAGE;

    sim_shared_options_parse(shared, &parser, argc, argv, &options);
    if (options.seed_set[0] != '\0') {
        shared->sets[shared->set_count++] = options.seed_set;
    }
    if (!sim_scenario_load(&scenario, options.scenario, shared->sets, shared->set_count, &error)) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        if (sim_shared_options_make_folder(shared)) {
            status = run(&options, &scenario);
        }
        sim_scenario_free(&scenario);
    }
    sim_shared_options_free(shared);
    return status;
}
