/* Laying a limiter out in the caller's memory, and its plans and weights. */
#include "limiter_private.h"

#define CACHE_LINE 64

/* Where each part lies in the caller's memory. */
struct layout {
    size_t hot;
    size_t cold;
    size_t degraded;
    size_t plans;
    size_t plan_deleted;
    size_t waiters;
    size_t directs;
    size_t direct_heads;
    size_t weight_versions;
    size_t weights;
    size_t index;
    size_t heap;
    size_t end;
    uint32_t index_size;
};

static bool options_are_valid(const struct weir_limiter_options *options)
{
    return options->key_capacity >= 1 && options->key_capacity <= WEIR_KEYS_MAX &&
           options->plan_capacity >= 1 && options->plan_capacity <= UINT16_MAX &&
           options->endpoint_capacity <= UINT16_MAX && options->waiter_capacity >= 1 &&
           options->waiter_capacity <= WEIR_WAITERS_MAX &&
           (unsigned)options->full_table <= WEIR_FULL_TABLE_PER_REQUEST;
}

static size_t place(size_t *end, size_t count, size_t size)
{
    const size_t at = (*end + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

    *end = at + count * size;
    return at;
}

static struct layout layout_of(const struct weir_limiter_options *options)
{
    struct layout layout = {.index_size = 4, .end = sizeof(struct weir_limiter)};

    while (layout.index_size / 5 * 4 < options->key_capacity) {
        layout.index_size *= 2;
    }
    layout.hot = place(&layout.end, options->key_capacity, sizeof(struct hot));
    layout.cold = place(&layout.end, options->key_capacity, sizeof(struct cold));
    layout.degraded = place(&layout.end, options->key_capacity, sizeof(struct degraded));
    layout.plans = place(&layout.end, options->plan_capacity, sizeof(struct weir_plan));
    layout.plan_deleted = place(&layout.end, options->plan_capacity, sizeof(bool));
    layout.waiters = place(&layout.end, options->waiter_capacity, sizeof(struct waiter));
    layout.directs = place(&layout.end, options->waiter_capacity, sizeof(struct direct));
    layout.direct_heads =
        place(&layout.end, direct_head_count(options->waiter_capacity), sizeof(uint32_t));
    layout.weight_versions = place(&layout.end, options->endpoint_capacity, sizeof(uint64_t));
    layout.weights = place(&layout.end, options->endpoint_capacity, sizeof(uint32_t));
    layout.index = place(&layout.end, layout.index_size, sizeof(uint32_t));
    layout.heap = place(&layout.end, options->key_capacity, sizeof(uint32_t));
    return layout;
}

size_t weir_limiter_size(const struct weir_limiter_options *options)
{
    return options_are_valid(options) ? layout_of(options).end : 0;
}

enum weir_status weir_limiter_init(struct weir_limiter **limiter, void *memory, size_t memory_size,
                                   const struct weir_limiter_options *options)
{
    *limiter = NULL;
    if (!options_are_valid(options)) {
        return WEIR_ERR_ARGUMENT;
    }
    const struct layout layout = layout_of(options);
    if (memory == NULL || memory_size < layout.end || (uintptr_t)memory % CACHE_LINE != 0) {
        return WEIR_ERR_MEMORY_SIZE;
    }

    unsigned char *base = memory;
    struct weir_limiter *made = memory;
    *made = (struct weir_limiter){
        .options = *options,
        .hot = (void *)(base + layout.hot),
        .cold = (void *)(base + layout.cold),
        .degraded = (void *)(base + layout.degraded),
        .plans = (void *)(base + layout.plans),
        .plan_deleted = (void *)(base + layout.plan_deleted),
        .waiters = (void *)(base + layout.waiters),
        .directs = (void *)(base + layout.directs),
        .direct_heads = (void *)(base + layout.direct_heads),
        .weight_versions = (void *)(base + layout.weight_versions),
        .weights = (void *)(base + layout.weights),
        .index = (void *)(base + layout.index),
        .index_mask = layout.index_size - 1,
        .heap = (void *)(base + layout.heap),
        .free_slot = SLOT_NONE,
        .ask_first = SLOT_NONE,
        .ask_last = SLOT_NONE,
    };
    for (uint32_t i = 0; i < options->plan_capacity; i++) {
        made->plans[i] = (struct weir_plan){0};
        made->plan_deleted[i] = false;
    }
    for (uint32_t i = 0; i < options->endpoint_capacity; i++) {
        made->weights[i] = 1;
        made->weight_versions[i] = 0;
    }
    for (uint32_t i = 0; i < layout.index_size; i++) {
        made->index[i] = 0;
    }
    if (made->options.process_count == 0) {
        made->options.process_count = 1;
    }
    waiting_init(made);
    direct_init(made);
    *limiter = made;
    return WEIR_OK;
}

struct weir_plan plan_for_ask(const struct weir_limiter *limiter, uint32_t plan_index,
                              uint64_t assigned_version)
{
    struct weir_plan plan = limiter->plans[plan_index];

    if (assigned_version > plan.version) {
        plan.version = assigned_version;
        plan.since_us = 0;
    }
    return plan;
}

void plan_forget_denial(struct weir_limiter *limiter, uint32_t slot)
{
    limiter->hot[slot].deny_units = UINT32_MAX;
    limiter->hot[slot].deny_until_ns = 0;
    limiter->cold[slot].retry_us = 0;
}

/* Leases granted under the old plan are no more than the new one would allow to be out. */
static bool leases_stay(const struct weir_plan *old, const struct weir_plan *plan)
{
    return old->algorithm == plan->algorithm && old->sizer == plan->sizer &&
           old->window_us == plan->window_us && old->limit_units <= plan->limit_units &&
           old->capacity_units <= plan->capacity_units;
}

/* What was denied under the old numbers may be admitted under the new ones. */
static void tell_slots(struct weir_limiter *limiter, uint32_t plan_index, bool recall)
{
    for (uint32_t slot = 0; slot < limiter->used_slots; slot++) {
        if ((limiter->hot[slot].flags & HOT_USED) == 0 ||
            limiter->hot[slot].plan_index != plan_index) {
            continue;
        }
        plan_forget_denial(limiter, slot);
        if (recall) {
            lease_recall(limiter, slot);
        }
    }
}

enum weir_status weir_limiter_set_plan(struct weir_limiter *limiter, uint32_t plan_index,
                                       const struct weir_plan *plan)
{
    if (plan_index >= limiter->options.plan_capacity) {
        return WEIR_ERR_PLAN_INDEX;
    }
    const struct weir_plan old = limiter->plans[plan_index];
    if (plan->version <= old.version) {
        return WEIR_ERR_STALE_VERSION;
    }
    limiter->plans[plan_index] = *plan;
    limiter->plan_deleted[plan_index] = false;
    tell_slots(limiter, plan_index, !leases_stay(&old, plan));
    return WEIR_OK;
}

enum weir_status weir_limiter_delete_plan(struct weir_limiter *limiter, uint32_t plan_index,
                                          uint64_t version)
{
    if (plan_index >= limiter->options.plan_capacity) {
        return WEIR_ERR_PLAN_INDEX;
    }
    if (version <= limiter->plans[plan_index].version) {
        return WEIR_ERR_STALE_VERSION;
    }
    limiter->plans[plan_index].version = version;
    limiter->plan_deleted[plan_index] = true;
    tell_slots(limiter, plan_index, true);
    return WEIR_OK;
}

enum weir_status weir_limiter_set_weight(struct weir_limiter *limiter, uint32_t endpoint,
                                         uint32_t weight_units, uint64_t version)
{
    if (endpoint >= limiter->options.endpoint_capacity) {
        return WEIR_ERR_ARGUMENT;
    }
    if (version <= limiter->weight_versions[endpoint]) {
        return WEIR_ERR_STALE_VERSION;
    }
    limiter->weights[endpoint] = weight_units;
    limiter->weight_versions[endpoint] = version;
    return WEIR_OK;
}
