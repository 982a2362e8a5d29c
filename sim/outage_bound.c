#include "outage_bound.h"

#include <stdlib.h>

#include "judgement.h"
#include "memory.h"

#define PAIRS_MAX (UINT64_C(8) << 20) /* keys x processes kept at most */

/* Cut off from the shards of the fault all the time? */
static bool cuts(const struct fault *fault, uint32_t process)
{
    if (fault->period_ns != 0 && fault->on_ppm != 0 && fault->on_ppm != 1000000) {
        return false; /* it comes and goes */
    }
    if (fault->kind == FAULT_STORE_CONNECTIONS) {
        return process >= fault->limit;
    }
    if (fault->kind == FAULT_PARTITION || fault->kind == FAULT_REGION_CUT) {
        return fault_set_holds(&fault->processes, process);
    }
    return fault->kind == FAULT_STORE_OUTAGE || fault->kind == FAULT_STORE_EMPTY;
}

static uint32_t cut_count(const struct fault *fault, uint32_t process_count)
{
    uint32_t count = 0;

    for (uint32_t process = 0; process < process_count; process++) {
        count += cuts(fault, process);
    }
    return count;
}

static void add_outage(struct sim_outages *outages, uint32_t number)
{
    const struct sim_catalog *catalog = outages->history->catalog;
    const struct sim_scenario *scenario = catalog->scenario;
    const struct fault *fault = &scenario->faults.faults[number];
    const uint32_t count = cut_count(fault, scenario->process_count);
    const uint64_t pairs = (uint64_t)catalog->key_count * scenario->process_count;
    struct sim_outage *outage = &outages->list[outages->count];

    if (count == 0 || fault->from_ns >= scenario->duration_ns) {
        return;
    }
    outages->count++;
    *outage = (struct sim_outage){
        .fault = number,
        .down_ns = fault->from_ns,
        .up_ns = fault->until_ns < scenario->duration_ns ? fault->until_ns : scenario->duration_ns,
        .cuts_all = count == scenario->process_count,
        .keys = sim_memory_new(catalog->key_count, sizeof *outage->keys),
    };
    if (pairs <= PAIRS_MAX) {
        outage->before_units = sim_memory_new((size_t)pairs, sizeof(uint64_t));
        outage->during_units = sim_memory_new((size_t)pairs, sizeof(uint64_t));
    }
}

void sim_outages_init(struct sim_outages *outages, const struct sim_plan_history *history)
{
    const struct fault_list *faults = &history->catalog->scenario->faults;

    *outages = (struct sim_outages){.history = history};
    outages->list = sim_memory_new(faults->count, sizeof *outages->list);
    for (uint32_t i = 0; i < faults->count; i++) {
        add_outage(outages, i);
    }
}

void sim_outages_deinit(struct sim_outages *outages)
{
    for (size_t i = 0; i < outages->count; i++) {
        free(outages->list[i].keys);
        free(outages->list[i].before_units);
        free(outages->list[i].during_units);
    }
    free(outages->list);
    *outages = (struct sim_outages){0};
}

static const struct fault *fault_of(const struct sim_outages *outages,
                                    const struct sim_outage *outage)
{
    return &outages->history->catalog->scenario->faults.faults[outage->fault];
}

static bool concerns(const struct sim_outages *outages, const struct sim_outage *outage,
                     uint32_t key)
{
    return fault_set_holds(&fault_of(outages, outage)->shards,
                           outages->history->catalog->keys[key].shard);
}

static bool is_during(const struct sim_outage *outage, uint64_t time_ns)
{
    return time_ns >= outage->down_ns && time_ns < outage->up_ns;
}

bool sim_outages_holds(const struct sim_outages *outages, const struct sim_outage *outage,
                       uint32_t key, uint64_t time_ns)
{
    return is_during(outage, time_ns) && concerns(outages, outage, key);
}

void sim_outages_arrival(struct sim_outages *outages, const struct sim_arrival *arrival,
                         bool is_due)
{
    const struct sim_catalog *catalog = outages->history->catalog;
    const size_t pair = (size_t)arrival->key * catalog->scenario->process_count + arrival->process;

    for (size_t i = 0; i < outages->count; i++) {
        struct sim_outage *outage = &outages->list[i];
        struct sim_outage_key *entry = &outage->keys[arrival->key];
        if (arrival->time_ns < outage->down_ns) {
            if (outage->before_units != NULL &&
                arrival->time_ns + SIM_OUTAGE_SHARES_NS >= outage->down_ns) {
                outage->before_units[pair] += arrival->cost_units;
            }
            continue;
        }
        if (!sim_outages_holds(outages, outage, arrival->key, arrival->time_ns)) {
            continue;
        }
        entry->demand_units += arrival->cost_units;
        entry->ideal_units += is_due ? arrival->cost_units : 0;
        if (arrival->cost_units > entry->largest_units) {
            entry->largest_units = arrival->cost_units;
        }
        if (cuts(fault_of(outages, outage), arrival->process)) {
            entry->cut_demand_units += arrival->cost_units;
        }
        if (outage->during_units != NULL) {
            outage->during_units[pair] += arrival->cost_units;
        }
    }
}

void sim_outages_admitted(struct sim_outages *outages, uint32_t process, uint32_t key,
                          uint64_t arrived_ns, uint64_t decided_ns, uint32_t cost_units)
{
    for (size_t i = 0; i < outages->count; i++) {
        struct sim_outage *outage = &outages->list[i];
        struct sim_outage_key *entry = &outage->keys[key];
        if (!concerns(outages, outage, key)) {
            continue;
        }
        if (is_during(outage, arrived_ns)) {
            entry->admitted_units += cost_units;
            if (cuts(fault_of(outages, outage), process)) {
                entry->cut_admitted_units += cost_units;
            }
        }
        if (decided_ns >= outage->down_ns && decided_ns < outage->up_ns + SIM_OUTAGE_GRACE_NS) {
            entry->decided_units += cost_units;
        }
    }
}

static void sample(const struct sim_outages *outages, struct sim_outage *outage,
                   const struct sim_store *store, uint32_t key)
{
    struct sim_outage_key *entry = &outage->keys[key];
    struct sim_store_level level;

    if (!entry->is_sampled) {
        sim_store_peek(store, key, sim_plan_history_plan(outages->history, key, outage->down_ns),
                       outage->down_ns, &level);
        entry->left_units = level.left_units;
        entry->out_units = level.out_units;
        entry->is_sampled = true;
    }
}

void sim_outages_before_serving(struct sim_outages *outages, const struct sim_store *store,
                                uint32_t key, uint64_t done_ns)
{
    for (size_t i = 0; i < outages->count; i++) {
        if (done_ns >= outages->list[i].down_ns) {
            sample(outages, &outages->list[i], store, key);
        }
    }
}

void sim_outages_advance(struct sim_outages *outages, const struct sim_store *store,
                         uint64_t now_ns)
{
    for (size_t i = 0; i < outages->count; i++) {
        struct sim_outage *outage = &outages->list[i];
        if (outage->is_sampled || now_ns < outage->down_ns) {
            continue;
        }
        for (uint32_t key = 0; key < outages->history->catalog->key_count; key++) {
            sample(outages, outage, store, key);
        }
        outage->is_sampled = true;
    }
}

static uint64_t windows_begun(uint64_t phase_ns, uint64_t window_ns, uint64_t from_ns,
                              uint64_t to_ns)
{
    return (to_ns + phase_ns) / window_ns - (from_ns + phase_ns) / window_ns;
}

/* What the plan's rate yields, whether or not there is room for it. */
static double accrued_units(const struct weir_plan *plan, uint64_t span_ns)
{
    const double period_ns = weir_plan_has_windows(plan) ? (double)plan->window_us * 1000
                                                         : 60e9; /* limit_units is per */

    return (double)plan->limit_units * (double)span_ns / period_ns;
}

/* The most that can come on top of what was there at the beginning. */
static double refill_units(const struct sim_outages *outages, const struct weir_plan *plan,
                           uint32_t key, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t window_ns = plan->window_us * 1000;
    const uint64_t phase_ns = sim_catalog_phase_ns(outages->history->catalog, key, plan->window_us);
    const double limit = (double)plan->limit_units;
    const double rolled = limit * (double)windows_begun(phase_ns, window_ns, from_ns, to_ns);
    const double accrued = accrued_units(plan, to_ns - from_ns);

    if (plan->algorithm == WEIR_ALGORITHM_WINDOW) {
        return rolled;
    }
    if (plan->algorithm == WEIR_ALGORITHM_SLIDING) { /* the window before weighs less and less */
        return rolled + accrued;
    }
    if (plan->algorithm == WEIR_ALGORITHM_LOG) { /* each window forgets at most all it held */
        return limit * (double)((to_ns - from_ns + window_ns - 1) / window_ns);
    }
    return accrued;
}

/* The shares of the processes before the outage, had they been given what the exact limiter
 * admitted during it: what they had no demand for. No static split by those shares does better. */
static double floor_units(const struct sim_outages *outages, const struct sim_outage *outage,
                          uint32_t key)
{
    const uint32_t process_count = outages->history->catalog->scenario->process_count;
    const size_t row = (size_t)key * process_count;
    double all = 0;
    double units = 0;

    if (outage->before_units == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < process_count; i++) {
        all += (double)outage->before_units[row + i];
    }
    for (uint32_t i = 0; i < process_count && all > 0; i++) {
        const double given =
            (double)outage->keys[key].ideal_units * (double)outage->before_units[row + i] / all;
        const double wanted = (double)outage->during_units[row + i];
        units += given > wanted ? given - wanted : 0;
    }
    return units;
}

static void raise(double *most, double value)
{
    *most = value > *most ? value : *most;
}

static void lower(double *least, double value)
{
    *least = *least < 0 || value < *least ? value : *least;
}

static void figure_of_all(const struct sim_outages *outages, const struct sim_outage *outage,
                          uint32_t key, const struct weir_plan *plan,
                          struct sim_outage_figures *figures)
{
    const struct sim_outage_key *entry = &outage->keys[key];
    const uint64_t end_ns = outage->up_ns + SIM_OUTAGE_GRACE_NS;
    const uint64_t window_ns = plan->window_us * 1000;
    const uint64_t windows = (end_ns - outage->down_ns + window_ns - 1) / window_ns + 1;
    const double floors = (double)outages->history->catalog->scenario->process_count *
                          (double)entry->largest_units * (double)windows;
    const double there = (double)entry->left_units + (double)entry->out_units +
                         refill_units(outages, plan, key, outage->down_ns, end_ns);
    const double bound = there + floors + (double)plan->limit_units / 100;
    const double decided = (double)entry->decided_units;
    const double accrued = accrued_units(plan, outage->up_ns - outage->down_ns);
    const double under = (double)entry->ideal_units - (double)entry->admitted_units;
    const double floor = floor_units(outages, outage, key);

    raise(&figures->over_units, decided > bound ? decided - bound : 0);
    if (plan->limit_units < SIM_PERCENT_LIMIT_MIN || accrued <= 0) {
        return;
    }
    raise(&figures->bound_used_pct, 100 * decided / bound);
    raise(&figures->over_of_accrued_pct,
          decided > there + floors ? 100 * (decided - there - floors) / accrued : 0);
    raise(&figures->under_of_accrued_pct, under > 0 ? 100 * under / accrued : 0);
    raise(&figures->under_above_floor_pct, under > floor ? 100 * (under - floor) / accrued : 0);
    raise(&figures->floor_split_pct, 100 * floor / accrued);
    if (entry->ideal_units > 0) {
        const double part = 100 * (double)entry->admitted_units / (double)entry->ideal_units;
        raise(&figures->admitted_of_ideal_max_pct, part);
        lower(&figures->admitted_of_ideal_min_pct, part);
    }
}

/* Their part of the demand, of what the exact limiter admitted. */
static void figure_of_cut(const struct sim_outage_key *entry, const struct weir_plan *plan,
                          struct sim_outage_figures *figures)
{
    const double share = (double)entry->ideal_units * (double)entry->cut_demand_units /
                         (double)(entry->demand_units > 0 ? entry->demand_units : 1);

    if (plan->limit_units >= SIM_PERCENT_LIMIT_MIN && share > 0) {
        const double part = 100 * (double)entry->cut_admitted_units / share;
        raise(&figures->cut_share_max_pct, part);
        lower(&figures->cut_share_min_pct, part);
    }
}

void sim_outages_figures(const struct sim_outages *outages, uint32_t population,
                         struct sim_outage_figures *figures)
{
    const struct sim_catalog *catalog = outages->history->catalog;

    *figures = (struct sim_outage_figures){
        .bound_used_pct = -1,
        .over_units = -1,
        .over_of_accrued_pct = -1,
        .admitted_of_ideal_min_pct = -1,
        .admitted_of_ideal_max_pct = -1,
        .under_of_accrued_pct = -1,
        .floor_split_pct = -1,
        .under_above_floor_pct = -1,
        .cut_share_min_pct = -1,
        .cut_share_max_pct = -1,
    };
    for (size_t i = 0; i < outages->count; i++) {
        const struct sim_outage *outage = &outages->list[i];
        figures->outage_count += outage->cuts_all;
        figures->cut_count += !outage->cuts_all;
        for (uint32_t key = 0; key < catalog->key_count; key++) {
            const struct weir_plan *plan =
                sim_plan_history_plan(outages->history, key, outage->down_ns + 1);
            if ((population != SIM_EVERY_POPULATION &&
                 catalog->keys[key].population != population) ||
                !concerns(outages, outage, key) || outage->keys[key].demand_units == 0 ||
                plan->algorithm == WEIR_ALGORITHM_UNLIMITED) {
                continue;
            }
            if (outage->cuts_all) {
                figure_of_all(outages, outage, key, plan, figures);
            } else {
                figure_of_cut(&outage->keys[key], plan, figures);
            }
        }
    }
}
