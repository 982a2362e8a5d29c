#include "aftermath.h"

#include <stdlib.h>

#include "memory.h"
#include "twin.h"
#include "world.h"

static void look_at_faults(struct sim_aftermath *aftermath, const struct sim_world *world)
{
    const struct fault_list *faults = &world->scenario->faults;
    const uint64_t settling_ns = sim_liveness_settling_ns(world);

    aftermath->fault_count = faults->count;
    aftermath->faults = sim_memory_new(faults->count, sizeof *aftermath->faults);
    aftermath->is_compared = world->twin != NULL;
    for (size_t i = 0; i < faults->count; i++) {
        const struct fault *fault = &faults->faults[i];
        const uint64_t until_ns =
            fault->until_ns < UINT64_MAX - settling_ns ? fault->until_ns + settling_ns : UINT64_MAX;
        aftermath->faults[i] = (struct sim_fault_outcome){
            .fired_count = faults->fired_count == NULL ? 0 : faults->fired_count[i],
            .changed_count = world->twin == NULL ? 0
                                                 : sim_journal_missing_count(
                                                       &world->watch.journal, &world->twin->journal,
                                                       fault->from_ns, until_ns),
        };
    }
}

/* What processes reported, unless some of it is not known: then all that they can have spent, which
 * is what they were granted and did not give back. */
static uint64_t bound_high_units(const struct sim_world *world, const struct sim_ledger *ledger)
{
    const struct sim_billing *billing = &world->watch.billing;
    const uint64_t reported = billing->all.reported_units;
    const uint64_t spendable = ledger->granted_units - ledger->returned_units +
                               ledger->degraded_units + ledger->unlimited_units;

    return (billing->forgotten_count != 0 || billing->undelivered_count != 0) &&
                   spendable > reported
               ? spendable
               : reported;
}

void sim_aftermath_make(struct sim_aftermath *aftermath, const struct sim_world *world,
                        const struct sim_ledger *ledger)
{
    *aftermath = (struct sim_aftermath){.counts = world->watch.retired};
    look_at_faults(aftermath, world);
    sim_liveness_make(&aftermath->liveness, world, ledger->outstanding_units,
                      sim_ledger_unexplained_units(ledger));
    sim_outages_figures(&world->watch.outages, SIM_EVERY_POPULATION, &aftermath->outages);
    for (uint32_t i = 0; i < world->scenario->process_count; i++) {
        if (world->processes[i].client != NULL) {
            sim_watch_add_counts(&aftermath->counts, world->processes[i].client);
        }
    }
    aftermath->bill_bound_high_units = bound_high_units(world, ledger);
}

void sim_aftermath_free(struct sim_aftermath *aftermath)
{
    free(aftermath->faults);
    sim_liveness_free(&aftermath->liveness);
    *aftermath = (struct sim_aftermath){0};
}

bool sim_aftermath_is_inconclusive(const struct sim_aftermath *aftermath)
{
    bool idle = false;

    for (size_t i = 0; i < aftermath->fault_count; i++) {
        const struct sim_fault_outcome *fault = &aftermath->faults[i];
        idle |= fault->fired_count == 0 || (aftermath->is_compared && fault->changed_count == 0);
    }
    return idle || aftermath->liveness.recovery == SIM_RECOVERY_UNKNOWN;
}
