/* `weir run`, the program itself: exit statuses, what goes to which stream, and the files it makes.
 */
#include "unit.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_FOLDER "test_command_run.tmp"
#define GOOD PROGRAM_FOLDER "/good.json"

#include "program.h"
#include "world_run.h"

#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"duration_s\": 2, \"fleet\": {\"processes\": 2}, \"store\": {},"            \
    " \"plans\": {\"gold\": {\"rate_per_s\": 50, \"capacity_units\": 20}},"                        \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}},"                                                  \
    " \"traffic\": {\"keys\": \"one\", \"demand_ratio\": 2},"                                      \
    " \"expect\": [{\"path\": \"decisions.total\", \"min\": 1}]}"

static int make_folder(void **state)
{
    (void)state;
    (void)mkdir(PROGRAM_FOLDER, 0777);
    world_run_write(GOOD, SCENARIO);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " PROGRAM_FOLDER);
}

static unsigned line_count(const char *text)
{
    unsigned count = 0;

    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

static void a_run_that_meets_its_expectations_exits_0(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " GOOD " --kernel heap"), 0);
    assert_non_null(strstr(out, "PASS"));
    assert_string_equal(err, "");
}

static void simgrid_is_the_kernel_unless_another_is_named(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " GOOD), 0);
    assert_non_null(strstr(out, "simgrid kernel"));
}

static void a_missed_expectation_exits_1_and_says_how_to_see_it_again(void **state)
{
    (void)state;
    assert_int_equal(program_run("run --kernel heap --set 'expect[0].min=1e9' " GOOD), 1);
    assert_non_null(strstr(out, "FAIL"));
    assert_non_null(strstr(out, "MISS"));
    assert_string_equal(err, "replay: weir run --kernel heap --set 'expect[0].min=1e9' " GOOD "\n");
}

static void a_run_without_requests_exits_2(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " GOOD " --kernel heap --set traffic.demand_ratio=0"), 2);
    /* nothing is reported in that millisecond */
    assert_int_equal(program_run("run " GOOD
                                 " --kernel heap --set 'faults=[{\"id\": \"idle\", \"kind\":"
                                 " \"report_lost\", \"from_s\": 0.5, \"until_s\": 0.501,"
                                 " \"probability_pct\": 100}]'"),
                     2);
    assert_non_null(strstr(out, "INCONCLUSIVE"));
}

static void quiet_wins_over_json(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " GOOD " --kernel heap -j -q"), 0);
    assert_string_equal(out, "");
    assert_string_equal(err, "");
}

static void the_largest_seed_is_taken_as_it_is(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " GOOD " --kernel heap --seed 9223372036854775807"), 0);
    assert_non_null(strstr(out, "good: seed 9223372036854775807, "));
    assert_int_equal(program_run("run " GOOD " --kernel heap --seed 007"), 0);
    assert_non_null(strstr(out, "good: seed 7, "));
}

static void pictures_are_those_asked_for_and_old_ones_go(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        skip();
    }
    assert_int_equal(program_run("run " GOOD " --kernel heap --out " PROGRAM_FOLDER "/plots"), 0);
    assert_non_null(strstr(out, "timeline.svg"));
    assert_int_equal(access(PROGRAM_FOLDER "/plots/timeline.svg", R_OK), 0);
    assert_int_equal(
        program_run("run " GOOD " --kernel heap --plots png --out " PROGRAM_FOLDER "/plots"), 0);
    assert_non_null(strstr(out, "worst-keys.png"));
    assert_int_equal(access(PROGRAM_FOLDER "/plots/timeline.png", R_OK), 0);
    assert_int_equal(access(PROGRAM_FOLDER "/plots/timeline.svg", F_OK), -1);
    assert_int_equal(
        program_run("run " GOOD " --kernel heap --plots none --out " PROGRAM_FOLDER "/plots"), 0);
    assert_null(strstr(out, ".png"));
    assert_int_equal(access(PROGRAM_FOLDER "/plots/timeline.png", F_OK), -1);
}

static void without_gnuplot_one_line_says_so_and_no_picture_stays(void **state)
{
    (void)state;
    char kept[4096];

    assert_int_equal(
        system("mkdir -p " PROGRAM_FOLDER "/stale && touch " PROGRAM_FOLDER "/stale/error.svg"), 0);
    snprintf(kept, sizeof kept, "%s", getenv("PATH"));
    assert_int_equal(setenv("PATH", "/none", 1), 0);
    const int status = program_run("run " GOOD " --kernel heap --out " PROGRAM_FOLDER "/stale");
    assert_int_equal(setenv("PATH", kept, 1), 0);

    assert_int_equal(status, 0);
    assert_string_equal(err, "weir: not all pictures were drawn: gnuplot is missing\n");
    assert_null(strstr(out, ".svg"));
    assert_non_null(strstr(out, "worst_keys.csv\n"));
    assert_int_equal(access(PROGRAM_FOLDER "/stale/error.svg", F_OK), -1);
}

static void a_narrow_terminal_is_given_short_lines(void **state)
{
    (void)state;
    assert_int_equal(setenv("COLUMNS", "40", 1), 0);
    const int status = program_run("run " GOOD " --kernel heap");
    assert_int_equal(unsetenv("COLUMNS"), 0);

    assert_int_equal(status, 0);
    for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 40);
    }
}

static void quiet_prints_nothing_on_success(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " GOOD " --quiet --out " PROGRAM_FOLDER "/quiet"), 0);
    assert_string_equal(out, "");
    assert_string_equal(err, "");
}

static void json_is_what_the_file_holds(void **state)
{
    (void)state;
    json_t *file;
    json_t *printed;

    assert_int_equal(program_run("run " GOOD " --kernel heap --json --out " PROGRAM_FOLDER "/a/b"),
                     0);
    printed = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
    file = json_load_file(PROGRAM_FOLDER "/a/b/result.json", JSON_REJECT_DUPLICATES, NULL);

    assert_non_null(printed);
    assert_true(json_equal(printed, file));
    assert_string_equal(json_string_value(json_object_get(printed, "scenario")), "good");
    json_decref(printed);
    json_decref(file);
}

static void a_folder_receives_all_files(void **state)
{
    (void)state;
    static const char *const names[] = {"result.json", "timeline.csv", "intervals.csv"};

    assert_int_equal(program_run("run " GOOD " --kernel heap --out " PROGRAM_FOLDER "/files"), 0);
    for (int i = 0; i < 3; i++) {
        char path[200];
        snprintf(path, sizeof path, PROGRAM_FOLDER "/files/%s", names[i]);
        assert_int_equal(access(path, R_OK), 0);
    }
    assert_non_null(
        strstr(out, "files    in " PROGRAM_FOLDER "/files:\n         result.json timeline.csv"));
}

static void a_folder_that_cannot_be_made_exits_64_with_one_line(void **state)
{
    (void)state;
    static const char *const folders[] = {GOOD "/x", "/proc/none/x", GOOD, "''"};

    for (int i = 0; i < 4; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "run " GOOD " --kernel heap --quiet --out %s",
                 folders[i]);
        assert_int_equal(program_run(arguments), 64);
        assert_int_equal(line_count(err), 1);
        assert_non_null(strstr(err, ": cannot be made a folder: "));
    }
}

static void a_seed_on_the_command_line_replaces_the_files(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " GOOD " --kernel heap --seed 12345"), 0);
    assert_non_null(strstr(out, "good: seed 12345, 2 processes"));
}

/* One line says what is wrong; argp adds where to find help. */
static void misuse_exits_64_and_says_what_is_allowed(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {"", "a scenario file is missing"},
        {GOOD " " GOOD, "one scenario at a time: found \"" GOOD "\" after \"" GOOD "\""},
        {GOOD " --seed x", "--seed: found \"x\"; allowed: a whole number"},
        {GOOD " --seed -1", "--seed: found \"-1\"; allowed: a whole number"},
        {GOOD " --seed ''", "--seed: found \"\"; allowed: a whole number"},
        {GOOD " --seed 99999999999999999999", "allowed: a whole number"},
        {GOOD " --seed 9223372036854775808",
         "--seed: found \"9223372036854775808\"; allowed: a whole number from 0 to 2^63 - 1"},
        {GOOD " --seed +5", "--seed: found \"+5\"; allowed: a whole number"},
        {GOOD " --plots svg", "--plots needs --out DIR"},
        {GOOD " --plots gif --out " PROGRAM_FOLDER "/gif",
         "--plots: found \"gif\"; allowed: none, svg, png"},
        {GOOD " --kernel simgird", "--kernel: found \"simgird\"; allowed: simgrid, heap"},
        {GOOD " --frobnicate", "--frobnicate"},
    };

    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        program_refuses_one("run ", &misuses[i]);
        assert_int_equal(line_count(err), 2);
    }
}

static void a_scenario_that_is_not_one_exits_64_with_one_line(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {PROGRAM_FOLDER "/none.json", "none.json"},
        {GOOD " --set nonsense", "nonsense"},
        {GOOD " --set fleet.processes=0", "fleet.processes: found 0; allowed: "},
        {GOOD " --set fleet.proceses=3", "fleet.proceses"},
        {GOOD " --kernel heap --set store.bandwidth_bytes_per_s=1000",
         "the heap kernel models no bandwidth; use the simgrid kernel"},
    };

    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        program_refuses_one("run ", &misuses[i]);
        assert_int_equal(line_count(err), 1);
    }
}

static void an_unknown_command_exits_64_and_names_those_there_are(void **state)
{
    (void)state;
    assert_int_equal(program_run("fly"), 64);
    assert_int_equal(strncmp(err, "weir: found \"fly\"; allowed: run, why, ", 38), 0);
    assert_non_null(strstr(err, ", check, init\n"));
    assert_int_equal(program_run(""), 64);
    assert_non_null(strstr(err, "Usage: weir COMMAND"));
    assert_int_equal(program_run("--version"), 0);
    assert_int_equal(strncmp(out, "weir ", 5), 0);
    assert_in_range(out[5], '0', '9');
    assert_int_equal(program_run("--help"), 0);
    assert_non_null(strstr(out, "Usage: weir COMMAND"));
    assert_int_equal(program_run("run --help"), 0);
    assert_non_null(strstr(out, "Exit status: 0 all expectations met"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_meets_its_expectations_exits_0),
        cmocka_unit_test(simgrid_is_the_kernel_unless_another_is_named),
        cmocka_unit_test(a_missed_expectation_exits_1_and_says_how_to_see_it_again),
        cmocka_unit_test(a_run_without_requests_exits_2),
        cmocka_unit_test(quiet_prints_nothing_on_success),
        cmocka_unit_test(quiet_wins_over_json),
        cmocka_unit_test(the_largest_seed_is_taken_as_it_is),
        cmocka_unit_test(pictures_are_those_asked_for_and_old_ones_go),
        cmocka_unit_test(without_gnuplot_one_line_says_so_and_no_picture_stays),
        cmocka_unit_test(a_narrow_terminal_is_given_short_lines),
        cmocka_unit_test(json_is_what_the_file_holds),
        cmocka_unit_test(a_folder_receives_all_files),
        cmocka_unit_test(a_folder_that_cannot_be_made_exits_64_with_one_line),
        cmocka_unit_test(a_seed_on_the_command_line_replaces_the_files),
        cmocka_unit_test(misuse_exits_64_and_says_what_is_allowed),
        cmocka_unit_test(a_scenario_that_is_not_one_exits_64_with_one_line),
        cmocka_unit_test(an_unknown_command_exits_64_and_names_those_there_are),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
