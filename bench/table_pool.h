/* Tasks in forked children, a few at a time; each child hands back a block of bytes over a pipe.
 *
 * A child that dies, or a signal to stop (SIGINT, SIGTERM), ends them all. */
#ifndef TABLE_POOL_H
#define TABLE_POOL_H

#include <stddef.h>

#define TABLE_POOL_JOBS_MAX 256

enum table_pool_end {
    TABLE_POOL_DONE = 0,
    TABLE_POOL_SIGNALLED,
    TABLE_POOL_FAILED,
};

struct table_pool {
    const size_t *order; /* the tasks, in the order in which to start them */
    size_t task_count;
    size_t result_size; /* bytes */
    unsigned job_count; /* at most TABLE_POOL_JOBS_MAX */
    void *context;
    /* in a child: do the task, fill result_size bytes */
    void (*work)(void *context, size_t task, void *result);
    /* in the parent: what the child filled in; returns NULL, or why to end it all */
    const char *(*done)(void *context, size_t task, const void *result);
    /* in the parent: several times a second */
    void (*tick)(void *context);

    /* results */
    int signal_number;  /* TABLE_POOL_SIGNALLED */
    size_t failed_task; /* TABLE_POOL_FAILED */
    char error[512];
};

enum table_pool_end table_pool_run(struct table_pool *pool);

#endif
