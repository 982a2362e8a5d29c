/* A file is replaced as a whole or not at all. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "draft.h"

#define FOLDER "test_draft.tmp"
#define FILE_NAME FOLDER "/file"

static void write_before(void)
{
    FILE *file = fopen(FILE_NAME, "w");

    assert_non_null(file);
    fputs("before", file);
    assert_int_equal(fclose(file), 0);
}

static void holds(const char *text)
{
    char found[100] = "";
    FILE *file = fopen(FILE_NAME, "r");

    assert_non_null(file);
    (void)fread(found, 1, sizeof found - 1, file);
    fclose(file);
    assert_string_equal(found, text);
}

/* Nothing else is in the folder. */
static void nothing_is_left(void)
{
    assert_int_equal(unlink(FILE_NAME), 0);
    assert_int_equal(rmdir(FOLDER), 0);
    assert_int_equal(mkdir(FOLDER, 0777), 0);
}

static void a_draft_replaces_when_it_is_done(void **state)
{
    (void)state;
    struct sim_draft draft;

    write_before();
    assert_true(sim_draft_open(&draft, FILE_NAME));
    fputs("after", draft.file);
    fflush(draft.file);
    holds("before");
    assert_true(sim_draft_done(&draft, true));
    holds("after");
    nothing_is_left();
}

static void a_draft_of_no_use_leaves_what_was_there(void **state)
{
    (void)state;
    struct sim_draft draft;

    write_before();
    assert_true(sim_draft_open(&draft, FILE_NAME));
    fputs("after", draft.file);
    errno = EACCES; /* whatever went wrong for who wrote it */
    assert_false(sim_draft_done(&draft, false));
    assert_int_equal(errno, EACCES);
    holds("before");
    nothing_is_left();
}

/* The first write fails, and a later one would not. */
static void a_full_disk_leaves_what_was_there(void **state)
{
    (void)state;
    struct sim_draft draft;
    struct rlimit limit;

    write_before();
    assert_true(sim_draft_open(&draft, FILE_NAME));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit full = {.rlim_cur = 100, .rlim_max = limit.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    for (unsigned i = 0; i < 100000; i++) {
        fputc('x', draft.file);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_false(sim_draft_done(&draft, true));
    assert_int_not_equal(errno, 0);
    holds("before");
    nothing_is_left();
}

static void where_no_file_can_be_there_is_no_draft(void **state)
{
    (void)state;
    struct sim_draft draft;

    assert_false(sim_draft_open(&draft, FOLDER "/nowhere/file"));
    assert_int_equal(errno, ENOENT);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdir(FOLDER, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(FOLDER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draft_replaces_when_it_is_done),
        cmocka_unit_test(a_draft_of_no_use_leaves_what_was_there),
        cmocka_unit_test(a_full_disk_leaves_what_was_there),
        cmocka_unit_test(where_no_file_can_be_there_is_no_draft),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
