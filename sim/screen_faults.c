#include "screen_faults.h"

#include <inttypes.h>
#include <string.h>

#include "readable.h"
#include "screen_table.h"

#define TEXT_SIZE 512

enum column {
    FAULT,
    KIND,
    FROM,
    UNTIL,
    FIRED,
    CHANGED,
    COLUMN_COUNT,
};

static void print_table(FILE *file, const struct sim_screen *screen,
                        const struct sim_aftermath *aftermath, const struct sim_world *world)
{
    static const struct sim_screen_column columns[COLUMN_COUNT] = {
        [FAULT] = {"fault", SIM_SCREEN_LEFT, 9},  [KIND] = {"kind", SIM_SCREEN_LEFT, 3},
        [FROM] = {"from", SIM_SCREEN_RIGHT, 5},   [UNTIL] = {"until", SIM_SCREEN_RIGHT, 4},
        [FIRED] = {"times", SIM_SCREEN_RIGHT, 7}, [CHANGED] = {"changed", SIM_SCREEN_RIGHT, 8},
    };
    const uint64_t duration_ns = world->scenario->duration_ns;
    struct sim_screen_table table;

    sim_screen_table_init(&table, columns, COLUMN_COUNT, aftermath->fault_count, 12);
    for (size_t i = 0; i < aftermath->fault_count; i++) {
        const struct fault *fault = &world->scenario->faults.faults[i];
        const struct sim_fault_outcome *outcome = &aftermath->faults[i];
        strcpy(sim_screen_table_cell(&table, i, FAULT), fault->id);
        strcpy(sim_screen_table_cell(&table, i, KIND), fault_kind_names[fault->kind]);
        strcpy(sim_screen_table_cell(&table, i, FROM), sim_readable_duration(fault->from_ns).text);
        strcpy(sim_screen_table_cell(&table, i, UNTIL),
               fault->until_ns >= duration_ns ? "the end"
                                              : sim_readable_duration(fault->until_ns).text);
        strcpy(sim_screen_table_cell(&table, i, FIRED),
               sim_readable_count(outcome->fired_count).text);
        strcpy(sim_screen_table_cell(&table, i, CHANGED),
               aftermath->is_compared ? sim_readable_count(outcome->changed_count).text : "-");
    }
    fputc('\n', file);
    sim_screen_table_print(file, &table, screen->width);
    sim_screen_table_free(&table);
    fputc('\n', file);
}

static void print_degraded(FILE *file, const struct sim_screen *screen,
                           const struct sim_world *world)
{
    const struct sim_degradation *degradation = &world->watch.degradation;
    const uint64_t count = degradation->admitted + degradation->denied;
    char text[TEXT_SIZE];

    if (count == 0) {
        return;
    }
    const double part = 100.0 * (double)count / (double)world->metrics.requests;
    snprintf(text, sizeof text,
             "%s decisions (%s) without the store, by up to %u process%s at a time\n"
             "%s of them admitted, %s",
             sim_readable_count(count).text, sim_readable_percent(part).text,
             sim_degradation_processes_max(degradation),
             sim_degradation_processes_max(degradation) == 1 ? "" : "es",
             sim_readable_count(degradation->admitted).text,
             sim_readable_units(degradation->units).text);
    sim_screen_wrap(file, screen->width, "degraded ", text);
}

static void print_outage(FILE *file, const struct sim_screen *screen,
                         const struct sim_outage_figures *figures)
{
    char text[TEXT_SIZE];

    if (figures->bound_used_pct >= 0) {
        snprintf(text, sizeof text,
                 "%.2f %% over and %.2f %% under what accrued, at most\n"
                 "a static split by shares would be %.2f %% under",
                 figures->over_of_accrued_pct, figures->under_of_accrued_pct,
                 figures->floor_split_pct);
        sim_screen_wrap(file, screen->width, "outage   ", text);
    }
    if (figures->cut_share_min_pct >= 0) {
        snprintf(text, sizeof text, "who was cut off admitted %.1f to %.1f %% of their share",
                 figures->cut_share_min_pct, figures->cut_share_max_pct);
        sim_screen_wrap(file, screen->width, "cut      ", text);
    }
}

enum customer_column {
    CUSTOMER,
    DEMAND,
    ADMITTED,
    REFUSED,
    IDEAL,
    OF_IDEAL,
    UNANSWERED,
    WAITED,
    WAIT_P99,
    WAIT_MAX,
    CUSTOMER_COLUMN_COUNT,
};

static void fill_customer(const struct sim_screen_table *table, size_t row, const char *name,
                          const struct sim_outage_service *service)
{
    const struct sim_latency *waits = &service->waits;
    char *cells[CUSTOMER_COLUMN_COUNT];

    for (size_t i = 0; i < CUSTOMER_COLUMN_COUNT; i++) {
        cells[i] = sim_screen_table_cell(table, row, i);
    }
    strcpy(cells[CUSTOMER], name);
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

/* How each population that asked for anything was served during outages. */
static void print_customers(FILE *file, const struct sim_screen *screen,
                            const struct sim_world *world)
{
    static const struct sim_screen_column columns[CUSTOMER_COLUMN_COUNT] = {
        [CUSTOMER] = {"during outages", SIM_SCREEN_LEFT, 9},
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
    const struct sim_scenario *scenario = world->scenario;
    struct sim_screen_table table;
    size_t row = 0;

    sim_screen_table_init(&table, columns, CUSTOMER_COLUMN_COUNT, scenario->population_count, 12);
    for (uint32_t p = 0; p < scenario->population_count; p++) {
        const struct sim_outage_service *service = &world->watch.services.by_population[p];
        if (service->requests > 0) {
            fill_customer(&table, row++, scenario->populations[p].name, service);
        }
    }
    table.row_count = row;
    if (row > 0) {
        fputc('\n', file);
        sim_screen_table_print(file, &table, screen->width);
        fputc('\n', file);
    }
    sim_screen_table_free(&table);
}

/* One that is still there when the run ends, or NULL. */
static const struct fault *lasting_fault(const struct sim_world *world)
{
    const struct fault_list *list = &world->scenario->faults;

    for (size_t i = 0; i < list->count; i++) {
        if (list->faults[i].until_ns >= world->scenario->duration_ns) {
            return &list->faults[i];
        }
    }
    return NULL;
}

/* The first thing that is wrong, or when all was well. */
static void print_recovery(FILE *file, const struct sim_screen *screen,
                           const struct sim_liveness *liveness, const struct sim_world *world)
{
    char name[SIM_NAME_SIZE + 16];
    char text[TEXT_SIZE];

    if (liveness->recovery == SIM_RECOVERY_NOT_ASKED) {
        const struct fault *lasting = lasting_fault(world);
        if (lasting != NULL) {
            snprintf(text, sizeof text, "not asked for: %s lasts to the end of the run",
                     lasting->id);
            sim_screen_wrap(file, screen->width, "recovery ", text);
        }
        return;
    }
    if (liveness->unhealthy_intervals != 0) {
        sim_catalog_name(&world->catalog, liveness->worst_key, name, sizeof name);
        snprintf(text, sizeof text,
                 "none: %s of %s intervals are worse than without faults, the first of %s",
                 sim_readable_count(liveness->unhealthy_intervals).text,
                 sim_readable_count(liveness->checked_intervals).text, name);
    } else if (!liveness->breakers_closed) {
        snprintf(text, sizeof text, "none: %u breaker%s open at the end", liveness->open_breakers,
                 liveness->open_breakers == 1 ? " is" : "s are");
    } else if (liveness->held_units != 0 || !world->drained) {
        snprintf(text, sizeof text, "none: %s still held after the end",
                 sim_readable_units(liveness->held_units).text);
    } else if (!liveness->ledger_balances) {
        snprintf(text, sizeof text, "none: the ledger does not balance");
    } else if (liveness->recovery == SIM_RECOVERY_UNKNOWN) {
        snprintf(text, sizeof text,
                 "not seen: the run ends too early after the last fault; no interval begins after "
                 "%s, when all has to be well again",
                 sim_readable_duration(liveness->settled_ns).text);
    } else if (liveness->recovered_ns == liveness->last_end_ns) {
        snprintf(text, sizeof text, "at once; %s interval%s checked",
                 sim_readable_count(liveness->checked_intervals).text,
                 liveness->checked_intervals == 1 ? "" : "s");
    } else {
        snprintf(text, sizeof text, "%s after the last fault; %s interval%s checked",
                 sim_readable_time(liveness->recovered_ns - liveness->last_end_ns).text,
                 sim_readable_count(liveness->checked_intervals).text,
                 liveness->checked_intervals == 1 ? "" : "s");
    }
    sim_screen_wrap(file, screen->width, "recovery ", text);
}

void sim_screen_faults(FILE *file, const struct sim_screen *screen, const struct sim_result *result,
                       const struct sim_world *world)
{
    if (result->aftermath.fault_count != 0) {
        print_table(file, screen, &result->aftermath, world);
    }
    print_degraded(file, screen, world);
    print_outage(file, screen, &result->aftermath.outages);
    print_customers(file, screen, world);
    print_recovery(file, screen, &result->aftermath.liveness, world);
}
