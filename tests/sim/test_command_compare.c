/* `weir compare`, the program itself: what it says, writes and refuses. */
#include "unit.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_FOLDER "test_command_compare.tmp"
#define SCENARIO_FILE PROGRAM_FOLDER "/small.json"
#define OUT PROGRAM_FOLDER "/out"

#include "program.h"
#include "study_case.h"

static int compare(const char *arguments)
{
    char command[1500];

    snprintf(command, sizeof command, "compare --kernel heap --seeds 2 %s", arguments);
    return program_run(command);
}

static int make_folder(void **state)
{
    (void)state;
    (void)mkdir(PROGRAM_FOLDER, 0777);
    world_run_write(SCENARIO_FILE, STUDY_CASE_TEXT("4", ""));
    world_run_write(PROGRAM_FOLDER "/busier.json", STUDY_CASE_TEXT("5", ""));
    return setenv("COLUMNS", "80", 1);
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " PROGRAM_FOLDER);
}

static void one_scenario_in_two_ways(void **state)
{
    (void)state;
    assert_int_equal(compare(SCENARIO_FILE " --set limiter.sizer=fixed "
                                           "--against limiter.fixed_lease_units=5"),
                     0);
    assert_string_equal(err, "");
    program_said("small: seeds 1 to 2\n");
    program_said("A         limiter.sizer=fixed\n");
    program_said("B         as A, but limiter.fixed_lease_units=5\n");
    program_said("paired    both are given the same ");
    program_said("first difference  with seed 1, the request of ");
    for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 80);
    }
}

/* The command that is shown explains the decision that is shown. */
static void the_first_difference_can_be_explained(void **state)
{
    (void)state;
    char command[600];

    assert_int_equal(
        compare(SCENARIO_FILE " --against limiter.sizer=fixed --plots none --out " OUT), 0);
    const char *why = strstr(out, "  weir why " OUT "/b.json");
    assert_non_null(why);
    why += strlen("  weir ");
    snprintf(command, sizeof command, "'" WEIR_PROGRAM "' %.*s >" PROGRAM_FOLDER "/stdout",
             (int)strcspn(why, "\n"), why);
    const bool is_denied = strstr(out, "  B  denied") != NULL;
    assert_int_equal(system(command), 0);
    program_read(PROGRAM_FOLDER "/stdout", out);
    program_said(is_denied ? "DENIED" : "ADMITTED");
}

static void files_hold_every_pair(void **state)
{
    (void)state;
    const char *pairing;
    json_t *measures;

    assert_int_equal(compare(SCENARIO_FILE " --against limiter.sizer=fixed --out " OUT), 0);
    json_t *json = json_load_file(OUT "/compare.json", 0, NULL);
    assert_int_equal(
        json_unpack(json, "{s:{s:s}, s:o}", "given", "pairing", &pairing, "measures", &measures),
        0);
    assert_string_equal(pairing, "same");
    assert_int_equal(json_array_size(json_object_get(json_array_get(measures, 0), "pairs")), 2);
    program_read(OUT "/compare.csv", out);
    assert_int_equal(strncmp(out, "measure,seed,a,b,change,b_is\naccuracy.over_pct.max,1,", 52), 0);
    size_t lines = 0;
    for (const char *at = out; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, 1 + 2 * json_array_size(measures));
    json_decref(json);
    struct stat status;
    if (system("gnuplot --version >/dev/null 2>&1") == 0) {
        assert_int_equal(stat(OUT "/compare.svg", &status), 0);
    }
}

static void other_requests_exit_2(void **state)
{
    (void)state;
    assert_int_equal(compare(SCENARIO_FILE " " PROGRAM_FOLDER "/busier.json"), 2);
    program_said("NOT PAIRED  A is given ");
    program_said(" traffic.");
    assert_null(strstr(out, "first difference"));
}

static void the_same_twice_does_not_differ(void **state)
{
    (void)state;
    assert_int_equal(compare(SCENARIO_FILE " " SCENARIO_FILE), 0);
    program_said("Neither side is the better one in any measure.\n");
    program_said("with seed 1 both decide every request alike\n");
}

static void json_is_what_the_file_has(void **state)
{
    (void)state;
    assert_int_equal(compare(SCENARIO_FILE " --against limiter.sizer=fixed --json"), 0);
    json_t *json = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(json_object_get(json, "first_difference")));
    json_decref(json);
}

static void misuse_exits_64_and_says_what_is_allowed(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {"", "a scenario file is missing"},
        {SCENARIO_FILE, "a second scenario or --against PATH=VALUE is missing"},
        {"a b c", "two scenarios at a time: found \"c\" after \"b\""},
        {SCENARIO_FILE " --against seed=2", "both sides run the same seeds; allowed: --set seed=2"},
        {SCENARIO_FILE " --against limiter.sizr=fixed", "did you mean \"sizer\"?"},
        {SCENARIO_FILE " " PROGRAM_FOLDER "/none.json", "none.json"},
        {SCENARIO_FILE " --against a=1 --seeds 0", "--seeds: found \"0\"; allowed: "},
        {SCENARIO_FILE " --against a=1 --seeds 1001", "allowed: a whole number from 1 to 1000"},
        {SCENARIO_FILE " --against a=1 --kernel x",
         "--kernel: found \"x\"; allowed: simgrid, heap"},
        {SCENARIO_FILE " --against a=1 --plots gif --out x",
         "--plots: found \"gif\"; allowed: none"},
        {SCENARIO_FILE " --against a=1 --plots png", "--plots needs --out DIR"},
        {SCENARIO_FILE " --against limiter.sizer=fixed --out " SCENARIO_FILE,
         "cannot be made a folder"},
    };

    program_refuses("compare --kernel heap ", misuses, sizeof misuses / sizeof misuses[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_scenario_in_two_ways),
        cmocka_unit_test(the_first_difference_can_be_explained),
        cmocka_unit_test(files_hold_every_pair),
        cmocka_unit_test(other_requests_exit_2),
        cmocka_unit_test(the_same_twice_does_not_differ),
        cmocka_unit_test(json_is_what_the_file_has),
        cmocka_unit_test(misuse_exits_64_and_says_what_is_allowed),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
