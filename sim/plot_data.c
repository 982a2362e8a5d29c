#include "plot_data.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define NS_PER_S UINT64_C(1000000000)
#define MINUTE_NS (60 * NS_PER_S)

uint64_t sim_plot_end_ns(const struct sim_world *world, uint32_t key, uint32_t interval)
{
    const uint64_t end_ns = sim_accuracy_interval_end_ns(&world->accuracy, key, interval);

    return end_ns < world->accuracy.duration_ns ? end_ns : world->accuracy.duration_ns;
}

uint32_t sim_plot_second_count(const struct sim_world *world)
{
    return (uint32_t)((world->scenario->duration_ns + NS_PER_S - 1) / NS_PER_S);
}

double *sim_plot_new_limits(const struct sim_world *world, uint32_t count)
{
    double *limits = sim_memory_new(count + (size_t)1, sizeof *limits);

    /* first the changes, then their sums: most keys never change */
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        const struct sim_key_accuracy *entry = &world->accuracy.keys[key];
        double before = 0;
        for (uint32_t i = 0; i < entry->cell_count; i++) {
            const uint64_t start_s = i == 0 ? 0 : sim_plot_end_ns(world, key, i - 1) / NS_PER_S;
            const double limit = (double)sim_accuracy_limit_units(&world->accuracy, key, i) * 1e9 /
                                 (double)entry->interval_ns;
            limits[start_s] += limit - before;
            before = limit;
        }
    }
    for (uint32_t s = 1; s < count; s++) {
        limits[s] += limits[s - 1];
    }
    return limits;
}

static bool is_worse(const struct sim_plot_data *data, const struct sim_plot_worst *left,
                     const struct sim_plot_worst *right)
{
    const uint64_t left_units = left->explanation.over_units + left->explanation.under_units;
    const uint64_t right_units = right->explanation.over_units + right->explanation.under_units;

    return data->in_percent ? left->percent > right->percent : left_units > right_units;
}

/* Keep the ten worst, of equal ones the first. */
static void rank(struct sim_plot_data *data, const struct sim_plot_worst *candidate)
{
    uint32_t place = data->worst_count;

    while (place > 0 && is_worse(data, candidate, &data->worst[place - 1])) {
        place--;
    }
    if (place == SIM_PLOT_WORST_COUNT) {
        return;
    }
    const uint32_t last =
        data->worst_count < SIM_PLOT_WORST_COUNT ? data->worst_count++ : SIM_PLOT_WORST_COUNT - 1;
    memmove(&data->worst[place + 1], &data->worst[place], (last - place) * sizeof *candidate);
    data->worst[place] = *candidate;
}

static void add_to_minute(struct sim_plot_data *data, uint64_t end_ns,
                          const struct sim_explanation *explanation)
{
    struct sim_plot_minute *minute = &data->minutes[(end_ns - 1) / MINUTE_NS];
    uint64_t *units = explanation->over_units > 0 ? minute->over_units : minute->under_units;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        units[i] += explanation->cause_units[i];
    }
}

static void look_at(struct sim_plot_data *data, uint32_t key, uint32_t interval)
{
    const struct sim_world *world = data->world;
    const uint64_t limit = sim_accuracy_limit_units(&world->accuracy, key, interval);
    const uint64_t end_ns = sim_plot_end_ns(world, key, interval);
    struct sim_plot_worst one = {.key = key, .interval = interval};

    sim_judgement_explain(&world->accuracy, key, interval, &one.explanation);
    add_to_minute(data, end_ns, &one.explanation);
    if (data->in_percent && limit < SIM_PERCENT_LIMIT_MIN) {
        return;
    }
    const uint64_t over = one.explanation.over_units;
    const uint64_t under = one.explanation.under_units;
    one.percent = limit > 0 ? 100.0 * (double)(over + under) / (double)limit : 0;
    const double error = data->in_percent ? one.percent : (double)(over + under);
    data->points[data->point_count++] = (struct sim_plot_point){.end_s = (double)end_ns / 1e9,
                                                                .error = over > 0    ? error
                                                                         : under > 0 ? -error
                                                                                     : 0};
    data->off_budget_count += error > 1;
    if (over + under > 0) {
        rank(data, &one);
    }
}

void sim_plot_data_make(struct sim_plot_data *data, const struct sim_result *result,
                        const struct sim_world *world)
{
    const struct sim_accuracy *accuracy = &world->accuracy;

    *data = (struct sim_plot_data){
        .result = result,
        .world = world,
        .in_percent = sim_judgement_has_percentages(accuracy),
        .minute_count = (uint32_t)((accuracy->duration_ns - 1) / MINUTE_NS) + 1,
    };
    data->minutes = sim_memory_new(data->minute_count, sizeof *data->minutes);
    data->points = sim_memory_new(accuracy->cell_count, sizeof *data->points);
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        const struct sim_key_accuracy *entry = &accuracy->keys[key];
        for (uint32_t i = 0; i < entry->cell_count; i++) {
            const struct sim_cell *cell = &accuracy->cells[entry->first_cell + i];
            if (cell->demand_units != 0 || cell->admitted_units != 0) {
                look_at(data, key, i);
            }
        }
    }
}

void sim_plot_data_free(struct sim_plot_data *data)
{
    free(data->minutes);
    free(data->points);
    *data = (struct sim_plot_data){0};
}
