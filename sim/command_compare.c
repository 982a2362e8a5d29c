#include "command_compare.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "compare_report.h"
#include "divergence.h"
#include "exit_status.h"
#include "folder.h"
#include "memory.h"
#include "option.h"
#include "picture.h"
#include "terminal.h"

#define PATH_SIZE 4400
#define NAME_SIZE 2000

struct options {
    const char *scenarios[2]; /* the second may be NULL */
    const char **sets[2];     /* of A; of B, A's first. Owned; borrowed texts */
    size_t set_counts[2];
    const char **against; /* owned */
    size_t against_count;
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
    {"set", 'S', "PATH=VALUE", 0, "Change both sides, as of weir run; may be repeated", 0},
    {"against", 'a', "PATH=VALUE", 0, "Change B only, after all --set; may be repeated", 0},
    {"seeds", 'n', "N", 0, "Run N pairs: the seed of A and those after it, 1 to 1000 (default 5)",
     0},
    {"kernel", 'k', "KERNEL", 0,
     "simgrid or heap, as of weir run (default: heap, with the same results and sooner; simgrid "
     "where bandwidth is limited)",
     0},
    {"out", 'o', "DIR", 0,
     "Write compare.json, compare.csv, a picture, and the first pair's results, a.json and b.json, "
     "into DIR; runs are kept in DIR/runs, and not made again as long as nothing has changed",
     0},
    {"plots", 'p', "KIND", 0, "The picture in DIR: svg (default), png or none; needs --out", 0},
    {"json", 'j', 0, 0, "Print JSON instead of text", 0},
    {"quiet", 'q', 0, 0, "Show no progress", 0},
    {0},
};

static void add_scenario(struct options *options, const char *argument, struct argp_state *state)
{
    if (options->scenarios[1] != NULL) {
        argp_error(state, "two scenarios at a time: found \"%s\" after \"%s\"", argument,
                   options->scenarios[1]);
    }
    options->scenarios[options->scenarios[0] != NULL] = argument;
}

/* Pairs have one seed. */
static void add_against(struct options *options, const char *argument, struct argp_state *state)
{
    if (strncmp(argument, "seed=", 5) == 0) {
        argp_error(state, "--against %s: both sides run the same seeds; allowed: --set %s",
                   argument, argument);
    }
    options->against[options->against_count++] = argument;
}

static void check_options(const struct options *options, struct argp_state *state)
{
    if (options->scenarios[1] == NULL && options->against_count == 0) {
        argp_error(state,
                   "a second scenario or --against PATH=VALUE is missing: what is \"%s\" to "
                   "be compared with?",
                   options->scenarios[0]);
    }
    if (options->plots_named && options->folder == NULL) {
        argp_error(state, "--plots needs --out DIR: it says which picture goes there");
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'S':
        options->sets[0][options->set_counts[0]++] = argument;
        break;
    case 'a':
        add_against(options, argument, state);
        break;
    case 'n':
        if (!sim_option_number(argument, 1, STUDY_COMPARE_SEEDS_MAX, &options->seed_count)) {
            argp_error(state, "--seeds: found \"%s\"; allowed: a whole number from 1 to %d",
                       argument, STUDY_COMPARE_SEEDS_MAX);
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
        add_scenario(options, argument, state);
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
    .args_doc = "A [B]",
    .doc =
        "Run two scenarios, or one in two ways, under the same seeds, and say what differs: each "
        "measure pair by pair, and the first request that is decided differently. Whether both "
        "were given the same requests and faults is checked and said.\v"
        "Examples:\n"
        "  weir compare scenarios/skewed-fleet.json --against limiter.sizer=fixed\n"
        "  weir compare scenarios/skewed-fleet.json --set limiter.sizer=fixed \\\n"
        "      --against limiter.fixed_lease_units=100 --seeds 20 --out out\n"
        "  weir compare scenarios/five/4-token-bucket.json scenarios/five/5-leased.json\n\n"
        "Exit status: 0 compared; 2 compared, but the requests of one side are not those of the "
        "other; 64 bad usage or scenario; 70 internal error.",
};

static void name_sides(const struct options *options, char names[2][NAME_SIZE])
{
    if (options->scenarios[1] == NULL) {
        sim_option_join(names[0], NAME_SIZE, options->sets[0], options->set_counts[0],
                        "as the scenario says");
        char changes[NAME_SIZE - 16];
        sim_option_join(changes, sizeof changes, options->against, options->against_count, "");
        snprintf(names[1], NAME_SIZE, "as A, but %s", changes);
        return;
    }
    for (size_t side = 0; side < 2; side++) {
        char changes[NAME_SIZE];
        sim_option_join(changes, sizeof changes, options->sets[side], options->set_counts[side],
                        "");
        snprintf(names[side], NAME_SIZE, "%.900s%s%.900s", options->scenarios[side],
                 changes[0] == '\0' ? "" : " with ", changes);
    }
}

static bool write_result(const char *folder, const char *name, const json_t *json)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0;
}

static bool write_csv(const char *folder, const struct study_comparison *comparison)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/compare.csv", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    study_compare_print_csv(file, comparison);
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

static void print_plot(FILE *script, const void *context, const char *kind)
{
    study_compare_print_plot(script, context, kind);
}

static bool write_files(const struct options *options, const struct study_comparison *comparison,
                        const json_t *json)
{
    char reason[400];

    if (!write_result(options->folder, "a.json",
                      study_compare_pair(comparison->compare, 0, 0)->result) ||
        !write_result(options->folder, "b.json",
                      study_compare_pair(comparison->compare, 1, 0)->result) ||
        !write_result(options->folder, "compare.json", json) ||
        !write_csv(options->folder, comparison)) {
        fprintf(stderr, "weir: %s: cannot write: %s\n", options->folder, strerror(errno));
        return false;
    }
    if (!sim_picture_draw(options->folder, "compare", options->plots, print_plot, comparison,
                          reason, sizeof reason)) {
        fprintf(stderr, "weir: the picture was not drawn: %s\n", reason);
    }
    return true;
}

static int report(const struct options *options, const struct study_compare *compare,
                  const struct study_divergence *divergence)
{
    char names[2][NAME_SIZE];
    const struct study_comparison comparison = {
        .compare = compare,
        .divergence = divergence,
        .names = {names[0], names[1]},
        .title = divergence->scenarios[0]->name,
        .folder = options->folder,
    };
    int status = study_given_compare(&divergence->given[0], &divergence->given[1]) == STUDY_UNPAIRED
                     ? SIM_EXIT_INCONCLUSIVE
                     : SIM_EXIT_PASS;

    name_sides(options, names);
    json_t *json = study_compare_json(&comparison);
    if (options->folder != NULL && !write_files(options, &comparison, json)) {
        status = SIM_EXIT_INTERNAL;
    }
    if (options->json) {
        json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
    } else {
        study_compare_print(stdout, &comparison, sim_terminal_width(stdout));
    }
    json_decref(json);
    return status;
}

/* Bad scenarios were found before: what fails now is ours. */
static int run(const struct options *options, struct study_compare *compare,
               struct study_divergence *divergence)
{
    const enum study_end end = study_compare_run(compare);
    if (end == STUDY_SIGNALLED) {
        fprintf(stderr, "weir: stopped%s\n",
                options->folder == NULL ? "" : "; what was finished is kept for the next time");
        return SIM_EXIT_SIGNAL + compare->batch.signal_number;
    }
    if (end == STUDY_FAILED) {
        fprintf(stderr, "weir: %s\n", compare->batch.error);
        return SIM_EXIT_INTERNAL;
    }
    const enum study_divergence_end looked = study_divergence_find(divergence);
    if (looked == STUDY_DIVERGENCE_SIGNALLED) {
        fprintf(stderr, "weir: stopped\n");
        return SIM_EXIT_SIGNAL + SIGINT;
    }
    if (looked == STUDY_DIVERGENCE_FAILED) {
        fprintf(stderr, "weir: %s\n", divergence->error);
        return SIM_EXIT_INTERNAL;
    }
    return report(options, compare, divergence);
}

/* Both scenarios under A's seed. */
static bool load_both(const struct options *options, struct sim_scenario scenarios[2],
                      struct study_compare *compare)
{
    struct sim_error error;
    char seed_set[48];
    const char **sets[2];
    bool good;

    good = sim_scenario_load(&scenarios[0], options->scenarios[0], options->sets[0],
                             options->set_counts[0], &error);
    if (good) {
        compare->first_seed = scenarios[0].seed;
        sim_scenario_free(&scenarios[0]);
    }
    snprintf(seed_set, sizeof seed_set, "seed=%" PRIu64, compare->first_seed);
    for (size_t side = 0; side < 2 && good; side++) {
        const size_t count = options->set_counts[side];
        sets[side] = sim_memory_new(count + 1, sizeof(char *));
        memcpy(sets[side], options->sets[side], count * sizeof(char *));
        sets[side][count] = seed_set;
        good = sim_scenario_load(&scenarios[side], compare->sides[side].scenario, sets[side],
                                 count + 1, &error);
        free(sets[side]);
    }
    if (!good) {
        fprintf(stderr, "%s\n", error.text);
    }
    return good;
}

static int compare_both(const struct options *options)
{
    char runs_folder[PATH_SIZE];
    struct sim_scenario scenarios[2] = {0};
    struct study_compare compare = {
        .seed_count = options->seed_count,
        .kernel = options->kernel,
        .quiet = options->quiet,
        .folder = options->folder == NULL ? NULL : runs_folder,
    };
    struct study_divergence divergence = {
        .scenarios = {&scenarios[0], &scenarios[1]},
        .quiet = options->quiet,
    };
    int status = SIM_EXIT_USAGE;

    snprintf(runs_folder, sizeof runs_folder, "%s/runs",
             options->folder == NULL ? "" : options->folder);
    for (size_t side = 0; side < 2; side++) {
        compare.sides[side] = (struct study_side){
            .scenario = options->scenarios[options->scenarios[side] == NULL ? 0 : side],
            .sets = options->sets[side],
            .set_count = options->set_counts[side],
        };
    }
    if (!load_both(options, scenarios, &compare)) {
        ;
    } else if (options->folder != NULL && !sim_folder_make(options->folder)) {
        fprintf(stderr, "weir: --out %s: cannot be made a folder: %s\n", options->folder,
                strerror(errno));
    } else {
        if (!options->kernel_named) {
            compare.kernel =
                scenarios[0].bandwidth_bytes_per_s == 0 && scenarios[1].bandwidth_bytes_per_s == 0
                    ? SIM_KERNEL_HEAP
                    : SIM_KERNEL_SIMGRID;
        }
        divergence.kernel = compare.kernel;
        status = run(options, &compare, &divergence);
        study_compare_free(&compare);
    }
    sim_scenario_free(&scenarios[0]);
    sim_scenario_free(&scenarios[1]);
    return status;
}

int sim_command_compare(int argc, char **argv)
{
    struct options options = {
        .sets = {sim_memory_new((size_t)argc + 1, sizeof(char *)),
                 sim_memory_new((size_t)argc + 1, sizeof(char *))},
        .against = sim_memory_new((size_t)argc + 1, sizeof(char *)),
        .seed_count = 5,
        .plots = SIM_PLOT_SVG,
    };
    static char name[] = "weir compare";

    argv[0] = name;
    argp_err_exit_status = SIM_EXIT_USAGE;
    (void)argp_parse(&parser, argc, argv, 0, NULL, &options);
    for (size_t i = 0; i < options.set_counts[0]; i++) {
        options.sets[1][options.set_counts[1]++] = options.sets[0][i];
    }
    for (size_t i = 0; i < options.against_count; i++) {
        options.sets[1][options.set_counts[1]++] = options.against[i];
    }
    const int status = compare_both(&options);
    free(options.sets[0]);
    free(options.sets[1]);
    free(options.against);
    return status;
}
