/* gnuplot as a program: done, failed with what it said, or missing. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gnuplot.h"

#define OUTPUT "test_gnuplot.tmp.txt"

static char message[200];

static enum sim_gnuplot_outcome run(const char *folder, const char *text)
{
    FILE *script = tmpfile();

    assert_non_null(script);
    assert_true(fputs(text, script) >= 0);
    const enum sim_gnuplot_outcome outcome =
        sim_gnuplot_run(folder, script, message, sizeof message);
    assert_int_equal(fclose(script), 0);
    return outcome;
}

static void skip_without_gnuplot(void)
{
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        skip();
    }
}

static void a_script_runs_in_the_folder(void **state)
{
    (void)state;
    skip_without_gnuplot();
    assert_int_equal(run(".", "set print '" OUTPUT "'\nprint 1\n"), SIM_GNUPLOT_DONE);
    assert_int_equal(unlink(OUTPUT), 0);
}

static void a_script_that_is_wrong_fails_with_what_gnuplot_said(void **state)
{
    (void)state;
    skip_without_gnuplot();
    assert_int_equal(run(".", "plot nothing_there(\n"), SIM_GNUPLOT_FAILED);
    assert_non_null(strstr(message, "line 0: invalid expression"));
    assert_null(strchr(message, '\n'));
}

static void a_folder_that_is_not_there_fails(void **state)
{
    (void)state;
    assert_int_equal(run("none/such", "print 1\n"), SIM_GNUPLOT_FAILED);
}

static void no_gnuplot_is_told_apart(void **state)
{
    (void)state;
    const char *path = getenv("PATH");
    char kept[4096];

    snprintf(kept, sizeof kept, "%s", path == NULL ? "" : path);
    assert_int_equal(setenv("PATH", "/none", 1), 0);
    const enum sim_gnuplot_outcome outcome = run(".", "print 1\n");
    assert_int_equal(setenv("PATH", kept, 1), 0);

    assert_int_equal(outcome, SIM_GNUPLOT_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_runs_in_the_folder),
        cmocka_unit_test(a_script_that_is_wrong_fails_with_what_gnuplot_said),
        cmocka_unit_test(a_folder_that_is_not_there_fails),
        cmocka_unit_test(no_gnuplot_is_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
