/* What a grid varies, and in which order. */
#include "grid.h"
#include "unit.h"

#include <string.h>

static void adds(const char *vary, const char *texts)
{
    struct study_grid grid = {0};
    char error[300] = "";
    char found[400] = "";

    if (!study_grid_add(&grid, vary, error, sizeof error)) {
        fail_msg("%s: %s", vary, error);
    }
    for (size_t i = 0; i < grid.axes[0].value_count; i++) {
        strcat(found, i == 0 ? "" : " ");
        strcat(found, grid.axes[0].values[i].text);
    }
    assert_string_equal(found, texts);
    study_grid_free(&grid);
}

static void refuses(const char *vary, const char *part)
{
    struct study_grid grid = {0};
    char error[300] = "";

    assert_false(study_grid_add(&grid, vary, error, sizeof error));
    if (strstr(error, part) == NULL) {
        fail_msg("%s: \"%s\" is not in \"%s\"", vary, part, error);
    }
    assert_int_equal(grid.axis_count, 0);
    study_grid_free(&grid);
}

static void lists_and_ranges_are_the_values_that_they_say(void **state)
{
    (void)state;
    adds("a.b=1,2,3", "1 2 3");
    adds("a.b=fixed,rate", "fixed rate");
    adds("a.b=10:50:20", "10 30 50");
    adds("a.b=10:55:20", "10 30 50");
    adds("a.b=1:1000*10", "1 10 100 1000");
    adds("a.b=0:1:0.1", "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
    adds("a.b=1,10:20:5", "1 10 15 20");
}

static void commas_within_json_separate_nothing(void **state)
{
    (void)state;
    struct study_grid grid = {0};
    char error[300];

    assert_true(study_grid_add(&grid,
                               "fleet.balance={\"kind\": \"zipf\", \"exponent\": 1},"
                               "{\"kind\": \"uniform\"}",
                               error, sizeof error));
    assert_int_equal(grid.axes[0].value_count, 2);
    study_grid_free(&grid);
}

static void what_cannot_be_a_range_or_comes_twice_is_refused(void **state)
{
    (void)state;
    refuses("a", "=");
    refuses("a=", "empty value");
    refuses("a=1,,2", "empty value");
    refuses("a=1:2", "from:to:step");
    refuses("a=1:2:0", "allowed");
    refuses("a=1:100*1", "allowed");
    refuses("a=5:1:1", "allowed");
    refuses("a=1,1", "twice");
    refuses("a=0:1000:1", "up to 1000");
}

static void the_last_axis_changes_first(void **state)
{
    (void)state;
    struct study_grid grid = {0};
    char error[300];

    assert_true(study_grid_add(&grid, "limiter.sizer=fixed,rate", error, sizeof error));
    assert_true(study_grid_add(&grid, "fleet.processes=1,2,3", error, sizeof error));
    assert_int_equal(study_grid_cell_count(&grid), 6);
    assert_string_equal(study_grid_value(&grid, 1, 0)->text, "fixed");
    assert_string_equal(study_grid_value(&grid, 1, 1)->text, "2");
    assert_string_equal(study_grid_value(&grid, 3, 0)->set, "limiter.sizer=rate");
    assert_int_equal(study_grid_index(&grid, 5, 1), 2);
    assert_string_equal(grid.axes[0].name, "sizer");
    assert_false(study_grid_add(&grid, "fleet.processes=4", error, sizeof error));
    assert_int_equal(grid.axis_count, 2);
    study_grid_free(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_ranges_are_the_values_that_they_say),
        cmocka_unit_test(commas_within_json_separate_nothing),
        cmocka_unit_test(what_cannot_be_a_range_or_comes_twice_is_refused),
        cmocka_unit_test(the_last_axis_changes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
