#include "polling.h"

#include <stdlib.h>

#include "memory.h"
#include "weir/assert.h"

#define NEVER UINT64_MAX

/* What the store had at the instant of the next poll. */
struct noted {
    uint64_t left_units;
    bool is_noted;
};

struct sim_polling_round {
    const struct sim_poll *poll;
    struct sim_balancer balancer;
    struct sim_prng prng;
    uint64_t due_ns; /* as the scenario has it */
    uint64_t at_ns;  /* the end of an epoch; NEVER: no more */
    uint32_t first_key;
    uint32_t key_count;
    struct noted *noted; /* by key, from first_key on */
};

/* ---- when ---- */

static void round_plan(const struct sim_polling *polling, struct sim_polling_round *round)
{
    const uint64_t end_ns = polling->catalog->scenario->duration_ns;

    round->at_ns = NEVER;
    if (round->due_ns < round->poll->until_ns && round->due_ns < end_ns) {
        const uint64_t past_ns = round->due_ns % polling->epoch_ns;
        const uint64_t at_ns = round->due_ns + (past_ns == 0 ? 0 : polling->epoch_ns - past_ns);
        round->at_ns = at_ns < end_ns ? at_ns : NEVER;
    }
}

static void round_init(struct sim_polling *polling, size_t index)
{
    const struct sim_scenario *scenario = polling->catalog->scenario;
    const struct sim_poll *poll = &scenario->polls[index];
    const struct sim_population *population = &scenario->populations[poll->population];
    struct sim_polling_round *round = &polling->rounds[index];

    WEIR_ASSERT(poll->every_ns >= polling->epoch_ns);
    round->poll = poll;
    round->due_ns = poll->from_ns;
    for (uint32_t i = 0; i < poll->population; i++) {
        round->first_key += scenario->populations[i].key_count;
    }
    round->key_count = population->key_count;
    round->noted = sim_memory_new(round->key_count, sizeof(struct noted));
    sim_balancer_init(&round->balancer, &population->balance, scenario->process_count,
                      population->name);
    sim_prng_init(&round->prng, scenario->seed, "polled processes", index);
    round_plan(polling, round);
}

void sim_polling_init(struct sim_polling *polling, const struct sim_plan_history *history,
                      uint64_t epoch_ns)
{
    *polling = (struct sim_polling){.history = history,
                                    .catalog = history->catalog,
                                    .epoch_ns = epoch_ns,
                                    .round_count = history->catalog->scenario->poll_count};
    polling->rounds = sim_memory_new(polling->round_count, sizeof *polling->rounds);
    for (size_t i = 0; i < polling->round_count; i++) {
        round_init(polling, i);
    }
}

void sim_polling_deinit(struct sim_polling *polling)
{
    for (size_t i = 0; i < polling->round_count; i++) {
        sim_balancer_deinit(&polling->rounds[i].balancer);
        free(polling->rounds[i].noted);
    }
    free(polling->rounds);
    *polling = (struct sim_polling){0};
}

uint64_t sim_polling_every_ns(const struct sim_scenario *scenario)
{
    uint64_t least_ns = UINT64_MAX;

    for (size_t i = 0; i < scenario->poll_count; i++) {
        least_ns = scenario->polls[i].every_ns < least_ns ? scenario->polls[i].every_ns : least_ns;
    }
    return least_ns;
}

/* ---- the truth ---- */

static const struct weir_plan *plan_of(const struct sim_polling *polling, uint32_t key,
                                       uint64_t at_ns)
{
    return sim_plan_history_plan(polling->history, key, at_ns + 1);
}

static void note(const struct sim_polling *polling, struct sim_polling_round *round,
                 const struct sim_store *store, uint32_t key)
{
    struct noted *noted = &round->noted[key - round->first_key];
    struct sim_store_level level;

    if (noted->is_noted) {
        return;
    }
    noted->is_noted = true;
    sim_store_peek(store, key, plan_of(polling, key, round->at_ns), round->at_ns, &level);
    noted->left_units = level.left_units;
}

void sim_polling_before_serving(struct sim_polling *polling, const struct sim_store *store,
                                uint32_t key, uint64_t done_ns)
{
    for (size_t i = 0; i < polling->round_count; i++) {
        struct sim_polling_round *round = &polling->rounds[i];
        if (key >= round->first_key && key - round->first_key < round->key_count &&
            done_ns > round->at_ns) {
            note(polling, round, store, key);
        }
    }
}

static uint64_t local_ns(const struct sim_process *process, uint64_t now_ns)
{
    return sim_virtual_clock_read(&process->clock, now_ns);
}

/* At processes, and on the way to them. */
static uint64_t out_units(const struct sim_process *process, uint32_t key, uint64_t now_ns)
{
    uint64_t units = process->client == NULL ? 0
                                             : process->client->operations->spendable_units(
                                                   process->client, local_ns(process, now_ns), key);

    for (size_t i = 0; i < process->in_flight_count; i++) {
        const struct sim_exchange *exchange = process->in_flight[i];
        if (exchange->key == key && exchange->done_ns <= now_ns && !exchange->is_copy) {
            units += exchange->answer.granted_units;
        }
    }
    return units;
}

/* ---- the answers ---- */

/* What may have come back in age_ns, rounded up. Windows begin anew, and the quota says so itself;
 * what weighs on a sliding window is at most the limit, and leaves over a window's length; a log
 * may lose all at once. */
static uint64_t refill_units(const struct weir_plan *plan, uint64_t age_ns)
{
    __extension__ unsigned __int128 units = age_ns;

    if (plan->algorithm == WEIR_ALGORITHM_WINDOW || plan->algorithm == WEIR_ALGORITHM_LOG) {
        return plan->algorithm == WEIR_ALGORITHM_LOG ? plan->limit_units : 0;
    }
    units *= plan->rate_units;
    units /= (uint64_t)plan->rate_period_us * 1000;
    return (uint64_t)units + 1;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void raise(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

static void judge(struct sim_polling_totals *totals, const struct weir_plan *plan,
                  const struct weir_quota *quota, uint64_t true_units)
{
    const uint64_t most_units =
        quota->remaining_units + quota->error_units + refill_units(plan, quota->age_ns);

    totals->outside_bounds +=
        true_units + quota->error_units < quota->remaining_units || true_units > most_units;
    raise(&totals->error_units_max, difference(quota->remaining_units, true_units));
    raise(&totals->age_ns_max, quota->age_ns);
}

static void poll_key(struct sim_polling *polling, struct sim_polling_round *round,
                     const struct sim_process *processes, uint32_t key, uint64_t true_units)
{
    struct sim_polling_totals *totals = &polling->totals;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (uint32_t i = 0; i < round->poll->connection_count; i++) {
        const uint32_t number = sim_balancer_choose(&round->balancer, &round->prng, round->at_ns,
                                                    key - round->first_key);
        const struct sim_process *process = &processes[number];
        struct weir_quota quota;
        totals->polls++;
        if (process->client == NULL ||
            !process->client->operations->quota(process->client, local_ns(process, round->at_ns),
                                                key, &quota)) {
            totals->unknown++;
            continue;
        }
        judge(totals, plan_of(polling, key, round->at_ns), &quota, true_units);
        least = quota.remaining_units < least ? quota.remaining_units : least;
        raise(&most, quota.remaining_units);
    }
    if (least <= most) {
        raise(&totals->disagreement_units_max, most - least);
    }
}

void sim_polling_epoch(struct sim_polling *polling, const struct sim_store *store,
                       const struct sim_process *processes, uint64_t now_ns)
{
    if (polling->round_count == 0 ||
        polling->catalog->scenario->coordination != SIM_COORDINATION_LEASE) {
        return; /* a baseline has nothing to tell */
    }
    for (size_t i = 0; i < polling->round_count; i++) {
        struct sim_polling_round *round = &polling->rounds[i];
        if (round->at_ns != now_ns) {
            WEIR_ASSERT(round->at_ns > now_ns);
            continue;
        }
        for (uint32_t key = round->first_key; key < round->first_key + round->key_count; key++) {
            if (plan_of(polling, key, now_ns)->algorithm == WEIR_ALGORITHM_UNLIMITED) {
                continue;
            }
            note(polling, round, store, key);
            uint64_t true_units = round->noted[key - round->first_key].left_units;
            for (uint32_t p = 0; p < polling->catalog->scenario->process_count; p++) {
                true_units += out_units(&processes[p], key, now_ns);
            }
            poll_key(polling, round, processes, key, true_units);
            round->noted[key - round->first_key].is_noted = false;
        }
        round->due_ns += round->poll->every_ns;
        round_plan(polling, round);
    }
}
