#include "command_size.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_study.h"
#include "exit_status.h"
#include "measure.h"
#include "memory.h"
#include "option.h"
#include "output.h"
#include "size.h"
#include "size_report.h"
#include "terminal.h"

#define BOUND_KEY 0x100 /* + enum study_bound_kind */

struct options {
    struct sim_shared_options shared;
    const char *scenario;
    bool is_bounded[STUDY_BOUND_COUNT];
    double bounds[STUDY_BOUND_COUNT];
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "Bounds, at least one; the worst interval of the worst key and seed counts:", 1},
    {"over", BOUND_KEY + STUDY_BOUND_OVER, "PERCENT", 0,
     "So much over the ideal, in percent of the limit; keys with limits of 1,000 and more", 1},
    {"under", BOUND_KEY + STUDY_BOUND_UNDER, "PERCENT", 0, "So much under it", 1},
    {"over-units", BOUND_KEY + STUDY_BOUND_OVER_UNITS, "N", 0, "The same in units, of all keys", 1},
    {"under-units", BOUND_KEY + STUDY_BOUND_UNDER_UNITS, "N", 0, "The same in units, of all keys",
     1},
    {"asks-per-s", BOUND_KEY + STUDY_BOUND_ASKS, "N", 0, "Asks of the store, on average", 1},
    {"peak-asks-per-s", BOUND_KEY + STUDY_BOUND_PEAK_ASKS, "N", 0,
     "Asks of the store in the busiest second", 1},
    {"p99-us", BOUND_KEY + STUDY_BOUND_P99, "N", 0,
     "Microseconds added to 99 of 100 admitted requests", 1},
    {0},
};

static void parse_bound(struct options *options, int bound, const char *argument,
                        struct argp_state *state)
{
    if (!sim_option_real(argument, &options->bounds[bound])) {
        argp_error(state, "--%s: found \"%s\"; allowed: a number from 0 on, such as 0.1",
                   study_bound_texts[bound].option, argument);
    }
    options->is_bounded[bound] = true;
}

static void check_options(const struct options *options, struct argp_state *state)
{
    bool any = false;

    for (int bound = 0; bound < STUDY_BOUND_COUNT; bound++) {
        any = any || options->is_bounded[bound];
    }
    if (!any) {
        argp_error(state, "a bound is missing, such as --under 0.1 or --asks-per-s 5000");
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    if (key >= BOUND_KEY && key < BOUND_KEY + STUDY_BOUND_COUNT) {
        parse_bound(options, key - BOUND_KEY, argument, state);
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->shared;
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
    .args_doc = "SCENARIO",
    .doc =
        "Run SCENARIO with every sizer, with fixed leases of many sizes and with an ask per "
        "request, and with faults with every way of doing without the store; and say which keep "
        "all bounds, which of them asks least, and if there is none, which bound is in the "
        "way.\v"
        "Examples:\n"
        "  weir size scenarios/skewed-fleet.json --over 0.1 --under 0.2 \\\n"
        "      --asks-per-s 5000\n"
        "  weir size scenarios/small-limits.json --under-units 2 --p99-us 1000 \\\n"
        "      --out out\n\n"
        "Exit status: 0 found; 1 nothing keeps all bounds; 64 bad usage or scenario; 70 internal "
        "error.",
};

static int report(const struct options *options, const struct study_sizing *sizing)
{
    const struct sim_shared_options *shared = &options->shared;
    int status = sizing->size->chosen == STUDY_SIZE_NOBODY ? SIM_EXIT_FAIL : SIM_EXIT_PASS;
    json_t *json = study_size_json(sizing);

    if (shared->folder != NULL) {
        if (sim_output_write_json(shared->folder, "size.json", json) &&
            sim_output_write(shared->folder, "size.csv", study_size_print_csv, sizing)) {
            sim_study_draw(shared, "size", study_size_print_plot, sizing);
        } else {
            status = sim_study_cannot_write(shared);
        }
    }
    if (shared->json) {
        sim_output_print_json(json);
    } else {
        study_size_print(stdout, sizing, sim_terminal_width(stdout));
    }
    json_decref(json);
    return status;
}

static int search(const struct options *options, const struct sim_scenario *scenario)
{
    const struct sim_shared_options *shared = &options->shared;
    struct study_size *size = sim_memory_new(1, sizeof *size);
    char runs_folder[SIM_STUDY_PATH_SIZE];
    int status = SIM_EXIT_INTERNAL;

    *size = (struct study_size){
        .scenario = options->scenario,
        .sets = shared->sets,
        .set_count = shared->set_count,
        .first_seed = scenario->seed,
        .seed_count = shared->seed_count,
        .kernel = sim_study_kernel(shared, scenario->bandwidth_bytes_per_s > 0),
        .folder = sim_study_runs_folder(shared, runs_folder),
        .job_count = (unsigned)shared->job_count,
        .quiet = shared->quiet,
    };
    memcpy(size->bounds, options->bounds, sizeof size->bounds);
    memcpy(size->is_bounded, options->is_bounded, sizeof size->is_bounded);
    switch (study_size_run(size)) {
    case STUDY_DONE:
        status = report(options, &(struct study_sizing){.size = size, .scenario = scenario});
        break;
    case STUDY_SIGNALLED:
        status = sim_study_broke_off(shared, size->signal_number);
        break;
    case STUDY_FAILED:
        status = sim_study_failed(size->error);
        break;
    }
    study_size_free(size);
    free(size);
    return status;
}

/* A bound that nothing is held against would be kept by everything. */
static bool check_percentages(const struct options *options, const struct sim_scenario *scenario)
{
    if (study_measure_has_percentages(scenario)) {
        return true;
    }
    for (int bound = STUDY_BOUND_OVER; bound <= STUDY_BOUND_UNDER; bound++) {
        if (options->is_bounded[bound]) {
            fprintf(stderr,
                    "weir: --%s: no key has a limit of %d units or more, of which a percentage "
                    "says something; allowed: --%s-units\n",
                    study_bound_texts[bound].option, STUDY_PERCENT_LIMIT_MIN,
                    study_bound_texts[bound].option);
            return false;
        }
    }
    return true;
}

int sim_command_size(int argc, char **argv)
{
    struct options options = {
        .shared = {.has = SIM_STUDY_OPTIONS,
                   .seeds_max = STUDY_SIZE_SEEDS_MAX,
                   .seed_count = 3,
                   .kernel_help = SIM_STUDY_KERNEL_HELP,
                   .out_help = "Write size.json, size.csv and a picture" SIM_STUDY_OUT_HELP,
                   .plots = SIM_PLOT_SVG},
    };
    struct sim_scenario scenario;
    struct sim_error error;
    int status = SIM_EXIT_USAGE;

    sim_shared_options_parse(&options.shared, &parser, argc, argv, &options);
    if (!sim_scenario_load(&scenario, options.scenario, options.shared.sets,
                           options.shared.set_count, &error)) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        if (check_percentages(&options, &scenario) &&
            sim_study_check_seeds(&options.shared, scenario.seed) &&
            sim_shared_options_make_folder(&options.shared)) {
            status = search(&options, &scenario);
        }
        sim_scenario_free(&scenario);
    }
    sim_shared_options_free(&options.shared);
    return status;
}
