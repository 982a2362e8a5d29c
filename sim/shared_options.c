#include "shared_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "folder.h"
#include "memory.h"
#include "option.h"

/* In the help, below what a command has of its own. */
enum {
    GROUP_RUNS = 5,
    GROUP_RESULTS,
    GROUP_COUNT = 2,
};

#define OPTION_COUNT (sizeof options / sizeof options[0])

/* By bit of enum sim_shared_option. */
static const struct argp_option options[] = {
    {"set", 'S', "PATH=VALUE", 0,
     "Change what the scenario says, such as plans.gold.rate_per_min=5000 or "
     "traffic[0].demand_ratio=2; may be repeated",
     GROUP_RUNS},
    {"seeds", 'n', "N", 0, "", GROUP_RUNS},
    {"kernel", 'k', "KERNEL", 0, "", GROUP_RUNS},
    {"jobs", 'J', "N", 0, "Runs at a time, 1 to 256 (default: one for each core)", GROUP_RUNS},
    {"out", 'o', "DIR", 0, "", GROUP_RESULTS},
    {"plots", 'p', "KIND", 0, "Pictures in DIR: svg (default), png or none; needs --out",
     GROUP_RESULTS},
    {"json", 'j', 0, 0, "Print JSON instead of text", GROUP_RESULTS},
    {"quiet", 'q', 0, 0, "Show no progress", GROUP_RESULTS},
};

static void parse_count(const char *name, const char *argument, uint64_t most, uint64_t *count,
                        struct argp_state *state)
{
    if (!sim_option_number(argument, 1, most, count)) {
        argp_error(state, "--%s: found \"%s\"; allowed: a whole number from 1 to %" PRIu64, name,
                   argument, most);
    }
}

static void take(struct sim_shared_options *shared, enum sim_shared_option option, char *argument,
                 struct argp_state *state)
{
    shared->given |= option;
    switch (option) {
    case SIM_SHARED_SET:
        shared->sets[shared->set_count++] = argument;
        break;
    case SIM_SHARED_SEEDS:
        parse_count("seeds", argument, shared->seeds_max, &shared->seed_count, state);
        break;
    case SIM_SHARED_KERNEL:
        if (!sim_option_kernel(argument, &shared->kernel)) {
            argp_error(state, "--kernel: found \"%s\"; allowed: " SIM_OPTION_KERNELS, argument);
        }
        break;
    case SIM_SHARED_JOBS:
        parse_count("jobs", argument, SIM_SHARED_JOBS_MAX, &shared->job_count, state);
        break;
    case SIM_SHARED_OUT:
        shared->folder = argument;
        break;
    case SIM_SHARED_PLOTS:
        if (!sim_option_plots(argument, &shared->plots)) {
            argp_error(state, "--plots: found \"%s\"; allowed: " SIM_OPTION_PLOTS, argument);
        }
        break;
    case SIM_SHARED_JSON:
        shared->json = true;
        break;
    case SIM_SHARED_QUIET:
        shared->quiet = true;
        break;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct sim_shared_options *shared = state->input;

    if (key == ARGP_KEY_END) {
        if ((shared->given & SIM_SHARED_PLOTS) != 0 && shared->folder == NULL) {
            argp_error(state, "--plots needs --out DIR: it says which pictures go there");
        }
        return 0;
    }
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (key == options[i].key && (shared->has & 1u << i) != 0) {
            take(shared, (enum sim_shared_option)(1u << i), argument, state);
            return 0;
        }
    }
    return ARGP_ERR_UNKNOWN;
}

/* The command's own words for an option, or NULL. */
static const char *own_help(const struct sim_shared_options *shared, enum sim_shared_option option,
                            const char *seeds_help)
{
    switch (option) {
    case SIM_SHARED_SEEDS:
        return seeds_help;
    case SIM_SHARED_KERNEL:
        return shared->kernel_help;
    case SIM_SHARED_OUT:
        return shared->out_help;
    case SIM_SHARED_QUIET:
        return shared->quiet_help;
    case SIM_SHARED_SET:
    case SIM_SHARED_JOBS:
    case SIM_SHARED_PLOTS:
    case SIM_SHARED_JSON:
        break;
    }
    return NULL;
}

/* Those the command has, each with its words, below the heading of its group. Requires room for all
 * options, all headings and the end. */
static void fill_table(const struct sim_shared_options *shared, const char *seeds_help,
                       struct argp_option *table)
{
    int group = 0;

    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const char *help = own_help(shared, (enum sim_shared_option)(1u << i), seeds_help);
        if ((shared->has & 1u << i) == 0) {
            continue;
        }
        if (options[i].group != group) {
            group = options[i].group;
            *table++ = (struct argp_option){
                .doc = group == GROUP_RUNS ? "What is run:" : "What becomes of it:",
                .group = group,
            };
        }
        *table = options[i];
        table->doc = help == NULL ? options[i].doc : help;
        table++;
    }
}

void sim_shared_options_parse(struct sim_shared_options *shared, const struct argp *command,
                              int argc, char **argv, void *input)
{
    static char name[40]; /* argp keeps it */
    struct argp_option table[OPTION_COUNT + GROUP_COUNT + 1] = {0};
    const struct argp shared_parser = {.options = table, .parser = parse_option};
    const struct argp_child children[] = {{&shared_parser, 0, NULL, 0}, {0}};
    struct argp whole = *command;
    char seeds_help[120];

    snprintf(seeds_help, sizeof seeds_help,
             "Run the scenario's seed and those after it, N in all: 1 to %" PRIu64
             " (default %" PRIu64 ")",
             shared->seeds_max, shared->seed_count);
    fill_table(shared, seeds_help, table);
    snprintf(name, sizeof name, "weir %s", argv[0]);
    argv[0] = name;
    shared->sets = sim_memory_new((size_t)argc, sizeof *shared->sets);
    whole.children = children;
    argp_err_exit_status = SIM_EXIT_USAGE;
    (void)argp_parse(&whole, argc, argv, 0, NULL, input);
}

void sim_shared_options_free(struct sim_shared_options *shared)
{
    free(shared->sets);
    shared->sets = NULL;
}

const char *sim_shared_options_given(const struct sim_shared_options *shared, unsigned wanted)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if ((shared->given & wanted & 1u << i) != 0) {
            return options[i].name;
        }
    }
    return NULL;
}

bool sim_shared_options_make_folder(const struct sim_shared_options *shared)
{
    if (shared->folder == NULL || sim_folder_make(shared->folder)) {
        return true;
    }
    fprintf(stderr, "weir: --out %s: cannot be made a folder: %s\n", shared->folder,
            strerror(errno));
    return false;
}
