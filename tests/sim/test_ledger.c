/* A run's ledger balances, and shows what does not belong there. */
#include "world_run.h"

#define FILE_NAME "test_ledger.tmp.json"

#define TEXT                                                                                       \
    "{\"why\": \"w\", \"duration_s\": 5, \"fleet\": {\"processes\": 3},"                           \
    " \"limiter\": {\"coordination\": \"%s\"},"                                                    \
    " \"plans\": {\"p\": {\"rate_per_s\": 100, \"capacity_units\": 50}},"                          \
    " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 2}},"                                         \
    " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 1.5}}"

static void play(struct world_run *run, const char *coordination)
{
    char text[1000];

    snprintf(text, sizeof text, TEXT, coordination);
    world_run_play(run, FILE_NAME, text, SIM_KERNEL_HEAP);
}

static struct sim_ledger ledger_of(const struct world_run *run)
{
    struct sim_ledger ledger;

    sim_ledger_make(&ledger, &run->world, &run->result.all);
    return ledger;
}

static void all_that_was_granted_was_spent_or_came_back(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lease");
    const struct sim_ledger ledger = ledger_of(&run);

    assert_true(ledger.granted_units > 500);
    assert_int_equal(ledger.granted_units, ledger.spent_units + ledger.returned_units);
    assert_int_equal(ledger.missing_units, 0);
    assert_int_equal(sim_ledger_unexplained_units(&ledger), 0);
    assert_true(ledger.drained);
    world_run_free(&run);
}

static void a_permit_conjured_up_or_vanished_is_missed(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lease");
    run.world.store.granted_units -= 3;
    assert_int_equal(ledger_of(&run).missing_units, -3);
    run.world.store.granted_units += 10;
    assert_int_equal(ledger_of(&run).missing_units, 7);
    const struct sim_ledger ledger = ledger_of(&run);
    assert_int_equal(sim_ledger_unexplained_units(&ledger), 7);
    sim_result_free(&run.result);
    sim_result_make(&run.result, &run.world, SIM_KERNEL_HEAP);
    assert_true(run.result.all.cause_units[SIM_CAUSE_UNEXPLAINED] >= 7);
    world_run_free(&run);
}

static void what_died_or_got_lost_is_accounted_for(void **state)
{
    (void)state;
    struct world_run run;
    const uint64_t after_ns = UINT64_C(6000000000); /* the run: the ledger goes on */

    play(&run, "lease");
    run.world.store.granted_units += 10;
    sim_accuracy_lost(&run.world.accuracy, SIM_LOSS_DEAD, 0, 0, 6);
    sim_accuracy_lost(&run.world.accuracy, SIM_LOSS_REPLY, 1, after_ns, 4);
    sim_accuracy_lost(&run.world.accuracy, SIM_LOSS_DATA, 1, 0, 99);
    const struct sim_ledger ledger = ledger_of(&run);

    assert_int_equal(ledger.dead_units, 6);
    assert_int_equal(ledger.lost_reply_units, 4);
    assert_int_equal(ledger.data_lost_units, 99);
    assert_int_equal(ledger.missing_units, 0);
    world_run_free(&run);
}

/* 8 of the units that were spent had no grant: they were admitted without the store. */
static void degraded_units_are_charged_at_most_once(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lease");
    run.world.store.granted_units -= 8;
    sim_accuracy_lost(&run.world.accuracy, SIM_LOSS_DEGRADED, 0, 0, 8);
    sim_accuracy_lost(&run.world.accuracy, SIM_LOSS_CHARGED, 0, 0, 8);
    assert_int_equal(ledger_of(&run).missing_units, 0);
    assert_int_equal(ledger_of(&run).overcharged_units, 0);
    sim_accuracy_lost(&run.world.accuracy, SIM_LOSS_CHARGED, 0, 0, 2);
    const struct sim_ledger ledger = ledger_of(&run);
    assert_int_equal(ledger.overcharged_units, 2);
    assert_int_equal(sim_ledger_unexplained_units(&ledger), 2);
    world_run_free(&run);
}

static uint64_t held(const struct sim_client *client, uint32_t key)
{
    (void)client;
    return key == 0 ? 2 : 0;
}

/* Three processes hold two permits each when the run ends, and never gave them back. */
static void what_is_still_out_is_accounted_for(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "lease");
    struct sim_client_operations operations = *run.world.processes[0].client->operations;
    operations.lost_units = held;
    for (int i = 0; i < 3; i++) {
        run.world.processes[i].client->operations = &operations;
    }
    run.world.store.granted_units += 6;
    assert_int_equal(ledger_of(&run).missing_units, 6);
    run.world.drained = false;
    assert_int_equal(ledger_of(&run).outstanding_units, 6);
    assert_int_equal(ledger_of(&run).missing_units, 0);
    world_run_free(&run);
}

static void baselines_keep_no_ledger(void **state)
{
    (void)state;
    static const char *const coordinations[] = {"per_request", "as_written"};

    for (int i = 0; i < 2; i++) {
        struct world_run run;
        play(&run, coordinations[i]);
        assert_int_equal(ledger_of(&run).missing_units, 0);
        world_run_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_was_granted_was_spent_or_came_back),
        cmocka_unit_test(a_permit_conjured_up_or_vanished_is_missed),
        cmocka_unit_test(what_died_or_got_lost_is_accounted_for),
        cmocka_unit_test(degraded_units_are_charged_at_most_once),
        cmocka_unit_test(what_is_still_out_is_accounted_for),
        cmocka_unit_test(baselines_keep_no_ledger),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
