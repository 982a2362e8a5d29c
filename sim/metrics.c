#include "metrics.h"

#include <stdlib.h>

#include "memory.h"

#define NS_PER_MS UINT64_C(1000000)
#define SUB_BITS 4 /* 16 buckets per power of two */
#define FIVE_MS (5 * NS_PER_MS)

const char *const sim_limit_class_names[SIM_LIMIT_CLASSES] = {"below_10k", "below_100k",
                                                              "from_100k"};

void sim_metrics_init(struct sim_metrics *metrics, uint64_t duration_ns)
{
    *metrics = (struct sim_metrics){.duration_ns = duration_ns,
                                    .ms_count = (size_t)(duration_ns / NS_PER_MS) + 1};
    metrics->asks_by_10ms = sim_memory_new(metrics->ms_count / 10 + 1, sizeof(uint64_t));
    metrics->flights_by_ms = sim_memory_new(metrics->ms_count, sizeof(int64_t));
}

void sim_metrics_deinit(struct sim_metrics *metrics)
{
    free(metrics->asks_by_10ms);
    free(metrics->flights_by_ms);
    *metrics = (struct sim_metrics){0};
}

static unsigned bucket_of(uint64_t value)
{
    unsigned exponent = 0;

    if (value < (1u << SUB_BITS)) {
        return (unsigned)value;
    }
    for (uint64_t rest = value >> SUB_BITS; rest > 1; rest >>= 1) {
        exponent++;
    }
    const unsigned bucket = (exponent << SUB_BITS) + (unsigned)(value >> exponent);
    return bucket < SIM_LATENCY_BUCKETS ? bucket : SIM_LATENCY_BUCKETS - 1;
}

uint64_t sim_latency_bucket_ns(unsigned bucket)
{
    if (bucket < (2u << SUB_BITS)) {
        return bucket;
    }
    const unsigned exponent = (bucket >> SUB_BITS) - 1;
    const uint64_t mantissa = (bucket & ((1u << SUB_BITS) - 1)) + (1u << SUB_BITS);
    return ((mantissa + 1) << exponent) - 1;
}

void sim_latency_record(struct sim_latency *latency, uint64_t added_ns)
{
    latency->counts[bucket_of(added_ns)]++;
    latency->count++;
    latency->waited += added_ns > 0;
    latency->max_ns = added_ns > latency->max_ns ? added_ns : latency->max_ns;
}

void sim_latency_add(struct sim_latency *sum, const struct sim_latency *latency)
{
    for (unsigned i = 0; i < SIM_LATENCY_BUCKETS; i++) {
        sum->counts[i] += latency->counts[i];
    }
    sum->count += latency->count;
    sum->waited += latency->waited;
    sum->max_ns = latency->max_ns > sum->max_ns ? latency->max_ns : sum->max_ns;
}

void sim_metrics_decision(struct sim_metrics *metrics, enum sim_limit_class class, int admitted,
                          int first_touch, uint64_t added_ns)
{
    metrics->answered_within_5ms += added_ns <= FIVE_MS;
    if (!admitted) {
        metrics->denied++;
        return;
    }
    metrics->admitted++;
    sim_latency_record(&metrics->all, added_ns);
    sim_latency_record(first_touch ? &metrics->first_touches : &metrics->by_class[class], added_ns);
}

static uint64_t within_run(const struct sim_metrics *metrics, uint64_t time_ns)
{
    return time_ns < metrics->duration_ns ? time_ns : metrics->duration_ns;
}

void sim_metrics_lock_wait(struct sim_metrics *metrics, uint64_t waited_ns)
{
    sim_latency_record(&metrics->lock_waits, waited_ns);
}

void sim_metrics_ask(struct sim_metrics *metrics, uint64_t sent_ns)
{
    const size_t ms = (size_t)(sent_ns / NS_PER_MS);

    if (sent_ns >= metrics->duration_ns) {
        metrics->asks_after_end++;
    } else {
        metrics->asks++;
    }
    if (ms < metrics->ms_count) {
        metrics->asks_by_10ms[ms / 10]++;
        metrics->flights_by_ms[ms]++;
    }
    metrics->in_flight++;
    metrics->flight_ns -= within_run(metrics, sent_ns);
}

void sim_metrics_reply(struct sim_metrics *metrics, uint64_t received_ns)
{
    const size_t ms = (size_t)(received_ns / NS_PER_MS) + 1;

    if (ms < metrics->ms_count) {
        metrics->flights_by_ms[ms]--;
    }
    metrics->in_flight--;
    metrics->flight_ns += within_run(metrics, received_ns);
}

uint64_t sim_latency_percentile_ns(const struct sim_latency *latency, uint32_t part_ppm)
{
    const uint64_t wanted = latency->count / 1000000 * part_ppm +
                            (latency->count % 1000000 * part_ppm + 999999) / 1000000;
    uint64_t seen = 0;

    for (unsigned i = 0; i < SIM_LATENCY_BUCKETS; i++) {
        seen += latency->counts[i];
        if (seen >= wanted && seen > 0) {
            const uint64_t top = sim_latency_bucket_ns(i);
            return top < latency->max_ns ? top : latency->max_ns;
        }
    }
    return 0;
}

uint64_t sim_metrics_asks_in_second(const struct sim_metrics *metrics, uint64_t second_s)
{
    const size_t count = metrics->ms_count / 10 + 1;
    uint64_t sum = 0;

    for (size_t i = (size_t)second_s * 100; i < (size_t)(second_s + 1) * 100 && i < count; i++) {
        sum += metrics->asks_by_10ms[i];
    }
    return sum;
}

uint64_t sim_metrics_asks_max_10ms(const struct sim_metrics *metrics)
{
    uint64_t most = 0;

    for (size_t i = 0; i < metrics->ms_count / 10 + 1; i++) {
        most = metrics->asks_by_10ms[i] > most ? metrics->asks_by_10ms[i] : most;
    }
    return most;
}

uint64_t sim_metrics_asks_max_1s(const struct sim_metrics *metrics)
{
    uint64_t most = 0;
    uint64_t sum = 0;

    for (size_t i = 0; i < metrics->ms_count / 10 + 1; i++) {
        sum = (i % 100 == 0 ? 0 : sum) + metrics->asks_by_10ms[i];
        most = sum > most ? sum : most;
    }
    return most;
}

uint64_t sim_metrics_in_flight_max(const struct sim_metrics *metrics)
{
    int64_t now = 0;
    int64_t most = 0;

    for (size_t i = 0; i < metrics->ms_count; i++) {
        now += metrics->flights_by_ms[i];
        most = now > most ? now : most;
    }
    return (uint64_t)most;
}

uint64_t sim_metrics_flight_ns(const struct sim_metrics *metrics)
{
    return metrics->flight_ns + metrics->in_flight * metrics->duration_ns;
}
