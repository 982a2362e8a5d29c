/* What gnuplot is told of points with names. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "plane_plot.h"

static char script[4000];

static void print(const struct study_plane *plane)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    study_plane_print(file, plane);
    rewind(file);
    script[fread(script, 1, sizeof script - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void has(const char *text)
{
    if (strstr(script, text) == NULL) {
        fail_msg("found no \"%s\" in %s", text, script);
    }
}

/* Upwards 0.1 of 2 + 0.3 decades is 10^0.23 = 1.698 of room. */
static void axes_hold_points_and_bounds(void **state)
{
    (void)state;
    static const struct study_plane_point points[] = {
        {.x = 10, .y = 1, .name = "low", .is_good = true},
        {.x = 10, .y = 10, .name = "high", .lease_units = 20},
    };
    const struct study_plane plane = {.points = points, .point_count = 2, .line_y = 100};

    print(&plane);
    has("left = 9.332543008e+00\nright = 1.071519305e+01\n");
    has("bottom = 5.888436554e-01\ntop = 1.698243652e+02\n");
    has("line_x = 0.000000000e+00\nline_y = 1.000000000e+02\n");
    has("10\t1\tlow\tright\t1\t0\n10\t10\thigh\tright\t0\t20\n");
}

static void a_name_stays_in_its_column(void **state)
{
    (void)state;
    static const struct study_plane_point point = {.x = 1, .y = 1, .name = "a\tb\n\"c\""};
    const struct study_plane plane = {.points = &point, .point_count = 1};

    print(&plane);
    has("1\t1\ta b 'c'\tright\t0\t0\nEOD\n");
}

static void names_give_way_to_each_other(void **state)
{
    (void)state;
    static const struct study_plane_point points[] = {
        {.x = 1, .y = 1, .name = "first"},
        {.x = 1, .y = 1.01, .name = "second"},
        {.x = 1000, .y = 1000, .name = "a name that is longer than what there is on the right"},
    };
    const struct study_plane plane = {.points = points, .point_count = 3};

    print(&plane);
    has("first\tright");
    has("second\tabove");
    has("on the right\tleft");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_hold_points_and_bounds),
        cmocka_unit_test(a_name_stays_in_its_column),
        cmocka_unit_test(names_give_way_to_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
