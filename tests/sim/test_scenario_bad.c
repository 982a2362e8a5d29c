/* Scenarios that must be refused, each with exactly one line that helps: the cases of tests/bad (a
 * folder each, with the file and the expected line), bad --set options, files that cannot be read,
 * and a few thousand mutants. */
#include "unit.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario.h"
#include "scenario_text.h"

#define BAD_FOLDER WEIR_SOURCE_DIR "/tests/bad"
#define FILE_NAME "test_scenario_bad.tmp.json"

enum {
    BAD_CASES_MIN = 400,
    MUTANT_COUNT = 4000,
    MUTANT_SIZE_MAX = 8192,
};

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

/* The file's bytes, without a last newline. */
static size_t read_file(const char *name, char *bytes, size_t size)
{
    FILE *file = fopen(name, "rb");

    if (!file) {
        fail_msg("%s cannot be read", name);
        return 0;
    }
    size_t length = fread(bytes, 1, size - 1, file);
    assert_int_equal(fclose(file), 0);
    length -= length > 0 && bytes[length - 1] == '\n' ? 1 : 0;
    bytes[length] = '\0';
    return length;
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* One line of whole characters, none of them a control, and nothing left in the scenario. */
static void assert_refused_well(const struct sim_scenario *scenario, const struct sim_error *error)
{
    static const struct sim_scenario nothing;
    size_t length = strnlen(error->text, sizeof error->text);

    assert_in_range(length, 1, sizeof error->text - 1);
    for (size_t i = 0; i < length;) {
        size_t size = sim_text_character_size(error->text + i, length - i);

        assert_in_range(size, 1, 4);
        assert_false(sim_text_is_control(error->text + i, size));
        i += size;
    }
    assert_memory_equal(scenario, &nothing, sizeof nothing);
}

/* Returns true if the case of that folder is refused as its `error` file says. */
static bool bad_case_holds(const char *name)
{
    struct sim_scenario scenario;
    struct sim_error error;
    char expected[sizeof error.text + 1];

    if (chdir(BAD_FOLDER) != 0 || chdir(name) != 0) {
        return false;
    }
    (void)read_file("error", expected, sizeof expected);
    if (sim_scenario_load(&scenario, "scenario.json", NULL, 0, &error)) {
        print_error("tests/bad/%s: was accepted\n", name);
        sim_scenario_free(&scenario);
        return false;
    }
    assert_refused_well(&scenario, &error);
    if (strcmp(error.text, expected) != 0) {
        print_error("tests/bad/%s:\n  found    %s\n  expected %s\n", name, error.text, expected);
        return false;
    }
    return true;
}

static void every_bad_case_is_refused_with_its_line(void **state)
{
    (void)state;
    struct dirent **entries = NULL;
    char *home = getcwd(NULL, 0);
    int wrong_count = 0;

    int count = scandir(BAD_FOLDER, &entries, is_visible, by_name);
    for (int i = 0; i < count; i++) {
        wrong_count += bad_case_holds(entries[i]->d_name) ? 0 : 1;
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(chdir(home), 0);
    free(home);

    assert_true(count >= BAD_CASES_MIN);
    assert_int_equal(wrong_count, 0);
}

/* The mutants' parent: every section and every pattern in one file. */
static const char GOOD[] =
    "{\"why\": \"everything once\", \"seed\": 7, \"duration_s\": 300,\n"
    "\"fleet\": {\"processes\": 4, \"balance\": {\"kind\": \"flip\", \"at_s\": 10,\n"
    "  \"before\": {\"kind\": \"zipf\", \"exponent\": 1.1},\n"
    "  \"after\": {\"kind\": \"weights\", \"weights\": [1, 2, 0, 0.5]}},\n"
    "  \"clock\": {\"offset_max_ms\": 5000, \"drift_max_ppm\": 200}},\n"
    "\"store\": {\"shards\": 2, \"round_trip_us\": 500, \"jitter_us\": 10.5},\n"
    "\"endpoints\": {\"chat\": {\"weight_units\": 10}, \"list\": {\"weight_units\": 1}},\n"
    "\"plans\": {\"gold\": {\"rate_per_min\": 100000, \"capacity_s\": 10.5},\n"
    "  \"free\": {\"algorithm\": \"window\", \"rate_per_h\": 1000, \"window_s\": 60}},\n"
    "\"keys\": {\"big\": {\"plan\": \"gold\", \"mix\": {\"chat\": 1, \"list\": 2}},\n"
    "  \"small\": {\"plan\": \"free\", \"count\": 1000, \"popularity_exponent\": 1.1,\n"
    "    \"balance\": {\"kind\": \"sticky\", \"processes\": 3}}},\n"
    "\"traffic\": [{\"keys\": \"big\", \"demand_ratio\": 1.5},\n"
    "  {\"keys\": \"small\", \"pattern\": \"on_off\", \"demand_ratio\": 0.9, \"period_s\": 5,\n"
    "    \"on_fraction\": 0.1, \"from_s\": 1, \"until_s\": 300},\n"
    "  {\"keys\": \"big\", \"pattern\": \"herd\", \"requests\": 100, \"spread_ms\": 5},\n"
    "  {\"keys\": \"small\", \"pattern\": \"closed\", \"clients\": 5, \"think_ms\": 50,\n"
    "    \"on_denial\": {\"kind\": \"backoff\", \"first_s\": 0.5}}],\n"
    "\"limiter\": {\"coordination\": \"lease\", \"sizer\": \"fixed\", \"//\": \"text\"},\n"
    "\"changes\": [{\"at_s\": 9, \"plan\": \"gold\", \"to\": {\"algorithm\": \"sliding\",\n"
    "  \"rate_per_s\": 9}}, {\"at_s\": 5, \"endpoint\": \"chat\", \"weight_units\": 3},\n"
    "  {\"at_s\": 2.5, \"plan\": \"free\", \"delete\": true, \"spread_ms\": 9, \"repeats\": 2}],\n"
    "\"polls\": [{\"keys\": \"big\", \"every_s\": 5, \"connections\": 3}],\n"
    "\"faults\": [{\"kind\": \"store_outage\", \"from_s\": 60, \"for_s\": 30},\n"
    "  {\"kind\": \"crash\", \"processes\": [1, 2], \"from_s\": 100, \"restart_after_s\": 5},\n"
    "  {\"kind\": \"clock_offset\", \"processes\": {\"first\": 0, \"count\": 2},\n"
    "    \"from_s\": 7, \"step_ms\": -0.5}],\n"
    "\"expect\": [{\"path\": \"accuracy.over_pct.max\", \"max\": 0.1}]}\n";

static void a_bad_set_names_itself(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *expected;
    } CASES[] = {
        {"fleet.processes", "--set fleet.processes: found no \"=\"; allowed: PATH=VALUE"},
        {"=1",
         "--set : malformed at character 1; allowed: names joined by \".\", indices as [0], at "
         "most 16 steps"},
        {"a..b=1",
         "--set a..b: malformed at character 3; allowed: names joined by \".\", indices as "
         "[0], at most 16 steps"},
        {"traffic[x]=1",
         "--set traffic[x]: malformed at character 8; allowed: names joined by \".\", "
         "indices as [0], at most 16 steps"},
        {"traffic[0]a=1", "--set traffic[0]a: malformed at character 11; allowed: names joined by "
                          "\".\", indices as [0], at most 16 steps"},
        {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q=1",
         "--set a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q: malformed at character 32; allowed: names "
         "joined by \".\", indices as [0], at most 16 steps"},
        {"limiter.size=1",
         "--set limiter.size=1: limiter.size: unknown key; did you mean \"sizer\"?"},
        {"flet.processes=1", "--set flet.processes: found no \"flet\"; did you mean \"fleet\"?"},
        {"colour.x=1", "--set colour.x: found no \"colour\" to set something in; allowed: what the "
                       "file has, or the whole section as a JSON object"},
        {"traffic[4].keys=1",
         "--set traffic[4].keys: found index 4 of an array of 4; allowed: less than that"},
        {"traffic[4]={}",
         "--set traffic[4]: found index 4 of an array of 4; allowed: less than that"},
        {"traffic.keys=1", "--set traffic.keys: found no object to take a name from at step 2; "
                           "allowed: an index such as [0] before the name"},
        {"seed.x\x1f=1", "--set seed.x\\u001f: found no object to take a name from at step 2; "
                         "allowed: a path through objects and arrays"},
        {"fleet[0]=1", "--set fleet[0]: found no array to take [0] of; allowed: a name"},
        {"why=\xff", "--set why: found bytes that are not UTF-8; allowed: JSON or a string"},
        {"\xff=1", "--set \\xff: found a name that is not UTF-8; allowed: UTF-8"},
        {"fleet.processes=0",
         "--set fleet.processes=0: fleet.processes: found 0; allowed: an integer from 1 to 1000"},
        {"fleet.processes=many", "--set fleet.processes=many: fleet.processes: found \"many\"; "
                                 "allowed: an integer from 1 to 1000"},
        {"fleet={}",
         "--set fleet={}: fleet.processes: missing; required: an integer from 1 to 1000"},
        {"plans.gold.rate_per_sec=5", "--set plans.gold.rate_per_sec=5: plans.gold.rate_per_sec: "
                                      "unknown key; did you mean \"rate_per_s\"?"},
        {"traffic[1].period_s=0", "--set traffic[1].period_s=0: traffic[1].period_s: found 0; "
                                  "allowed: a number from 0.001 to 86400"},
        {"duration_s=10",
         FILE_NAME ":15: traffic[1].until_s: found 300; allowed: a number from 0 to "
                   "10"},
    };

    write_file(FILE_NAME, GOOD, strlen(GOOD));
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct sim_scenario scenario;
        struct sim_error error;

        assert_false(sim_scenario_load(&scenario, FILE_NAME, &CASES[i].set, 1, &error));
        assert_string_equal(error.text, CASES[i].expected);
        assert_int_equal(error.line, strncmp(error.text, "--set", 5) == 0 ? 0 : 15);
    }
}

static void the_last_of_several_sets_is_blamed(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_error error;
    const char *const sets[] = {"fleet={\"processes\": 0}", "fleet.processes=1001"};

    write_file(FILE_NAME, GOOD, strlen(GOOD));

    assert_false(sim_scenario_load(&scenario, FILE_NAME, sets, 2, &error));
    assert_string_equal(error.text, "--set fleet.processes=1001: fleet.processes: found 1001; "
                                    "allowed: an integer from 1 to 1000");
}

static void an_index_of_a_single_traffic_object_is_dropped(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_error error;
    const char *const sets[] = {"traffic={\"keys\": \"big\", \"demand_ratio\": 1}",
                                "traffic[0].demand_ratio=2", "traffic.from_s=1"};

    write_file(FILE_NAME, GOOD, strlen(GOOD));

    assert_true(sim_scenario_load(&scenario, FILE_NAME, sets, 3, &error));
    assert_int_equal(scenario.traffic_count, 1);
    assert_int_equal(scenario.traffic[0].demand_ppm, 2000000);
    assert_int_equal(scenario.traffic[0].from_ns, 1000000000);
    sim_scenario_free(&scenario);
}

static void assert_unreadable(const char *path, const char *expected)
{
    struct sim_scenario scenario;
    struct sim_error error;

    assert_false(sim_scenario_load(&scenario, path, NULL, 0, &error));
    assert_string_equal(error.text, expected);
    assert_int_equal(error.line, 0);
}

static void a_file_that_cannot_be_read_is_one_line(void **state)
{
    (void)state;
    write_file(FILE_NAME, "", 0);
    assert_unreadable(FILE_NAME, FILE_NAME ": is empty; allowed: a file with content");
    assert_int_equal(truncate(FILE_NAME, 16 * 1024 * 1024 + 1), 0);
    assert_unreadable(FILE_NAME, FILE_NAME ": is larger than 16 MiB; allowed: up to that size");
    assert_unreadable("no/such\n.json", "no/such\\n.json: No such file or directory; allowed: a "
                                        "readable file");
    assert_unreadable(".", ".: is a folder; allowed: a readable file");
    assert_unreadable("", "(no file): found an empty path; allowed: a readable file");
}

static void a_long_path_keeps_its_end(void **state)
{
    (void)state;
    struct sim_scenario scenario;
    struct sim_error error;
    char path[1000];

    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 10, "/end.json", 10);

    assert_false(sim_scenario_load(&scenario, path, NULL, 0, &error));
    assert_non_null(strstr(error.text, "/end.json: "));
    assert_in_range(strlen(error.text), 120, 250);
}

static uint64_t random_state;

static size_t random_below(size_t bound)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (size_t)(random_state >> 33) % bound;
}

/* Replace `old_size` bytes at `at` by `word`. */
static size_t splice(char *bytes, size_t size, size_t at, size_t old_size, const char *word)
{
    size_t word_size = strlen(word);

    if (old_size > size - at || size - old_size + word_size > MUTANT_SIZE_MAX) {
        return size;
    }
    memmove(bytes + at + word_size, bytes + at + old_size, size - at - old_size);
    for (size_t i = 0; i < word_size; i++) {
        bytes[at + i] = word[i];
    }
    return size - old_size + word_size;
}

/* One change of the kinds people and disks make. */
static size_t mutate(char *bytes, size_t size)
{
    static const char *const words[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "\"",
                                        "-1",
                                        "0",
                                        "1e308",
                                        "-0.0",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "null",
                                        "true",
                                        "1e-9",
                                        "0.5",
                                        "\\u0000",
                                        "\\ud800",
                                        "{}",
                                        "[]",
                                        "4294967296",
                                        "1e18",
                                        "\"flip\"",
                                        "\"keys\"",
                                        "\"trace\"",
                                        "\"burst\"",
                                        "\n",
                                        "\xff",
                                        "\xe2\x80\xae",
                                        "5e-324",
                                        "\"window\""};
    const char *word = words[random_below(sizeof words / sizeof words[0])];
    size_t at = random_below(size);
    size_t end = at;

    switch (random_below(5)) {
    case 0:
        bytes[at] = (char)random_below(256);
        return size;
    case 1:
        return splice(bytes, size, at, random_below(20), "");
    case 2:
        return splice(bytes, size, at, 0, word);
    case 3: /* a whole token */
        while (at > 0 && strchr(" ,:[]{}\n", bytes[at - 1]) == NULL) {
            at--;
        }
        while (end < size && strchr(" ,:[]{}\n", bytes[end]) == NULL) {
            end++;
        }
        return splice(bytes, size, at, end - at, word);
    default:
        return random_below(10) == 0 ? at + 1 : size;
    }
}

static void mutants_are_read_or_refused_well(void **state)
{
    (void)state;
    static char mutant[MUTANT_SIZE_MAX];
    int accepted = 0;

    random_state = 20119;
    for (int i = 0; i < MUTANT_COUNT; i++) {
        struct sim_scenario scenario;
        struct sim_error error;
        size_t size = sizeof GOOD - 1;

        memcpy(mutant, GOOD, sizeof GOOD - 1);
        for (size_t changes = 1 + random_below(3); changes > 0; changes--) {
            size = mutate(mutant, size > 0 ? size : 1);
        }
        write_file(FILE_NAME, mutant, size);
        if (sim_scenario_load(&scenario, FILE_NAME, NULL, 0, &error)) {
            accepted++;
            sim_scenario_free(&scenario);
        } else {
            assert_refused_well(&scenario, &error);
        }
    }
    assert_in_range(accepted, 1, MUTANT_COUNT / 2);
}

static void mutants_of_sets_are_taken_or_refused_well(void **state)
{
    (void)state;
    static const char parent[] = "traffic[1].demand_ratio={\"kind\": 0.5}";
    static char mutant[MUTANT_SIZE_MAX];
    const char *const sets[] = {mutant};

    random_state = 1;
    write_file(FILE_NAME, GOOD, strlen(GOOD));
    for (int i = 0; i < MUTANT_COUNT; i++) {
        struct sim_scenario scenario;
        struct sim_error error;

        memcpy(mutant, parent, sizeof parent - 1);
        size_t size = mutate(mutant, sizeof parent - 1);
        size = mutate(mutant, size > 0 ? size : 1);
        mutant[size < MUTANT_SIZE_MAX ? size : MUTANT_SIZE_MAX - 1] = '\0';
        if (sim_scenario_load(&scenario, FILE_NAME, sets, 1, &error)) {
            sim_scenario_free(&scenario);
        } else {
            assert_refused_well(&scenario, &error);
        }
    }
}

static int remove_file(void **state)
{
    (void)state;
    (void)unlink(FILE_NAME);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_case_is_refused_with_its_line),
        cmocka_unit_test(a_bad_set_names_itself),
        cmocka_unit_test(the_last_of_several_sets_is_blamed),
        cmocka_unit_test(an_index_of_a_single_traffic_object_is_dropped),
        cmocka_unit_test(a_file_that_cannot_be_read_is_one_line),
        cmocka_unit_test(a_long_path_keeps_its_end),
        cmocka_unit_test(mutants_are_read_or_refused_well),
        cmocka_unit_test(mutants_of_sets_are_taken_or_refused_well),
    };

    return cmocka_run_group_tests(tests, NULL, remove_file);
}
