/* Keys of one plan whose requests, admissions and store are played by hand, and judged. */
#ifndef WEIR_ACCURACY_CASE_H
#define WEIR_ACCURACY_CASE_H

#include "unit.h"

#include "accuracy.h"
#include "judgement.h"

#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)

struct accuracy_case {
    struct sim_plan plan;
    struct sim_population population;
    struct sim_scenario scenario;
    struct sim_catalog catalog;
    struct sim_accuracy accuracy;
    struct sim_judgement judgement;
};

/* Bucket: rate per minute and capacity. Window: limit of one minute, capacity 0. */
static inline void case_begin(struct accuracy_case *played, uint64_t rate_per_min,
                              uint64_t capacity_units, uint64_t duration_s, uint32_t key_count)
{
    *played = (struct accuracy_case){
        .plan = {.name = "plan",
                 .algorithm = capacity_units == 0 ? SIM_ALGORITHM_WINDOW : SIM_ALGORITHM_BUCKET,
                 .rate_units = rate_per_min,
                 .rate_period_us = 60000000,
                 .capacity_units = capacity_units,
                 .window_us = 60000000,
                 .start_fill_ppm = 1000000},
        .population = {.name = "keys", .key_count = key_count},
        .scenario = {.duration_ns = duration_s * SECOND_NS,
                     .process_count = 1,
                     .shard_count = 1,
                     .plan_count = 1,
                     .population_count = 1},
    };
    played->scenario.plans = &played->plan;
    played->scenario.populations = &played->population;
    sim_catalog_init(&played->catalog, &played->scenario);
    sim_accuracy_init(&played->accuracy, &played->catalog);
}

/* A request that the limiter admits at once, or denies. */
static inline void case_request(struct accuracy_case *played, uint32_t key, uint64_t time_ns,
                                uint32_t cost_units, bool admitted)
{
    sim_accuracy_arrival(&played->accuracy, key, time_ns, cost_units);
    if (admitted) {
        sim_accuracy_admitted(&played->accuracy, key, time_ns, time_ns, cost_units);
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
