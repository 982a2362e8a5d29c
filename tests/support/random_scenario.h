/* Small scenarios drawn at random, with everything in them that may hurt: tiny windows, capacities
 * of one request, rates of one a day, a store too slow for its asks, tables too small for their
 * keys. */
#ifndef WEIR_RANDOM_SCENARIO_H
#define WEIR_RANDOM_SCENARIO_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "prng.h"

#define RANDOM_REQUESTS_MAX 4000 /* about, of each population */

struct random_scenario {
    struct sim_prng prng;
    char *text;
    size_t size;
    size_t length;

    uint32_t drift_max_ppm;
    uint32_t process_count;
    uint64_t duration_ms;
    uint64_t response_us; /* of an idle store, at most */

    /* of the plan drawn last */
    double rate_per_s;
    uint64_t capacity_units; /* window: limit */
    uint64_t window_us;
};

static inline void random_put(struct random_scenario *scenario, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void random_put(struct random_scenario *scenario, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    scenario->length += (size_t)vsnprintf(scenario->text + scenario->length,
                                          scenario->size - scenario->length, format, arguments);
    va_end(arguments);
}

static inline uint64_t random_below(struct random_scenario *scenario, uint64_t bound)
{
    return sim_prng_below(&scenario->prng, bound);
}

#define RANDOM_OF(scenario, ...)                                                                   \
    random_one(scenario, (const uint64_t[]){__VA_ARGS__},                                          \
               sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline uint64_t random_one(struct random_scenario *scenario, const uint64_t *values,
                                  size_t count)
{
    return values[random_below(scenario, count)];
}

static inline void random_balance(struct random_scenario *scenario)
{
    const uint32_t count = scenario->process_count;

    switch (random_below(scenario, 4)) {
    case 0:
        random_put(scenario, "{\"kind\": \"zipf\", \"exponent\": 1.%" PRIu64 "}",
                   random_below(scenario, 10));
        break;
    case 1:
        random_put(scenario, "{\"kind\": \"sticky\", \"processes\": %" PRIu64 "}",
                   1 + random_below(scenario, count));
        break;
    case 2:
        random_put(scenario, "{\"kind\": \"weights\", \"weights\": [1");
        for (uint32_t i = 1; i < count; i++) {
            random_put(scenario, ", %" PRIu64, RANDOM_OF(scenario, 0, 1, 9));
        }
        random_put(scenario, "]}");
        break;
    default:
        random_put(scenario, "{\"kind\": \"uniform\"}");
        break;
    }
}

static inline void random_machines(struct random_scenario *scenario)
{
    const uint64_t round_trip_us = RANDOM_OF(scenario, 1, 10, 100, 500, 500, 500, 2000, 20000);
    const uint64_t jitter_us = RANDOM_OF(scenario, 0, 0, 50, 1000, 10000);
    const uint64_t capacity_per_s = RANDOM_OF(scenario, 100000, 100000, 1000000000, 5000, 400);

    scenario->process_count = (uint32_t)RANDOM_OF(scenario, 1, 1, 2, 3, 5, 12, 30);
    scenario->duration_ms = RANDOM_OF(scenario, 300, 1000, 1001, 2500, 6000);
    scenario->response_us = round_trip_us + jitter_us + 1000000 / capacity_per_s;
    random_put(scenario,
               "{\"why\": \"random\", \"seed\": %" PRIu64 ", \"duration_s\": %" PRIu64 ".%03u",
               random_below(scenario, 1000000), scenario->duration_ms / 1000,
               (unsigned)(scenario->duration_ms % 1000));
    random_put(scenario, ",\n \"fleet\": {\"processes\": %" PRIu32 ", \"balance\": ",
               scenario->process_count);
    random_balance(scenario);
    random_put(scenario,
               ", \"clock\": {\"offset_max_ms\": %" PRIu64 ", \"drift_max_ppm\": %" PRIu64 "}}",
               RANDOM_OF(scenario, 0, 1, 700, 86400000),
               random_below(scenario, scenario->drift_max_ppm + 1));
    random_put(scenario,
               ",\n \"store\": {\"shards\": %" PRIu64 ", \"round_trip_us\": %" PRIu64
               ", \"jitter_us\": %" PRIu64 ", \"capacity_per_s\": %" PRIu64 "}",
               RANDOM_OF(scenario, 1, 1, 3), round_trip_us, jitter_us, capacity_per_s);
}

static inline void random_plan(struct random_scenario *scenario, unsigned number)
{
    static const char *const units[] = {"rate_per_s", "rate_per_min", "rate_per_h", "rate_per_day"};
    static const uint64_t seconds[] = {1, 60, 3600, 86400};
    const uint64_t unit = random_below(scenario, 4);
    const uint64_t window_ms =
        RANDOM_OF(scenario, 1, 3, 7, 20, 50, 100, 500, 1000, 1000, 60000, 60000, 3600000);
    uint64_t rate = RANDOM_OF(scenario, 1, 7, 60, 600, 1000, 12345, 100000, 1000000, 1000000000);

    scenario->window_us = window_ms * 1000;
    random_put(scenario, "%s\n  \"p%u\": {\"window_s\": %" PRIu64 ".%03u", number == 0 ? "" : ",",
               number, window_ms / 1000, (unsigned)(window_ms % 1000));
    if (random_below(scenario, 3) == 0) {
        while (rate * window_ms < seconds[unit] * 1000) {
            rate *= 10;
        }
        scenario->capacity_units = rate * window_ms / 1000 / seconds[unit];
        random_put(scenario, ", \"algorithm\": \"window\"");
    } else {
        scenario->capacity_units = RANDOM_OF(scenario, 1, 2, 10, 100, 1000, 60000);
        random_put(scenario, ", \"capacity_units\": %" PRIu64, scenario->capacity_units);
    }
    scenario->rate_per_s = (double)rate / (double)seconds[unit];
    random_put(scenario, ", \"%s\": %" PRIu64, units[unit], rate);
    random_put(scenario, ", \"start_fill_pct\": %" PRIu64 "}",
               RANDOM_OF(scenario, 0, 10, 100, 100));
}

/* Three endpoints for each plan: a free one, a cheap one, and one near what the plan can ever
 * admit. */
static inline void random_weight(struct random_scenario *scenario, unsigned number, char *text,
                                 size_t size)
{
    const uint64_t part = RANDOM_OF(scenario, 30, 50, 90, 100, 101);
    const uint64_t big = scenario->capacity_units * part / 100;

    snprintf(text, size,
             "%s\"free%u\": {\"weight_units\": 0}, \"cheap%u\": {\"weight_units\": %" PRIu64
             "}, \"big%u\": {\"weight_units\": %" PRIu64 "}",
             number == 0 ? "" : ", ", number, number, RANDOM_OF(scenario, 1, 1, 3, 20), number,
             big < 1000000000 ? big : 1000000000);
}

static inline void random_keys(struct random_scenario *scenario, unsigned number, char *traffic,
                               size_t traffic_size)
{
    static const char *const patterns[] = {"poisson", "constant", "on_off", "burst", "herd"};
    const uint64_t count = RANDOM_OF(scenario, 1, 1, 3, 20, 60);
    const uint64_t pattern = random_below(scenario, 5);
    const uint64_t most = RANDOM_REQUESTS_MAX / count;
    double demand = (double)RANDOM_OF(scenario, 1, 5, 9, 10, 11, 15, 30, 1000) / 10;
    const double requests = demand * scenario->rate_per_s * (double)scenario->duration_ms / 1000;
    const uint64_t herds =
        pattern == 4 ? scenario->duration_ms * 1000 / scenario->window_us + 1 : 1;

    random_put(scenario, "%s\n  \"k%u\": {\"plan\": \"p%u\", \"count\": %" PRIu64,
               number == 0 ? "" : ",", number, number, count);
    if (random_below(scenario, 2) == 0) {
        random_put(scenario, ", \"mix\": {\"free%u\": 1, \"cheap%u\": 5, \"big%u\": %" PRIu64 "}",
                   number, number, number, random_below(scenario, 3));
    }
    if (random_below(scenario, 3) == 0) {
        random_put(scenario, ", \"popularity_exponent\": 1.2, \"balance\": ");
        random_balance(scenario);
    }
    random_put(scenario, "}");
    demand = requests > (double)most ? demand * (double)most / requests : demand;
    if (pattern < 3) {
        snprintf(traffic, traffic_size,
                 "%s\n  {\"keys\": \"k%u\", \"pattern\": \"%s\", \"demand_ratio\": %.6f%s}",
                 number == 0 ? "" : ",", number, patterns[pattern], demand + 1e-6,
                 pattern == 2 ? ", \"period_s\": 0.5, \"on_fraction\": 0.2" : "");
    } else {
        snprintf(traffic, traffic_size,
                 "%s\n  {\"keys\": \"k%u\", \"pattern\": \"%s\", \"requests\": %" PRIu64
                 ", \"spread_ms\": %" PRIu64 "}",
                 number == 0 ? "" : ",", number, patterns[pattern], 1 + most / 4 / herds,
                 RANDOM_OF(scenario, 0, 0, 1, 1));
    }
}

/* The same text for the same seed. */
static inline void random_scenario_draw(char *text, size_t size, uint64_t seed,
                                        uint32_t drift_max_ppm)
{
    static const char *const simple_sizers[] = {", \"sizer\": \"fixed\", \"fixed_lease_units\": 20",
                                                ", \"sizer\": \"rate\"",
                                                ", \"sizer\": \"doubling\""};
    struct random_scenario scenario = {.text = text, .size = size, .drift_max_ppm = drift_max_ppm};
    char weights[4][200];
    char traffic[4][200];

    sim_prng_init(&scenario.prng, seed, "random scenario", 0);
    const unsigned plan_count = 1 + (unsigned)random_below(&scenario, 4);
    random_machines(&scenario);
    random_put(&scenario, ",\n \"limiter\": {\"table_keys\": %" PRIu64 "%s}",
               RANDOM_OF(&scenario, 0, 0, 1, 2, 9),
               random_below(&scenario, 8) == 0 ? simple_sizers[seed % 3] : "");
    random_put(&scenario, ",\n \"plans\": {");
    struct random_scenario drawn[4];
    for (unsigned i = 0; i < plan_count; i++) {
        random_plan(&scenario, i);
        random_weight(&scenario, i, weights[i], sizeof weights[i]);
        drawn[i] = scenario;
    }
    random_put(&scenario, "},\n \"endpoints\": {");
    for (unsigned i = 0; i < plan_count; i++) {
        random_put(&scenario, "%s", weights[i]);
    }
    random_put(&scenario, "},\n \"keys\": {");
    for (unsigned i = 0; i < plan_count; i++) {
        scenario.rate_per_s = drawn[i].rate_per_s;
        scenario.window_us = drawn[i].window_us;
        random_keys(&scenario, i, traffic[i], sizeof traffic[i]);
    }
    random_put(&scenario, "},\n \"traffic\": [");
    for (unsigned i = 0; i < plan_count; i++) {
        random_put(&scenario, "%s", traffic[i]);
    }
    random_put(&scenario, "]}\n");
}

#endif
