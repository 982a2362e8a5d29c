/* `weir size`, the program itself: what it says, writes and refuses. */
#include "unit.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_FOLDER "test_command_size.tmp"
#define SCENARIO_FILE PROGRAM_FOLDER "/small.json"
#define OUT PROGRAM_FOLDER "/out"

#include "program.h"
#include "study_case.h"

static int size(const char *arguments)
{
    char command[1500];

    snprintf(command, sizeof command, "size --kernel heap --seeds 2 " SCENARIO_FILE " %s",
             arguments);
    return program_run(command);
}

static int make_folder(void **state)
{
    (void)state;
    (void)mkdir(PROGRAM_FOLDER, 0777);
    world_run_write(SCENARIO_FILE, STUDY_CASE_TEXT("4", ""));
    return setenv("COLUMNS", "80", 1);
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " PROGRAM_FOLDER);
}

/* The command that is shown keeps the bounds that were given. */
static void what_is_found_can_be_run(void **state)
{
    (void)state;
    char command[600];

    assert_int_equal(size("--under-units 100 --asks-per-s 1000"), 0);
    assert_string_equal(err, "");
    program_said("small: the worst of 2 seeds, from 1 on\n");
    program_said("bounds  --under-units 100 --asks-per-s 1,000\n");
    program_said("FOUND   ");
    const char *run = strstr(out, "  weir run ");
    assert_non_null(run);
    run += strlen("  weir ");
    snprintf(command, sizeof command, "%.*s --kernel heap --quiet", (int)strcspn(run, "\n"), run);
    assert_int_equal(program_run(command), 0);
}

static void without_any_exits_1_and_says_what_is_in_the_way(void **state)
{
    (void)state;
    assert_int_equal(size("--under-units 100 --asks-per-s 0.1 --p99-us 100"), 1);
    program_said("NONE    No settings keep all bounds\n");
    program_said("  --asks-per-s 0.1: out of reach; the least of all is ");
    program_said("  --under-units 100: can be kept (");
    program_said("floor   8 pairs of key and process meet in 20 s, and each has to ask at");
    program_said("nobody's p99 is below a round");
}

static void files_hold_every_run(void **state)
{
    (void)state;
    json_t *candidates;
    const char *chosen;
    struct stat status;
    size_t lines = 0;
    size_t runs = 0;

    assert_int_equal(size("--under-units 100 --out " OUT), 0);
    json_t *json = json_load_file(OUT "/size.json", 0, NULL);
    assert_int_equal(json_unpack(json, "{s:s, s:o}", "chosen", &chosen, "candidates", &candidates),
                     0);
    for (size_t i = 0; i < json_array_size(candidates); i++) {
        runs += (size_t)json_integer_value(json_object_get(json_array_get(candidates, i), "seeds"));
    }
    program_read(OUT "/size.csv", out);
    for (const char *at = out; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, 1 + runs);
    json_decref(json);
    if (system("gnuplot --version >/dev/null 2>&1") == 0) {
        assert_int_equal(stat(OUT "/size.svg", &status), 0);
    }
}

static void misuse_exits_64_and_says_what_is_allowed(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {"--under 1", "a scenario file is missing"},
        {SCENARIO_FILE, "a bound is missing, such as --under 0.1"},
        {SCENARIO_FILE " x --p99-us 1", "one scenario at a time: found \"x\""},
        {SCENARIO_FILE " --p99-us -1", "--p99-us: found \"-1\"; allowed: a number from 0 on"},
        {SCENARIO_FILE " --under 0.1", "no key has a limit of 1000 units or more"},
        {SCENARIO_FILE " --over 0.1", "allowed: --over-units"},
        {SCENARIO_FILE " --asks-per-s 1 --seeds 101", "allowed: a whole number from 1 to 100"},
        {SCENARIO_FILE " --asks-per-s 1 --set limiter.sizr=1", "did you mean \"sizer\"?"},
        {SCENARIO_FILE " --asks-per-s 1 --plots png", "--plots needs --out DIR"},
        {SCENARIO_FILE " --asks-per-s 1 --plots x", "--plots: found \"x\"; allowed: none"},
        {SCENARIO_FILE " --asks-per-s 1 --kernel x", "--kernel: found \"x\"; allowed: simgrid"},
        {SCENARIO_FILE " --asks-per-s 1 --out " SCENARIO_FILE, "cannot be made a folder"},
        {PROGRAM_FOLDER "/none.json --asks-per-s 1", "none.json"},
    };

    program_refuses("size ", misuses, sizeof misuses / sizeof misuses[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_can_be_run),
        cmocka_unit_test(without_any_exits_1_and_says_what_is_in_the_way),
        cmocka_unit_test(files_hold_every_run),
        cmocka_unit_test(misuse_exits_64_and_says_what_is_allowed),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
