/* Many runs, a few at a time, each in a process of its own (SimGrid starts only once in one, and
 * both cores have work). What was run before, by this very program on these very files, is not run
 * again: results are kept in a folder, one file per run. */
#ifndef STUDY_BATCH_H
#define STUDY_BATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "pool.h"
#include "scenario.h"

struct study_run {
    const char *scenario;    /* path; borrowed */
    const char *const *sets; /* PATH=VALUE, as of weir run --set; borrowed */
    size_t set_count;
    enum sim_kernel_kind kernel;
    json_t *result; /* filled in, as result.json has it; see sim_result_number */
};

struct study_batch {
    struct study_run *runs; /* borrowed; several may be the same run, which is then made once */
    size_t run_count;       /* 0: nothing to do */
    const char *folder;     /* where results are kept, made if missing; NULL: nowhere */
    unsigned job_count;     /* runs at a time; 0: one per core */
    const char *label;      /* what the progress line calls it ("sweep") */
    bool quiet;             /* no progress line */

    /* in this process, as each run ends, in no certain order; may be NULL */
    void (*done)(void *context, size_t run);
    void *context;

    /* filled in */
    size_t made_count;   /* runs made now */
    size_t reused_count; /* runs found in the folder */
    int signal_number;
    char error[512];   /* one line */
    size_t failed_run; /* the one it is about; run_count: none */
    bool is_refused;   /* its scenario or sets, or the folder, are of no use: nothing was run */
};

/* Every scenario is read, with its sets, before the first run: a mistake costs no time. A run whose
 * verdict is fail, inconclusive or not recovered is a run like any other. After a signal what was
 * finished is kept; an error names the run. Frees no results: call study_batch_free, also after a
 * failure. */
enum study_end study_batch_run(struct study_batch *batch);
void study_batch_free(struct study_batch *batch);

#endif
