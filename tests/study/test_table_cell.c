/* Numbers out of tables in Markdown. */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "table_cell.h"
#include "world_run.h"

#define TEXT                                                                                       \
    "# Table\n\n| row | count |\n|---|---:|\n| every | 2,496 |\n\n"                                \
    "## large: limits\n\nwords\n\n| figure | target | worst |\n|---|---:|---:|\n"                  \
    "| over | <= 0.1 % | **-0.310 %** |\n| none | <= 1 | never |\n\n## empty: nothing\n\nwords\n"

static char file[64];

static void look(const char *heading, const char *row, const char *column, double number)
{
    char error[300] = "";
    double found = 0;

    if (!study_table_cell(file, heading, row, column, &found, error, sizeof error)) {
        fail_msg("%s", error);
    }
    assert_true(found - number < 1e-12 && number - found < 1e-12);
}

static void miss(const char *heading, const char *row, const char *column, const char *what)
{
    char error[300] = "";
    double found = 0;

    assert_false(study_table_cell(file, heading, row, column, &found, error, sizeof error));
    if (strstr(error, what) == NULL) {
        fail_msg("found %s instead of %s", error, what);
    }
}

static void cells_are_found(void **state)
{
    (void)state;

    look("Table", "every", "count", 2496);
    look("large:", "over", "worst", -0.31);
    look("large:", "over", "target", 0.1);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;

    miss("small:", "over", "worst", "no heading: looked under \"small:\"");
    miss("large:", "under", "worst", "no row: ");
    miss("large:", "over", "best", "no column: ");
    miss("large:", "none", "worst", "no number: ");
    miss("empty:", "over", "worst", "no column: ");
    assert_int_equal(unlink(file), 0);
    miss("large:", "over", "worst", file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_found),
        cmocka_unit_test(what_is_missing_is_named),
    };

    snprintf(file, sizeof file, "table_cell_%ld.md", (long)getpid());
    world_run_write(file, TEXT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
