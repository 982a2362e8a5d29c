/* Faults that act of themselves, on nobody's message: on the memory of stores, and on links. */
#include "sampling.h"
#include "world.h"

static bool is_slow_link(const struct sim_world *world, const struct fault *fault)
{
    return fault->kind == FAULT_SLOW_LINK && world->scenario->bandwidth_bytes_per_s != 0;
}

/* When a link next becomes slower or faster, from from_ns on. */
static uint64_t next_link_ns(const struct sim_world *world, uint64_t from_ns)
{
    const struct fault_list *faults = &world->scenario->faults;
    uint64_t first_ns = UINT64_MAX;

    for (size_t i = 0; i < faults->count; i++) {
        const struct fault_list one = {.faults = &faults->faults[i], .count = 1};
        if (!is_slow_link(world, one.faults)) {
            continue;
        }
        const uint64_t at_ns = from_ns == 0 ? 0 : fault_next_change_ns(&one, from_ns - 1);
        first_ns = at_ns < first_ns ? at_ns : first_ns;
    }
    return first_ns;
}

/* The least of what the scenario and its faults leave of the shard's bandwidth. */
static void set_bandwidth(struct sim_world *world, uint32_t shard, uint64_t now_ns)
{
    const struct fault_list *faults = &world->scenario->faults;
    uint64_t bytes_per_s = world->scenario->bandwidth_bytes_per_s;

    for (size_t i = 0; i < faults->count; i++) {
        const struct fault *fault = &faults->faults[i];
        if (!is_slow_link(world, fault) || !fault_is_active(fault, now_ns) ||
            !fault_set_holds(&fault->shards, shard)) {
            continue;
        }
        if (fault->bytes_per_s < bytes_per_s) {
            bytes_per_s = fault->bytes_per_s;
            fault_struck(faults, i);
        }
    }
    sim_kernel_set_bandwidth(world->kernel, shard, bytes_per_s);
}

static uint64_t next_fault_ns(const struct sim_world *world, uint64_t from_ns)
{
    const uint64_t store_ns = sim_store_next_fault_ns(&world->store, from_ns);
    const uint64_t link_ns = next_link_ns(world, from_ns);

    return store_ns < link_ns ? store_ns : link_ns;
}

void sim_world_fault_schedule(struct sim_world *world, uint64_t from_ns)
{
    const uint64_t at_ns = next_fault_ns(world, from_ns);

    if (at_ns < world->scenario->duration_ns) {
        sim_kernel_at(world->kernel, at_ns, SIM_WORLD_TAG_FAULT);
    }
}

/* What the store had until now is noted before it is gone. */
static void change_stores(struct sim_world *world, uint64_t now_ns)
{
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        sim_sampling_key(world, key, now_ns);
        sim_polling_before_serving(&world->polling, &world->store, key, now_ns);
    }
    sim_watch_advance(&world->watch, &world->store, now_ns);
    sim_store_fault(&world->store, now_ns);
}

void sim_world_fault_event(struct sim_world *world, uint64_t now_ns)
{
    if (sim_store_next_fault_ns(&world->store, now_ns) == now_ns) {
        change_stores(world, now_ns);
    }
    if (next_link_ns(world, now_ns) == now_ns) {
        for (uint32_t shard = 0; shard < world->scenario->shard_count; shard++) {
            set_bandwidth(world, shard, now_ns);
        }
    }
    sim_world_fault_schedule(world, now_ns + 1);
}
