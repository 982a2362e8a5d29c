#include "kernel.h"

#include "kernel_private.h"
#include "weir/assert.h"

#include <inttypes.h>
#include <stdio.h>

const char *sim_kernel_name(enum sim_kernel_kind kind)
{
    return kind == SIM_KERNEL_HEAP ? "heap" : "simgrid";
}

static uint32_t kernel_node_count(const struct sim_kernel_options *options)
{
    return options->process_count + options->shard_count;
}

static const char *options_fault(const struct sim_kernel_options *options)
{
    if (options->process_count == 0 || options->shard_count == 0) {
        return "a kernel needs at least one process and one shard";
    }
    if ((uint64_t)options->process_count + options->shard_count > SIM_KERNEL_NODE_COUNT_MAX) {
        return "too many nodes";
    }
    if (options->one_way_ns == 0) {
        return "one_way_ns must be at least 1: a message cannot arrive at the instant it is sent";
    }
    if (options->kind == SIM_KERNEL_HEAP && options->bandwidth_bytes_per_s != 0) {
        return "the heap kernel models no bandwidth; use the simgrid kernel";
    }
    return NULL;
}

struct sim_kernel *sim_kernel_new(const struct sim_kernel_options *options,
                                  const struct sim_kernel_handlers *handlers, char *error,
                                  uint32_t error_size)
{
    const char *fault = options_fault(options);
    struct sim_kernel *kernel = NULL;

    WEIR_ASSERT(handlers->on_event != NULL);
    WEIR_ASSERT(handlers->on_message != NULL);
    if (fault != NULL) {
        snprintf(error, error_size, "%s", fault);
        return NULL;
    }
    switch (options->kind) {
    case SIM_KERNEL_SIMGRID:
        kernel = sim_kernel_simgrid_new(options, error, error_size);
        break;
    case SIM_KERNEL_HEAP:
        kernel = sim_kernel_heap_new(options, error, error_size);
        break;
    }
    if (kernel != NULL) {
        kernel->handlers = *handlers;
    }
    return kernel;
}

void sim_kernel_free(struct sim_kernel *kernel)
{
    if (kernel != NULL) {
        kernel->ops->free(kernel);
    }
}

uint64_t sim_kernel_now_ns(const struct sim_kernel *kernel)
{
    return kernel->now_ns;
}

void sim_kernel_at(struct sim_kernel *kernel, uint64_t time_ns, uint64_t tag)
{
    struct sim_kernel_entry entry = {
        .time_ns = time_ns,
        .rank = sim_kernel_rank(SIM_KERNEL_ENTRY_EVENT, 0, 0),
        .order = tag,
    };

    WEIR_ASSERT(time_ns >= kernel->now_ns);
    sim_kernel_queue_push(&kernel->queue, &entry);
}

void sim_kernel_send(struct sim_kernel *kernel, uint64_t send_ns, const struct sim_message *message)
{
    const struct sim_kernel_options *options = &kernel->options;

    WEIR_ASSERT(send_ns >= kernel->now_ns);
    WEIR_ASSERT(send_ns <= UINT64_MAX - options->one_way_ns);
    WEIR_ASSERT(message->size_bytes >= 1);
    WEIR_ASSERT(message->from < kernel_node_count(options));
    WEIR_ASSERT(message->to < kernel_node_count(options));
    WEIR_ASSERT((message->from < options->process_count) != (message->to < options->process_count));
    kernel->ops->send(kernel, send_ns, message);
}

void sim_kernel_set_bandwidth(struct sim_kernel *kernel, uint32_t shard, uint64_t bytes_per_s)
{
    WEIR_ASSERT(kernel->options.bandwidth_bytes_per_s != 0);
    WEIR_ASSERT(shard < kernel->options.shard_count);
    WEIR_ASSERT(bytes_per_s >= 1);
    kernel->ops->set_bandwidth(kernel, shard, bytes_per_s);
}

bool sim_kernel_run(struct sim_kernel *kernel)
{
    return kernel->ops->run(kernel);
}

void sim_kernel_stop(struct sim_kernel *kernel)
{
    kernel->is_stopped = true;
}

bool sim_kernel_latency_is_exact(const struct sim_kernel *kernel)
{
    return kernel->options.bandwidth_bytes_per_s == 0;
}

void sim_kernel_base_init(struct sim_kernel *kernel, const struct sim_kernel_ops *ops,
                          const struct sim_kernel_options *options)
{
    *kernel = (struct sim_kernel){.ops = ops, .options = *options};
    sim_kernel_queue_init(&kernel->queue);
}

void sim_kernel_base_deinit(struct sim_kernel *kernel)
{
    sim_kernel_queue_deinit(&kernel->queue);
}

void sim_kernel_base_push(struct sim_kernel *kernel, enum sim_kernel_entry_kind kind,
                          uint64_t time_ns, const struct sim_message *message)
{
    struct sim_kernel_entry entry = {
        .time_ns = time_ns,
        .rank = sim_kernel_rank(kind, message->to, message->from),
        .order = kernel->sent_count++,
        .payload = message->payload,
        .size_bytes = message->size_bytes,
    };

    sim_kernel_queue_push(&kernel->queue, &entry);
}

static void dispatch_message(struct sim_kernel *kernel, const struct sim_kernel_entry *entry)
{
    struct sim_message message = {
        .from = sim_kernel_entry_from(entry),
        .to = sim_kernel_entry_to(entry),
        .size_bytes = entry->size_bytes,
        .payload = entry->payload,
    };

    /* Nothing sent now arrives now, so the messages of an instant are all known before the first.
     */
    WEIR_ASSERT(!sim_kernel_entry_precedes(entry, &kernel->last_message));
    kernel->last_message = *entry;
    kernel->handlers.on_message(kernel->handlers.context, entry->time_ns, &message);
}

void sim_kernel_base_dispatch(struct sim_kernel *kernel, const struct sim_kernel_entry *entry)
{
    WEIR_ASSERT(entry->time_ns >= kernel->now_ns);
    WEIR_ASSERT(sim_kernel_entry_kind(entry) != SIM_KERNEL_ENTRY_DEPARTURE);
    kernel->now_ns = entry->time_ns;
    if (sim_kernel_entry_kind(entry) == SIM_KERNEL_ENTRY_MESSAGE) {
        dispatch_message(kernel, entry);
    } else {
        kernel->handlers.on_event(kernel->handlers.context, entry->time_ns, entry->order);
    }
}
