/* Keys of one plan whose requests, admissions and store are played by hand, and judged. */
#ifndef WEIR_ACCURACY_CASE_H
#define WEIR_ACCURACY_CASE_H

#include "unit.h"

#include "accuracy.h"
#include "judgement.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)

#define CASE_CHANGES_MAX 8

struct accuracy_case {
    struct sim_plan plan;
    struct sim_change changes[CASE_CHANGES_MAX];
    struct sim_population population;
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_accuracy accuracy;
    struct sim_judgement judgement;
};

/* rate_per_min units a minute; windows of a minute, a full start. */
static inline struct sim_plan case_plan(enum sim_algorithm algorithm, uint64_t rate_per_min,
                                        uint64_t capacity_units)
{
    return (struct sim_plan){.name = "plan",
                             .algorithm = algorithm,
                             .rate_units = rate_per_min,
                             .rate_period_us = 60000000,
                             .capacity_units = capacity_units,
                             .window_us = 60000000,
                             .start_fill_ppm = 1000000};
}

static inline struct sim_change case_change(uint64_t at_ns, const struct sim_plan *plan)
{
    return (struct sim_change){.kind = SIM_CHANGE_PLAN, .at_ns = at_ns, .plan = *plan};
}

static inline struct sim_change case_delete(uint64_t at_ns)
{
    return (struct sim_change){.kind = SIM_CHANGE_DELETE, .at_ns = at_ns};
}

/* At most CASE_CHANGES_MAX changes, in order of time. */
static inline void case_begin_changing(struct accuracy_case *played, const struct sim_plan *plan,
                                       const struct sim_change *changes, size_t change_count,
                                       uint64_t duration_s, uint32_t key_count)
{
    assert_in_range(change_count, 0, CASE_CHANGES_MAX);
    *played = (struct accuracy_case){
        .plan = *plan,
        .population = {.name = "keys", .key_count = key_count},
        .scenario = {.duration_ns = duration_s * SECOND_NS,
                     .process_count = 1,
                     .shard_count = 1,
                     .plan_count = 1,
                     .population_count = 1,
                     .change_count = change_count},
    };
    for (size_t i = 0; i < change_count; i++) {
        played->changes[i] = changes[i];
    }
    played->scenario.plans = &played->plan;
    played->scenario.populations = &played->population;
    played->scenario.changes = played->changes;
    sim_catalog_init(&played->catalog, &played->scenario);
    sim_accuracy_init(&played->accuracy, &played->catalog);
}

/* Bucket: rate per minute and capacity. Window: limit of one minute, capacity 0. */
static inline void case_begin(struct accuracy_case *played, uint64_t rate_per_min,
                              uint64_t capacity_units, uint64_t duration_s, uint32_t key_count)
{
    const struct sim_plan plan =
        case_plan(capacity_units == 0 ? SIM_ALGORITHM_WINDOW : SIM_ALGORITHM_BUCKET, rate_per_min,
                  capacity_units);

    case_begin_changing(played, &plan, NULL, 0, duration_s, key_count);
}

/* A request that the limiter admits at once, or denies. */
static inline void case_request(struct accuracy_case *played, uint32_t key, uint64_t time_ns,
                                uint32_t cost_units, bool admitted)
{
    sim_accuracy_arrival(&played->accuracy, key, time_ns, cost_units);
    if (admitted) {
        sim_accuracy_admitted(&played->accuracy, key, time_ns, time_ns, cost_units, cost_units);
    }
}

static inline void case_judge(struct accuracy_case *played)
{
    sim_accuracy_finish(&played->accuracy);
    sim_judgement_make(&played->judgement, &played->accuracy, SIM_EVERY_POPULATION);
}

static inline void case_end(struct accuracy_case *played)
{
    sim_accuracy_deinit(&played->accuracy);
    sim_catalog_deinit(&played->catalog);
}

static inline uint64_t case_over(struct accuracy_case *played, uint32_t key, uint32_t interval)
{
    uint64_t over;
    uint64_t under;

    sim_judgement_interval(&played->accuracy, key, interval, &over, &under);
    return over;
}

static inline uint64_t case_under(struct accuracy_case *played, uint32_t key, uint32_t interval)
{
    uint64_t over;
    uint64_t under;

    sim_judgement_interval(&played->accuracy, key, interval, &over, &under);
    return under;
}

#endif
