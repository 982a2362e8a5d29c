/* Tasks in children: everything they write comes back, and one that dies ends it all. */
#include "unit.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pool.h"

#define TASK_COUNT 5

struct tally {
    size_t done[TASK_COUNT]; /* bytes each task wrote */
    size_t done_count;
    bool in_order; /* they ended in the given order */
};

static void write_much(void *context, size_t task, FILE *result)
{
    (void)context;
    for (size_t i = 0; i < task * 100000;
         i++) { /* task 0 writes nothing; others more than a pipe */
        (void)fputc('a' + (int)task, result);
    }
}

static const char *count(void *context, size_t task, const char *result, size_t size)
{
    struct tally *tally = context;

    tally->in_order = tally->in_order && task == TASK_COUNT - 1 - tally->done_count;
    tally->done[task] = size;
    tally->done_count++;
    for (size_t i = 0; i < size; i++) {
        if (result[i] != 'a' + (char)task) {
            return "mixed up";
        }
    }
    return NULL;
}

static const char *refuse(void *context, size_t task, const char *result, size_t size)
{
    (void)context;
    (void)result;
    (void)size;
    return task == 3 ? "not that one" : NULL;
}

static void die(void *context, size_t task, FILE *result)
{
    (void)context;
    (void)fputs("half", result);
    if (task == 2) {
        (void)raise(SIGKILL);
    }
}

static void wait_long(void *context, size_t task, FILE *result)
{
    (void)context;
    (void)task;
    (void)result;
    (void)sleep(60);
}

static void ignore_tick(void *context)
{
    (void)context;
}

static void interrupt(void *context)
{
    (void)context;
    (void)raise(SIGINT);
}

static const size_t backwards[TASK_COUNT] = {4, 3, 2, 1, 0};

static struct study_pool pool_of(struct tally *tally, unsigned jobs)
{
    *tally = (struct tally){.in_order = true};
    return (struct study_pool){
        .order = backwards,
        .task_count = TASK_COUNT,
        .job_count = jobs,
        .context = tally,
        .work = write_much,
        .done = count,
        .tick = ignore_tick,
    };
}

static void all_that_is_written_comes_back(void **state)
{
    (void)state;
    struct tally tally;

    for (unsigned jobs = 1; jobs <= 7; jobs += 2) {
        struct study_pool pool = pool_of(&tally, jobs);
        assert_int_equal(study_pool_run(&pool), STUDY_DONE);
        assert_int_equal(tally.done_count, TASK_COUNT);
        assert_true(jobs > 1 || tally.in_order);
        for (size_t task = 0; task < TASK_COUNT; task++) {
            assert_int_equal(tally.done[task], task * 100000);
        }
    }
}

static void a_refused_result_ends_it_all(void **state)
{
    (void)state;
    struct tally tally;
    struct study_pool pool = pool_of(&tally, 1);

    pool.done = refuse;
    assert_int_equal(study_pool_run(&pool), STUDY_FAILED);
    assert_int_equal(pool.failed_task, 3);
    assert_string_equal(pool.error, "not that one");
}

static void a_child_that_dies_is_named(void **state)
{
    (void)state;
    struct tally tally;
    struct study_pool pool = pool_of(&tally, 1);

    pool.work = die;
    pool.done = refuse; /* task 3 comes first */
    pool.order = (const size_t[TASK_COUNT]){0, 2, 1, 3, 4};
    assert_int_equal(study_pool_run(&pool), STUDY_FAILED);
    assert_int_equal(pool.failed_task, 2);
    assert_non_null(strstr(pool.error, "signal 9"));
}

static void a_signal_ends_it_all(void **state)
{
    (void)state;
    struct tally tally;
    struct study_pool pool = pool_of(&tally, 2);

    pool.work = wait_long;
    pool.tick = interrupt;
    assert_int_equal(study_pool_run(&pool), STUDY_SIGNALLED);
    assert_int_equal(pool.signal_number, SIGINT);
}

static void there_is_at_least_one_core(void **state)
{
    (void)state;
    assert_in_range(study_pool_core_count(), 1, STUDY_POOL_JOBS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_written_comes_back),
        cmocka_unit_test(a_refused_result_ends_it_all),
        cmocka_unit_test(a_child_that_dies_is_named),
        cmocka_unit_test(a_signal_ends_it_all),
        cmocka_unit_test(there_is_at_least_one_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
