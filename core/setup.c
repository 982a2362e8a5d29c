/* Laying a limiter out in the caller's memory, and its plans and weights. */
#include "history.h"
#include "limiter_private.h"

#define CACHE_LINE 64
#define ASK_CAPACITY 4096u
#define BREAKER_FAILURES 5u

/* Where each part lies in the caller's memory. */
struct layout {
    size_t hot;
    size_t cold;
    size_t degraded;
    size_t histories;
    size_t plans;
    size_t plan_deleted;
    size_t waiters;
    size_t directs;
    size_t flights;
    size_t flight_heads;
    size_t breakers;
    size_t queues;
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
           options->history_capacity <= options->key_capacity && options->plan_capacity >= 1 &&
           options->plan_capacity <= UINT16_MAX && options->endpoint_capacity <= UINT16_MAX &&
           options->waiter_capacity >= 1 && options->waiter_capacity <= WEIR_WAITERS_MAX &&
           (unsigned)options->full_table <= WEIR_FULL_TABLE_PER_REQUEST &&
           options->shard_count <= WEIR_SHARDS_MAX && options->ask_capacity <= WEIR_WAITERS_MAX;
}

static uint64_t value_or(uint64_t value, uint64_t otherwise)
{
    return value == 0 ? otherwise : value;
}

static struct weir_limiter_options with_defaults(const struct weir_limiter_options *options)
{
    struct weir_limiter_options all = *options;

    all.shard_count = (uint32_t)value_or(all.shard_count, 1);
    all.ask_capacity = (uint32_t)value_or(all.ask_capacity, ASK_CAPACITY);
    all.process_count = (uint32_t)value_or(all.process_count, 1);
    all.breaker_failures = (uint32_t)value_or(all.breaker_failures, BREAKER_FAILURES);
    all.wait_max_ns = value_or(all.wait_max_ns, WEIR_WAIT_MAX_NS);
    all.ask_timeout_ns = value_or(all.ask_timeout_ns, WEIR_ASK_TIMEOUT_NS);
    return all;
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
    layout.histories = place(&layout.end, options->history_capacity, sizeof(struct history));
    layout.plans = place(&layout.end, options->plan_capacity, sizeof(struct weir_plan));
    layout.plan_deleted = place(&layout.end, options->plan_capacity, sizeof(bool));
    layout.waiters = place(&layout.end, options->waiter_capacity, sizeof(struct waiter));
    layout.directs = place(&layout.end, options->waiter_capacity, sizeof(struct direct));
    layout.flights = place(&layout.end, options->ask_capacity, sizeof(struct flight));
    layout.flight_heads =
        place(&layout.end, flight_head_count(options->ask_capacity), sizeof(uint32_t));
    layout.breakers = place(&layout.end, options->shard_count, sizeof(struct breaker));
    layout.queues = place(&layout.end, QUEUE_HELD + options->shard_count, sizeof(struct ask_queue));
    layout.weight_versions = place(&layout.end, options->endpoint_capacity, sizeof(uint64_t));
    layout.weights = place(&layout.end, options->endpoint_capacity, sizeof(uint32_t));
    layout.index = place(&layout.end, layout.index_size, sizeof(uint32_t));
    layout.heap = place(&layout.end, deadline_capacity(options), sizeof(uint32_t));
    return layout;
}

size_t weir_limiter_size(const struct weir_limiter_options *options)
{
    if (!options_are_valid(options)) {
        return 0;
    }
    const struct weir_limiter_options all = with_defaults(options);
    return layout_of(&all).end;
}

/* Where its options say that they are. */
static void find_parts(struct weir_limiter *limiter)
{
    const struct layout layout = layout_of(&limiter->options);
    unsigned char *base = (unsigned char *)limiter;

    limiter->hot = (void *)(base + layout.hot);
    limiter->cold = (void *)(base + layout.cold);
    limiter->degraded = (void *)(base + layout.degraded);
    limiter->histories = (void *)(base + layout.histories);
    limiter->plans = (void *)(base + layout.plans);
    limiter->plan_deleted = (void *)(base + layout.plan_deleted);
    limiter->waiters = (void *)(base + layout.waiters);
    limiter->directs = (void *)(base + layout.directs);
    limiter->flights = (void *)(base + layout.flights);
    limiter->flight_heads = (void *)(base + layout.flight_heads);
    limiter->breakers = (void *)(base + layout.breakers);
    limiter->queues = (void *)(base + layout.queues);
    limiter->weight_versions = (void *)(base + layout.weight_versions);
    limiter->weights = (void *)(base + layout.weights);
    limiter->index = (void *)(base + layout.index);
    limiter->index_mask = layout.index_size - 1;
    limiter->heap = (void *)(base + layout.heap);
}

/* Without a key, an ask or a request. */
static void start(struct weir_limiter *limiter, const struct weir_limiter_options *options)
{
    *limiter = (struct weir_limiter){
        .options = *options,
        .inner_ns = options->start_ns,
        .free_slot = SLOT_NONE,
    };
    find_parts(limiter);
    for (uint32_t i = 0; i <= limiter->index_mask; i++) {
        limiter->index[i] = 0;
    }
    waiting_init(limiter);
    direct_init(limiter);
    history_init(limiter);
    ask_queue_init(limiter);
    flight_init(limiter);
    breaker_init(limiter);
}

enum weir_status weir_limiter_init(struct weir_limiter **limiter, void *memory, size_t memory_size,
                                   const struct weir_limiter_options *options)
{
    *limiter = NULL;
    if (!options_are_valid(options)) {
        return WEIR_ERR_ARGUMENT;
    }
    const struct weir_limiter_options all = with_defaults(options);
    if (memory == NULL || memory_size < layout_of(&all).end ||
        (uintptr_t)memory % CACHE_LINE != 0) {
        return WEIR_ERR_MEMORY_SIZE;
    }

    struct weir_limiter *made = memory;
    start(made, &all);
    for (uint32_t i = 0; i < options->plan_capacity; i++) {
        made->plans[i] = (struct weir_plan){0};
        made->plan_deleted[i] = false;
    }
    for (uint32_t i = 0; i < options->endpoint_capacity; i++) {
        made->weights[i] = 1;
        made->weight_versions[i] = 0;
    }
    *limiter = made;
    return WEIR_OK;
}

void weir_limiter_reincarnate(struct weir_limiter *limiter, uint64_t now_ns, uint32_t process,
                              uint64_t incarnation)
{
    struct weir_limiter_options options = limiter->options;

    options.process = process;
    options.incarnation = incarnation;
    options.start_ns = now_ns;
    start(limiter, &options);
}

struct weir_limiter *weir_limiter_relocate(void *memory)
{
    struct weir_limiter *limiter = memory;

    find_parts(limiter);
    return limiter;
}

void weir_limiter_set_process_count(struct weir_limiter *limiter, uint32_t process_count)
{
    limiter->options.process_count = process_count == 0 ? 1 : process_count;
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
        history_forget(limiter, slot);
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
