#include "judgement.h"

#include <stdlib.h>

#include "memory.h"

#define NS_PER_S UINT64_C(1000000000)
#define SLIDING_S 60

const char *const sim_cause_names[SIM_CAUSE_COUNT] = {"parked", "unclaimed", "withheld", "race",
                                                      "unexplained"};

struct pair {
    double percent;
    double weight;
};

static const struct weir_plan *plan_of(const struct sim_accuracy *accuracy, uint32_t key)
{
    return &accuracy->catalog->plans[accuracy->catalog->keys[key].plan];
}

static uint64_t positive(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

/* oracle - admitted of the seconds before `second`, from the last one in which the oracle's bucket
 * was full: units denied that may rightly be admitted later. */
static uint64_t late_units(const struct sim_accuracy *accuracy, uint32_t key, uint64_t second)
{
    const size_t row = (size_t)key * accuracy->second_count;
    int64_t deficit = 0;

    for (uint64_t s = second; s-- > 0;) {
        deficit += accuracy->delta_by_second[row + s];
        if (accuracy->full_by_second[row + s]) {
            break;
        }
    }
    return positive(deficit);
}

void sim_judgement_interval(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                            uint64_t *over_units, uint64_t *under_units)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
    const int64_t delta = (int64_t)cell->oracle_units - (int64_t)cell->admitted_units;

    *under_units = positive(delta);
    *over_units = positive(-delta);
    if (*over_units != 0 && interval > 0 && accuracy->second_count != 0 &&
        plan_of(accuracy, key)->algorithm == WEIR_ALGORITHM_BUCKET) {
        const uint64_t start_s =
            sim_accuracy_interval_end_ns(accuracy, key, interval - 1) / NS_PER_S;
        const uint64_t late = late_units(accuracy, key, start_s);
        *over_units = *over_units > late ? *over_units - late : 0;
    }
}

/* How much each cause adds to oracle - admitted in an interval. With S the oracle's and R the
 * store's remainder at the end, taken = what left the store, parked = taken - admitted: oracle =
 * start + refill(oracle) - S   and   taken = start + refill(store) - R,   so oracle - admitted =
 * parked + (R - S) + (refill(oracle) - refill(store)), all as changes over the interval. */
static void split_causes(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                         int64_t part[SIM_CAUSE_COUNT])
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
    const struct sim_cell *before = interval == 0 ? NULL : cell - 1;
    const int64_t delta = (int64_t)cell->oracle_units - (int64_t)cell->admitted_units;
    int64_t taken = (int64_t)cell->store_taken;
    int64_t unclaimed = (int64_t)cell->store_left - (int64_t)cell->oracle_left;

    if (plan_of(accuracy, key)->algorithm != WEIR_ALGORITHM_BUCKET) {
        if (before == NULL) { /* what was used before time 0 counts in the first window */
            taken -= (int64_t)plan_of(accuracy, key)->limit_units -
                     (int64_t)sim_catalog_start_units(accuracy->catalog, key);
        }
    } else if (before != NULL) {
        taken -= (int64_t)before->store_taken;
        unclaimed -= (int64_t)before->store_left - (int64_t)before->oracle_left;
    }
    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        part[i] = 0;
    }
    part[SIM_CAUSE_PARKED] = taken - (int64_t)cell->admitted_units;
    part[SIM_CAUSE_UNCLAIMED] = unclaimed;
    const int64_t rest = delta - part[SIM_CAUSE_PARKED] - unclaimed;
    if (plan_of(accuracy, key)->algorithm == WEIR_ALGORITHM_BUCKET) {
        part[SIM_CAUSE_WITHHELD] = rest;
    } else if (rest < 0) {
        part[SIM_CAUSE_RACE] = rest; /* a window has no refill: the store gave more than it had */
    } else {
        part[SIM_CAUSE_UNEXPLAINED] = rest;
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

bool sim_judgement_has_percentages(const struct sim_accuracy *accuracy)
{
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        if (plan_of(accuracy, key)->limit_units >= SIM_PERCENT_LIMIT_MIN) {
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

/* late_units of every second, in one pass. */
static void fill_late(uint64_t *late, const struct sim_accuracy *accuracy, uint32_t key)
{
    const size_t row = (size_t)key * accuracy->second_count;
    int64_t deficit = 0;

    for (uint32_t s = 0; s < accuracy->second_count; s++) {
        if (accuracy->full_by_second[row + s]) {
            deficit = 0;
        }
        deficit += accuracy->delta_by_second[row + s];
        late[s + 1] = positive(deficit);
    }
}

static void judge_sliding(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                          uint32_t key)
{
    const size_t row = (size_t)key * accuracy->second_count;
    const double limit = (double)plan_of(accuracy, key)->limit_units;
    uint64_t *late = sim_memory_new(accuracy->second_count + (size_t)1, sizeof *late);
    int64_t delta = 0;

    fill_late(late, accuracy, key);
    for (uint32_t s = 0; s < accuracy->second_count; s++) {
        delta += accuracy->delta_by_second[row + s];
        if (s >= SLIDING_S) {
            delta -= accuracy->delta_by_second[row + s - SLIDING_S];
        }
        if (delta >= 0 || -100.0 * (double)delta / limit <= judgement->sliding_over_pct_max) {
            continue;
        }
        const uint64_t start = s + 1 >= SLIDING_S ? s + 1 - SLIDING_S : 0;
        const uint64_t excess = positive(-delta);
        const uint64_t over = excess > late[start] ? excess - late[start] : 0;
        const double percent = 100.0 * (double)over / limit;
        if (percent > judgement->sliding_over_pct_max) {
            judgement->sliding_over_pct_max = percent;
        }
    }
    free(late);
}

static void judge_contract(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                           uint32_t key)
{
    const uint64_t limit = plan_of(accuracy, key)->limit_units;
    const uint64_t excess = sim_contract_excess_units(&accuracy->keys[key].contract);

    if (excess > judgement->contract_over_units_max) {
        judgement->contract_over_units_max = excess;
    }
    if (limit > 0 && 100.0 * (double)excess / (double)limit > judgement->contract_over_pct_max) {
        judgement->contract_over_pct_max = 100.0 * (double)excess / (double)limit;
    }
}

static void judge_cell(struct sim_judgement *judgement, const struct sim_accuracy *accuracy,
                       uint32_t key, uint32_t interval, double *over_pct, double *under_pct)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];
    const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
    const double limit = (double)plan_of(accuracy, key)->limit_units;
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
    const bool counts = plan_of(accuracy, key)->limit_units >= SIM_PERCENT_LIMIT_MIN;
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
        const uint64_t limit = plan_of(accuracy, key)->limit_units;
        if (population != SIM_EVERY_POPULATION &&
            accuracy->catalog->keys[key].population != population) {
            continue;
        }
        judge_contract(judgement, accuracy, key);
        for (uint32_t interval = 0; interval < entry->cell_count; interval++) {
            const struct sim_cell *cell = &accuracy->cells[entry->first_cell + interval];
            if (cell->demand_units == 0 && cell->admitted_units == 0) {
                continue;
            }
            double over_pct;
            double under_pct;
            judge_cell(judgement, accuracy, key, interval, &over_pct, &under_pct);
            judgement->pair_count++;
            if (limit >= SIM_PERCENT_LIMIT_MIN) {
                over[count] = (struct pair){over_pct, (double)cell->demand_units};
                under[count++] = (struct pair){under_pct, (double)cell->demand_units};
            }
        }
        if (accuracy->second_count != 0 && limit >= SIM_PERCENT_LIMIT_MIN) {
            judge_sliding(judgement, accuracy, key);
        }
    }
    judgement->over_pct = spread_of(over, count);
    judgement->under_pct = spread_of(under, count);
    free(over);
    free(under);
}
