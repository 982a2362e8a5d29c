/* `weir check`: what it reads, what it prints, how it exits. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_check.h"

#define FOLDER "test_command_check.tmp"
#define OUTPUT FOLDER "/output"

#define GOOD                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 60, \"fleet\": {\"processes\": 4},"                          \
    " \"plans\": {\"gold\": {\"rate_per_min\": 600, \"capacity_s\": 10}},"                         \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}},"                                                  \
    " \"traffic\": {\"keys\": \"one\", \"demand_ratio\": 1}}"

static const char *const files[][2] = {
    {FOLDER "/a.json", GOOD},
    {FOLDER "/b/c/d/deep.json", GOOD},
    {FOLDER "/b/good.json", GOOD},
    {FOLDER "/b/notes.txt", "not a scenario"},
    {FOLDER "/b/L1.claim.json", "{}"},
    {FOLDER "/b/report.json", "{}"},
    {FOLDER "/b/x.schema.json", "{}"},
    {FOLDER "/bad.json", "{}"},
    {FOLDER "/case/error", "a test of the reader"},
    {FOLDER "/case/scenario.json", "{}"},
    {FOLDER "/targets.json", "{\"targets\": {}}"},
};

enum {
    FILE_COUNT = sizeof files / sizeof files[0],
};

static const char *const folders[] = {FOLDER,          FOLDER "/b",    FOLDER "/b/c",
                                      FOLDER "/b/c/d", FOLDER "/case", FOLDER "/empty"};

enum {
    FOLDER_COUNT = sizeof folders / sizeof folders[0],
};

static int make_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < FOLDER_COUNT; i++) {
        (void)mkdir(folders[i], 0777);
    }
    for (size_t i = 0; i < FILE_COUNT; i++) {
        FILE *file = fopen(files[i][0], "wb");

        if (!file || fputs(files[i][1], file) < 0 || fclose(file) != 0) {
            return -1;
        }
    }
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    (void)unlink(OUTPUT);
    for (size_t i = 0; i < FILE_COUNT; i++) {
        (void)unlink(files[i][0]);
    }
    for (size_t i = FOLDER_COUNT; i > 0; i--) {
        (void)rmdir(folders[i - 1]);
    }
    return 0;
}

/* Run `weir check` with up to 3 arguments; its standard output lands in `output`. */
static int check(const char *const arguments[3], char *output, size_t output_size)
{
    char copies[4][64] = {"check"};
    char *argv[5] = {copies[0]};
    int argc = 1;

    for (; argc < 4 && arguments[argc - 1]; argc++) {
        (void)snprintf(copies[argc], sizeof copies[argc], "%s", arguments[argc - 1]);
        argv[argc] = copies[argc];
    }
    (void)fflush(stdout);
    int terminal = dup(STDOUT_FILENO);
    assert_non_null(freopen(OUTPUT, "wb", stdout));
    int status = sim_command_check(argc, argv);
    (void)fflush(stdout);
    assert_true(dup2(terminal, STDOUT_FILENO) >= 0);
    (void)close(terminal);
    FILE *file = fopen(OUTPUT, "rb");
    assert_non_null(file);
    output[fread(output, 1, output_size - 1, file)] = '\0';
    (void)fclose(file);
    return status;
}

static void each_argument_gets_a_line(void **state)
{
    (void)state;
    static const struct {
        const char *arguments[3];
        int status;
        const char *output;
    } CASES[] = {
        {{FOLDER "/a.json"}, 0, FOLDER "/a.json: ok\n"},
        {{FOLDER "/b"}, 0, "2 files checked, 0 bad\n"},
        {{FOLDER "/b/c/d"}, 0, "1 file checked, 0 bad\n"},
        {{FOLDER "/b/", "-q"}, 0, ""},
        {{FOLDER "/a.json", FOLDER "/bad.json"},
         64,
         FOLDER
         "/a.json: ok\n" FOLDER
         "/bad.json:1: why: missing; required: what the scenario shows: one line of 1 to 2000 "
         "bytes\n2 files checked, 1 bad\n"},
        {{FOLDER},
         64,
         FOLDER
         "/bad.json:1: why: missing; required: what the scenario shows: one line of 1 to 2000 "
         "bytes\n4 files checked, 1 bad\n"},
        {{FOLDER, "-q"},
         64,
         FOLDER
         "/bad.json:1: why: missing; required: what the scenario shows: one line of 1 to 2000 "
         "bytes\n"},
        {{FOLDER "/empty"},
         64,
         FOLDER "/empty: found no scenario; allowed: a folder with *.json in it or below\n"
                "1 file checked, 1 bad\n"},
        {{FOLDER "/none.json"},
         64,
         FOLDER "/none.json: No such file or directory; allowed: a readable file\n"},
        {{FOLDER "/targets.json"},
         64,
         FOLDER "/targets.json:1: targets: found an empty object; allowed: at least one target\n"},
        {{"--set", "seed=-1", FOLDER "/a.json"},
         64,
         "--set seed=-1: seed: found -1; allowed: an integer from 0 to 9223372036854775807\n"},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char output[2000];

        int status = check(CASES[i].arguments, output, sizeof output);
        assert_string_equal(output, CASES[i].output);
        assert_int_equal(status, CASES[i].status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_argument_gets_a_line),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
