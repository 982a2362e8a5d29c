/* The files of a run: timeline.csv and intervals.csv add up, and a plot is drawn whatever the
 * names. */
#include "world_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "plot.h"

#define FILE_NAME "test_plot.tmp.json"
#define FOLDER "test_plot.tmp.it's"

#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"name\": \"it's; pause -1 #\", \"duration_s\": 62.5,"                       \
    " \"fleet\": {\"processes\": 3}, \"limiter\": {\"coordination\": \"per_request\"},"            \
    " \"plans\": {\"p\": {\"rate_per_min\": 1200, \"capacity_units\": 50}},"                       \
    " \"keys\": {\"a\": {\"plan\": \"p\", \"count\": 2}, \"b\": {\"plan\": \"p\"}},"               \
    " \"traffic\": [{\"keys\": \"a\", \"demand_ratio\": 1.5}, {\"keys\": \"b\","                   \
    " \"demand_ratio\": 0.5}]}"

static const char *const names[] = {"timeline.csv", "intervals.csv", "run.svg", "run.png"};

static struct world_run run;

static int play(void **state)
{
    (void)state;
    world_run_play(&run, FILE_NAME, SCENARIO, SIM_KERNEL_HEAP);
    (void)mkdir(FOLDER, 0777);
    return sim_plot_write_csv(FOLDER, &run.world) ? 0 : -1;
}

static int clean_up(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", FOLDER, names[i]);
        (void)unlink(path);
    }
    world_run_free(&run);
    return rmdir(FOLDER);
}

static FILE *open_csv(const char *name, const char *heading)
{
    char path[200];
    char line[400];

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
    FILE *file = open_csv("timeline.csv",
                          "time_s,admitted_units_per_s,oracle_units_per_s,limit_units_per_s\n");
    uint64_t second;
    uint64_t admitted;
    uint64_t oracle;
    double limit;
    uint64_t count = 0;
    uint64_t sums[2] = {0};

    while (fscanf(file, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%lf\n", &second, &admitted, &oracle,
                  &limit) == 4) {
        assert_int_equal(second, count++);
        assert_int_equal(limit, 60);
        sums[0] += admitted;
        sums[1] += oracle;
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 63);
    assert_int_equal(sums[0], run.result.all.admitted_units);
    assert_int_equal(sums[1], run.result.all.oracle_units);
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

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    assert_false(sim_plot_write_csv(FOLDER "/none", &run.world));
}

static void the_plot_is_drawn_whatever_the_names_hold(void **state)
{
    (void)state;
    struct stat status;

    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        skip();
    }
    assert_true(sim_plot_draw(FOLDER, &run.result, &run.world));
    assert_int_equal(stat(FOLDER "/run.svg", &status), 0);
    assert_true(status.st_size > 1000);
    assert_int_equal(stat(FOLDER "/run.png", &status), 0);
    assert_true(status.st_size > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_timeline_has_a_row_for_each_second_and_sums_to_the_run),
        cmocka_unit_test(the_intervals_are_those_of_every_key_in_order),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(the_plot_is_drawn_whatever_the_names_hold),
    };

    return cmocka_run_group_tests(tests, play, clean_up);
}
