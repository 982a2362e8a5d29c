/* Pictures of faults: the labels of what is shaded never meet, runs without faults get none of
 * them, and bars are what the outage came to. */
#include "world_run.h"

#include <stdlib.h>

#include "plot_faults.h"
#include "plot_figures.h"

#define FILE_NAME "test_plot_faults.tmp.json"
#define TEXT_SIZE 65536

static char text[TEXT_SIZE];

static void play(struct world_run *run, const char *faults)
{
    char scenario[1500];

    snprintf(scenario, sizeof scenario,
             "{\"why\": \"w\", \"duration_s\": 20, \"fleet\": {\"processes\": 70},"
             " \"plans\": {\"p\": {\"rate_per_s\": 50, \"capacity_units\": 50}},"
             " \"keys\": {\"a\": {\"plan\": \"p\", \"count\": 2}, \"b\": {\"plan\": \"p\"}},"
             " \"traffic\": [{\"keys\": \"a\", \"demand_ratio\": 2},"
             " {\"keys\": \"b\", \"demand_ratio\": 0}], \"faults\": [%s]}",
             faults);
    world_run_play(run, FILE_NAME, scenario, SIM_KERNEL_HEAP);
}

static FILE *open_text(void)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    return file;
}

static void read_text(FILE *file)
{
    rewind(file);
    text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void shade(const struct sim_world *world)
{
    FILE *file = open_text();

    sim_plot_faults_shade(file, world);
    read_text(file);
}

/* The value of a variable of the script. */
static double value_of(const char *variable, size_t index)
{
    char name[60];

    snprintf(name, sizeof name, index > 0 ? "%s[%zu] = " : "%s = ", variable, index);
    const char *at = strstr(text, name);
    if (at == NULL) {
        fail_msg("no %s in %s", name, text);
    }
    return strtod(at + strlen(name), NULL);
}

static void a_run_without_faults_is_not_shaded(void **state)
{
    (void)state;
    struct world_run run;
    struct sim_plot_data data;

    play(&run, "");
    shade(&run.world);
    assert_int_equal(value_of("fault_count", 0), 0);
    assert_int_equal(value_of("fault_row_count", 0), 0);
    sim_plot_data_make(&data, &run.result, &run.world);
    for (unsigned i = 0; i < SIM_PLOT_FIGURE_COUNT; i++) {
        const char *name = sim_plot_figure_name(i);
        const bool is_of_faults = strcmp(name, "degraded") == 0 || strcmp(name, "outage") == 0;
        assert_int_equal(sim_plot_figure_is_due(i, &data), !is_of_faults);
    }
    sim_plot_data_free(&data);
    world_run_free(&run);
}

static void labels_never_meet(void **state)
{
    (void)state;
    struct world_run run;

    play(&run, "{\"kind\": \"store_outage\", \"id\": \"it's one\", \"from_s\": 4, \"for_s\": 2},"
               "{\"kind\": \"loss\", \"from_s\": 2, \"until_s\": 20},"
               "{\"kind\": \"store_outage\", \"id\": \"three\", \"from_s\": 4.1, \"for_s\": 1},"
               "{\"kind\": \"loss\", \"id\": \"the last of them all\", \"from_s\": 19},"
               "{\"kind\": \"loss\", \"id\": \"five\", \"from_s\": 12, \"for_s\": 1}");
    shade(&run.world);
    assert_int_equal(value_of("fault_count", 0), 5);
    assert_non_null(strstr(text, "fault_labels[2] = 'it''s one'"));
    for (size_t i = 1; i <= 5; i++) {
        assert_true(value_of("fault_from", i) >= (i > 1 ? value_of("fault_from", i - 1) : 0));
        assert_true(value_of("fault_until", i) <= 20);
        assert_true(value_of("fault_at", i) <= value_of("fault_from", i));
        for (size_t j = 1; j < i; j++) {
            const double apart = value_of("fault_at", i) - value_of("fault_at", j);
            const bool same_row = (int)value_of("fault_rows", i) == (int)value_of("fault_rows", j);
            assert_true(!same_row || apart > 1);
        }
    }
    assert_int_equal(value_of("fault_rows", 1), 0);
    assert_int_equal(value_of("fault_rows", 3), 1); /* right after the second */
    assert_true(value_of("fault_at", 5) < 16);      /* it would leave the picture */
    world_run_free(&run);
}

/* Those whose horizontal axis is time load plots/faults.gp, which needs what every script has. */
static void pictures_over_time_are_shaded(void **state)
{
    (void)state;
    static const char *const over_time[] = {"timeline", "error", "asks", "causes", "degraded"};
    struct world_run run;
    struct sim_plot_data data;

    play(&run, "{\"kind\": \"store_outage\", \"from_s\": 5, \"for_s\": 5}");
    sim_plot_data_make(&data, &run.result, &run.world);
    for (unsigned i = 0; i < SIM_PLOT_FIGURE_COUNT; i++) {
        FILE *file = open_text();
        sim_plot_print_figure(file, i, "svg", &data);
        read_text(file);
        assert_int_equal(value_of("fault_count", 0), 1);
    }
    for (size_t i = 0; i < sizeof over_time / sizeof over_time[0]; i++) {
        char path[500];
        snprintf(path, sizeof path, WEIR_SOURCE_DIR "/plots/%s.gp", over_time[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        read_text(file);
        assert_non_null(strstr(text, "load plots.'/faults.gp'\n"));
        assert_non_null(strstr(text, "room(fault_row_count)"));
    }
    sim_plot_data_free(&data);
    world_run_free(&run);
}

static void bars_are_what_each_population_got(void **state)
{
    (void)state;
    struct world_run run;
    struct sim_plot_data data;
    FILE *file = open_text();
    double row;
    double demand_pct;
    double admitted_pct;
    uint64_t units[3] = {0};

    play(&run, "{\"kind\": \"store_outage\", \"from_s\": 5, \"for_s\": 5}");
    sim_plot_data_make(&data, &run.result, &run.world);
    assert_null(sim_plot_outage(file, &data));
    read_text(file);
    assert_int_equal(run.world.watch.outages.count, 1);
    for (uint32_t key = 0; key < 2; key++) {
        const struct sim_outage_key *entry = &run.world.watch.outages.list[0].keys[key];
        units[0] += entry->demand_units;
        units[1] += entry->ideal_units;
        units[2] += entry->admitted_units;
    }
    const struct sim_outage_service *service = &run.world.watch.services.by_population[0];
    assert_int_equal(service->demand_units, units[0]);
    assert_int_equal(service->ideal_units, units[1]);
    assert_int_equal(service->admitted_units, units[2]);
    assert_true(units[1] > 0);
    assert_int_equal(
        sscanf(text, "$data << EOD\n%lf\t%lf\t%lf\t", &row, &demand_pct, &admitted_pct), 3);
    assert_int_equal(row, 0);
    assert_int_equal(demand_pct * (double)units[1] / 100 + 0.5, units[0]);
    assert_int_equal(admitted_pct * (double)units[1] / 100 + 0.5, units[2]);
    assert_int_equal(value_of("rows", 0), 1); /* nobody asked for b */
    sim_plot_data_free(&data);
    world_run_free(&run);
}

static void a_second_shows_the_processes_that_decided_alone_in_it(void **state)
{
    (void)state;
    struct world_run run;
    struct sim_plot_data data;
    FILE *file = open_text();

    play(&run, "{\"kind\": \"loss\", \"from_s\": 2}");
    struct sim_degradation *degradation = &run.world.watch.degradation;
    sim_degradation_deinit(degradation);
    sim_degradation_init(degradation, UINT64_C(20000000000), 70);
    for (uint32_t process = 0; process < 70; process += 10) {
        sim_degradation_denied(degradation, process, UINT64_C(3500000000));
        sim_degradation_denied(degradation, process, UINT64_C(3600000000));
    }
    sim_degradation_admitted(degradation, 69, UINT64_C(4000000000), 1);
    sim_plot_data_make(&data, &run.result, &run.world);
    assert_null(sim_plot_degraded(file, &data));
    read_text(file);
    assert_non_null(strstr(text, "\n2\t0\n3\t10\n4\t1.42857\n5\t0\n"));
    sim_plot_data_free(&data);
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_without_faults_is_not_shaded),
        cmocka_unit_test(labels_never_meet),
        cmocka_unit_test(pictures_over_time_are_shaded),
        cmocka_unit_test(bars_are_what_each_population_got),
        cmocka_unit_test(a_second_shows_the_processes_that_decided_alone_in_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
