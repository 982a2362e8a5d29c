/* Batches against single calls: the processor time of a local decision, side by side.
 *
 *   batch_decide [KEYS]     keys held, each with a lease (default 1,000,000)
 *
 * The same million requests, each for a key chosen at random, are decided by single calls and in
 * batches of 64, five times in turn. All are admitted from leases; nothing asks the store. Printed
 * are nanoseconds per decision, and how many times faster batches are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "weir/limiter.h"
#include "weir/take.h"

#define KEYS_DEFAULT 1000000
#define REQUESTS 1000000
#define BATCH 64
#define ROUNDS 5
#define START_NS UINT64_C(1000000000000)
#define STORE_US UINT64_C(1700000000000000)
#define LEASE_UNITS 1000000u

struct speed {
    struct weir_limiter *limiter;
    struct weir_request *requests;
    struct weir_decision decisions[BATCH];
    enum weir_status statuses[BATCH];
};

static void must(enum weir_status status)
{
    if (status != WEIR_OK) {
        fprintf(stderr, "batch_decide: %s\n", weir_status_text(status));
        exit(EXIT_FAILURE);
    }
}

static void *new_memory(size_t count, size_t size)
{
    void *memory = aligned_alloc(64, (count * size + 63) / 64 * 64);

    if (memory == NULL) {
        fputs("batch_decide: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static uint64_t roll(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 32;
}

/* Fingerprints are as good as random. */
static struct weir_request request_for(uint64_t number)
{
    uint64_t seed = number * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t low = roll(&seed);

    return (struct weir_request){.key = {.low = (low << 32) | roll(&seed), .high = number},
                                 .endpoint = WEIR_NO_ENDPOINT,
                                 .cost = 1};
}

static void open_limiter(struct speed *speed, uint32_t key_count)
{
    const struct weir_limiter_options options = {
        .process = 1,
        .incarnation = 2,
        .table_secret = UINT64_C(0x5bd1e9955bd1e995),
        .key_capacity = key_count,
        .plan_capacity = 1,
        .waiter_capacity = 1,
        .start_ns = START_NS,
    };
    const struct weir_plan_options plan_options = {
        .version = 1,
        .sizer = WEIR_SIZER_FIXED,
        .rate_units = 1000,
        .rate_period_us = 1000000,
        .capacity_units = 2 * LEASE_UNITS,
        .window_us = 60000000,
        .fixed_lease_units = LEASE_UNITS,
    };
    struct weir_plan plan;
    const size_t size = weir_limiter_size(&options);

    if (size == 0) {
        fputs("batch_decide: too many keys\n", stderr);
        exit(EXIT_FAILURE);
    }
    must(weir_limiter_init(&speed->limiter, new_memory(size, 1), (size + 63) / 64 * 64, &options));
    must(weir_plan_make(&plan, &plan_options));
    must(weir_limiter_set_plan(speed->limiter, 0, &plan));
}

/* A lease for a key. */
static void lease(struct speed *speed, uint64_t number)
{
    const struct weir_request request = request_for(number);
    const struct weir_store_run run = {.id = 1};
    struct weir_store_key store = {0};
    struct weir_ask_record record = {0};
    struct weir_decision decision;
    struct weir_settled settled;
    struct weir_answer answer;
    struct weir_ask ask;

    must(weir_limiter_decide(speed->limiter, START_NS, &request, &decision));
    if (!weir_limiter_next_ask(speed->limiter, START_NS, &ask)) {
        must(WEIR_ERR_UNEXPECTED);
    }
    must(weir_take(&store, &record, &ask, STORE_US, &run, &answer));
    must(weir_limiter_answer(speed->limiter, START_NS + 1000, &answer));
    while (weir_limiter_next_settled(speed->limiter, &settled)) {
    }
}

static void decide_singly(struct speed *speed, const struct weir_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        speed->statuses[i] = weir_limiter_decide(speed->limiter, START_NS + 1000, &requests[i],
                                                 &speed->decisions[i]);
    }
}

static void decide_in_batch(struct speed *speed, const struct weir_request *requests, size_t count)
{
    weir_limiter_decide_batch(speed->limiter, START_NS + 1000, requests, count, speed->decisions,
                              speed->statuses);
}

static double clock_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Nanoseconds per decision. */
static double measure_ns(struct speed *speed,
                         void (*decide)(struct speed *, const struct weir_request *, size_t))
{
    uint64_t admitted_count = 0;
    const double begin_ns = clock_ns();

    for (size_t at = 0; at < REQUESTS; at += BATCH) {
        const size_t count = REQUESTS - at < BATCH ? REQUESTS - at : BATCH;
        decide(speed, speed->requests + at, count);
        for (size_t i = 0; i < count; i++) {
            admitted_count += speed->statuses[i] == WEIR_OK &&
                              speed->decisions[i].verdict == WEIR_VERDICT_ADMITTED;
        }
    }
    const double elapsed_ns = clock_ns() - begin_ns;
    if (admitted_count != REQUESTS) {
        fprintf(stderr, "batch_decide: only %" PRIu64 " were admitted\n", admitted_count);
        exit(EXIT_FAILURE);
    }
    return elapsed_ns / REQUESTS;
}

static int ascending(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, ascending);
    return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    const unsigned long long key_count = argc > 1 ? strtoull(argv[1], NULL, 10) : KEYS_DEFAULT;
    static struct speed speed;
    double single_ns[ROUNDS];
    double batch_ns[ROUNDS];
    double ratios[ROUNDS];
    uint64_t seed = 1;

    if (key_count < 1 || key_count > WEIR_KEYS_MAX) {
        fprintf(stderr, "batch_decide: KEYS: allowed: 1 to %" PRIu32 "\n", WEIR_KEYS_MAX);
        return EXIT_FAILURE;
    }
    open_limiter(&speed, (uint32_t)key_count);
    for (uint64_t key = 0; key < key_count; key++) {
        lease(&speed, key);
    }
    speed.requests = new_memory(REQUESTS, sizeof *speed.requests);
    for (size_t i = 0; i < REQUESTS; i++) {
        speed.requests[i] = request_for(roll(&seed) % key_count);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        single_ns[round] = measure_ns(&speed, decide_singly);
        batch_ns[round] = measure_ns(&speed, decide_in_batch);
        ratios[round] = single_ns[round] / batch_ns[round];
    }
    printf("%llu keys, medians of %d rounds: single %.1f ns, batch %.1f ns, ratio %.2f\n",
           key_count, ROUNDS, median(single_ns), median(batch_ns), median(ratios));
    free(speed.requests);
    free(speed.limiter);
    return EXIT_SUCCESS;
}
