/* Counters of a run that are not about accuracy: decisions, asks, latency. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "catalog.h"

/* Times added to admitted requests, in buckets of at most 1/16 of their value: percentiles are
 * exact to 6 %, the maximum exactly. */
#define SIM_LATENCY_BUCKETS 704

struct sim_latency {
    uint64_t counts[SIM_LATENCY_BUCKETS];
    uint64_t count;
    uint64_t waited; /* with more than zero */
    uint64_t max_ns;
};

enum sim_limit_class {
    SIM_LIMIT_BELOW_10K = 0,
    SIM_LIMIT_BELOW_100K,
    SIM_LIMIT_FROM_100K,
    SIM_LIMIT_CLASSES,
};

extern const char *const sim_limit_class_names[SIM_LIMIT_CLASSES];

struct sim_metrics {
    uint64_t requests;
    uint64_t admitted;
    uint64_t denied;
    uint64_t unanswered;
    uint64_t killed;      /* waited, or were queued, in a process that was killed */
    uint64_t unreachable; /* no process took requests: not counted in `requests` */
    uint64_t answered_within_5ms;
    struct sim_latency all;                         /* admitted requests, first touches included */
    struct sim_latency by_class[SIM_LIMIT_CLASSES]; /* first touches apart */
    struct sim_latency first_touches;
    struct sim_latency lock_waits; /* of requests that got the lock they wanted */

    uint64_t duration_ns;
    uint64_t asks;           /* during the run ... */
    uint64_t asks_after_end; /* ... and to give everything back when it is over */
    uint64_t pairs;          /* distinct (key, process) with a request */
    uint64_t *asks_by_10ms;
    int64_t *flights_by_ms; /* change of the number of asks in flight */
    uint64_t in_flight;     /* asks without a reply so far ... */
    uint64_t flight_ns;     /* ... and of all others how long they took within the run, less when
                               these were sent: modulo 2^64 */
    size_t ms_count;
};

void sim_metrics_init(struct sim_metrics *metrics, uint64_t duration_ns);
void sim_metrics_deinit(struct sim_metrics *metrics);

void sim_metrics_decision(struct sim_metrics *metrics, enum sim_limit_class class, int admitted,
                          int first_touch, uint64_t added_ns);
void sim_metrics_lock_wait(struct sim_metrics *metrics, uint64_t waited_ns);
void sim_metrics_ask(struct sim_metrics *metrics, uint64_t sent_ns);
void sim_metrics_reply(struct sim_metrics *metrics, uint64_t received_ns);

void sim_latency_record(struct sim_latency *latency, uint64_t added_ns);
/* Add what one recorded to another. */
void sim_latency_add(struct sim_latency *sum, const struct sim_latency *latency);

/* The smallest recorded value with at least part_ppm of all at or below it (upper edge of its
 * bucket). */
uint64_t sim_latency_percentile_ns(const struct sim_latency *latency, uint32_t part_ppm);

/* Largest value that falls into a bucket of sim_latency.counts. */
uint64_t sim_latency_bucket_ns(unsigned bucket);

/* Asks sent in the whole second that begins at second_s. */
uint64_t sim_metrics_asks_in_second(const struct sim_metrics *metrics, uint64_t second_s);

uint64_t sim_metrics_asks_max_10ms(const struct sim_metrics *metrics);
uint64_t sim_metrics_asks_max_1s(const struct sim_metrics *metrics);
uint64_t sim_metrics_in_flight_max(const struct sim_metrics *metrics);

/* Time in flight of all asks within the run, in ns: divided by its duration, the mean number in
 * flight. An ask that is never answered is in flight to the end. Requires: less than 2^64. */
uint64_t sim_metrics_flight_ns(const struct sim_metrics *metrics);

#endif
