#include "judgement.h"

#include <stdlib.h>

#include "lateness.h"
#include "memory.h"

#define NS_PER_S UINT64_C(1000000000)
#define SLIDING_S 60

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

static int64_t delta_of(const struct sim_cell *cell)
{
    return (int64_t)cell->oracle_units - (int64_t)cell->admitted_units;
}

/* Without a limit all that was asked for should be admitted; that the clients of a second run asked
 * at other times is no error. */
static int64_t error_of(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
{
    const struct sim_cell *cell = &accuracy->cells[accuracy->keys[key].first_cell + interval];

    return sim_cause_rest(accuracy, key, interval) == SIM_REST_ALL_IS_NOTHING
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

void sim_judgement_explain(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                           struct sim_explanation *explanation)
{
    int64_t part[SIM_CAUSE_COUNT];

    *explanation = (struct sim_explanation){0};
    sim_judgement_interval(accuracy, key, interval, &explanation->over_units,
                           &explanation->under_units);
    sim_cause_split(accuracy, key, interval, error_of(accuracy, key, interval), part);
    explanation->cause =
        explanation->under_units > 0
            ? sim_cause_book(part, 1, explanation->under_units, explanation->cause_units)
            : sim_cause_book(part, -1, explanation->over_units, explanation->cause_units);
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
