/* What result.json says about clients and about processes: hand-computed in test_world_clients.c.
 */
#include "world_run.h"

#define FILE_NAME "test_result_clients.tmp.json"
#define MS_NS UINT64_C(1000000)

/* Two requests at 0, one unit a second: see test_world_clients.c. */
#define TWO_AT_ONCE                                                                                \
    "{\"why\": \"w\", \"duration_s\": 3, \"fleet\": {\"processes\": 2, \"balance\": {\"kind\": "   \
    "\"weights\", \"weights\": [1, 0]}},"                                                          \
    " \"store\": {\"round_trip_us\": 500}, \"limiter\": {\"coordination\": \"per_request\"},"      \
    " \"plans\": {\"p\": {\"rate_per_s\": 1, \"capacity_units\": 1}}, \"keys\": {\"k\": "          \
    "{\"plan\": \"p\"}},"                                                                          \
    " \"traffic\": {\"keys\": \"k\", \"pattern\": \"burst\", \"requests\": 2}}"

static void play(struct world_run *run, enum sim_denial_kind kind)
{
    world_run_load(&run->scenario, FILE_NAME, TWO_AT_ONCE);
    run->scenario.traffic[0].on_denial =
        (struct sim_on_denial){.kind = kind, .attempts_max = 1000, .delay_ns = 100 * MS_NS};
    world_run_start(run, SIM_KERNEL_HEAP);
}

static json_int_t integer_at(const json_t *json, const char *key)
{
    assert_true(json_is_integer(json_object_get(json, key)));
    return json_integer_value(json_object_get(json, key));
}

static void assert_real(const json_t *json, const char *key, double expected)
{
    const double value = json_real_value(json_object_get(json, key));

    assert_true(json_is_real(json_object_get(json, key)));
    assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

static void what_clients_did_stands_beside_what_they_would_have_done(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, SIM_DENIAL_RETRY_AT_ONCE);
    const json_t *clients = json_object_get(run.result.json, "clients");
    const json_t *ideal = json_object_get(clients, "ideal");

    assert_int_equal(integer_at(clients, "retries"), 10);
    assert_int_equal(integer_at(clients, "given_up"), 0);
    assert_int_equal(integer_at(clients, "cut_off"), 0);
    assert_int_equal(integer_at(clients, "recovered"), 1);
    assert_real(json_object_get(clients, "first_denial_to_admission_s"), "mean", 1.0051);
    assert_real(json_object_get(clients, "first_denial_to_admission_s"), "max", 1.0051);
    assert_int_equal(integer_at(ideal, "retries"), 10);
    assert_real(json_object_get(ideal, "first_denial_to_admission_s"), "max", 1);
    assert_real(clients, "herd_ratio", 0);
    assert_real(clients, "herd_arrivals_ratio", 2 * 300.0 / 12);
    world_run_free(&run);
}

static void who_ignores_has_the_same_figures_twice(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, SIM_DENIAL_IGNORE);
    const json_t *clients = json_object_get(run.result.json, "clients");

    assert_int_equal(integer_at(clients, "given_up"), 1);
    assert_int_equal(integer_at(json_object_get(clients, "ideal"), "given_up"), 1);
    assert_int_equal(integer_at(clients, "retries"), 0);
    world_run_free(&run);
}

static void each_process_has_its_counts(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, SIM_DENIAL_RETRY_AT_ONCE);
    const json_t *fairness = json_object_get(run.result.json, "fairness");
    const json_t *processes = json_object_get(fairness, "processes");
    const json_t *first = json_array_get(processes, 0);

    assert_int_equal(json_array_size(processes), 2);
    assert_int_equal(integer_at(first, "requests"), 12);
    assert_int_equal(integer_at(first, "admitted"), 2);
    assert_int_equal(integer_at(first, "denied"), 10);
    assert_int_equal(integer_at(first, "units_demand"), 12);
    assert_int_equal(integer_at(first, "units_admitted"), 2);
    assert_int_equal(integer_at(json_array_get(processes, 1), "requests"), 0);
    /* the second had no demand: it is not the least */
    assert_real(json_object_get(fairness, "admitted_pct"), "min", 200.0 / 12);
    assert_real(json_object_get(fairness, "admitted_pct"), "max", 200.0 / 12);
    assert_real(fairness, "admitted_per_demand_min", 2.0 / 12);
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_clients_did_stands_beside_what_they_would_have_done),
        cmocka_unit_test(who_ignores_has_the_same_figures_twice),
        cmocka_unit_test(each_process_has_its_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
