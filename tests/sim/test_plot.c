/* The files of a run: the tables add up to its result, every picture is drawn whatever the names
 * and however little there is to show, and none outlives its run. */
#include "world_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "plot.h"
#include "plot_data.h"
#include "plot_figures.h"
#include "plot_tables.h"

#define FILE_NAME "test_plot.tmp.json"
#define FOLDER "test_plot.tmp.it's"

#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"name\": \"it's; pause -1 #\", \"duration_s\": 62.5,"                       \
    " \"fleet\": {\"processes\": 3}, "                                                             \
    " \"limiter\": {\"sizer\": \"fixed\", \"fixed_lease_units\": 9},"                              \
    " \"plans\": {\"p\": {\"rate_per_min\": 1200, \"capacity_units\": 50}},"                       \
    " \"keys\": {\"a\": {\"plan\": \"p\", \"count\": 2}, \"b\": {\"plan\": \"p\"}},"               \
    " \"traffic\": [{\"keys\": \"a\", \"demand_ratio\": 1.5}, {\"keys\": \"b\","                   \
    " \"demand_ratio\": 0.5}]}"

static struct world_run run;
static struct sim_plot_data data;
static struct sim_plot_list written;

static int play(void **state)
{
    (void)state;
    world_run_play(&run, FILE_NAME, SCENARIO, SIM_KERNEL_HEAP);
    sim_plot_data_make(&data, &run.result, &run.world);
    (void)mkdir(FOLDER, 0777);
    return sim_plot_write_tables(FOLDER, &data, &written) ? 0 : -1;
}

static int clean_up(void **state)
{
    (void)state;
    sim_plot_data_free(&data);
    world_run_free(&run);
    return sim_plot_remove(FOLDER) ? rmdir(FOLDER) : -1;
}

static FILE *open_csv(const char *name, const char *heading)
{
    char path[200];
    char line[1200];

    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, heading);
    return file;
}

static void the_timeline_has_a_row_for_each_second_and_sums_to_the_run(void **state)
{
    (void)state;
    FILE *file =
        open_csv("timeline.csv", "time_s,admitted_units_per_s,oracle_units_per_s,limit_units_per_s,"
                                 "asks_per_s,degraded\n");
    uint64_t second;
    uint64_t admitted;
    uint64_t oracle;
    double limit;
    uint64_t count = 0;
    uint64_t asks;
    uint64_t degraded;
    uint64_t sums[3] = {0};

    while (fscanf(file, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%lf,%" SCNu64 ",%" SCNu64 "\n",
                  &second, &admitted, &oracle, &limit, &asks, &degraded) == 6) {
        assert_int_equal(second, count++);
        assert_int_equal(limit, 60);
        sums[0] += admitted;
        sums[1] += oracle;
        sums[2] += asks;
        assert_int_equal(degraded, run.world.watch.degradation.by_second[second]);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 63);
    assert_int_equal(sums[0], run.result.all.admitted_units);
    assert_int_equal(sums[1], run.result.all.oracle_units);
    assert_int_equal(sums[2], run.world.metrics.asks);
}

static void the_intervals_are_those_of_every_key_in_order(void **state)
{
    (void)state;
    static const char *const keys[] = {"a/0", "a/0", "a/1", "a/1", "b/0", "b/0"};
    FILE *file = open_csv("intervals.csv", "key,end_s,limit_units,demand_units,admitted_units,"
                                           "oracle_units,over_pct,under_pct\n");
    char key[20];
    double end_s;
    uint64_t units[4]; /* limit, demand, admitted, oracle */
    double percents[2];
    uint64_t admitted = 0;
    int count = 0;

    while (fscanf(file, "%19[^,],%lf,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%lf,%lf\n",
                  key, &end_s, &units[0], &units[1], &units[2], &units[3], &percents[0],
                  &percents[1]) == 8) {
        assert_true(count < 6);
        assert_string_equal(key, keys[count]);
        assert_int_equal(end_s * 10, count % 2 == 0 ? 600 : 625);
        assert_int_equal(units[0], 1200);
        assert_true(units[1] >= units[2]);
        admitted += units[2];
        count++;
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 6);
    assert_int_equal(admitted, run.result.all.admitted_units);
}

static void latencies_sum_to_the_admitted_requests(void **state)
{
    (void)state;
    FILE *file = open_csv("latency.csv",
                          "upto_us,requests,first_touches,longer_pct,first_touches_longer_pct\n");
    double edges[2] = {-1, 0};
    uint64_t counts[2];
    uint64_t sums[2] = {0};
    double longer[2] = {100, 100};

    while (fscanf(file, "%lf,%" SCNu64 ",%" SCNu64 ",%lf,%lf\n", &edges[1], &counts[0], &counts[1],
                  &longer[0], &longer[1]) == 5) {
        assert_true(edges[1] > edges[0]);
        edges[0] = edges[1];
        sums[0] += counts[0];
        sums[1] += counts[1];
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(sums[0], run.world.metrics.all.count);
    assert_int_equal(sums[1], run.world.metrics.first_touches.count);
    assert_int_equal(edges[1] * 1000 + 0.5, run.world.metrics.all.max_ns);
    assert_int_equal(longer[0] * 1e6, 0);
    assert_int_equal(longer[1] * 1e6, 0);
}

static void processes_sum_to_the_run_and_their_shares_to_all(void **state)
{
    (void)state;
    FILE *file = open_csv("processes.csv", "process,demand_units,admitted_units,demand_share_pct,"
                                           "admitted_share_pct\n");
    uint64_t number;
    uint64_t units[2];
    uint64_t sums[2] = {0};
    double shares[2];
    double share_sums[2] = {0};
    uint64_t count = 0;

    while (fscanf(file, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%lf,%lf\n", &number, &units[0],
                  &units[1], &shares[0], &shares[1]) == 5) {
        assert_int_equal(number, count++);
        for (int i = 0; i < 2; i++) {
            sums[i] += units[i];
            share_sums[i] += shares[i];
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 3);
    assert_int_equal(sums[0], run.result.all.demand_units);
    assert_int_equal(sums[1], run.result.all.admitted_units);
    assert_int_equal(share_sums[0] * 1000 + 0.5, 100000);
    assert_int_equal(share_sums[1] * 1000 + 0.5, 100000);
}

static void causes_sum_to_those_of_the_result(void **state)
{
    (void)state;
    FILE *file =
        open_csv("causes.csv", "end_s,over_parked_units,over_unclaimed_units,over_withheld_units,"
                               "over_race_units,over_stale_plan_units,over_plan_change_units,"
                               "over_dead_process_units,over_lost_reply_units,over_degraded_units,"
                               "over_data_lost_units,over_clock_units,"
                               "over_unexplained_units,under_parked_units,under_unclaimed_units,"
                               "under_withheld_units,under_race_units,under_stale_plan_units,"
                               "under_plan_change_units,under_dead_process_units,"
                               "under_lost_reply_units,under_degraded_units,under_data_lost_units,"
                               "under_clock_units,under_unexplained_units\n");
    uint64_t sums[SIM_CAUSE_COUNT] = {0};
    uint64_t units;
    double end_s;
    int count = 0;

    while (fscanf(file, "%lf", &end_s) == 1) {
        assert_int_equal(end_s * 10, count++ == 0 ? 600 : 625);
        for (int i = 0; i < 2 * SIM_CAUSE_COUNT; i++) {
            assert_int_equal(fscanf(file, ",%" SCNu64, &units), 1);
            sums[i % SIM_CAUSE_COUNT] += units;
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 2);
    uint64_t all = 0;
    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        assert_int_equal(sums[i], run.result.all.cause_units[i]);
        all += sums[i];
    }
    assert_true(all > 0); /* or this shows nothing */
}

static void the_worst_key_is_that_of_the_result(void **state)
{
    (void)state;
    FILE *file =
        open_csv("worst_keys.csv", "key,end_s,limit_units,over_units,under_units,percent,cause\n");
    const struct sim_worst *worst = &run.result.all.worst;
    char name[40];
    char key[40];
    char cause[40];
    double end_s;
    double percents[2] = {1e9, 0};
    uint64_t units[3];
    int count = 0;

    sim_catalog_name(&run.world.catalog, worst->key, name, sizeof name);
    while (fscanf(file, "%39[^,],%lf,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%lf,%39[a-z]\n", key,
                  &end_s, &units[0], &units[1], &units[2], &percents[1], cause) == 7) {
        assert_true(percents[1] <= percents[0]);
        assert_true(units[1] + units[2] > 0);
        if (count++ == 0) {
            assert_string_equal(key, name);
            assert_string_equal(cause, sim_cause_names[worst->cause]);
            assert_int_equal((int64_t)units[2] - (int64_t)units[1], worst->delta_units);
        }
        percents[0] = percents[1];
    }
    assert_int_equal(fclose(file), 0);
    assert_in_range(count, 1, SIM_PLOT_WORST_COUNT);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct sim_plot_list none = {""};

    assert_false(sim_plot_write_tables(FOLDER "/none", &data, &none));
    assert_string_equal(none.text, "");
}

static bool exists(const char *name, const char *ending)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s%s", FOLDER, name, ending);
    return access(path, F_OK) == 0;
}

static void skip_without_gnuplot(void)
{
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        skip();
    }
}

static void draw(const struct sim_plot_data *drawn, enum sim_plot_kind kind)
{
    struct sim_plot_list list = {""};
    char reason[400] = "";

    if (!sim_plot_draw(FOLDER, drawn, kind, &list, reason, sizeof reason)) {
        fail_msg("%s", reason);
    }
    assert_string_equal(reason, "");
    for (unsigned i = 0; i < SIM_PLOT_FIGURE_COUNT; i++) {
        const char *ending = kind == SIM_PLOT_SVG ? ".svg" : ".png";
        const bool is_due = sim_plot_figure_is_due(i, drawn);
        assert_int_equal(exists(sim_plot_figure_name(i), ending), is_due);
        assert_int_equal(strstr(list.text, sim_plot_figure_name(i)) != NULL, is_due);
    }
}

static void all_pictures_are_drawn_whatever_the_names_hold(void **state)
{
    (void)state;
    skip_without_gnuplot();
    draw(&data, SIM_PLOT_SVG);
    draw(&data, SIM_PLOT_PNG);
}

static void files_of_an_earlier_run_are_removed(void **state)
{
    (void)state;
    char path[200];

    for (unsigned i = 0; i < SIM_PLOT_FIGURE_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s.svg", FOLDER, sim_plot_figure_name(i));
        world_run_write(path, "old");
    }
    assert_true(sim_plot_remove(FOLDER));
    for (unsigned i = 0; i < SIM_PLOT_FIGURE_COUNT; i++) {
        assert_false(exists(sim_plot_figure_name(i), ".svg"));
    }
    for (unsigned i = 0; i < SIM_PLOT_TABLE_COUNT; i++) {
        assert_false(exists(sim_plot_table_name(i), ""));
    }
    assert_true(sim_plot_remove(FOLDER)); /* nothing is there */
}

static void without_gnuplot_nothing_is_drawn_and_the_reason_given(void **state)
{
    (void)state;
    struct sim_plot_list list = {""};
    char reason[400] = "";
    char kept[4096];

    snprintf(kept, sizeof kept, "%s", getenv("PATH"));
    assert_int_equal(setenv("PATH", "/none", 1), 0);
    const bool drawn = sim_plot_draw(FOLDER, &data, SIM_PLOT_SVG, &list, reason, sizeof reason);
    assert_int_equal(setenv("PATH", kept, 1), 0);

    assert_false(drawn);
    assert_string_equal(reason, "gnuplot is missing");
    assert_string_equal(list.text, "");
    assert_false(exists("timeline", ".svg"));
}

/* Runs with next to nothing in them, and one with more intervals than there are points. */
static void pictures_of_next_to_nothing_are_drawn_too(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "\"duration_s\": 1, \"fleet\": {\"processes\": 1}|1|\"demand_ratio\": 0",
        "\"duration_s\": 0.001, \"fleet\": {\"processes\": 1}|1|\"demand_ratio\": 1",
        "\"duration_s\": 3, \"fleet\": {\"processes\": 1}|1|\"demand_ratio\": 1",
        "\"duration_s\": 130, \"fleet\": {\"processes\": 1000}|1|\"demand_ratio\": 2",
        "\"duration_s\": 3, \"fleet\": {\"processes\": 2}|20000|\"demand_ratio\": 1.5",
        "\"duration_s\": 9, \"fleet\": {\"processes\": 2}, \"faults\": [{\"kind\":"
        " \"store_outage\", \"id\": \"it's %d\", \"from_s\": 2, \"for_s\": 3}]|2|"
        "\"demand_ratio\": 1.5",
    };

    skip_without_gnuplot();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *count = strchr(cases[i], '|') + 1;
        const char *demand = strchr(count, '|') + 1;
        struct world_run other;
        struct sim_plot_data small;
        char text[600];
        snprintf(text, sizeof text,
                 "{\"why\": \"w\", %.*s, \"plans\": {\"p\": {\"rate_per_s\": 1,"
                 " \"capacity_units\": 5, \"start_fill_pct\": 20}},"
                 " \"keys\": {\"k\": {\"plan\": \"p\", \"count\": %.*s}},"
                 " \"traffic\": {\"keys\": \"k\", %s}}",
                 (int)(count - cases[i] - 1), cases[i], (int)(demand - count - 1), count, demand);
        world_run_play(&other, FILE_NAME, text, SIM_KERNEL_HEAP);
        sim_plot_data_make(&small, &other.result, &other.world);
        assert_true(sim_plot_remove(FOLDER));
        draw(&small, SIM_PLOT_SVG);
        sim_plot_data_free(&small);
        world_run_free(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_timeline_has_a_row_for_each_second_and_sums_to_the_run),
        cmocka_unit_test(the_intervals_are_those_of_every_key_in_order),
        cmocka_unit_test(latencies_sum_to_the_admitted_requests),
        cmocka_unit_test(processes_sum_to_the_run_and_their_shares_to_all),
        cmocka_unit_test(causes_sum_to_those_of_the_result),
        cmocka_unit_test(the_worst_key_is_that_of_the_result),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(all_pictures_are_drawn_whatever_the_names_hold),
        cmocka_unit_test(files_of_an_earlier_run_are_removed),
        cmocka_unit_test(without_gnuplot_nothing_is_drawn_and_the_reason_given),
        cmocka_unit_test(pictures_of_next_to_nothing_are_drawn_too),
    };

    return cmocka_run_group_tests(tests, play, clean_up);
}
