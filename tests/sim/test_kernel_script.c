/* Small scripts of events and messages: the order of one instant, what limited bandwidth does, what
 * a kernel refuses, and that the program stays in charge of itself when SimGrid is in it. */
#include "kernel.h"

#include "kernel_journal.h"
#include "unit.h"
#include "weir/assert.h"

#include <signal.h>

#define MS UINT64_C(1000000)

#define ONE_WAY_NS (MS / 2)
#define BANDWIDTH_BYTES_PER_S 1000 /* a message of 100 bytes takes 100 ms, alone on its link */

/* Nodes of all scripts: three processes, then two shards. */
enum script_node { P0 = 0, P1, P2, S0, S1 };

struct script_message {
    uint64_t send_ns;
    uint32_t from;
    uint32_t to;
    uint32_t size_bytes;
};

struct script {
    const char *name;
    enum sim_kernel_kind kind;
    uint64_t bandwidth_bytes_per_s;
    struct script_message messages[6]; /* payload: the index; ends where size_bytes is 0 */
    uint64_t tags[2];                  /* events at one_way_ns; 0: none */
};

static void script_on_event(void *context, uint64_t now_ns, uint64_t tag)
{
    journal_event(context, now_ns, tag);
}

static void script_on_message(void *context, uint64_t now_ns, const struct sim_message *message)
{
    journal_message(context, now_ns, message);
}

static struct sim_kernel *script_kernel_new(const struct script *script, struct journal *journal)
{
    struct sim_kernel_options options = {
        .kind = script->kind,
        .process_count = 3,
        .shard_count = 2,
        .one_way_ns = ONE_WAY_NS,
        .bandwidth_bytes_per_s = script->bandwidth_bytes_per_s,
    };
    struct sim_kernel_handlers handlers = {journal, script_on_event, script_on_message};
    char error[100];

    return sim_kernel_new(&options, &handlers, error, sizeof error);
}

static void script_play(void *context, struct journal *journal)
{
    const struct script *script = context;
    struct sim_kernel *kernel = script_kernel_new(script, journal);

    assert_non_null(kernel);
    assert_int_equal(sim_kernel_latency_is_exact(kernel), script->bandwidth_bytes_per_s == 0);
    for (size_t i = 0; i < 6 && script->messages[i].size_bytes > 0; i++) {
        const struct script_message *line = &script->messages[i];
        struct sim_message message = {line->from, line->to, line->size_bytes, NULL};

        message.payload = (void *)(uintptr_t)i;
        sim_kernel_send(kernel, line->send_ns, &message);
    }
    for (size_t i = 0; i < 2 && script->tags[i] != 0; i++) {
        sim_kernel_at(kernel, ONE_WAY_NS, script->tags[i]);
    }
    assert_true(sim_kernel_run(kernel));
    sim_kernel_free(kernel);
}

static void one_instant_has_the_order_promised(void **state)
{
    (void)state;
    static const uint64_t IDS[] = {7, UINT64_MAX, 0, 1, 4, 2, 3, 5};
    struct script script = {
        .kind = SIM_KERNEL_HEAP,
        .messages = {{0, S1, P2, 1},
                     {0, S1, P2, 1},
                     {0, P2, S0, 1},
                     {0, P1, S1, 1},
                     {0, P1, S0, 1},
                     {0, P2, S1, 1}},
        .tags = {UINT64_MAX, 7},
    };
    struct journal heap = {0};
    struct journal simgrid = {0};

    script_play(&script, &heap);
    script.kind = SIM_KERNEL_SIMGRID;
    journal_record_in_child(&simgrid, script_play, &script);

    assert_int_equal(heap.count, sizeof IDS / sizeof IDS[0]);
    for (size_t i = 0; i < heap.count; i++) {
        assert_int_equal(heap.records[i].time_ns, ONE_WAY_NS);
        assert_int_equal(heap.records[i].id, IDS[i]);
    }
    journal_assert_equal(&simgrid, &heap);
    journal_deinit(&heap);
    journal_deinit(&simgrid);
}

struct contention_case {
    struct script script;
    struct {
        uint64_t id;
        uint64_t time_ms; /* after one_way_ns */
    } expected[4];        /* in order of dispatch */
};

#define LIMITED .kind = SIM_KERNEL_SIMGRID, .bandwidth_bytes_per_s = BANDWIDTH_BYTES_PER_S

static const struct contention_case CONTENTION_CASES[] = {
    {{"alone", LIMITED, .messages = {{0, P0, S0, 100}}}, {{0, 100}}},
    {{"half as long", LIMITED, .messages = {{0, P0, S0, 50}}}, {{0, 50}}},
    {{"two nodes share a link, and tie", LIMITED, .messages = {{0, P1, S0, 100}, {0, P0, S0, 100}}},
     {{1, 200}, {0, 200}}},
    {{"the second comes when the first is half done", LIMITED,
      .messages = {{0, P0, S0, 100}, {50 * MS, P1, S0, 100}}},
     {{0, 150}, {1, 200}}},
    {{"shards have a link each", LIMITED, .messages = {{0, P0, S0, 100}, {0, P0, S1, 100}}},
     {{0, 100}, {1, 100}}},
    {{"directions do not meet", LIMITED, .messages = {{0, P0, S0, 100}, {0, S0, P0, 100}}},
     {{1, 100}, {0, 100}}},
    {{"shards do not wait for each other", LIMITED,
      .messages = {{0, S0, P0, 500}, {1 * MS, S1, P0, 100}}},
     {{1, 101}, {0, 500}}},
    {{"one pair of nodes keeps its order", LIMITED,
      .messages = {{0, P0, S0, 100}, {0, P0, S0, 10}, {0, P1, S0, 20}}},
     {{2, 50}, {0, 130}, {1, 130}}},
};

static void limited_bandwidth_delays_messages(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof CONTENTION_CASES / sizeof CONTENTION_CASES[0]; i++) {
        struct contention_case contention = CONTENTION_CASES[i];
        struct journal journal = {0};

        print_message("  %s\n", contention.script.name);
        journal_record_in_child(&journal, script_play, &contention.script);
        for (size_t k = 0; k < journal.count; k++) {
            uint64_t time_ns = ONE_WAY_NS + contention.expected[k].time_ms * MS;

            assert_int_equal(journal.records[k].id, contention.expected[k].id);
            assert_in_range(journal.records[k].time_ns, time_ns, time_ns + 1);
        }
        assert_true(journal.count > 0);
        journal_deinit(&journal);
    }
}

static void impossible_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct sim_kernel_options options;
        const char *reason;
    } CASES[] = {
        {{SIM_KERNEL_HEAP, 1, 1, 1, 1000}, "bandwidth"},
        {{SIM_KERNEL_HEAP, 0, 1, 1, 0}, "process"},
        {{SIM_KERNEL_SIMGRID, 1, 0, 1, 0}, "shard"},
        {{SIM_KERNEL_SIMGRID, 1, 1, 0, 0}, "one_way_ns"},
        {{SIM_KERNEL_SIMGRID, 30000, 1, 1, 0}, "30,000"},
        {{SIM_KERNEL_SIMGRID, 1000, 16, 1, 1}, "30,000"},
        {{SIM_KERNEL_HEAP, UINT32_MAX, UINT32_MAX, 1, 0}, "too many"},
    };
    struct sim_kernel_handlers handlers = {NULL, script_on_event, script_on_message};

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char error[100] = "";

        assert_null(sim_kernel_new(&CASES[i].options, &handlers, error, sizeof error));
        assert_non_null(strstr(error, CASES[i].reason));
    }
}

static void calls_that_break_the_rules_fail_an_assertion(void **state)
{
    (void)state;
    static const struct sim_message BAD_MESSAGES[] = {
        {P0, P1, 1, NULL}, {S0, S1, 1, NULL}, {P0, S1 + 1, 1, NULL}, {P0, S0, 0, NULL}};
    static const struct sim_message MESSAGE = {P0, S0, 1, NULL};
    struct script script = {.kind = SIM_KERNEL_HEAP};
    struct journal journal = {0};
    struct sim_kernel *kernel = script_kernel_new(&script, &journal);

    for (size_t i = 0; i < sizeof BAD_MESSAGES / sizeof BAD_MESSAGES[0]; i++) {
        expect_assert_failure(sim_kernel_send(kernel, 0, &BAD_MESSAGES[i]));
    }
    expect_assert_failure(sim_kernel_send(kernel, UINT64_MAX, &MESSAGE));
    sim_kernel_at(kernel, 100, 1);
    assert_true(sim_kernel_run(kernel));
    assert_int_equal(sim_kernel_now_ns(kernel), 100);
    expect_assert_failure(sim_kernel_at(kernel, 99, 1));
    expect_assert_failure(sim_kernel_send(kernel, 99, &MESSAGE));

    sim_kernel_free(kernel);
    journal_deinit(&journal);
}

/* Each step that goes as it should adds one to the exit code. */
static int program_with_simgrid(void)
{
    struct script script = {.kind = SIM_KERNEL_SIMGRID};
    struct journal journal = {0};
    int step_count = 0;

    signal(SIGINT, SIG_IGN);
    struct sim_kernel *kernel = script_kernel_new(&script, &journal);
    step_count += kernel != NULL;
    step_count += signal(SIGINT, SIG_IGN) == SIG_IGN;
    sim_kernel_at(kernel, 5, 1);
    sim_kernel_at(kernel, UINT64_C(1000000000000001), 1);
    step_count += !sim_kernel_run(kernel); /* SimGrid's clock does not reach that far */
    step_count += journal.count == 1;
    step_count += sim_kernel_now_ns(kernel) == 5;
    step_count += script_kernel_new(&script, &journal) == NULL; /* the second in this process */
    sim_kernel_free(kernel);
    journal_deinit(&journal);
    return step_count;
}

static void program_stays_in_charge_of_itself(void **state)
{
    (void)state;
    int status = 0;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        exit(program_with_simgrid());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_instant_has_the_order_promised),
        cmocka_unit_test(limited_bandwidth_delays_messages),
        cmocka_unit_test(impossible_options_are_refused),
        cmocka_unit_test(calls_that_break_the_rules_fail_an_assertion),
        cmocka_unit_test(program_stays_in_charge_of_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
