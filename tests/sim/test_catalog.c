/* The keys of a scenario as the limiter sees them. */
#include "world_run.h"

#include "catalog.h"

#define FILE_NAME "test_catalog.tmp.json"

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 60, \"fleet\": {\"processes\": 2},"                          \
    " \"store\": {\"shards\": 3}, \"limiter\": {%s},"                                              \
    " \"plans\": {\"gold\": {\"rate_per_min\": 600, \"capacity_units\": 7,"                        \
    " \"start_fill_pct\": 50},"                                                                    \
    " \"free\": {\"algorithm\": \"window\", \"rate_per_s\": 100, \"window_s\": 7,"                 \
    " \"start_fill_pct\": 10}},"                                                                   \
    " \"keys\": {\"a\": {\"plan\": \"gold\", \"count\": 3}, \"b\": {\"plan\": \"free\","           \
    " \"count\": 500}}, \"traffic\": {\"keys\": \"a\", \"demand_ratio\": 1}}"

struct case_catalog {
    struct sim_scenario scenario;
    struct sim_catalog catalog;
};

static void prepare(struct case_catalog *prepared, const char *limiter)
{
    char text[2000];

    snprintf(text, sizeof text, TEXT, limiter);
    world_run_load(&prepared->scenario, FILE_NAME, text);
    sim_catalog_init(&prepared->catalog, &prepared->scenario);
}

static void dispose(struct case_catalog *prepared)
{
    sim_catalog_deinit(&prepared->catalog);
    sim_scenario_free(&prepared->scenario);
}

static void keys_are_numbered_one_population_after_another(void **state)
{
    (void)state;
    struct case_catalog prepared;
    char name[80];

    prepare(&prepared, "");

    assert_int_equal(prepared.catalog.key_count, 503);
    assert_int_equal(prepared.catalog.keys[2].population, 0);
    assert_int_equal(prepared.catalog.keys[2].plan, 0);
    assert_int_equal(prepared.catalog.keys[3].population, 1);
    assert_int_equal(prepared.catalog.keys[3].plan, 1);
    sim_catalog_name(&prepared.catalog, 2, name, sizeof name);
    assert_string_equal(name, "a/2");
    sim_catalog_name(&prepared.catalog, 502, name, sizeof name);
    assert_string_equal(name, "b/499");
    dispose(&prepared);
}

static void every_key_is_found_by_its_fingerprint(void **state)
{
    (void)state;
    struct case_catalog prepared;
    unsigned by_shard[3] = {0};

    prepare(&prepared, "");
    for (uint32_t key = 0; key < prepared.catalog.key_count; key++) {
        assert_int_equal(sim_catalog_find(&prepared.catalog, &prepared.catalog.keys[key].key), key);
        by_shard[prepared.catalog.keys[key].shard]++;
    }

    for (int shard = 0; shard < 3; shard++) {
        assert_in_range(by_shard[shard], 120, 220);
    }
    dispose(&prepared);
}

static void plans_are_those_of_the_file(void **state)
{
    (void)state;
    struct case_catalog prepared;

    prepare(&prepared, "\"sizer\": \"fixed\", \"fixed_lease_units\": 9");

    assert_int_equal(prepared.catalog.plans[0].algorithm, WEIR_ALGORITHM_BUCKET);
    assert_int_equal(prepared.catalog.plans[0].limit_units, 600);
    assert_int_equal(prepared.catalog.plans[0].capacity_units, 7);
    assert_int_equal(prepared.catalog.plans[0].sizer, WEIR_SIZER_FIXED);
    assert_int_equal(prepared.catalog.plans[0].fixed_lease_units, 9);
    assert_int_equal(prepared.catalog.plans[1].algorithm, WEIR_ALGORITHM_WINDOW);
    assert_int_equal(prepared.catalog.plans[1].limit_units, 700);
    dispose(&prepared);
}

static void plans_of_every_kind_are_made_for_the_core(void **state)
{
    (void)state;
    static const struct {
        enum sim_algorithm algorithm;
        enum sim_sizer sizer;
        enum weir_algorithm made_algorithm;
        enum weir_sizer made_sizer;
        uint64_t limit_units;
        uint64_t capacity_units;
    } CASES[] = {
        {SIM_ALGORITHM_BUCKET, SIM_SIZER_TAPERED, WEIR_ALGORITHM_BUCKET, WEIR_SIZER_TAPERED, 600,
         7},
        {SIM_ALGORITHM_WINDOW, SIM_SIZER_FIXED, WEIR_ALGORITHM_WINDOW, WEIR_SIZER_FIXED, 50, 50},
        {SIM_ALGORITHM_SLIDING, SIM_SIZER_RATE, WEIR_ALGORITHM_SLIDING, WEIR_SIZER_RATE, 50, 50},
        {SIM_ALGORITHM_LOG, SIM_SIZER_DOUBLING, WEIR_ALGORITHM_LOG, WEIR_SIZER_DOUBLING, 50, 50},
        {SIM_ALGORITHM_UNLIMITED, SIM_SIZER_TAPERED, WEIR_ALGORITHM_UNLIMITED, WEIR_SIZER_TAPERED,
         0, 0},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct sim_plan source = {.name = "plan",
                                        .algorithm = CASES[i].algorithm,
                                        .rate_units = 600,
                                        .rate_period_us = 60000000,
                                        .capacity_units = 7,
                                        .window_us = 5000000,
                                        .sizer = CASES[i].sizer,
                                        .fixed_lease_units = 9};
        struct weir_plan plan;

        sim_catalog_make_plan(&plan, &source, 3);
        assert_int_equal(plan.version, 3);
        assert_int_equal(plan.algorithm, CASES[i].made_algorithm);
        assert_int_equal(plan.sizer, CASES[i].made_sizer);
        assert_int_equal(plan.limit_units, CASES[i].limit_units);
        assert_int_equal(plan.capacity_units, CASES[i].capacity_units);
        assert_int_equal(plan.fixed_lease_units, 9);
    }
}

static void a_plan_decides_without_the_store_as_its_scenario_says(void **state)
{
    (void)state;
    static const struct {
        const char *limiter;
        enum weir_degraded_policy made;
    } CASES[] = {
        {"", WEIR_DEGRADED_BOUNDED},
        {"\"degraded\": \"uniform\"", WEIR_DEGRADED_UNIFORM},
        {"\"degraded\": \"share\"", WEIR_DEGRADED_SHARE},
        {"\"degraded\": \"open\"", WEIR_DEGRADED_OPEN},
        {"\"degraded\": \"closed\"", WEIR_DEGRADED_CLOSED},
    };

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct case_catalog prepared;

        prepare(&prepared, CASES[i].limiter);
        assert_int_equal(prepared.catalog.plans[0].degraded, CASES[i].made);
        dispose(&prepared);
    }
}

static void a_plans_sizer_is_its_own_or_the_limiters(void **state)
{
    (void)state;
    static const struct {
        const char *limiter;
        enum weir_sizer sizer;
    } CASES[] = {
        {"", WEIR_SIZER_TAPERED},
        {"\"sizer\": \"tapered\"", WEIR_SIZER_TAPERED},
        {"\"sizer\": \"fixed\"", WEIR_SIZER_FIXED},
        {"\"sizer\": \"rate\"", WEIR_SIZER_RATE},
        {"\"sizer\": \"doubling\"", WEIR_SIZER_DOUBLING},
    };
    static const char *const OWN = "plans.free.sizer=rate";

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct case_catalog prepared;
        struct sim_error error;
        char text[2000];
        prepare(&prepared, CASES[i].limiter);
        assert_int_equal(prepared.catalog.plans[0].sizer, CASES[i].sizer);
        assert_int_equal(prepared.catalog.plans[1].sizer, CASES[i].sizer);
        dispose(&prepared);

        snprintf(text, sizeof text, TEXT, CASES[i].limiter);
        world_run_write(FILE_NAME, text);
        assert_true(sim_scenario_load(&prepared.scenario, FILE_NAME, &OWN, 1, &error));
        assert_int_equal(unlink(FILE_NAME), 0);
        sim_catalog_init(&prepared.catalog, &prepared.scenario);
        assert_int_equal(prepared.catalog.plans[0].sizer, CASES[i].sizer);
        assert_int_equal(prepared.catalog.plans[1].sizer, WEIR_SIZER_RATE);
        dispose(&prepared);
    }
}

static void the_start_fill_is_rounded_down(void **state)
{
    (void)state;
    struct case_catalog prepared;

    prepare(&prepared, "");

    assert_int_equal(sim_catalog_start_units(&prepared.catalog, 0), 3);
    assert_int_equal(sim_catalog_start_units(&prepared.catalog, 3), 70);
    dispose(&prepared);
}

/* The n-th whole window before true time 0 ends at a multiple of the window in the key's phase. */
static void windows_in_true_time_begin_where_the_stores_do(void **state)
{
    (void)state;
    struct case_catalog prepared;
    const uint64_t window_us = 7000000;

    prepare(&prepared, "");
    for (uint32_t key = 3; key < prepared.catalog.key_count; key++) {
        const struct sim_key *entry = &prepared.catalog.keys[key];
        const uint64_t begin_us = sim_store_us(7 * UINT64_C(1000000000) - entry->window_phase_ns);

        assert_true(entry->window_phase_ns < 7 * UINT64_C(1000000000));
        assert_int_equal((begin_us + weir_key_phase_us(&entry->key, window_us)) % window_us, 0);
    }
    dispose(&prepared);
}

static void the_note_knows_no_phases(void **state)
{
    (void)state;
    struct case_catalog prepared;

    prepare(&prepared, "\"coordination\": \"as_written\"");
    for (uint32_t key = 3; key < prepared.catalog.key_count; key++) {
        const uint64_t phase_ns = prepared.catalog.keys[key].window_phase_ns;

        assert_int_equal(sim_store_us(7 * UINT64_C(1000000000) - phase_ns) % 7000000, 0);
    }
    dispose(&prepared);
}

static void the_store_counts_whole_microseconds_from_its_epoch(void **state)
{
    (void)state;
    assert_int_equal(SIM_STORE_EPOCH_US % 60000000, 0);
    assert_int_equal(sim_store_us(0), SIM_STORE_EPOCH_US);
    assert_int_equal(sim_store_us(1999), SIM_STORE_EPOCH_US + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_numbered_one_population_after_another),
        cmocka_unit_test(every_key_is_found_by_its_fingerprint),
        cmocka_unit_test(plans_are_those_of_the_file),
        cmocka_unit_test(plans_of_every_kind_are_made_for_the_core),
        cmocka_unit_test(a_plan_decides_without_the_store_as_its_scenario_says),
        cmocka_unit_test(a_plans_sizer_is_its_own_or_the_limiters),
        cmocka_unit_test(the_start_fill_is_rounded_down),
        cmocka_unit_test(windows_in_true_time_begin_where_the_stores_do),
        cmocka_unit_test(the_note_knows_no_phases),
        cmocka_unit_test(the_store_counts_whole_microseconds_from_its_epoch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
