/* What result.json says about counters and locks, in small runs that can be counted by hand. */
#include "world_run.h"

#define FILE_NAME "test_result_counters.tmp.json"

/* A limit of 100 a minute on one key. Half a second there, half a second back. */
#define SLOW                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 10, \"fleet\": {\"processes\": 2, \"balance\": {\"kind\": "  \
    "\"weights\", \"weights\": [1, 0]}}, \"store\": {\"round_trip_us\": 1000000},"                 \
    " \"limiter\": {\"coordination\": \"%s\", \"ask_timeout_ms\": 5000%s},"                        \
    " \"plans\": {\"p\": {\"algorithm\": \"window\", \"rate_per_min\": 100}},"                     \
    " \"keys\": {\"k\": {\"plan\": \"p\"}},"                                                       \
    " \"traffic\": {\"keys\": \"k\", \"pattern\": \"burst\", \"requests\": %u},"                   \
    " \"faults\": [{\"kind\": \"crash\", \"processes\": [0], \"from_s\": %s}],"                    \
    " \"expect\": [{\"path\": \"store.keys.mean\", \"min\": 0},"                                   \
    " {\"path\": \"lock.wait_us.max\", \"min\": 0}]}"

static void play(struct world_run *run, const char *coordination, unsigned requests,
                 const char *crash_s)
{
    char text[2000];

    const bool locks = strcmp(coordination, "lock") == 0;
    snprintf(text, sizeof text, SLOW, coordination, locks ? ", \"lock_wait_ms\": 5000" : "",
             requests, crash_s);
    world_run_play(run, FILE_NAME, text, SIM_KERNEL_HEAP);
}

static double number_at(const struct world_run *run, const char *path)
{
    double number = -1;

    assert_true(sim_result_number(run->result.json, path, &number));
    return number;
}

static void assert_number(const struct world_run *run, const char *path, double expected)
{
    const double number = number_at(run, path);

    if (number < expected - 1e-9 || number > expected + 1e-9) {
        fail_msg("%s is %g, not %g", path, number, expected);
    }
}

/* INCRBY at 0.5 s, its answer at 1 s, EXPIRE at 1.5 s. */
static void a_crash_before_the_second_command_leaves_a_key_for_ever(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "two_commands", 1, "0.9");
    assert_number(&run, "store.keys_without_ttl", 1);
    assert_number(&run, "store.keys.at_end", 1);
    assert_number(&run, "store.keys.mean", 10.0 / 11); /* of 0, 1 ... 10 s, all but 0 */
    assert_number(&run, "lock.taken", 0);
    world_run_free(&run);
    play(&run, "two_commands", 1, "1.1");
    assert_number(&run, "store.keys_without_ttl", 0);
    world_run_free(&run);
}

/* SET NX at 0.5 s; it dies at 0.9 s; the lock is free at 1.5 s. */
static void a_lock_of_the_dead_is_held_to_its_end(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lock", 1, "0.9");
    assert_number(&run, "lock.taken", 1);
    assert_number(&run, "lock.held_by_dead", 1);
    assert_true(number_at(&run, "lock.held_by_dead_s") > 0.6 - 1e-4 &&
                number_at(&run, "lock.held_by_dead_s") < 0.6 + 1e-4);
    assert_number(&run, "lock.wait_us.max", 0); /* it never heard that it had it */
    world_run_free(&run);
    /* it dies before the lock is there, and the lock is taken for it all the same */
    play(&run, "lock", 1, "0.4");
    assert_number(&run, "lock.held_by_dead", 1);
    assert_number(&run, "lock.held_by_dead_s", 1);
    world_run_free(&run);
}

static void who_has_the_lock_waited_for_it(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lock", 2, "9");
    assert_number(&run, "lock.taken", 2);
    assert_true(number_at(&run, "lock.missed") >= 1);
    assert_true(number_at(&run, "lock.wait_us.p50") >= 1e6); /* a round trip */
    /* the lock of 1 s was over before its holder could write: 4 round trips would take 4 s */
    assert_number(&run, "lock.ran_out", 1);
    assert_true(number_at(&run, "lock.stale_writes") >= 1);
    world_run_free(&run);
}

static void where_nothing_counts_by_commands_all_is_zero(void **state)
{
    (void)state;
    static const char *const paths[] = {"store.keys.mean",      "store.keys.max",
                                        "store.keys.at_end",    "store.keys_without_ttl",
                                        "store.keys_made_anew", "store.units_made_anew",
                                        "lock.taken",           "lock.missed",
                                        "lock.ran_out",         "lock.stale_writes",
                                        "lock.held_by_dead",    "lock.held_by_dead_s",
                                        "lock.wait_us.p50",     "lock.wait_us.p99"};
    struct world_run run;

    play(&run, "per_request", 5, "5");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_number(&run, paths[i], 0);
    }
    world_run_free(&run);
}

/* 1 ms to the service and back, 1 us in it, 0.7 ms to its store and back. */
static void a_service_with_a_store_behind_it_answers_later(void **state)
{
    (void)state;
    static const char text[] =
        "{\"why\": \"w\", \"duration_s\": 10, \"fleet\": {\"processes\": 1},"
        " \"store\": {\"round_trip_us\": 1000, \"capacity_per_s\": 1000000},"
        " \"limiter\": {\"coordination\": \"service\", \"service_store_us\": 700},"
        " \"plans\": {\"p\": {\"algorithm\": \"window\", \"rate_per_min\": 100}},"
        " \"keys\": {\"k\": {\"plan\": \"p\"}},"
        " \"traffic\": {\"keys\": \"k\", \"pattern\": \"burst\", \"requests\": 1}}";
    struct world_run run;

    world_run_play(&run, FILE_NAME, text, SIM_KERNEL_HEAP);
    assert_number(&run, "latency_us.max", 1701);
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_before_the_second_command_leaves_a_key_for_ever),
        cmocka_unit_test(a_lock_of_the_dead_is_held_to_its_end),
        cmocka_unit_test(who_has_the_lock_waited_for_it),
        cmocka_unit_test(where_nothing_counts_by_commands_all_is_zero),
        cmocka_unit_test(a_service_with_a_store_behind_it_answers_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
