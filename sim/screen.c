#include "screen.h"

#include <inttypes.h>
#include <string.h>

#include "readable.h"
#include "screen_faults.h"
#include "screen_table.h"
#include "terminal.h"

#define LATE_NS UINT64_C(1000000000) /* a p99 that no client waits for */
#define TEXT_SIZE 512

struct sim_screen sim_screen_of(FILE *file)
{
    return (struct sim_screen){
        .width = sim_terminal_width(file),
        .colour = sim_terminal_has_colour(file),
    };
}

/* A word that the eye finds, and a sentence. */
static void print_flag(FILE *file, const struct sim_screen *screen, const char *colour,
                       const char *word, const char *text)
{
    fprintf(file, "%s%s%s  ", screen->colour ? colour : "", word, screen->colour ? "\033[0m" : "");
    sim_screen_wrap_rest(file, screen->width, strlen(word) + 2, text); /* colours have no width */
}

static void print_verdict(FILE *file, const struct sim_screen *screen,
                          const struct sim_result *result, const struct sim_world *world)
{
    static const char *const colours[] = {"\033[1;32m", "\033[1;31m", "\033[1;33m"};
    static const char *const words[] = {"PASS", "FAIL", "INCONCLUSIVE"};
    const struct sim_judgement *all = &result->all;
    char text[TEXT_SIZE];

    if (world->metrics.requests == 0) {
        snprintf(text, sizeof text, "no request was made");
    } else if (sim_judgement_has_percentages(&world->accuracy)) {
        snprintf(text, sizeof text, "over by at most %.3f %%, under by at most %.3f %% of a limit",
                 all->over_pct.max, all->under_pct.max);
    } else {
        snprintf(text, sizeof text, "over by at most %s, under by at most %s",
                 sim_readable_units(all->over_units_max).text,
                 sim_readable_units(all->under_units_max).text);
    }
    print_flag(file, screen, colours[result->verdict], words[result->verdict], text);
}

/* "3.5 for PATH; allowed: >= 20 (target x)" */
static void describe(char *text, size_t size, const json_t *entry)
{
    const json_t *bound = json_object_get(entry, "bound");
    const json_t *least = json_object_get(bound, "min");
    const json_t *most = json_object_get(bound, "max");
    const json_t *value = json_object_get(entry, "value");
    const char *target = json_string_value(json_object_get(entry, "target"));
    char measured[32] = "none";
    char limits[80] = "";

    if (json_is_number(value)) {
        snprintf(measured, sizeof measured, "%.10g", json_number_value(value));
    }
    if (least != NULL) {
        snprintf(limits, sizeof limits, " at least %.10g", json_number_value(least));
    }
    if (most != NULL) {
        const size_t length = strlen(limits);
        snprintf(limits + length, sizeof limits - length, "%s at most %.10g", length > 0 ? "," : "",
                 json_number_value(most));
    }
    snprintf(text, size, "%s is %s, allowed:%s%s%s%s",
             json_string_value(json_object_get(entry, "path")), measured, limits,
             *target != '\0' ? " (target " : "", target, *target != '\0' ? ")" : "");
}

void sim_screen_print_misses(FILE *file, const struct sim_screen *screen,
                             const struct sim_result *result)
{
    char text[TEXT_SIZE];
    size_t index;
    const json_t *entry;

    json_array_foreach(json_object_get(result->json, "expectations"), index, entry)
    {
        if (!json_is_true(json_object_get(entry, "pass"))) {
            describe(text, sizeof text, entry);
            print_flag(file, screen, "\033[1;31m", "MISS", text);
        }
    }
}

/* What a reader must know before trusting the figures. */
static void print_notes(FILE *file, const struct sim_screen *screen, const struct sim_world *world)
{
    static const char yellow[] = "\033[1;33m";
    const struct sim_metrics *metrics = &world->metrics;
    const uint64_t p99_ns = sim_latency_percentile_ns(&metrics->all, 990000);
    uint64_t longest_ns = 0;
    char text[TEXT_SIZE];

    if (metrics->unanswered > 0) {
        const double part = 100.0 * (double)metrics->unanswered / (double)metrics->requests;
        snprintf(text, sizeof text, "%s request%s (%s) never got an answer from the store",
                 sim_readable_count(metrics->unanswered).text, metrics->unanswered == 1 ? "" : "s",
                 sim_readable_percent(part).text);
        print_flag(file, screen, yellow, "LATE", text);
    }
    if (p99_ns > LATE_NS) {
        snprintf(text, sizeof text,
                 "1 in 100 admitted requests waited more than %s: the store is overloaded",
                 sim_readable_time(p99_ns).text);
        print_flag(file, screen, yellow, "LATE", text);
    }
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        const uint64_t interval_ns = world->accuracy.keys[key].interval_ns;
        longest_ns = interval_ns > longest_ns ? interval_ns : longest_ns;
    }
    if (longest_ns > world->scenario->duration_ns && metrics->requests > 0) {
        snprintf(text, sizeof text,
                 "shorter than an interval of %s, so %% of its limit says little: see \"of ideal\"",
                 sim_readable_duration(longest_ns).text);
        print_flag(file, screen, yellow, "NOTE", text);
    }
}

static void print_worst(FILE *file, const struct sim_screen *screen,
                        const struct sim_result *result, const struct sim_world *world)
{
    const struct sim_worst *worst = &result->all.worst;
    char name[SIM_NAME_SIZE + 16];
    char text[TEXT_SIZE];

    if (worst->percent <= 0) {
        return;
    }
    sim_catalog_name(&world->catalog, worst->key, name, sizeof name);
    const uint64_t interval_ns =
        sim_accuracy_interval_end_ns(&world->accuracy, worst->key, worst->interval);
    const uint64_t end_ns =
        interval_ns < world->scenario->duration_ns ? interval_ns : world->scenario->duration_ns;
    const uint64_t units =
        (uint64_t)(worst->delta_units < 0 ? -worst->delta_units : worst->delta_units);
    snprintf(text, sizeof text, "%s up to %s: %s too %s (%.3f %%), mostly %s", name,
             sim_readable_time(end_ns).text, sim_readable_units(units).text,
             worst->delta_units < 0 ? "many" : "few", worst->percent,
             sim_cause_names[worst->cause]);
    sim_screen_wrap(file, screen->width, "worst ", text);
}

static void print_contract(FILE *file, const struct sim_screen *screen,
                           const struct sim_result *result, const struct sim_world *world)
{
    const struct sim_judgement *all = &result->all;
    char text[TEXT_SIZE];

    if (world->metrics.requests == 0) {
        return;
    }
    if (all->contract_over_units_max == 0) {
        snprintf(text, sizeof text, "contract held in every interval of any length");
    } else {
        snprintf(text, sizeof text, "contract exceeded by up to %s (%.3f %%)",
                 sim_readable_units(all->contract_over_units_max).text, all->contract_over_pct_max);
    }
    sim_screen_wrap(file, screen->width, "", text);
}

enum column {
    KEYS,
    KIND,
    COUNT,
    LIMIT,
    DEMAND,
    ADMITTED,
    IDEAL,
    OF_IDEAL,
    OVER,
    UNDER,
    COLUMN_COUNT,
};

static bool plan_changes(const struct sim_world *world, uint32_t plan)
{
    for (size_t i = 0; i < world->scenario->change_count; i++) {
        if (sim_changes_are_of_plan(&world->scenario->changes[i], plan)) {
            return true;
        }
    }
    return false;
}

static void fill_population(const struct sim_screen_table *table, size_t row,
                            const struct sim_judgement *judgement, const struct sim_world *world)
{
    const struct sim_population *population = &world->scenario->populations[row];
    const struct weir_plan *plan = &world->catalog.plans[population->plan];
    const double span_s = weir_plan_has_windows(plan) ? (double)plan->window_us / 1e6 : 60;
    const double offered = (double)plan->limit_units * (double)population->key_count *
                           (double)world->scenario->duration_ns / 1e9 / span_s;
    const bool changes = plan_changes(world, population->plan);
    static const char *const kinds[] = {
        [WEIR_ALGORITHM_BUCKET] = "bucket",   [WEIR_ALGORITHM_WINDOW] = "window",
        [WEIR_ALGORITHM_SLIDING] = "sliding", [WEIR_ALGORITHM_LOG] = "log",
        [WEIR_ALGORITHM_UNLIMITED] = "none",
    };
    char *cells[COLUMN_COUNT];

    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        cells[i] = sim_screen_table_cell(table, row, i);
    }
    strcpy(cells[KEYS], population->name);
    strcpy(cells[KIND], kinds[plan->algorithm]);
    strcpy(cells[COUNT], sim_readable_count(population->key_count).text);
    strcpy(cells[LIMIT], changes ? "varies" : sim_readable_count(plan->limit_units).text);
    if (changes || offered <= 0) {
        strcpy(cells[DEMAND], "-"); /* in parts of which limit? */
    } else {
        snprintf(cells[DEMAND], SIM_SCREEN_CELL_SIZE, "%.2fx",
                 (double)judgement->demand_units / offered);
    }
    strcpy(cells[ADMITTED], sim_readable_count(judgement->admitted_units).text);
    strcpy(cells[IDEAL], sim_readable_count(judgement->oracle_units).text);
    if (judgement->oracle_units == 0) {
        strcpy(cells[OF_IDEAL], "-");
    } else {
        snprintf(cells[OF_IDEAL], SIM_SCREEN_CELL_SIZE, "%.2f %%",
                 100.0 * (double)judgement->admitted_units / (double)judgement->oracle_units);
    }
    if (plan->limit_units >= SIM_PERCENT_LIMIT_MIN) {
        snprintf(cells[OVER], SIM_SCREEN_CELL_SIZE, "%.3f", judgement->over_pct.max);
        snprintf(cells[UNDER], SIM_SCREEN_CELL_SIZE, "%.3f", judgement->under_pct.max);
    } else {
        strcat(strcpy(cells[OVER], sim_readable_count(judgement->over_units_max).text), " u");
        strcat(strcpy(cells[UNDER], sim_readable_count(judgement->under_units_max).text), " u");
    }
}

static void print_populations(FILE *file, const struct sim_screen *screen,
                              const struct sim_result *result, const struct sim_world *world)
{
    static const struct sim_screen_column columns[COLUMN_COUNT] = {
        [KEYS] = {"keys", SIM_SCREEN_LEFT, 10},     [KIND] = {"kind", SIM_SCREEN_LEFT, 1},
        [COUNT] = {"count", SIM_SCREEN_RIGHT, 2},   [LIMIT] = {"limit", SIM_SCREEN_RIGHT, 3},
        [DEMAND] = {"demand", SIM_SCREEN_RIGHT, 4}, [ADMITTED] = {"admitted", SIM_SCREEN_RIGHT, 6},
        [IDEAL] = {"ideal", SIM_SCREEN_RIGHT, 5},   [OF_IDEAL] = {"of ideal", SIM_SCREEN_RIGHT, 7},
        [OVER] = {"over %", SIM_SCREEN_RIGHT, 8},   [UNDER] = {"under %", SIM_SCREEN_RIGHT, 9},
    };
    const size_t count = world->scenario->population_count;
    struct sim_screen_table table;

    sim_screen_table_init(&table, columns, COLUMN_COUNT, count, 12);
    for (size_t i = 0; i < count; i++) {
        fill_population(&table, i, &result->by_population[i], world);
    }
    fputc('\n', file);
    sim_screen_table_print(file, &table, screen->width);
    sim_screen_table_free(&table);
}

static void print_costs(FILE *file, const struct sim_screen *screen,
                        const struct sim_result *result, const struct sim_world *world)
{
    const struct sim_metrics *metrics = &world->metrics;
    const struct sim_latency *latency = &metrics->all;
    const double seconds = (double)world->scenario->duration_ns / 1e9;
    char text[TEXT_SIZE];

    fputc('\n', file);
    snprintf(text, sizeof text,
             "%s asks: %.1f/s on average\n%s in the busiest second, %s in the busiest 10 ms\n"
             "%.1f requests per ask; %s key-process pairs met",
             sim_readable_count(metrics->asks).text, (double)metrics->asks / seconds,
             sim_readable_count(sim_metrics_asks_max_1s(metrics)).text,
             sim_readable_count(sim_metrics_asks_max_10ms(metrics)).text,
             metrics->asks == 0 ? 0 : (double)metrics->requests / (double)metrics->asks,
             sim_readable_count(metrics->pairs).text);
    sim_screen_wrap(file, screen->width, "store    ", text);
    snprintf(text, sizeof text,
             "added to admitted requests:\np50 %s, p99 %s, p99.9 %s, max %s\n"
             "%.2f %% of them waited for the store",
             sim_readable_time(sim_latency_percentile_ns(latency, 500000)).text,
             sim_readable_time(sim_latency_percentile_ns(latency, 990000)).text,
             sim_readable_time(sim_latency_percentile_ns(latency, 999000)).text,
             sim_readable_time(latency->max_ns).text,
             latency->count == 0 ? 0 : 100.0 * (double)latency->waited / (double)latency->count);
    sim_screen_wrap(file, screen->width, "latency  ", text);
    const struct sim_billing *bill = &world->watch.billing;
    const int length = snprintf(text, sizeof text, "%s spent, %s reported",
                                sim_readable_units(result->all.charged_units).text,
                                sim_readable_count(sim_world_reported_units(world)).text);
    if (bill->all.flagged_windows + bill->all.unsealed_windows != 0) {
        snprintf(text + length, sizeof text - (size_t)length,
                 "\n%s windows flagged as approximate, %s not sealed",
                 sim_readable_count(bill->all.flagged_windows).text,
                 sim_readable_count(bill->all.unsealed_windows).text);
    }
    sim_screen_wrap(file, screen->width, "billing  ", text);
}

/* What denied clients did, and what processes heard of changes: only where there are any. */
static void print_others(FILE *file, const struct sim_screen *screen,
                         const struct sim_result *result, const struct sim_world *world)
{
    const struct sim_clientele_totals *clients = sim_clientele_totals(world->clientele);
    const double herd = sim_herd_ratio(&world->herd);
    char text[TEXT_SIZE];

    if (sim_clientele_reaction_ns(world->scenario) != UINT64_MAX) {
        const uint64_t mean_ns = (uint64_t)(sim_clientele_recovery_mean_s(clients) * 1e9);
        snprintf(text, sizeof text,
                 "%s retries, %s requests given up\n"
                 "from first denial to admission: %s on average, %s at most",
                 sim_readable_count(clients->retries).text,
                 sim_readable_count(clients->given_up).text, sim_readable_time(mean_ns).text,
                 sim_readable_time(clients->recovery_max_ns).text);
        sim_screen_wrap(file, screen->width, "clients  ", text);
    }
    if (sim_clientele_reaction_ns(world->scenario) != UINT64_MAX && herd > 0) {
        snprintf(text, sizeof text,
                 "after a window rolls the busiest 10 ms see %.1f times the mean of their second",
                 herd);
        sim_screen_wrap(file, screen->width, "         ", text);
    }
    if (world->scenario->change_count > 0) {
        snprintf(text, sizeof text, "%s pushes, %s of them old news; processes up to %s behind",
                 sim_readable_count(result->config.pushes).text,
                 sim_readable_count(result->config.stale_pushes).text,
                 sim_readable_count(result->config.version_spread_max).text);
        sim_screen_wrap(file, screen->width, "config   ", text);
    }
}

static void print_met(FILE *file, const struct sim_screen *screen, const struct sim_result *result)
{
    static const struct sim_screen_column columns[] = {
        {"met", SIM_SCREEN_LEFT, 3},
        {"measured", SIM_SCREEN_RIGHT, 2},
        {"allowed", SIM_SCREEN_LEFT, 1},
        {"target", SIM_SCREEN_LEFT, 0},
    };
    const json_t *list = json_object_get(result->json, "expectations");
    struct sim_screen_table table;
    size_t row = 0;
    size_t index;
    const json_t *entry;

    sim_screen_table_init(&table, columns, 4, json_array_size(list), 28);
    json_array_foreach(list, index, entry)
    {
        if (!json_is_true(json_object_get(entry, "pass"))) {
            continue;
        }
        const json_t *least = json_object_get(json_object_get(entry, "bound"), "min");
        const json_t *most = json_object_get(json_object_get(entry, "bound"), "max");
        char *allowed = sim_screen_table_cell(&table, row, 2);
        snprintf(sim_screen_table_cell(&table, row, 0), SIM_SCREEN_CELL_SIZE, "%s",
                 json_string_value(json_object_get(entry, "path")));
        snprintf(sim_screen_table_cell(&table, row, 1), SIM_SCREEN_CELL_SIZE, "%.10g",
                 json_number_value(json_object_get(entry, "value")));
        if (least != NULL) {
            snprintf(allowed, SIM_SCREEN_CELL_SIZE, ">= %.10g", json_number_value(least));
        }
        if (most != NULL) {
            const size_t length = strlen(allowed);
            snprintf(allowed + length, SIM_SCREEN_CELL_SIZE - length, "%s<= %.10g",
                     length > 0 ? " " : "", json_number_value(most));
        }
        snprintf(sim_screen_table_cell(&table, row, 3), SIM_SCREEN_CELL_SIZE, "%s",
                 json_string_value(json_object_get(entry, "target")));
        row++;
    }
    table.row_count = row;
    if (row > 0) {
        fputc('\n', file);
        sim_screen_table_print(file, &table, screen->width);
    }
    sim_screen_table_free(&table);
}

void sim_screen_print(FILE *file, const struct sim_screen *screen, const struct sim_result *result,
                      const struct sim_world *world, enum sim_kernel_kind kind, double wall_s)
{
    const struct sim_scenario *scenario = world->scenario;
    const double simulated_s = (double)scenario->duration_ns / 1e9;
    const double per_s = wall_s > 0 ? (double)world->metrics.requests / wall_s : 0;
    char text[TEXT_SIZE];

    snprintf(
        text, sizeof text, "%s: seed %" PRIu64 ", %u process%s, %s decision%s in %s",
        scenario->name, scenario->seed, scenario->process_count,
        scenario->process_count == 1 ? "" : "es", sim_readable_count(world->metrics.requests).text,
        world->metrics.requests == 1 ? "" : "s", sim_readable_duration(scenario->duration_ns).text);
    sim_screen_wrap(file, screen->width, "", text);
    fputc('\n', file);
    print_verdict(file, screen, result, world);
    sim_screen_print_misses(file, screen, result);
    print_notes(file, screen, world);
    print_worst(file, screen, result, world);
    print_contract(file, screen, result, world);
    print_populations(file, screen, result, world);
    print_costs(file, screen, result, world);
    sim_screen_faults(file, screen, result, world);
    print_others(file, screen, result, world);
    snprintf(text, sizeof text, "%.1f s on the %s kernel: %s x real time, %s decisions/s", wall_s,
             sim_kernel_name(kind),
             sim_readable_count(wall_s > 0 ? (uint64_t)(simulated_s / wall_s + 0.5) : 0).text,
             sim_readable_count((uint64_t)per_s).text);
    sim_screen_wrap(file, screen->width, "took     ", text);
    print_met(file, screen, result);
}

void sim_screen_print_files(FILE *file, const struct sim_screen *screen, const char *folder,
                            const char *names)
{
    fprintf(file, "\nfiles    in %s:\n", folder); /* a path that is broken cannot be copied */
    sim_screen_wrap(file, screen->width, "         ", names);
}
