/* The simulated store: who is served when, what a look at it shows, and the note's counters. */
#include "world_run.h"

#include "store.h"

#define FILE_NAME "test_store.tmp.json"
#define MS UINT64_C(1000000)
#define SERVICE_NS (10 * MS)

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 600, \"fleet\": {\"processes\": 2},"                         \
    " \"store\": {\"shards\": 2, \"capacity_per_s\": 100}, \"limiter\": {%s},"                     \
    " \"plans\": {\"bucket\": {\"rate_per_min\": 600, \"capacity_units\": 100},"                   \
    " \"window\": {\"algorithm\": \"window\", \"rate_per_min\": 100, \"start_fill_pct\": 80}},"    \
    " \"keys\": {\"a\": {\"plan\": \"bucket\", \"count\": 20}, \"b\": {\"plan\": \"window\"}},"    \
    " \"traffic\": {\"keys\": \"a\", \"demand_ratio\": 1}}"

enum {
    WINDOW_KEY = 20,
};

struct shop {
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_store store;
    uint32_t sequence;
};

static void open_shop(struct shop *shop, const char *limiter)
{
    char text[2000];

    *shop = (struct shop){0};
    snprintf(text, sizeof text, TEXT, limiter);
    world_run_load(&shop->scenario, FILE_NAME, text);
    sim_catalog_init(&shop->catalog, &shop->scenario);
    sim_store_init(&shop->store, &shop->catalog);
}

static void close_shop(struct shop *shop)
{
    sim_store_deinit(&shop->store);
    sim_catalog_deinit(&shop->catalog);
    sim_scenario_free(&shop->scenario);
}

static const struct weir_plan *plan_of(const struct shop *shop, uint32_t key)
{
    return &shop->catalog.plans[shop->catalog.keys[key].plan];
}

/* One request decided at the store. Returns when its answer leaves. */
static uint64_t serve(struct shop *shop, uint32_t key, uint64_t now_ns, uint32_t cost_units,
                      uint32_t *granted_units)
{
    struct sim_exchange exchange = {
        .kind = SIM_EXCHANGE_ASK,
        .key = key,
        .ask = {.key = shop->catalog.keys[key].key,
                .id = {.sequence = ++shop->sequence, .incarnation = 1},
                .plan = shop->catalog.plans[shop->catalog.keys[key].plan],
                .flags = WEIR_ASK_SPEND,
                .need_units = cost_units,
                .least_units = cost_units,
                .want_units = cost_units,
                .rate_share_period = UINT64_MAX},
    };
    const uint64_t done_ns =
        sim_store_done_ns(&shop->store, exchange.key, now_ns, shop->catalog.scenario->service_ns);
    sim_store_serve(&shop->store, &exchange, done_ns);

    *granted_units = exchange.answer.granted_units;
    assert_int_equal(exchange.answer.store_us, sim_store_us(done_ns));
    return done_ns;
}

static uint64_t add_at(struct shop *shop, uint64_t done_ns, uint64_t window, uint64_t units)
{
    struct sim_exchange exchange = {.kind = SIM_EXCHANGE_ADD,
                                    .key = WINDOW_KEY,
                                    .add_window = window,
                                    .add_units = units,
                                    .ttl_us = 120000000};

    sim_store_serve(&shop->store, &exchange, done_ns);
    return exchange.add_count;
}

static uint64_t add(struct shop *shop, uint64_t window, uint64_t units)
{
    return add_at(shop, shop->catalog.scenario->service_ns, window, units);
}

static uint32_t key_on_shard(const struct shop *shop, uint32_t shard)
{
    uint32_t key = 0;

    while (shop->catalog.keys[key].shard != shard) {
        key++;
    }
    return key;
}

static void a_shard_serves_one_after_another_in_order_of_arrival(void **state)
{
    (void)state;
    struct shop shop;
    uint32_t granted;

    open_shop(&shop, "");
    const uint32_t key = key_on_shard(&shop, 0);

    assert_int_equal(serve(&shop, key, 5 * MS, 1, &granted), 5 * MS + SERVICE_NS);
    assert_int_equal(serve(&shop, key, 5 * MS, 1, &granted), 5 * MS + 2 * SERVICE_NS);
    assert_int_equal(serve(&shop, key, 6 * MS, 1, &granted), 5 * MS + 3 * SERVICE_NS);
    assert_int_equal(sim_store_idle_ns(&shop.store, 7 * MS), 35 * MS);
    assert_int_equal(sim_store_done_ns(&shop.store, key, 7 * MS, shop.scenario.service_ns),
                     45 * MS);
    assert_int_equal(serve(&shop, key, 40 * MS, 1, &granted), 50 * MS);
    close_shop(&shop);
}

static void shards_do_not_wait_for_each_other(void **state)
{
    (void)state;
    struct shop shop;
    uint32_t granted;

    open_shop(&shop, "");

    assert_int_equal(serve(&shop, key_on_shard(&shop, 0), MS, 1, &granted), 11 * MS);
    assert_int_equal(serve(&shop, key_on_shard(&shop, 1), MS, 1, &granted), 11 * MS);
    close_shop(&shop);
}

static void an_ask_has_its_effect_when_its_service_ends(void **state)
{
    (void)state;
    struct shop shop;
    uint32_t granted;

    open_shop(&shop, "");
    (void)serve(&shop, 0, 0, 100, &granted);
    assert_int_equal(granted, 100);

    /* empty at 10 ms, 10 units a second: the next unit is there at 110 ms, not a microsecond sooner
     */
    (void)serve(&shop, 0, 100 * MS - 1000, 1, &granted);
    assert_int_equal(granted, 0);
    (void)serve(&shop, 0, 110 * MS, 1, &granted);
    assert_int_equal(granted, 1);
    close_shop(&shop);
}

static void the_ledger_counts_what_was_granted(void **state)
{
    (void)state;
    struct shop shop;
    uint32_t granted;

    open_shop(&shop, "");
    (void)serve(&shop, 0, 0, 60, &granted);
    (void)serve(&shop, 0, 0, 60, &granted);
    (void)serve(&shop, WINDOW_KEY, 0, 70, &granted);

    assert_int_equal(shop.store.granted_units, 130);
    assert_int_equal(shop.store.returned_units, 0);
    close_shop(&shop);
}

/* One process's ask for a lease, as often as it comes. */
static void ask_for_ten(struct shop *shop, uint32_t sequence, uint64_t expires_us, uint64_t now_ns,
                        struct sim_exchange *exchange)
{
    *exchange = (struct sim_exchange){
        .kind = SIM_EXCHANGE_ASK,
        .ask = {.key = shop->catalog.keys[0].key,
                .id = {.sequence = sequence, .incarnation = 1},
                .plan = *plan_of(shop, 0),
                .expires_us = expires_us,
                .need_units = 10,
                .least_units = 10,
                .want_units = 10,
                .rate_share_period = UINT64_MAX},
    };
    sim_store_serve(&shop->store, exchange, now_ns);
}

static void an_ask_that_expired_takes_nothing_of_the_one_before(void **state)
{
    (void)state;
    struct shop shop;
    struct sim_exchange first;
    struct sim_exchange expired;
    struct sim_exchange repeated;

    open_shop(&shop, "");
    ask_for_ten(&shop, 1, sim_store_us(1000 * MS), 10 * MS, &first);
    ask_for_ten(&shop, 2, sim_store_us(15 * MS), 20 * MS, &expired);
    ask_for_ten(&shop, 1, sim_store_us(1000 * MS), 30 * MS, &repeated);

    assert_int_equal(first.answer.granted_units, 10);
    assert_int_equal(expired.answer.flags, WEIR_ANSWER_EXPIRED);
    assert_true((repeated.answer.flags & WEIR_ANSWER_REPEATED) != 0);
    assert_int_equal(sim_store_taken(&shop.store, &expired), 0);
    assert_int_equal(sim_store_taken(&shop.store, &repeated), 10);
    assert_int_equal(sim_store_taken(&shop.store, &first), 0);
    close_shop(&shop);
}

static void a_look_at_the_store_changes_nothing(void **state)
{
    (void)state;
    struct shop shop;
    struct sim_store_entry before[2];
    uint32_t granted;
    struct sim_store_level level;

    open_shop(&shop, "");
    (void)serve(&shop, 0, 0, 60, &granted);
    (void)serve(&shop, WINDOW_KEY, 0, 7, &granted);
    memcpy(before,
           (struct sim_store_entry[]){shop.store.entries[0], shop.store.entries[WINDOW_KEY]},
           sizeof before);

    sim_store_peek(&shop.store, 0, plan_of(&shop, 0), 1010 * MS, &level);
    assert_int_equal(level.left_units, 50);
    assert_int_equal(level.taken_units, 60);
    sim_store_peek(&shop.store, WINDOW_KEY, plan_of(&shop, WINDOW_KEY), 100 * MS, &level);
    assert_int_equal(level.window_left_units, 73);
    assert_int_equal(level.window_taken_units, 27); /* 20 were used before the run began */
    assert_memory_equal(&before[0], &shop.store.entries[0], sizeof before[0]);
    assert_memory_equal(&before[1], &shop.store.entries[WINDOW_KEY], sizeof before[1]);
    close_shop(&shop);
}

/* Under a plan that no ask has named yet, either: it would begin the log anew. */
static void a_look_at_a_log_leaves_its_entries(void **state)
{
    (void)state;
    struct shop shop;
    uint32_t granted;
    struct sim_store_level level;

    open_shop(&shop, "");
    struct weir_plan log = *plan_of(&shop, WINDOW_KEY);
    log.algorithm = WEIR_ALGORITHM_LOG;
    shop.catalog.plans[shop.catalog.keys[WINDOW_KEY].plan] = log;
    (void)serve(&shop, WINDOW_KEY, 0, 7, &granted);
    (void)serve(&shop, WINDOW_KEY, 0, 8, &granted);
    assert_int_equal(granted, 8);
    const struct weir_store_key *key = &shop.store.entries[WINDOW_KEY].state;
    const struct weir_log_entry before = key->log[key->log_first];
    const uint32_t count = key->log_count;
    struct weir_plan longer = log;
    longer.version++;
    longer.window_us *= 2;
    longer.limit_units = longer.capacity_units *= 2;

    sim_store_peek(&shop.store, WINDOW_KEY, &longer, 1010 * MS, &level);
    assert_int_equal(level.left_units, 200 - 20 - 15); /* 20 were used before the run began */
    assert_int_equal(key->log_count, count);
    assert_memory_equal(&before, &key->log[key->log_first], sizeof before);
    close_shop(&shop);
}

static void a_window_that_is_over_has_lent_nothing_to_the_next(void **state)
{
    (void)state;
    struct shop shop;
    uint32_t granted;
    struct sim_store_level level;

    open_shop(&shop, "");
    (void)serve(&shop, WINDOW_KEY, 0, 7, &granted);
    sim_store_peek(&shop.store, WINDOW_KEY, plan_of(&shop, WINDOW_KEY), 61000 * MS, &level);

    assert_int_equal(level.window_left_units, 100);
    assert_int_equal(level.window_taken_units, 0);
    close_shop(&shop);
}

static void an_addition_returns_the_counter_of_its_window(void **state)
{
    (void)state;
    struct shop shop;
    struct sim_store_level level;

    open_shop(&shop, "\"coordination\": \"as_written\"");
    const uint64_t window = sim_store_us(0) / 60000000;

    assert_int_equal(add(&shop, window, 20), 40); /* 20 used before the run began */
    assert_int_equal(add(&shop, window, 20), 60);
    assert_int_equal(add(&shop, window + 1, 20), 20);
    assert_int_equal(add(&shop, window, 20), 80); /* a clock that is behind */
    sim_store_peek(&shop.store, WINDOW_KEY, plan_of(&shop, WINDOW_KEY), 60000 * MS, &level);
    assert_int_equal(level.window_taken_units, 80);
    assert_int_equal(level.window_left_units, 20);
    close_shop(&shop);
}

/* From the first addition on, not from the last. */
static void a_counter_lives_for_two_windows(void **state)
{
    (void)state;
    struct shop shop;

    open_shop(&shop, "\"coordination\": \"as_written\"");
    const uint64_t window = sim_store_us(0) / 60000000 + 1;

    assert_int_equal(add_at(&shop, 1000 * MS, window, 20), 20);
    assert_int_equal(add_at(&shop, 60000 * MS, window, 20), 40);
    assert_int_equal(add_at(&shop, 120999 * MS, window, 20), 60);
    assert_int_equal(add_at(&shop, 121000 * MS, window, 20), 20); /* a new one */
    assert_int_equal(shop.store.keyspace.reborn_count, 1);
    assert_int_equal(shop.store.keyspace.reborn_units, 60);
    close_shop(&shop);
}

static void what_is_above_the_limit_was_never_granted(void **state)
{
    (void)state;
    struct shop shop;
    struct sim_store_level level;

    open_shop(&shop, "\"coordination\": \"as_written\"");
    (void)add(&shop, sim_store_us(0) / 60000000, 500);
    sim_store_peek(&shop.store, WINDOW_KEY, plan_of(&shop, WINDOW_KEY), 60000 * MS, &level);

    assert_int_equal(level.window_taken_units, 100);
    assert_int_equal(level.window_left_units, 0);
    close_shop(&shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shard_serves_one_after_another_in_order_of_arrival),
        cmocka_unit_test(shards_do_not_wait_for_each_other),
        cmocka_unit_test(an_ask_has_its_effect_when_its_service_ends),
        cmocka_unit_test(the_ledger_counts_what_was_granted),
        cmocka_unit_test(an_ask_that_expired_takes_nothing_of_the_one_before),
        cmocka_unit_test(a_look_at_the_store_changes_nothing),
        cmocka_unit_test(a_look_at_a_log_leaves_its_entries),
        cmocka_unit_test(a_window_that_is_over_has_lent_nothing_to_the_next),
        cmocka_unit_test(an_addition_returns_the_counter_of_its_window),
        cmocka_unit_test(a_counter_lives_for_two_windows),
        cmocka_unit_test(what_is_above_the_limit_was_never_granted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
