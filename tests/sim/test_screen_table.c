/* Sentences and tables for a width. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "screen_table.h"

static char text[2000];

static const char *read_back(FILE *file)
{
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static const char *wrapped(size_t width, const char *label, const char *plain)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    sim_screen_wrap(file, width, label, plain);
    return read_back(file);
}

static void a_sentence_is_broken_between_words_below_its_label(void **state)
{
    (void)state;
    assert_string_equal(wrapped(40, "store  ", "few words"), "store  few words\n");
    assert_string_equal(wrapped(12, "store  ", "ab cd ef gh"), "store  ab cd\n       ef gh\n");
    assert_string_equal(wrapped(40, "", "one\ntwo"), "one\ntwo\n");
}

static void a_number_stays_with_what_it_counts(void **state)
{
    (void)state;
    assert_string_equal(wrapped(12, "", "wait for 590 us"), "wait for\n590 us\n");
}

static void a_word_that_fits_no_line_is_broken(void **state)
{
    (void)state;
    assert_string_equal(wrapped(6, "ab", "cdefghij"), "abcdef\n  ghij\n");
}

static const char *table_of(size_t width)
{
    static const struct sim_screen_column columns[] = {
        {"name", SIM_SCREEN_LEFT, 9},
        {"rare", SIM_SCREEN_RIGHT, 0},
        {"value", SIM_SCREEN_RIGHT, 5},
        {"note", SIM_SCREEN_LEFT, 3},
    };
    static const char *const cells[2][4] = {{"a", "1", "1,000,000", ""},
                                            {"long name", "2", "3", "x"}};
    struct sim_screen_table table;
    FILE *file = tmpfile();

    assert_non_null(file);
    sim_screen_table_init(&table, columns, 4, 2, 6);
    for (size_t row = 0; row < 2; row++) {
        for (size_t i = 0; i < 4; i++) {
            strcpy(sim_screen_table_cell(&table, row, i), cells[row][i]);
        }
    }
    sim_screen_table_print(file, &table, width);
    sim_screen_table_free(&table);
    return read_back(file);
}

static void columns_line_up_and_no_line_ends_in_white_space(void **state)
{
    (void)state;
    assert_string_equal(table_of(80), "name      rare     value note\n"
                                      "a            1 1,000,000\n"
                                      "long name    2         3 x\n");
}

static void the_first_column_is_cut_then_the_least_important_ones_go(void **state)
{
    (void)state;
    assert_string_equal(table_of(27), "name    rare     value note\n"
                                      "a          1 1,000,000\n"
                                      "long ..    2         3 x\n");
    assert_string_equal(table_of(25), "name          value note\n"
                                      "a         1,000,000\n"
                                      "long name         3 x\n");
    assert_string_equal(table_of(16), "name       value\n"
                                      "a      1,000,000\n"
                                      "long..         3\n");
    assert_string_equal(table_of(8), "name\n"
                                     "a\n"
                                     "long n..\n");
}

static void the_first_column_wraps_instead_if_it_is_told_to(void **state)
{
    (void)state;
    static const struct sim_screen_column columns[] = {{"measure", SIM_SCREEN_LEFT, 9},
                                                       {"figure", SIM_SCREEN_RIGHT, 8}};
    struct sim_screen_table table;
    FILE *file = tmpfile();

    assert_non_null(file);
    sim_screen_table_init(&table, columns, 2, 2, 12);
    table.first = SIM_SCREEN_WRAP;
    strcpy(sim_screen_table_cell(&table, 0, 0), "admitted: customer few");
    strcpy(sim_screen_table_cell(&table, 0, 1), "6.27 %");
    strcpy(sim_screen_table_cell(&table, 1, 0), "by hand");
    strcpy(sim_screen_table_cell(&table, 1, 1), "94 %");
    sim_screen_table_print(file, &table, 19);
    sim_screen_table_free(&table);
    assert_string_equal(read_back(file), "measure      figure\n"
                                         "admitted:    6.27 %\n"
                                         "customer few\n"
                                         "by hand        94 %\n");
}

static void a_column_of_empty_cells_is_left_out(void **state)
{
    (void)state;
    static const struct sim_screen_column columns[] = {
        {"a", SIM_SCREEN_LEFT, 2}, {"b", SIM_SCREEN_RIGHT, 1}, {"c", SIM_SCREEN_LEFT, 0}};
    struct sim_screen_table table;
    FILE *file = tmpfile();

    assert_non_null(file);
    sim_screen_table_init(&table, columns, 3, 1, 1);
    strcpy(sim_screen_table_cell(&table, 0, 0), "1");
    strcpy(sim_screen_table_cell(&table, 0, 2), "3");
    sim_screen_table_print(file, &table, 80);
    sim_screen_table_free(&table);
    assert_string_equal(read_back(file), "a c\n1 3\n");
}

static void a_table_without_rows_is_an_empty_line(void **state)
{
    (void)state;
    static const struct sim_screen_column columns[] = {{"a", SIM_SCREEN_LEFT, 1}};
    struct sim_screen_table table;
    FILE *file = tmpfile();

    assert_non_null(file);
    sim_screen_table_init(&table, columns, 1, 0, 1);
    table.first = SIM_SCREEN_WRAP;
    sim_screen_table_print(file, &table, 80);
    sim_screen_table_free(&table);
    assert_string_equal(read_back(file), "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_is_broken_between_words_below_its_label),
        cmocka_unit_test(a_number_stays_with_what_it_counts),
        cmocka_unit_test(a_word_that_fits_no_line_is_broken),
        cmocka_unit_test(columns_line_up_and_no_line_ends_in_white_space),
        cmocka_unit_test(a_column_of_empty_cells_is_left_out),
        cmocka_unit_test(a_table_without_rows_is_an_empty_line),
        cmocka_unit_test(the_first_column_wraps_instead_if_it_is_told_to),
        cmocka_unit_test(the_first_column_is_cut_then_the_least_important_ones_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
