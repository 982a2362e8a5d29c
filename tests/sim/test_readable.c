/* Numbers and names as people read them, to the character. */
#include "unit.h"

#include <string.h>

#include "readable.h"

static void digits_are_grouped_by_three(void **state)
{
    (void)state;
    assert_string_equal(sim_readable_count(0).text, "0");
    assert_string_equal(sim_readable_count(999).text, "999");
    assert_string_equal(sim_readable_count(1000).text, "1,000");
    assert_string_equal(sim_readable_count(1234567).text, "1,234,567");
    assert_string_equal(sim_readable_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void one_unit_is_no_units(void **state)
{
    (void)state;
    assert_string_equal(sim_readable_units(0).text, "0 units");
    assert_string_equal(sim_readable_units(1).text, "1 unit");
    assert_string_equal(sim_readable_units(1000000000000).text, "1,000,000,000,000 units");
}

static void times_have_three_digits_and_a_unit_that_fits(void **state)
{
    (void)state;
    assert_string_equal(sim_readable_time(0).text, "0 us");
    assert_string_equal(sim_readable_time(123).text, "0.123 us");
    assert_string_equal(sim_readable_time(590000).text, "590 us");
    assert_string_equal(sim_readable_time(999499).text, "999 us");
    assert_string_equal(sim_readable_time(999500).text, "1 ms");
    assert_string_equal(sim_readable_time(1187000).text, "1.19 ms");
    assert_string_equal(sim_readable_time(999499999).text, "999 ms");
    assert_string_equal(sim_readable_time(999500000).text, "1 s");
    assert_string_equal(sim_readable_time(12345678901).text, "12.3 s");
    assert_string_equal(sim_readable_time(UINT64_C(3500000000000)).text, "3,500 s");
}

static void a_percentage_is_never_shown_as_none_if_there_is_some(void **state)
{
    (void)state;
    assert_string_equal(sim_readable_percent(0).text, "0 %");
    assert_string_equal(sim_readable_percent(0.0000001).text, "0.001 %");
    assert_string_equal(sim_readable_percent(0.18).text, "0.18 %");
    assert_string_equal(sim_readable_percent(30.94).text, "30.9 %");
    assert_string_equal(sim_readable_percent(100).text, "100 %");
    assert_string_equal(sim_readable_percent(123456).text, "123,456 %");
    assert_string_equal(sim_readable_percent(1e30).text, "18,446,744,073,709,551,615 %");
}

static void durations_are_exact(void **state)
{
    (void)state;
    assert_string_equal(sim_readable_duration(UINT64_C(3500000000000)).text, "3,500 s");
    assert_string_equal(sim_readable_duration(62500000000).text, "62.5 s");
}

static void a_width_counts_characters_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(sim_readable_width("abc"), 3);
    assert_int_equal(sim_readable_width("\xc3\xa4\xe2\x82\xac"), 2);
}

static void a_name_that_is_cut_ends_in_two_dots(void **state)
{
    (void)state;
    char cut[16];

    sim_readable_cut(cut, sizeof cut, "abcdef", 6);
    assert_string_equal(cut, "abcdef");
    sim_readable_cut(cut, sizeof cut, "abcdefg", 6);
    assert_string_equal(cut, "abcd..");
    sim_readable_cut(cut, sizeof cut, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 3);
    assert_string_equal(cut, "\xc3\xa4..");
    sim_readable_cut(cut, sizeof cut, "a\tb\x7f", 4);
    assert_string_equal(cut, "a b ");
    sim_readable_cut(cut, sizeof cut, "abcdefghijklmnopqrstuvwxyz", 26);
    assert_true(strlen(cut) < sizeof cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_grouped_by_three),
        cmocka_unit_test(one_unit_is_no_units),
        cmocka_unit_test(times_have_three_digits_and_a_unit_that_fits),
        cmocka_unit_test(a_percentage_is_never_shown_as_none_if_there_is_some),
        cmocka_unit_test(durations_are_exact),
        cmocka_unit_test(a_width_counts_characters_not_bytes),
        cmocka_unit_test(a_name_that_is_cut_ends_in_two_dots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
