/* The plain kernel: a message is in the queue from the moment it is sent, at the time it will
 * arrive. No link, so no contention: sim_kernel_new refuses a bandwidth. */
#include "kernel_private.h"

#include <stdio.h>
#include <stdlib.h>

static void heap_send(struct sim_kernel *kernel, uint64_t send_ns,
                      const struct sim_message *message)
{
    sim_kernel_base_push(kernel, SIM_KERNEL_ENTRY_MESSAGE, send_ns + kernel->options.one_way_ns,
                         message);
}

static bool heap_run(struct sim_kernel *kernel)
{
    while (!kernel->is_stopped && kernel->queue.count > 0) {
        struct sim_kernel_entry entry = sim_kernel_queue_pop(&kernel->queue);

        sim_kernel_base_dispatch(kernel, &entry);
    }
    return true;
}

static void heap_free(struct sim_kernel *kernel)
{
    sim_kernel_base_deinit(kernel);
    free(kernel);
}

static const struct sim_kernel_ops HEAP_OPS = {
    .send = heap_send,
    .run = heap_run,
    .free = heap_free,
};

struct sim_kernel *sim_kernel_heap_new(const struct sim_kernel_options *options, char *error,
                                       uint32_t error_size)
{
    struct sim_kernel *kernel = malloc(sizeof *kernel);

    if (kernel == NULL) {
        snprintf(error, error_size, "out of memory");
        return NULL;
    }
    sim_kernel_base_init(kernel, &HEAP_OPS, options);
    return kernel;
}
