#include "accuracy.h"

#include <stdlib.h>

#include "memory.h"
#include "time_sort.h"
#include "weir/assert.h"

#define NS_PER_S UINT64_C(1000000000)
#define MINUTE_NS (60 * NS_PER_S)
#define SECOND_CELLS_MAX (UINT64_C(64) << 20) /* keys x seconds kept at most */

static void init_key(struct sim_accuracy *accuracy, uint32_t number)
{
    const struct sim_catalog *catalog = accuracy->catalog;
    struct sim_key_accuracy *entry = &accuracy->keys[number];
    const uint64_t used_units = sim_catalog_used_units(catalog, number);
    struct sim_oracle_rule rule;

    sim_plan_history_rule(&accuracy->history, number, 0, &rule);
    sim_oracle_init(&entry->oracle, &rule, used_units);
    sim_contract_init(&entry->contract, &rule, rule.kind == SIM_ORACLE_BUCKET ? 0 : used_units);
    entry->has_windows =
        sim_plan_era_has_windows(sim_plan_history_era(&accuracy->history, number, 0)) &&
        sim_plan_history_altered_ns(&accuracy->history, number) == UINT64_MAX;
    entry->interval_ns = entry->has_windows ? rule.window_ns : MINUTE_NS;
    entry->first_end_ns = entry->has_windows ? rule.window_ns - rule.phase_ns : MINUTE_NS;
    entry->first_cell = accuracy->cell_count;
    entry->cell_count = sim_accuracy_interval(accuracy, number, accuracy->duration_ns - 1) + 1;
    accuracy->cell_count += entry->cell_count;
}

void sim_accuracy_init(struct sim_accuracy *accuracy, const struct sim_catalog *catalog)
{
    const uint64_t seconds = (catalog->scenario->duration_ns + NS_PER_S - 1) / NS_PER_S;
    const uint64_t kept = seconds * catalog->key_count;

    *accuracy = (struct sim_accuracy){
        .catalog = catalog,
        .duration_ns = catalog->scenario->duration_ns,
        .keys = sim_memory_new(catalog->key_count, sizeof(struct sim_key_accuracy)),
    };
    sim_plan_history_init(&accuracy->history, catalog);
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        init_key(accuracy, key);
    }
    accuracy->cells = sim_memory_new(accuracy->cell_count, sizeof(struct sim_cell));
    if (kept <= SECOND_CELLS_MAX) {
        accuracy->second_count = (uint32_t)seconds;
        accuracy->delta_by_second = sim_memory_new((size_t)kept, sizeof(int64_t));
        accuracy->oracle_totals = sim_memory_new((size_t)seconds, sizeof(uint64_t));
        accuracy->admitted_totals = sim_memory_new((size_t)seconds, sizeof(uint64_t));
        accuracy->full_by_second = sim_memory_new((size_t)kept, 1);
    }
}

void sim_accuracy_deinit(struct sim_accuracy *accuracy)
{
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        sim_oracle_deinit(&accuracy->keys[key].oracle);
        sim_contract_deinit(&accuracy->keys[key].contract);
    }
    sim_plan_history_deinit(&accuracy->history);
    free(accuracy->keys);
    free(accuracy->cells);
    free(accuracy->delta_by_second);
    free(accuracy->oracle_by_second);
    free(accuracy->oracle_totals);
    free(accuracy->admitted_totals);
    free(accuracy->full_by_second);
    free(accuracy->spendings);
    *accuracy = (struct sim_accuracy){0};
}

uint32_t sim_accuracy_interval(const struct sim_accuracy *accuracy, uint32_t key, uint64_t time_ns)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];

    if (time_ns < entry->first_end_ns) {
        return 0;
    }
    return (uint32_t)((time_ns - entry->first_end_ns) / entry->interval_ns) + 1;
}

uint64_t sim_accuracy_interval_end_ns(const struct sim_accuracy *accuracy, uint32_t key,
                                      uint32_t interval)
{
    const struct sim_key_accuracy *entry = &accuracy->keys[key];

    return entry->first_end_ns + interval * entry->interval_ns;
}

uint64_t sim_accuracy_interval_start_ns(const struct sim_accuracy *accuracy, uint32_t key,
                                        uint32_t interval)
{
    return interval == 0 ? 0 : sim_accuracy_interval_end_ns(accuracy, key, interval - 1);
}

uint64_t sim_accuracy_limit_units(const struct sim_accuracy *accuracy, uint32_t key,
                                  uint32_t interval)
{
    const uint64_t end_ns = sim_accuracy_interval_end_ns(accuracy, key, interval);

    return sim_plan_history_limit_units(
        &accuracy->history, key, sim_accuracy_interval_start_ns(accuracy, key, interval),
        end_ns < accuracy->duration_ns ? end_ns : accuracy->duration_ns);
}

/* Remember in which second the oracle's bucket was last full: what was denied before that cannot be
 * made up for. */
static void note_full(struct sim_accuracy *accuracy, uint32_t key, uint64_t time_ns)
{
    const uint64_t full_ns = sim_oracle_last_full_ns(&accuracy->keys[key].oracle, time_ns);

    if (full_ns != UINT64_MAX) {
        const uint64_t second = full_ns / NS_PER_S;
        if (second < accuracy->second_count) {
            accuracy->full_by_second[(size_t)key * accuracy->second_count + second] = 1;
        }
    }
}

/* Bring a key's oracle to time_ns, stopping at each end of a second and of an interval on the way,
 * and at each change of its plan. */
static void advance_oracle(struct sim_accuracy *accuracy, uint32_t key, uint64_t time_ns)
{
    struct sim_key_accuracy *entry = &accuracy->keys[key];

    while (entry->oracle_cell < entry->cell_count) {
        const uint64_t cell_end_ns =
            sim_accuracy_interval_end_ns(accuracy, key, entry->oracle_cell);
        const uint64_t second_end_ns = accuracy->second_count == 0
                                           ? UINT64_MAX
                                           : (entry->oracle_second + UINT64_C(1)) * NS_PER_S;
        const uint64_t change_ns =
            sim_plan_history_start_ns(&accuracy->history, key, entry->oracle_era + 1);
        const uint64_t end_ns = cell_end_ns < second_end_ns ? cell_end_ns : second_end_ns;
        const uint64_t stop_ns = change_ns < end_ns ? change_ns : end_ns;
        if (stop_ns > time_ns) {
            return;
        }
        if (stop_ns == cell_end_ns) {
            /* the last nanosecond: at its end a window's oracle has already rolled over */
            accuracy->cells[entry->first_cell + entry->oracle_cell].oracle_left =
                sim_oracle_remaining_at_end_units(&entry->oracle, cell_end_ns - 1);
            entry->oracle_cell++;
        }
        if (stop_ns == second_end_ns) {
            note_full(accuracy, key, second_end_ns - 1); /* its end belongs to the next second */
            entry->oracle_second++;
        }
        if (stop_ns == change_ns) { /* last: what ends then, ends under the old plan */
            struct sim_oracle_rule rule;
            sim_plan_history_rule(&accuracy->history, key, ++entry->oracle_era, &rule);
            sim_oracle_change(&entry->oracle, change_ns, &rule);
        }
    }
}

bool sim_accuracy_arrival(struct sim_accuracy *accuracy, uint32_t key, uint64_t time_ns,
                          uint32_t cost_units)
{
    struct sim_key_accuracy *entry = &accuracy->keys[key];

    advance_oracle(accuracy, key, time_ns);
    if (accuracy->second_count != 0) {
        note_full(accuracy, key, time_ns);
    }
    struct sim_cell *cell = &accuracy->cells[entry->first_cell + entry->oracle_cell];
    cell->demand_units += cost_units;
    if (!sim_oracle_admit(&entry->oracle, time_ns, cost_units)) {
        return false;
    }
    cell->oracle_units += cost_units;
    if (accuracy->second_count != 0) {
        const size_t second = (size_t)(time_ns / NS_PER_S);
        accuracy->delta_by_second[(size_t)key * accuracy->second_count + second] += cost_units;
        accuracy->oracle_totals[second] += cost_units;
        if (accuracy->oracle_by_second != NULL) {
            accuracy->oracle_by_second[(size_t)key * accuracy->second_count + second] += cost_units;
        }
    }
    return true;
}

void sim_accuracy_admitted(struct sim_accuracy *accuracy, uint32_t key, uint64_t arrived_ns,
                           uint64_t decided_ns, uint32_t cost_units, uint32_t charged_units)
{
    const uint32_t interval = sim_accuracy_interval(accuracy, key, arrived_ns);
    struct sim_cell *cell = &accuracy->cells[accuracy->keys[key].first_cell + interval];

    cell->admitted_units += cost_units;
    cell->charged_units += charged_units;
    if (accuracy->second_count != 0) {
        const size_t second = (size_t)(arrived_ns / NS_PER_S);
        accuracy->delta_by_second[(size_t)key * accuracy->second_count + second] -= cost_units;
        accuracy->admitted_totals[second] += cost_units;
    }
    accuracy->spendings =
        sim_memory_grow(accuracy->spendings, accuracy->spending_count, &accuracy->spending_capacity,
                        sizeof *accuracy->spendings);
    accuracy->spendings[accuracy->spending_count++] =
        (struct sim_spending){.time_ns = decided_ns, .key = key, .cost_units = cost_units};
}

void sim_accuracy_lost(struct sim_accuracy *accuracy, enum sim_loss loss, uint32_t key,
                       uint64_t time_ns, uint64_t units)
{
    const uint32_t interval = sim_accuracy_interval(accuracy, key, time_ns);
    const struct sim_key_accuracy *entry = &accuracy->keys[key];

    accuracy->lost_totals[loss] += units;
    if (interval < entry->cell_count) { /* not of the time after the run */
        accuracy->cells[entry->first_cell + interval].lost_units[loss] += units;
    }
}

static void check_spending(struct sim_accuracy *accuracy, const struct sim_spending *spending)
{
    const uint32_t key = spending->key;
    struct sim_key_accuracy *entry = &accuracy->keys[key];

    for (;;) {
        const uint64_t change_ns =
            sim_plan_history_start_ns(&accuracy->history, key, entry->contract_era + 1);
        struct sim_oracle_rule rule;
        if (change_ns > spending->time_ns) {
            break;
        }
        sim_plan_history_rule(&accuracy->history, key, ++entry->contract_era, &rule);
        sim_contract_change(&entry->contract, change_ns, &rule);
    }
    sim_contract_spend(&entry->contract, spending->time_ns, spending->cost_units);
}

void sim_accuracy_check_contract(struct sim_accuracy *accuracy, uint64_t until_ns)
{
    size_t later = 0;

    if (accuracy->spending_count == 0) {
        return;
    }
    sim_time_sort(accuracy->spendings, accuracy->spending_count);
    for (size_t i = 0; i < accuracy->spending_count; i++) {
        const struct sim_spending *spending = &accuracy->spendings[i];
        if (spending->time_ns >= until_ns) {
            accuracy->spendings[later++] = *spending;
            continue;
        }
        check_spending(accuracy, spending);
    }
    accuracy->spending_count = later;
}

void sim_accuracy_store(struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                        uint64_t store_left, uint64_t store_taken)
{
    WEIR_ASSERT(interval < accuracy->keys[key].cell_count);
    struct sim_cell *cell = &accuracy->cells[accuracy->keys[key].first_cell + interval];

    cell->store_left = store_left;
    cell->store_taken = store_taken;
}

void sim_accuracy_finish(struct sim_accuracy *accuracy)
{
    sim_accuracy_check_contract(accuracy, UINT64_MAX);
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        struct sim_key_accuracy *entry = &accuracy->keys[key];
        advance_oracle(accuracy, key, accuracy->duration_ns - 1);
        if (entry->oracle_cell < entry->cell_count) {
            accuracy->cells[entry->first_cell + entry->oracle_cell].oracle_left =
                sim_oracle_remaining_at_end_units(&entry->oracle, accuracy->duration_ns - 1);
        }
    }
}

void sim_accuracy_expect_oracle(struct sim_accuracy *accuracy)
{
    if (accuracy->second_count != 0) {
        accuracy->oracle_by_second = sim_memory_new(
            (size_t)accuracy->second_count * accuracy->catalog->key_count, sizeof(int64_t));
    }
}

void sim_accuracy_take_oracle(struct sim_accuracy *accuracy, const struct sim_accuracy *ideal)
{
    const size_t kept = (size_t)accuracy->second_count * accuracy->catalog->key_count;

    WEIR_ASSERT(accuracy->cell_count == ideal->cell_count &&
                accuracy->second_count == ideal->second_count);
    for (size_t i = 0; i < accuracy->cell_count; i++) {
        accuracy->cells[i].ideal_demand_units = ideal->cells[i].demand_units;
        accuracy->cells[i].oracle_units = ideal->cells[i].oracle_units;
        accuracy->cells[i].oracle_left = ideal->cells[i].oracle_left;
    }
    if (accuracy->second_count == 0) {
        return;
    }
    for (size_t i = 0; i < kept; i++) {
        accuracy->delta_by_second[i] += ideal->delta_by_second[i] - accuracy->oracle_by_second[i];
        accuracy->full_by_second[i] = ideal->full_by_second[i];
    }
    for (size_t second = 0; second < accuracy->second_count; second++) {
        accuracy->oracle_totals[second] = ideal->oracle_totals[second];
    }
}
