/* How fast the two kernels are: events and messages per second of processor time.
 *
 *   kernel_speed [SCALE]     SCALE multiplies the amount of work (default 1)
 *
 * Events: `population` of them are pending at any time; each schedules its successor at a
 * pseudo-random distance. Messages: `population` are under way at any time; each arrival makes its
 * receiver answer after a pseudo-random delay, so that on SimGrid a message costs a wait before its
 * departure and another until its arrival. Each case runs in a process of its own: SimGrid starts
 * only once per process, and memory comes fresh. */
#include "kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESS_COUNT 50
#define SHARD_COUNT 10
#define ONE_WAY_NS 250000
#define SPREAD_NS 1000000 /* of the distances between events and of the delays of answers */

enum speed_work {
    SPEED_EVENTS = 0,
    SPEED_MESSAGES,
};

struct speed_case {
    enum sim_kernel_kind kind;
    enum speed_work work;
    uint64_t bandwidth_bytes_per_s;
    uint32_t population;
    uint64_t dispatch_count;
};

struct speed_run {
    struct sim_kernel *kernel;
    uint64_t random;
    uint64_t left_count; /* dispatches until the end */
};

static uint64_t speed_distance_ns(struct speed_run *run)
{
    run->random = run->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 1 + (run->random >> 33) % SPREAD_NS;
}

static void speed_count(struct speed_run *run)
{
    if (--run->left_count == 0) {
        sim_kernel_stop(run->kernel);
    }
}

static void speed_on_event(void *context, uint64_t now_ns, uint64_t tag)
{
    struct speed_run *run = context;

    sim_kernel_at(run->kernel, now_ns + speed_distance_ns(run), tag);
    speed_count(run);
}

static void speed_on_message(void *context, uint64_t now_ns, const struct sim_message *message)
{
    struct speed_run *run = context;
    struct sim_message answer = *message;

    answer.from = message->to;
    answer.to = message->from;
    sim_kernel_send(run->kernel, now_ns + speed_distance_ns(run), &answer);
    speed_count(run);
}

static void speed_populate(struct speed_run *run, const struct speed_case *speed)
{
    for (uint32_t i = 0; i < speed->population; i++) {
        struct sim_message message = {
            .from = i % PROCESS_COUNT,
            .to = PROCESS_COUNT + i % SHARD_COUNT,
            .size_bytes = 100,
        };

        switch (speed->work) {
        case SPEED_EVENTS:
            sim_kernel_at(run->kernel, speed_distance_ns(run), i);
            break;
        case SPEED_MESSAGES:
            sim_kernel_send(run->kernel, speed_distance_ns(run), &message);
            break;
        }
    }
}

static double speed_clock_s(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int speed_measure(const struct speed_case *speed)
{
    struct speed_run run = {.random = 1, .left_count = speed->dispatch_count};
    struct sim_kernel_options options = {
        .kind = speed->kind,
        .process_count = PROCESS_COUNT,
        .shard_count = SHARD_COUNT,
        .one_way_ns = ONE_WAY_NS,
        .bandwidth_bytes_per_s = speed->bandwidth_bytes_per_s,
    };
    struct sim_kernel_handlers handlers = {&run, speed_on_event, speed_on_message};
    char error[160];

    run.kernel = sim_kernel_new(&options, &handlers, error, sizeof error);
    if (run.kernel == NULL) {
        fprintf(stderr, "kernel_speed: %s\n", error);
        return EXIT_FAILURE;
    }
    speed_populate(&run, speed);
    double begin_s = speed_clock_s();
    bool is_done = sim_kernel_run(run.kernel);
    double elapsed_s = speed_clock_s() - begin_s;

    printf("%-8s  %-8s  %9" PRIu64 "  %10" PRIu32 "  %10" PRIu64 "  %10.0f  %8.0f\n",
           speed->kind == SIM_KERNEL_HEAP ? "heap" : "simgrid",
           speed->work == SPEED_EVENTS ? "events" : "messages", speed->bandwidth_bytes_per_s,
           speed->population, speed->dispatch_count, (double)speed->dispatch_count / elapsed_s,
           elapsed_s * 1e9 / (double)speed->dispatch_count);
    sim_kernel_free(run.kernel);
    return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Run `speed` in a child; returns true if the child succeeded. */
static bool speed_fork(const struct speed_case *speed)
{
    int status = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        exit(speed_measure(speed));
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct speed_case CASES[] = {
        {SIM_KERNEL_HEAP, SPEED_EVENTS, 0, 50, 20000000},
        {SIM_KERNEL_HEAP, SPEED_EVENTS, 0, 500, 20000000},
        {SIM_KERNEL_HEAP, SPEED_EVENTS, 0, 5000, 20000000},
        {SIM_KERNEL_HEAP, SPEED_MESSAGES, 0, 50, 20000000},
        {SIM_KERNEL_HEAP, SPEED_MESSAGES, 0, 500, 20000000},
        {SIM_KERNEL_HEAP, SPEED_MESSAGES, 0, 5000, 20000000},
        {SIM_KERNEL_SIMGRID, SPEED_EVENTS, 0, 50, 1000000},
        {SIM_KERNEL_SIMGRID, SPEED_EVENTS, 0, 5000, 1000000},
        {SIM_KERNEL_SIMGRID, SPEED_MESSAGES, 0, 50, 300000},
        {SIM_KERNEL_SIMGRID, SPEED_MESSAGES, 0, 500, 300000},
        {SIM_KERNEL_SIMGRID, SPEED_MESSAGES, 0, 5000, 100000},
        {SIM_KERNEL_SIMGRID, SPEED_MESSAGES, 10000000, 50, 300000},
        {SIM_KERNEL_SIMGRID, SPEED_MESSAGES, 10000000, 500, 300000},
    };
    double scale = argc > 1 ? strtod(argv[1], NULL) : 1;
    bool is_good = scale > 0;

    puts("kernel    work      bytes/s    population  dispatches  dispatch/s  ns/each");
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0] && is_good; i++) {
        struct speed_case speed = CASES[i];

        speed.dispatch_count = 1 + (uint64_t)((double)speed.dispatch_count * scale);
        is_good = speed_fork(&speed);
    }
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
