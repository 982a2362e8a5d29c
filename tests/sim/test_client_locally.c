/* Baselines that decide in the process: what they admit, what they tell the store, and what becomes
 * of it; the store's side is the real one. */
#include "world_run.h"

#include "client.h"
#include "store_sums.h"

#define FILE_NAME "test_client_locally.tmp.json"
#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define START SIM_LOCAL_START_NS

enum {
    PROCESSES = 4,
    WINDOW_KEY = 0, /* 30 a minute */
    BUCKET_KEY = 1, /* 100 at once, 10 a second */
};

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 600, \"fleet\": {\"processes\": 4}, \"limiter\": {%s},"      \
    " \"plans\": {\"window\": {\"algorithm\": \"window\", \"rate_per_min\": 30},"                  \
    " \"bucket\": {\"rate_per_s\": 10, \"capacity_s\": 10}},"                                      \
    " \"keys\": {\"w\": {\"plan\": \"window\"}, \"b\": {\"plan\": \"bucket\"}},"                   \
    " \"traffic\": {\"keys\": \"w\", \"demand_ratio\": 1}}"

#define LOCAL_SPLIT "\"coordination\": \"local_split\""
#define ASYNC_SYNC "\"coordination\": \"async_sync\", \"sync_interval_ms\": 100"
#define RATE_SHARE "\"coordination\": \"rate_share\", \"sync_interval_ms\": 100"

struct office {
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_store_sums sums;
    struct sim_client *clients[PROCESSES];
    uint64_t now_ns; /* from the start */
};

static struct sim_client *new_client(const struct office *office, uint32_t process, uint32_t life)
{
    struct sim_client *(*const make)(const struct sim_catalog *, uint32_t, uint32_t, uint64_t) =
        office->scenario.coordination == SIM_COORDINATION_LOCAL_SPLIT  ? sim_client_local_split_new
        : office->scenario.coordination == SIM_COORDINATION_ASYNC_SYNC ? sim_client_async_sync_new
                                                                       : sim_client_rate_share_new;

    return make(&office->catalog, process, life, START + office->now_ns);
}

static void open_office(struct office *office, const char *limiter)
{
    char text[2000];

    *office = (struct office){.now_ns = 0};
    snprintf(text, sizeof text, TEXT, limiter);
    world_run_load(&office->scenario, FILE_NAME, text);
    sim_catalog_init(&office->catalog, &office->scenario);
    sim_store_sums_init(&office->sums, &office->catalog);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        office->clients[i] = new_client(office, i, 0);
    }
}

static void close_office(struct office *office)
{
    for (uint32_t i = 0; i < PROCESSES; i++) {
        office->clients[i]->operations->free(office->clients[i]);
    }
    sim_store_sums_deinit(&office->sums);
    sim_catalog_deinit(&office->catalog);
    sim_scenario_free(&office->scenario);
}

static struct weir_decision decide(struct office *office, uint32_t process, uint32_t key,
                                   uint32_t cost_units)
{
    const struct sim_demand demand = {key, cost_units, UINT32_MAX};

    return office->clients[process]->operations->decide(office->clients[process],
                                                        START + office->now_ns, &demand);
}

/* How many of at most `most` requests of one unit are admitted. */
static int admitted(struct office *office, uint32_t process, uint32_t key, int most)
{
    int count = 0;

    for (int i = 0; i < most; i++) {
        count += decide(office, process, key, 1).verdict == WEIR_VERDICT_ADMITTED;
    }
    return count;
}

/* Its next round is due: returns how many exchanges leave, at most two. */
static int begin_round(struct office *office, uint32_t process, struct sim_exchange exchanges[2])
{
    struct sim_client *client = office->clients[process];
    int count = 0;

    office->now_ns = client->operations->next_deadline_ns(client) - START;
    client->operations->expire(client, START + office->now_ns);
    while (client->operations->next_exchange(client, START + office->now_ns, &exchanges[count])) {
        exchanges[count++].process = process;
    }
    return count;
}

static void serve(struct office *office, struct sim_exchange *exchange)
{
    sim_store_sums_serve(&office->sums, exchange, sim_store_us(office->now_ns));
}

static void answer(struct office *office, const struct sim_exchange *exchange)
{
    struct sim_client *client = office->clients[exchange->process];

    client->operations->reply(client, START + office->now_ns, exchange);
}

/* A round of a process that has one key to tell of, with its answer. */
static struct sim_exchange sync(struct office *office, uint32_t process)
{
    struct sim_exchange exchanges[2] = {0};

    assert_int_equal(begin_round(office, process, exchanges), 1);
    serve(office, &exchanges[0]);
    answer(office, &exchanges[0]);
    return exchanges[0];
}

static uint64_t spent(const struct office *office, uint32_t process)
{
    return office->clients[process]->operations->reported_units(office->clients[process]);
}

/* ---- local_split ---- */

static void local_split_each_process_has_its_part_and_says_nothing(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange unused;

    open_office(&office, LOCAL_SPLIT);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 30), 7); /* 7.5 */
    assert_int_equal(admitted(&office, 1, WINDOW_KEY, 30), 7);
    assert_int_equal(admitted(&office, 0, BUCKET_KEY, 100), 25);
    assert_int_equal(decide(&office, 0, BUCKET_KEY, 1).retry_after_ns, 400 * MS);
    assert_int_equal(spent(&office, 0), 32);
    assert_false(office.clients[0]->operations->next_exchange(office.clients[0], START, &unused));
    close_office(&office);
}

static void local_split_goes_by_the_count_it_was_told(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, LOCAL_SPLIT);
    office.clients[0]->operations->set_process_count(office.clients[0], 2);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 30), 15);
    close_office(&office);
}

static void local_split_by_weights_does_not_ask_how_many_there_are(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, LOCAL_SPLIT ", \"split_weights\": [6, 3, 1, 0]");
    office.clients[0]->operations->set_process_count(office.clients[0], 2);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 30), 18);
    assert_int_equal(admitted(&office, 1, WINDOW_KEY, 30), 9);
    assert_int_equal(admitted(&office, 2, WINDOW_KEY, 30), 3);
    assert_int_equal(admitted(&office, 3, WINDOW_KEY, 30), 0);
    close_office(&office);
}

static void a_process_that_starts_again_has_forgotten_what_it_spent(void **state)
{
    (void)state;
    static const char *const limiters[] = {LOCAL_SPLIT, RATE_SHARE, ASYNC_SYNC};
    static const int once[] = {7, 7, 30};

    for (size_t i = 0; i < 3; i++) {
        struct office office;
        open_office(&office, limiters[i]);
        assert_int_equal(admitted(&office, 0, WINDOW_KEY, 40), once[i]);
        office.clients[0]->operations->free(office.clients[0]);
        office.clients[0] = new_client(&office, 0, 1);
        assert_int_equal(admitted(&office, 0, WINDOW_KEY, 40), once[i]);
        close_office(&office);
    }
}

/* ---- async_sync ---- */

static void async_sync_all_admit_what_is_left_once_each_before_they_hear(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, ASYNC_SYNC);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 20), 20);
    assert_int_equal(admitted(&office, 1, WINDOW_KEY, 40), 30);
    const struct sim_exchange first = sync(&office, 0);
    assert_int_equal(first.kind, SIM_EXCHANGE_SYNC);
    assert_int_equal(first.sync.units, 20);
    assert_int_equal(first.sync.left_units, 10);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 4), 4);
    const struct sim_exchange second = sync(&office, 1);
    assert_int_equal(second.sync.units, 30);
    assert_int_equal(second.sync.left_units, -20); /* 50 of 30 */
    assert_int_equal(admitted(&office, 1, WINDOW_KEY, 1), 0);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 30), 6); /* has not heard */
    assert_int_equal(sync(&office, 0).sync.left_units, -30);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 1), 0);
    close_office(&office);
}

static void async_sync_what_is_admitted_during_a_sync_counts_on_top(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchanges[2] = {0};

    open_office(&office, ASYNC_SYNC);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 10), 10);
    assert_int_equal(begin_round(&office, 0, exchanges), 1);
    serve(&office, &exchanges[0]);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 5), 5);
    answer(&office, &exchanges[0]);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 30), 15);
    close_office(&office);
}

static void async_sync_a_key_nobody_asked_for_is_left_out_of_the_round(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchanges[2] = {0};

    open_office(&office, ASYNC_SYNC);
    assert_int_equal(begin_round(&office, 0, exchanges), 0);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 31), 30);
    assert_int_equal(admitted(&office, 0, BUCKET_KEY, 1), 1);
    assert_int_equal(begin_round(&office, 0, exchanges), 2);
    assert_int_equal(exchanges[0].key, WINDOW_KEY);
    assert_int_equal(exchanges[1].key, BUCKET_KEY);
    answer(&office, &exchanges[0]);
    assert_int_equal(begin_round(&office, 0, exchanges), 0);
    close_office(&office);
}

static void async_sync_what_was_lost_or_refused_is_told_again_and_counts_once(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange lost[2] = {0};
    struct sim_exchange refused[2] = {0};

    open_office(&office, ASYNC_SYNC);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 10), 10);
    assert_int_equal(begin_round(&office, 0, lost), 1);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 5), 5);
    assert_int_equal(begin_round(&office, 0, refused), 1); /* after ask_timeout_ms */
    assert_int_equal(refused[0].sync.units, 15);
    assert_true(office.clients[0]->operations->refused(office.clients[0], START + office.now_ns,
                                                       &refused[0]));
    serve(&office, &lost[0]); /* it is there, late, and nobody wants to know */
    answer(&office, &lost[0]);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 30), 15);
    assert_int_equal(sync(&office, 0).sync.units, 30);
    close_office(&office);
}

static void async_sync_one_sync_of_a_key_is_under_way_at_a_time(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchanges[2] = {0};
    struct sim_exchange more[2] = {0};

    open_office(&office, ASYNC_SYNC ", \"ask_timeout_ms\": 150");
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 10), 10);
    assert_int_equal(begin_round(&office, 0, exchanges), 1);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 1), 1);
    assert_int_equal(begin_round(&office, 0, more), 0);
    serve(&office, &exchanges[0]);
    answer(&office, &exchanges[0]);
    assert_int_equal(sync(&office, 0).sync.units, 1);
    close_office(&office);
}

static void async_sync_a_copy_of_a_bucket_refills_and_a_debt_is_paid_first(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, ASYNC_SYNC);
    assert_int_equal(admitted(&office, 0, BUCKET_KEY, 200), 100);
    assert_int_equal(admitted(&office, 1, BUCKET_KEY, 200), 100);
    const uint64_t first_ns = office.now_ns;
    (void)sync(&office, 0);
    const int64_t left_units = sync(&office, 1).sync.left_units;
    assert_in_range((uint64_t)-left_units, 98, 100); /* at most 2 refilled in 200 ms */
    assert_true(office.now_ns < first_ns + 200 * MS);
    const struct weir_decision denied = decide(&office, 1, BUCKET_KEY, 1);
    assert_int_equal(denied.retry_after_ns, (uint64_t)(1 - left_units) * 100 * MS);
    office.now_ns += denied.retry_after_ns - 1;
    assert_int_equal(admitted(&office, 1, BUCKET_KEY, 1), 0);
    office.now_ns += 1;
    assert_int_equal(admitted(&office, 1, BUCKET_KEY, 2), 1);
    close_office(&office);
}

static void async_sync_a_new_window_begins_with_nothing_spent(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchanges[2] = {0};

    open_office(&office, ASYNC_SYNC);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 40), 30);
    assert_int_equal(begin_round(&office, 0, exchanges), 1);
    office.now_ns += decide(&office, 0, WINDOW_KEY, 1).retry_after_ns - 1;
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 1), 0);
    office.now_ns += 1;
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 1), 1);
    serve(&office, &exchanges[0]);
    answer(&office, &exchanges[0]); /* about the window before */
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 40), 29);
    close_office(&office);
}

static void async_sync_who_leaves_tells_what_it_has(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchange = {0};

    open_office(&office, ASYNC_SYNC);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 3), 3);
    assert_int_equal(office.clients[0]->operations->shutdown(office.clients[0], START),
                     WEIR_SHUTDOWN_DONE);
    assert_true(office.clients[0]->operations->next_exchange(office.clients[0], START, &exchange));
    assert_int_equal(exchange.sync.units, 3);
    assert_false(office.clients[0]->operations->next_exchange(office.clients[0], START, &exchange));
    close_office(&office);
}

/* ---- rate_share ---- */

static void rate_share_begins_with_equal_parts_and_goes_by_demand_then(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, RATE_SHARE);
    assert_int_equal(admitted(&office, 0, BUCKET_KEY, 100), 25);
    const struct sim_exchange only = sync(&office, 0);
    assert_int_equal(only.kind, SIM_EXCHANGE_SHARE);
    assert_int_equal(only.sync.own_units, only.sync.all_units); /* nobody else is known */
    office.now_ns += S; /* all of the limit: 10 a second; and less than one that was there */
    assert_int_equal(admitted(&office, 0, BUCKET_KEY, 100), 10);
    close_office(&office);
}

static void rate_share_demand_is_what_was_asked_for_per_interval(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, RATE_SHARE);
    struct sim_exchange exchanges[2] = {0};
    assert_int_equal(begin_round(&office, 0, exchanges), 0);
    (void)admitted(&office, 0, WINDOW_KEY, 40); /* 7 */
    assert_int_equal(sync(&office, 0).sync.units, 40000);
    assert_int_equal(spent(&office, 0), 7);
    close_office(&office);
}

static void rate_share_the_coordinator_keeps_the_mean_and_forgets_the_silent(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchange = {.kind = SIM_EXCHANGE_SHARE, .key = BUCKET_KEY};

    open_office(&office, RATE_SHARE);
    exchange.sync.units = 3000;
    serve(&office, &exchange);
    exchange.process = 1;
    exchange.sync.units = 1000;
    serve(&office, &exchange);
    assert_int_equal(exchange.sync.own_units, 1000);
    assert_int_equal(exchange.sync.all_units, 4000);
    office.now_ns += 100 * MS;
    exchange.sync.units = 2000;
    serve(&office, &exchange);
    assert_int_equal(exchange.sync.own_units, 1500);
    assert_int_equal(exchange.sync.all_units, 4500);
    office.now_ns += 100 * MS; /* two intervals after the first */
    serve(&office, &exchange);
    assert_int_equal(exchange.sync.own_units, 1750);
    assert_int_equal(exchange.sync.all_units, 1750);
    close_office(&office);
}

static void rate_share_who_was_silent_has_an_equal_part_again(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchange = {.kind = SIM_EXCHANGE_SHARE,
                                    .key = WINDOW_KEY,
                                    .sync = {.number = 1, .own_units = 2, .all_units = 3}};

    open_office(&office, RATE_SHARE);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 1), 1);
    answer(&office, &exchange);
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 10), 10); /* of 20 */
    exchange.sync = (struct sim_sync){.number = 1, .own_units = 1, .all_units = 30};
    answer(&office, &exchange); /* of the past */
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 1), 1);
    office.now_ns += 200 * MS + 1;
    assert_int_equal(admitted(&office, 0, WINDOW_KEY, 1), 0); /* 12 of 7 */
    close_office(&office);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_split_each_process_has_its_part_and_says_nothing),
        cmocka_unit_test(local_split_goes_by_the_count_it_was_told),
        cmocka_unit_test(local_split_by_weights_does_not_ask_how_many_there_are),
        cmocka_unit_test(a_process_that_starts_again_has_forgotten_what_it_spent),
        cmocka_unit_test(async_sync_all_admit_what_is_left_once_each_before_they_hear),
        cmocka_unit_test(async_sync_what_is_admitted_during_a_sync_counts_on_top),
        cmocka_unit_test(async_sync_a_key_nobody_asked_for_is_left_out_of_the_round),
        cmocka_unit_test(async_sync_what_was_lost_or_refused_is_told_again_and_counts_once),
        cmocka_unit_test(async_sync_one_sync_of_a_key_is_under_way_at_a_time),
        cmocka_unit_test(async_sync_a_copy_of_a_bucket_refills_and_a_debt_is_paid_first),
        cmocka_unit_test(async_sync_a_new_window_begins_with_nothing_spent),
        cmocka_unit_test(async_sync_who_leaves_tells_what_it_has),
        cmocka_unit_test(rate_share_begins_with_equal_parts_and_goes_by_demand_then),
        cmocka_unit_test(rate_share_demand_is_what_was_asked_for_per_interval),
        cmocka_unit_test(rate_share_the_coordinator_keeps_the_mean_and_forgets_the_silent),
        cmocka_unit_test(rate_share_who_was_silent_has_an_equal_part_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
