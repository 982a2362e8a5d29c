/* What is printed of customers in outages, to the letter, and at every width. */
#include "world_run.h"

#include "readable.h"
#include "screen_customers.h"

#define FILE_NAME "test_screen_customers.tmp.json"
#define OTHER_NAME "test_screen_customers.tmp.txt"
#define TEXT_SIZE 8192

#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"duration_s\": 1, \"fleet\": {\"processes\": 1},"                           \
    " \"plans\": {\"p\": {\"rate_per_s\": 1, \"capacity_units\": 1}},"                             \
    " \"keys\": {\"k\": {\"plan\": \"p\"}, \"idle\": {\"plan\": \"p\"},"                           \
    " \"a-name-that-is-rather-long\": {\"plan\": \"p\"}},"                                         \
    " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 1}}"

#define TABLES                                                                                     \
    "\n"                                                                                           \
    "in outages                 demand admitted refused ideal of ideal no answer waited p99 wait " \
    "longest\n"                                                                                    \
    "k                           1,500      990     510 1,000     99 %         2    1 %     0 us " \
    " 1.5 ms\n"                                                                                    \
    "a-name-that-is-rather-long  1,500      990     510 1,000     99 %         2    1 %     0 us " \
    " 1.5 ms\n"                                                                                    \
    "\n"                                                                                           \
    "afterwards                 store after normal after billed not billed flagged windows\n"      \
    "k                               1.23 s      at once  9,990         10   2,500       2\n"      \
    "a-name-that-is-rather-long      1.23 s       17.9 s  9,990         10   2,500       2\n"      \
    "\n"

static struct world_run run;
static char printed[TEXT_SIZE];

static int play(void **state)
{
    (void)state;
    world_run_play(&run, FILE_NAME, SCENARIO, SIM_KERNEL_HEAP);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    world_run_free(&run);
    return 0;
}

static void print_at(size_t width)
{
    const struct sim_screen screen = {.width = width};
    FILE *file = fopen(OTHER_NAME, "w+b");

    assert_non_null(file);
    sim_screen_customers(file, &screen, &run.result, &run.world);
    rewind(file);
    printed[fread(printed, 1, TEXT_SIZE - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(OTHER_NAME), 0);
}

/* 2 of 1,503 were never answered, one died; the other 1,500 units: 990 were admitted. */
static void serve(uint32_t population)
{
    struct sim_outage_service *service = &run.world.watch.services.by_population[population];

    *service = (struct sim_outage_service){.demand_units = 1500,
                                           .admitted_units = 990,
                                           .ideal_units = 1000,
                                           .requests = 1503,
                                           .killed = 1,
                                           .alone_after_ns = 1234567890};
    for (uint64_t i = 0; i < 1500; i++) {
        sim_latency_record(&service->waits, i < 15 ? 1500000 : 0);
    }
    run.world.watch.billing.by_population[population] =
        (struct sim_bill){.reported_units = 9990, .flagged_units = 2500, .flagged_windows = 2};
    run.result.by_population[population].charged_units = 10000;
}

static void settle(uint32_t population, uint64_t after_ns, uint64_t checked, uint64_t unhealthy)
{
    struct sim_liveness *liveness = &run.result.aftermath.liveness;

    liveness->recovery = SIM_RECOVERY_DONE;
    liveness->by_population[population] =
        (struct sim_settling){.recovered_ns = liveness->last_end_ns + after_ns,
                              .checked_intervals = checked,
                              .unhealthy_intervals = unhealthy};
}

static void without_an_outage_nothing_is_said(void **state)
{
    (void)state;
    print_at(80);
    assert_string_equal(printed, "");
}

static void who_asked_for_anything_has_a_row_in_both_tables(void **state)
{
    (void)state;
    serve(0);
    settle(0, 0, 3, 0);
    serve(2);
    settle(2, UINT64_C(17900000000), 3, 0);
    print_at(100);
    assert_string_equal(printed, TABLES);
}

static void normal_says_whether_it_was_seen(void **state)
{
    (void)state;
    static const struct {
        uint64_t after_ns;
        uint64_t checked;
        uint64_t unhealthy;
        const char *words;
    } cases[] = {
        {0, 3, 0, " at once "},
        {17900000000, 3, 0, " 17.9 s "},
        {17900000000, 3, 1, " never "},
        {0, 0, 0, " not seen "},
    };

    serve(0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        settle(0, cases[i].after_ns, cases[i].checked, cases[i].unhealthy);
        print_at(80);
        if (strstr(printed, cases[i].words) == NULL) {
            fail_msg("no \"%s\" in %s", cases[i].words, printed);
        }
    }
    run.result.aftermath.liveness.recovery = SIM_RECOVERY_NOT_ASKED;
    print_at(80);
    assert_non_null(strstr(printed, " - "));
}

static void every_width_holds_the_largest_numbers(void **state)
{
    (void)state;
    serve(0);
    serve(2);
    run.world.watch.services.by_population[0].demand_units = UINT64_C(1000000000000);
    run.world.watch.billing.by_population[2].reported_units = UINT64_C(1000000000000);
    for (size_t width = 40; width <= 130; width++) {
        print_at(width);
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
        cmocka_unit_test(without_an_outage_nothing_is_said),
        cmocka_unit_test(who_asked_for_anything_has_a_row_in_both_tables),
        cmocka_unit_test(normal_says_whether_it_was_seen),
        cmocka_unit_test(every_width_holds_the_largest_numbers),
    };

    return cmocka_run_group_tests(tests, play, clean_up);
}
