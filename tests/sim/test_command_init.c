/* `weir init`: what it writes is accepted and runs, what it asks, and what it leaves alone. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command_init.h"
#include "scenario.h"

#define FOLDER "test_command_init.tmp"
#define OUTPUT_SIZE 65536

static char out[OUTPUT_SIZE];
static char err[OUTPUT_SIZE];

static int make_folder(void **state)
{
    (void)state;
    (void)system("rm -rf " FOLDER);
    return mkdir(FOLDER, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " FOLDER);
}

static void read_file(const char *name, char text[OUTPUT_SIZE])
{
    FILE *file = fopen(name, "rb");

    assert_non_null(file);
    text[fread(text, 1, OUTPUT_SIZE - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

/* Runs the program as a shell would, without a terminal; fills out and err. Returns the exit
 * status. */
static int weir(const char *arguments)
{
    char command[2000];

    snprintf(command, sizeof command,
             "'" WEIR_PROGRAM "' %s </dev/null >" FOLDER "/out 2>" FOLDER "/err", arguments);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    read_file(FOLDER "/out", out);
    read_file(FOLDER "/err", err);
    return WEXITSTATUS(status);
}

static void load(struct sim_scenario *scenario, const char *path)
{
    struct sim_error error;

    if (!sim_scenario_load(scenario, path, NULL, 0, &error)) {
        fail_msg("%s", error.text);
    }
}

static int file_count(void)
{
    FILE *list = popen("ls -A " FOLDER " | grep -v -x -e out -e err | wc -l", "r");
    int count = -1;

    assert_non_null(list);
    assert_int_equal(fscanf(list, "%d", &count), 1);
    assert_int_equal(pclose(list), 0);
    return count;
}

static void without_a_terminal_the_defaults_are_taken(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    assert_int_equal(weir("init " FOLDER "/plain"), 0);
    assert_string_equal(err, "");
    assert_non_null(strstr(out, "weir run " FOLDER "/plain.json\n"));
    load(&scenario, FOLDER "/plain.json");
    assert_string_equal(scenario.name, "plain");
    assert_int_equal(scenario.duration_ns, 300000000000);
    assert_int_equal(scenario.process_count, 50);
    assert_int_equal(scenario.balance.before.kind, SIM_BALANCE_ZIPF);
    assert_int_equal(scenario.round_trip_ns, 500000);
    assert_int_equal(scenario.plans[0].algorithm, SIM_ALGORITHM_BUCKET);
    assert_int_equal(scenario.plans[0].rate_units, 10000);
    assert_int_equal(scenario.plans[0].rate_period_us, 60000000);
    assert_int_equal(scenario.plans[0].capacity_units, 1666);
    assert_int_equal(scenario.traffic[0].demand_ppm, 1500000);
    assert_int_equal(scenario.expectation_count, 5);
    sim_scenario_free(&scenario);
}

static void every_flag_reaches_the_file(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    assert_int_equal(
        weir("init --limit 999 --algorithm bucket --capacity 2.5 --processes 2 "
             "--balance sticky --demand 0.75 --duration 7.5 --round-trip 1234.5 " FOLDER
             "/flags.json"),
        0);
    load(&scenario, FOLDER "/flags.json");
    assert_int_equal(scenario.plans[0].rate_units, 999);
    assert_int_equal(scenario.plans[0].capacity_units, 41);
    assert_int_equal(scenario.process_count, 2);
    assert_int_equal(scenario.balance.before.kind, SIM_BALANCE_STICKY);
    assert_int_equal(scenario.balance.before.process_count, 2);
    assert_int_equal(scenario.traffic[0].demand_ppm, 750000);
    assert_int_equal(scenario.duration_ns, 7500000000);
    assert_int_equal(scenario.round_trip_ns, 1234500);
    assert_int_equal(scenario.expectation_count, 3); /* 1 % would be less than a request */
    sim_scenario_free(&scenario);
}

static void every_algorithm_and_balance_is_accepted(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"bucket", "window", "sliding", "log", "unlimited"};
    static const char *const balances[] = {"uniform", "zipf", "sticky"};

    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 3; j++) {
            char arguments[200];
            (void)snprintf(arguments, sizeof arguments,
                           "init --force " FOLDER "/every --algorithm %s --balance %s",
                           algorithms[i], balances[j]);
            assert_int_equal(weir(arguments), 0);
            assert_int_equal(weir("check " FOLDER "/every.json"), 0);
            assert_string_equal(out, FOLDER "/every.json: ok\n");
        }
    }
}

static void leased_plans_pass_with_every_balance(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"bucket", "window"};
    static const char *const balances[] = {"uniform", "zipf", "sticky"};

    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++) {
            char arguments[200];
            (void)snprintf(arguments, sizeof arguments,
                           "init --force " FOLDER "/run --duration 70 --limit 6000 --algorithm %s "
                           "--balance %s",
                           algorithms[i], balances[j]);
            assert_int_equal(weir(arguments), 0);
            assert_int_equal(weir("run --kernel heap " FOLDER "/run.json"), 0);
            assert_non_null(strstr(out, "PASS"));
        }
    }
}

static void what_is_there_is_replaced_by_force_only(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    assert_int_equal(weir("init --processes 3 " FOLDER "/kept"), 0);
    assert_int_equal(weir("init --processes 4 " FOLDER "/kept.json"), 64);
    assert_string_equal(err, "weir: " FOLDER "/kept.json: exists already; allowed: another "
                             "name, or --force to replace it\n");
    load(&scenario, FOLDER "/kept.json");
    assert_int_equal(scenario.process_count, 3);
    sim_scenario_free(&scenario);
    assert_int_equal(weir("init --force --processes 4 " FOLDER "/kept"), 0);
    load(&scenario, FOLDER "/kept.json");
    assert_int_equal(scenario.process_count, 4);
    sim_scenario_free(&scenario);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        const char *error;
    } CASES[] = {
        {"init " FOLDER "/no/such", "weir: " FOLDER "/no/such.json.new: No such file"},
        {"init " FOLDER "/", "weir: " FOLDER "/.json: no name; allowed: a file's name"},
        {"init ''", "weir: .json: no name; allowed: a file's name"},
        {"init " FOLDER "/log --algorithm log --limit 2000000",
         "weir: " FOLDER "/log.json: plans.standard.rate_per_min: found 2000000; allowed: at "
         "most 1000000 units"},
        {"init " FOLDER "/long --limit 10000000 --demand 1000 --duration 86400",
         "weir: " FOLDER "/long.json: traffic[0]: found about 14400000000000 requests"},
    };
    const int count = file_count();

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_int_equal(weir(CASES[i].arguments), 64);
        assert_string_equal(out, "");
        if (strncmp(err, CASES[i].error, strlen(CASES[i].error)) != 0) {
            fail_msg("%s: %s", CASES[i].arguments, err);
        }
        assert_int_equal(file_count(), count);
    }
}

static void a_draft_of_somebody_else_is_left_alone(void **state)
{
    (void)state;
    static const char path[] = FOLDER "/mine.json.new";
    FILE *file = fopen(path, "wb");
    char text[OUTPUT_SIZE];

    assert_non_null(file);
    assert_true(fputs("precious", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(weir("init --force " FOLDER "/mine"), 64);
    assert_non_null(strstr(err, "mine.json.new: File exists"));
    read_file(path, text);
    assert_string_equal(text, "precious");
}

static void a_bad_flag_says_what_is_allowed(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        const char *error;
    } CASES[] = {
        {"--limit 0", "--limit: found \"0\"; allowed: an integer from 1 to 10000000"},
        {"--limit 1.5", "--limit: found \"1.5\"; allowed: an integer"},
        {"--limit 1e3", "--limit: found \"1e3\"; allowed: an integer"},
        {"--limit ''", "--limit: found \"\"; allowed: an integer"},
        {"--limit 99999999999999999999", "allowed: an integer from 1 to 10000000"},
        {"--algorithm leaky", "allowed: bucket, window, sliding, log, unlimited"},
        {"--balance flip", "--balance: found \"flip\"; allowed: uniform, zipf, sticky"},
        {"--demand 0", "--demand: found \"0\"; allowed: a number from 0.001 to 1000"},
        {"--demand nan", "--demand: found \"nan\""},
        {"--demand 1.2.3", "--demand: found \"1.2.3\""},
        {"--duration 0x10", "--duration: found \"0x10\"; allowed: a number from 1 to 86400"},
        {"--processes 1001", "allowed: an integer from 1 to 1000"},
        {"--round-trip -1", "--round-trip: found \"-1\""},
        {"--algorithm window --capacity 5", "--capacity: found beside another algorithm"},
        {"other", "one file at a time"},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char arguments[200];
        (void)snprintf(arguments, sizeof arguments, "init " FOLDER "/bad %s", CASES[i].arguments);
        assert_int_equal(weir(arguments), 64);
        assert_non_null(strstr(err, CASES[i].error));
    }
    assert_int_equal(weir("init"), 64);
    assert_non_null(strstr(err, "the name of the file to write is missing"));
    assert_int_equal(access(FOLDER "/bad.json", F_OK), -1);
}

static void the_schema_is_named_where_one_is_found(void **state)
{
    (void)state;
    char text[OUTPUT_SIZE];

    /* deep enough that no other schema is within reach */
    assert_int_equal(system("mkdir -p " FOLDER "/1/2/3/4/a/scenarios " FOLDER "/1/2/3/4/a/b"), 0);
    assert_int_equal(weir("init " FOLDER "/1/2/3/4/a/b/without"), 0);
    read_file(FOLDER "/1/2/3/4/a/b/without.json", text);
    assert_null(strstr(text, "$schema"));
    assert_int_equal(fclose(fopen(FOLDER "/1/2/3/4/a/scenarios/scenario.schema.json", "wb")), 0);
    assert_int_equal(weir("init " FOLDER "/1/2/3/4/a/b/with"), 0);
    read_file(FOLDER "/1/2/3/4/a/b/with.json", text);
    assert_non_null(strstr(text, "\"$schema\": \"../scenarios/scenario.schema.json\""));
    assert_int_equal(weir("init " FOLDER "/1/2/3/4/a/scenarios/beside"), 0);
    read_file(FOLDER "/1/2/3/4/a/scenarios/beside.json", text);
    assert_non_null(strstr(text, "\"$schema\": \"scenario.schema.json\""));
}

/* Ask with these bytes as the answers; what was asked lands in `out`. */
static bool ask_bytes(struct sim_answers *answers, const char *bytes, size_t size)
{
    FILE *in = tmpfile();
    FILE *asked = tmpfile();

    assert_non_null(in);
    assert_non_null(asked);
    assert_int_equal(fwrite(bytes, 1, size, in), size);
    rewind(in);
    const bool answered = sim_answers_ask(answers, in, asked);
    rewind(asked);
    out[fread(out, 1, OUTPUT_SIZE - 1, asked)] = '\0';
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(asked), 0);
    return answered;
}

static bool ask(struct sim_answers *answers, const char *lines)
{
    return ask_bytes(answers, lines, strlen(lines));
}

static void an_empty_answer_is_the_default(void **state)
{
    (void)state;
    struct sim_answers answers;

    sim_answers_init(&answers);
    assert_true(ask(&answers, "\n\n \t\r\n\n\n\n\n\n"));
    assert_int_equal(answers.template.limit_units, 10000);
    assert_int_equal(answers.template.algorithm, SIM_ALGORITHM_BUCKET);
    assert_int_equal(answers.template.process_count, 50);
    assert_int_equal(answers.template.balance, SIM_BALANCE_ZIPF);
    assert_true(answers.template.demand_ratio >= 1.5 && answers.template.demand_ratio <= 1.5);
    assert_string_equal(out, "Requests a minute that a customer may make [10000]: "
                             "Algorithm (bucket, window, sliding, log, unlimited) [bucket]: "
                             "Burst, in seconds of that rate [10]: "
                             "Processes that serve the requests [50]: "
                             "How the load balancer spreads requests (uniform, zipf, sticky) "
                             "[zipf]: Demand, as a multiple of the limit [1.5]: "
                             "Seconds to simulate [300]: "
                             "Microseconds to the store and back [500]: ");
}

static void a_bad_answer_is_asked_again(void **state)
{
    (void)state;
    struct sim_answers answers;

    sim_answers_init(&answers);
    assert_true(ask(&answers, "many\n0\n 600 \nwindow\n8\nsticky\n2\n60\n1000"));
    assert_int_equal(answers.template.limit_units, 600);
    assert_int_equal(answers.template.algorithm, SIM_ALGORITHM_WINDOW);
    assert_int_equal(answers.template.process_count, 8);
    assert_int_equal(answers.template.balance, SIM_BALANCE_STICKY);
    assert_true(answers.template.round_trip_us >= 1000 && answers.template.round_trip_us <= 1000);
    assert_non_null(strstr(out, "[10000]:   found \"many\"; allowed: an integer from 1 to "
                                "10000000\nRequests a minute"));
    assert_null(strstr(out, "Burst")); /* only buckets have one */
}

static void what_a_flag_said_is_not_asked(void **state)
{
    (void)state;
    struct sim_answers answers;

    sim_answers_init(&answers);
    for (int i = 0; i < SIM_QUESTION_COUNT; i++) {
        answers.given[i] = i != SIM_QUESTION_DEMAND;
    }
    assert_true(ask(&answers, "3\n"));
    assert_string_equal(out, "Demand, as a multiple of the limit [1.5]: ");
    assert_true(answers.template.demand_ratio >= 3 && answers.template.demand_ratio <= 3);
}

static void questions_without_an_answer_are_no_answer(void **state)
{
    (void)state;
    struct sim_answers answers;
    char line[1000];

    sim_answers_init(&answers);
    assert_false(ask(&answers, "100\n"));
    memset(line, '7', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    assert_false(ask(&answers, line)); /* longer than any answer: asked again, at the end */
    assert_int_equal(answers.template.limit_units, 100);
    assert_false(ask_bytes(&answers, "\0\n7\0\n", 5)); /* neither an empty line nor a number */
    assert_non_null(strstr(out, "found \"?\"; allowed"));
    assert_int_equal(answers.template.limit_units, 100);
}

/* The program with a pseudo-terminal as its standard input, on which these lines were typed. */
static int weir_on_terminal(const char *name, const char *typed)
{
    int status = 0;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);

    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    const int typing = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(typing >= 0);
    assert_int_equal(write(terminal, typed, strlen(typed)), strlen(typed));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int silent = open(FOLDER "/out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        (void)dup2(typing, STDIN_FILENO);
        (void)dup2(silent, STDOUT_FILENO);
        (void)dup2(silent, STDERR_FILENO);
        (void)execl(WEIR_PROGRAM, "weir", "init", "--processes", "5", name, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)close(typing);
    (void)close(terminal);
    read_file(FOLDER "/out", out);
    return WEXITSTATUS(status);
}

static void on_a_terminal_questions_are_asked(void **state)
{
    (void)state;
    struct sim_scenario scenario;

    assert_int_equal(weir_on_terminal(FOLDER "/asked", "6000\nwindow\n\n\n20\n\n"), 0);
    assert_non_null(strstr(out, "Algorithm ("));
    assert_null(strstr(out, "Processes that serve"));
    load(&scenario, FOLDER "/asked.json");
    assert_int_equal(scenario.plans[0].rate_units, 6000);
    assert_int_equal(scenario.plans[0].algorithm, SIM_ALGORITHM_WINDOW);
    assert_int_equal(scenario.process_count, 5);
    assert_int_equal(scenario.duration_ns, 20000000000);
    sim_scenario_free(&scenario);
}

static void a_terminal_that_hangs_up_writes_nothing(void **state)
{
    (void)state;
    assert_int_equal(weir_on_terminal(FOLDER "/hung", "6000\n\004"), 64);
    assert_non_null(strstr(out, "not written: the questions were not answered"));
    assert_int_equal(access(FOLDER "/hung.json", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_terminal_the_defaults_are_taken),
        cmocka_unit_test(every_flag_reaches_the_file),
        cmocka_unit_test(every_algorithm_and_balance_is_accepted),
        cmocka_unit_test(leased_plans_pass_with_every_balance),
        cmocka_unit_test(what_is_there_is_replaced_by_force_only),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
        cmocka_unit_test(a_draft_of_somebody_else_is_left_alone),
        cmocka_unit_test(a_bad_flag_says_what_is_allowed),
        cmocka_unit_test(the_schema_is_named_where_one_is_found),
        cmocka_unit_test(an_empty_answer_is_the_default),
        cmocka_unit_test(a_bad_answer_is_asked_again),
        cmocka_unit_test(what_a_flag_said_is_not_asked),
        cmocka_unit_test(questions_without_an_answer_are_no_answer),
        cmocka_unit_test(on_a_terminal_questions_are_asked),
        cmocka_unit_test(a_terminal_that_hangs_up_writes_nothing),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
