/* What `weir run` prints: golden texts of a fixed run at three widths, and what spoils a run.
 *
 * The run is per_request, so that the texts change with the screen only, not with the limiter. It
 * fails, and its numbers, names and paths are of all lengths. To renew tests/golden/screen*.txt
 * after a change that was meant, copy test_screen.tmp*.txt from the folder in which the test ran.
 */
#include "world_run.h"

#include <stdlib.h>

#include "readable.h"
#include "screen.h"

#define FILE_NAME "test_screen.tmp.json"
#define OTHER_NAME "test_screen.tmp.other.txt"
#define GOLDEN_FOLDER WEIR_SOURCE_DIR "/tests/golden/"
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

static struct world_run run;
static char printed[TEXT_SIZE];
static char golden[TEXT_SIZE];

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
static void print_to(const char *name, const struct world_run *shown, struct sim_screen screen)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    sim_screen_print(file, &screen, &shown->result, &shown->world, SIM_KERNEL_HEAP, 2);
    assert_int_equal(fclose(file), 0);
    read_text(name, printed);
}

static void print_other(const struct world_run *shown, struct sim_screen screen)
{
    print_to(OTHER_NAME, shown, screen);
    assert_int_equal(unlink(OTHER_NAME), 0);
}

static void the_screens_are_the_golden_ones(void **state)
{
    (void)state;
    static const size_t widths[] = {80, 60, 40};

    for (int i = 0; i < 3; i++) {
        char name[100];
        snprintf(name, sizeof name, "test_screen.tmp-%zu.txt", widths[i]);
        print_to(name, &run, (struct sim_screen){.width = widths[i]});
        snprintf(name, sizeof name, GOLDEN_FOLDER "screen-%zu.txt", widths[i]);
        read_text(widths[i] == 80 ? GOLDEN_FOLDER "screen.txt" : name, golden);
        assert_string_equal(printed, golden);
    }
}

static void assert_lines_fit(size_t width)
{
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

/* Figures that no run here reaches, in the places of this one's. */
static void the_largest_numbers_fit_every_width(void **state)
{
    (void)state;
    struct world_run large = run;
    struct sim_judgement judgements[2] = {run.result.by_population[0], run.result.by_population[1]};

    for (int i = 0; i < 2; i++) {
        judgements[i].admitted_units = UINT64_C(1000000000000);
        judgements[i].oracle_units = UINT64_C(1000000000001);
        judgements[i].over_pct.max = 123456.789;
        judgements[i].over_units_max = UINT64_C(1000000000000);
    }
    large.result.by_population = judgements;
    large.result.all.over_pct.max = 1e9;
    large.result.all.worst = (struct sim_worst){
        .key = 20, .percent = 1e9, .in_percent = true, .delta_units = -INT64_C(1000000000000)};
    large.world.metrics.asks = UINT64_C(1000000000000);
    large.world.metrics.requests = UINT64_C(1000000000000);
    large.world.metrics.unanswered = UINT64_C(999999999999);
    for (size_t width = 40; width <= 130; width++) {
        print_other(&large, (struct sim_screen){.width = width});
        assert_lines_fit(width);
    }
}

static void a_colour_is_used_for_verdict_and_misses_only_if_wanted(void **state)
{
    (void)state;
    print_other(&run, (struct sim_screen){.width = 80});
    assert_null(strchr(printed, '\033'));
    print_other(&run, (struct sim_screen){.width = 80, .colour = true});
    assert_non_null(strstr(printed, "\033[1;31mFAIL\033[0m  over by"));
    assert_non_null(strstr(printed, "\033[1;31mMISS\033[0m  store.requests_per_ask is 1"));
}

static void a_store_that_answers_late_or_never_is_told_below_the_verdict(void **state)
{
    (void)state;
    struct world_run late = run;

    late.world.metrics.unanswered = 1;
    for (int i = 0; i < 100; i++) {
        sim_metrics_decision(&late.world.metrics, SIM_LIMIT_BELOW_10K, 1, 0, UINT64_C(12345678901));
    }
    print_other(&late, (struct sim_screen){.width = 80});
    assert_non_null(strstr(printed, "\nLATE  1 request (0.022 %) never got an answer"));
    assert_non_null(strstr(printed, "\nLATE  1 in 100 admitted requests waited more than 12.3 s"));
    print_other(&run, (struct sim_screen){.width = 80});
    assert_null(strstr(printed, "LATE"));
}

static void play_other(struct world_run *other, const char *duration, const char *demand)
{
    char text[400];

    snprintf(text, sizeof text,
             "{\"why\": \"w\", \"duration_s\": %s, \"fleet\": {\"processes\": 1},"
             " \"plans\": {\"p\": {\"rate_per_s\": 1, \"capacity_units\": 1}},"
             " \"keys\": {\"k\": {\"plan\": \"p\"}},"
             " \"traffic\": {\"keys\": \"k\", \"demand_ratio\": %s}}",
             duration, demand);
    world_run_play(other, FILE_NAME, text, SIM_KERNEL_HEAP);
}

static void a_run_shorter_than_an_interval_says_so(void **state)
{
    (void)state;
    static const char note[] = "NOTE  shorter than an interval of 60 s";
    struct world_run other;

    play_other(&other, "59.5", "2");
    print_other(&other, (struct sim_screen){.width = 80});
    assert_non_null(strstr(printed, note));
    world_run_free(&other);
    play_other(&other, "60", "2");
    print_other(&other, (struct sim_screen){.width = 80});
    assert_null(strstr(printed, note));
    world_run_free(&other);
}

static void a_run_without_requests_says_so(void **state)
{
    (void)state;
    struct world_run other;

    play_other(&other, "1", "0");
    print_other(&other, (struct sim_screen){.width = 80});

    assert_non_null(strstr(printed, "INCONCLUSIVE  no request was made\n"));
    assert_null(strstr(printed, "nan"));
    assert_null(strstr(printed, "inf"));
    world_run_free(&other);
}

static void files_are_listed_below_their_folder(void **state)
{
    (void)state;
    const struct sim_screen screen = {.width = 40};
    FILE *file = fopen(OTHER_NAME, "wb");

    assert_non_null(file);
    sim_screen_print_files(file, &screen, "a/folder", "result.json timeline.csv causes.csv");
    assert_int_equal(fclose(file), 0);
    read_text(OTHER_NAME, printed);
    assert_int_equal(unlink(OTHER_NAME), 0);
    assert_string_equal(printed, "\nfiles    in a/folder:\n"
                                 "         result.json timeline.csv\n"
                                 "         causes.csv\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_screens_are_the_golden_ones),
        cmocka_unit_test(the_largest_numbers_fit_every_width),
        cmocka_unit_test(a_colour_is_used_for_verdict_and_misses_only_if_wanted),
        cmocka_unit_test(a_store_that_answers_late_or_never_is_told_below_the_verdict),
        cmocka_unit_test(a_run_shorter_than_an_interval_says_so),
        cmocka_unit_test(a_run_without_requests_says_so),
        cmocka_unit_test(files_are_listed_below_their_folder),
    };

    return cmocka_run_group_tests(tests, play, clean_up);
}
