/* What both kernels share: the queue, the clock they show to the handlers, and the dispatch of one
 * entry. Private to kernel*.c. */
#ifndef SIM_KERNEL_PRIVATE_H
#define SIM_KERNEL_PRIVATE_H

#include "kernel.h"
#include "kernel_queue.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_kernel_ops {
    /* Queue a message whose sender, receiver and time have been checked. */
    void (*send)(struct sim_kernel *kernel, uint64_t send_ns, const struct sim_message *message);
    /* NULL: there is no bandwidth to set. */
    void (*set_bandwidth)(struct sim_kernel *kernel, uint32_t shard, uint64_t bytes_per_s);
    bool (*run)(struct sim_kernel *kernel);
    void (*free)(struct sim_kernel *kernel); /* releases the kernel itself, too */
};

/* The first member of each implementation. */
struct sim_kernel {
    const struct sim_kernel_ops *ops;
    struct sim_kernel_options options;
    struct sim_kernel_handlers handlers;
    struct sim_kernel_queue queue;
    uint64_t now_ns; /* time of the entry dispatched last */
    uint64_t sent_count;
    struct sim_kernel_entry last_message; /* dispatched last; all zero before the first */
    bool is_stopped;
};

/* Each returns NULL, with a reason in `error`, if it cannot start. Options have been checked. */
struct sim_kernel *sim_kernel_heap_new(const struct sim_kernel_options *options, char *error,
                                       uint32_t error_size);
struct sim_kernel *sim_kernel_simgrid_new(const struct sim_kernel_options *options, char *error,
                                          uint32_t error_size);

void sim_kernel_base_init(struct sim_kernel *kernel, const struct sim_kernel_ops *ops,
                          const struct sim_kernel_options *options);
void sim_kernel_base_deinit(struct sim_kernel *kernel);

/* Queue `message` as a message or a departure at time_ns. */
void sim_kernel_base_push(struct sim_kernel *kernel, enum sim_kernel_entry_kind kind,
                          uint64_t time_ns, const struct sim_message *message);

/* Hand an event or a message to its handler. Asserts that it does not come before what was
 * dispatched already. */
void sim_kernel_base_dispatch(struct sim_kernel *kernel, const struct sim_kernel_entry *entry);

#endif
