#include "sampling.h"

#define MINUTE_NS UINT64_C(60000000000)

void sim_sampling_schedule(struct sim_world *world)
{
    const uint64_t duration_ns = world->scenario->duration_ns;

    sim_kernel_at(world->kernel, MINUTE_NS < duration_ns ? MINUTE_NS : duration_ns,
                  SIM_WORLD_TAG_SAMPLE_MINUTE);
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        if (world->accuracy.keys[key].has_windows) {
            const uint64_t end_ns = sim_accuracy_interval_end_ns(&world->accuracy, key, 0);
            sim_kernel_at(world->kernel, end_ns < duration_ns ? end_ns : duration_ns,
                          SIM_WORLD_TAG_SAMPLE_KEY + key);
        }
    }
}

void sim_sampling_key(struct sim_world *world, uint32_t key, uint64_t until_ns)
{
    const uint64_t duration_ns = world->scenario->duration_ns;
    uint32_t *interval = &world->next_samples[key];

    while (*interval < world->accuracy.keys[key].cell_count) {
        const uint64_t interval_ns = sim_accuracy_interval_end_ns(&world->accuracy, key, *interval);
        const uint64_t end_ns = interval_ns < duration_ns ? interval_ns : duration_ns;
        struct sim_store_level level;
        if (end_ns > until_ns) {
            break;
        }
        sim_store_peek(&world->store, key,
                       sim_plan_history_plan(&world->accuracy.history, key, end_ns), end_ns,
                       &level);
        if (world->accuracy.keys[key].has_windows) {
            sim_accuracy_store(&world->accuracy, key, *interval, level.window_left_units,
                               level.window_taken_units);
        } else {
            sim_accuracy_store(&world->accuracy, key, *interval, level.left_units,
                               level.taken_units);
        }
        ++*interval;
    }
}

void sim_sampling_minute(struct sim_world *world, uint64_t now_ns)
{
    const uint64_t duration_ns = world->scenario->duration_ns;

    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        if (!world->accuracy.keys[key].has_windows) {
            sim_sampling_key(world, key, now_ns);
        }
    }
    if (now_ns < duration_ns) {
        const uint64_t next_ns = now_ns + MINUTE_NS;
        sim_kernel_at(world->kernel, next_ns < duration_ns ? next_ns : duration_ns,
                      SIM_WORLD_TAG_SAMPLE_MINUTE);
    }
}

void sim_sampling_window(struct sim_world *world, uint32_t key, uint64_t now_ns)
{
    const uint64_t duration_ns = world->scenario->duration_ns;

    sim_sampling_key(world, key, now_ns);
    if (now_ns < duration_ns) {
        const uint64_t next_ns = now_ns + world->accuracy.keys[key].interval_ns;
        sim_kernel_at(world->kernel, next_ns < duration_ns ? next_ns : duration_ns,
                      SIM_WORLD_TAG_SAMPLE_KEY + key);
    }
}
