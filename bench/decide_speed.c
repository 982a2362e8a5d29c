/* How long a local decision takes: the processor time of single calls and of batches, side by side
 * with what memory alone costs.
 *
 *   decide_speed [KEYS]     keys held, each with a lease (default 1,000,000)
 *
 * Five times in turn, and the median is taken: a million decisions of one hot key; a million, each
 * of a key chosen at random, by single calls and in batches of 64; and a million reads of 64-byte
 * lines in random order, as many lines as keys, each of which says where the next one is. All
 * requests are admitted from leases; nothing asks the store. Written as a table in Markdown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "weir/limiter.h"
#include "weir/take.h"

#define KEYS_DEFAULT 1000000
#define REQUESTS 1000000u
#define BATCH 64
#define ROUNDS 5
#define START_NS UINT64_C(1000000000000)
#define STORE_US UINT64_C(1700000000000000)
#define LEASE_UNITS (6 * REQUESTS) /* more than a hot key spends in all rounds */

struct speed {
    struct weir_limiter *limiter;
    struct weir_request *requests;
    struct weir_decision decisions[BATCH];
    enum weir_status statuses[BATCH];
};

static void must(enum weir_status status)
{
    if (status != WEIR_OK) {
        fprintf(stderr, "decide_speed: %s\n", weir_status_text(status));
        exit(EXIT_FAILURE);
    }
}

static void *new_memory(size_t count, size_t size)
{
    void *memory = aligned_alloc(64, (count * size + 63) / 64 * 64);

    if (memory == NULL) {
        fputs("decide_speed: out of memory\n", stderr);
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

static size_t open_limiter(struct speed *speed, uint32_t key_count)
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
        fputs("decide_speed: too many keys\n", stderr);
        exit(EXIT_FAILURE);
    }
    must(weir_limiter_init(&speed->limiter, new_memory(size, 1), (size + 63) / 64 * 64, &options));
    must(weir_plan_make(&plan, &plan_options));
    must(weir_limiter_set_plan(speed->limiter, 0, &plan));
    return size;
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
        fprintf(stderr, "decide_speed: only %" PRIu64 " were admitted\n", admitted_count);
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

struct line {
    uint32_t next;
    char rest[60];
};

/* One cycle through all lines, in random order (Sattolo, An algorithm to generate a random cyclic
 * permutation, 1986). */
static struct line *make_lines(uint32_t count)
{
    struct line *lines = new_memory(count, sizeof *lines);
    uint64_t seed = 7;

    for (uint32_t i = 0; i < count; i++) {
        lines[i].next = i;
    }
    for (uint32_t i = count - 1; i > 0; i--) {
        const uint32_t other = (uint32_t)(roll(&seed) % i);
        const uint32_t next = lines[i].next;
        lines[i].next = lines[other].next;
        lines[other].next = next;
    }
    return lines;
}

/* Nanoseconds per read, each of which waits for the one before. */
static double read_lines_ns(const struct line *lines)
{
    uint32_t at = 0;
    const double begin_ns = clock_ns();

    for (size_t i = 0; i < REQUESTS; i++) {
        at = lines[at].next;
    }
    const double elapsed_ns = clock_ns() - begin_ns;
    if (at == UINT32_MAX) {
        fputs("decide_speed: a line leads nowhere\n", stderr);
    }
    return elapsed_ns / REQUESTS;
}

enum speed_case {
    SPEED_HOT = 0,
    SPEED_READ,
    SPEED_SINGLE,
    SPEED_BATCH,
    SPEED_CASE_COUNT,
};

static void print_table(double ns[SPEED_CASE_COUNT][ROUNDS], unsigned long long key_count,
                        size_t size)
{
    static const char *const names[] = {"one hot key", "read at random", "keys at random",
                                        "keys at random, batches of 64"};
    double medians[SPEED_CASE_COUNT];

    printf(
        "# Speed of a local decision\n\nMade by `build/release/bench/bench_decide_speed`; do not "
        "edit. Processor time, median of %d rounds, one core; what counts is the ratio.\n\n"
        "## decisions: %llu keys\n\n| what | ns | times the read |\n|---|---:|---:|\n",
        ROUNDS, key_count);
    for (size_t i = 0; i < SPEED_CASE_COUNT; i++) {
        medians[i] = median(ns[i]);
    }
    for (size_t i = 0; i < SPEED_CASE_COUNT; i++) {
        printf("| %s | %.1f | %.2f |\n", names[i], medians[i], medians[i] / medians[SPEED_READ]);
    }
    printf("\n## memory: %llu keys\n\n| what | bytes |\n|---|---:|\n| a key, all in | %.1f |\n"
           "| all keys | %zu |\n",
           key_count, (double)size / (double)key_count, size);
}

int main(int argc, char **argv)
{
    const unsigned long long key_count = argc > 1 ? strtoull(argv[1], NULL, 10) : KEYS_DEFAULT;
    static struct speed speed;
    static double ns[SPEED_CASE_COUNT][ROUNDS];
    uint64_t seed = 1;

    if (key_count < 2 || key_count > WEIR_KEYS_MAX) {
        fprintf(stderr, "decide_speed: KEYS: allowed: 2 to %" PRIu32 "\n", WEIR_KEYS_MAX);
        return EXIT_FAILURE;
    }
    const size_t size = open_limiter(&speed, (uint32_t)key_count);
    for (uint64_t key = 0; key < key_count; key++) {
        lease(&speed, key);
    }
    const struct line *lines = make_lines((uint32_t)key_count);
    struct weir_request *hot = new_memory(REQUESTS, sizeof *hot);
    struct weir_request *spread = new_memory(REQUESTS, sizeof *spread);
    for (size_t i = 0; i < REQUESTS; i++) {
        hot[i] = request_for(0);
        spread[i] = request_for(roll(&seed) % key_count);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        speed.requests = hot;
        ns[SPEED_HOT][round] = measure_ns(&speed, decide_singly);
        ns[SPEED_READ][round] = read_lines_ns(lines);
        speed.requests = spread;
        ns[SPEED_SINGLE][round] = measure_ns(&speed, decide_singly);
        ns[SPEED_BATCH][round] = measure_ns(&speed, decide_in_batch);
    }
    print_table(ns, key_count, size);
    return EXIT_SUCCESS;
}
