/* A run with faults against the same run without: what changed, whether it came back, and what
 * that makes of the run. */
#include "twin_run.h"

#define FILE_NAME "test_aftermath.tmp.json"
#define SECOND_NS UINT64_C(1000000000)

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 40, \"fleet\": {\"processes\": 3},"                          \
    " \"store\": {\"bandwidth_bytes_per_s\": %s},"                                                 \
    " \"plans\": {\"p\": {\"algorithm\": \"window\", \"rate_per_s\": 100, \"window_s\": 4}},"      \
    " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 2}},"                                         \
    " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 1.2}%s}"

#define FAULTS(LIST) ", \"faults\": [" LIST "]"
#define CRASH                                                                                      \
    "{\"id\": \"crash\", \"kind\": \"crash\", \"from_s\": 10, \"restart_after_s\": 2,"             \
    " \"processes\": [1]}"
#define LATE_CRASH                                                                                 \
    "{\"id\": \"crash\", \"kind\": \"crash\", \"from_s\": 30, \"restart_after_s\": 6,"             \
    " \"processes\": [1]}"
#define LASTING_CRASH "{\"id\": \"crash\", \"kind\": \"crash\", \"from_s\": 30, \"processes\": [1]}"
#define IDLE                                                                                       \
    "{\"id\": \"idle\", \"kind\": \"report_lost\", \"from_s\": 14.3, \"until_s\": 14.301,"         \
    " \"probability_pct\": 100}"

static void start(struct twin_run *pair, const char *bandwidth, const char *faults)
{
    char text[2000];

    snprintf(text, sizeof text, TEXT, bandwidth, faults);
    twin_run_start(pair, FILE_NAME, text);
}

static void play(struct twin_run *pair, const char *faults)
{
    start(pair, "0", faults);
    twin_run_finish(pair);
}

static void a_run_without_faults_equals_its_twin(void **state)
{
    (void)state;
    struct twin_run pair;

    start(&pair, "0", FAULTS(CRASH));
    pair.run.scenario.faults.count = 0;
    twin_run_finish(&pair);
    assert_true(pair.twin.journal.count > 5000);
    assert_int_equal(pair.run.world.watch.journal.count, pair.twin.journal.count);
    assert_int_equal(
        sim_journal_missing_count(&pair.run.world.watch.journal, &pair.twin.journal, 0, UINT64_MAX),
        0);
    assert_int_equal(pair.run.result.aftermath.liveness.recovery, SIM_RECOVERY_NOT_ASKED);
    assert_int_equal(pair.run.result.verdict, SIM_VERDICT_PASS);
    pair.run.scenario.faults.count = 1; /* to be freed */
    twin_run_free(&pair);
}

static void a_crash_changes_decisions_and_is_recovered_from(void **state)
{
    (void)state;
    struct twin_run pair;

    play(&pair, FAULTS(CRASH));
    const struct sim_aftermath *aftermath = &pair.run.result.aftermath;

    assert_int_equal(aftermath->fault_count, 1);
    assert_true(aftermath->faults[0].fired_count > 0);
    assert_true(aftermath->faults[0].changed_count > 0);
    assert_int_equal(aftermath->liveness.recovery, SIM_RECOVERY_DONE);
    assert_int_equal(aftermath->liveness.last_end_ns, 12 * SECOND_NS);
    assert_int_equal(aftermath->liveness.settled_ns, 20 * SECOND_NS);
    assert_true(aftermath->liveness.checked_intervals >= 8);
    assert_int_equal(pair.run.result.ledger.missing_units, 0);
    assert_int_equal(pair.run.result.all.cause_units[SIM_CAUSE_UNEXPLAINED], 0);
    assert_int_equal(pair.run.result.verdict, SIM_VERDICT_PASS);
    twin_run_free(&pair);
}

static void a_fault_that_does_nothing_makes_the_run_inconclusive(void **state)
{
    (void)state;
    struct twin_run pair;

    play(&pair, FAULTS(CRASH ", " IDLE));
    assert_int_equal(pair.run.result.aftermath.faults[1].fired_count, 0);
    assert_int_equal(pair.run.result.verdict, SIM_VERDICT_INCONCLUSIVE);
    twin_run_free(&pair);
}

static void a_fault_that_changes_nothing_makes_the_run_inconclusive(void **state)
{
    (void)state;
    struct twin_run pair;

    play(&pair, FAULTS(IDLE));
    pair.run.scenario.faults.fired_count[0] = 1; /* it is said to have happened */
    sim_result_free(&pair.run.result);
    sim_result_make(&pair.run.result, &pair.run.world, SIM_KERNEL_HEAP);
    assert_int_equal(pair.run.result.aftermath.faults[0].changed_count, 0);
    assert_int_equal(pair.run.result.verdict, SIM_VERDICT_INCONCLUSIVE);
    twin_run_free(&pair);
}

static void a_run_that_ends_too_early_shows_no_recovery(void **state)
{
    (void)state;
    struct twin_run pair;

    play(&pair, FAULTS(LATE_CRASH));
    assert_int_equal(pair.run.result.aftermath.liveness.recovery, SIM_RECOVERY_UNKNOWN);
    assert_int_equal(pair.run.result.verdict, SIM_VERDICT_INCONCLUSIVE);
    twin_run_free(&pair);
}

/* Twenty processes that have five requests a minute each: it takes a breaker long to hear enough
 * answers. It lets requests pass all the while. */
static void a_breaker_that_is_half_open_is_not_open(void **state)
{
    (void)state;
    struct twin_run pair;

    twin_run_play(&pair, FILE_NAME,
                  "{\"why\": \"w\", \"duration_s\": 120, \"fleet\": {\"processes\": 20},"
                  " \"plans\": {\"p\": {\"algorithm\": \"log\", \"rate_per_min\": 100,"
                  " \"window_s\": 10}}, \"keys\": {\"k\": {\"plan\": \"p\"}},"
                  " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 1}, \"faults\":"
                  " [{\"kind\": \"store_outage\", \"from_s\": 5, \"until_s\": 65}]}");

    assert_true(pair.run.result.aftermath.counts.breaker_openings > 0);
    assert_int_equal(pair.run.result.aftermath.liveness.open_breakers, 0);
    assert_int_equal(pair.run.result.aftermath.liveness.recovery, SIM_RECOVERY_DONE);
    twin_run_free(&pair);
}

/* At the end all processes give back at once, which takes longer than they wait for an answer. */
static void breakers_that_open_at_the_end_hinder_no_recovery(void **state)
{
    (void)state;
    struct twin_run pair;

    twin_run_play(&pair, FILE_NAME,
                  "{\"why\": \"w\", \"duration_s\": 60, \"fleet\": {\"processes\": 20,"
                  " \"balance\": {\"kind\": \"zipf\", \"exponent\": 3}},"
                  " \"store\": {\"capacity_per_s\": 5000},"
                  " \"plans\": {\"p\": {\"algorithm\": \"window\", \"rate_per_min\": 6000,"
                  " \"window_s\": 5}}, \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 2}},"
                  " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 4}, \"faults\":"
                  " [{\"kind\": \"store_outage\", \"from_s\": 42, \"until_s\": 44}]}");

    assert_true(sim_liveness_open_breakers(&pair.run.world) > 0);
    assert_int_equal(pair.run.result.aftermath.liveness.open_breakers, 0);
    assert_int_equal(pair.run.result.aftermath.liveness.recovery, SIM_RECOVERY_DONE);
    twin_run_free(&pair);
}

static void a_fault_that_lasts_is_not_recovered_from(void **state)
{
    (void)state;
    struct twin_run pair;

    play(&pair, FAULTS(LASTING_CRASH));
    assert_int_equal(pair.run.result.aftermath.liveness.recovery, SIM_RECOVERY_NOT_ASKED);
    assert_int_equal(pair.run.result.verdict, SIM_VERDICT_PASS);
    twin_run_free(&pair);
}

/* The cell of key 0 that begins 22 s or later. */
static struct sim_cell *late_cell(struct twin_run *pair, uint32_t *interval)
{
    struct sim_accuracy *accuracy = &pair->run.world.accuracy;

    *interval = sim_accuracy_interval(accuracy, 0, 26 * SECOND_NS);
    return &accuracy->cells[accuracy->keys[0].first_cell + *interval];
}

static enum sim_recovery judge(struct twin_run *pair)
{
    sim_result_free(&pair->run.result);
    sim_result_make(&pair->run.result, &pair->run.world, SIM_KERNEL_HEAP);
    return pair->run.result.aftermath.liveness.recovery;
}

/* An outage as long as the run: then what customers saw of it is what the run came to. */
static void what_customers_see_of_an_outage_is_what_happens_in_it(void **state)
{
    (void)state;
    static const char *const paths[][2] = {
        {"units.demand", "outage.units.demand"},
        {"units.admitted", "outage.units.admitted"},
        {"units.oracle", "outage.units.ideal"},
        {"decisions.total", "outage.requests"},
        {"availability.answered_pct", "outage.answered_pct"},
        {"outage.units.refused", "populations.k.outage.units.refused"},
        {"billing.reported_units", "populations.k.billing.reported_units"},
        {"billing.lost_units", "populations.k.billing.lost_units"},
        {"billing.degraded_units", "populations.k.billing.degraded_units"},
        {"billing.flagged_windows", "populations.k.billing.flagged_windows"},
        {"billing.flagged_units", "populations.k.billing.flagged_units"},
    };
    struct twin_run pair;

    start(&pair, "0",
          FAULTS("{\"kind\": \"store_outage\", \"from_s\": 0}, {\"kind\": \"crash\","
                 " \"from_s\": 0.5, \"restart_after_s\": 2, \"processes\": [1]}"));
    pair.run.scenario.wait_max_ns = SECOND_NS;
    pair.run.scenario.ask_timeout_ns = 2 * SECOND_NS;
    twin_run_finish(&pair);
    const struct sim_metrics *metrics = &pair.run.world.metrics;
    struct sim_outage_service service;
    sim_outage_services_sum(&pair.run.world.watch.services, SIM_EVERY_POPULATION, &service);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        double whole = -1;
        double outage = -2;
        assert_true(sim_result_number(pair.run.result.json, paths[i][0], &whole));
        assert_true(sim_result_number(pair.run.result.json, paths[i][1], &outage));
        assert_int_equal(whole, outage);
    }
    assert_true(metrics->killed > 0);
    assert_int_equal(service.killed, metrics->killed);
    assert_int_equal(service.waits.count, metrics->admitted + metrics->denied);
    assert_int_equal(service.waits.max_ns, pair.run.scenario.wait_max_ns);
    twin_run_free(&pair);
}

/* Limits are of 400 units: 2 more than the twin's worst are allowed, no third. */
static void an_interval_out_of_the_band_is_no_recovery(void **state)
{
    (void)state;
    struct twin_run pair;
    uint32_t interval;
    uint64_t worst = 0;

    play(&pair, FAULTS(CRASH));
    const struct sim_accuracy *accuracy = &pair.run.world.accuracy;
    for (uint32_t i = 0; i < accuracy->keys[0].cell_count; i++) {
        const uint64_t error = pair.twin.error_units[accuracy->keys[0].first_cell + i];
        worst = error > worst ? error : worst;
    }
    struct sim_cell *cell = late_cell(&pair, &interval);
    cell->oracle_units = cell->admitted_units + worst + 2;
    assert_int_equal(judge(&pair), SIM_RECOVERY_DONE);
    cell->oracle_units++;
    assert_int_equal(judge(&pair), SIM_RECOVERY_FAILED);
    const struct sim_liveness *liveness = &pair.run.result.aftermath.liveness;
    assert_int_equal(liveness->unhealthy_intervals, 1);
    assert_int_equal(liveness->worst_key, 0);
    assert_int_equal(liveness->recovered_ns, sim_accuracy_interval_end_ns(accuracy, 0, interval));
    double recovered = -1;
    assert_true(
        sim_result_number(pair.run.result.json, "populations.k.liveness.recovered", &recovered));
    assert_int_equal(recovered, 0);
    assert_int_equal(liveness->by_population[0].recovered_ns, liveness->recovered_ns);
    assert_int_equal(pair.run.result.verdict, SIM_VERDICT_FAIL);
    twin_run_free(&pair);
}

static void an_open_breaker_or_a_ledger_that_does_not_balance_is_no_recovery(void **state)
{
    (void)state;
    struct twin_run pair;

    play(&pair, FAULTS(CRASH));
    pair.run.world.open_breakers = 1;
    assert_int_equal(judge(&pair), SIM_RECOVERY_FAILED);
    assert_int_equal(pair.run.result.aftermath.liveness.open_breakers, 1);
    pair.twin.open_breakers = 1; /* the store is as slow without faults */
    assert_int_equal(judge(&pair), SIM_RECOVERY_DONE);
    pair.run.world.open_breakers = 0;
    assert_int_equal(judge(&pair), SIM_RECOVERY_DONE);
    pair.run.world.store.granted_units++;
    assert_int_equal(judge(&pair), SIM_RECOVERY_FAILED);
    pair.run.world.store.granted_units--;
    pair.run.world.drained = false;
    assert_int_equal(judge(&pair), SIM_RECOVERY_FAILED);
    twin_run_free(&pair);
}

/* Links that are never busy: both kernels give the same but for the order within a step. */
static void where_bandwidth_is_limited_the_twin_runs_apart(void **state)
{
    (void)state;
    struct twin_run one;
    struct twin_run other;

    start(&one, "1000000", FAULTS(CRASH));
    start(&other, "1000000", FAULTS(CRASH));
    assert_true(one.twin.journal.count > 5000);
    assert_true(one.twin.cell_count > 0);
    assert_int_equal(one.twin.journal.count, other.twin.journal.count);
    assert_int_equal(
        sim_journal_missing_count(&one.twin.journal, &other.twin.journal, 0, UINT64_MAX), 0);
    assert_memory_equal(one.twin.error_units, other.twin.error_units,
                        one.twin.cell_count * sizeof(uint64_t));
    sim_twin_free(&one.twin);
    sim_twin_free(&other.twin);
    sim_scenario_free(&one.run.scenario);
    sim_scenario_free(&other.run.scenario);
}

static enum sim_recovery recovery_of(const char *text)
{
    struct twin_run pair;

    twin_run_start(&pair, FILE_NAME, text);
    twin_run_finish(&pair);
    const enum sim_recovery recovery = pair.run.result.aftermath.liveness.recovery;
    twin_run_free(&pair);
    return recovery;
}

/* After a pause clients ask at other times than those of an exact limiter: that is no error. */
static void clients_that_react_are_judged_by_what_they_asked_for(void **state)
{
    (void)state;
    static const char text[] =
        "{\"why\": \"w\", \"seed\": 685, \"duration_s\": 8, \"fleet\": {\"processes\": 1},"
        " \"plans\": {\"p\": {\"algorithm\": \"sliding\", \"window_s\": 1, \"rate_per_s\": 1000}},"
        " \"keys\": {\"k\": {\"plan\": \"p\"}},"
        " \"traffic\": {\"keys\": \"k\", \"pattern\": \"closed\","
        " \"clients\": 20, \"think_ms\": 50}, \"faults\": [{\"kind\": \"pause\", \"from_s\": 4,"
        " \"until_s\": 4.1, \"processes\": [0]}]}";

    assert_int_equal(recovery_of(text), SIM_RECOVERY_DONE);
}

/* Two primaries grant 104 of 900 too many; from then on its bursts come at other times. */
static void a_log_whose_bursts_were_shifted_has_recovered(void **state)
{
    (void)state;
    static const char text[] =
        "{\"why\": \"w\", \"duration_s\": 24, \"fleet\": {\"processes\": 15},"
        " \"plans\": {\"p\": {\"algorithm\": \"log\", \"window_s\": 3, \"rate_per_s\": 300}},"
        " \"keys\": {\"k\": {\"plan\": \"p\"}}, \"traffic\": {\"keys\": \"k\","
        " \"demand_ratio\": 1.3}, \"faults\": [{\"kind\": \"store_split\", \"from_s\": 7,"
        " \"until_s\": 8, \"processes\": {\"first\": 0, \"count\": 11}}]}";

    assert_int_equal(recovery_of(text), SIM_RECOVERY_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_without_faults_equals_its_twin),
        cmocka_unit_test(clients_that_react_are_judged_by_what_they_asked_for),
        cmocka_unit_test(a_log_whose_bursts_were_shifted_has_recovered),
        cmocka_unit_test(a_crash_changes_decisions_and_is_recovered_from),
        cmocka_unit_test(a_fault_that_does_nothing_makes_the_run_inconclusive),
        cmocka_unit_test(a_fault_that_changes_nothing_makes_the_run_inconclusive),
        cmocka_unit_test(a_run_that_ends_too_early_shows_no_recovery),
        cmocka_unit_test(a_breaker_that_is_half_open_is_not_open),
        cmocka_unit_test(breakers_that_open_at_the_end_hinder_no_recovery),
        cmocka_unit_test(a_fault_that_lasts_is_not_recovered_from),
        cmocka_unit_test(what_customers_see_of_an_outage_is_what_happens_in_it),
        cmocka_unit_test(an_interval_out_of_the_band_is_no_recovery),
        cmocka_unit_test(an_open_breaker_or_a_ledger_that_does_not_balance_is_no_recovery),
        cmocka_unit_test(where_bandwidth_is_limited_the_twin_runs_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
