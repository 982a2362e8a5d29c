/* Both kernels dispatch the same things at the same time in the same order: a small random world
 * full of ties, an early stop, a chain of answers without pause. And busy links delay alike. */
#include "kernel.h"

#include "kernel_journal.h"
#include "unit.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

#define PROCESS_COUNT 20
#define SHARD_COUNT 3
#define TICK_NS (100 * US) /* at which all processes act, so that everything ties */
#define SERVICE_NS (10 * US)
#define TRAFFIC_END_NS (4 * MS)

enum world_event {
    WORLD_TICK = 0,
    WORLD_EXTRA,
};

struct world {
    enum sim_kernel_kind kind;
    uint64_t one_way_ns;
    uint64_t bandwidth_bytes_per_s;
    uint64_t stop_count; /* dispatches until sim_kernel_stop; 0: never */

    struct sim_kernel *kernel;
    struct journal *journal;
    uint64_t random;
    uint64_t sent_count;
    uint64_t shard_free_ns[SHARD_COUNT];
};

static uint64_t world_random(struct world *world, uint64_t count)
{
    world->random = world->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (world->random >> 33) % count;
}

static void world_send(struct world *world, uint64_t send_ns, uint32_t from, uint32_t to)
{
    struct sim_message message = {
        .from = from,
        .to = to,
        .size_bytes = 100,
        .payload = (void *)(uintptr_t)++world->sent_count,
    };

    sim_kernel_send(world->kernel, send_ns, &message);
}

static void world_ask(struct world *world, uint64_t send_ns, uint32_t process)
{
    uint32_t shard = (uint32_t)world_random(world, SHARD_COUNT);

    world_send(world, send_ns, process, PROCESS_COUNT + shard);
}

static void world_count(const struct world *world)
{
    if (world->journal->count == world->stop_count) {
        sim_kernel_stop(world->kernel);
    }
}

static uint64_t world_tag(enum world_event event, uint32_t process)
{
    return (uint64_t)event << 32 | process;
}

static void world_on_event(void *context, uint64_t now_ns, uint64_t tag)
{
    struct world *world = context;
    uint32_t process = (uint32_t)tag;
    uint64_t jitter_ns = 0;

    assert_int_equal(sim_kernel_now_ns(world->kernel), now_ns);
    journal_event(world->journal, now_ns, tag);
    world_count(world);
    switch (world_random(world, 3)) {
    case 0:
        jitter_ns = world_random(world, 10) * 10 * US;
        break;
    case 1:
        jitter_ns = world_random(world, 2 * TICK_NS);
        break;
    }
    world_ask(world, now_ns + jitter_ns, process);
    if (tag >> 32 == WORLD_TICK && now_ns < TRAFFIC_END_NS) {
        sim_kernel_at(world->kernel, now_ns + TICK_NS, tag);
    }
}

/* Answer when the shard has worked off what came before, or at once. */
static void world_answer(struct world *world, uint64_t now_ns, const struct sim_message *ask)
{
    uint64_t *free_ns = &world->shard_free_ns[ask->to - PROCESS_COUNT];

    if (world_random(world, 3) == 0) {
        world_send(world, now_ns, ask->to, ask->from);
        return;
    }
    *free_ns = (*free_ns > now_ns ? *free_ns : now_ns) + SERVICE_NS;
    world_send(world, *free_ns, ask->to, ask->from);
}

static void world_on_message(void *context, uint64_t now_ns, const struct sim_message *message)
{
    struct world *world = context;
    uint64_t extra = world_tag(WORLD_EXTRA, message->to);

    assert_int_equal(message->size_bytes, 100);
    journal_message(world->journal, now_ns, message);
    world_count(world);
    if (message->to >= PROCESS_COUNT) {
        world_answer(world, now_ns, message);
        return;
    }
    switch (world_random(world, 10)) {
    case 0: /* before the remaining messages of this instant */
        sim_kernel_at(world->kernel, now_ns, extra);
        break;
    case 1: /* earlier than what the kernel waits for */
        sim_kernel_at(world->kernel, now_ns + world_random(world, 100), extra);
        break;
    case 2:
        sim_kernel_at(world->kernel, now_ns + world_random(world, 300 * US), extra);
        break;
    case 3:
        world_ask(world, now_ns, message->to);
        break;
    }
}

static struct sim_kernel *kernel_new(const struct sim_kernel_options *options,
                                     const struct sim_kernel_handlers *handlers)
{
    char error[100] = "";
    struct sim_kernel *kernel = sim_kernel_new(options, handlers, error, sizeof error);

    assert_string_equal(error, "");
    assert_non_null(kernel);
    return kernel;
}

static void world_play(void *context, struct journal *journal)
{
    struct world *world = context;
    struct sim_kernel_handlers handlers = {world, world_on_event, world_on_message};
    struct sim_kernel_options options = {
        .kind = world->kind,
        .process_count = PROCESS_COUNT,
        .shard_count = SHARD_COUNT,
        .one_way_ns = world->one_way_ns,
        .bandwidth_bytes_per_s = world->bandwidth_bytes_per_s,
    };

    world->kernel = kernel_new(&options, &handlers);
    world->journal = journal;
    for (uint32_t process = 0; process < PROCESS_COUNT; process++) {
        sim_kernel_at(world->kernel, TICK_NS, world_tag(WORLD_TICK, PROCESS_COUNT - 1 - process));
    }
    assert_true(sim_kernel_run(world->kernel));
    sim_kernel_free(world->kernel);
}

static void worlds_agree(uint64_t one_way_ns, uint64_t stop_count, struct journal *heap)
{
    struct world world = {.kind = SIM_KERNEL_HEAP, .one_way_ns = one_way_ns};
    struct world twin;
    struct journal simgrid = {0};

    world.stop_count = stop_count;
    twin = world;
    twin.kind = SIM_KERNEL_SIMGRID;
    world_play(&world, heap);
    journal_record_in_child(&simgrid, world_play, &twin);
    journal_assert_equal(&simgrid, heap);
    journal_deinit(&simgrid);
}

static void kernels_dispatch_the_same_world_alike(void **state)
{
    (void)state;
    struct journal heap = {0};

    worlds_agree(250 * US, 0, &heap);

    assert_in_range(heap.count, 2500, 10000);
    assert_in_range(journal_tie_count(&heap), 1000, heap.count);
    journal_deinit(&heap);
}

static void kernels_agree_on_any_latency(void **state)
{
    (void)state;
    static const uint64_t LATENCIES_NS[] = {1, 333333, 7 * MS + 1};

    for (size_t i = 0; i < sizeof LATENCIES_NS / sizeof LATENCIES_NS[0]; i++) {
        struct journal heap = {0};

        worlds_agree(LATENCIES_NS[i], 0, &heap);
        assert_in_range(heap.count, 2500, 10000);
        journal_deinit(&heap);
    }
}

static void kernels_stop_at_once_and_alike(void **state)
{
    (void)state;
    static const uint64_t STOP_COUNTS[] = {1, 10, 2000}; /* 10: half of the first tick */

    for (size_t i = 0; i < sizeof STOP_COUNTS / sizeof STOP_COUNTS[0]; i++) {
        struct journal heap = {0};

        worlds_agree(250 * US, STOP_COUNTS[i], &heap);
        assert_int_equal(heap.count, STOP_COUNTS[i]);
        journal_deinit(&heap);
    }
}

/* 10 MB/s keep each shard's links busy two thirds of the time. */
static void busy_links_delay_a_world_the_same_way_twice(void **state)
{
    (void)state;
    struct world world = {.kind = SIM_KERNEL_HEAP, .one_way_ns = 250 * US};
    struct world busy = {.one_way_ns = 250 * US, .bandwidth_bytes_per_s = 10000000};
    struct world again = busy;
    struct journal free_links = {0};
    struct journal first = {0};
    struct journal second = {0};

    world_play(&world, &free_links);
    journal_record_in_child(&first, world_play, &busy);
    journal_record_in_child(&second, world_play, &again);

    journal_assert_equal(&second, &first);
    assert_in_range(first.count, 2500, 10000);
    assert_true(first.records[first.count / 2].time_ns >
                free_links.records[first.count / 2].time_ns);
    journal_deinit(&free_links);
    journal_deinit(&first);
    journal_deinit(&second);
}

struct rally {
    struct sim_kernel *kernel;
    struct journal *journal;
    uint64_t left_count;
};

static void rally_on_event(void *context, uint64_t now_ns, uint64_t tag)
{
    struct rally *rally = context;
    struct sim_message message = {.from = 0, .to = PROCESS_COUNT, .size_bytes = 1};

    (void)tag;
    sim_kernel_send(rally->kernel, now_ns, &message);
}

static void rally_on_message(void *context, uint64_t now_ns, const struct sim_message *message)
{
    struct rally *rally = context;
    struct sim_message back = {.from = message->to, .to = message->from, .size_bytes = 1};

    if (--rally->left_count > 0) {
        sim_kernel_send(rally->kernel, now_ns, &back);
    } else {
        journal_message(rally->journal, now_ns, message);
    }
}

static void rally_play(void *context, struct journal *journal)
{
    struct rally *rally = context;
    struct sim_kernel_handlers handlers = {rally, rally_on_event, rally_on_message};
    struct sim_kernel_options options = {
        .kind = SIM_KERNEL_SIMGRID,
        .process_count = PROCESS_COUNT,
        .shard_count = SHARD_COUNT,
        .one_way_ns = 333333,
    };

    rally->kernel = kernel_new(&options, &handlers);
    rally->journal = journal;
    sim_kernel_at(rally->kernel, 86400 * S, 0);
    assert_true(sim_kernel_run(rally->kernel));
    sim_kernel_free(rally->kernel);
}

/* Each departs the moment its predecessor arrives: rounding errors of the clock, a double, must not
 * add up. */
static void long_chain_of_messages_stays_exact(void **state)
{
    (void)state;
    struct rally rally = {.left_count = 3000};
    struct journal journal = {0};

    journal_record_in_child(&journal, rally_play, &rally);

    assert_int_equal(journal.count, 1);
    assert_int_equal(journal.records[0].time_ns, 86400 * S + UINT64_C(3000) * 333333);
    journal_deinit(&journal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_dispatch_the_same_world_alike),
        cmocka_unit_test(kernels_agree_on_any_latency),
        cmocka_unit_test(kernels_stop_at_once_and_alike),
        cmocka_unit_test(busy_links_delay_a_world_the_same_way_twice),
        cmocka_unit_test(long_chain_of_messages_stays_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
