#include "judgement.h"

#include <stdlib.h>

#include "lateness.h"
#include "memory.h"

#define NS_PER_S UINT64_C(1000000000)
#define SLIDING_S 60

const char *const sim_cause_names[SIM_CAUSE_COUNT] = {
    "parked", "unclaimed", "withheld", "race", "stale_plan", "plan_change", "unexplained"};

struct pair {
    double percent;
    double weight;
};

static uint64_t positive(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What becomes of the part of an error that conservation does not attribute. */
enum rest {
    REST_IS_WITHHELD = 0,    /* a bucket: the difference in refill */
    REST_IS_RACE_OR_NOTHING, /* its own windows have no refill: the store gave more than it had */
    REST_IS_CHANGE,          /* the plan changed, or its windows end within the interval */
    ALL_IS_CHANGE,           /* and for a part there was no limit: nothing conserves */
    ALL_IS_NOTHING,          /* there is no limit at all: there can be no error */
};

static enum rest rest_of(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
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
        return limited ? REST_IS_CHANGE : ALL_IS_CHANGE;
    }
    if (!limited) {
        return ALL_IS_NOTHING;
    }
    if (accuracy->keys[key].has_windows) {
        return REST_IS_RACE_OR_NOTHING;
    }
    return sim_plan_era_has_windows(last) ? REST_IS_CHANGE : REST_IS_WITHHELD;
}

static int64_t delta_of(const struct sim_cell *cell)
{
    return (int64_t)cell->oracle_units - (int64_t)cell->admitted_units;
}

/* Without a limit all that was asked for should be admitted; that the clients of a second run asked
 * at other times is no error. */
static int64_t error_of(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
{
    const struct sim_cell *cell = &accuracy->cells[accuracy->keys[key].first_cell + interval];

    return rest_of(accuracy, key, interval) == ALL_IS_NOTHING
               ? (int64_t)cell->demand_units - (int64_t)cell->admitted_units
               : delta_of(cell);
}

/* What was denied before the interval and may rightly be admitted in it. Of a window nothing; of a
 * sliding window or a log, in its own windows, exactly what was denied in the one before. */
static uint64_t late_units(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];

    if (interval == 0) {
        return 0;
    }
    if (entry->has_windows) {
        return entry->oracle.rule.kind == SIM_ORACLE_WINDOW
                   ? 0
                   : positive(delta_of(&accuracy->cells[entry->first_cell + interval - 1]));
    }
    return sim_lateness_units(accuracy, key,
                              sim_accuracy_interval_start_ns(accuracy, key, interval) / NS_PER_S);
}

void sim_judgement_interval(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                            uint64_t *over_units, uint64_t *under_units)
{
    const int64_t delta = error_of(accuracy, key, interval);

    *under_units = positive(delta);
    *over_units = positive(-delta);
    if (*over_units != 0) {
        const uint64_t late = late_units(accuracy, key, interval);
        *over_units = *over_units > late ? *over_units - late : 0;
    }
}

/* How much each cause adds to oracle - admitted in an interval. With S the oracle's and R the
 * store's remainder at the end, taken = what left the store, parked = taken - charged: oracle =
 * start + refill(oracle) - S   and   taken = start + refill(store) - R,   so oracle - admitted =
 * parked + (R - S) + (refill(oracle) - refill(store)) + (charged - admitted), all as changes over
 * the interval. */
static void split_causes(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                         int64_t part[SIM_CAUSE_COUNT])
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
    const struct sim_cell *before = interval == 0 ? NULL : cell - 1;
    const enum rest rest = rest_of(accuracy, key, interval);
    int64_t left = error_of(accuracy, key, interval);

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        part[i] = 0;
    }
    part[SIM_CAUSE_STALE_PLAN] = (int64_t)cell->charged_units - (int64_t)cell->admitted_units;
    left -= part[SIM_CAUSE_STALE_PLAN];
    if (rest != ALL_IS_CHANGE && rest != ALL_IS_NOTHING) {
        int64_t taken = (int64_t)cell->store_taken;
        int64_t unclaimed = (int64_t)cell->store_left - (int64_t)cell->oracle_left;
        if (before != NULL && !entry->has_windows) {
            taken -= (int64_t)before->store_taken;
            unclaimed -= (int64_t)before->store_left - (int64_t)before->oracle_left;
        } else if (before == NULL && entry->has_windows) {
            /* what was used before time 0 counts in the first window */
            taken -= (int64_t)sim_plan_history_era(&accuracy->history, key, 0)->plan.limit_units -
                     (int64_t)sim_catalog_start_units(accuracy->catalog, key);
        }
        part[SIM_CAUSE_PARKED] = taken - (int64_t)cell->charged_units;
        part[SIM_CAUSE_UNCLAIMED] = unclaimed;
        left -= part[SIM_CAUSE_PARKED] + unclaimed;
    }
    switch (rest) {
    case REST_IS_WITHHELD:
        part[SIM_CAUSE_WITHHELD] = left;
        break;
    case REST_IS_RACE_OR_NOTHING:
        part[left < 0 ? SIM_CAUSE_RACE : SIM_CAUSE_UNEXPLAINED] = left;
        break;
    case REST_IS_CHANGE:
    case ALL_IS_CHANGE:
        part[SIM_CAUSE_PLAN_CHANGE] = left;
        break;
    case ALL_IS_NOTHING:
        part[SIM_CAUSE_STALE_PLAN] = 0; /* nothing is debited, at whatever weight */
        part[SIM_CAUSE_UNEXPLAINED] = error_of(accuracy, key, interval);
        break;
    }
}

/* Book `units` of an error of the given sign to the causes that have that sign, in their order. */
static enum sim_cause book(const int64_t part[SIM_CAUSE_COUNT], int sign, uint64_t units,
                           uint64_t causes[SIM_CAUSE_COUNT])
{
    enum sim_cause largest = SIM_CAUSE_UNEXPLAINED;
    uint64_t largest_units = 0;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        const uint64_t available = positive(sign * part[i]);
        const uint64_t booked = available < units ? available : units;
        causes[i] += booked;
        units -= booked;
        if (booked > largest_units) {
            largest_units = booked;
            largest = (enum sim_cause)i;
        }
    }
    causes[SIM_CAUSE_UNEXPLAINED] += units;
    return largest;
}

void sim_judgement_explain(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                           struct sim_explanation *explanation)
{
    int64_t part[SIM_CAUSE_COUNT];

    *explanation = (struct sim_explanation){0};
    sim_judgement_interval(accuracy, key, interval, &explanation->over_units,
                           &explanation->under_units);
    split_causes(accuracy, key, interval, part);
    explanation->cause = explanation->under_units > 0
                             ? book(part, 1, explanation->under_units, explanation->cause_units)
                             : book(part, -1, explanation->over_units, explanation->cause_units);
}

/* There is a time at which the key's limit is large enough for percentages. */
static bool is_ever_in_percent(const struct sim_accuracy *accuracy, uint32_t key)
{
    const uint32_t count = sim_plan_history_era_count(&accuracy->history, key);

    for (uint32_t number = 0; number < count; number++) {
        const struct sim_plan_era *era = sim_plan_history_era(&accuracy->history, key, number);
        if (sim_plan_era_has_limit(era) && era->plan.limit_units >= SIM_PERCENT_LIMIT_MIN) {
            return true;
        }
    }
    return false;
}

bool sim_judgement_has_percentages(const struct sim_accuracy *accuracy)
{
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        if (is_ever_in_percent(accuracy, key)) {
            return true;
        }
    }
    return false;
}

static int by_percent(const void *a, const void *b)
{
    const struct pair *left = a;
    const struct pair *right = b;

    return (left->percent > right->percent) - (left->percent < right->percent);
}

/* p99: the smallest value with at most 1 % of the pairs above it. */
static struct sim_spread spread_of(struct pair *pairs, size_t count)
{
    struct sim_spread spread = {0};
    double weight = 0;
    double sum = 0;

    if (count == 0) {
        return spread;
    }
    qsort(pairs, count, sizeof *pairs, by_percent);
    for (size_t i = 0; i < count; i++) {
        weight += pairs[i].weight;
        sum += pairs[i].weight * pairs[i].percent;
    }
    spread.max = pairs[count - 1].percent;
    spread.p99 = pairs[count - 1 - count / 100].percent;
    spread.mean = sum / weight;
    return spread;
}

static void judge_sliding(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                          uint32_t key)
{
    const size_t row = (size_t)key * accuracy->second_count;
    uint64_t *late = sim_memory_new(accuracy->second_count + (size_t)1, sizeof *late);
    int64_t delta = 0;

    sim_lateness_fill(late, accuracy, key);
    for (uint32_t s = 0; s < accuracy->second_count; s++) {
        delta += accuracy->delta_by_second[row + s];
        if (s >= SLIDING_S) {
            delta -= accuracy->delta_by_second[row + s - SLIDING_S];
        }
        if (delta >= 0) {
            continue;
        }
        const uint64_t start = s + 1 >= SLIDING_S ? s + 1 - SLIDING_S : 0;
        const uint64_t limit = sim_plan_history_limit_units(
            &accuracy->history, key, start * NS_PER_S, (s + UINT64_C(1)) * NS_PER_S);
        const uint64_t excess = positive(-delta);
        const uint64_t over = excess > late[start] ? excess - late[start] : 0;
        if (limit >= SIM_PERCENT_LIMIT_MIN) {
            judgement->sliding_over_pct_max =
                larger(judgement->sliding_over_pct_max, 100.0 * (double)over / (double)limit);
        }
    }
    free(late);
}

static void judge_contract(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                           uint32_t key)
{
    const uint64_t limit =
        sim_plan_history_limit_units(&accuracy->history, key, 0, accuracy->duration_ns);
    const uint64_t excess = sim_contract_excess_units(&accuracy->keys[key].contract);

    if (excess > judgement->contract_over_units_max) {
        judgement->contract_over_units_max = excess;
    }
    if (limit > 0) {
        judgement->contract_over_pct_max =
            larger(judgement->contract_over_pct_max, 100.0 * (double)excess / (double)limit);
    }
}

static void judge_cell(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                       uint32_t key, uint32_t interval, double *over_pct, double *under_pct)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
    const double limit = (double)sim_accuracy_limit_units(accuracy, key, interval);
    struct sim_explanation explanation;

    sim_judgement_explain(accuracy, key, interval, &explanation);
    const uint64_t over = explanation.over_units;
    const uint64_t under = explanation.under_units;
    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        judgement->cause_units[i] += explanation.cause_units[i];
    }
    *over_pct = limit > 0 ? 100.0 * (double)over / limit : 0;
    *under_pct = limit > 0 ? 100.0 * (double)under / limit : 0;
    judgement->demand_units += cell->demand_units;
    judgement->admitted_units += cell->admitted_units;
    judgement->oracle_units += cell->oracle_units;
    judgement->over_units_max = over > judgement->over_units_max ? over : judgement->over_units_max;
    judgement->under_units_max =
        under > judgement->under_units_max ? under : judgement->under_units_max;
    const double percent = *over_pct > *under_pct ? *over_pct : *under_pct;
    const bool counts = limit >= SIM_PERCENT_LIMIT_MIN;
    if (counts > judgement->worst.in_percent ||
        (counts == judgement->worst.in_percent && percent > judgement->worst.percent)) {
        judgement->worst = (struct sim_worst){
            .key = key,
            .interval = interval,
            .percent = percent,
            .in_percent = counts,
            .delta_units = (int64_t)under - (int64_t)over,
            .cause = explanation.cause,
        };
    }
}

void sim_judgement_make(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                        uint32_t population)
{
    struct pair *over = sim_memory_new(accuracy->cell_count, sizeof *over);
    struct pair *under = sim_memory_new(accuracy->cell_count, sizeof *under);
    size_t count = 0;

    *judgement = (struct sim_judgement){.worst = {.percent = -1},
                                        .sliding_over_pct_max = accuracy->second_count ? 0 : -1};
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        const struct sim_key_accuracy *entry = &accuracy->keys[key];
        if (population != SIM_EVERY_POPULATION &&
            accuracy->catalog->keys[key].population != population) {
            continue;
        }
        judge_contract(judgement, accuracy, key);
        for (uint32_t interval = 0; interval < entry->cell_count; interval++) {
            const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
            const uint64_t demand_units = cell->demand_units > cell->ideal_demand_units
                                              ? cell->demand_units
                                              : cell->ideal_demand_units;
            /* by an old weight also of requests that cost nothing any more */
            judgement->charged_units += cell->charged_units;
            if (demand_units == 0 && cell->admitted_units == 0) {
                continue;
            }
            double over_pct;
            double under_pct;
            judge_cell(judgement, accuracy, key, interval, &over_pct, &under_pct);
            judgement->pair_count++;
            if (sim_accuracy_limit_units(accuracy, key, interval) >= SIM_PERCENT_LIMIT_MIN) {
                over[count] = (struct pair){over_pct, (double)demand_units};
                under[count++] = (struct pair){under_pct, (double)demand_units};
            }
        }
        if (accuracy->second_count != 0 && is_ever_in_percent(accuracy, key)) {
            judge_sliding(judgement, accuracy, key);
        }
    }
    judgement->over_pct = spread_of(over, count);
    judgement->under_pct = spread_of(under, count);
    free(over);
    free(under);
}
