/* What weir compare, size and sweep have in common: each makes many runs and draws one picture. */
#ifndef SIM_COMMAND_STUDY_H
#define SIM_COMMAND_STUDY_H

#include "batch.h"
#include "shared_options.h"

/* Of struct sim_shared_options. */
#define SIM_STUDY_OPTIONS                                                                          \
    (SIM_SHARED_SET | SIM_SHARED_SEEDS | SIM_SHARED_KERNEL | SIM_SHARED_JOBS | SIM_SHARED_OUT |    \
     SIM_SHARED_PLOTS | SIM_SHARED_JSON | SIM_SHARED_QUIET)
#define SIM_STUDY_KERNEL_HELP                                                                      \
    "simgrid or heap, as of weir run (default: heap, with the same results and sooner; simgrid "   \
    "where bandwidth is limited)"
/* Behind what else is written. */
#define SIM_STUDY_OUT_HELP                                                                         \
    " into DIR; runs are kept in DIR/runs, and not made again as long as nothing has changed"

#define SIM_STUDY_PATH_SIZE 4400

/* The kernel that was given, or the one that is sooner done. */
enum sim_kernel_kind sim_study_kernel(const struct sim_shared_options *shared,
                                      bool limits_bandwidth);

/* Seeds end at 2^63 - 1. Returns false, after a line that says so, if there are too few from
 * `first` on. */
bool sim_study_check_seeds(const struct sim_shared_options *shared, uint64_t first);

/* Where runs are kept: DIR/runs, in `path`; NULL without --out. */
const char *sim_study_runs_folder(const struct sim_shared_options *shared,
                                  char path[SIM_STUDY_PATH_SIZE]);

/* Say why a study ended before it was done; returns the exit status. */
int sim_study_broke_off(const struct sim_shared_options *shared, int signal_number);
int sim_study_failed(const char *error);
/* The same with errno, of what is written into DIR. */
int sim_study_cannot_write(const struct sim_shared_options *shared);

/* Draw DIR/NAME.KIND, or say why it could not be drawn; without `print`, only remove it. */
void sim_study_draw(const struct sim_shared_options *shared, const char *name,
                    void (*print)(FILE *script, const void *context, const char *kind),
                    const void *context);

#endif
