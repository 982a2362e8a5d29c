/* How customers were served during outages, on requests played by hand: of two populations,
 * through two outages of which the second begins before the first is over. */
#include "world_run.h"

#include "judgement.h"
#include "outage_service.h"

#define FILE_NAME "test_outage_service.tmp.json"
#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"duration_s\": 100, \"fleet\": {\"processes\": 2},"                         \
    " \"plans\": {\"p\": {\"rate_per_min\": 6000, \"capacity_s\": 1}},"                            \
    " \"keys\": {\"a\": {\"plan\": \"p\"}, \"b\": {\"plan\": \"p\"}},"                             \
    " \"traffic\": {\"keys\": \"a\", \"demand_ratio\": 1},"                                        \
    " \"faults\": [{\"kind\": \"store_outage\", \"from_s\": 20, \"for_s\": 30},"                   \
    " {\"kind\": \"partition\", \"from_s\": 40, \"until_s\": 60, \"processes\": [1]},"             \
    " {\"kind\": \"store_slow\", \"from_s\": 70, \"until_s\": 80, \"added_ms\": 9}]}"

enum { A, B };

static struct sim_scenario scenario;
static struct sim_catalog catalog;
static struct sim_accuracy accuracy;
static struct sim_outages outages;
static struct sim_outage_services services;

static int begin(void **state)
{
    (void)state;
    world_run_load(&scenario, FILE_NAME, SCENARIO);
    sim_catalog_init(&catalog, &scenario);
    sim_accuracy_init(&accuracy, &catalog);
    sim_outages_init(&outages, &accuracy.history);
    sim_outage_services_init(&services, &outages);
    return 0;
}

static int end(void **state)
{
    (void)state;
    sim_outage_services_deinit(&services);
    sim_outages_deinit(&outages);
    sim_accuracy_deinit(&accuracy);
    sim_catalog_deinit(&catalog);
    sim_scenario_free(&scenario);
    return 0;
}

static void arrive(uint32_t key, uint64_t at_s, uint32_t cost_units, bool is_due)
{
    const struct sim_arrival arrival = {
        .time_ns = at_s * SECOND_NS, .key = key, .cost_units = cost_units};

    sim_outage_services_arrival(&services, &arrival, is_due);
}

static void decide(uint32_t key, uint64_t at_s, uint64_t wait_ns, uint32_t admitted_units)
{
    sim_outage_services_decided(&services, key, at_s * SECOND_NS, at_s * SECOND_NS + wait_ns,
                                admitted_units);
}

static struct sim_outage_service service_of(uint32_t population)
{
    struct sim_outage_service service;

    sim_outage_services_sum(&services, population, &service);
    return service;
}

static void requests_of_an_outage_count_once_and_those_of_no_outage_never(void **state)
{
    (void)state;
    static const uint64_t times_s[] = {19, 20, 45, 59, 60, 75};

    for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
        arrive(A, times_s[i], 5, i % 2 == 0);
        decide(A, times_s[i], 0, 4);
    }
    const struct sim_outage_service service = service_of(A);
    assert_int_equal(service.requests, 3);
    assert_int_equal(service.demand_units, 15);
    assert_int_equal(service.ideal_units, 5);
    assert_int_equal(service.admitted_units, 12);
    assert_int_equal(service.waits.count, 3);
}

static void each_population_has_its_own_and_all_is_the_sum(void **state)
{
    (void)state;
    arrive(A, 30, 1, true);
    decide(A, 30, 2 * MS_NS, 1);
    arrive(B, 30, 7, true);
    decide(B, 30, 5 * MS_NS, 0);
    assert_int_equal(service_of(A).demand_units, 1);
    assert_int_equal(service_of(A).waits.max_ns, 2 * MS_NS);
    assert_int_equal(service_of(B).demand_units, 7);
    assert_int_equal(service_of(B).admitted_units, 0);
    assert_int_equal(service_of(B).waits.max_ns, 5 * MS_NS);
    const struct sim_outage_service all = service_of(SIM_EVERY_POPULATION);
    assert_int_equal(all.demand_units, 8);
    assert_int_equal(all.ideal_units, 8);
    assert_int_equal(all.admitted_units, 1);
    assert_int_equal(all.waits.count, 2);
    assert_int_equal(all.waits.waited, 2);
    assert_int_equal(all.waits.max_ns, 5 * MS_NS);
}

static void who_died_with_its_process_is_not_unanswered(void **state)
{
    (void)state;
    struct sim_outage_service service = service_of(A);

    assert_true(sim_outage_service_answered_pct(&service) < 0);
    for (uint64_t i = 0; i < 5; i++) {
        arrive(A, 30 + i, 1, true);
    }
    sim_outage_services_killed(&services, A, 30 * SECOND_NS);
    sim_outage_services_killed(&services, A, 10 * SECOND_NS);
    decide(A, 31, 0, 1);
    service = service_of(A);
    assert_int_equal(service.killed, 1);
    assert_int_equal(sim_outage_service_answered_pct(&service) + 0.5, 25);
}

static void what_is_decided_alone_counts_from_the_end_of_the_last_outage(void **state)
{
    (void)state;
    sim_outage_services_alone(&services, A, 10 * SECOND_NS); /* before any */
    sim_outage_services_alone(&services, A, 55 * SECOND_NS); /* the other one goes on */
    assert_int_equal(service_of(A).alone_after_ns, 0);
    sim_outage_services_alone(&services, A, 62 * SECOND_NS);
    sim_outage_services_alone(&services, A, 61 * SECOND_NS);
    assert_int_equal(service_of(A).alone_after_ns, 2 * SECOND_NS);
    assert_int_equal(service_of(B).alone_after_ns, 0);
    sim_outage_services_alone(&services, B, 63 * SECOND_NS);
    assert_int_equal(service_of(SIM_EVERY_POPULATION).alone_after_ns, 3 * SECOND_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            requests_of_an_outage_count_once_and_those_of_no_outage_never, begin, end),
        cmocka_unit_test_setup_teardown(each_population_has_its_own_and_all_is_the_sum, begin, end),
        cmocka_unit_test_setup_teardown(who_died_with_its_process_is_not_unanswered, begin, end),
        cmocka_unit_test_setup_teardown(
            what_is_decided_alone_counts_from_the_end_of_the_last_outage, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
