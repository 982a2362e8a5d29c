/* What `weir run` prints: a golden text of a fixed run, and tables whose columns line up.
 *
 * The run is per_request, so that the text changes with the screen only, not with the limiter. To
 * renew tests/golden/screen.txt after a change that was meant, copy test_screen.tmp.txt from the
 * folder in which the test ran. */
#include "world_run.h"

#include <stdlib.h>

#include "screen.h"

#define FILE_NAME "test_screen.tmp.json"
#define OUTPUT_NAME "test_screen.tmp.txt"
#define OTHER_NAME "test_screen.tmp.other.txt"
#define GOLDEN_NAME WEIR_SOURCE_DIR "/tests/golden/screen.txt"
#define TEXT_SIZE 8192

#define SCENARIO                                                                                   \
    "{\"why\": \"w\", \"name\": \"golden\", \"seed\": 7, \"duration_s\": 61,"                      \
    " \"fleet\": {\"processes\": 3}, \"store\": {\"jitter_us\": 400},"                             \
    " \"limiter\": {\"coordination\": \"per_request\"},"                                           \
    " \"plans\": {\"small\": {\"rate_per_min\": 60, \"capacity_units\": 5},"                       \
    " \"large\": {\"algorithm\": \"window\", \"rate_per_min\": 1200}},"                            \
    " \"keys\": {\"small\": {\"plan\": \"small\", \"count\": 20},"                                 \
    " \"a-name-that-is-too-long\": {\"plan\": \"large\"}},"                                        \
    " \"traffic\": [{\"keys\": \"small\", \"demand_ratio\": 1.5},"                                 \
    " {\"keys\": \"a-name-that-is-too-long\", \"demand_ratio\": 2}],"                              \
    " \"expect\": [{\"path\": \"decisions.total\", \"min\": 1, \"max\": 1e9},"                     \
    " {\"path\": \"store.requests_per_ask\", \"min\": 20}]}"

static char printed[TEXT_SIZE];
static char golden[TEXT_SIZE];

static void read_text(const char *name, char text[TEXT_SIZE])
{
    FILE *file = fopen(name, "rb");

    if (file == NULL) {
        fail_msg("cannot open %s", name);
    }
    const size_t size = fread(text, 1, TEXT_SIZE - 1, file);
    text[size] = '\0';
    assert_int_equal(fclose(file), 0);
}

/* Two seconds of wall time, whatever it took: only the clock's reading is not the run's own. */
static int print_screen(void **state)
{
    (void)state;
    struct world_run run;

    world_run_play(&run, FILE_NAME, SCENARIO, SIM_KERNEL_HEAP);
    FILE *file = fopen(OUTPUT_NAME, "wb");
    assert_non_null(file);
    sim_screen_print(file, &run.result, &run.world, SIM_KERNEL_HEAP, 2);
    assert_int_equal(fclose(file), 0);
    world_run_free(&run);
    read_text(OUTPUT_NAME, printed);
    return 0;
}

static void the_screen_is_the_golden_one(void **state)
{
    (void)state;
    read_text(GOLDEN_NAME, golden);

    assert_string_equal(printed, golden);
}

/* In the table that starts with `table`, a column ends in one place, in all `count` lines of it. */
static void assert_column_ends_together(const char *table, const char *heading, int count)
{
    const char *line = strstr(printed, table);
    assert_non_null(line);
    const char *word = strstr(line, heading);
    assert_non_null(word);

    const size_t end = (size_t)(word - line) + strlen(heading);
    for (int i = 0; i < count; i++) {
        const size_t length = strcspn(line, "\n");
        assert_true(length >= end);
        assert_int_not_equal(line[end - 1], ' ');
        assert_true(line[end] == ' ' || line[end] == '\n');
        line += length + 1;
    }
}

static void tables_line_up(void **state)
{
    (void)state;
    static const char *const headings[] = {"count", "limit",  "demand", "admitted",
                                           "ideal", "over %", "under %"};

    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        assert_column_ends_together("keys  ", headings[i], 3);
    }
    assert_column_ends_together("expect ", "measured", 3);
}

static void it_fits_eighty_columns_and_has_no_colour_in_a_file(void **state)
{
    (void)state;
    for (const char *line = printed; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        assert_true(length <= 80);
        line += length + 1;
    }
    assert_null(strchr(printed, '\033'));
}

static void a_run_without_requests_says_so(void **state)
{
    (void)state;
    struct world_run run;
    char text[TEXT_SIZE];

    world_run_play(&run, FILE_NAME,
                   "{\"why\": \"w\", \"duration_s\": 1, \"fleet\": {\"processes\": 1},"
                   " \"plans\": {\"p\": {\"rate_per_s\": 1, \"capacity_units\": 1}},"
                   " \"keys\": {\"k\": {\"plan\": \"p\"}},"
                   " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": 0}}",
                   SIM_KERNEL_HEAP);
    FILE *file = fopen(OTHER_NAME, "wb");
    assert_non_null(file);
    sim_screen_print(file, &run.result, &run.world, SIM_KERNEL_HEAP, 1);
    assert_int_equal(fclose(file), 0);
    read_text(OTHER_NAME, text);
    (void)unlink(OTHER_NAME);

    assert_non_null(strstr(text, "INCONCLUSIVE  no request was made\n"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    world_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_screen_is_the_golden_one),
        cmocka_unit_test(tables_line_up),
        cmocka_unit_test(it_fits_eighty_columns_and_has_no_colour_in_a_file),
        cmocka_unit_test(a_run_without_requests_says_so),
    };

    return cmocka_run_group_tests(tests, print_screen, NULL);
}
