/* What a stream can show: here, files, which are no terminals. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "terminal.h"

static FILE *file;

static int open_file(void **state)
{
    (void)state;
    file = tmpfile();
    return file == NULL ? -1 : 0;
}

static int close_file(void **state)
{
    (void)state;
    return fclose(file);
}

static void a_file_is_eighty_columns_wide_unless_columns_says_otherwise(void **state)
{
    (void)state;
    static const struct {
        const char *columns;
        size_t width;
    } cases[] = {
        {"60", 60}, {"40", 40}, {"7", 40}, {"0", 80}, {"", 80}, {"wide", 80}, {"99999", 80},
    };

    assert_int_equal(unsetenv("COLUMNS"), 0);
    assert_int_equal(sim_terminal_width(file), 80);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(setenv("COLUMNS", cases[i].columns, 1), 0);
        assert_int_equal(sim_terminal_width(file), cases[i].width);
    }
    assert_int_equal(unsetenv("COLUMNS"), 0);
}

static void a_file_has_no_colour_and_no_cursor(void **state)
{
    (void)state;
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    assert_int_equal(unsetenv("NO_COLOR"), 0);
    assert_false(sim_terminal_is_live(file));
    assert_false(sim_terminal_has_colour(file));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_eighty_columns_wide_unless_columns_says_otherwise),
        cmocka_unit_test(a_file_has_no_colour_and_no_cursor),
    };

    return cmocka_run_group_tests(tests, open_file, close_file);
}
