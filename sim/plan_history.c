#include "plan_history.h"

#include <stdlib.h>

#include "changes.h"
#include "memory.h"
#include "weir/assert.h"

void sim_plan_history_init(struct sim_plan_history *history, const struct sim_catalog *catalog)
{
    const struct sim_scenario *scenario = catalog->scenario;
    uint32_t count = 0;

    *history = (struct sim_plan_history){
        .catalog = catalog,
        .eras = sim_memory_new(scenario->plan_count + scenario->change_count,
                               sizeof(struct sim_plan_era)),
        .first_era = sim_memory_new(scenario->plan_count + 1, sizeof(uint32_t)),
    };
    for (size_t plan = 0; plan < scenario->plan_count; plan++) {
        history->first_era[plan] = count;
        history->eras[count++] = (struct sim_plan_era){.plan = catalog->plans[plan]};
        for (size_t i = 0; i < scenario->change_count; i++) {
            const struct sim_change *change = &scenario->changes[i];
            if (!sim_changes_are_of_plan(change, plan)) {
                continue;
            }
            struct sim_plan_era *era = &history->eras[count++];
            era->start_ns = change->at_ns;
            era->is_deleted = change->kind == SIM_CHANGE_DELETE;
            if (!era->is_deleted) {
                era->plan = catalog->changed[i];
            }
        }
    }
    history->first_era[scenario->plan_count] = count;
}

void sim_plan_history_deinit(struct sim_plan_history *history)
{
    free(history->eras);
    free(history->first_era);
    *history = (struct sim_plan_history){0};
}

uint32_t sim_plan_history_era_count(const struct sim_plan_history *history, uint32_t key)
{
    const uint32_t plan = history->catalog->keys[key].plan;

    return history->first_era[plan + 1] - history->first_era[plan];
}

const struct sim_plan_era *sim_plan_history_era(const struct sim_plan_history *history,
                                                uint32_t key, uint32_t number)
{
    WEIR_ASSERT(number < sim_plan_history_era_count(history, key));
    return &history->eras[history->first_era[history->catalog->keys[key].plan] + number];
}

uint64_t sim_plan_history_start_ns(const struct sim_plan_history *history, uint32_t key,
                                   uint32_t number)
{
    return number < sim_plan_history_era_count(history, key)
               ? sim_plan_history_era(history, key, number)->start_ns
               : UINT64_MAX;
}

const struct weir_plan *sim_plan_history_plan(const struct sim_plan_history *history, uint32_t key,
                                              uint64_t time_ns)
{
    const uint32_t count = sim_plan_history_era_count(history, key);
    const struct weir_plan *plan = &sim_plan_history_era(history, key, 0)->plan;

    for (uint32_t number = 1; number < count; number++) {
        const struct sim_plan_era *era = sim_plan_history_era(history, key, number);
        if (era->start_ns < time_ns && !era->is_deleted) {
            plan = &era->plan;
        }
    }
    return plan;
}

bool sim_plan_era_has_limit(const struct sim_plan_era *era)
{
    return !era->is_deleted && era->plan.algorithm != WEIR_ALGORITHM_UNLIMITED;
}

bool sim_plan_era_has_windows(const struct sim_plan_era *era)
{
    return sim_plan_era_has_limit(era) && era->plan.algorithm != WEIR_ALGORITHM_BUCKET;
}

void sim_plan_history_rule(const struct sim_plan_history *history, uint32_t key, uint32_t number,
                           struct sim_oracle_rule *rule)
{
    static const enum sim_oracle_kind kinds[] = {
        [WEIR_ALGORITHM_BUCKET] = SIM_ORACLE_BUCKET,
        [WEIR_ALGORITHM_WINDOW] = SIM_ORACLE_WINDOW,
        [WEIR_ALGORITHM_UNLIMITED] = SIM_ORACLE_UNLIMITED,
        [WEIR_ALGORITHM_SLIDING] = SIM_ORACLE_SLIDING,
        [WEIR_ALGORITHM_LOG] = SIM_ORACLE_LOG,
    };
    const struct sim_plan_era *era = sim_plan_history_era(history, key, number);

    if (era->is_deleted) {
        *rule = (struct sim_oracle_rule){.kind = SIM_ORACLE_DELETED};
        return;
    }
    *rule = (struct sim_oracle_rule){
        .kind = kinds[era->plan.algorithm],
        .rate_units = era->plan.rate_units,
        .period_ns = era->plan.rate_period_us * 1000,
        .capacity_units = era->plan.capacity_units,
        .limit_units = era->plan.limit_units,
        .window_ns = era->plan.window_us * 1000,
        .phase_ns = sim_catalog_phase_ns(history->catalog, key, era->plan.window_us),
    };
}

uint64_t sim_plan_history_altered_ns(const struct sim_plan_history *history, uint32_t key)
{
    const struct sim_plan_era *first = sim_plan_history_era(history, key, 0);
    const uint32_t count = sim_plan_history_era_count(history, key);

    for (uint32_t number = 1; number < count; number++) {
        const struct sim_plan_era *era = sim_plan_history_era(history, key, number);
        if (era->is_deleted || era->plan.algorithm != first->plan.algorithm ||
            (sim_plan_era_has_windows(era) && era->plan.window_us != first->plan.window_us)) {
            return era->start_ns;
        }
    }
    return UINT64_MAX;
}

uint64_t sim_plan_history_limit_units(const struct sim_plan_history *history, uint32_t key,
                                      uint64_t from_ns, uint64_t to_ns)
{
    const uint32_t count = sim_plan_history_era_count(history, key);
    __extension__ unsigned __int128 sum = 0;
    uint64_t limited_ns = 0;

    WEIR_ASSERT(from_ns < to_ns);
    for (uint32_t number = 0; number < count; number++) {
        const struct sim_plan_era *era = sim_plan_history_era(history, key, number);
        const uint64_t next_ns = sim_plan_history_start_ns(history, key, number + 1);
        const uint64_t start_ns = era->start_ns > from_ns ? era->start_ns : from_ns;
        const uint64_t end_ns = next_ns < to_ns ? next_ns : to_ns;
        if (start_ns < end_ns && sim_plan_era_has_limit(era)) {
            __extension__ unsigned __int128 part = era->plan.limit_units;
            sum += part * (end_ns - start_ns);
            limited_ns += end_ns - start_ns;
        }
    }
    return limited_ns == 0 ? 0 : (uint64_t)(sum / limited_ns);
}
