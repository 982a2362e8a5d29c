/* What faults do to the memory of a store: asks made by hand, at shards that serve in no time. */
#include "world_run.h"

#include "store.h"

#define FILE_NAME "test_store_past.tmp.json"
#define SECOND_NS UINT64_C(1000000000)
#define FAULTS_MAX 3

/* Buckets that gain a unit in 100 s: figures below are of what was asked for, and not of refill. */
#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 600, \"fleet\": {\"processes\": 4},"                         \
    " \"store\": {\"shards\": 2}, \"limiter\": {\"coordination\": \"per_request\"},"               \
    " \"plans\": {\"bucket\": {\"rate_per_h\": 36, \"capacity_units\": 1000},"                     \
    " \"log\": {\"algorithm\": \"log\", \"rate_per_min\": 1000}},"                                 \
    " \"keys\": {\"a\": {\"plan\": \"bucket\", \"count\": 200}, \"b\": {\"plan\": \"log\"}},"      \
    " \"traffic\": {\"keys\": \"a\", \"demand_ratio\": 0.1}}"

enum {
    KEY_COUNT = 200, /* with buckets */
    LOG_KEY = KEY_COUNT,
};

struct shop {
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_store store;
    struct fault faults[FAULTS_MAX];
    uint64_t fired[FAULTS_MAX];
    uint8_t members[2][4];
    uint64_t lost_units[SIM_LOSSES];
    uint64_t lost_ns; /* when last */
    uint32_t sequence;
};

static void note_lost(void *context, enum sim_loss loss, uint32_t key, uint64_t time_ns,
                      uint64_t units)
{
    struct shop *shop = context;

    (void)key;
    shop->lost_units[loss] += units;
    shop->lost_ns = time_ns;
}

/* A fault of both shards and all processes, unless the caller says otherwise. */
static struct fault *add_fault(struct shop *shop, enum fault_kind kind, uint64_t from_ns,
                               uint64_t until_ns)
{
    struct fault_list *list = &shop->scenario.faults;
    struct fault *fault = &shop->faults[list->count];

    list->faults = shop->faults;
    list->fired_count = shop->fired;
    *fault = (struct fault){.kind = kind,
                            .from_ns = from_ns,
                            .until_ns = until_ns,
                            .processes = {.count = 4},
                            .shards = {.count = 2},
                            .seed = 5 + list->count,
                            .probability_ppm = 1000000};
    list->count++;
    return fault;
}

static void prepare(struct shop *shop)
{
    *shop = (struct shop){0};
    world_run_load(&shop->scenario, FILE_NAME, TEXT);
}

static void open_shop(struct shop *shop)
{
    sim_catalog_init(&shop->catalog, &shop->scenario);
    sim_store_init(&shop->store, &shop->catalog);
    shop->store.lost = note_lost;
    shop->store.lost_context = shop;
}

static void close_shop(struct shop *shop)
{
    sim_store_deinit(&shop->store);
    sim_catalog_deinit(&shop->catalog);
    shop->scenario.faults = (struct fault_list){0};
    sim_scenario_free(&shop->scenario);
}

static struct sim_exchange exchange_of(struct shop *shop, uint32_t key, uint32_t process,
                                       uint32_t units)
{
    return (struct sim_exchange){
        .kind = SIM_EXCHANGE_ASK,
        .key = key,
        .process = process,
        .ask = {.key = shop->catalog.keys[key].key,
                .id = {.process = process, .sequence = ++shop->sequence, .incarnation = 1},
                .plan = shop->catalog.plans[shop->catalog.keys[key].plan],
                .flags = WEIR_ASK_SPEND,
                .need_units = units,
                .least_units = units,
                .want_units = units,
                .rate_share_period = UINT64_MAX},
    };
}

/* All faults up to now act; then the exchange is served at once. */
static void run_to(struct shop *shop, uint64_t *past_ns, uint64_t now_ns)
{
    for (;;) {
        const uint64_t at_ns = sim_store_next_fault_ns(&shop->store, *past_ns);
        if (at_ns > now_ns) {
            break;
        }
        sim_store_fault(&shop->store, at_ns);
        *past_ns = at_ns + 1;
    }
}

static void serve(struct shop *shop, struct sim_exchange *exchange, uint64_t now_ns)
{
    exchange->arrived_ns = now_ns;
    sim_store_serve(&shop->store, exchange, now_ns);
}

static uint32_t take(struct shop *shop, uint32_t key, uint32_t process, uint64_t now_ns,
                     uint32_t units)
{
    struct sim_exchange exchange = exchange_of(shop, key, process, units);

    serve(shop, &exchange, now_ns);
    (void)sim_store_taken(&shop->store, &exchange);
    return exchange.answer.granted_units;
}

static uint64_t left(const struct shop *shop, uint32_t key, uint64_t now_ns)
{
    struct sim_store_level level;

    sim_store_peek(&shop->store, key, &shop->catalog.plans[shop->catalog.keys[key].plan], now_ns,
                   &level);
    return level.left_units;
}

static uint64_t taken(const struct shop *shop, uint32_t key, uint64_t now_ns)
{
    struct sim_store_level level;

    sim_store_peek(&shop->store, key, &shop->catalog.plans[shop->catalog.keys[key].plan], now_ns,
                   &level);
    return level.taken_units;
}

static void a_failover_forgets_what_the_replica_had_not_heard_of(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_FAILOVER, 10 * SECOND_NS, 10 * SECOND_NS + 1)->lag_ns = SECOND_NS;
    open_shop(&shop);
    const struct weir_store_run before = shop.store.runs[0];

    assert_int_equal(take(&shop, 0, 0, 9 * SECOND_NS - 1, 300), 300);
    assert_int_equal(take(&shop, 0, 0, 9 * SECOND_NS, 40), 40);
    assert_int_equal(take(&shop, 0, 0, 9 * SECOND_NS + 1, 2), 2);
    assert_int_equal(left(&shop, 0, 10 * SECOND_NS), 658);
    run_to(&shop, &past_ns, 10 * SECOND_NS);

    assert_int_equal(left(&shop, 0, 10 * SECOND_NS), 700);
    assert_int_equal(shop.lost_units[SIM_LOSS_DATA], 42);
    assert_int_equal(shop.lost_ns, 10 * SECOND_NS);
    assert_int_equal(taken(&shop, 0, 10 * SECOND_NS), 342); /* it was, whoever knows of it */
    assert_int_not_equal(shop.store.runs[0].id, before.id);
    assert_int_equal(shop.store.runs[0].started_us, sim_store_us(10 * SECOND_NS));
    assert_int_not_equal(shop.store.runs[0].id, shop.store.runs[1].id);
    assert_int_equal(shop.fired[0], 1 + 2); /* a key, and the runs of two shards */
    close_shop(&shop);
}

static void a_failover_of_one_shard_leaves_the_other_alone(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    struct fault *fault = add_fault(&shop, FAULT_STORE_FAILOVER, 10 * SECOND_NS, 11 * SECOND_NS);
    fault->lag_ns = SECOND_NS;
    fault->shards.member = shop.members[0];
    shop.members[0][1] = 1;
    open_shop(&shop);
    const uint64_t run_id = shop.store.runs[0].id;

    for (uint32_t key = 0; key < KEY_COUNT; key++) {
        take(&shop, key, 0, 9 * SECOND_NS + 5, 10);
    }
    run_to(&shop, &past_ns, 10 * SECOND_NS);
    for (uint32_t key = 0; key < KEY_COUNT; key++) {
        assert_int_equal(left(&shop, key, 10 * SECOND_NS),
                         shop.catalog.keys[key].shard == 1 ? 1000 : 990);
    }
    assert_int_equal(shop.store.runs[0].id, run_id);
    close_shop(&shop);
}

static void an_ask_is_answered_again_unless_its_record_was_lost(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_FAILOVER, 10 * SECOND_NS, 11 * SECOND_NS)->lag_ns =
        SECOND_NS / 100;
    open_shop(&shop);
    struct sim_exchange old = exchange_of(&shop, 0, 0, 10);
    struct sim_exchange recent = exchange_of(&shop, 1, 0, 10);

    serve(&shop, &old, 98 * SECOND_NS / 10);
    serve(&shop, &old, 99 * SECOND_NS / 10);
    assert_true(old.answer.flags & WEIR_ANSWER_REPEATED);
    serve(&shop, &recent, 10 * SECOND_NS - 1);
    run_to(&shop, &past_ns, 10 * SECOND_NS);
    serve(&shop, &old, 10 * SECOND_NS);
    assert_true(old.answer.flags & WEIR_ANSWER_REPEATED);
    serve(&shop, &recent, 10 * SECOND_NS);
    assert_false(recent.answer.flags & WEIR_ANSWER_REPEATED);
    assert_int_equal(recent.answer.granted_units, 10);

    assert_int_equal(left(&shop, 0, 10 * SECOND_NS), 990);
    assert_int_equal(left(&shop, 1, 10 * SECOND_NS), 990);
    assert_int_equal(shop.store.granted_units, 30); /* that of key 1 twice */
    (void)sim_store_taken(&shop.store, &old);
    (void)sim_store_taken(&shop.store, &recent);
    sim_store_finish(&shop.store);
    assert_int_equal(shop.lost_units[SIM_LOSS_REPLY], 10);
    close_shop(&shop);
}

/* The answer left before the failover and arrives after it. */
static void an_answer_on_its_way_is_not_lost_in_a_failover(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_FAILOVER, 10 * SECOND_NS, 11 * SECOND_NS)->lag_ns = SECOND_NS;
    open_shop(&shop);
    struct sim_exchange exchange = exchange_of(&shop, 0, 0, 10);

    serve(&shop, &exchange, 10 * SECOND_NS - 1);
    run_to(&shop, &past_ns, 10 * SECOND_NS);
    assert_int_equal(sim_store_taken(&shop.store, &exchange), 10);
    sim_store_finish(&shop.store);
    assert_int_equal(shop.lost_units[SIM_LOSS_REPLY], 0);
    close_shop(&shop);
}

static void an_emptied_store_knows_nothing_in_another_run(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_EMPTY, 10 * SECOND_NS, 12 * SECOND_NS);
    open_shop(&shop);
    const uint64_t run_id = shop.store.runs[0].id;

    take(&shop, 0, 0, SECOND_NS, 300);
    take(&shop, LOG_KEY, 0, SECOND_NS, 200);
    run_to(&shop, &past_ns, 12 * SECOND_NS - 1);
    assert_int_equal(left(&shop, 0, 11 * SECOND_NS), 700); /* down, and it still has its data */
    run_to(&shop, &past_ns, 12 * SECOND_NS);

    assert_int_equal(shop.store.entries[0].state.version, 0);
    assert_int_equal(left(&shop, 0, 12 * SECOND_NS), 1000);
    assert_int_equal(left(&shop, LOG_KEY, 12 * SECOND_NS), 1000);
    assert_int_equal(shop.lost_units[SIM_LOSS_DATA], 500);
    assert_int_not_equal(shop.store.runs[0].id, run_id);
    assert_int_equal(shop.store.runs[0].started_us, sim_store_us(12 * SECOND_NS));
    assert_int_equal(shop.fired[0], KEY_COUNT + 1 + 2);
    /* a young store first lets those speak who know more */
    assert_int_equal(take(&shop, 0, 0, 12 * SECOND_NS, 1000), 0);
    assert_int_equal(take(&shop, 0, 0, 99 * SECOND_NS, 1000), 1000);
    assert_int_equal(taken(&shop, 0, 99 * SECOND_NS), 1300);
    close_shop(&shop);
}

static void evictions_take_a_part_of_the_keys_each_time(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    unsigned known[2] = {0, 0};
    prepare(&shop);
    struct fault *fault = add_fault(&shop, FAULT_STORE_EVICT, 10 * SECOND_NS, 14 * SECOND_NS);
    fault->probability_ppm = 500000;
    fault->period_ns = 2 * SECOND_NS;
    open_shop(&shop);
    const uint64_t run_id = shop.store.runs[0].id;

    for (unsigned round = 0; round < 2; round++) {
        run_to(&shop, &past_ns, (10 + 2 * round) * SECOND_NS);
        for (uint32_t key = 0; key < KEY_COUNT; key++) {
            known[round] += shop.store.entries[key].state.version != 0;
        }
    }
    assert_in_range(known[0], 100 - 35, 100 + 35); /* 5 standard deviations */
    assert_in_range(known[1], known[0] / 2 - 30, known[0] / 2 + 30);
    assert_int_equal(shop.store.runs[0].id, run_id);
    assert_int_equal(sim_store_next_fault_ns(&shop.store, past_ns), UINT64_MAX); /* 14 s: over */
    close_shop(&shop);
}

static void two_primaries_keep_books_of_their_own_until_one_is_dropped(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    struct fault *fault = add_fault(&shop, FAULT_STORE_SPLIT, 10 * SECOND_NS, 20 * SECOND_NS);
    fault->lag_ns = SECOND_NS;
    fault->processes.member = shop.members[0];
    shop.members[0][0] = 1; /* process 0 goes on with the old one */
    open_shop(&shop);

    take(&shop, 0, 0, SECOND_NS, 300);
    take(&shop, 0, 1, 10 * SECOND_NS - 1, 50); /* the replica will not know */
    run_to(&shop, &past_ns, 10 * SECOND_NS);
    assert_int_equal(left(&shop, 0, 10 * SECOND_NS), 700);
    assert_int_equal(shop.lost_units[SIM_LOSS_DATA], 50);

    assert_int_equal(take(&shop, 0, 1, 11 * SECOND_NS, 700), 700);
    assert_int_equal(take(&shop, 0, 1, 12 * SECOND_NS, 1), 0);
    assert_int_equal(take(&shop, 0, 0, 12 * SECOND_NS, 651), 0);
    assert_int_equal(take(&shop, 0, 0, 13 * SECOND_NS, 600), 600); /* of 650 */

    run_to(&shop, &past_ns, 20 * SECOND_NS);
    assert_int_equal(shop.lost_units[SIM_LOSS_DATA], 650);
    assert_int_equal(left(&shop, 0, 20 * SECOND_NS), 0);
    assert_int_equal(take(&shop, 0, 0, 20 * SECOND_NS, 1), 0);
    assert_int_equal(taken(&shop, 0, 20 * SECOND_NS), 300 + 50 + 700 + 600);
    assert_int_equal(shop.store.granted_units, 300 + 50 + 700 + 600);
    close_shop(&shop);
}

static void the_old_primary_answers_in_the_old_run(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    struct fault *fault = add_fault(&shop, FAULT_STORE_SPLIT, 10 * SECOND_NS, 20 * SECOND_NS);
    fault->processes.member = shop.members[0];
    shop.members[0][0] = 1;
    open_shop(&shop);
    const uint64_t run_id = shop.store.runs[shop.catalog.keys[0].shard].id;
    struct sim_exchange old = exchange_of(&shop, 0, 0, 1);
    struct sim_exchange new = exchange_of(&shop, 0, 1, 1);
    struct sim_exchange after = exchange_of(&shop, 0, 0, 1);

    run_to(&shop, &past_ns, 10 * SECOND_NS);
    serve(&shop, &new, 11 * SECOND_NS);
    serve(&shop, &old, 195 * SECOND_NS / 10);
    assert_int_equal(old.answer.run_id, run_id);
    assert_int_not_equal(new.answer.run_id, run_id);
    run_to(&shop, &past_ns, 20 * SECOND_NS);
    serve(&shop, &old, 20 * SECOND_NS); /* what was written there is gone, its records too */
    serve(&shop, &after, 20 * SECOND_NS);
    assert_false(old.answer.flags & WEIR_ANSWER_REPEATED);
    assert_int_equal(after.answer.run_id, new.answer.run_id);
    close_shop(&shop);
}

static void each_of_two_failovers_forgets_its_own(void **state)
{
    (void)state;
    struct shop shop;
    uint64_t past_ns = 0;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_FAILOVER, 5 * SECOND_NS, 6 * SECOND_NS)->lag_ns = 3 * SECOND_NS;
    add_fault(&shop, FAULT_STORE_FAILOVER, 6 * SECOND_NS, 7 * SECOND_NS)->lag_ns = SECOND_NS / 2;
    open_shop(&shop);

    take(&shop, LOG_KEY, 0, SECOND_NS, 100);
    take(&shop, LOG_KEY, 0, 3 * SECOND_NS, 30);
    run_to(&shop, &past_ns, 5 * SECOND_NS);
    assert_int_equal(left(&shop, LOG_KEY, 5 * SECOND_NS), 900);
    take(&shop, LOG_KEY, 0, 52 * SECOND_NS / 10, 20);
    take(&shop, LOG_KEY, 0, 57 * SECOND_NS / 10, 7);
    run_to(&shop, &past_ns, 6 * SECOND_NS);
    assert_int_equal(left(&shop, LOG_KEY, 6 * SECOND_NS), 880);
    assert_int_equal(shop.lost_units[SIM_LOSS_DATA], 37);
    close_shop(&shop);
}

static void the_clock_of_a_shard_steps_and_comes_back(void **state)
{
    (void)state;
    struct shop shop;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_CLOCK, 10 * SECOND_NS, 20 * SECOND_NS)->step_ns =
        -3 * (int64_t)SECOND_NS;
    open_shop(&shop);
    struct sim_exchange exchange = exchange_of(&shop, 0, 0, 1);

    serve(&shop, &exchange, 10 * SECOND_NS);
    assert_int_equal(exchange.answer.store_us, sim_store_us(7 * SECOND_NS));
    assert_int_equal(sim_store_clock_us(&shop.store, 0, 20 * SECOND_NS - 1000),
                     sim_store_us(17 * SECOND_NS) - 1);
    assert_int_equal(sim_store_clock_us(&shop.store, 0, 20 * SECOND_NS),
                     sim_store_us(20 * SECOND_NS));
    assert_int_equal(shop.fired[0], 1); /* who looks is not served */
    close_shop(&shop);
}

/* The copy is under way for longer than an ask lives; but by the store's clock it still lives. */
static void a_copy_that_arrives_after_the_clock_stepped_back_is_known(void **state)
{
    (void)state;
    struct shop shop;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_CLOCK, 10 * SECOND_NS, 500 * SECOND_NS)->step_ns =
        -60 * (int64_t)SECOND_NS;
    open_shop(&shop);
    struct sim_exchange exchange = exchange_of(&shop, 0, 0, 10);

    exchange.ask.expires_us = sim_store_us(10 * SECOND_NS);
    serve(&shop, &exchange, 9 * SECOND_NS);
    (void)sim_store_taken(&shop.store, &exchange);
    for (uint32_t i = 0; i < 2000; i++) { /* enough to sweep all records */
        take(&shop, 1 + i % (KEY_COUNT - 1), 0, 69 * SECOND_NS, 1);
    }
    serve(&shop, &exchange, 69 * SECOND_NS);
    assert_true(exchange.answer.flags & WEIR_ANSWER_REPEATED);
    assert_int_equal(taken(&shop, 0, 69 * SECOND_NS), 10);
    close_shop(&shop);
}

static void a_store_may_go_by_its_callers_clock(void **state)
{
    (void)state;
    struct shop shop;
    prepare(&shop);
    shop.scenario.without = SIM_WITHOUT_STORE_TIME;
    open_shop(&shop);
    struct sim_exchange exchange = exchange_of(&shop, 0, 0, 1);

    exchange.caller_us = sim_store_us(0) + 77;
    serve(&shop, &exchange, 10 * SECOND_NS);
    assert_int_equal(exchange.answer.store_us, sim_store_us(0) + 77);
    close_shop(&shop);
}

static void faults_act_in_the_order_of_their_times(void **state)
{
    (void)state;
    struct shop shop;
    prepare(&shop);
    add_fault(&shop, FAULT_STORE_SPLIT, 0, 20 * SECOND_NS);
    add_fault(&shop, FAULT_STORE_EMPTY, 1, 5 * SECOND_NS);
    add_fault(&shop, FAULT_STORE_OUTAGE, 3, 4); /* touches no memory */
    open_shop(&shop);

    assert_int_equal(sim_store_next_fault_ns(&shop.store, 0), 0);
    assert_int_equal(sim_store_next_fault_ns(&shop.store, 1), 5 * SECOND_NS);
    assert_int_equal(sim_store_next_fault_ns(&shop.store, 5 * SECOND_NS + 1), 20 * SECOND_NS);
    assert_int_equal(sim_store_next_fault_ns(&shop.store, 20 * SECOND_NS + 1), UINT64_MAX);
    close_shop(&shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failover_forgets_what_the_replica_had_not_heard_of),
        cmocka_unit_test(a_failover_of_one_shard_leaves_the_other_alone),
        cmocka_unit_test(an_ask_is_answered_again_unless_its_record_was_lost),
        cmocka_unit_test(an_answer_on_its_way_is_not_lost_in_a_failover),
        cmocka_unit_test(an_emptied_store_knows_nothing_in_another_run),
        cmocka_unit_test(evictions_take_a_part_of_the_keys_each_time),
        cmocka_unit_test(two_primaries_keep_books_of_their_own_until_one_is_dropped),
        cmocka_unit_test(the_old_primary_answers_in_the_old_run),
        cmocka_unit_test(each_of_two_failovers_forgets_its_own),
        cmocka_unit_test(the_clock_of_a_shard_steps_and_comes_back),
        cmocka_unit_test(a_copy_that_arrives_after_the_clock_stepped_back_is_known),
        cmocka_unit_test(a_store_may_go_by_its_callers_clock),
        cmocka_unit_test(faults_act_in_the_order_of_their_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
