/* Where things stand in a JSON text, whole or broken. */
#include "unit.h"

#include <string.h>

#include "json_position.h"

static const char TEXT[] = "{\n"
                           "  \"a\": 1,\n"
                           "  \"b\": {\"c\": [10, {\"d\": \"}],\"}, [ [7] ]]},\n"
                           "  \"\\u00fc\\n\": {\"e\\\"\": 2},\n"
                           "  \"\xc3\xbc\": 1, \"after\": 3\n"
                           "}\n";

static void a_path_has_a_line_and_a_column(void **state)
{
    (void)state;
    static const struct {
        struct sim_json_step steps[4];
        size_t step_count;
        int line;
        int column;
        size_t found_count;
    } CASES[] = {
        {{{0}}, 0, 1, 1, 0},
        {{{.key = "a"}}, 1, 2, 3, 1},
        {{{.key = "b"}}, 1, 3, 3, 1},
        {{{.key = "b"}, {.key = "c"}}, 2, 3, 9, 2},
        {{{.key = "b"}, {.key = "c"}, {.index = 1}}, 3, 3, 19, 3},
        {{{.key = "b"}, {.key = "c"}, {.index = 1}, {.key = "d"}}, 4, 3, 20, 4},
        {{{.key = "b"}, {.key = "c"}, {.index = 2}, {.index = 0}}, 4, 3, 35, 4},
        {{{.key = "\xc3\xbc\n"}, {.key = "e\""}}, 2, 4, 16, 2},
        {{{.key = "after"}}, 1, 5, 11, 1},
        {{{.key = "b"}, {.key = "x"}}, 2, 3, 3, 1},
        {{{.key = "b"}, {.key = "c"}, {.index = 9}}, 3, 3, 9, 2},
        {{{.key = "e\""}}, 1, 1, 1, 0},
        {{{.index = 0}}, 1, 1, 1, 0},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct sim_json_place place =
            sim_json_position_find(TEXT, strlen(TEXT), CASES[i].steps, CASES[i].step_count);

        assert_int_equal(place.line, CASES[i].line);
        assert_int_equal(place.column, CASES[i].column);
        assert_int_equal(place.step_count, CASES[i].found_count);
    }
}

static void an_offset_has_a_path(void **state)
{
    (void)state;
    static const struct {
        const char *until; /* the text up to the end of this */
        const char *path;
    } CASES[] = {
        {"{", ""},
        {"\"a\": 1", "a"},
        {"[10", "b.c[0]"},
        {"\"d\"", "b.c[1].d"},
        {"[ [7", "b.c[2][0][0]"},
        {"[7] ]]}", "b"},
        {"{\"e\\\"\"", "\\u00fc\\n.e\\\""},
        {"3\n}", ""},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const char *until = strstr(TEXT, CASES[i].until);
        char path[64];

        assert_non_null(until);
        sim_json_position_path(TEXT, strlen(TEXT), (size_t)(until - TEXT) + strlen(CASES[i].until),
                               path, sizeof path);
        assert_string_equal(path, CASES[i].path);
    }
}

static void a_long_path_is_cut_to_its_buffer(void **state)
{
    (void)state;
    char path[8];

    sim_json_position_path(TEXT, strlen(TEXT), strlen(TEXT) - 3, path, sizeof path);
    assert_string_equal(path, "after");
    sim_json_position_path("{\"abcdefghij\": 1", 16, 16, path, sizeof path);
    assert_string_equal(path, "abcdefg");
}

/* A broken text must not lead the scan out of bounds: the sanitizers watch. */
static void every_prefix_can_be_searched(void **state)
{
    (void)state;
    const struct sim_json_step steps[] = {{.key = "b"}, {.key = "c"}, {.index = 2}, {.index = 0}};

    for (size_t size = 0; size <= strlen(TEXT); size++) {
        char prefix[sizeof TEXT];
        char path[64];

        memcpy(prefix, TEXT, size);
        struct sim_json_place place = sim_json_position_find(prefix, size, steps, 4);
        sim_json_position_path(prefix, size, size, path, sizeof path);
        assert_in_range(place.line, 1, 6);
        assert_in_range(place.step_count, 0, 4);
    }
}

static void brackets_of_any_depth_can_be_searched(void **state)
{
    (void)state;
    static char deep[20000];
    const struct sim_json_step steps[] = {{.index = 0}, {.index = 1}};
    char path[64];

    memset(deep, '[', sizeof deep / 2);
    memset(deep + sizeof deep / 2, ']', sizeof deep / 2);

    struct sim_json_place place = sim_json_position_find(deep, sizeof deep, steps, 2);
    sim_json_position_path(deep, sizeof deep, sizeof deep / 2, path, sizeof path);

    assert_int_equal(place.step_count, 1);
    assert_string_equal(path, "[0][0][0][0][0][0][0][0]...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_a_line_and_a_column),
        cmocka_unit_test(an_offset_has_a_path),
        cmocka_unit_test(a_long_path_is_cut_to_its_buffer),
        cmocka_unit_test(every_prefix_can_be_searched),
        cmocka_unit_test(brackets_of_any_depth_can_be_searched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
