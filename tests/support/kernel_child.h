/* A run on the SimGrid kernel, which starts only once per process: in a child that sends its result
 * back. */
#ifndef WEIR_KERNEL_CHILD_H
#define WEIR_KERNEL_CHILD_H

#include "world_run.h"

#include <stdlib.h>
#include <sys/wait.h>

#define KERNEL_CHILD_TIMEOUT_S 200 /* of real time: a hang is a failure */

/* The result as JSON without the kernel's name. The caller frees it. */
static inline char *kernel_child_text(const struct world_run *run)
{
    json_object_del(run->result.json, "kernel");
    char *text = json_dumps(run->result.json, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

    assert_non_null(text);
    return text;
}

static inline void kernel_child_play(const char *file_name, const char *text, FILE *file)
{
    struct world_run run;

    alarm(KERNEL_CHILD_TIMEOUT_S);
    world_run_play_patiently(&run, file_name, text, SIM_KERNEL_SIMGRID);
    char *result = kernel_child_text(&run);
    (void)fputs(result, file);
    _exit(fflush(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* The result of a scenario on the SimGrid kernel. The caller frees it. */
static inline char *kernel_child_run(const char *file_name, const char *text)
{
    FILE *file = tmpfile();
    int status = -1;

    assert_non_null(file);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kernel_child_play(file_name, text, file);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);

    const long size = ftell(file);
    char *result = calloc(1, (size_t)size + 1);
    assert_non_null(result);
    rewind(file);
    assert_int_equal(fread(result, 1, (size_t)size, file), size);
    fclose(file);
    return result;
}

#endif
