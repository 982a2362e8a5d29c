#include "clientele.h"

#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "memory.h"
#include "prng.h"
#include "weir/assert.h"
#include "weir/decision.h"

#define NEVER UINT64_MAX
#define SLOT_NS UINT64_C(100000000)

/* A job under way. A closed-loop client goes on as one and the same entry from job to job. */
struct job {
    uint64_t number; /* within its spec; closed: client << 32 | how many jobs it had before */
    uint64_t first_denied_ns; /* NEVER: not yet */
    uint32_t spec;
    uint32_t key;
    uint32_t cost_units;
    uint32_t endpoint;
    uint32_t attempt_count; /* made so far */
    uint32_t next;          /* in a list: of free entries, or of a slot */
    uint64_t due_ns;        /* in a slot: its next attempt */
};

/* An attempt to come. */
struct due {
    uint64_t time_ns;
    uint64_t number; /* of the job */
    uint32_t spec;
    uint32_t job;
};

struct sim_clientele {
    const struct sim_scenario *scenario;
    struct sim_traffic *traffic;
    struct sim_arrival open; /* the next of it */
    bool has_open;
    uint64_t *job_counts; /* by spec: open jobs that began */

    struct job *jobs;
    uint32_t job_count;
    uint32_t job_capacity;
    uint32_t free_job; /* a list; SIM_JOB_NONE: none */

    /* Attempts to come: up to the end of near_slot in a heap by time, spec and number, later ones
     * in a list for each slot of time. One heap of all of them is too large for the caches. */
    struct due *dues;
    size_t due_count;
    size_t due_capacity;
    uint32_t *slots; /* by due_ns / SLOT_NS: first of a list; SIM_JOB_NONE: none */
    uint64_t near_slot;
    uint64_t far_count;
    uint64_t handed_ns; /* all attempts before it were handed out */
    struct sim_clientele_totals totals;
};

/* ---- jobs and their attempts to come ---- */

static uint32_t job_new(struct sim_clientele *clientele, const struct job *content)
{
    uint32_t job = clientele->free_job;

    if (job != SIM_JOB_NONE) {
        clientele->free_job = clientele->jobs[job].next;
    } else {
        job = clientele->job_count++;
        WEIR_ASSERT(job != SIM_JOB_NONE);
        if (job == clientele->job_capacity) {
            const uint32_t capacity = job == 0 ? 1024 : 2 * job;
            struct job *grown = sim_memory_new(capacity, sizeof *grown);
            if (job != 0) {
                memcpy(grown, clientele->jobs, job * sizeof *grown);
            }
            free(clientele->jobs);
            clientele->jobs = grown;
            clientele->job_capacity = capacity;
        }
    }
    clientele->jobs[job] = *content;
    return job;
}

static void job_free(struct sim_clientele *clientele, uint32_t job)
{
    clientele->jobs[job].next = clientele->free_job;
    clientele->free_job = job;
}

static bool comes_first(const struct due *left, const struct due *right)
{
    if (left->time_ns != right->time_ns) {
        return left->time_ns < right->time_ns;
    }
    return left->spec != right->spec ? left->spec < right->spec : left->number < right->number;
}

static void heap_push(struct sim_clientele *clientele, uint32_t job, uint64_t time_ns)
{
    const struct due due = {.time_ns = time_ns,
                            .number = clientele->jobs[job].number,
                            .spec = clientele->jobs[job].spec,
                            .job = job};

    clientele->dues = sim_memory_grow(clientele->dues, clientele->due_count,
                                      &clientele->due_capacity, sizeof *clientele->dues);
    size_t at = clientele->due_count++;
    while (at > 0 && comes_first(&due, &clientele->dues[(at - 1) / 2])) {
        clientele->dues[at] = clientele->dues[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    clientele->dues[at] = due;
}

static struct due heap_pop(struct sim_clientele *clientele)
{
    const struct due first = clientele->dues[0];
    const struct due last = clientele->dues[--clientele->due_count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < clientele->due_count &&
            comes_first(&clientele->dues[child + 1], &clientele->dues[child])) {
            child++;
        }
        if (child >= clientele->due_count || !comes_first(&clientele->dues[child], &last)) {
            break;
        }
        clientele->dues[at] = clientele->dues[child];
        at = child;
    }
    clientele->dues[at] = last;
    return first;
}

/* Requires a time before the end of the run. */
static void due_push(struct sim_clientele *clientele, uint32_t number, uint64_t time_ns)
{
    struct job *job = &clientele->jobs[number];
    const uint64_t slot = time_ns / SLOT_NS;

    WEIR_ASSERT(time_ns >= clientele->handed_ns && time_ns < clientele->scenario->duration_ns);
    if (slot <= clientele->near_slot) {
        heap_push(clientele, number, time_ns);
        return;
    }
    job->due_ns = time_ns;
    job->next = clientele->slots[slot];
    clientele->slots[slot] = number;
    clientele->far_count++;
}

/* Time of the next attempt, which is on top of the heap then; NEVER: there is none. */
static uint64_t next_due_ns(struct sim_clientele *clientele)
{
    while (clientele->due_count == 0 && clientele->far_count != 0) {
        uint32_t job = clientele->slots[++clientele->near_slot];
        while (job != SIM_JOB_NONE) {
            heap_push(clientele, job, clientele->jobs[job].due_ns);
            job = clientele->jobs[job].next;
            clientele->far_count--;
        }
    }
    return clientele->due_count != 0 ? clientele->dues[0].time_ns : NEVER;
}

/* ---- what clients do ---- */

static const struct sim_traffic_spec *spec_of(const struct sim_clientele *clientele,
                                              const struct job *job)
{
    return &clientele->scenario->traffic[job->spec];
}

static bool is_reacting(const struct sim_traffic_spec *spec)
{
    return spec->pattern == SIM_PATTERN_CLOSED || spec->on_denial.kind != SIM_DENIAL_IGNORE;
}

static void stream_init(struct sim_prng *prng, const struct sim_clientele *clientele,
                        const struct job *job, const char *purpose)
{
    const uint64_t name = sim_prng_mix(sim_prng_mix(job->spec) ^ job->number);

    sim_prng_init(prng, clientele->scenario->seed, purpose,
                  sim_prng_mix(name ^ job->attempt_count));
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Uniform in [0, most]. */
static uint64_t draw_wait_ns(const struct sim_clientele *clientele, const struct job *job,
                             uint64_t most_ns)
{
    struct sim_prng prng;

    stream_init(&prng, clientele, job, "client waits");
    return most_ns == UINT64_MAX ? sim_prng_next(&prng) : sim_prng_below(&prng, most_ns + 1);
}

/* From the denial of a job's latest attempt to its next one; NEVER: the client gives up. */
static uint64_t wait_ns(const struct sim_clientele *clientele, const struct job *job,
                        uint64_t retry_after_ns)
{
    const struct sim_on_denial *on_denial = &spec_of(clientele, job)->on_denial;
    const uint64_t told_ns =
        retry_after_ns > on_denial->delay_ns ? retry_after_ns : on_denial->delay_ns;
    const uint32_t doublings = job->attempt_count - 1; /* denials before this one */
    uint64_t wait_ns;

    if (on_denial->kind == SIM_DENIAL_IGNORE || job->attempt_count >= on_denial->attempts_max) {
        return NEVER;
    }
    switch (on_denial->kind) {
    case SIM_DENIAL_IGNORE:
    case SIM_DENIAL_RETRY_AT_ONCE:
        return on_denial->delay_ns;
    case SIM_DENIAL_OBEY:
        return told_ns; /* WEIR_RETRY_NEVER is NEVER */
    case SIM_DENIAL_OBEY_JITTER:
        return sum(told_ns, draw_wait_ns(clientele, job, on_denial->jitter_ns));
    case SIM_DENIAL_BACKOFF:
        break;
    }
    uint64_t range_ns = on_denial->longest_ns;
    if (doublings < 64 && on_denial->first_ns <= range_ns >> doublings) {
        range_ns = on_denial->first_ns << doublings;
    }
    wait_ns = draw_wait_ns(clientele, job, range_ns);
    return wait_ns > on_denial->delay_ns ? wait_ns : on_denial->delay_ns;
}

/* The job of a closed-loop client is over: it thinks, and has another. */
static void job_end(struct sim_clientele *clientele, uint32_t number, uint64_t ended_ns)
{
    struct job *job = &clientele->jobs[number];
    const struct sim_traffic_spec *spec = spec_of(clientele, job);
    struct sim_prng prng;

    if (spec->pattern != SIM_PATTERN_CLOSED) {
        job_free(clientele, number);
        return;
    }
    job->number++;
    job->attempt_count = 0;
    job->first_denied_ns = NEVER;
    stream_init(&prng, clientele, job, "client thinks");
    const uint64_t think_ns = sim_prng_exponential_ns(&prng, spec->think_ns);
    const uint64_t next_ns =
        sum(ended_ns, think_ns > SIM_THINK_MIN_NS ? think_ns : SIM_THINK_MIN_NS);
    if (next_ns < spec->until_ns && next_ns < clientele->scenario->duration_ns) {
        due_push(clientele, number, next_ns);
    } else {
        job_free(clientele, number); /* the client leaves */
    }
}

void sim_clientele_admitted(struct sim_clientele *clientele, uint32_t job, uint64_t decided_ns)
{
    struct sim_clientele_totals *totals = &clientele->totals;

    if (job == SIM_JOB_NONE) {
        return;
    }
    const uint64_t denied_ns = clientele->jobs[job].first_denied_ns;
    if (denied_ns != NEVER) {
        const uint64_t took_ns = decided_ns - denied_ns;
        totals->recovered++;
        totals->recovery_sum_ns += took_ns;
        totals->recovery_max_ns =
            took_ns > totals->recovery_max_ns ? took_ns : totals->recovery_max_ns;
    }
    job_end(clientele, job, decided_ns);
}

void sim_clientele_denied(struct sim_clientele *clientele, uint32_t number, uint64_t decided_ns,
                          uint64_t retry_after_ns)
{
    if (number == SIM_JOB_NONE) {
        clientele->totals.given_up++;
        return;
    }
    struct job *job = &clientele->jobs[number];
    if (job->first_denied_ns == NEVER) {
        job->first_denied_ns = decided_ns;
    }
    const uint64_t waits_ns = wait_ns(clientele, job, retry_after_ns);
    const uint64_t next_ns = sum(decided_ns, waits_ns);
    if (waits_ns == NEVER) {
        clientele->totals.given_up++;
        job_end(clientele, number, decided_ns);
    } else if (next_ns >= clientele->scenario->duration_ns) {
        clientele->totals.cut_off++;
        job_free(clientele, number);
    } else {
        due_push(clientele, number, next_ns);
    }
}

/* ---- attempts in order ---- */

static void take_open(struct sim_clientele *clientele, struct sim_arrival *arrival)
{
    *arrival = clientele->open;
    clientele->has_open = sim_traffic_next(clientele->traffic, &clientele->open);
    if (is_reacting(&clientele->scenario->traffic[arrival->spec])) {
        const struct job job = {
            .number = clientele->job_counts[arrival->spec]++,
            .first_denied_ns = NEVER,
            .spec = arrival->spec,
            .key = arrival->key,
            .cost_units = arrival->cost_units,
            .endpoint = arrival->endpoint,
            .attempt_count = 1,
        };
        arrival->job = job_new(clientele, &job);
    }
}

static void take_due(struct sim_clientele *clientele, struct sim_arrival *arrival)
{
    const struct due due = heap_pop(clientele);
    struct job *job = &clientele->jobs[due.job];
    struct sim_prng prng;

    *arrival = (struct sim_arrival){.time_ns = due.time_ns,
                                    .key = job->key,
                                    .cost_units = job->cost_units,
                                    .endpoint = job->endpoint,
                                    .spec = job->spec,
                                    .job = due.job};
    if (job->attempt_count == 0) { /* a closed-loop client's next job */
        stream_init(&prng, clientele, job, "client costs");
        sim_traffic_draw_cost(clientele->traffic, &prng, arrival);
        job->cost_units = arrival->cost_units;
        job->endpoint = arrival->endpoint;
    } else {
        clientele->totals.retries++;
    }
    stream_init(&prng, clientele, job, "client processes");
    sim_traffic_draw_process(clientele->traffic, &prng, arrival);
    job->attempt_count++;
}

bool sim_clientele_next(struct sim_clientele *clientele, uint64_t end_ns,
                        struct sim_arrival *arrival)
{
    const uint64_t open_ns = clientele->has_open ? clientele->open.time_ns : NEVER;
    const uint64_t due_ns = next_due_ns(clientele);
    const uint64_t next_ns = open_ns < due_ns ? open_ns : due_ns;

    if (next_ns >= end_ns) {
        clientele->handed_ns = end_ns;
        return false;
    }
    clientele->handed_ns = next_ns;
    if (open_ns <= due_ns) {
        take_open(clientele, arrival);
    } else {
        take_due(clientele, arrival);
    }
    if (arrival->endpoint != UINT32_MAX && clientele->scenario->change_count != 0) {
        arrival->cost_units =
            sim_changes_weight_units(clientele->scenario, arrival->endpoint, arrival->time_ns);
    }
    return true;
}

/* ---- making ---- */

/* Closed-loop clients begin at a uniform time within the first mean think time. */
static void clients_start(struct sim_clientele *clientele, uint32_t number)
{
    const struct sim_scenario *scenario = clientele->scenario;
    const struct sim_traffic_spec *spec = &scenario->traffic[number];
    const uint64_t end_ns =
        spec->until_ns < scenario->duration_ns ? spec->until_ns : scenario->duration_ns;
    const uint32_t key_count = scenario->populations[spec->population].key_count;
    uint64_t client = 0;

    for (uint32_t key = 0; key < key_count; key++) {
        for (uint32_t i = 0; i < spec->client_count; i++, client++) {
            const struct job job = {
                .number = client << 32,
                .first_denied_ns = NEVER,
                .spec = number,
                .key = sim_traffic_first_key(clientele->traffic, number) + key,
            };
            struct sim_prng prng;
            stream_init(&prng, clientele, &job, "client starts");
            const uint64_t start_ns =
                spec->from_ns + (spec->think_ns == 0 ? 0 : sim_prng_below(&prng, spec->think_ns));
            if (start_ns < end_ns) {
                due_push(clientele, job_new(clientele, &job), start_ns);
            }
        }
    }
}

struct sim_clientele *sim_clientele_new(const struct sim_scenario *scenario)
{
    struct sim_clientele *clientele = sim_memory_new(1, sizeof *clientele);

    clientele->scenario = scenario;
    clientele->free_job = SIM_JOB_NONE;
    clientele->traffic = sim_traffic_new(scenario);
    const size_t slot_count = (size_t)(scenario->duration_ns / SLOT_NS) + 1;
    clientele->slots = sim_memory_new(slot_count, sizeof(uint32_t));
    for (size_t i = 0; i < slot_count; i++) {
        clientele->slots[i] = SIM_JOB_NONE;
    }
    clientele->job_counts = sim_memory_new(scenario->traffic_count, sizeof(uint64_t));
    clientele->has_open = sim_traffic_next(clientele->traffic, &clientele->open);
    for (uint32_t i = 0; i < scenario->traffic_count; i++) {
        if (scenario->traffic[i].pattern == SIM_PATTERN_CLOSED) {
            clients_start(clientele, i);
        }
    }
    return clientele;
}

void sim_clientele_free(struct sim_clientele *clientele)
{
    if (clientele == NULL) {
        return;
    }
    sim_traffic_free(clientele->traffic);
    free(clientele->job_counts);
    free(clientele->jobs);
    free(clientele->dues);
    free(clientele->slots);
    free(clientele);
}

void sim_clientele_draw_process(const struct sim_clientele *clientele, struct sim_prng *prng,
                                struct sim_arrival *arrival)
{
    sim_traffic_draw_process(clientele->traffic, prng, arrival);
}

const struct sim_clientele_totals *sim_clientele_totals(const struct sim_clientele *clientele)
{
    return &clientele->totals;
}

double sim_clientele_requests_per_s(const struct sim_clientele *clientele)
{
    return sim_traffic_requests_per_s(clientele->traffic);
}

uint64_t sim_clientele_reaction_ns(const struct sim_scenario *scenario)
{
    uint64_t least_ns = UINT64_MAX;

    for (size_t i = 0; i < scenario->traffic_count; i++) {
        const struct sim_traffic_spec *spec = &scenario->traffic[i];
        if (spec->pattern == SIM_PATTERN_CLOSED && SIM_THINK_MIN_NS < least_ns) {
            least_ns = SIM_THINK_MIN_NS;
        }
        if (spec->on_denial.kind != SIM_DENIAL_IGNORE && spec->on_denial.delay_ns < least_ns) {
            least_ns = spec->on_denial.delay_ns;
        }
    }
    return least_ns;
}

double sim_clientele_recovery_mean_s(const struct sim_clientele_totals *totals)
{
    return totals->recovered == 0
               ? 0
               : (double)totals->recovery_sum_ns / (double)totals->recovered / 1e9;
}
