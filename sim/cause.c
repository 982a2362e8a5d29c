#include "cause.h"

const char *const sim_cause_names[SIM_CAUSE_COUNT] = {
    [SIM_CAUSE_PARKED] = "parked",
    [SIM_CAUSE_UNCLAIMED] = "unclaimed",
    [SIM_CAUSE_WITHHELD] = "withheld",
    [SIM_CAUSE_RACE] = "race",
    [SIM_CAUSE_STALE_PLAN] = "stale_plan",
    [SIM_CAUSE_PLAN_CHANGE] = "plan_change",
    [SIM_CAUSE_DEAD_PROCESS] = "dead_process",
    [SIM_CAUSE_LOST_REPLY] = "lost_reply",
    [SIM_CAUSE_DEGRADED] = "degraded",
    [SIM_CAUSE_DATA_LOST] = "data_lost",
    [SIM_CAUSE_CLOCK] = "clock",
    [SIM_CAUSE_UNEXPLAINED] = "unexplained",
};

/* What a fault did comes first: an error that it can account for is not looked for elsewhere. */
static const enum sim_cause booking_order[] = {
    SIM_CAUSE_DEAD_PROCESS, SIM_CAUSE_LOST_REPLY, SIM_CAUSE_DEGRADED,    SIM_CAUSE_DATA_LOST,
    SIM_CAUSE_CLOCK,        SIM_CAUSE_PARKED,     SIM_CAUSE_UNCLAIMED,   SIM_CAUSE_WITHHELD,
    SIM_CAUSE_RACE,         SIM_CAUSE_STALE_PLAN, SIM_CAUSE_PLAN_CHANGE, SIM_CAUSE_UNEXPLAINED,
};

static uint64_t positive(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A fault after which the store's numbers before and after do not belong together. */
static enum sim_rest rest_of_kind(enum fault_kind kind, enum sim_rest otherwise)
{
    if (kind == FAULT_STORE_FAILOVER || kind == FAULT_STORE_EMPTY || kind == FAULT_STORE_EVICT ||
        kind == FAULT_STORE_SPLIT) {
        return SIM_REST_IS_DATA_LOST;
    }
    return kind == FAULT_STORE_CLOCK ? SIM_REST_IS_CLOCK : otherwise;
}

static bool is_of_process_clocks(enum fault_kind kind)
{
    return kind == FAULT_CLOCK_OFFSET || kind == FAULT_CLOCK_DRIFT || kind == FAULT_CLOCK_SQUARE ||
           kind == FAULT_CLOCK_FROZEN || kind == FAULT_CLOCK_SMEAR;
}

/* The interval, or the one before it, has a part of the fault. */
static bool touches(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                    const struct fault *fault)
{
    const uint32_t first = interval > 0 ? interval - 1 : 0;

    return fault->from_ns < sim_accuracy_interval_end_ns(accuracy, key, interval) &&
           fault->until_ns >= sim_accuracy_interval_start_ns(accuracy, key, first);
}

static enum sim_rest rest_under_faults(const struct sim_accuracy *accuracy, uint32_t key,
                                       uint32_t interval, enum sim_rest otherwise)
{
    const struct fault_list *faults = &accuracy->catalog->scenario->faults;
    const uint32_t shard = accuracy->catalog->keys[key].shard;
    enum sim_rest rest = otherwise;

    for (size_t i = 0; i < faults->count && rest == otherwise; i++) {
        const struct fault *fault = &faults->faults[i];
        if (rest_of_kind(fault->kind, otherwise) != otherwise &&
            fault_set_holds(&fault->shards, shard) && touches(accuracy, key, interval, fault)) {
            rest = rest_of_kind(fault->kind, otherwise);
        }
    }
    return rest;
}

static bool process_clocks_were_off(const struct sim_accuracy *accuracy, uint32_t key,
                                    uint32_t interval)
{
    const struct fault_list *faults = &accuracy->catalog->scenario->faults;
    bool off = false;

    for (size_t i = 0; i < faults->count; i++) {
        off |= is_of_process_clocks(faults->faults[i].kind) &&
               touches(accuracy, key, interval, &faults->faults[i]);
    }
    return off;
}

static bool store_clock_was_off(const struct sim_accuracy *accuracy, uint32_t key,
                                uint32_t interval)
{
    const struct fault_list *faults = &accuracy->catalog->scenario->faults;
    const uint32_t shard = accuracy->catalog->keys[key].shard;
    bool off = false;

    for (size_t i = 0; i < faults->count; i++) {
        off |= faults->faults[i].kind == FAULT_STORE_CLOCK &&
               fault_set_holds(&faults->faults[i].shards, shard) &&
               touches(accuracy, key, interval, &faults->faults[i]);
    }
    return off;
}

enum sim_rest sim_cause_rest(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
{
    const struct sim_plan_history *history = &accuracy->history;
    const uint64_t from_ns = sim_accuracy_interval_start_ns(accuracy, key, interval);
    const uint64_t to_ns = sim_accuracy_interval_end_ns(accuracy, key, interval);
    const uint64_t altered_ns = sim_plan_history_altered_ns(history, key);
    const uint32_t count = sim_plan_history_era_count(history, key);
    const struct sim_plan_era *last = NULL;
    bool changes = false;
    bool limited = true;

    for (uint32_t number = 0; number < count; number++) {
        const struct sim_plan_era *era = sim_plan_history_era(history, key, number);
        /* an era that ends as the interval starts left its remainders there */
        if (era->start_ns < to_ns &&
            sim_plan_history_start_ns(history, key, number + 1) >= from_ns) {
            changes |= number > 0 && era->start_ns >= from_ns;
            limited &= sim_plan_era_has_limit(era);
            last = era;
        }
    }
    if (changes || altered_ns < from_ns) {
        return limited ? SIM_REST_IS_CHANGE : SIM_REST_ALL_IS_CHANGE;
    }
    if (!limited) {
        return SIM_REST_ALL_IS_NOTHING;
    }
    const enum sim_rest rest = accuracy->keys[key].has_windows  ? SIM_REST_IS_RACE_OR_NOTHING
                               : sim_plan_era_has_windows(last) ? SIM_REST_IS_CHANGE
                                                                : SIM_REST_IS_WITHHELD;
    return rest_under_faults(accuracy, key, interval, rest);
}

/* What left the store in the interval, less what came back. */
static int64_t taken_in(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
    int64_t taken = (int64_t)cell->store_taken;

    if (interval > 0 && !entry->has_windows) {
        taken -= (int64_t)cell[-1].store_taken;
    } else if (interval == 0 && entry->has_windows) {
        /* what was used before time 0 counts in the first window */
        taken -= (int64_t)sim_plan_history_era(&accuracy->history, key, 0)->plan.limit_units -
                 (int64_t)sim_catalog_start_units(accuracy->catalog, key);
    }
    return taken;
}

static int64_t left_in_store(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
    int64_t left = (int64_t)cell->store_left - (int64_t)cell->oracle_left;

    if (interval > 0 && !entry->has_windows) {
        left -= (int64_t)cell[-1].store_left - (int64_t)cell[-1].oracle_left;
    }
    return left;
}

/* Permits that left the store as leases and were not spent: some with a process that died, some in
 * answers that got lost. Spent and not taken: in this interval by leases of the one before, which
 * of windows only a wrong clock can do. While the store's is wrong its windows are not those of the
 * interval, and what it gave for one is spent in another. */
static void split_parked(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                         int64_t parked, int64_t part[SIM_CAUSE_COUNT])
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];

    if (parked > 0) {
        part[SIM_CAUSE_DEAD_PROCESS] = smaller(parked, (int64_t)cell->lost_units[SIM_LOSS_DEAD]);
        parked -= part[SIM_CAUSE_DEAD_PROCESS];
        part[SIM_CAUSE_LOST_REPLY] = smaller(parked, (int64_t)cell->lost_units[SIM_LOSS_REPLY]);
        parked -= part[SIM_CAUSE_LOST_REPLY];
    }
    if (entry->has_windows && ((parked < 0 && process_clocks_were_off(accuracy, key, interval)) ||
                               store_clock_was_off(accuracy, key, interval))) {
        part[SIM_CAUSE_CLOCK] = parked;
        parked = 0;
    }
    part[SIM_CAUSE_PARKED] = parked;
}

/* Two parts of opposite signs that are one and the same: take what they share off both. */
static void settle(int64_t *one, int64_t *other)
{
    if ((*one < 0) != (*other < 0)) {
        const int64_t sign = *one < 0 ? -1 : 1;
        const int64_t both = smaller(sign * *one, -sign * *other);

        *one -= sign * both;
        *other += sign * both;
    }
}

static void book_rest(enum sim_rest rest, int64_t error, int64_t left,
                      int64_t part[SIM_CAUSE_COUNT])
{
    switch (rest) {
    case SIM_REST_IS_WITHHELD:
        part[SIM_CAUSE_WITHHELD] += left;
        break;
    case SIM_REST_IS_RACE_OR_NOTHING:
        part[left < 0 ? SIM_CAUSE_RACE : SIM_CAUSE_UNEXPLAINED] += left;
        break;
    case SIM_REST_IS_CHANGE:
    case SIM_REST_ALL_IS_CHANGE:
        part[SIM_CAUSE_PLAN_CHANGE] += left;
        break;
    case SIM_REST_IS_DATA_LOST:
        part[SIM_CAUSE_DATA_LOST] += left;
        break;
    case SIM_REST_IS_CLOCK:
        part[SIM_CAUSE_CLOCK] += left;
        break;
    case SIM_REST_ALL_IS_NOTHING:
        part[SIM_CAUSE_STALE_PLAN] = 0; /* nothing is debited, at whatever weight */
        part[SIM_CAUSE_UNEXPLAINED] = error;
        break;
    }
}

/* With S the oracle's and R the store's remainder at the end, and `taken` what left the store:
 *
 *     oracle = start + refill(oracle) - S   and   taken = start + refill(store) - R.
 *
 * Of what was taken, `charges` paid for what had been admitted without the store, `degraded`; the
 * rest are leases, from which what processes debited otherwise was spent. So oracle - admitted is
 *
 *       (taken - charges) - (debited - degraded)   parked, held by the dead, in lost replies
 *     + (charges - degraded)                       degraded
 *     + (R - S)                                    unclaimed
 *     + (refill(oracle) - refill(store))           withheld; where a store forgot, what it forgot
 *     + (debited - admitted)                       stale plan
 *
 * all as changes over the interval. */
void sim_cause_split(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                     int64_t error, int64_t part[SIM_CAUSE_COUNT])
{
    const struct sim_cell *cell = &accuracy->cells[accuracy->keys[key].first_cell + interval];
    const enum sim_rest rest = sim_cause_rest(accuracy, key, interval);
    const int64_t debited = (int64_t)cell->charged_units;
    const int64_t degraded = (int64_t)cell->lost_units[SIM_LOSS_DEGRADED];
    const int64_t charges = (int64_t)cell->lost_units[SIM_LOSS_CHARGED];
    int64_t left = error;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        part[i] = 0;
    }
    part[SIM_CAUSE_STALE_PLAN] = debited - (int64_t)cell->admitted_units;
    left -= part[SIM_CAUSE_STALE_PLAN];
    if (rest != SIM_REST_ALL_IS_CHANGE && rest != SIM_REST_ALL_IS_NOTHING) {
        int64_t parked = taken_in(accuracy, key, interval) - charges - (debited - degraded);
        part[SIM_CAUSE_DEGRADED] = charges - degraded;
        part[SIM_CAUSE_UNCLAIMED] = left_in_store(accuracy, key, interval);
        left -= parked + part[SIM_CAUSE_DEGRADED] + part[SIM_CAUSE_UNCLAIMED];
        /* what was admitted without the store is still there in it, until it is charged */
        settle(&part[SIM_CAUSE_DEGRADED], &part[SIM_CAUSE_UNCLAIMED]);
        if (charges > 0 && !accuracy->keys[key].has_windows) {
            /* a charge is applied as of when it was spent: refill that found the bucket full then
             * has room now. Less was taken than charged, and refilled what had not been */
            settle(&parked, &left);
        }
        split_parked(accuracy, key, interval, parked, part);
    }
    book_rest(rest, error, left, part);
}

enum sim_cause sim_cause_book(const int64_t part[SIM_CAUSE_COUNT], int sign, uint64_t units,
                              uint64_t causes[SIM_CAUSE_COUNT])
{
    enum sim_cause largest = SIM_CAUSE_UNEXPLAINED;
    uint64_t largest_units = 0;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        const enum sim_cause cause = booking_order[i];
        const uint64_t available = positive(sign * part[cause]);
        const uint64_t booked = available < units ? available : units;
        causes[cause] += booked;
        units -= booked;
        if (booked > largest_units) {
            largest_units = booked;
            largest = cause;
        }
    }
    causes[SIM_CAUSE_UNEXPLAINED] += units;
    return largest;
}
