/* The baselines, exchange by exchange, and what the lease client makes of a limiter that is full.
 */
#include "world_run.h"

#include "client.h"

#define FILE_NAME "test_client.tmp.json"
#define MS UINT64_C(1000000)
#define NO_ENDPOINT UINT32_MAX

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 600, \"fleet\": {\"processes\": 2}, \"limiter\": {%s},"      \
    " \"plans\": {\"plan\": {\"algorithm\": \"window\", \"rate_per_min\": 30}},"                   \
    " \"keys\": {\"a\": {\"plan\": \"plan\", \"count\": 200}},"                                    \
    " \"traffic\": {\"keys\": \"a\", \"demand_ratio\": 1}}"

#define AS_WRITTEN "\"coordination\": \"as_written\", \"fixed_lease_units\": 20"

struct office {
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_client *client;
};

static void open_office(struct office *office, const char *limiter)
{
    char text[2000];

    snprintf(text, sizeof text, TEXT, limiter);
    world_run_load(&office->scenario, FILE_NAME, text);
    sim_catalog_init(&office->catalog, &office->scenario);
    if (office->scenario.coordination == SIM_COORDINATION_PER_REQUEST) {
        office->client = sim_client_per_request_new(&office->catalog, 0, 0);
    } else if (office->scenario.coordination == SIM_COORDINATION_AS_WRITTEN) {
        office->client = sim_client_as_written_new(&office->catalog, 0);
    } else {
        office->client = sim_client_lease_new(&office->catalog, 0, 0, SIM_LOCAL_START_NS);
    }
}

static void close_office(struct office *office)
{
    office->client->operations->free(office->client);
    sim_catalog_deinit(&office->catalog);
    sim_scenario_free(&office->scenario);
}

static struct weir_decision decide(struct office *office, uint32_t key, uint64_t time_ns,
                                   uint32_t cost_units)
{
    const struct sim_demand demand = {key, cost_units, NO_ENDPOINT};

    return office->client->operations->decide(office->client, SIM_LOCAL_START_NS + time_ns,
                                              &demand);
}

static struct sim_exchange next(struct office *office)
{
    struct sim_exchange exchange = {0};

    assert_true(
        office->client->operations->next_exchange(office->client, SIM_LOCAL_START_NS, &exchange));
    return exchange;
}

/* A request that has to go to the store. */
static struct sim_exchange miss(struct office *office, uint64_t time_ns, uint32_t cost_units)
{
    assert_int_equal(decide(office, 0, time_ns, cost_units).verdict, WEIR_VERDICT_PENDING);
    return next(office);
}

static enum weir_verdict settle(struct office *office, const struct sim_exchange *exchange)
{
    struct weir_settled settled;

    office->client->operations->reply(office->client, SIM_LOCAL_START_NS, exchange);
    assert_true(office->client->operations->next_settled(office->client, &settled));
    assert_int_equal(settled.ticket, exchange->ticket);
    assert_false(office->client->operations->next_settled(office->client, &settled));
    return settled.decision.verdict;
}

static enum weir_verdict counted(struct office *office, struct sim_exchange *exchange,
                                 uint64_t count)
{
    exchange->add_count = count;
    return settle(office, exchange);
}

/* How many requests of one unit are admitted without the store. */
static int admitted_locally(struct office *office, uint64_t time_ns)
{
    struct sim_exchange unused;
    int count = 0;

    while (decide(office, 0, time_ns, 1).verdict == WEIR_VERDICT_ADMITTED) {
        count++;
    }
    (void)office->client->operations->next_exchange(office->client, SIM_LOCAL_START_NS, &unused);
    return count;
}

static uint64_t spent(const struct office *office)
{
    return office->client->operations->reported_units(office->client);
}

static void as_written_a_miss_adds_a_lease_to_the_counter_and_keeps_the_rest(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, AS_WRITTEN);
    struct sim_exchange exchange = miss(&office, 0, 3);

    assert_int_equal(exchange.kind, SIM_EXCHANGE_ADD);
    assert_int_equal(exchange.add_units, 20);
    assert_int_equal(exchange.add_window, sim_store_us(0) / 60000000);
    assert_int_equal(counted(&office, &exchange, 20), WEIR_VERDICT_ADMITTED);
    assert_int_equal(admitted_locally(&office, 0), 17);
    assert_int_equal(spent(&office), 20);
    close_office(&office);
}

static void as_written_requests_that_miss_together_each_ask_and_the_last_answer_stays(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, AS_WRITTEN);
    struct sim_exchange first = miss(&office, 0, 1);
    struct sim_exchange second = miss(&office, 0, 1);

    assert_int_equal(second.ticket, first.ticket + 1);
    assert_int_equal(counted(&office, &first, 20), WEIR_VERDICT_ADMITTED);
    assert_int_equal(counted(&office, &second, 40), WEIR_VERDICT_ADMITTED);
    assert_int_equal(admitted_locally(&office, 0), 9); /* the first answer's 19 are lost */
    close_office(&office);
}

static void as_written_a_partial_lease_that_is_too_small_is_a_denial(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, AS_WRITTEN);
    struct sim_exchange partial = miss(&office, 0, 11);
    struct sim_exchange beyond = miss(&office, 0, 1);

    assert_int_equal(counted(&office, &partial, 40), WEIR_VERDICT_DENIED); /* 10 below the limit */
    assert_int_equal(counted(&office, &beyond, 60), WEIR_VERDICT_DENIED);
    assert_int_equal(admitted_locally(&office, 0), 0); /* and is not kept */
    assert_int_equal(spent(&office), 0);
    close_office(&office);
}

static void as_written_a_denial_is_not_remembered(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, AS_WRITTEN);
    for (uint64_t count = 60; count < 200; count += 20) {
        struct sim_exchange exchange = miss(&office, 0, 1);

        assert_int_equal(counted(&office, &exchange, count), WEIR_VERDICT_DENIED);
    }
    close_office(&office);
}

static void as_written_a_lease_ends_with_its_window(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, AS_WRITTEN);
    struct sim_exchange exchange = miss(&office, 59999 * MS, 1);
    (void)counted(&office, &exchange, 20);

    assert_int_equal(decide(&office, 0, 59999 * MS, 1).verdict, WEIR_VERDICT_ADMITTED);
    struct sim_exchange later = miss(&office, 60000 * MS, 1);
    assert_int_equal(later.add_window, exchange.add_window + 1);
    close_office(&office);
}

static void as_written_a_clock_that_is_behind_is_in_the_window_before(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, AS_WRITTEN);
    const struct sim_exchange exchange = miss(&office, -(50 * MS), 1);

    assert_int_equal(exchange.add_window, sim_store_us(0) / 60000000 - 1);
    close_office(&office);
}

static void per_request_asks_for_exactly_the_cost(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, "\"coordination\": \"per_request\"");
    struct sim_exchange exchange = miss(&office, 0, 7);

    assert_int_equal(exchange.kind, SIM_EXCHANGE_ASK);
    assert_int_equal(exchange.ask.flags, WEIR_ASK_SPEND);
    assert_int_equal(exchange.ask.need_units, 7);
    assert_int_equal(exchange.ask.least_units, 7);
    assert_int_equal(exchange.ask.want_units, 7);
    exchange.answer.granted_units = 7;
    assert_int_equal(settle(&office, &exchange), WEIR_VERDICT_ADMITTED);
    assert_int_equal(spent(&office), 7);
    close_office(&office);
}

static void per_request_a_refusal_is_a_denial(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, "\"coordination\": \"per_request\"");
    const struct sim_exchange exchange = miss(&office, 0, 7);

    assert_int_equal(settle(&office, &exchange), WEIR_VERDICT_DENIED);
    assert_int_equal(spent(&office), 0);
    close_office(&office);
}

static void per_request_what_costs_nothing_asks_nobody(void **state)
{
    (void)state;
    struct office office;
    struct sim_exchange exchange;

    open_office(&office, "\"coordination\": \"per_request\"");

    assert_int_equal(decide(&office, 0, 0, 0).verdict, WEIR_VERDICT_ADMITTED);
    assert_false(office.client->operations->next_exchange(office.client, 0, &exchange));
    close_office(&office);
}

static void a_request_the_limiter_has_no_place_for_is_denied_and_counted(void **state)
{
    (void)state;
    struct office office;

    open_office(&office, "\"table_keys\": 1");

    assert_int_equal(decide(&office, 0, 0, 1).verdict, WEIR_VERDICT_PENDING);
    const struct weir_decision decision = decide(&office, 1, 0, 1); /* key 0 waits for the store */
    assert_int_equal(decision.verdict, WEIR_VERDICT_DENIED);
    assert_int_equal(decision.retry_after_ns, 1);
    assert_int_equal(office.client->operations->undecided_count(office.client), 1);
    close_office(&office);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_written_a_miss_adds_a_lease_to_the_counter_and_keeps_the_rest),
        cmocka_unit_test(as_written_requests_that_miss_together_each_ask_and_the_last_answer_stays),
        cmocka_unit_test(as_written_a_partial_lease_that_is_too_small_is_a_denial),
        cmocka_unit_test(as_written_a_denial_is_not_remembered),
        cmocka_unit_test(as_written_a_lease_ends_with_its_window),
        cmocka_unit_test(as_written_a_clock_that_is_behind_is_in_the_window_before),
        cmocka_unit_test(per_request_asks_for_exactly_the_cost),
        cmocka_unit_test(per_request_a_refusal_is_a_denial),
        cmocka_unit_test(per_request_what_costs_nothing_asks_nobody),
        cmocka_unit_test(a_request_the_limiter_has_no_place_for_is_denied_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
