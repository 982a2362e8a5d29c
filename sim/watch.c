#include "watch.h"

void sim_watch_init(struct sim_watch *watch, const struct sim_plan_history *history)
{
    const struct sim_scenario *scenario = history->catalog->scenario;

    sim_journal_init(&watch->journal);
    sim_degradation_init(&watch->degradation, scenario->duration_ns, scenario->process_count);
    sim_outages_init(&watch->outages, history);
    sim_outage_services_init(&watch->services, &watch->outages);
    sim_billing_init(&watch->billing, scenario);
    watch->retired = (struct weir_limiter_counts){0};
}

void sim_watch_deinit(struct sim_watch *watch)
{
    sim_journal_deinit(&watch->journal);
    sim_degradation_deinit(&watch->degradation);
    sim_outage_services_deinit(&watch->services);
    sim_outages_deinit(&watch->outages);
    sim_billing_deinit(&watch->billing);
}

void sim_watch_arrival(struct sim_watch *watch, const struct sim_arrival *arrival, bool is_due)
{
    sim_outages_arrival(&watch->outages, arrival, is_due);
    sim_outage_services_arrival(&watch->services, arrival, is_due);
}

void sim_watch_decided(struct sim_watch *watch, struct sim_accuracy *accuracy, uint32_t process,
                       const struct sim_waiting *request, uint64_t decided_ns,
                       const struct weir_decision *decision)
{
    const bool admitted = decision->verdict == WEIR_VERDICT_ADMITTED;

    sim_journal_decision(&watch->journal, request->arrived_ns, request->key, request->cost_units,
                         decision->verdict, decision->mode);
    sim_outage_services_decided(&watch->services, request->key, request->arrived_ns, decided_ns,
                                admitted ? request->cost_units : 0);
    if (admitted) {
        sim_outages_admitted(&watch->outages, process, request->key, request->arrived_ns,
                             decided_ns, request->cost_units);
    }
    if (decision->mode != WEIR_MODE_DEGRADED) {
        return;
    }
    sim_outage_services_alone(&watch->services, request->key, decided_ns);
    if (!admitted) {
        sim_degradation_denied(&watch->degradation, process, decided_ns);
        return;
    }
    sim_degradation_admitted(&watch->degradation, process, decided_ns, request->cost_units);
    if (decision->reason != WEIR_REASON_UNLIMITED) { /* nothing is owed for it */
        sim_accuracy_lost(accuracy, SIM_LOSS_DEGRADED, request->key, request->arrived_ns,
                          request->charged_units);
    }
}

void sim_watch_killed(struct sim_watch *watch, uint32_t key, uint64_t arrived_ns)
{
    sim_outage_services_killed(&watch->services, key, arrived_ns);
}

void sim_watch_before_serving(struct sim_watch *watch, const struct sim_store *store, uint32_t key,
                              uint64_t done_ns)
{
    sim_outages_before_serving(&watch->outages, store, key, done_ns);
}

void sim_watch_served(struct sim_watch *watch, const struct sim_exchange *exchange,
                      uint64_t done_ns)
{
    sim_journal_answer(&watch->journal, done_ns, exchange->process, exchange->key,
                       exchange->answer.granted_units);
}

void sim_watch_add_counts(struct weir_limiter_counts *sum, const struct sim_client *client)
{
    struct weir_limiter_counts counts;

    if (client->operations->counts == NULL) {
        return;
    }
    client->operations->counts(client, &counts);
    sum->degraded_admitted += counts.degraded_admitted;
    sum->degraded_denied += counts.degraded_denied;
    sum->degraded_units += counts.degraded_units;
    sum->charged_units += counts.charged_units;
    sum->lost_charge_units += counts.lost_charge_units;
    sum->covered_units += counts.covered_units;
    sum->unsent_units += counts.unsent_units;
    sum->asks_failed += counts.asks_failed;
    sum->asks_repeated += counts.asks_repeated;
    sum->asks_expired += counts.asks_expired;
    sum->probes += counts.probes;
    sum->breaker_openings += counts.breaker_openings;
    sum->data_losses += counts.data_losses;
    sum->clock_steps += counts.clock_steps;
}

void sim_watch_retire(struct sim_watch *watch, const struct sim_client *client)
{
    sim_watch_add_counts(&watch->retired, client);
}

void sim_watch_advance(struct sim_watch *watch, const struct sim_store *store, uint64_t now_ns)
{
    sim_outages_advance(&watch->outages, store, now_ns);
}

void sim_watch_finish(struct sim_watch *watch, const struct sim_store *store)
{
    sim_outages_advance(&watch->outages, store, UINT64_MAX);
    sim_journal_finish(&watch->journal);
    sim_billing_finish(&watch->billing);
}
