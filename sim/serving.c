#include "serving.h"

#include "sampling.h"

/* An answer leaves a shard, or was lost before it could. */
static void send_answer(struct sim_world *world, struct sim_exchange *exchange, uint32_t shard,
                        const struct fault_service *service, uint64_t now_ns)
{
    const struct sim_scenario *scenario = world->scenario;
    struct sim_process *process = &world->processes[exchange->process];
    const uint64_t jitter_ns =
        scenario->jitter_ns / 2 == 0
            ? 0
            : sim_prng_below(&world->answer_jitter, scenario->jitter_ns / 2 + 1);
    const uint64_t leaves_ns =
        exchange->done_ns + scenario->service_store_ns + service->reply_delay_ns;
    const struct fault_fate fate =
        service->silent || service->reply_is_lost
            ? (struct fault_fate){.lost = true}
            : fault_message(&scenario->faults, leaves_ns, FAULT_TO_PROCESS, exchange->process,
                            shard - scenario->process_count,
                            exchange->number | SIM_EXCHANGE_ANSWER);
    const struct sim_message answer = {
        .from = shard,
        .to = exchange->process,
        .size_bytes = SIM_ANSWER_BYTES,
        .payload = exchange,
    };

    if (fate.lost) {
        sim_process_land(process, exchange);
        sim_world_end_exchange(world, exchange, now_ns);
    } else {
        const uint64_t send_ns = leaves_ns + jitter_ns + fate.delay_ns;
        sim_kernel_send(world->kernel, send_ns, &answer);
        sim_process_reply_known(process, exchange, send_ns + scenario->round_trip_ns / 2);
    }
    sim_world_run_process(world, process);
}

static enum sim_exchange_end end_of(enum fault_error error)
{
    return error == FAULT_ERROR_NONE       ? SIM_EXCHANGE_ANSWERED
           : error == FAULT_ERROR_NOSCRIPT ? SIM_EXCHANGE_NOSCRIPT
                                           : SIM_EXCHANGE_REFUSED;
}

/* What it gives back and is charged counts once, also where a store that had forgotten it carries
 * it out again. */
static void hear(struct sim_world *world, const struct sim_exchange *exchange,
                 uint64_t charged_units)
{
    struct sim_givings *givings = &world->processes[exchange->process].givings;
    uint64_t units;

    if (!sim_givings_heard(givings, &exchange->ask.id, &units)) {
        world->store.recharged_units += charged_units;
    }
    world->store.returned_units += units;
}

void sim_serving_ask(struct sim_world *world, struct sim_exchange *exchange, uint32_t shard,
                     uint64_t now_ns)
{
    const struct sim_scenario *scenario = world->scenario;
    const struct sim_process *process = &world->processes[exchange->process];
    const struct fault_service service =
        fault_service(&scenario->faults, now_ns, exchange->process, shard - scenario->process_count,
                      exchange->number, scenario->service_ns);

    exchange->end = exchange->has_script && service.error == FAULT_ERROR_NOSCRIPT
                        ? SIM_EXCHANGE_ANSWERED
                        : end_of(service.error);
    exchange->is_locked = false;
    exchange->arrived_ns = now_ns;
    exchange->done_ns = now_ns; /* a refusal takes no time, and no place in the queue */
    if (!service.silent && exchange->end == SIM_EXCHANGE_ANSWERED) {
        exchange->done_ns =
            sim_store_done_ns(&world->store, exchange->key, now_ns, service.service_ns);
        sim_sampling_key(world, exchange->key, exchange->done_ns);
        sim_polling_before_serving(&world->polling, &world->store, exchange->key,
                                   exchange->done_ns);
        sim_watch_before_serving(&world->watch, &world->store, exchange->key, exchange->done_ns);
        if (world->recorder != NULL) {
            sim_recorder_serving(world->recorder, world, exchange, now_ns, exchange->done_ns);
        }
        const uint64_t charged_before = world->store.charged_units;
        sim_store_serve(&world->store, exchange, exchange->done_ns);
        if (exchange->is_locked && sim_process_is_stale(process, exchange)) {
            sim_store_holder_died(&world->store, exchange->process, exchange->life,
                                  exchange->done_ns);
        }
        if (world->recorder != NULL) {
            sim_recorder_served(world->recorder, world, exchange, exchange->done_ns);
        }
        if ((exchange->answer.flags & WEIR_ANSWER_EXPIRED) == 0) {
            hear(world, exchange, world->store.charged_units - charged_before);
        }
        sim_watch_served(&world->watch, exchange, exchange->done_ns);
        sim_trace_hash_add(&world->trace, exchange->done_ns, shard, exchange->answer.granted_units,
                           exchange->key);
    }
    send_answer(world, exchange, shard, &service, now_ns);
}
