/* The kernel on top of SimGrid, and the only file that knows SimGrid.
 *
 * Actors. The driver runs the handlers: it waits for the first entry of its queue or for an
 * arrival, whichever comes first, and dispatches what is due. To hand a message to its link it
 * moves to the sender's host, since that is where SimGrid's route begins. A receiver on the other
 * host waits for messages, puts them into the driver's queue and wakes it. All of them end by
 * returning: nothing depends on SimGrid's handling of deadlocks or daemons.
 *
 * Channels. A mailbox delivers in order of sending, and one message late in it delays those behind
 * it. Where all messages take equally long, a node needs only one mailbox. Where bandwidth is
 * limited, each pair of nodes has one in each direction, and behaves like one TCP connection.
 *
 * Time. Without contention a message arrives exactly one_way_ns after it left; this is asserted for
 * each. With contention it may arrive between two nanoseconds and is dispatched on the second,
 * after everything else that arrived since the first.
 *
 * Order. What happens at one instant surfaces in a few rounds of SimGrid's scheduler: the driver
 * lets them pass before the first message of the instant. An arrival that surfaced later yet would
 * fail an assertion of the dispatch. */
#include "kernel_platform.h"
#include "kernel_private.h"
#include "weir/assert.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>
#include <simgrid/version.h>

/* SimGrid counts seconds in a double: up to here (11 days) it tells nanoseconds apart. */
#define TIME_NS_MAX UINT64_C(1000000000000000)

/* SimGrid treats as one instant what is closer than this: "precision" in ENGINE_ARGUMENTS. */
#define PRECISION_NS 0.1

/* A sleep until a whole nanosecond ends within this of it. */
#define CLOCK_ERROR_NS 0.01

/* The handlers run on it. Receivers do with what ENGINE_ARGUMENTS says. */
#define DRIVER_STACK_KIB 8192

/* Each receiver has a stack, two mappings of memory, and Linux grants 65,530 of those. */
#define CHANNEL_COUNT_MAX 30000

/* Rounds without an arrival after which there is none. A receiver with more at hand takes up to two
 * rounds for each, and may have its turn after the driver's: three are needed, one is to spare. */
#define QUIET_ROUND_COUNT 4

#if defined(__SANITIZE_ADDRESS__)
#define IS_ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_ADDRESS_SANITIZED 1
#endif
#endif
#ifndef IS_ADDRESS_SANITIZED
#define IS_ADDRESS_SANITIZED 0
#endif

struct simgrid_kernel;

struct simgrid_channel {
    struct simgrid_kernel *kernel;
    sg_mailbox_t mailbox;
    uint32_t to;
    bool is_ready; /* the receiver is there */
};

struct simgrid_kernel {
    struct sim_kernel base;
    sg_host_t *hosts;                  /* by node; owned */
    struct simgrid_channel **channels; /* by channel_index; NULL until needed; owned */
    size_t channel_count;
    double latency_s;     /* of each link */
    sg_sem_t wakeup;      /* acquired by the driver alone */
    bool is_woken;        /* a release of wakeup is on its way to the driver */
    uint32_t driver_node; /* where the driver is */
    uint64_t in_flight_count;
    uint64_t arrived_count;
    bool is_run;      /* at most once */
    bool is_complete; /* the driver came to its end */
};

static bool engine_is_started; /* SimGrid can be initialised once per process */

static double seconds(uint64_t time_ns)
{
    return (double)time_ns / 1e9;
}

/* The instant up to which the driver may dispatch. */
static uint64_t simgrid_clock_ns(const struct simgrid_kernel *kernel)
{
    double clock_ns = simgrid_get_clock() * 1e9;

    if (sim_kernel_latency_is_exact(&kernel->base)) {
        return (uint64_t)llround(clock_ns);
    }
    return (uint64_t)floor(clock_ns + CLOCK_ERROR_NS);
}

/* The instant at which a message that has just arrived is dispatched. */
static uint64_t simgrid_arrival_ns(const struct simgrid_kernel *kernel)
{
    double clock_ns = simgrid_get_clock() * 1e9;

    if (sim_kernel_latency_is_exact(&kernel->base)) {
        return (uint64_t)llround(clock_ns);
    }
    return (uint64_t)ceil(clock_ns - PRECISION_NS);
}

static void receiver_accept(struct simgrid_kernel *kernel, struct sim_kernel_entry *flight)
{
    uint64_t arrival_ns = simgrid_arrival_ns(kernel);

    if (sim_kernel_latency_is_exact(&kernel->base)) {
        WEIR_ASSERT(arrival_ns == flight->time_ns);
    }
    flight->time_ns = arrival_ns;
    sim_kernel_queue_push(&kernel->base.queue, flight);
    free(flight);
    kernel->in_flight_count--;
    kernel->arrived_count++;
}

static void receiver_main(int argc, char **argv)
{
    struct simgrid_channel *channel = sg_actor_self_get_data();
    struct simgrid_kernel *kernel = channel->kernel;
    (void)argc, (void)argv;

    /* From now on a message starts when it is put, not when the receiver next asks for one. */
    sg_mailbox_set_receiver(sg_mailbox_get_name(channel->mailbox));
    channel->is_ready = true;
    for (;;) {
        void *payload = sg_mailbox_get(channel->mailbox);

        if (payload == channel) { /* from receivers_end */
            sg_sem_release(kernel->wakeup);
            return;
        }
        receiver_accept(kernel, payload);
        if (!kernel->is_woken) {
            kernel->is_woken = true;
            sg_sem_release(kernel->wakeup);
        }
    }
}

static size_t channel_index(const struct sim_kernel *kernel, uint32_t to, uint32_t from)
{
    const struct sim_kernel_options *options = &kernel->options;
    bool is_to_shard = to >= options->process_count;
    uint32_t process = is_to_shard ? from : to;
    uint32_t shard = (is_to_shard ? to : from) - options->process_count;

    if (sim_kernel_latency_is_exact(kernel)) {
        return to;
    }
    return 2 * ((size_t)process * options->shard_count + shard) + (is_to_shard ? 1 : 0);
}

static struct simgrid_channel *channel_new(struct simgrid_kernel *kernel, size_t index, uint32_t to)
{
    struct simgrid_channel *channel = malloc(sizeof *channel);
    char name[32];

    WEIR_ASSERT(channel != NULL);
    snprintf(name, sizeof name, "channel-%zu", index);
    *channel =
        (struct simgrid_channel){.kernel = kernel, .mailbox = sg_mailbox_by_name(name), .to = to};
    sg_actor_t receiver = sg_actor_init(name, kernel->hosts[to]);
    sg_actor_set_data(receiver, channel);
    sg_actor_start(receiver, receiver_main, 0, NULL);
    while (!channel->is_ready) {
        sg_actor_yield();
    }
    return channel;
}

static void driver_move(struct simgrid_kernel *kernel, uint32_t node)
{
    if (kernel->driver_node != node) {
        sg_actor_set_host(sg_actor_self(), kernel->hosts[node]);
        kernel->driver_node = node;
    }
}

/* The bytes that make a message that leaves now arrive on arrival_ns. */
static long wire_bytes(const struct simgrid_kernel *kernel, uint64_t arrival_ns)
{
    double rest_s = seconds(arrival_ns) - simgrid_get_clock() - kernel->latency_s;
    long bytes = lround(rest_s * SIM_KERNEL_WIRE_BYTES_PER_S);

    return bytes > 0 ? bytes : 1; /* a message without bytes would skip its latency */
}

static void driver_depart(struct simgrid_kernel *kernel, const struct sim_kernel_entry *departure)
{
    uint32_t to = sim_kernel_entry_to(departure);
    uint32_t from = sim_kernel_entry_from(departure);
    size_t index = channel_index(&kernel->base, to, from);
    struct sim_kernel_entry *flight = malloc(sizeof *flight);
    long bytes = departure->size_bytes;

    WEIR_ASSERT(flight != NULL);
    *flight = *departure;
    flight->rank = sim_kernel_rank(SIM_KERNEL_ENTRY_MESSAGE, to, from);
    flight->time_ns += kernel->base.options.one_way_ns;
    if (kernel->channels[index] == NULL) {
        kernel->channels[index] = channel_new(kernel, index, to);
    }
    driver_move(kernel, from);
    if (sim_kernel_latency_is_exact(&kernel->base)) {
        bytes = wire_bytes(kernel, flight->time_ns);
    }
    sg_comm_detach(sg_mailbox_put_init(kernel->channels[index]->mailbox, flight, bytes), NULL);
    kernel->in_flight_count++;
}

/* Let everything surface that arrives at this instant. */
static void driver_settle(const struct simgrid_kernel *kernel)
{
    unsigned quiet_count = 0;

    while (quiet_count < QUIET_ROUND_COUNT) {
        uint64_t arrived_count = kernel->arrived_count;

        sg_actor_yield();
        quiet_count = kernel->arrived_count == arrived_count ? quiet_count + 1 : 0;
    }
}

static bool driver_is_due(const struct simgrid_kernel *kernel, uint64_t clock_ns)
{
    const struct sim_kernel_queue *queue = &kernel->base.queue;

    return !kernel->base.is_stopped && queue->count > 0 && queue->entries[0].time_ns <= clock_ns;
}

static void driver_dispatch(struct simgrid_kernel *kernel, uint64_t clock_ns)
{
    struct sim_kernel_queue *queue = &kernel->base.queue;
    bool is_settled = false;

    while (driver_is_due(kernel, clock_ns)) {
        if (sim_kernel_entry_kind(&queue->entries[0]) == SIM_KERNEL_ENTRY_MESSAGE && !is_settled) {
            driver_settle(kernel);
            is_settled = true;
            continue; /* another one may be the first now */
        }
        struct sim_kernel_entry entry = sim_kernel_queue_pop(queue);

        if (sim_kernel_entry_kind(&entry) == SIM_KERNEL_ENTRY_DEPARTURE) {
            driver_depart(kernel, &entry);
        } else {
            sim_kernel_base_dispatch(&kernel->base, &entry);
        }
    }
}

static void driver_wait_for_arrival(struct simgrid_kernel *kernel)
{
    sg_sem_acquire(kernel->wakeup);
    kernel->is_woken = false;
}

/* Until the first entry is due or a message arrives. */
static void driver_wait(struct simgrid_kernel *kernel)
{
    const struct sim_kernel_queue *queue = &kernel->base.queue;

    if (queue->count == 0) {
        driver_wait_for_arrival(kernel);
        return;
    }
    double timeout_s = seconds(queue->entries[0].time_ns) - simgrid_get_clock();

    /* Zero, where the clock is a rounding error short of its goal, would mean for ever. */
    timeout_s = fmax(timeout_s, PRECISION_NS / 1e9);
    if (sg_sem_acquire_timeout(kernel->wakeup, timeout_s) == 0) {
        kernel->is_woken = false;
    }
}

/* One after the other: SimGrid looks for each message that ends among all that are under way. */
static void receivers_end(struct simgrid_kernel *kernel)
{
    for (size_t i = 0; i < kernel->channel_count; i++) {
        struct simgrid_channel *channel = kernel->channels[i];

        if (channel != NULL) {
            driver_move(kernel, channel->to);
            sg_comm_detach(sg_mailbox_put_init(channel->mailbox, channel, 1), NULL);
            driver_wait_for_arrival(kernel);
        }
    }
}

static void driver_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct simgrid_kernel *kernel = sg_actor_self_get_data();
    struct sim_kernel *base = &kernel->base;
    bool is_in_time = true;

    while (!base->is_stopped && is_in_time && base->queue.count + kernel->in_flight_count > 0) {
        uint64_t clock_ns = simgrid_clock_ns(kernel);

        if (driver_is_due(kernel, clock_ns)) {
            driver_dispatch(kernel, clock_ns);
        } else {
            driver_wait(kernel);
        }
        is_in_time = base->queue.count == 0 || base->queue.entries[0].time_ns <= TIME_NS_MAX;
    }
    while (kernel->in_flight_count > 0) { /* nobody will see these */
        driver_wait_for_arrival(kernel);
    }
    receivers_end(kernel);
    kernel->is_complete = is_in_time;
}

static void simgrid_send(struct sim_kernel *base, uint64_t send_ns,
                         const struct sim_message *message)
{
    sim_kernel_base_push(base, SIM_KERNEL_ENTRY_DEPARTURE, send_ns, message);
}

static bool simgrid_kernel_run(struct sim_kernel *base)
{
    struct simgrid_kernel *kernel = (struct simgrid_kernel *)base;

    WEIR_ASSERT(!kernel->is_run);
    kernel->is_run = true;
    sg_actor_t driver = sg_actor_init("driver", kernel->hosts[0]);
    sg_actor_set_data(driver, kernel);
    sg_actor_set_stacksize(driver, DRIVER_STACK_KIB);
    sg_actor_start(driver, driver_main, 0, NULL);
    simgrid_run();
    return kernel->is_complete;
}

static void simgrid_free(struct sim_kernel *base)
{
    struct simgrid_kernel *kernel = (struct simgrid_kernel *)base;

    for (size_t i = 0; i < kernel->channel_count; i++) {
        free(kernel->channels[i]);
    }
    if (kernel->wakeup != NULL) {
        sg_sem_destroy(kernel->wakeup);
    }
    free(kernel->channels);
    free(kernel->hosts);
    sim_kernel_base_deinit(base);
    free(kernel);
}

static void simgrid_set_bandwidth(struct sim_kernel *kernel, uint32_t shard, uint64_t bytes_per_s)
{
    char name[SIM_KERNEL_HOST_NAME_SIZE];
    (void)kernel;

    sim_kernel_platform_link_name(SIM_KERNEL_TO_SHARD, shard, name);
    sg_link_set_bandwidth(sg_link_by_name(name), (double)bytes_per_s);
    sim_kernel_platform_link_name(SIM_KERNEL_FROM_SHARD, shard, name);
    sg_link_set_bandwidth(sg_link_by_name(name), (double)bytes_per_s);
}

static const struct sim_kernel_ops SIMGRID_OPS = {
    .send = simgrid_send,
    .run = simgrid_kernel_run,
    .free = simgrid_free,
    .set_bandwidth = simgrid_set_bandwidth,
};

static void engine_start(void)
{
    /* CM02 adds nothing to the latency of the links; gamma lifts the limit that a TCP window puts
     * on the rate. */
    static char ENGINE_ARGUMENTS[][40] = {
        "weir",
        "--log=root.thres:error",
        "--cfg=network/model:CM02",
        "--cfg=network/crosstraffic:no",
        "--cfg=network/TCP-gamma:1e18",
        "--cfg=contexts/stack-size:256",
#if SIMGRID_VERSION >= 33400
        "--cfg=precision/timing:1e-10",
#else
        "--cfg=surf/precision:1e-10",
#endif
#if IS_ADDRESS_SANITIZED
        "--cfg=contexts/factory:thread", /* the others swap stacks behind the sanitizer's back */
#endif
    };
    char *argv[sizeof ENGINE_ARGUMENTS / sizeof ENGINE_ARGUMENTS[0] + 1] = {0};
    int argc = sizeof ENGINE_ARGUMENTS / sizeof ENGINE_ARGUMENTS[0];
    struct sigaction interrupt;

    for (int i = 0; i < argc; i++) {
        argv[i] = ENGINE_ARGUMENTS[i];
    }
    sigaction(SIGINT, NULL, &interrupt); /* SimGrid replaces it */
    simgrid_init(&argc, argv);
    sigaction(SIGINT, &interrupt, NULL);
    engine_is_started = true;
}

static bool platform_load(const struct sim_kernel_options *options)
{
    int descriptor = sim_kernel_platform_open(options);
    char path[32];

    if (descriptor < 0) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor); /* SimGrid wants a file name */
    simgrid_load_platform(path);
    close(descriptor);
    return true;
}

static void hosts_find(struct simgrid_kernel *kernel)
{
    const struct sim_kernel_options *options = &kernel->base.options;

    for (uint32_t node = 0; node < options->process_count + options->shard_count; node++) {
        char name[SIM_KERNEL_HOST_NAME_SIZE];

        sim_kernel_platform_host_name(options, node, name);
        kernel->hosts[node] = sg_host_by_name(name);
        WEIR_ASSERT(kernel->hosts[node] != NULL);
    }
}

static size_t channel_count(const struct sim_kernel_options *options)
{
    if (options->bandwidth_bytes_per_s == 0) {
        return (size_t)options->process_count + options->shard_count;
    }
    return 2 * (size_t)options->process_count * options->shard_count;
}

static const char *simgrid_fault(const struct sim_kernel_options *options)
{
    if (engine_is_started) {
        return "SimGrid can be started only once per process";
    }
    if (channel_count(options) > CHANNEL_COUNT_MAX) {
        return "more receivers than SimGrid has room for (30,000); use the heap kernel";
    }
    return NULL;
}

struct sim_kernel *sim_kernel_simgrid_new(const struct sim_kernel_options *options, char *error,
                                          uint32_t error_size)
{
    const char *fault = simgrid_fault(options);
    struct simgrid_kernel *kernel;

    if (fault != NULL) {
        snprintf(error, error_size, "%s", fault);
        return NULL;
    }
    kernel = malloc(sizeof *kernel);
    WEIR_ASSERT(kernel != NULL);
    *kernel = (struct simgrid_kernel){
        .latency_s = sim_kernel_platform_latency_s(options),
        .channel_count = channel_count(options),
    };
    sim_kernel_base_init(&kernel->base, &SIMGRID_OPS, options);
    kernel->channels = calloc(kernel->channel_count, sizeof *kernel->channels);
    kernel->hosts =
        calloc((size_t)options->process_count + options->shard_count, sizeof *kernel->hosts);
    WEIR_ASSERT(kernel->channels != NULL);
    WEIR_ASSERT(kernel->hosts != NULL);
    engine_start();
    if (!platform_load(options)) {
        snprintf(error, error_size, "cannot write the platform to a memory file");
        simgrid_free(&kernel->base);
        return NULL;
    }
    hosts_find(kernel);
    kernel->wakeup = sg_sem_init(0);
    return &kernel->base;
}
