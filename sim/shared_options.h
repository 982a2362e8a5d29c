/* The options that several commands have: one wording, one reading, one way to refuse.
 *
 * A command says which of them it has and has them parsed beside its own. Its own parser hands them
 * on: `case ARGP_KEY_INIT: state->child_inputs[0] = &options->shared;` */
#ifndef SIM_SHARED_OPTIONS_H
#define SIM_SHARED_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "picture.h"

#define SIM_SHARED_JOBS_MAX 256

enum sim_shared_option {
    SIM_SHARED_SET = 1u << 0,
    SIM_SHARED_SEEDS = 1u << 1,
    SIM_SHARED_KERNEL = 1u << 2,
    SIM_SHARED_JOBS = 1u << 3,
    SIM_SHARED_OUT = 1u << 4,
    SIM_SHARED_PLOTS = 1u << 5,
    SIM_SHARED_JSON = 1u << 6,
    SIM_SHARED_QUIET = 1u << 7,
};

struct sim_shared_options {
    /* of the command */
    unsigned has;            /* which of them */
    uint64_t seeds_max;      /* SEEDS */
    const char *kernel_help; /* KERNEL: which is the default */
    const char *out_help;    /* OUT: what becomes of DIR */
    const char *quiet_help;  /* NULL: what is shown but no progress */

    /* of the user; set before, they are defaults */
    unsigned given;    /* which of them */
    const char **sets; /* owned; borrowed texts */
    size_t set_count;
    uint64_t seed_count;
    enum sim_kernel_kind kernel;
    uint64_t job_count; /* 0: one per core */
    const char *folder; /* NULL: no files */
    enum sim_plot_kind plots;
    bool json;
    bool quiet;
};

/* Parse the line of `weir argv[0]`; a mistake, or --help, ends the program. `input` is that of the
 * command's own parser. Call sim_shared_options_free. */
void sim_shared_options_parse(struct sim_shared_options *shared, const struct argp *command,
                              int argc, char **argv, void *input);
void sim_shared_options_free(struct sim_shared_options *shared);

/* "set": the name of the first of these that was given, or NULL. */
const char *sim_shared_options_given(const struct sim_shared_options *shared, unsigned options);

/* Make the folder of --out, if there is one. Returns false, after a line that says why, if that
 * cannot be. */
bool sim_shared_options_make_folder(const struct sim_shared_options *shared);

#endif
