/* What holds in every world, on scenarios drawn at random: the contract, the ledger, billing. */
#include "world_run.h"

#include <stdlib.h>

#include "random_scenario.h"

#define FILE_NAME "test_world_random.tmp.json"
#define SCENARIO_COUNT 60
#define TEXT_SIZE 16384
#define DRIFT_MAX_PPM 100 /* of a process; the limiter allows for 200 between two clocks */
#define TIMEOUT_S 250

struct totals {
    unsigned evicting_count;
    uint64_t requests;
    uint64_t asks;
};

static uint64_t drawn_seed;

static void print_seed(void)
{
    print_error("random scenario %" PRIu64 " of tests/support/random_scenario.h\n", drawn_seed);
}

static void assert_none(uint64_t value, const char *what)
{
    if (value != 0) {
        print_seed();
        fail_msg("%s: %" PRIu64, what, value);
    }
}

static void check(const struct world_run *run, struct totals *totals)
{
    const struct sim_metrics *metrics = &run->world.metrics;
    const struct sim_judgement *all = &run->result.all;
    const struct sim_store *store = &run->world.store;

    /* where the limiter has no place for a request it decides it alone, which no contract covers */
    const uint64_t alone = run->world.accuracy.lost_totals[SIM_LOSS_DEGRADED];
    assert_none(alone == 0 ? all->contract_over_units_max : 0, "over the contract");
    assert_none(metrics->requests - metrics->admitted - metrics->denied - metrics->unanswered,
                "requests without a verdict");
    totals->requests += metrics->requests;
    totals->asks += metrics->asks;
    totals->evicting_count +=
        run->scenario.table_keys != 0 && run->scenario.table_keys < run->world.catalog.key_count;
    assert_none(metrics->unanswered, "unanswered");
    assert_none(!run->world.drained, "not drained");
    assert_none(store->granted_units + alone - store->returned_units - all->admitted_units,
                "granted, and neither spent nor given back");
    assert_none(all->cause_units[SIM_CAUSE_UNEXPLAINED], "unexplained");
    assert_none(sim_world_reported_units(&run->world) - all->admitted_units, "not reported");
}

static void run_one(uint64_t seed, struct totals *totals)
{
    char text[TEXT_SIZE];
    struct world_run run;

    drawn_seed = seed;
    random_scenario_draw(text, sizeof text, seed, DRIFT_MAX_PPM);
    assert_true(strlen(text) + 1 < sizeof text);
    world_run_play_patiently(&run, FILE_NAME, text, SIM_KERNEL_HEAP);
    check(&run, totals);
    world_run_free(&run);
}

static void contract_ledger_and_billing_hold_whatever_happens(void **state)
{
    (void)state;
    struct totals totals = {0};

    alarm(TIMEOUT_S); /* a hang is a failure */
    for (uint64_t seed = 0; seed < SCENARIO_COUNT; seed++) {
        run_one(seed, &totals);
    }

    assert_true(totals.evicting_count >= SCENARIO_COUNT / 4);
    assert_true(totals.requests >= 50000);
    assert_true(totals.asks >= 50000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contract_ledger_and_billing_hold_whatever_happens),
    };

    if (argc == 2) { /* show one: its text is a scenario file */
        char text[TEXT_SIZE];
        random_scenario_draw(text, sizeof text, strtoull(argv[1], NULL, 10), DRIFT_MAX_PPM);
        fputs(text, stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
