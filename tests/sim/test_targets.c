/* The targets, where they are found, and what a scenario may make of one. Malformed ones:
 * tests/bad/targets_*. */
#include "unit.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "targets.h"

#define SCENARIOS WEIR_SOURCE_DIR "/scenarios"
#define FOLDER "test_targets.tmp"

static const struct sim_target *find(const struct sim_targets *targets, const char *name)
{
    for (size_t i = 0; i < targets->count; i++) {
        if (strcmp(targets->targets[i].name, name) == 0) {
            return &targets->targets[i];
        }
    }
    fail_msg("no target \"%s\"", name);
    return NULL;
}

static void the_targets_of_the_project_are_read(void **state)
{
    (void)state;
    struct sim_targets targets;
    struct sim_error error;

    if (!sim_targets_load(&targets, SCENARIOS "/targets.json", &error)) {
        fail_msg("%s", error.text);
    }

    const struct sim_target *contract = find(&targets, "contract");
    const struct sim_target *asks = find(&targets, "requests-per-ask-100k");
    assert_string_equal(contract->path, "accuracy.contract_over_pct.max");
    assert_true(contract->maximum >= 0 && contract->maximum <= 0);
    assert_true(isinf(contract->minimum));
    assert_true(asks->minimum >= 20 && asks->minimum <= 20);
    assert_true(isinf(asks->maximum));
    assert_true(strlen(asks->row) > 0);
    sim_targets_free(&targets);
    assert_int_equal(targets.count, 0);
}

static void assert_located(const char *scenario, const char *expected)
{
    char *found = sim_targets_locate(scenario);

    if (expected) {
        assert_non_null(found);
        assert_string_equal(found, expected);
    } else {
        assert_null(found);
    }
    free(found);
}

static void targets_are_looked_for_in_the_folders_above(void **state)
{
    (void)state;

    assert_located(SCENARIOS "/x.json", SCENARIOS "/targets.json");
    assert_located(WEIR_SOURCE_DIR "/x.json", WEIR_SOURCE_DIR "/scenarios/targets.json");
    assert_located(WEIR_SOURCE_DIR "/sim/x.json", WEIR_SOURCE_DIR "/sim/../scenarios/targets.json");
    assert_located(WEIR_SOURCE_DIR "/tests/bad/why_empty/x.json",
                   WEIR_SOURCE_DIR "/tests/bad/why_empty/../../../scenarios/targets.json");
    assert_located("/proc/self/fdinfo/x.json", NULL);
}

static void write_scenario(const char *name, const char *expect)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    (void)fprintf(file,
                  "{\"why\": \"w\", \"duration_s\": 60, \"fleet\": {\"processes\": 4},"
                  "\"plans\": {\"gold\": {\"rate_per_min\": 600, \"capacity_s\": 10}},"
                  "\"keys\": {\"one\": {\"plan\": \"gold\"}},"
                  "\"traffic\": {\"keys\": \"one\", \"demand_ratio\": 1.5}, \"expect\": %s}\n",
                  expect);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    (void)state;
    static const char text[] = "{\"targets\": {\"asks\": {"
                               "\"path\": \"store.asks\", \"max\": 60, \"row\": \"a burst\"}}}\n";

    (void)mkdir(FOLDER, 0777);
    FILE *file = fopen(FOLDER "/targets.json", "wb");
    if (!file) {
        return -1;
    }
    (void)fputs(text, file);
    return fclose(file);
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(FOLDER "/x.json");
    (void)unlink(FOLDER "/targets.json");
    return rmdir(FOLDER);
}

static void a_cited_target_can_be_tightened(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_error error;

    write_scenario(FOLDER "/x.json", "[{\"target\": \"asks\"},"
                                     "{\"target\": \"asks\", \"min\": 10, \"max\": 59.5}]");

    assert_true(sim_scenario_load(&scenario, FOLDER "/x.json", NULL, 0, &error));
    assert_int_equal(scenario.expectation_count, 2);
    assert_string_equal(scenario.expectations[0].target, "asks");
    assert_string_equal(scenario.expectations[0].path, "store.asks");
    assert_true(scenario.expectations[0].maximum >= 60 && scenario.expectations[0].maximum <= 60);
    assert_true(isinf(scenario.expectations[0].minimum));
    assert_true(scenario.expectations[1].minimum >= 10 && scenario.expectations[1].minimum <= 10);
    assert_true(scenario.expectations[1].maximum < 59.6);
    sim_scenario_free(&scenario);
}

static void a_target_cited_where_there_are_none_is_an_error(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_error error;
    char folder[] = "/tmp/weir_test_XXXXXX";
    char path[sizeof folder + 16];

    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/x.json", folder);
    write_scenario(path, "[{\"target\": \"asks\"}]");

    assert_false(sim_scenario_load(&scenario, path, NULL, 0, &error));
    assert_non_null(strstr(error.text,
                           ":1: expect[0].target: found \"asks\"; allowed: a target only "
                           "where a targets.json stands beside the scenario"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static int is_scenario(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end && strcmp(end, ".json") == 0 && strcmp(entry->d_name, "targets.json") != 0 &&
           strstr(entry->d_name, ".schema.") == NULL;
}

static void every_scenario_of_the_project_is_good(void **state)
{
    (void)state;
    struct dirent **entries = NULL;
    int bad_count = 0;

    int count = scandir(SCENARIOS, &entries, is_scenario, NULL);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        struct sim_scenario scenario;
        struct sim_error error;
        char path[1024];

        (void)snprintf(path, sizeof path, "%s/%s", SCENARIOS, entries[i]->d_name);
        if (!sim_scenario_load(&scenario, path, NULL, 0, &error)) {
            print_error("%s\n", error.text);
            bad_count++;
        }
        sim_scenario_free(&scenario);
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(bad_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_targets_of_the_project_are_read),
        cmocka_unit_test(targets_are_looked_for_in_the_folders_above),
        cmocka_unit_test(a_cited_target_can_be_tightened),
        cmocka_unit_test(a_target_cited_where_there_are_none_is_an_error),
        cmocka_unit_test(every_scenario_of_the_project_is_good),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
