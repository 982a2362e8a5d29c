/* `weir sweep`, the program itself: what it runs, says, writes and refuses. */
#include "unit.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_FOLDER "test_command_sweep.tmp"
#define SCENARIO_FILE PROGRAM_FOLDER "/small.json"
#define FOLDER(name) PROGRAM_FOLDER "/" name

#include "program.h"
#include "study_case.h"

static char first[PROGRAM_OUTPUT_SIZE];

static int sweep(const char *arguments)
{
    char command[1500];

    snprintf(command, sizeof command,
             "sweep --kernel heap --seeds 2 " SCENARIO_FILE
             " --vary limiter.sizer=tapered,fixed --vary fleet.processes=1:3:1 %s",
             arguments);
    return program_run(command);
}

static int make_folder(void **state)
{
    (void)state;
    (void)mkdir(PROGRAM_FOLDER, 0777);
    world_run_write(SCENARIO_FILE, STUDY_CASE_TEXT("4", ""));
    return setenv("COLUMNS", "100", 1);
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " PROGRAM_FOLDER);
}

static void same_files(const char *one, const char *other, const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", one, name);
    program_read(path, first);
    snprintf(path, sizeof path, "%s/%s", other, name);
    program_read(path, out);
    assert_string_equal(first, out);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;

    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    return lines;
}

static void every_combination_has_a_line_and_every_run_a_row(void **state)
{
    (void)state;
    struct stat status;

    assert_int_equal(sweep("--out " FOLDER("all")), 0);
    assert_string_equal(err, "");
    program_said("12 runs");
    program_said("tapered         1 ");
    program_said("fixed           3 ");
    program_read(FOLDER("all/sweep.csv"), out);
    assert_int_equal(lines_of(out), 1 + 12);
    json_t *json = json_load_file(FOLDER("all/sweep.json"), 0, NULL);
    assert_non_null(json);
    json_decref(json);
    if (system("gnuplot --version >/dev/null 2>&1") == 0) {
        assert_int_equal(stat(FOLDER("all/sweep.svg"), &status), 0);
    }
}

static void parts_put_together_are_the_whole(void **state)
{
    (void)state;
    assert_int_equal(sweep("--plots none --out " FOLDER("whole")), 0);
    if (system("parallel --version >/dev/null 2>&1") == 0) { /* as docs/WHAT-IF.md has it */
        assert_int_equal(system("parallel -j 3 '" WEIR_PROGRAM
                                "' sweep --kernel heap --seeds 2 " SCENARIO_FILE
                                " --vary limiter.sizer=tapered,fixed"
                                " --vary fleet.processes=1:3:1 --quiet --plots none"
                                " --shard {}/3 --out " FOLDER("part-{}") " ::: 1 2 3 >/dev/null"),
                         0);
    }
    for (unsigned part = 1; part <= 3; part++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "--plots none --shard %u/3 --out " FOLDER("part-%u"),
                 part, part);
        assert_int_equal(sweep(arguments), 0);
    }
    assert_int_equal(program_run("sweep --merge " FOLDER("part-3") " " FOLDER("part-1") " " FOLDER(
                         "part-2") " --plots none --out " FOLDER("merged")),
                     0);
    same_files(FOLDER("whole"), FOLDER("merged"), "sweep.csv");
    same_files(FOLDER("whole"), FOLDER("merged"), "sweep.json");

    assert_int_equal(program_run("sweep --merge " FOLDER("part-3") " " FOLDER("part-1")), 64);
    assert_non_null(strstr(err, "2"));
}

/* The same with one run taken away, as if it had been stopped before that. */
static void what_was_run_is_not_run_again(void **state)
{
    (void)state;
    assert_int_equal(sweep("--plots none --out " FOLDER("again")), 0);
    program_read(FOLDER("again/sweep.csv"), first);
    assert_int_equal(system("cd " FOLDER("again") " && rm sweep.* && rm $(find runs -type f | "
                                                  "sort | head -n 1)"),
                     0);
    assert_int_equal(sweep("--plots none --out " FOLDER("again")), 0);
    assert_non_null(strstr(err, "weir: 11 kept in "));
    assert_non_null(strstr(err, ", 1 made now"));
    program_read(FOLDER("again/sweep.csv"), out);
    assert_string_equal(first, out);
}

static void one_path_is_a_curve(void **state)
{
    (void)state;
    struct stat status;

    assert_int_equal(
        program_run(
            "sweep --kernel heap --seeds 2 " SCENARIO_FILE
            " --vary fleet.processes=1:8*2 --measure latency_us.max --out " FOLDER("curve")),
        0);
    assert_string_equal(err, "");
    program_said("8 runs");
    if (system("gnuplot --version >/dev/null 2>&1") == 0) {
        assert_int_equal(stat(FOLDER("curve/sweep.svg"), &status), 0);
    }
}

static void misuse_exits_64_and_says_what_is_allowed(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {"--vary seed=1", "a scenario file is missing"},
        {SCENARIO_FILE, "--vary PATH=VALUES is missing"},
        {SCENARIO_FILE " --vary seed=1,2", "allowed: --seeds N"},
        {SCENARIO_FILE " --vary fleet.processes=", "--vary fleet.processes: found an empty value"},
        {SCENARIO_FILE " --vary fleet.processes=1:2", "allowed: from:to:step or from:to*factor"},
        {SCENARIO_FILE " --vary fleet.processes=5,5", "found 5 twice"},
        {SCENARIO_FILE " --vary fleet.processes=0", "found 0; allowed: an integer from 1 to 1000"},
        {SCENARIO_FILE " --vary x=1", "x: unknown key"},
        {SCENARIO_FILE " --vary fleet.processes=1:1000:1 --seeds 21", "allowed: up to 20000 runs"},
        {SCENARIO_FILE " --vary fleet.processes=1,2 --shard 3/2", "allowed: I/N"},
        {SCENARIO_FILE " --vary fleet.processes=1,2 --shard 1/2", "--shard needs --out DIR"},
        {SCENARIO_FILE " --vary fleet.processes=1,2 --set fleet.processes=3", "would undo --set"},
        {SCENARIO_FILE " --vary fleet.processes=1,2 --measure a.b", "no number of the result"},
        {SCENARIO_FILE " --vary fleet.processes=1 --jobs 0", "--jobs: found \"0\""},
        {"--merge", "folders of the parts are missing"},
        {"--merge " FOLDER("none"), "none"},
        {"--merge x --seeds 3", "--seeds with --merge"},
    };

    program_refuses("sweep ", misuses, sizeof misuses / sizeof misuses[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_has_a_line_and_every_run_a_row),
        cmocka_unit_test(parts_put_together_are_the_whole),
        cmocka_unit_test(what_was_run_is_not_run_again),
        cmocka_unit_test(one_path_is_a_curve),
        cmocka_unit_test(misuse_exits_64_and_says_what_is_allowed),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
