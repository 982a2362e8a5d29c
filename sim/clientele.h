/* The clients: which attempts they make, and when.
 *
 * A job is what a client wants done: its first attempt is an arrival of the open traffic, or the
 * next request of a closed-loop client. What happens when an attempt is denied is for the spec's
 * on_denial to say. Every attempt is an ordinary arrival; its process is drawn anew.
 *
 * Causality: what a decision causes comes at least sim_clientele_reaction_ns later. So whoever
 * decides all arrivals before an instant, having taken them in steps no longer than that, never
 * misses one (checked).
 *
 * Determinism: decisions may be handed in in any order. Attempts are ordered by time, spec and job
 * number alone, and each random number is the first of a stream of its own, named by the seed, its
 * purpose and a hash of (spec, job number, attempt), so nothing depends on who drew before. */
#ifndef SIM_CLIENTELE_H
#define SIM_CLIENTELE_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"
#include "traffic.h"

/* The least time from a job's end to the next request of a closed-loop client. */
#define SIM_THINK_MIN_NS UINT64_C(1000000)

struct sim_clientele_totals {
    uint64_t retries;   /* attempts beyond a job's first */
    uint64_t given_up;  /* jobs */
    uint64_t cut_off;   /* jobs whose next attempt would have come after the end of the run */
    uint64_t recovered; /* jobs denied at least once, and then admitted ... */
    __extension__ unsigned __int128 recovery_sum_ns; /* ... and how long that took them */
    uint64_t recovery_max_ns;
};

struct sim_clientele;

/* The scenario must outlive the clientele. */
struct sim_clientele *sim_clientele_new(const struct sim_scenario *scenario);
void sim_clientele_free(struct sim_clientele *clientele);

/* The next attempt before end_ns, or false. Times never decrease; at equal times open traffic comes
 * first. */
bool sim_clientele_next(struct sim_clientele *clientele, uint64_t end_ns,
                        struct sim_arrival *arrival);

/* How an attempt of a job ended. Once for each attempt, with arrival.job; SIM_JOB_NONE is good too.
 * retry_after_ns: what the client was told, WEIR_RETRY_NEVER included. */
void sim_clientele_admitted(struct sim_clientele *clientele, uint32_t job, uint64_t decided_ns);
void sim_clientele_denied(struct sim_clientele *clientele, uint32_t job, uint64_t decided_ns,
                          uint64_t retry_after_ns);

/* A process for an attempt, by the balance of its key; see traffic.h. */
void sim_clientele_draw_process(const struct sim_clientele *clientele, struct sim_prng *prng,
                                struct sim_arrival *arrival);

const struct sim_clientele_totals *sim_clientele_totals(const struct sim_clientele *clientele);

/* From first denial to admission; 0 if no job recovered. */
double sim_clientele_recovery_mean_s(const struct sim_clientele_totals *totals);

/* Expected first attempts of open traffic per second; see traffic.h. */
double sim_clientele_requests_per_s(const struct sim_clientele *clientele);

/* The least time from a decision to an attempt it causes; UINT64_MAX: no decision causes any. */
uint64_t sim_clientele_reaction_ns(const struct sim_scenario *scenario);

#endif
