#include "command_size.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "folder.h"
#include "measure.h"
#include "memory.h"
#include "option.h"
#include "picture.h"
#include "size.h"
#include "size_report.h"
#include "terminal.h"

#define PATH_SIZE 4400
#define BOUND_KEY 0x100 /* + enum study_bound_kind */

struct options {
    const char *scenario;
    const char **sets; /* owned; borrowed texts */
    size_t set_count;
    bool is_bounded[STUDY_BOUND_COUNT];
    double bounds[STUDY_BOUND_COUNT];
    uint64_t seed_count;
    enum sim_kernel_kind kernel;
    bool kernel_named;
    const char *folder; /* NULL: no files */
    enum sim_plot_kind plots;
    bool plots_named;
    bool json;
    bool quiet;
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
    {0, 0, 0, 0, "What is run:", 2},
    {"set", 'S', "PATH=VALUE", 0, "Change the scenario, as of weir run; may be repeated", 2},
    {"seeds", 'n', "N", 0, "The scenario's seed and those after it, 1 to 100 (default 3)", 2},
    {"kernel", 'k', "KERNEL", 0,
     "simgrid or heap, as of weir run (default: heap, with the same results and sooner; simgrid "
     "where bandwidth is limited)",
     2},
    {"out", 'o', "DIR", 0,
     "Write size.json, size.csv and a picture into DIR; runs are kept in DIR/runs, and not made "
     "again as long as nothing has changed",
     2},
    {"plots", 'p', "KIND", 0, "The picture in DIR: svg (default), png or none; needs --out", 2},
    {"json", 'j', 0, 0, "Print JSON instead of text", 2},
    {"quiet", 'q', 0, 0, "Show no progress", 2},
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
    if (options->plots_named && options->folder == NULL) {
        argp_error(state, "--plots needs --out DIR: it says which picture goes there");
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
    case 'S':
        options->sets[options->set_count++] = argument;
        break;
    case 'n':
        if (!sim_option_number(argument, 1, STUDY_SIZE_SEEDS_MAX, &options->seed_count)) {
            argp_error(state, "--seeds: found \"%s\"; allowed: a whole number from 1 to %d",
                       argument, STUDY_SIZE_SEEDS_MAX);
        }
        break;
    case 'k':
        options->kernel_named = true;
        if (!sim_option_kernel(argument, &options->kernel)) {
            argp_error(state, "--kernel: found \"%s\"; allowed: " SIM_OPTION_KERNELS, argument);
        }
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
        "  weir size scenarios/skewed-fleet.json --over 0.1 --under 0.2 --asks-per-s 5000\n"
        "  weir size scenarios/small-limits.json --under-units 2 --p99-us 1000 --out out\n\n"
        "Exit status: 0 found; 1 nothing keeps all bounds; 64 bad usage or scenario; 70 internal "
        "error.",
};

static bool write_files(const struct options *options, const struct study_sizing *sizing,
                        const json_t *json)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/size.json", options->folder);
    if (json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) != 0) {
        return false;
    }
    snprintf(path, sizeof path, "%s/size.csv", options->folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    study_size_print_csv(file, sizing->size);
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

static void print_plot(FILE *script, const void *context, const char *kind)
{
    study_size_print_plot(script, context, kind);
}

static int report(const struct options *options, const struct study_sizing *sizing)
{
    int status = sizing->size->chosen == STUDY_SIZE_NOBODY ? SIM_EXIT_FAIL : SIM_EXIT_PASS;
    char reason[400];
    json_t *json = study_size_json(sizing);

    if (options->folder != NULL && !write_files(options, sizing, json)) {
        fprintf(stderr, "weir: %s: cannot write: %s\n", options->folder, strerror(errno));
        status = SIM_EXIT_INTERNAL;
    } else if (options->folder != NULL &&
               !sim_picture_draw(options->folder, "size", options->plots, print_plot, sizing,
                                 reason, sizeof reason)) {
        fprintf(stderr, "weir: the picture was not drawn: %s\n", reason);
    }
    if (options->json) {
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
    } else {
        study_size_print(stdout, sizing, sim_terminal_width(stdout));
    }
    json_decref(json);
    return status;
}

static int search(const struct options *options, const struct sim_scenario *scenario)
{
    struct study_size *size = sim_memory_new(1, sizeof *size);
    char runs_folder[PATH_SIZE];
    int status = SIM_EXIT_INTERNAL;

    snprintf(runs_folder, sizeof runs_folder, "%s/runs",
             options->folder == NULL ? "" : options->folder);
    *size = (struct study_size){
        .scenario = options->scenario,
        .sets = options->sets,
        .set_count = options->set_count,
        .first_seed = scenario->seed,
        .seed_count = options->seed_count,
        .kernel = options->kernel_named                  ? options->kernel
                  : scenario->bandwidth_bytes_per_s == 0 ? SIM_KERNEL_HEAP
                                                         : SIM_KERNEL_SIMGRID,
        .folder = options->folder == NULL ? NULL : runs_folder,
        .quiet = options->quiet,
    };
    memcpy(size->bounds, options->bounds, sizeof size->bounds);
    memcpy(size->is_bounded, options->is_bounded, sizeof size->is_bounded);
    switch (study_size_run(size)) {
    case STUDY_DONE:
        status = report(options, &(struct study_sizing){.size = size, .scenario = scenario});
        break;
    case STUDY_SIGNALLED:
        fprintf(stderr, "weir: stopped%s\n",
                options->folder == NULL ? "" : "; what was finished is kept for the next time");
        status = SIM_EXIT_SIGNAL + size->signal_number;
        break;
    case STUDY_FAILED:
    default:
        fprintf(stderr, "weir: %s\n", size->error);
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
        .sets = sim_memory_new((size_t)argc + 1, sizeof(char *)),
        .seed_count = 3,
        .plots = SIM_PLOT_SVG,
    };
    struct sim_scenario scenario;
    struct sim_error error;
    static char name[] = "weir size";
    int status = SIM_EXIT_USAGE;

    argv[0] = name;
    argp_err_exit_status = SIM_EXIT_USAGE;
    (void)argp_parse(&parser, argc, argv, 0, NULL, &options);
    if (!sim_scenario_load(&scenario, options.scenario, options.sets, options.set_count, &error)) {
        fprintf(stderr, "%s\n", error.text);
        free(options.sets);
        return status;
    }
    if (!check_percentages(&options, &scenario)) {
        ;
    } else if (options.folder != NULL && !sim_folder_make(options.folder)) {
        fprintf(stderr, "weir: --out %s: cannot be made a folder: %s\n", options.folder,
                strerror(errno));
    } else {
        status = search(&options, &scenario);
    }
    sim_scenario_free(&scenario);
    free(options.sets);
    return status;
}
