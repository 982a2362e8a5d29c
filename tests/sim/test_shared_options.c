/* The options that several commands have: each command says the same of them, and refuses alike. */
#include "unit.h"

#include <sys/stat.h>

#define PROGRAM_FOLDER "test_shared_options.tmp"
#define SCENARIO_FILE PROGRAM_FOLDER "/small.json"

#include "program.h"
#include "study_case.h"

static const char *const studies[] = {
    "compare " SCENARIO_FILE " --against a=1 ",
    "size " SCENARIO_FILE " --asks-per-s 1 ",
    "sweep " SCENARIO_FILE " --vary a=1 ",
};

static int make_folder(void **state)
{
    (void)state;
    (void)mkdir(PROGRAM_FOLDER, 0777);
    world_run_write(SCENARIO_FILE, STUDY_CASE_TEXT("4", ""));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " PROGRAM_FOLDER);
}

static void misuse_is_refused_alike(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {"--seeds 0", "--seeds: found \"0\"; allowed: a whole number from 1 to 100"},
        {"--kernel x", "--kernel: found \"x\"; allowed: simgrid, heap"},
        {"--jobs 257", "--jobs: found \"257\"; allowed: a whole number from 1 to 256"},
        {"--plots gif", "--plots: found \"gif\"; allowed: none, svg, png"},
        {"--plots svg", "--plots needs --out DIR: it says which pictures go there"},
    };

    for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
        program_refuses(studies[i], misuses, sizeof misuses / sizeof misuses[0]);
    }
}

static void seeds_end_at_the_largest(void **state)
{
    (void)state;
    static const char *const commands[] = {"compare --against limiter.sizer=fixed ",
                                           "size --asks-per-s 1 ",
                                           "sweep --vary limiter.sizer=fixed "};
    static const struct misuse misuse = {
        SCENARIO_FILE " --seeds 2 --set seed=9223372036854775807",
        "--seeds: found 2 from 9223372036854775807 on; allowed: seeds up to 2^63 - 1"};

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        program_refuses(commands[i], &misuse, 1);
    }
}

static void the_help_says_the_same(void **state)
{
    (void)state;
    static const char *const commands[] = {"run --help", "compare --help", "size --help",
                                           "sweep --help", "check --help"};

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        assert_int_equal(program_run(commands[i]), 0);
        program_said("\n What is run:\n");
        program_said("\n  -S, --set=PATH=VALUE       Change what the scenario says, such as\n");
        program_said("\n What becomes of it:\n");
        program_said("\n  -q, --quiet                ");
    }
}

static void an_option_of_others_is_none(void **state)
{
    (void)state;
    assert_int_equal(program_run("check --kernel heap " SCENARIO_FILE), 64);
    assert_non_null(strstr(err, "--kernel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misuse_is_refused_alike),
        cmocka_unit_test(seeds_end_at_the_largest),
        cmocka_unit_test(the_help_says_the_same),
        cmocka_unit_test(an_option_of_others_is_none),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
