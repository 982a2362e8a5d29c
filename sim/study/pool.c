#include "pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "weir/assert.h"

#define TICK_MS 200
#define RESULT_SIZE_FIRST 65536

struct job {
    pid_t child; /* 0: free */
    int pipe;
    size_t task;
    char *result;
    size_t received; /* bytes */
    size_t room;
};

struct run {
    struct study_pool *pool;
    struct job *jobs;
    size_t started_count;
    size_t finished_count;
};

static volatile sig_atomic_t caught_signal; /* a signal handler has no context */

static void on_signal(int number)
{
    caught_signal = number;
}

static _Noreturn void be_child(const struct run *run, const struct job *job, int file)
{
    FILE *result = fdopen(file, "w");

    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    if (result == NULL) {
        _exit(EXIT_FAILURE);
    }
    run->pool->work(run->pool->context, job->task, result);
    _exit(fclose(result) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool start(struct run *run, struct job *job)
{
    struct study_pool *pool = run->pool;
    int ends[2];

    job->task = pool->order[run->started_count];
    job->received = 0;
    if (pipe(ends) != 0) {
        snprintf(pool->error, sizeof pool->error, "no pipe: %s", strerror(errno));
        pool->failed_task = job->task;
        return false;
    }
    fflush(NULL); /* what is buffered is not the child's to write */
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(run, job, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        snprintf(pool->error, sizeof pool->error, "cannot start a process: %s", strerror(errno));
        pool->failed_task = job->task;
        return false;
    }
    job->child = child;
    job->pipe = ends[0];
    run->started_count++;
    return true;
}

/* The child closed its pipe. Returns true if it delivered and ended well. */
static bool finish(struct run *run, struct job *job)
{
    struct study_pool *pool = run->pool;
    int status = 0;

    close(job->pipe);
    while (waitpid(job->child, &status, 0) < 0 && errno == EINTR) {
    }
    job->child = 0;
    pool->failed_task = job->task;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) {
        const char *reason = pool->done(pool->context, job->task, job->result, job->received);
        run->finished_count++;
        snprintf(pool->error, sizeof pool->error, "%s", reason == NULL ? "" : reason);
        return reason == NULL;
    }
    if (WIFSIGNALED(status)) {
        snprintf(pool->error, sizeof pool->error, "its process was killed by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(pool->error, sizeof pool->error, "its process ended early, with status %d",
                 WEXITSTATUS(status));
    }
    return false;
}

/* Read what a job has sent. Returns false if its child died. */
static bool receive(struct run *run, struct job *job)
{
    if (job->received == job->room) {
        const size_t room = job->room == 0 ? RESULT_SIZE_FIRST : 2 * job->room;
        char *result = sim_memory_new(room, 1);
        if (job->received > 0) {
            memcpy(result, job->result, job->received);
        }
        free(job->result);
        job->result = result;
        job->room = room;
    }
    const ssize_t got = read(job->pipe, job->result + job->received, job->room - job->received);

    if (got < 0) {
        return errno == EINTR || finish(run, job);
    }
    if (got == 0) {
        return finish(run, job);
    }
    job->received += (size_t)got;
    return true;
}

/* Wait for at most one tick. Returns false if a child died. */
static bool wait_for_jobs(struct run *run)
{
    struct pollfd files[STUDY_POOL_JOBS_MAX];
    const unsigned count = run->pool->job_count;

    for (unsigned i = 0; i < count; i++) {
        const bool is_busy = run->jobs[i].child != 0;
        files[i] = (struct pollfd){.fd = is_busy ? run->jobs[i].pipe : -1, .events = POLLIN};
    }
    if (poll(files, count, TICK_MS) <= 0) {
        return true; /* a signal, or nothing yet */
    }
    for (unsigned i = 0; i < count; i++) {
        if (files[i].revents != 0 && !receive(run, &run->jobs[i])) {
            return false;
        }
    }
    return true;
}

static enum study_end run_tasks(struct run *run)
{
    struct study_pool *pool = run->pool;

    while (run->finished_count < pool->task_count) {
        for (unsigned i = 0; i < pool->job_count && run->started_count < pool->task_count; i++) {
            if (run->jobs[i].child == 0 && !start(run, &run->jobs[i])) {
                return STUDY_FAILED;
            }
        }
        const bool is_good = wait_for_jobs(run);
        if (caught_signal != 0) { /* the terminal sends it to the children, too */
            pool->signal_number = caught_signal;
            return STUDY_SIGNALLED;
        }
        if (!is_good) {
            return STUDY_FAILED;
        }
        if (pool->tick != NULL) {
            pool->tick(pool->context);
        }
    }
    return STUDY_DONE;
}

static void kill_jobs(struct run *run)
{
    for (unsigned i = 0; i < run->pool->job_count; i++) {
        struct job *job = &run->jobs[i];
        if (job->child != 0) {
            (void)kill(job->child, SIGKILL);
            close(job->pipe);
            while (waitpid(job->child, NULL, 0) < 0 && errno == EINTR) {
            }
        }
        free(job->result);
    }
}

unsigned study_pool_core_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 1 ? 1 : count > STUDY_POOL_JOBS_MAX ? STUDY_POOL_JOBS_MAX : (unsigned)count;
}

enum study_end study_pool_run(struct study_pool *pool)
{
    WEIR_ASSERT(pool->job_count > 0);
    WEIR_ASSERT(pool->job_count <= STUDY_POOL_JOBS_MAX);
    struct run run = {.pool = pool, .jobs = sim_memory_new(pool->job_count, sizeof(struct job))};
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction interrupt_before;
    struct sigaction terminate_before;

    caught_signal = 0;
    (void)sigaction(SIGINT, &action, &interrupt_before);
    (void)sigaction(SIGTERM, &action, &terminate_before);
    const enum study_end end = run_tasks(&run);
    kill_jobs(&run);
    (void)sigaction(SIGINT, &interrupt_before, NULL);
    (void)sigaction(SIGTERM, &terminate_before, NULL);
    free(run.jobs);
    return end;
}
