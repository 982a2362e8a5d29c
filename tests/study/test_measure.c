/* Figures: how they are shown, and which of two is the better one. */
#include "unit.h"

#include <stdbool.h>
#include <string.h>

#include "measure.h"

static const struct study_measure percent = {"p", "p", 3, STUDY_BETTER_LESS};
static const struct study_measure count = {"c", "c", 0, STUDY_BETTER_MORE};
static const struct study_measure neither = {"n", "n", 1, STUDY_BETTER_NEITHER};

/* Exactly: -Wfloat-equal is right elsewhere. */
static bool is_same(double left, double right)
{
    return !(left < right) && !(left > right);
}

static void numbers_are_grouped_and_rounded(void **state)
{
    (void)state;
    static const struct {
        const struct study_measure *measure;
        double value;
        const char *text;
        const char *change;
    } cases[] = {
        {&percent, 0.18, "0.180", "+0.180"},
        {&percent, -0.18, "-0.180", "-0.180"},
        {&percent, 0.0004, "0.000", "0.000"},
        {&percent, -0.0004, "0.000", "0.000"},
        {&percent, 1234.0005, "1,234.001", "+1,234.001"},
        {&percent, 0.9996, "1.000", "+1.000"},
        {&count, 0, "0", "0"},
        {&count, 1234567.4, "1,234,567", "+1,234,567"},
        {&count, -1000, "-1,000", "-1,000"},
        {&neither, 9.96, "10.0", "+10.0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(study_measure_value(cases[i].measure, cases[i].value).text,
                            cases[i].text);
        assert_string_equal(study_measure_change(cases[i].measure, cases[i].value).text,
                            cases[i].change);
    }
}

static void what_is_shown_alike_is_alike(void **state)
{
    (void)state;
    assert_int_equal(study_measure_compare(&percent, 0.1, 0.2), 1);
    assert_int_equal(study_measure_compare(&percent, 0.2, 0.1), -1);
    assert_int_equal(study_measure_compare(&percent, 0.1002, 0.1), 0);
    assert_int_equal(study_measure_compare(&count, 2, 1), 1);
    assert_int_equal(study_measure_compare(&count, 1, 2), -1);
    assert_int_equal(study_measure_compare(&neither, 2, 1), 0);
}

static void the_median_is_in_the_middle(void **state)
{
    (void)state;
    double odd[] = {5, 1, 3};
    double even[] = {4, 1, 2, 9};
    double one[] = {-7};

    assert_true(is_same(study_median(odd, 3), 3.0));
    assert_true(is_same(study_median(even, 4), 3.0));
    assert_true(is_same(study_median(one, 1), -7.0));
    expect_assert_failure((void)study_median(odd, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_grouped_and_rounded),
        cmocka_unit_test(what_is_shown_alike_is_alike),
        cmocka_unit_test(the_median_is_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
