/* What is printed of a run's faults: a table and a line for each thing that came of them, at every
 * width. */
#include "twin_run.h"

#include "readable.h"
#include "screen_faults.h"

#define FILE_NAME "test_screen_faults.tmp.json"
#define OTHER_NAME "test_screen_faults.tmp.txt"
#define TEXT_SIZE 8192

#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"duration_s\": 40, \"fleet\": {\"processes\": 3},"                          \
    " \"plans\": {\"p\": {\"algorithm\": \"window\", \"rate_per_s\": 100, \"window_s\": 4}},"      \
    " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": 2}},"                                         \
    " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 1.2},"                                      \
    " \"faults\": [{\"id\": \"a-name-that-is-rather-long\", \"kind\": \"crash\", \"from_s\": 10,"  \
    " \"restart_after_s\": 2, \"processes\": [1]},"                                                \
    " {\"id\": \"late\", \"kind\": \"pause\", \"from_s\": 13.5, \"until_s\": 14,"                  \
    " \"processes\": [2]}]}"

static struct twin_run pair;
static char printed[TEXT_SIZE];

static int play(void **state)
{
    (void)state;
    twin_run_play(&pair, FILE_NAME, SCENARIO);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    twin_run_free(&pair);
    return 0;
}

static void print_at(size_t width, const struct sim_aftermath *aftermath)
{
    const struct sim_screen screen = {.width = width};
    const struct sim_result result = {.aftermath = *aftermath};
    FILE *file = fopen(OTHER_NAME, "w+b");

    assert_non_null(file);
    sim_screen_faults(file, &screen, &result, &pair.run.world);
    rewind(file);
    printed[fread(printed, 1, TEXT_SIZE - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(OTHER_NAME), 0);
}

static void each_fault_has_a_row_in_columns(void **state)
{
    (void)state;
    struct sim_aftermath aftermath = pair.run.result.aftermath;
    struct sim_fault_outcome outcomes[2] = {{1, 23456}, {17, 4}};

    aftermath.faults = outcomes;
    print_at(80, &aftermath);
    static const char table[] = "\nfault                      kind    from until times changed\n"
                                "a-name-that-is-rather-long crash   10 s  12 s     1  23,456\n"
                                "late                       pause 13.5 s  14 s    17       4\n";
    assert_memory_equal(printed, table, sizeof table - 1);
    aftermath.is_compared = false;
    print_at(80, &aftermath);
    assert_null(strstr(printed, "23,456"));
}

static void recovery_names_the_first_thing_that_is_wrong(void **state)
{
    (void)state;
    struct sim_aftermath aftermath = pair.run.result.aftermath;

    aftermath.liveness.recovery = SIM_RECOVERY_DONE;
    aftermath.liveness.breakers_closed = true;
    aftermath.liveness.checked_intervals = 12;
    aftermath.liveness.recovered_ns = aftermath.liveness.last_end_ns;
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery at once; 12 intervals checked\n"));
    aftermath.liveness.recovered_ns += UINT64_C(2500000000);
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery 2.5 s after the last fault; 12 intervals"));
    aftermath.liveness.recovery = SIM_RECOVERY_UNKNOWN;
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery not seen: the run ends too early"));
    assert_non_null(strstr(printed, "when all has to be well again\n"));
    aftermath.liveness.ledger_balances = false;
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery none: the ledger does not balance"));
    aftermath.liveness.held_units = 1;
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery none: 1 unit still held"));
    aftermath.liveness.open_breakers = 2; /* as many as without faults */
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery none: 1 unit still held"));
    aftermath.liveness.breakers_closed = false;
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery none: 2 breakers are open"));
    aftermath.liveness.unhealthy_intervals = 3;
    aftermath.liveness.worst_key = 1;
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "recovery none: 3 of 12 intervals are worse"));
    assert_non_null(strstr(printed, "the first of k/1"));
    aftermath.liveness.recovery = SIM_RECOVERY_NOT_ASKED;
    print_at(80, &aftermath);
    assert_null(strstr(printed, "recovery"));
    const uint64_t duration_ns = pair.run.scenario.duration_ns;
    pair.run.scenario.duration_ns = UINT64_C(14000000000); /* where the second fault ends */
    print_at(80, &aftermath);
    pair.run.scenario.duration_ns = duration_ns;
    assert_non_null(strstr(printed, "recovery not asked for: late lasts to the end"));
}

static void outages_and_cuts_are_told_where_there_are_any(void **state)
{
    (void)state;
    struct sim_aftermath aftermath = pair.run.result.aftermath;

    print_at(80, &aftermath);
    assert_null(strstr(printed, "outage"));
    assert_null(strstr(printed, "cut  "));
    aftermath.outages.bound_used_pct = 90;
    aftermath.outages.over_of_accrued_pct = 0.25;
    aftermath.outages.under_of_accrued_pct = 2;
    aftermath.outages.floor_split_pct = 1.5;
    aftermath.outages.cut_share_min_pct = 97;
    aftermath.outages.cut_share_max_pct = 101;
    print_at(80, &aftermath);
    assert_non_null(strstr(printed, "outage   0.25 % over and 2.00 % under what accrued"));
    assert_non_null(strstr(printed, "a static split by shares would be 1.50 % under"));
    assert_non_null(strstr(printed, "cut      who was cut off admitted 97.0 to 101.0 %"));
}

static void customers_of_outages_have_a_row(void **state)
{
    (void)state;
    struct sim_outage_service *service = pair.run.world.watch.services.by_population;

    print_at(80, &pair.run.result.aftermath);
    assert_null(strstr(printed, "during outages"));
    *service = (struct sim_outage_service){.demand_units = 1500,
                                           .admitted_units = 990,
                                           .ideal_units = 1000,
                                           .requests = 1503,
                                           .killed = 1};
    for (uint64_t i = 0; i < 1500; i++) {
        sim_latency_record(&service->waits, i < 15 ? 1500000 : 0);
    }
    print_at(100, &pair.run.result.aftermath);
    assert_non_null(
        strstr(printed,
               "\nduring outages demand admitted refused ideal of ideal no answer waited p99 wait "
               "longest\n"
               "k               1,500      990     510 1,000     99 %         2    1 %     0 us  "
               "1.5 ms\n\n"));
    print_at(60, &pair.run.result.aftermath);
    assert_non_null(strstr(printed, "\nduring outages admitted refused of ideal no answer p99 "));
    *service = (struct sim_outage_service){0};
}

static void decisions_without_the_store_are_told(void **state)
{
    (void)state;
    const struct sim_degradation own = pair.run.world.watch.degradation;

    print_at(80, &pair.run.result.aftermath);
    assert_null(strstr(printed, "degraded "));
    sim_degradation_admitted(&pair.run.world.watch.degradation, 1, 0, 7);
    sim_degradation_denied(&pair.run.world.watch.degradation, 1, 0);
    print_at(80, &pair.run.result.aftermath);
    assert_non_null(strstr(printed, "degraded 2 decisions ("));
    assert_non_null(strstr(printed, "by up to 1 process at a time"));
    assert_non_null(strstr(printed, "1 of them admitted, 7 units"));
    pair.run.world.watch.degradation.admitted = own.admitted;
    pair.run.world.watch.degradation.denied = own.denied;
}

static void every_width_holds_the_largest_numbers(void **state)
{
    (void)state;
    struct sim_aftermath aftermath = pair.run.result.aftermath;
    struct sim_fault_outcome outcomes[2] = {{UINT64_C(1000000000000), UINT64_C(1000000000000)},
                                            {1, 1}};

    aftermath.faults = outcomes;
    aftermath.liveness.recovery = SIM_RECOVERY_FAILED;
    aftermath.liveness.unhealthy_intervals = UINT64_C(1000000000000);
    aftermath.outages.bound_used_pct = 1e9;
    aftermath.outages.over_of_accrued_pct = 1e9;
    for (size_t width = 40; width <= 130; width++) {
        print_at(width, &aftermath);
        for (char *line = printed; *line != '\0';) {
            char *end = strchr(line, '\n');
            assert_non_null(end);
            *end = '\0';
            if (sim_readable_width(line) > width || (end > line && end[-1] == ' ')) {
                fail_msg("width %zu: \"%s\"", width, line);
            }
            line = end + 1;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_has_a_row_in_columns),
        cmocka_unit_test(recovery_names_the_first_thing_that_is_wrong),
        cmocka_unit_test(outages_and_cuts_are_told_where_there_are_any),
        cmocka_unit_test(customers_of_outages_have_a_row),
        cmocka_unit_test(decisions_without_the_store_are_told),
        cmocka_unit_test(every_width_holds_the_largest_numbers),
    };

    return cmocka_run_group_tests(tests, play, clean_up);
}
