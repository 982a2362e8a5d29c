/* Tasks in forked children, a few at a time; each child hands back what it wrote over a pipe.
 *
 * A child that dies, or a signal to stop (SIGINT, SIGTERM), ends them all. */
#ifndef STUDY_POOL_H
#define STUDY_POOL_H

#include <stddef.h>
#include <stdio.h>

#define STUDY_POOL_JOBS_MAX 256

/* How what is made of many tasks ends. */
enum study_end {
    STUDY_DONE = 0,
    STUDY_SIGNALLED, /* by SIGINT or SIGTERM */
    STUDY_FAILED,    /* `error` says why */
};

struct study_pool {
    const size_t *order; /* the tasks, in the order in which to start them */
    size_t task_count;
    unsigned job_count; /* at most STUDY_POOL_JOBS_MAX */
    void *context;
    /* in a child: do the task, write its result */
    void (*work)(void *context, size_t task, FILE *result);
    /* in the parent: what the child wrote; returns NULL, or why to end it all (borrowed) */
    const char *(*done)(void *context, size_t task, const char *result, size_t size);
    /* in the parent: several times a second; may be NULL */
    void (*tick)(void *context);

    /* results */
    int signal_number;  /* STUDY_SIGNALLED */
    size_t failed_task; /* STUDY_FAILED */
    char error[512];
};

/* Tasks worth running at a time on this machine: 1 to STUDY_POOL_JOBS_MAX. */
unsigned study_pool_core_count(void);

enum study_end study_pool_run(struct study_pool *pool);

#endif
