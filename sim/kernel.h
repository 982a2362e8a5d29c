/* The kernel: virtual time, timed events and messages between nodes. Two implementations (SimGrid,
 * a plain event heap) stand behind this one interface; the world is written once on top of it.
 *
 * Nodes are numbered: processes 0 .. process_count-1, then store shards. Links join processes with
 * shards only. Order of dispatch: by time; at one instant all events come before all messages;
 * events by (tag), messages by (to, from, order of sending). Both kernels keep this order, so that
 * a contention-free scenario gives the same trace on either.
 *
 * Times are true nanoseconds from the start of the run. Handlers run at `now`; they may call at,
 * send and stop. */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct sim_kernel;

enum sim_kernel_kind {
    SIM_KERNEL_SIMGRID = 0,
    SIM_KERNEL_HEAP,
};

/* "simgrid", "heap" */
const char *sim_kernel_name(enum sim_kernel_kind kind);

struct sim_kernel_options {
    enum sim_kernel_kind kind;
    uint32_t process_count;
    uint32_t shard_count;
    uint64_t one_way_ns; /* latency of every link, each way; at least 1 */

    /* Of each shard's link, shared by all its messages, each way apart; 0: unlimited.
     * The heap kernel has no contention and refuses anything but 0. */
    uint64_t bandwidth_bytes_per_s;
};

struct sim_message {
    uint32_t from;
    uint32_t to;
    uint32_t size_bytes; /* >= 1; only matters where bandwidth is limited */
    void *payload;       /* not owned by the kernel */
};

struct sim_kernel_handlers {
    void *context;
    void (*on_event)(void *context, uint64_t now_ns, uint64_t tag);
    void (*on_message)(void *context, uint64_t now_ns, const struct sim_message *message);
};

/* Returns NULL, with a one-line reason in `error` (error_size bytes), if the options cannot be met.
 * At most one SimGrid kernel per process life: the engine cannot be started twice. */
struct sim_kernel *sim_kernel_new(const struct sim_kernel_options *options,
                                  const struct sim_kernel_handlers *handlers, char *error,
                                  uint32_t error_size);
void sim_kernel_free(struct sim_kernel *kernel);

uint64_t sim_kernel_now_ns(const struct sim_kernel *kernel);

/* Dispatch on_event(tag) at time_ns >= now. */
void sim_kernel_at(struct sim_kernel *kernel, uint64_t time_ns, uint64_t tag);

/* Hand `message` to its link at send_ns >= now. It arrives one_way_ns later, or later still if
 * bandwidth is limited: then the messages from one node to another also keep the order of their
 * send_ns. */
void sim_kernel_send(struct sim_kernel *kernel, uint64_t send_ns,
                     const struct sim_message *message);

/* From now on each of a shard's two links carries bytes_per_s (at least 1), what is on them
 * included. Requires limited bandwidth. */
void sim_kernel_set_bandwidth(struct sim_kernel *kernel, uint32_t shard, uint64_t bytes_per_s);

/* Dispatch until nothing is left to do or sim_kernel_stop is called; what is left then is never
 * dispatched. At most once per kernel. Returns false if the kernel itself failed: SimGrid's clock
 * is too coarse after 1e15 ns (11 days). */
bool sim_kernel_run(struct sim_kernel *kernel);
void sim_kernel_stop(struct sim_kernel *kernel);

/* True if every message arrives at send_ns + one_way_ns exactly (no contention is modelled). */
bool sim_kernel_latency_is_exact(const struct sim_kernel *kernel);

#endif
