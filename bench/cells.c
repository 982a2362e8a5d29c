#include "cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

#define PPM 1000000u
#define DURATION_MIN_S 240u
#define DURATION_MAX_S 1500u
#define SATURATED_S 180u /* three intervals after the first denial */
#define FLIP_AFTER_HALF_S 10u
#define STORE_ASKS_PER_S 100000 /* what its shard serves */
#define SINGLE_SEED_LIMIT 1000000u

const char *const table_subject_names[TABLE_SUBJECT_COUNT] = {"tapered", "fixed", "rate",
                                                              "doubling", "as_written"};
const char *const table_balance_names[TABLE_BALANCE_COUNT] = {"uniform", "zipf", "3of50", "flip"};

static const uint32_t capacities_s[] = {0, 1, 10, 60};
static const uint32_t fills_pct[] = {100, 10};

#define CAPACITY_COUNT (sizeof capacities_s / sizeof capacities_s[0])
#define FILL_COUNT (sizeof fills_pct / sizeof fills_pct[0])

void table_grid_init(struct table_grid *grid)
{
    *grid = (struct table_grid){
        .subject = TABLE_TAPERED,
        .limits_per_min = {100, 1000, 10000, 100000, 1000000},
        .limit_count = 5,
        .demands_ppm = {500000, 980000, 1000000, 1050000, 1500000, 10000000},
        .demand_count = 6,
        .balances = {true, true, true, true},
    };
}

static uint32_t seed_count_of(const struct table_grid *grid, uint64_t limit_per_min)
{
    if (grid->seed_count != 0) {
        return grid->seed_count;
    }
    return limit_per_min >= SINGLE_SEED_LIMIT ? 1 : 3;
}

bool table_cell_is_meaningful(const struct table_cell *cell, enum table_subject subject)
{
    const double per_s = table_cell_requests(cell) / table_cell_duration_s(cell);

    return subject != TABLE_AS_WRITTEN || (cell->capacity_s == 0 && per_s < STORE_ASKS_PER_S);
}

/* Add the cells of one limit, demand and balance. Returns the new count. */
static size_t add_cells(const struct table_grid *grid, struct table_cell cell,
                        struct table_cell *cells, size_t count)
{
    for (size_t capacity = 0; capacity < CAPACITY_COUNT; capacity++) {
        for (size_t fill = 0; fill < FILL_COUNT; fill++) {
            for (uint32_t seed = 1; seed <= seed_count_of(grid, cell.limit_per_min); seed++) {
                cell.capacity_s = capacities_s[capacity];
                cell.start_fill_pct = fills_pct[fill];
                cell.seed = seed;
                if (table_cell_is_meaningful(&cell, grid->subject)) {
                    cells[count++] = cell;
                }
            }
        }
    }
    return count;
}

struct table_cell *table_cells_new(const struct table_grid *grid, size_t *cell_count)
{
    size_t most = 0;

    for (size_t i = 0; i < grid->limit_count; i++) {
        most += grid->demand_count * TABLE_BALANCE_COUNT * CAPACITY_COUNT * FILL_COUNT *
                seed_count_of(grid, grid->limits_per_min[i]);
    }
    struct table_cell *cells = sim_memory_new(most, sizeof *cells);
    *cell_count = 0;
    for (size_t limit = 0; limit < grid->limit_count; limit++) {
        for (size_t demand = 0; demand < grid->demand_count; demand++) {
            for (int balance = 0; balance < TABLE_BALANCE_COUNT; balance++) {
                const struct table_cell cell = {
                    .limit_per_min = grid->limits_per_min[limit],
                    .demand_ppm = grid->demands_ppm[demand],
                    .balance = (enum table_balance)balance,
                };
                if (grid->balances[balance]) {
                    *cell_count = add_cells(grid, cell, cells, *cell_count);
                }
            }
        }
    }
    return cells;
}

/* When a bucket has run empty, had the traffic no noise; windows fill in their first minute. */
static uint64_t empty_s(const struct table_cell *cell)
{
    const uint64_t excess_ppm = cell->demand_ppm - PPM;
    const uint64_t start_ppm_s = (uint64_t)cell->capacity_s * cell->start_fill_pct * (PPM / 100);

    return (start_ppm_s + excess_ppm - 1) / excess_ppm;
}

uint32_t table_cell_duration_s(const struct table_cell *cell)
{
    if (cell->demand_ppm <= PPM || cell->capacity_s == 0) {
        return DURATION_MIN_S;
    }
    const uint64_t wanted_s = (empty_s(cell) + SATURATED_S + 59) / 60 * 60;
    if (wanted_s > DURATION_MAX_S) {
        return DURATION_MAX_S;
    }
    return wanted_s < DURATION_MIN_S ? DURATION_MIN_S : (uint32_t)wanted_s;
}

double table_cell_requests(const struct table_cell *cell)
{
    return (double)cell->limit_per_min * cell->demand_ppm / PPM * table_cell_duration_s(cell) / 60;
}

void table_cell_plan_name(const struct table_cell *cell, char *name, size_t name_size)
{
    if (cell->capacity_s == 0) {
        snprintf(name, name_size, "window");
    } else {
        snprintf(name, name_size, "bucket-%" PRIu32 "s", cell->capacity_s);
    }
}

void table_cell_name(const struct table_cell *cell, char *name, size_t name_size)
{
    char plan[32];

    table_cell_plan_name(cell, plan, sizeof plan);
    snprintf(name, name_size, "%" PRIu64 "/min x%g %s %s fill-%" PRIu32 " seed-%" PRIu32,
             cell->limit_per_min, (double)cell->demand_ppm / PPM,
             table_balance_names[cell->balance], plan, cell->start_fill_pct, cell->seed);
}

static void balance_text(const struct table_cell *cell, char *text, size_t text_size)
{
    const char *const zipf = "{\"kind\":\"zipf\",\"exponent\":1.1";

    switch (cell->balance) {
    case TABLE_UNIFORM:
    case TABLE_BALANCE_COUNT:
        snprintf(text, text_size, "fleet.balance={\"kind\":\"uniform\"}");
        break;
    case TABLE_ZIPF:
        snprintf(text, text_size, "fleet.balance=%s}", zipf);
        break;
    case TABLE_STICKY:
        snprintf(text, text_size, "fleet.balance={\"kind\":\"sticky\",\"processes\":3}");
        break;
    case TABLE_FLIP:
        snprintf(text, text_size,
                 "fleet.balance={\"kind\":\"flip\",\"at_s\":%" PRIu32 ",\"before\":%s},"
                 "\"after\":%s,\"first_process\":25}}",
                 table_cell_duration_s(cell) / 2 + FLIP_AFTER_HALF_S, zipf, zipf);
        break;
    }
}

static void plan_text(const struct table_cell *cell, char *text, size_t text_size)
{
    char algorithm[64] = "\"algorithm\":\"window\"";

    if (cell->capacity_s != 0) {
        snprintf(algorithm, sizeof algorithm, "\"algorithm\":\"bucket\",\"capacity_s\":%" PRIu32,
                 cell->capacity_s);
    }
    snprintf(text, text_size,
             "plans.plan={%s,\"rate_per_min\":%" PRIu64 ",\"start_fill_pct\":%" PRIu32 "}",
             algorithm, cell->limit_per_min, cell->start_fill_pct);
}

void table_cell_sets(const struct table_cell *cell, enum table_subject subject,
                     struct table_sets *sets)
{
    static const char *const limiters[TABLE_SUBJECT_COUNT] = {
        NULL, "limiter={\"sizer\":\"fixed\"}", "limiter={\"sizer\":\"rate\"}",
        "limiter={\"sizer\":\"doubling\"}", "limiter={\"coordination\":\"as_written\"}"};
    const size_t size = sizeof sets->texts[0];

    *sets = (struct table_sets){0};
    plan_text(cell, sets->texts[sets->count++], size);
    snprintf(sets->texts[sets->count++], size, "traffic.demand_ratio=%" PRIu32 ".%06" PRIu32,
             cell->demand_ppm / PPM, cell->demand_ppm % PPM);
    balance_text(cell, sets->texts[sets->count++], size);
    snprintf(sets->texts[sets->count++], size, "duration_s=%" PRIu32, table_cell_duration_s(cell));
    snprintf(sets->texts[sets->count++], size, "seed=%" PRIu32, cell->seed);
    if (limiters[subject] != NULL) {
        snprintf(sets->texts[sets->count++], size, "%s", limiters[subject]);
    }
    for (size_t i = 0; i < sets->count; i++) {
        sets->pointers[i] = sets->texts[i];
    }
}
