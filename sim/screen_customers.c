#include "screen_customers.h"

#include <string.h>

#include "readable.h"
#include "screen_table.h"

#define NAME_WIDTH 12

enum during_column {
    DURING,
    DEMAND,
    ADMITTED,
    REFUSED,
    IDEAL,
    OF_IDEAL,
    UNANSWERED,
    WAITED,
    WAIT_P99,
    WAIT_MAX,
    DURING_COLUMN_COUNT,
};

static void fill_during(const struct sim_screen_table *table, size_t row, const char *name,
                        const struct sim_outage_service *service)
{
    const struct sim_latency *waits = &service->waits;
    char *cells[DURING_COLUMN_COUNT];

    for (size_t i = 0; i < DURING_COLUMN_COUNT; i++) {
        cells[i] = sim_screen_table_cell(table, row, i);
    }
    strcpy(cells[DURING], name);
    strcpy(cells[DEMAND], sim_readable_count(service->demand_units).text);
    strcpy(cells[ADMITTED], sim_readable_count(service->admitted_units).text);
    strcpy(cells[REFUSED],
           sim_readable_count(service->demand_units - service->admitted_units).text);
    strcpy(cells[IDEAL], sim_readable_count(service->ideal_units).text);
    if (service->ideal_units > 0) {
        strcpy(cells[OF_IDEAL], sim_readable_percent(100.0 * (double)service->admitted_units /
                                                     (double)service->ideal_units)
                                    .text);
    }
    strcpy(cells[UNANSWERED],
           sim_readable_count(service->requests - service->killed - waits->count).text);
    if (waits->count > 0) {
        strcpy(cells[WAITED],
               sim_readable_percent(100.0 * (double)waits->waited / (double)waits->count).text);
        strcpy(cells[WAIT_P99], sim_readable_time(sim_latency_percentile_ns(waits, 990000)).text);
        strcpy(cells[WAIT_MAX], sim_readable_time(waits->max_ns).text);
    }
}

static void print_during(FILE *file, const struct sim_screen *screen, const struct sim_world *world,
                         size_t row_count)
{
    static const struct sim_screen_column columns[DURING_COLUMN_COUNT] = {
        [DURING] = {"in outages", SIM_SCREEN_LEFT, 9},
        [DEMAND] = {"demand", SIM_SCREEN_RIGHT, 3},
        [ADMITTED] = {"admitted", SIM_SCREEN_RIGHT, 8},
        [REFUSED] = {"refused", SIM_SCREEN_RIGHT, 7},
        [IDEAL] = {"ideal", SIM_SCREEN_RIGHT, 2},
        [OF_IDEAL] = {"of ideal", SIM_SCREEN_RIGHT, 6},
        [UNANSWERED] = {"no answer", SIM_SCREEN_RIGHT, 5},
        [WAITED] = {"waited", SIM_SCREEN_RIGHT, 1},
        [WAIT_P99] = {"p99 wait", SIM_SCREEN_RIGHT, 4},
        [WAIT_MAX] = {"longest", SIM_SCREEN_RIGHT, 3},
    };
    struct sim_screen_table table;
    size_t row = 0;

    sim_screen_table_init(&table, columns, DURING_COLUMN_COUNT, row_count, NAME_WIDTH);
    for (uint32_t p = 0; p < world->scenario->population_count; p++) {
        const struct sim_outage_service *service = &world->watch.services.by_population[p];
        if (service->requests > 0) {
            fill_during(&table, row++, world->scenario->populations[p].name, service);
        }
    }
    fputc('\n', file);
    sim_screen_table_print(file, &table, screen->width);
    sim_screen_table_free(&table);
}

enum after_column {
    AFTER,
    STORE_AFTER,
    NORMAL_AFTER,
    BILLED,
    NOT_BILLED,
    FLAGGED_UNITS,
    FLAGGED_WINDOWS,
    AFTER_COLUMN_COUNT,
};

static void fill_recovery(char *cell, const struct sim_liveness *liveness, uint32_t population)
{
    const struct sim_settling *part = &liveness->by_population[population];

    if (liveness->recovery == SIM_RECOVERY_NOT_ASKED) {
        strcpy(cell, "-");
    } else if (part->unhealthy_intervals != 0) {
        strcpy(cell, "never");
    } else if (part->checked_intervals == 0) {
        strcpy(cell, "not seen");
    } else if (part->recovered_ns == liveness->last_end_ns) {
        strcpy(cell, "at once");
    } else {
        strcpy(cell, sim_readable_time(part->recovered_ns - liveness->last_end_ns).text);
    }
}

static void fill_after(const struct sim_screen_table *table, size_t row, uint32_t population,
                       const struct sim_liveness *liveness, const struct sim_world *world,
                       uint64_t spent_units)
{
    const struct sim_outage_service *service = &world->watch.services.by_population[population];
    const struct sim_bill *bill = &world->watch.billing.by_population[population];
    char *cells[AFTER_COLUMN_COUNT];

    for (size_t i = 0; i < AFTER_COLUMN_COUNT; i++) {
        cells[i] = sim_screen_table_cell(table, row, i);
    }
    strcpy(cells[AFTER], world->scenario->populations[population].name);
    strcpy(cells[STORE_AFTER], sim_readable_time(service->alone_after_ns).text);
    fill_recovery(cells[NORMAL_AFTER], liveness, population);
    if (world->scenario->coordination != SIM_COORDINATION_LEASE) {
        return; /* nothing is reported */
    }
    strcpy(cells[BILLED], sim_readable_count(bill->reported_units).text);
    strcpy(cells[NOT_BILLED], sim_readable_count(spent_units > bill->reported_units
                                                     ? spent_units - bill->reported_units
                                                     : bill->reported_units - spent_units)
                                  .text);
    strcpy(cells[FLAGGED_UNITS], sim_readable_count(bill->flagged_units).text);
    strcpy(cells[FLAGGED_WINDOWS], sim_readable_count(bill->flagged_windows).text);
}

static void print_after(FILE *file, const struct sim_screen *screen,
                        const struct sim_result *result, const struct sim_world *world,
                        size_t row_count)
{
    static const struct sim_screen_column columns[AFTER_COLUMN_COUNT] = {
        [AFTER] = {"afterwards", SIM_SCREEN_LEFT, 9},
        [STORE_AFTER] = {"store after", SIM_SCREEN_RIGHT, 3},
        [NORMAL_AFTER] = {"normal after", SIM_SCREEN_RIGHT, 8},
        [BILLED] = {"billed", SIM_SCREEN_RIGHT, 6},
        [NOT_BILLED] = {"not billed", SIM_SCREEN_RIGHT, 7},
        [FLAGGED_UNITS] = {"flagged", SIM_SCREEN_RIGHT, 5},
        [FLAGGED_WINDOWS] = {"windows", SIM_SCREEN_RIGHT, 4},
    };
    struct sim_screen_table table;
    size_t row = 0;

    sim_screen_table_init(&table, columns, AFTER_COLUMN_COUNT, row_count, NAME_WIDTH);
    for (uint32_t p = 0; p < world->scenario->population_count; p++) {
        if (world->watch.services.by_population[p].requests > 0) {
            fill_after(&table, row++, p, &result->aftermath.liveness, world,
                       result->by_population[p].charged_units);
        }
    }
    fputc('\n', file);
    sim_screen_table_print(file, &table, screen->width);
    sim_screen_table_free(&table);
}

void sim_screen_customers(FILE *file, const struct sim_screen *screen,
                          const struct sim_result *result, const struct sim_world *world)
{
    size_t row_count = 0;

    for (uint32_t p = 0; p < world->scenario->population_count; p++) {
        row_count += world->watch.services.by_population[p].requests > 0;
    }
    if (row_count > 0) {
        print_during(file, screen, world, row_count);
        print_after(file, screen, result, world, row_count);
        fputc('\n', file);
    }
}
