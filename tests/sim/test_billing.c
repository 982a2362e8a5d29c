/* The reconciler: whatever happens to reports on their way, the bill is right, or says that it is
 * not. */
#include "unit.h"

#include "billing.h"

#define SECOND_NS UINT64_C(1000000000)
#define PROCESSES 4

static struct sim_scenario scenario;
static struct fault faults[3];
static uint64_t fired[3];
static struct sim_plan plan = {.algorithm = SIM_ALGORITHM_WINDOW,
                               .rate_units = 1000,
                               .rate_period_us = 60000000,
                               .window_us = 60000000};
static struct sim_population populations[2] = {{.name = "a", .key_count = 2},
                                               {.name = "b", .key_count = 1}};
static struct sim_catalog catalog;
static struct sim_billing billing;

static int make_keys(void **state)
{
    (void)state;
    scenario = (struct sim_scenario){
        .duration_ns = 100 * SECOND_NS,
        .process_count = PROCESSES,
        .shard_count = 1,
        .plans = &plan,
        .plan_count = 1,
        .populations = populations,
        .population_count = 2,
    };
    sim_catalog_init(&catalog, &scenario);
    return 0;
}

static int free_keys(void **state)
{
    (void)state;
    sim_catalog_deinit(&catalog);
    return 0;
}

static void begin(size_t fault_count)
{
    scenario.faults =
        (struct fault_list){.faults = faults, .count = fault_count, .fired_count = fired};
    for (int i = 0; i < 3; i++) {
        fired[i] = 0;
    }
    sim_billing_init(&billing, &catalog);
}

static struct fault *put_fault(size_t index, enum fault_kind kind, uint32_t probability_ppm)
{
    faults[index] = (struct fault){.kind = kind,
                                   .until_ns = 100 * SECOND_NS,
                                   .processes = {.count = PROCESSES},
                                   .seed = 77 + index,
                                   .probability_ppm = probability_ppm};
    return &faults[index];
}

static struct weir_report report_of(uint32_t process, uint64_t window, uint32_t sequence,
                                    uint64_t spent_units)
{
    return (struct weir_report){.key = catalog.keys[0].key,
                                .window_index = window,
                                .window_us = 60000000,
                                .incarnation = 100 + process,
                                .process = process,
                                .sequence = sequence,
                                .spent_units = spent_units,
                                .sealed = true};
}

static void send(uint32_t process, uint64_t second, const struct weir_report *report)
{
    sim_billing_send(&billing, process, second * SECOND_NS, report);
}

/* 200 windows of 4 processes, each reported twice: 10 units, then 25 in all. */
static void send_many(void)
{
    for (uint32_t i = 0; i < 200 * PROCESSES; i++) {
        const struct weir_report first = report_of(i % PROCESSES, i / PROCESSES, 1, 10);
        const struct weir_report second = report_of(i % PROCESSES, i / PROCESSES, 2, 25);
        send(i % PROCESSES, i % 90, &first);
        send(i % PROCESSES, i % 90 + 1, &second);
    }
    sim_billing_finish(&billing);
}

static void the_newest_report_counts(void **state)
{
    (void)state;
    put_fault(0, FAULT_REPORT_LOST, 0);
    begin(1);
    send_many();
    assert_int_equal(billing.all.reported_units, 200 * PROCESSES * 25);
    assert_int_equal(billing.duplicates_dropped, 0);
    assert_int_equal(billing.all.flagged_windows + billing.all.unsealed_windows, 0);
    sim_billing_deinit(&billing);
}

static void b66_d03_what_is_lost_is_sent_again(void **state)
{
    (void)state;
    put_fault(0, FAULT_REPORT_LOST, 500000);
    begin(1);
    send_many();
    assert_true(fired[0] > 500);
    assert_int_equal(billing.all.reported_units, 200 * PROCESSES * 25);
    assert_true(billing.duplicates_dropped > 300); /* whose acknowledgements got lost */
    assert_int_equal(billing.undelivered_count, 0);
    sim_billing_deinit(&billing);
}

static void what_never_arrives_during_the_run_arrives_after_it(void **state)
{
    (void)state;
    put_fault(0, FAULT_REPORT_LOST, 1000000);
    begin(1);
    const struct weir_report report = report_of(0, 3, 1, 7);
    send(0, 1, &report);
    sim_billing_finish(&billing);
    assert_int_equal(fired[0], 99);
    assert_int_equal(billing.all.reported_units, 7);
    sim_billing_deinit(&billing);
}

static void a_process_sends_one_message_a_second_for_all_its_reports(void **state)
{
    (void)state;
    const struct {
        uint32_t process;
        uint64_t second;
    } sent[] = {{0, 0}, {0, 0}, {1, 0}, {0, 1}, {1, 2}, {1, 2}, {1, 2}};

    begin(0);
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        const struct weir_report report = report_of(sent[i].process, i, 1, 1);
        send(sent[i].process, sent[i].second, &report);
    }
    sim_billing_finish(&billing);
    assert_int_equal(billing.report_count, 7);
    assert_int_equal(billing.batch_count, 4);
    sim_billing_deinit(&billing);
}

static void repeated_reports_are_dropped(void **state)
{
    (void)state;
    put_fault(0, FAULT_REPORT_DUPLICATE, 1000000)->spread_ns = SECOND_NS / 2;
    begin(1);
    send_many();
    assert_int_equal(billing.all.reported_units, 200 * PROCESSES * 25);
    assert_int_equal(billing.duplicates_dropped, 2 * 200 * PROCESSES);
    sim_billing_deinit(&billing);
}

static void overtaken_reports_are_dropped(void **state)
{
    (void)state;
    put_fault(0, FAULT_REPORT_DELAYED, 1000000)->spread_ns = 20 * SECOND_NS;
    begin(1);
    send_many();
    assert_int_equal(billing.all.reported_units, 200 * PROCESSES * 25);
    assert_true(billing.duplicates_dropped > 1000); /* and those sent meanwhile */
    sim_billing_deinit(&billing);
}

static void b65_everything_at_once_bills_the_same(void **state)
{
    (void)state;
    put_fault(0, FAULT_REPORT_DELAYED, 300000)->spread_ns = 5 * SECOND_NS;
    put_fault(1, FAULT_REPORT_LOST, 300000);
    put_fault(2, FAULT_REPORT_DUPLICATE, 300000)->spread_ns = 5 * SECOND_NS;
    begin(3);
    send_many();
    assert_true(fired[0] > 100 && fired[1] > 100 && fired[2] > 100);
    assert_int_equal(billing.all.reported_units, 200 * PROCESSES * 25);
    sim_billing_deinit(&billing);
}

static void processes_incarnations_and_lives_add_up(void **state)
{
    (void)state;
    struct weir_report report = report_of(0, 3, 1, 1);

    put_fault(0, FAULT_REPORT_LOST, 0);
    begin(1);
    send(0, 1, &report);
    report.life = 1;
    report.spent_units = 10;
    send(0, 1, &report);
    report.incarnation++;
    report.spent_units = 100;
    send(0, 1, &report);
    report.process = 1;
    report.spent_units = 1000;
    send(1, 1, &report);
    report.window_us /= 2; /* the plan's window changed */
    report.spent_units = 10000;
    send(1, 1, &report);
    sim_billing_finish(&billing);
    assert_int_equal(billing.all.reported_units, 11111);
    sim_billing_deinit(&billing);
}

static void a_window_is_flagged_once_whoever_was_degraded_in_it(void **state)
{
    (void)state;
    begin(0); /* a slow store is enough */
    for (uint32_t process = 0; process < PROCESSES; process++) {
        for (uint64_t window = 0; window < 3; window++) {
            struct weir_report report = report_of(process, window, 1, 5);
            report.degraded = window == 1 && process > 1; /* if only by denials */
            report.sealed = window != 2;
            send(process, 1, &report);
        }
    }
    sim_billing_finish(&billing);
    assert_int_equal(billing.all.flagged_windows, 1);
    assert_int_equal(billing.all.reported_units, 3 * PROCESSES * 5);
    sim_billing_deinit(&billing);
}

/* Of one population a window that was decided in without the store, of the other one that was not
 * and one that its process took along. */
static void each_population_has_a_bill_and_all_is_their_sum(void **state)
{
    (void)state;
    struct weir_report report = report_of(0, 3, 1, 100);

    put_fault(0, FAULT_REPORT_LOST, 0);
    begin(1);
    send(0, 1, &report);
    report.window_index++;
    report.degraded = true;
    report.degraded_units = 30;
    send(0, 1, &report);
    report.key = catalog.keys[1].key;
    send(1, 1, &report);
    report = report_of(1, 3, 1, 7);
    report.key = catalog.keys[2].key;
    send(1, 1, &report);
    report.window_index++;
    sim_billing_forget(&billing, &report);
    sim_billing_finish(&billing);
    static const struct sim_bill expected[] = {
        {.reported_units = 300, .degraded_units = 60, .flagged_windows = 2, .flagged_units = 200},
        {.reported_units = 7, .unsealed_windows = 1},
        {.reported_units = 307,
         .degraded_units = 60,
         .flagged_windows = 2,
         .flagged_units = 200,
         .unsealed_windows = 1}};
    assert_memory_equal(billing.by_population, expected, 2 * sizeof expected[0]);
    assert_memory_equal(&billing.all, &expected[2], sizeof expected[0]);
    sim_billing_deinit(&billing);
}

static void without_faults_reports_are_billed_as_they_are_sent(void **state)
{
    (void)state;
    struct weir_report report = report_of(0, 3, 1, 100);

    begin(0);
    send(0, 1, &report);
    report.key = catalog.keys[2].key;
    report.spent_units = 5;
    send(0, 1, &report);
    sim_billing_finish(&billing);
    assert_int_equal(billing.by_population[0].reported_units, 100);
    assert_int_equal(billing.by_population[1].reported_units, 5);
    assert_int_equal(billing.all.reported_units, 105);
    assert_int_equal(billing.count, 0);
    sim_billing_deinit(&billing);
}

static void a_report_that_is_not_the_last_leaves_its_window_unsealed(void **state)
{
    (void)state;
    struct weir_report report = report_of(0, 3, 1, 5);

    put_fault(0, FAULT_REPORT_LOST, 0);
    begin(1);
    report.sealed = false;
    send(0, 1, &report);
    report.process = 1;
    send(1, 1, &report);
    sim_billing_finish(&billing);
    assert_int_equal(billing.all.unsealed_windows, 1);
    sim_billing_deinit(&billing);
}

/* The report of 1 s gets lost, again and again; at 4.5 s its process dies and takes it along. */
static void a_crash_that_takes_the_memory_along_loses_what_was_not_acknowledged(void **state)
{
    (void)state;
    static const bool lose[] = {true, false};

    for (int i = 0; i < 2; i++) {
        struct weir_report report = report_of(2, 3, 1, 7);
        put_fault(0, FAULT_REPORT_LOST, 1000000);
        struct fault *crash = put_fault(1, FAULT_CRASH, 0);
        crash->from_ns = 9 * SECOND_NS / 2;
        crash->lose_mapping = lose[i];
        begin(2);
        send(2, 1, &report);
        report.window_index++;
        report.process = 2;
        sim_billing_forget(&billing, &report);
        sim_billing_forget(&billing, &report);
        sim_billing_finish(&billing);

        assert_int_equal(fired[0], lose[i] ? 4 : 99);
        assert_int_equal(billing.undelivered_count, lose[i] ? 1 : 0);
        assert_int_equal(billing.all.reported_units, lose[i] ? 0 : 7);
        assert_int_equal(billing.all.unsealed_windows, lose[i] ? 2 : 1);
        sim_billing_deinit(&billing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_report_counts),
        cmocka_unit_test(b66_d03_what_is_lost_is_sent_again),
        cmocka_unit_test(what_never_arrives_during_the_run_arrives_after_it),
        cmocka_unit_test(a_process_sends_one_message_a_second_for_all_its_reports),
        cmocka_unit_test(repeated_reports_are_dropped),
        cmocka_unit_test(overtaken_reports_are_dropped),
        cmocka_unit_test(b65_everything_at_once_bills_the_same),
        cmocka_unit_test(processes_incarnations_and_lives_add_up),
        cmocka_unit_test(a_window_is_flagged_once_whoever_was_degraded_in_it),
        cmocka_unit_test(each_population_has_a_bill_and_all_is_their_sum),
        cmocka_unit_test(without_faults_reports_are_billed_as_they_are_sent),
        cmocka_unit_test(a_report_that_is_not_the_last_leaves_its_window_unsealed),
        cmocka_unit_test(a_crash_that_takes_the_memory_along_loses_what_was_not_acknowledged),
    };

    return cmocka_run_group_tests(tests, make_keys, free_keys);
}
