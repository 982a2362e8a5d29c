#include "ledger.h"

#include "json_value.h"
#include "world.h"

static uint64_t outstanding_units(const struct sim_world *world)
{
    uint64_t units = 0;

    for (uint32_t i = 0; i < world->scenario->process_count && !world->drained; i++) {
        const struct sim_client *client = world->processes[i].client;
        if (client == NULL || client->operations->lost_units == NULL) {
            continue; /* it is not there, or holds nothing */
        }
        for (uint32_t key = 0; key < world->catalog.key_count; key++) {
            units += client->operations->lost_units(client, key);
        }
    }
    return units;
}

static struct weir_limiter_counts counts_of(const struct sim_world *world)
{
    struct weir_limiter_counts counts = world->watch.retired;

    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        if (world->processes[i].client != NULL) {
            sim_watch_add_counts(&counts, world->processes[i].client);
        }
    }
    return counts;
}

void sim_ledger_make(struct sim_ledger *ledger, const struct sim_world *world,
                     const struct sim_judgement *all)
{
    const uint64_t *lost = world->accuracy.lost_totals;

    *ledger = (struct sim_ledger){
        .granted_units = world->store.granted_units,
        .spent_units = all->charged_units,
        .degraded_units = lost[SIM_LOSS_DEGRADED],
        .charged_units = lost[SIM_LOSS_CHARGED] - world->store.recharged_units,
        .returned_units = world->store.returned_units,
        .dead_units = lost[SIM_LOSS_DEAD],
        .lost_reply_units = lost[SIM_LOSS_REPLY],
        .data_lost_units = lost[SIM_LOSS_DATA],
        .drained = world->drained,
    };
    if (world->scenario->coordination != SIM_COORDINATION_LEASE) {
        return;
    }
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        ledger->unlimited_units += world->processes[i].unlimited_units;
    }
    const struct weir_limiter_counts counts = counts_of(world);
    ledger->covered_units = counts.covered_units;
    ledger->lost_reply_units += counts.unsent_units;
    ledger->outstanding_units = outstanding_units(world);
    ledger->missing_units =
        (int64_t)ledger->granted_units - (int64_t)(ledger->returned_units + ledger->covered_units) -
        (int64_t)(ledger->spent_units - ledger->unlimited_units - ledger->degraded_units) -
        (int64_t)(ledger->dead_units + ledger->lost_reply_units + ledger->outstanding_units);
    ledger->overcharged_units = ledger->charged_units > ledger->degraded_units
                                    ? ledger->charged_units - ledger->degraded_units
                                    : 0;
}

uint64_t sim_ledger_unexplained_units(const struct sim_ledger *ledger)
{
    const int64_t missing = ledger->missing_units;

    return (uint64_t)(missing < 0 ? -missing : missing) + ledger->overcharged_units;
}

static void set(json_t *json, const char *name, uint64_t value)
{
    json_object_set_new(json, name, integer(value));
}

json_t *sim_ledger_json(const struct sim_ledger *ledger)
{
    json_t *json = json_object();

    set(json, "granted_units", ledger->granted_units);
    set(json, "spent_units", ledger->spent_units);
    set(json, "returned_units", ledger->returned_units);
    set(json, "degraded_units", ledger->degraded_units);
    set(json, "charged_units", ledger->charged_units);
    set(json, "covered_units", ledger->covered_units);
    set(json, "dead_units", ledger->dead_units);
    set(json, "lost_reply_units", ledger->lost_reply_units);
    set(json, "data_lost_units", ledger->data_lost_units);
    set(json, "outstanding_units", ledger->outstanding_units);
    json_object_set_new(json, "missing_units", json_integer((json_int_t)ledger->missing_units));
    set(json, "overcharged_units", ledger->overcharged_units);
    json_object_set_new(json, "drained", json_boolean(ledger->drained));
    return json;
}
