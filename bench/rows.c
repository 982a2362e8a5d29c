#include "rows.h"

#include <stdio.h>

#include "weir/assert.h"

#define PPM 1000000u

static bool is_uniform(const struct table_cell *cell)
{
    return cell->balance == TABLE_UNIFORM;
}

static bool is_uniform_low(const struct table_cell *cell)
{
    return is_uniform(cell) && cell->demand_ppm < 980000;
}

static bool is_uniform_middle(const struct table_cell *cell)
{
    return is_uniform(cell) && cell->demand_ppm >= 980000 && cell->demand_ppm < 10 * PPM;
}

static bool is_uniform_tenfold(const struct table_cell *cell)
{
    return is_uniform(cell) && cell->demand_ppm >= 10 * PPM;
}

static bool is_window(const struct table_cell *cell)
{
    return cell->capacity_s == 0;
}

static bool is_bucket(const struct table_cell *cell)
{
    return cell->capacity_s != 0;
}

static bool is_any(const struct table_cell *cell)
{
    (void)cell;
    return true;
}

static bool is_large(const struct table_cell *cell)
{
    return cell->limit_per_min >= 100000;
}

static bool is_small(const struct table_cell *cell)
{
    return cell->limit_per_min < 10000;
}

/* Demand just above the limit, or a bucket that holds no more than a second or so. */
static bool is_near(const struct table_cell *cell)
{
    return (cell->demand_ppm > PPM && cell->demand_ppm < 1500000) ||
           (is_bucket(cell) && cell->capacity_s < 10);
}

static bool is_large_far(const struct table_cell *cell)
{
    return is_large(cell) && !is_near(cell);
}

static bool is_large_near(const struct table_cell *cell)
{
    return is_large(cell) && is_near(cell);
}

static bool is_middle_window(const struct table_cell *cell)
{
    return !is_small(cell) && !is_large(cell) && is_window(cell);
}

static bool is_middle_bucket_above(const struct table_cell *cell)
{
    return !is_small(cell) && !is_large(cell) && is_bucket(cell) && cell->demand_ppm > PPM;
}

static bool is_middle_bucket_below(const struct table_cell *cell)
{
    return !is_small(cell) && !is_large(cell) && is_bucket(cell) && cell->demand_ppm <= PPM;
}

static const struct table_check every_cell_checks[] = {
    {TABLE_CONTRACT_UNITS, TABLE_AT_MOST, 0, NULL, NULL, 0},
    {TABLE_UNEXPLAINED_UNITS, TABLE_AT_MOST, 0, NULL, NULL, 0},
    {TABLE_MISSING_UNITS, TABLE_AT_MOST, 0, NULL, NULL, 0},
    {TABLE_UNBILLED_UNITS, TABLE_AT_MOST, 0, NULL, NULL, 0},
};

static const struct table_check large_far_checks[] = {
    {TABLE_OVER_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_UNDER_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_OVER_FIRST_PCT, TABLE_AT_MOST, 0.15, NULL, NULL, 0},
    {TABLE_UNDER_FIRST_PCT, TABLE_AT_MOST, 0.15, NULL, NULL, 0},
    {TABLE_WAITED_PCT, TABLE_BELOW, 1, NULL, NULL, 0},
    {TABLE_P99_US, TABLE_BELOW, 50, NULL, NULL, 0},
    {TABLE_REQUESTS_PER_ASK, TABLE_AT_LEAST, 15, "uniform, demand below 0.98", is_uniform_low, 0},
    {TABLE_REQUESTS_PER_ASK, TABLE_AT_LEAST, 20, "uniform, demand 0.98 or more", is_uniform_middle,
     0},
    {TABLE_REQUESTS_PER_ASK, TABLE_AT_LEAST, 100, "uniform, demand 10 or more", is_uniform_tenfold,
     0},
};

static const struct table_check large_near_checks[] = {
    {TABLE_OVER_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_UNDER_PCT, TABLE_AT_MOST, 0.3, NULL, NULL, 0},
    {TABLE_OVER_FIRST_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_UNDER_FIRST_PCT, TABLE_AT_MOST, 0.3, NULL, NULL, 0},
    {TABLE_WAITED_PCT, TABLE_AT_MOST, 5, NULL, NULL, 0},
    {TABLE_REQUESTS_PER_ASK, TABLE_AT_LEAST, 5, "uniform", is_uniform, 0},
};

static const struct table_check middle_window_checks[] = {
    {TABLE_OVER_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_UNDER_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_OVER_FIRST_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_UNDER_FIRST_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_WAITED_PCT, TABLE_AT_MOST, 10, NULL, NULL, 0},
    {TABLE_REQUESTS_PER_ASK, TABLE_AT_LEAST, 3, "uniform", is_uniform, 0},
};

/* Below the limit only the first four count: there the row is no target. */
static const struct table_check middle_bucket_checks[] = {
    {TABLE_OVER_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_UNDER_PCT, TABLE_AT_MOST, 0.2, NULL, NULL, 0},
    {TABLE_OVER_FIRST_PCT, TABLE_AT_MOST, 0.1, NULL, NULL, 0},
    {TABLE_UNDER_FIRST_PCT, TABLE_AT_MOST, 0.2, NULL, NULL, 0},
    {TABLE_REQUESTS_PER_ASK, TABLE_AT_LEAST, 25, "uniform, demand 10 or more", is_uniform_tenfold,
     0},
};

/* p99: two round trips of 500 us, each with 10 us of service, known to 1/16. */
static const struct table_check small_checks[] = {
    {TABLE_OVER_UNITS, TABLE_AT_MOST, 1, "window; or 0.1 % of the limit", is_window, 0.001},
    {TABLE_UNDER_UNITS, TABLE_AT_MOST, 1, "window; or 0.1 % of the limit", is_window, 0.001},
    {TABLE_OVER_UNITS, TABLE_AT_MOST, 2, "bucket; or 0.1 % of the limit", is_bucket, 0.001},
    {TABLE_UNDER_UNITS, TABLE_AT_MOST, 2, "bucket; or 0.1 % of the limit", is_bucket, 0.001},
    {TABLE_P99_US, TABLE_AT_MOST, 2 * 510 * (1 + 1.0 / 16),
     "2 round trips, as histograms show them", NULL, 0},
};

#define CHECKS(array) (array), sizeof(array) / sizeof((array)[0])

const struct table_row table_rows[TABLE_ROW_COUNT] = {
    {"every", "every cell", is_any, TABLE_REQUIRED, CHECKS(every_cell_checks)},
    {"large",
     "limit >= 100,000 a minute; window, or capacity >= 10 s of rate; demand <= 1 or >= 1.5",
     is_large_far, TABLE_TARGET, CHECKS(large_far_checks)},
    {"large-near",
     "limit >= 100,000 a minute; demand between 1 and 1.5, or capacity < 10 s of rate",
     is_large_near, TABLE_TARGET, CHECKS(large_near_checks)},
    {"10k-window", "limit from 10,000 to below 100,000, window", is_middle_window, TABLE_TARGET,
     CHECKS(middle_window_checks)},
    {"10k-bucket", "limit from 10,000 to below 100,000 a minute, bucket, demand above 1",
     is_middle_bucket_above, TABLE_TARGET, CHECKS(middle_bucket_checks)},
    {"10k-bucket-low",
     "limit from 10,000 to below 100,000 a minute, bucket, demand <= 1 (no target)",
     is_middle_bucket_below, TABLE_NO_TARGET, middle_bucket_checks, 4},
    {"small", "limit < 10,000", is_small, TABLE_TARGET, CHECKS(small_checks)},
};

bool table_row_binds(const struct table_row *row, enum table_subject subject)
{
    return row->promise == TABLE_REQUIRED ||
           (row->promise == TABLE_TARGET && subject == TABLE_TAPERED);
}

size_t table_row_of(const struct table_cell *cell)
{
    size_t found = TABLE_ROW_EVERY_CELL;

    for (size_t i = TABLE_ROW_EVERY_CELL + 1; i < TABLE_ROW_COUNT; i++) {
        if (table_rows[i].holds_for(cell)) {
            WEIR_ASSERT(found == TABLE_ROW_EVERY_CELL);
            found = i;
        }
    }
    WEIR_ASSERT(found != TABLE_ROW_EVERY_CELL);
    return found;
}

static double allowed(const struct table_check *check, const struct table_cell *cell)
{
    const double part = check->limit_part * (double)cell->limit_per_min;

    return part > check->bound ? part : check->bound;
}

bool table_check_applies(const struct table_check *check, const struct table_cell *cell)
{
    return check->applies == NULL || check->applies(cell);
}

bool table_check_is_met(const struct table_check *check, const struct table_cell *cell,
                        const struct table_figures *figures)
{
    const double value = figures->values[check->figure];
    const double bound = allowed(check, cell);

    switch (check->relation) {
    case TABLE_AT_MOST:
        return value <= bound;
    case TABLE_BELOW:
        return value < bound;
    case TABLE_AT_LEAST:
        return value >= bound;
    }
    return false;
}

double table_check_strain(const struct table_check *check, const struct table_cell *cell,
                          const struct table_figures *figures)
{
    const double value = figures->values[check->figure];
    const double bound = allowed(check, cell);

    if (check->relation == TABLE_AT_LEAST) {
        return value > 0 ? bound / value : 1e9; /* a cell without an ask cannot be worse */
    }
    if (bound > 0) {
        return value / bound;
    }
    return value > 0 ? 1 + value : 0;
}

double table_row_strain(const struct table_row *row, const struct table_cell *cell,
                        const struct table_figures *figures)
{
    double largest = 0;

    for (size_t i = 0; i < row->check_count; i++) {
        if (table_check_applies(&row->checks[i], cell)) {
            const double strain = table_check_strain(&row->checks[i], cell, figures);
            largest = strain > largest ? strain : largest;
        }
    }
    return largest;
}

bool table_row_is_met(const struct table_row *row, const struct table_cell *cell,
                      const struct table_figures *figures)
{
    bool is_met = true;

    for (size_t i = 0; i < row->check_count; i++) {
        is_met &= !table_check_applies(&row->checks[i], cell) ||
                  table_check_is_met(&row->checks[i], cell, figures);
    }
    return is_met;
}

void table_check_text(const struct table_check *check, char *text, size_t text_size)
{
    static const char *const relations[] = {"<=", "<", ">="};

    snprintf(text, text_size, "%s %g%s", relations[check->relation], check->bound,
             table_figure_words[check->figure].unit);
}
