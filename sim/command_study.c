#include "command_study.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exit_status.h"
#include "pool.h"

_Static_assert(SIM_SHARED_JOBS_MAX <= STUDY_POOL_JOBS_MAX, "a pool takes what --jobs allows");

enum sim_kernel_kind sim_study_kernel(const struct sim_shared_options *shared,
                                      bool limits_bandwidth)
{
    if ((shared->given & SIM_SHARED_KERNEL) != 0) {
        return shared->kernel;
    }
    return limits_bandwidth ? SIM_KERNEL_SIMGRID : SIM_KERNEL_HEAP;
}

bool sim_study_check_seeds(const struct sim_shared_options *shared, uint64_t first)
{
    if (shared->seed_count - 1 <= INT64_MAX - first) {
        return true;
    }
    fprintf(stderr,
            "weir: --seeds: found %" PRIu64 " from %" PRIu64 " on; allowed: seeds up to 2^63 - 1\n",
            shared->seed_count, first);
    return false;
}

const char *sim_study_runs_folder(const struct sim_shared_options *shared,
                                  char path[SIM_STUDY_PATH_SIZE])
{
    if (shared->folder == NULL) {
        return NULL;
    }
    snprintf(path, SIM_STUDY_PATH_SIZE, "%s/runs", shared->folder);
    return path;
}

int sim_study_broke_off(const struct sim_shared_options *shared, int signal_number)
{
    fprintf(stderr, "weir: stopped%s\n",
            shared->folder == NULL
                ? ""
                : "; what was finished is kept, the same command goes on from there");
    return SIM_EXIT_SIGNAL + signal_number;
}

int sim_study_failed(const char *error)
{
    fprintf(stderr, "weir: %s\n", error);
    return SIM_EXIT_INTERNAL;
}

int sim_study_cannot_write(const struct sim_shared_options *shared)
{
    fprintf(stderr, "weir: %s: cannot write: %s\n", shared->folder, strerror(errno));
    return SIM_EXIT_INTERNAL;
}

void sim_study_draw(const struct sim_shared_options *shared, const char *name,
                    void (*print)(FILE *script, const void *context, const char *kind),
                    const void *context)
{
    char reason[400];

    if (!sim_picture_draw(shared->folder, name, print == NULL ? SIM_PLOT_NONE : shared->plots,
                          print, context, reason, sizeof reason)) {
        fprintf(stderr, "weir: the picture was not drawn: %s\n", reason);
    }
}
