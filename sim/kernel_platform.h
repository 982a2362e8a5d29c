/* The network of the SimGrid kernel, as the XML that SimGrid reads.
 *
 * One host per node and a route from each process to each shard. Every route crosses one link.
 * Without contention that is the process's wire, a FATPIPE: whatever is on it has all its
 * bandwidth. With contention it is one of the shard's two links, to it and from it, and shared.
 *
 * One wire for all processes would do, but SimGrid's time to share out a FATPIPE grows with the
 * square of what is on it at one instant. */
#ifndef SIM_KERNEL_PLATFORM_H
#define SIM_KERNEL_PLATFORM_H

#include "kernel.h"

#include <stdint.h>

#define SIM_KERNEL_HOST_NAME_SIZE 24     /* bytes, with the terminating zero */
#define SIM_KERNEL_WIRE_BYTES_PER_S 1e15 /* at this rate 1e6 bytes are one nanosecond long */

/* Without contention a message spends the last quarter of a nanosecond on its bytes, not on
 * latency: by choosing their number the kernel places each arrival on its own nanosecond, so that
 * rounding errors never add up. */
#define SIM_KERNEL_WIRE_BYTES_S 0.25e-9

/* Latency of each link in seconds, to the last bit as SimGrid reads it. */
double sim_kernel_platform_latency_s(const struct sim_kernel_options *options);

void sim_kernel_platform_host_name(const struct sim_kernel_options *options, uint32_t node,
                                   char name[SIM_KERNEL_HOST_NAME_SIZE]);

/* Of the shard's link in one direction, with limited bandwidth. */
enum sim_kernel_direction {
    SIM_KERNEL_TO_SHARD = 0,
    SIM_KERNEL_FROM_SHARD,
};
void sim_kernel_platform_link_name(enum sim_kernel_direction direction, uint32_t shard,
                                   char name[SIM_KERNEL_HOST_NAME_SIZE]);

/* Returns a descriptor of a nameless file that holds the platform, or -1. Ownership: the caller
 * closes it. */
int sim_kernel_platform_open(const struct sim_kernel_options *options);

#endif
