/* Baselines that ask the store for each request, two processes whose commands take turns by hand:
 * what races, what a lock costs, what is left behind. */
#include "world_run.h"

#include "client.h"
#include "counters.h"

#define FILE_NAME "test_client_store.tmp.json"
#define MS UINT64_C(1000000)
#define START SIM_LOCAL_START_NS
#define LIMIT 100

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 600, \"fleet\": {\"processes\": 2}, \"limiter\": {%s},"      \
    " \"plans\": {\"plan\": {\"algorithm\": \"window\", \"rate_per_min\": 100}},"                  \
    " \"keys\": {\"a\": {\"plan\": \"plan\"}},"                                                    \
    " \"traffic\": {\"keys\": \"a\", \"demand_ratio\": 1}}"

struct pair {
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_client *clients[2];
    struct sim_counters counters;
    struct sim_keyspace keyspace;
};

static struct sim_client *new_client(const struct pair *pair, uint32_t process)
{
    switch (pair->scenario.coordination) {
    case SIM_COORDINATION_READ_THEN_WRITE:
        return sim_client_read_then_write_new(&pair->catalog, process);
    case SIM_COORDINATION_TWO_COMMANDS:
        return sim_client_two_commands_new(&pair->catalog, process);
    case SIM_COORDINATION_LOCK:
        return sim_client_lock_new(&pair->catalog, process, 0);
    case SIM_COORDINATION_LEASE:
    case SIM_COORDINATION_PER_REQUEST:
    case SIM_COORDINATION_AS_WRITTEN:
    case SIM_COORDINATION_SERVICE:
    case SIM_COORDINATION_LOCAL_SPLIT:
    case SIM_COORDINATION_ASYNC_SYNC:
    case SIM_COORDINATION_RATE_SHARE:
    case SIM_COORDINATION_COUNT:
        break;
    }
    fail();
    return NULL;
}

static void open_pair(struct pair *pair, const char *limiter)
{
    char text[2000];

    snprintf(text, sizeof text, TEXT, limiter);
    world_run_load(&pair->scenario, FILE_NAME, text);
    sim_catalog_init(&pair->catalog, &pair->scenario);
    pair->counters = (struct sim_counters){0};
    sim_keyspace_init(&pair->keyspace, sim_store_us(0), 600000000);
    for (uint32_t i = 0; i < 2; i++) {
        pair->clients[i] = new_client(pair, i);
    }
}

static void close_pair(struct pair *pair)
{
    for (uint32_t i = 0; i < 2; i++) {
        pair->clients[i]->operations->free(pair->clients[i]);
    }
    sim_counters_deinit(&pair->counters);
    sim_keyspace_deinit(&pair->keyspace);
    sim_catalog_deinit(&pair->catalog);
    sim_scenario_free(&pair->scenario);
}

static void begin(struct pair *pair, uint32_t process, uint64_t time_ns, uint32_t cost_units)
{
    const struct sim_demand demand = {0, cost_units, UINT32_MAX};
    struct sim_client *client = pair->clients[process];

    assert_int_equal(client->operations->decide(client, START + time_ns, &demand).verdict,
                     WEIR_VERDICT_PENDING);
}

/* The next command of a process, as it leaves. */
static struct sim_exchange send(struct pair *pair, uint32_t process, uint64_t time_ns)
{
    struct sim_client *client = pair->clients[process];
    struct sim_exchange exchange = {.process = process};

    assert_true(client->operations->next_exchange(client, START + time_ns, &exchange));
    return exchange;
}

/* ... carried out, and answered at once. Returns its kind. */
static enum sim_exchange_kind step(struct pair *pair, uint32_t process, uint64_t time_ns)
{
    struct sim_client *client = pair->clients[process];
    struct sim_exchange exchange = send(pair, process, time_ns);

    sim_counters_serve(&pair->counters, &pair->keyspace, &exchange, sim_store_us(time_ns));
    assert_true(client->operations->reply(client, START + time_ns, &exchange));
    return exchange.kind;
}

static bool is_settled(struct pair *pair, uint32_t process, struct weir_decision *decision)
{
    struct weir_settled settled;
    struct sim_client *client = pair->clients[process];
    const bool is = client->operations->next_settled(client, &settled);

    *decision = settled.decision;
    return is;
}

static bool is_admitted(struct pair *pair, uint32_t process)
{
    struct weir_decision decision;

    assert_true(is_settled(pair, process, &decision));
    return decision.verdict == WEIR_VERDICT_ADMITTED;
}

static uint64_t counter(const struct pair *pair, uint64_t time_ns)
{
    return sim_counters_count(&pair->counters, sim_store_us(time_ns) / 60000000,
                              sim_store_us(time_ns));
}

static void expire(struct pair *pair, uint32_t process)
{
    struct sim_client *client = pair->clients[process];

    client->operations->expire(client, client->operations->next_deadline_ns(client));
}

/* ---- read, then write ---- */

/* A whole request of one process, by nobody disturbed. */
static bool read_and_write(struct pair *pair, uint32_t process, uint64_t time_ns)
{
    begin(pair, process, time_ns, 1);
    assert_int_equal(step(pair, process, time_ns), SIM_EXCHANGE_GET);
    if (counter(pair, time_ns) < LIMIT) {
        (void)step(pair, process, time_ns);
    }
    return is_admitted(pair, process);
}

static void one_after_another_they_admit_the_limit(void **state)
{
    (void)state;
    struct pair pair;
    uint32_t admitted = 0;

    open_pair(&pair, "\"coordination\": \"read_then_write\"");
    for (uint32_t i = 0; i < 2 * LIMIT; i++) {
        admitted += read_and_write(&pair, i % 2, i * MS);
    }
    assert_int_equal(admitted, LIMIT);
    close_pair(&pair);
}

/* 99 are admitted; both read 99; both write. */
static void play_race(const char *limiter, uint64_t last_count)
{
    struct pair pair;

    open_pair(&pair, limiter);
    for (uint32_t i = 0; i < LIMIT - 1; i++) {
        assert_true(read_and_write(&pair, 0, i));
    }
    begin(&pair, 0, MS, 1);
    begin(&pair, 1, MS, 1);
    assert_int_equal(step(&pair, 0, MS), SIM_EXCHANGE_GET);
    assert_int_equal(step(&pair, 1, MS), SIM_EXCHANGE_GET);
    (void)step(&pair, 0, MS);
    (void)step(&pair, 1, MS);
    assert_true(is_admitted(&pair, 0));
    assert_true(is_admitted(&pair, 1)); /* number 101 */
    assert_int_equal(counter(&pair, MS), last_count);
    assert_false(read_and_write(&pair, 0, 2 * MS));
    close_pair(&pair);
}

static void two_that_read_the_same_admit_101_of_100(void **state)
{
    (void)state;
    play_race("\"coordination\": \"read_then_write\"", LIMIT); /* one write is lost */
    play_race("\"coordination\": \"read_then_write\", \"write\": \"add\"", LIMIT + 1);
}

/* Each pair of requests that read the same count leaves one: twice the limit. */
static void with_every_write_lost_two_admit_200_of_100(void **state)
{
    (void)state;
    struct pair pair;
    uint32_t admitted = 0;

    open_pair(&pair, "\"coordination\": \"read_then_write\"");
    while (counter(&pair, MS) < LIMIT) {
        begin(&pair, 0, MS, 1);
        begin(&pair, 1, MS, 1);
        (void)step(&pair, 0, MS);
        (void)step(&pair, 1, MS);
        (void)step(&pair, 0, MS);
        (void)step(&pair, 1, MS);
        admitted += is_admitted(&pair, 0);
        admitted += is_admitted(&pair, 1);
    }
    assert_int_equal(admitted, 2 * LIMIT);
    close_pair(&pair);
}

static void a_denied_client_hears_of_the_next_window(void **state)
{
    (void)state;
    struct pair pair;
    struct weir_decision decision;

    open_pair(&pair, "\"coordination\": \"read_then_write\"");
    begin(&pair, 0, 15000 * MS, LIMIT + 1);
    (void)step(&pair, 0, 15000 * MS);
    assert_true(is_settled(&pair, 0, &decision));

    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.retry_after_ns,
                     (60000000 - sim_store_us(15000 * MS) % 60000000) * 1000);
    close_pair(&pair);
}

/* A doubled answer to the GET is not that to the SET. */
static void an_answer_that_comes_twice_is_taken_once(void **state)
{
    (void)state;
    struct pair pair;
    struct weir_decision decision;

    open_pair(&pair, "\"coordination\": \"read_then_write\"");
    struct sim_client *client = pair.clients[0];
    begin(&pair, 0, MS, LIMIT);
    struct sim_exchange read = send(&pair, 0, MS);
    sim_counters_serve(&pair.counters, &pair.keyspace, &read, sim_store_us(MS));
    assert_true(client->operations->reply(client, START + MS, &read));
    assert_false(client->operations->reply(client, START + MS, &read));
    assert_false(is_settled(&pair, 0, &decision));
    assert_int_equal(step(&pair, 0, MS), SIM_EXCHANGE_SET);
    assert_true(is_admitted(&pair, 0)); /* the whole limit, and not a unit more */
    assert_false(read_and_write(&pair, 1, 2 * MS));
    close_pair(&pair);
}

static void without_an_answer_it_fails_open_or_closed(void **state)
{
    (void)state;
    static const struct {
        const char *limiter;
        enum weir_verdict verdict;
    } cases[] = {
        {"\"coordination\": \"read_then_write\"", WEIR_VERDICT_ADMITTED},
        {"\"coordination\": \"read_then_write\", \"degraded\": \"closed\"", WEIR_VERDICT_DENIED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pair pair;
        struct weir_decision decision;
        open_pair(&pair, cases[i].limiter);
        begin(&pair, 0, MS, 1);
        struct sim_exchange late = send(&pair, 0, MS);
        assert_int_equal(pair.clients[0]->operations->next_deadline_ns(pair.clients[0]),
                         START + 6 * MS);
        expire(&pair, 0);
        assert_true(is_settled(&pair, 0, &decision));
        assert_int_equal(decision.verdict, cases[i].verdict);
        assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
        assert_false(pair.clients[0]->operations->reply(pair.clients[0], START + 7 * MS, &late));
        assert_int_equal(pair.clients[0]->operations->next_deadline_ns(pair.clients[0]),
                         UINT64_MAX);
        close_pair(&pair);
    }
}

/* ---- two commands ---- */

static void the_first_of_a_window_sets_the_time_to_live(void **state)
{
    (void)state;
    struct pair pair;
    struct weir_decision decision;

    open_pair(&pair, "\"coordination\": \"two_commands\"");
    begin(&pair, 0, MS, 2);
    assert_int_equal(step(&pair, 0, MS), SIM_EXCHANGE_INCREMENT);
    assert_false(is_settled(&pair, 0, &decision)); /* it waits for the second */
    assert_int_equal(pair.keyspace.without_ttl, 1);
    assert_int_equal(step(&pair, 0, MS), SIM_EXCHANGE_EXPIRE);
    assert_true(is_admitted(&pair, 0));
    assert_int_equal(pair.keyspace.without_ttl, 0);
    begin(&pair, 1, 2 * MS, 98);
    (void)step(&pair, 1, 2 * MS);
    assert_true(is_admitted(&pair, 1));
    begin(&pair, 1, 3 * MS, 1);
    (void)step(&pair, 1, 3 * MS);
    assert_false(is_admitted(&pair, 1));
    close_pair(&pair);
}

static void whoever_dies_in_between_leaves_a_counter_for_ever(void **state)
{
    (void)state;
    struct pair pair;

    open_pair(&pair, "\"coordination\": \"two_commands\"");
    begin(&pair, 0, MS, 1);
    (void)step(&pair, 0, MS);
    (void)send(&pair, 0, MS); /* the EXPIRE is lost with its sender */
    begin(&pair, 1, 2 * MS, 1);
    (void)step(&pair, 1, 2 * MS);
    assert_true(is_admitted(&pair, 1)); /* not the first: nobody sets it any more */
    assert_int_equal(pair.keyspace.without_ttl, 1);
    close_pair(&pair);
}

/* ---- lock ---- */

static void under_a_lock_nobody_reads_in_between(void **state)
{
    (void)state;
    static const enum sim_exchange_kind rest[] = {SIM_EXCHANGE_GET, SIM_EXCHANGE_SET,
                                                  SIM_EXCHANGE_UNLOCK};
    struct pair pair;
    struct weir_decision decision;

    open_pair(&pair, "\"coordination\": \"lock\"");
    begin(&pair, 0, MS, LIMIT);
    begin(&pair, 1, MS, 1);
    assert_int_equal(step(&pair, 0, MS), SIM_EXCHANGE_LOCK);
    assert_int_equal(step(&pair, 1, MS), SIM_EXCHANGE_LOCK); /* in vain */
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(step(&pair, 0, MS), rest[i]);
    }
    assert_true(is_admitted(&pair, 0));
    assert_false(is_settled(&pair, 1, &decision));
    assert_in_range(pair.clients[1]->operations->next_deadline_ns(pair.clients[1]), START + MS + 1,
                    START + 3 * MS); /* within lock_retry_ms */
    expire(&pair, 1);
    assert_int_equal(step(&pair, 1, 3 * MS), SIM_EXCHANGE_LOCK);
    assert_int_equal(step(&pair, 1, 3 * MS), SIM_EXCHANGE_GET);
    assert_int_equal(step(&pair, 1, 3 * MS), SIM_EXCHANGE_UNLOCK); /* denied: no write */
    assert_false(is_admitted(&pair, 1));
    close_pair(&pair);
}

static void a_lock_of_the_dead_is_waited_for_and_then_given_up(void **state)
{
    (void)state;
    struct pair pair;
    struct weir_decision decision;
    uint64_t now_ns = MS;

    open_pair(&pair, "\"coordination\": \"lock\", \"lock_wait_ms\": 300, \"degraded\": \"closed\"");
    begin(&pair, 0, MS, 1);
    (void)step(&pair, 0, MS); /* has it, and is not heard of again */
    begin(&pair, 1, MS, 1);
    while (!is_settled(&pair, 1, &decision)) {
        (void)step(&pair, 1, now_ns);
        now_ns = pair.clients[1]->operations->next_deadline_ns(pair.clients[1]) - START;
        expire(&pair, 1);
    }
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    assert_in_range(now_ns, 301 * MS, 429 * MS); /* the last wait is at most 128 ms */
    close_pair(&pair);
}

/* A clock that was set back a day does not hold requests up for a day. */
static void waits_go_on_when_the_clock_is_set_back(void **state)
{
    (void)state;
    struct pair pair;
    struct weir_decision decision;
    const uint64_t day_ns = UINT64_C(86400) * 1000 * MS;
    open_pair(&pair, "\"coordination\": \"lock\", \"degraded\": \"closed\"");
    const struct sim_client_operations *operations = pair.clients[0]->operations;
    begin(&pair, 0, 0, 1);
    (void)send(&pair, 0, 0); /* and lost */

    const uint64_t due_ns = operations->next_deadline_ns(pair.clients[0]);
    assert_int_equal(due_ns, START + 5 * MS);
    operations->expire(pair.clients[0], START + MS - day_ns);
    assert_false(is_settled(&pair, 0, &decision));
    const uint64_t then_ns = operations->next_deadline_ns(pair.clients[0]);
    assert_in_range(then_ns, START + MS - day_ns, START + MS - day_ns + 5 * MS);
    operations->expire(pair.clients[0], then_ns);
    assert_true(is_settled(&pair, 0, &decision));
    close_pair(&pair);
}

static void a_lock_whose_answer_is_lost_is_not_given_up(void **state)
{
    (void)state;
    struct pair pair;
    struct weir_decision decision;

    open_pair(&pair, "\"coordination\": \"lock\"");
    begin(&pair, 0, MS, 1);
    struct sim_exchange taken = send(&pair, 0, MS);
    sim_counters_serve(&pair.counters, &pair.keyspace, &taken, sim_store_us(MS));
    expire(&pair, 0);
    assert_true(is_settled(&pair, 0, &decision));
    assert_int_equal(decision.mode, WEIR_MODE_DEGRADED);
    begin(&pair, 1, 2 * MS, 1);
    (void)step(&pair, 1, 2 * MS);
    assert_int_equal(pair.keyspace.lock_miss_count, 1);
    close_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_another_they_admit_the_limit),
        cmocka_unit_test(two_that_read_the_same_admit_101_of_100),
        cmocka_unit_test(with_every_write_lost_two_admit_200_of_100),
        cmocka_unit_test(a_denied_client_hears_of_the_next_window),
        cmocka_unit_test(an_answer_that_comes_twice_is_taken_once),
        cmocka_unit_test(without_an_answer_it_fails_open_or_closed),
        cmocka_unit_test(the_first_of_a_window_sets_the_time_to_live),
        cmocka_unit_test(whoever_dies_in_between_leaves_a_counter_for_ever),
        cmocka_unit_test(under_a_lock_nobody_reads_in_between),
        cmocka_unit_test(a_lock_of_the_dead_is_waited_for_and_then_given_up),
        cmocka_unit_test(waits_go_on_when_the_clock_is_set_back),
        cmocka_unit_test(a_lock_whose_answer_is_lost_is_not_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
