/* `weir why`, the program itself: the chain behind a decision to the letter (tests/golden/why.txt
 * is what it prints), and what it says of input that it cannot use. */
#include "unit.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_FOLDER "test_command_why.tmp"
#define SCENARIO_FILE PROGRAM_FOLDER "/small.json"
#define RESULT PROGRAM_FOLDER "/out"
#define GOLDEN WEIR_SOURCE_DIR "/tests/golden/why.txt"

#include "program.h"
#include "world_run.h"

/* Two units a second, eight wanted: the bucket of ten is empty after two seconds. */
#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"duration_s\": 30, \"fleet\": {\"processes\": 2},"                          \
    " \"store\": {\"round_trip_us\": 500}, "                                                       \
    " \"plans\": {\"gold\": {\"rate_per_s\": 2, \"capacity_units\": 10}},"                         \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}, \"many\": {\"plan\": \"gold\", \"count\": 3}},"    \
    " \"traffic\": [{\"keys\": \"one\", \"demand_ratio\": 4},"                                     \
    " {\"keys\": \"many\", \"pattern\": \"burst\", \"requests\": 2, \"spread_ms\": 1000,"          \
    " \"from_s\": 5}]}"

static char golden[PROGRAM_OUTPUT_SIZE];

static int make_run(void **state)
{
    (void)state;
    (void)mkdir(PROGRAM_FOLDER, 0777);
    world_run_write(SCENARIO_FILE, SCENARIO);
    program_read(GOLDEN, golden);
    return program_run("run " SCENARIO_FILE " --seed 3 --quiet --plots none --out " RESULT);
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " PROGRAM_FOLDER);
}

static void a_denial_is_explained_to_the_letter(void **state)
{
    (void)state;
    assert_int_equal(program_run("why " RESULT " --key one --at 18"), 0);
    assert_string_equal(out, golden);
    assert_string_equal(err, "");
}

static void a_result_may_be_named_by_its_file_and_its_key_in_full(void **state)
{
    (void)state;
    assert_int_equal(program_run("why " RESULT "/result.json --key one/0 --at 18.0"), 0);
    assert_string_equal(out, golden);
}

static void json_says_the_same(void **state)
{
    (void)state;
    json_error_t error;
    const char *verdict;
    const char *key;
    int process;
    json_int_t left;

    assert_int_equal(program_run("why " RESULT " --key one --at 18 --json"), 0);
    json_t *json = json_loads(out, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(json);
    assert_int_equal(json_unpack(json, "{s:s, s:i, s:{s:s}, s:{s:I}}", "key", &key, "process",
                                 &process, "decision", "verdict", &verdict, "store", "left_units",
                                 &left),
                     0);
    assert_string_equal(key, "one/0");
    assert_int_equal(process, 0);
    assert_string_equal(verdict, "denied");
    assert_int_equal(left, 0);
    assert_int_equal(json_array_size(json_object_get(json, "asks")), 6);
    json_decref(json);
}

static void a_process_may_be_named(void **state)
{
    (void)state;
    assert_int_equal(program_run("why " RESULT " --key one --at 18 --process 1"), 0);
    assert_non_null(strstr(out, " s: process 1, cost 1 unit\n"));
}

static void a_scenario_changed_on_the_command_line_is_repeated_so(void **state)
{
    (void)state;
    assert_int_equal(program_run("run " SCENARIO_FILE
                                 " --kernel heap --set traffic[0].demand_ratio=0.5 "
                                 "--quiet --plots none --out " PROGRAM_FOLDER "/set"),
                     0);
    assert_int_equal(program_run("why " PROGRAM_FOLDER "/set --key one --at 25"), 0);
    assert_non_null(strstr(out, "ADMITTED"));
}

static void another_trace_exits_4(void **state)
{
    (void)state;
    json_t *result = json_load_file(RESULT "/result.json", 0, NULL);

    assert_non_null(result);
    json_object_set_new(result, "trace_hash", json_string("0123456789abcdef"));
    assert_int_equal(json_dump_file(result, PROGRAM_FOLDER "/other.json", 0), 0);
    json_decref(result);
    assert_int_equal(program_run("why " PROGRAM_FOLDER "/other.json --key one --at 18"), 4);
    assert_string_equal(out, "");
    assert_non_null(strstr(err, "determinism broken"));
    assert_non_null(strstr(err, "0123456789abcdef"));
}

static void a_scenario_that_was_edited_since_is_refused(void **state)
{
    (void)state;
    world_run_write(SCENARIO_FILE, SCENARIO "\n");
    const int status = program_run("why " RESULT " --key one --at 18");
    world_run_write(SCENARIO_FILE, SCENARIO);

    assert_int_equal(status, 64);
    assert_string_equal(err, "weir: " RESULT "/result.json: its scenario " SCENARIO_FILE
                             " has changed since; run it again\n");
}

static void misuse_exits_64_and_says_what_is_allowed(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {"", "a result is missing"},
        {RESULT " --at 20", "--key KEY is missing"},
        {RESULT " --key one", "--at SECONDS is missing"},
        {RESULT " " RESULT " --key one --at 18", "one result at a time"},
        {RESULT " --key oen --at 20", "--key: found \"oen\"; did you mean \"one\"?"},
        {RESULT " --key mayn/2 --at 20", "did you mean \"many/2\"?"},
        {RESULT " --key nobody --at 20", "--key: found \"nobody\"; allowed: the keys of one, many"},
        {RESULT " --key many --at 20", "--key: found \"many\"; allowed: many/0 to many/2"},
        {RESULT " --key many/3 --at 20", "--key: found \"many/3\"; allowed: many/0 to many/2"},
        {RESULT " --key one/-1 --at 20", "allowed: one/0 to one/0"},
        {RESULT " --key one --at 30", "--at: found \"30\"; allowed: seconds from 0 to below 30"},
        {RESULT " --key one --at 1e1", "--at: found \"1e1\"; allowed: "},
        {RESULT " --key one --at 1.", "--at: found \"1.\"; allowed: "},
        {RESULT " --key one --at ''", "--at: found \"\"; allowed: "},
        {RESULT " --key one --at 1.0000000001", "--at: found \"1.0000000001\"; allowed: "},
        {RESULT " --key one --at 18 --process 2", "--process: found \"2\"; allowed: 0 to 1"},
        {RESULT " --key many/0 --at 20", "many/0 has no request at or after it; the last one came "
                                         "at "},
        {PROGRAM_FOLDER "/none --key one --at 18", "none"},
        {SCENARIO_FILE " --key one --at 18", "found no trace_hash; allowed: the result.json"},
        {RESULT "/timeline.csv --key one --at 18", "is not a JSON object; allowed: "},
        {PROGRAM_FOLDER "/old.json --key one --at 18",
         "did not note how to repeat a run; run it again"},
    };

    world_run_write(PROGRAM_FOLDER "/old.json", "{\"trace_hash\": \"0\"}");
    program_refuses("why ", misuses, sizeof misuses / sizeof misuses[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_denial_is_explained_to_the_letter),
        cmocka_unit_test(a_result_may_be_named_by_its_file_and_its_key_in_full),
        cmocka_unit_test(json_says_the_same),
        cmocka_unit_test(a_process_may_be_named),
        cmocka_unit_test(a_scenario_changed_on_the_command_line_is_repeated_so),
        cmocka_unit_test(another_trace_exits_4),
        cmocka_unit_test(a_scenario_that_was_edited_since_is_refused),
        cmocka_unit_test(misuse_exits_64_and_says_what_is_allowed),
    };

    return cmocka_run_group_tests(tests, make_run, remove_folder);
}
