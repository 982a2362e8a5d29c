#include "why.h"

#include <inttypes.h>
#include <stdlib.h>

#include "json_value.h"
#include "memory.h"

#define NS_PER_US UINT64_C(1000)

/* Seconds of true time, as the store's clock is right. */
static json_t *store_seconds(uint64_t store_us)
{
    return store_us < SIM_STORE_EPOCH_US || store_us == UINT64_MAX
               ? json_null()
               : json_real((double)(store_us - SIM_STORE_EPOCH_US) / 1e6);
}

static json_t *faults_json(const struct sim_world *world, uint64_t time_ns)
{
    const size_t count = world->scenario->faults.count;
    size_t *faults = sim_memory_new(count + 1, sizeof *faults);
    const size_t found = sim_why_faults(world, time_ns, faults, count);
    json_t *list = json_array();

    for (size_t i = 0; i < found; i++) {
        const struct fault *fault = &world->scenario->faults.faults[faults[i]];
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "id", fault->id, "kind", fault_kind_names[fault->kind]));
    }
    free(faults);
    return list;
}

static json_t *level_json(const struct sim_recorded_level *level)
{
    return json_pack("{s:o, s:o}", "left_units", integer(level->left_units), "out_units",
                     integer(level->out_units));
}

static json_t *ask_json(const struct sim_world *world, const struct sim_recorded_ask *ask)
{
    const struct weir_ask *what = &ask->exchange.ask;
    const struct weir_answer *answer = &ask->exchange.answer;
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "sent_s", seconds(ask->sent_ns),
                  "sent_count", integer(ask->sent_count), "need_units", integer(what->need_units),
                  "want_units", integer(what->want_units), "spent_units",
                  integer(what->spent_units), "returned_units", integer(what->returned_units),
                  "charge_units", integer(what->charge_units), "faults",
                  faults_json(world, ask->sent_ns), "fate", sim_why_fate(world, ask));

    json_object_set_new(json, "served_s", seconds(ask->done_ns));
    json_object_set_new(json, "answered_s", seconds(ask->answered_ns));
    if (ask->done_ns != SIM_RECORDER_NEVER) {
        json_object_set_new(json, "store_before", level_json(&ask->before));
        json_object_set_new(json, "store_after", level_json(&ask->after));
        json_object_set_new(json, "answer",
                            json_pack("{s:o, s:o, s:o, s:o, s:o}", "granted_units",
                                      integer(answer->granted_units), "trickle_units",
                                      integer(answer->trickle_count), "lease_end_s",
                                      store_seconds(answer->lease_end_us), "demand_units_per_s",
                                      json_real((double)answer->global_rate_milli / 1e3),
                                      "active_processes", integer(answer->active_processes)));
    }
    return json;
}

static json_t *decision_json(const struct sim_recorder *recorder)
{
    const struct weir_decision *decision = &recorder->decision;
    const bool admitted = decision->verdict == WEIR_VERDICT_ADMITTED;

    if (!recorder->decided) {
        return json_null();
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "verdict", admitted ? "admitted" : "denied",
                     "reason", sim_why_reason(decision), "mode", sim_why_modes[decision->mode],
                     "waited_us",
                     json_real((double)(recorder->decided_ns - recorder->arrival.time_ns) / 1e3),
                     "retry_after_s",
                     admitted || decision->retry_after_ns == WEIR_RETRY_NEVER
                         ? json_null()
                         : seconds(decision->retry_after_ns));
}

static json_t *process_json(const struct sim_recorder *recorder)
{
    const struct weir_snapshot *snapshot = &recorder->snapshot;
    const uint64_t now_ns = recorder->arrival.time_ns;
    const uint64_t store_ns = SIM_STORE_EPOCH_US * NS_PER_US + now_ns;

    json_t *json = json_pack(
        "{s:o, s:o, s:o, s:o}", "clock_off_s",
        json_real((double)(int64_t)(recorder->local_ns - SIM_LOCAL_START_NS - now_ns) / 1e9),
        "spendable_units", integer(snapshot->spendable_units), "held_units",
        integer(snapshot->held_units), "lease_end_s", store_seconds(snapshot->lease_end_us));
    json_object_set_new(json, "store_clock_off_us",
                        snapshot->store_ns == 0
                            ? json_null()
                            : json_real((double)(int64_t)(snapshot->store_ns - store_ns) / 1e3));
    json_object_set_new(
        json, "store_clock_error_us",
        snapshot->store_ns == 0 ? json_null() : json_real((double)snapshot->clock_error_ns / 1e3));
    json_object_set_new(json, "open_breakers", integer(recorder->open_breaker_count));
    json_object_set_new(json, "denied_until_s", store_seconds(snapshot->denied_until_us));
    json_object_set_new(json, "is_alone", json_boolean(snapshot->is_alone));
    json_object_set_new(json, "share_pct", json_real((double)snapshot->share_ppm / 1e4));
    json_object_set_new(json, "alone_units", integer(snapshot->alone_units));
    json_object_set_new(json, "answered_s", store_seconds(snapshot->answered_us));
    json_object_set_new(json, "remaining_units", integer(snapshot->remaining_units));
    json_object_set_new(json, "outstanding_units", integer(snapshot->outstanding_units));
    return json;
}

static json_t *holders_json(const struct sim_recorder *recorder)
{
    uint32_t *processes = sim_memory_new((size_t)recorder->process_count + 1, sizeof *processes);
    const size_t count = sim_why_holders(recorder, processes, recorder->process_count);
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        const struct sim_recorded_process *process = &recorder->processes[processes[i]];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o}", "process", integer(processes[i]),
                                        "held_units", integer(process->held_units),
                                        "spendable_units", integer(process->spendable_units)));
    }
    free(processes);
    return list;
}

json_t *sim_why_json(const struct sim_world *world)
{
    const struct sim_recorder *recorder = world->recorder;
    const struct sim_arrival *arrival = &recorder->arrival;
    char name[SIM_NAME_SIZE + 16];
    json_t *asks = json_array();

    sim_catalog_name(&world->catalog, recorder->key, name, sizeof name);
    for (size_t i = 0; i < sim_recorder_ask_count(recorder); i++) {
        json_array_append_new(asks, ask_json(world, sim_recorder_ask(recorder, i)));
    }
    json_t *store = level_json(&recorder->level);
    json_object_set_new(store, "limit_units",
                        recorder->limit_units == UINT64_MAX ? json_null()
                                                            : integer(recorder->limit_units));
    json_t *ideal = json_pack("{s:b}", "admits", recorder->ideal_admits);
    json_object_set_new(ideal, "left_units",
                        recorder->ideal_left_units == UINT64_MAX
                            ? json_null()
                            : integer(recorder->ideal_left_units));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "key", name, "at_s",
                     seconds(arrival->time_ns), "process", integer(arrival->process), "cost_units",
                     integer(arrival->cost_units), "decision", decision_json(recorder), "ideal",
                     ideal, "held", process_json(recorder), "store", store, "holders",
                     holders_json(recorder), "faults", faults_json(world, arrival->time_ns), "asks",
                     asks);
}
