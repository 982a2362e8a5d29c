#include "world.h"

#include <stdlib.h>

#include "ideal.h"
#include "liveness.h"
#include "memory.h"
#include "sampling.h"
#include "serving.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define MINUTE_NS (60 * NS_PER_S)
#define ARRIVALS_PER_EPOCH 8192
#define DRAIN_NS (100 * NS_PER_MS)
#define DRAIN_ROUNDS_MAX 600
#define EXCHANGES_PER_BLOCK 256

static void on_event(void *context, uint64_t now_ns, uint64_t tag);
static void on_message(void *context, uint64_t now_ns, const struct sim_message *message);
static void on_lost(void *context, enum sim_loss loss, uint32_t key, uint64_t time_ns,
                    uint64_t units);

/* A divisor of one second that holds a few thousand arrivals, so that epochs meet minutes. All
 * arrivals of an epoch are known when it begins: what a decision causes must come after its end.
 * And no two polls of one kind may fall to the same end. */
static uint64_t epoch_length_ns(const struct sim_world *world)
{
    static const uint64_t lengths_ms[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    const double per_ms = sim_clientele_requests_per_s(world->clientele) / 1000;
    const uint64_t reaction_ns = sim_clientele_reaction_ns(world->scenario);
    const uint64_t every_ns = sim_polling_every_ns(world->scenario);
    const uint64_t most_ns = reaction_ns < every_ns ? reaction_ns : every_ns;
    uint64_t length_ms = 1;

    for (size_t i = 0; i < sizeof lengths_ms / sizeof lengths_ms[0]; i++) {
        if (per_ms * (double)lengths_ms[i] <= ARRIVALS_PER_EPOCH &&
            lengths_ms[i] * NS_PER_MS <= most_ns) {
            length_ms = lengths_ms[i];
        }
    }
    return length_ms * NS_PER_MS;
}

bool sim_world_init(struct sim_world *world, const struct sim_scenario *scenario,
                    enum sim_kernel_kind kind, char *error, uint32_t error_size)
{
    const struct sim_kernel_options options = {
        .kind = kind,
        .process_count = scenario->process_count,
        .shard_count = scenario->shard_count,
        .one_way_ns = scenario->round_trip_ns / 2,
        .bandwidth_bytes_per_s = scenario->bandwidth_bytes_per_s,
    };
    const struct sim_kernel_handlers handlers = {
        .context = world, .on_event = on_event, .on_message = on_message};

    *world = (struct sim_world){.scenario = scenario};
    world->kernel = sim_kernel_new(&options, &handlers, error, error_size);
    if (world->kernel == NULL) {
        return false;
    }
    sim_catalog_init(&world->catalog, scenario);
    sim_store_init(&world->store, &world->catalog);
    world->store.lost = on_lost;
    world->store.lost_context = world;
    sim_accuracy_init(&world->accuracy, &world->catalog);
    sim_metrics_init(&world->metrics, scenario->duration_ns);
    sim_trace_hash_init(&world->trace, scenario->duration_ns);
    sim_watch_init(&world->watch, &world->accuracy.history);
    sim_prng_init(&world->answer_jitter, scenario->seed, "jitter of answers", 0);
    world->clientele = sim_clientele_new(scenario);
    sim_arrivals_init(&world->arrivals, scenario, world->clientele, SIM_ARRIVALS_FIRST);
    world->epoch_ns = epoch_length_ns(world);
    world->reacts = sim_clientele_reaction_ns(scenario) != UINT64_MAX;
    if (world->reacts) {
        sim_accuracy_expect_oracle(&world->accuracy);
    }
    sim_herd_init(&world->herd, &world->catalog);
    sim_polling_init(&world->polling, &world->accuracy.history, world->epoch_ns);
    world->next_samples = sim_memory_new(world->catalog.key_count, sizeof(uint32_t));
    world->processes = sim_memory_new(scenario->process_count, sizeof(struct sim_process));
    for (uint32_t i = 0; i < scenario->process_count; i++) {
        sim_process_init(&world->processes[i], world, i);
    }
    sim_world_life_init(world);
    sim_sampling_schedule(world);
    sim_world_fault_schedule(world, 0);
    sim_kernel_at(world->kernel, 0, SIM_WORLD_TAG_EPOCH);
    return true;
}

void sim_world_deinit(struct sim_world *world)
{
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        sim_process_deinit(&world->processes[i]);
    }
    free(world->processes);
    free(world->next_samples);
    free(world->same_errors);
    free(world->lives);
    sim_arrivals_deinit(&world->arrivals);
    sim_clientele_free(world->clientele);
    sim_herd_deinit(&world->herd);
    sim_polling_deinit(&world->polling);
    sim_store_deinit(&world->store);
    sim_accuracy_deinit(&world->accuracy);
    sim_metrics_deinit(&world->metrics);
    sim_trace_hash_deinit(&world->trace);
    sim_watch_deinit(&world->watch);
    sim_catalog_deinit(&world->catalog);
    sim_kernel_free(world->kernel);
    for (uint32_t i = 0; i < world->exchange_block_count; i++) {
        free(world->exchange_blocks[i]);
    }
    free(world->exchange_blocks);
    *world = (struct sim_world){0};
}

struct sim_exchange *sim_world_new_exchange(struct sim_world *world)
{
    if (world->free_exchanges == NULL) {
        struct sim_exchange *block = sim_memory_new(EXCHANGES_PER_BLOCK, sizeof *block);
        void **blocks = sim_memory_new(world->exchange_block_count + 1, sizeof *blocks);
        for (uint32_t i = 0; i < world->exchange_block_count; i++) {
            blocks[i] = world->exchange_blocks[i];
        }
        blocks[world->exchange_block_count++] = block;
        free(world->exchange_blocks);
        world->exchange_blocks = blocks;
        for (uint32_t i = 0; i < EXCHANGES_PER_BLOCK; i++) {
            sim_world_free_exchange(world, &block[i]);
        }
    }
    struct sim_exchange *exchange = world->free_exchanges;
    world->free_exchanges = exchange->next_free;
    return exchange;
}

void sim_world_free_exchange(struct sim_world *world, struct sim_exchange *exchange)
{
    exchange->next_free = world->free_exchanges;
    world->free_exchanges = exchange;
}

void sim_world_end_exchange(struct sim_world *world, struct sim_exchange *exchange, uint64_t now_ns)
{
    if (!exchange->is_copy) {
        sim_metrics_reply(&world->metrics, now_ns);
    }
    sim_world_free_exchange(world, exchange);
}

void sim_world_send_ask(struct sim_world *world, struct sim_exchange *exchange, uint64_t send_ns)
{
    const struct sim_message message = {
        .from = exchange->process,
        .to = world->scenario->process_count + world->catalog.keys[exchange->key].shard,
        .size_bytes = SIM_ASK_BYTES,
        .payload = exchange,
    };

    sim_kernel_send(world->kernel, send_ns, &message);
}

static enum sim_limit_class class_of(const struct sim_world *world, uint32_t key)
{
    const uint64_t limit = world->catalog.plans[world->catalog.keys[key].plan].limit_units;

    return limit < 10000    ? SIM_LIMIT_BELOW_10K
           : limit < 100000 ? SIM_LIMIT_BELOW_100K
                            : SIM_LIMIT_FROM_100K;
}

void sim_world_decided(struct sim_world *world, uint32_t process, const struct sim_waiting *request,
                       uint64_t decided_ns, const struct weir_decision *decision)
{
    const bool admitted = decision->verdict == WEIR_VERDICT_ADMITTED;

    if (world->recorder != NULL) {
        sim_recorder_decided(world->recorder, process, request, decided_ns, decision);
    }
    if (world->decided != NULL) {
        world->decided(world->decided_context, process, request, decided_ns, decision);
    }
    sim_metrics_decision(&world->metrics, class_of(world, request->key), admitted,
                         request->first_touch, decided_ns - request->arrived_ns);
    world->metrics.pairs += request->first_touch;
    sim_trace_hash_add(&world->trace, decided_ns, process,
                       request->arrived_ns << 2 | (admitted ? 1 : 2), request->key);
    sim_watch_decided(&world->watch, &world->accuracy, process, request, decided_ns, decision);
    if (admitted) {
        sim_accuracy_admitted(&world->accuracy, request->key, request->arrived_ns, decided_ns,
                              request->cost_units, request->charged_units);
        sim_clientele_admitted(world->clientele, request->job, decided_ns);
    } else {
        sim_clientele_denied(world->clientele, request->job, decided_ns, decision->retry_after_ns);
    }
}

/* All arrivals before end_ns go to the oracle and to their processes. */
static void generate_arrivals(struct sim_world *world, uint64_t end_ns)
{
    struct sim_arrival arrival;

    while (sim_arrivals_next(&world->arrivals, end_ns, &arrival)) {
        if (!sim_world_route(world, &arrival)) {
            continue;
        }
        const bool is_due = sim_accuracy_arrival(&world->accuracy, arrival.key, arrival.time_ns,
                                                 arrival.cost_units);
        world->ideal.given_up += !is_due;
        sim_watch_arrival(&world->watch, &arrival, is_due);
        if (world->recorder != NULL) {
            sim_recorder_arrival(world->recorder, world, &arrival, is_due);
        }
        sim_herd_arrival(&world->herd, arrival.key, arrival.time_ns);
        sim_process_enqueue(&world->processes[arrival.process], &arrival);
        world->metrics.requests++;
    }
}

void sim_world_run_process(struct sim_world *world, struct sim_process *process)
{
    const uint64_t epoch_end_ns = world->epoch_start_ns + world->epoch_ns;
    const uint64_t end_ns = world->next_life_ns < epoch_end_ns ? world->next_life_ns : epoch_end_ns;

    sim_process_run(process, end_ns);
    if (process->horizon_ns < end_ns && !process->is_paused &&
        !sim_kernel_latency_is_exact(world->kernel)) {
        const uint64_t now_ns = sim_kernel_now_ns(world->kernel);
        sim_kernel_at(world->kernel,
                      process->horizon_ns > now_ns ? process->horizon_ns : now_ns + 1,
                      SIM_WORLD_TAG_WAKE + process->number);
    }
}

static void on_epoch(struct sim_world *world, uint64_t now_ns)
{
    const uint64_t duration_ns = world->scenario->duration_ns;
    const uint64_t end_ns = now_ns + world->epoch_ns;

    world->epoch_start_ns = now_ns;
    sim_watch_advance(&world->watch, &world->store, now_ns);
    if (now_ns >= duration_ns) {
        sim_world_life_end(world, now_ns);
        sim_kernel_at(world->kernel, now_ns + DRAIN_NS, SIM_WORLD_TAG_DRAIN);
        world->epoch_ns = DRAIN_NS;
    } else {
        sim_polling_epoch(&world->polling, &world->store, world->processes, now_ns);
        generate_arrivals(world, end_ns < duration_ns ? end_ns : duration_ns);
        sim_kernel_at(world->kernel, end_ns < duration_ns ? end_ns : duration_ns,
                      SIM_WORLD_TAG_EPOCH);
        if (end_ns > duration_ns) {
            world->epoch_ns = duration_ns - now_ns;
        }
    }
    sim_accuracy_check_contract(&world->accuracy, now_ns);
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        sim_world_run_process(world, &world->processes[i]);
    }
    if (world->progress != NULL) {
        world->progress(world->progress_context, world, now_ns);
    }
}

/* After the last request: wait for what is in flight, then have everything given back. */
static void on_drain(struct sim_world *world, uint64_t now_ns)
{
    const uint64_t idle_ns = sim_store_idle_ns(&world->store, now_ns);
    bool done = true;

    if (world->drain_rounds == 0) {
        world->open_breakers = sim_liveness_open_breakers(world);
    }
    world->epoch_start_ns = now_ns;
    world->epoch_ns = idle_ns > now_ns + DRAIN_NS ? idle_ns - now_ns : DRAIN_NS;
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        struct sim_process *process = &world->processes[i];
        sim_process_run(process, now_ns);
        done &= sim_process_shutdown(process, now_ns);
        sim_world_run_process(world, process);
    }
    world->drain_rounds++;
    world->drained = done;
    if (!done && world->drain_rounds < DRAIN_ROUNDS_MAX) {
        sim_kernel_at(world->kernel, now_ns + world->epoch_ns, SIM_WORLD_TAG_DRAIN);
    } else {
        sim_kernel_stop(world->kernel); /* requests may wait for ever */
    }
}

static void on_life(struct sim_world *world, uint64_t now_ns)
{
    sim_world_life_event(world, now_ns);
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        sim_world_run_process(world, &world->processes[i]);
    }
}

static void on_stop(struct sim_world *world)
{
    sim_recorder_stop(world->recorder, world);
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        sim_world_run_process(world, &world->processes[i]);
    }
}

static void on_event(void *context, uint64_t now_ns, uint64_t tag)
{
    struct sim_world *world = context;

    if (tag == SIM_WORLD_TAG_RECORDER) {
        on_stop(world);
    } else if (tag >= SIM_WORLD_TAG_SAMPLE_KEY) {
        sim_sampling_window(world, (uint32_t)(tag - SIM_WORLD_TAG_SAMPLE_KEY), now_ns);
    } else if (tag >= SIM_WORLD_TAG_WAKE) {
        struct sim_process *process = &world->processes[tag - SIM_WORLD_TAG_WAKE];
        sim_process_let_pass(process, now_ns);
        sim_world_run_process(world, process);
    } else if (tag == SIM_WORLD_TAG_EPOCH) {
        on_epoch(world, now_ns);
    } else if (tag == SIM_WORLD_TAG_FAULT) {
        sim_world_fault_event(world, now_ns);
    } else if (tag == SIM_WORLD_TAG_DRAIN) {
        on_drain(world, now_ns);
    } else if (tag == SIM_WORLD_TAG_LIFE) {
        on_life(world, now_ns);
    } else {
        sim_sampling_minute(world, now_ns);
    }
}

static void on_lost(void *context, enum sim_loss loss, uint32_t key, uint64_t time_ns,
                    uint64_t units)
{
    struct sim_world *world = context;

    sim_accuracy_lost(&world->accuracy, loss, key, time_ns, units);
}

static void on_message(void *context, uint64_t now_ns, const struct sim_message *message)
{
    struct sim_world *world = context;
    struct sim_exchange *exchange = message->payload;

    if (message->to >= world->scenario->process_count) {
        sim_serving_ask(world, exchange, message->to, now_ns);
        return;
    }
    struct sim_process *process = &world->processes[message->to];
    if (world->recorder != NULL) {
        sim_recorder_answered(world->recorder, exchange, now_ns);
    }
    if (sim_world_life_takes(world, exchange, now_ns)) {
        return;
    }
    sim_process_reply(process, exchange, now_ns);
    sim_world_end_exchange(world, exchange, now_ns);
    sim_world_run_process(world, process);
}

static int64_t signed_error(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval)
{
    uint64_t over;
    uint64_t under;

    sim_judgement_interval(accuracy, key, interval, &over, &under);
    return (int64_t)under - (int64_t)over;
}

int64_t sim_world_error(const struct sim_world *world, uint32_t key, uint32_t interval)
{
    return world->same_errors != NULL
               ? world->same_errors[world->accuracy.keys[key].first_cell + interval]
               : signed_error(&world->accuracy, key, interval);
}

static void keep_errors(struct sim_world *world)
{
    const struct sim_accuracy *accuracy = &world->accuracy;

    world->same_errors = sim_memory_new(accuracy->cell_count, sizeof *world->same_errors);
    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        const struct sim_key_accuracy *entry = &accuracy->keys[key];
        for (uint32_t i = 0; i < entry->cell_count; i++) {
            world->same_errors[entry->first_cell + i] = signed_error(accuracy, key, i);
        }
    }
}

/* Judge with the oracle at hand, then put that of the second run in its place. */
static void take_ideal(struct sim_world *world)
{
    struct sim_accuracy ideal;

    keep_errors(world);
    sim_judgement_make(&world->same_arrivals, &world->accuracy, SIM_EVERY_POPULATION);
    sim_ideal_run(&world->catalog, &ideal, &world->ideal);
    sim_accuracy_take_oracle(&world->accuracy, &ideal);
    sim_accuracy_deinit(&ideal);
}

bool sim_world_run(struct sim_world *world)
{
    if (!sim_kernel_run(world->kernel)) {
        return false;
    }
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        world->metrics.unanswered += sim_process_waiting_count(&world->processes[i]);
    }
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        sim_givings_finish(&world->processes[i].givings, &world->accuracy);
    }
    sim_store_finish(&world->store);
    sim_watch_finish(&world->watch, &world->store);
    sim_accuracy_finish(&world->accuracy);
    sim_herd_finish(&world->herd);
    if (world->reacts) {
        take_ideal(world);
    }
    return true;
}

uint64_t sim_world_reported_units(const struct sim_world *world)
{
    uint64_t reported = 0;

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        const struct sim_client *client = world->processes[i].client;
        reported += world->processes[i].reported_before;
        reported += client == NULL ? 0 : client->operations->reported_units(client);
    }
    return reported;
}

uint64_t sim_world_undecided_count(const struct sim_world *world)
{
    uint64_t undecided = 0;

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        const struct sim_client *client = world->processes[i].client;
        undecided += world->processes[i].undecided_before;
        if (client != NULL && client->operations->undecided_count != NULL) {
            undecided += client->operations->undecided_count(client);
        }
    }
    return undecided;
}
