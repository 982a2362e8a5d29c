/* Numbers with their units. */
#include "unit.h"

#include "amount.h"

struct amount_case {
    double value;
    const char *unit;
    const char *text;
};

static void assert_texts(const struct amount_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(study_amount(cases[i].value, cases[i].unit).text, cases[i].text);
    }
}

static void amounts_are_short(void **state)
{
    (void)state;
    static const struct amount_case cases[] = {
        {0, "%", "0 %"},
        {0.0119, "%", "0.012 %"},
        {0.123, "%", "0.123 %"},
        {1.2345, "%", "1.23 %"},
        {12.345, "units", "12.3 units"},
        {20, "asks", "20 asks"},
        {999.4, "", "999"},
        {999.6, "", "1,000"},
        {1234567, "units", "1,234,567 units"},
        {-3.5, "%", "-3.5 %"},
        {-1234, "units", "-1,234 units"},
        {-0.00000001, "%", "0 %"},
        {590, "us", "590 us"},
        {1500, "us", "1.5 ms"},
        {30000000, "us", "30 s"},
        {999, "ms", "999 ms"},
        {157688, "ms", "158 s"},
        {486, "bytes", "486 bytes"},
        {485967688, "bytes", "486 MB"},
    };

    assert_texts(cases, sizeof cases / sizeof cases[0]);
}

static void there_is_one_of_one(void **state)
{
    (void)state;
    static const struct amount_case cases[] = {
        {1, "units", "1 unit"},    {1.0001, "cells", "1 cell"},
        {1, "asks/s", "1 ask/s"},  {1, "processes", "1 process"},
        {1, "entries", "1 entry"}, {1, "us", "1 us"},
        {1000, "us", "1 ms"},      {1, "s", "1 s"},
        {1, "%", "1 %"},           {1, "times", "1 times"},
        {0, "units", "0 units"},   {1.5, "units", "1.5 units"},
        {-1, "units", "-1 units"}, {1, "units a year", "1 unit a year"},
    };

    assert_texts(cases, sizeof cases / sizeof cases[0]);
}

static void a_range_has_one_unit(void **state)
{
    (void)state;
    assert_string_equal(study_amount_range(0, 0.5, 1, "units").text, "0, 0.5, 1 unit");
    assert_string_equal(study_amount_range(900, 1016, 1024, "us").text, "0.9, 1.02, 1.02 ms");
    assert_string_equal(study_amount_range(1, 2, 3, "").text, "1, 2, 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_short),
        cmocka_unit_test(there_is_one_of_one),
        cmocka_unit_test(a_range_has_one_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
