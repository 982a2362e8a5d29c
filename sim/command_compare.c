#include "command_compare.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_study.h"
#include "compare.h"
#include "compare_report.h"
#include "divergence.h"
#include "exit_status.h"
#include "memory.h"
#include "option.h"
#include "output.h"
#include "run_list.h"
#include "terminal.h"

#define NAME_SIZE 2000

struct options {
    struct sim_shared_options shared; /* sets: of both sides */
    const char *scenarios[2];         /* the second may be NULL */
    const char **against;             /* owned; borrowed texts */
    size_t against_count;
};

static const struct argp_option option_table[] = {
    {"against", 'a', "PATH=VALUE", 0, "Change B only, after all --set; may be repeated", 1},
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
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->shared;
        break;
    case 'a':
        add_against(options, argument, state);
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

static void name_sides(const struct options *options, const struct study_compare *compare,
                       char names[2][NAME_SIZE])
{
    const struct study_side *sides = compare->sides;

    if (options->scenarios[1] == NULL) {
        sim_option_join(names[0], NAME_SIZE, sides[0].sets, sides[0].set_count,
                        "as the scenario says");
        char changes[NAME_SIZE - 16];
        sim_option_join(changes, sizeof changes, options->against, options->against_count, "");
        snprintf(names[1], NAME_SIZE, "as A, but %s", changes);
        return;
    }
    for (size_t side = 0; side < 2; side++) {
        char changes[NAME_SIZE];
        sim_option_join(changes, sizeof changes, sides[side].sets, sides[side].set_count, "");
        snprintf(names[side], NAME_SIZE, "%.900s%s%.900s", sides[side].scenario,
                 changes[0] == '\0' ? "" : " with ", changes);
    }
}

static bool write_tables(const char *folder, const struct study_comparison *comparison,
                         const json_t *json)
{
    const struct study_compare *compare = comparison->compare;

    return sim_output_write_json(folder, "a.json", study_compare_pair(compare, 0, 0)->result) &&
           sim_output_write_json(folder, "b.json", study_compare_pair(compare, 1, 0)->result) &&
           sim_output_write_json(folder, "compare.json", json) &&
           sim_output_write(folder, "compare.csv", study_compare_print_csv, comparison);
}

static int report(const struct options *options, const struct study_compare *compare,
                  const struct study_divergence *divergence)
{
    const struct sim_shared_options *shared = &options->shared;
    char names[2][NAME_SIZE];
    const struct study_comparison comparison = {
        .compare = compare,
        .divergence = divergence,
        .names = {names[0], names[1]},
        .title = divergence->scenarios[0]->name,
        .folder = shared->folder,
    };
    int status = study_given_compare(&divergence->given[0], &divergence->given[1]) == STUDY_UNPAIRED
                     ? SIM_EXIT_INCONCLUSIVE
                     : SIM_EXIT_PASS;

    name_sides(options, compare, names);
    json_t *json = study_compare_json(&comparison);
    if (shared->folder != NULL) {
        if (write_tables(shared->folder, &comparison, json)) {
            sim_study_draw(shared, "compare", study_compare_print_plot, &comparison);
        } else {
            status = sim_study_cannot_write(shared);
        }
    }
    if (shared->json) {
        sim_output_print_json(json);
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
    enum study_end end = study_compare_run(compare);
    int signal_number = compare->batch.signal_number;
    const char *error = compare->batch.error;

    if (end == STUDY_DONE) {
        end = study_divergence_find(divergence);
        signal_number = divergence->signal_number;
        error = divergence->error;
    }
    switch (end) {
    case STUDY_SIGNALLED:
        return sim_study_broke_off(&options->shared, signal_number);
    case STUDY_FAILED:
        return sim_study_failed(error);
    case STUDY_DONE:
        break;
    }
    return report(options, compare, divergence);
}

/* Both scenarios under A's seed. */
static bool load_both(const struct study_side sides[2], struct sim_scenario scenarios[2],
                      uint64_t *first_seed)
{
    struct sim_error error;
    struct study_run_list list = {0};
    bool good = sim_scenario_load(&scenarios[0], sides[0].scenario, sides[0].sets,
                                  sides[0].set_count, &error);

    if (good) {
        *first_seed = scenarios[0].seed;
        sim_scenario_free(&scenarios[0]);
    }
    for (size_t side = 0; side < 2 && good; side++) {
        const struct study_run run = {.scenario = sides[side].scenario,
                                      .sets = sides[side].sets,
                                      .set_count = sides[side].set_count};
        study_run_list_add(&list, &run, NULL, 0, first_seed);
        good = sim_scenario_load(&scenarios[side], run.scenario, list.runs[side].sets,
                                 list.runs[side].set_count, &error);
    }
    study_run_list_free(&list);
    if (!good) {
        fprintf(stderr, "%s\n", error.text);
    }
    return good;
}

static int compare_sides(const struct options *options, const struct study_side sides[2])
{
    const struct sim_shared_options *shared = &options->shared;
    char runs_folder[SIM_STUDY_PATH_SIZE];
    struct sim_scenario scenarios[2] = {0};
    struct study_compare compare = {
        .sides = {sides[0], sides[1]},
        .seed_count = shared->seed_count,
        .folder = sim_study_runs_folder(shared, runs_folder),
        .job_count = (unsigned)shared->job_count,
        .quiet = shared->quiet,
    };
    struct study_divergence divergence = {
        .scenarios = {&scenarios[0], &scenarios[1]},
        .quiet = shared->quiet,
    };
    int status = SIM_EXIT_USAGE;

    if (load_both(sides, scenarios, &compare.first_seed) &&
        sim_study_check_seeds(shared, compare.first_seed) &&
        sim_shared_options_make_folder(shared)) {
        compare.kernel = sim_study_kernel(shared, scenarios[0].bandwidth_bytes_per_s > 0 ||
                                                      scenarios[1].bandwidth_bytes_per_s > 0);
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
        .shared = {.has = SIM_STUDY_OPTIONS,
                   .seeds_max = STUDY_COMPARE_SEEDS_MAX,
                   .seed_count = 5,
                   .kernel_help = SIM_STUDY_KERNEL_HELP,
                   .out_help = "Write compare.json, compare.csv, a picture, and the first pair's "
                               "results, a.json and b.json," SIM_STUDY_OUT_HELP,
                   .plots = SIM_PLOT_SVG},
        .against = sim_memory_new((size_t)argc, sizeof(char *)),
    };
    const struct sim_shared_options *shared = &options.shared;

    sim_shared_options_parse(&options.shared, &parser, argc, argv, &options);
    const size_t both_count = shared->set_count + options.against_count;
    const char **both = sim_memory_new(both_count + 1, sizeof *both);
    for (size_t i = 0; i < both_count; i++) {
        both[i] = i < shared->set_count ? shared->sets[i] : options.against[i - shared->set_count];
    }
    const struct study_side sides[2] = {
        {options.scenarios[0], shared->sets, shared->set_count},
        {options.scenarios[options.scenarios[1] != NULL], both, both_count},
    };
    const int status = compare_sides(&options, sides);
    free(both);
    free(options.against);
    sim_shared_options_free(&options.shared);
    return status;
}
