#include "billing.h"

#include <stdlib.h>

#include "memory.h"

#define NS_PER_S UINT64_C(1000000000)

void sim_billing_init(struct sim_billing *billing, const struct sim_catalog *catalog)
{
    const struct sim_scenario *scenario = catalog->scenario;

    *billing = (struct sim_billing){
        .catalog = catalog,
        .scenario = scenario,
        .by_population = sim_memory_new(scenario->population_count, sizeof *billing->by_population),
        .sent_counts = sim_memory_new(scenario->process_count, sizeof(uint64_t)),
        .batch_seconds = sim_memory_new(scenario->process_count, sizeof(uint64_t)),
    };
}

void sim_billing_deinit(struct sim_billing *billing)
{
    free(billing->sent_counts);
    free(billing->batch_seconds);
    free(billing->by_population);
    free(billing->deliveries);
    free(billing->forgotten);
    *billing = (struct sim_billing){0};
}

static struct sim_bill *bill_of(struct sim_billing *billing, const struct weir_key *key)
{
    const uint32_t number = sim_catalog_find(billing->catalog, key);

    return &billing->by_population[billing->catalog->keys[number].population];
}

/* When the process dies next and takes what it did not get rid of with it. */
static uint64_t memory_lost_ns(const struct sim_scenario *scenario, uint32_t process,
                               uint64_t time_ns)
{
    const bool unmapped = (scenario->without & SIM_WITHOUT_SPENT_MAPPING) != 0;
    uint64_t lost_ns = UINT64_MAX;

    for (size_t i = 0; i < scenario->faults.count; i++) {
        const struct fault *fault = &scenario->faults.faults[i];
        if (fault->kind == FAULT_CRASH && (fault->lose_mapping || unmapped) &&
            fault->from_ns >= time_ns && fault->from_ns < lost_ns &&
            fault_set_holds(&fault->processes, process)) {
            lost_ns = fault->from_ns;
        }
    }
    return lost_ns;
}

static void arrive(struct sim_billing *billing, uint64_t time_ns, uint64_t number,
                   const struct weir_report *report)
{
    billing->deliveries = sim_memory_grow(billing->deliveries, billing->count, &billing->capacity,
                                          sizeof *billing->deliveries);
    billing->deliveries[billing->count++] =
        (struct sim_delivery){.arrived_ns = time_ns, .number = number, .report = *report};
}

static struct fault_fate fate(const struct sim_billing *billing, uint32_t process, uint64_t time_ns,
                              uint64_t number)
{
    return time_ns < billing->scenario->duration_ns
               ? fault_report(&billing->scenario->faults, time_ns, process, number)
               : (struct fault_fate){0};
}

/* One attempt. Returns when its acknowledgement comes; UINT64_MAX: never. An acknowledgement is a
 * message like the report it is for. */
static uint64_t attempt(struct sim_billing *billing, uint32_t process, uint64_t time_ns,
                        const struct weir_report *report)
{
    const uint64_t number = (uint64_t)process << 40 | billing->sent_counts[process];
    const struct fault_fate there = fate(billing, process, time_ns, number);
    const uint64_t arrived_ns = time_ns + there.delay_ns;

    billing->sent_counts[process] += 2;
    if (there.doubled) {
        arrive(billing, time_ns + there.copy_delay_ns, number, report);
    }
    if (there.lost) {
        return UINT64_MAX;
    }
    arrive(billing, arrived_ns, number, report);
    const struct fault_fate back = fate(billing, process, arrived_ns, number + 1);
    return back.lost ? UINT64_MAX : arrived_ns + back.delay_ns;
}

static void count_report(struct sim_billing *billing, uint32_t process, uint64_t time_ns)
{
    const uint64_t second = time_ns / NS_PER_S + 1;

    billing->report_count++;
    if (billing->batch_seconds[process] != second) {
        billing->batch_seconds[process] = second;
        billing->batch_count++;
    }
}

void sim_billing_send(struct sim_billing *billing, uint32_t process, uint64_t time_ns,
                      const struct weir_report *report)
{
    const uint64_t lost_ns = memory_lost_ns(billing->scenario, process, time_ns);
    uint64_t acknowledged_ns = UINT64_MAX;

    count_report(billing, process, time_ns);
    if (billing->scenario->faults.count == 0 && !report->degraded) {
        bill_of(billing, &report->key)->reported_units += report->spent_units;
        return;
    }
    for (uint64_t at_ns = time_ns; at_ns < acknowledged_ns; at_ns += SIM_BILLING_REPEAT_NS) {
        if (at_ns > time_ns && at_ns >= lost_ns) {
            if (acknowledged_ns == UINT64_MAX) {
                billing->undelivered_count++;
                sim_billing_forget(billing, report);
            }
            return;
        }
        const uint64_t back_ns = attempt(billing, process, at_ns, report);
        acknowledged_ns = back_ns < acknowledged_ns ? back_ns : acknowledged_ns;
    }
}

void sim_billing_forget(struct sim_billing *billing, const struct weir_report *report)
{
    billing->forgotten = sim_memory_grow(billing->forgotten, billing->forgotten_count,
                                         &billing->forgotten_capacity, sizeof *billing->forgotten);
    billing->forgotten[billing->forgotten_count++] = *report;
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_window(const struct weir_report *a, const struct weir_report *b)
{
    const int keys[] = {
        order(a->key.high, b->key.high),
        order(a->key.low, b->key.low),
        order(a->window_us, b->window_us),
        order(a->window_index, b->window_index),
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i] != 0) {
            return keys[i];
        }
    }
    return 0;
}

static int by_reporter(const struct weir_report *a, const struct weir_report *b)
{
    const int window = by_window(a, b);
    const int process = order(a->process, b->process);
    const int incarnation = order(a->incarnation, b->incarnation);

    return window != 0        ? window
           : process != 0     ? process
           : incarnation != 0 ? incarnation
                              : order(a->life, b->life);
}

/* By whom they are from and what about, then as they arrive. */
static int by_arrival(const void *a, const void *b)
{
    const struct sim_delivery *left = a;
    const struct sim_delivery *right = b;
    const int reporter = by_reporter(&left->report, &right->report);

    return reporter != 0                           ? reporter
           : left->arrived_ns != right->arrived_ns ? order(left->arrived_ns, right->arrived_ns)
                                                   : order(left->number, right->number);
}

static int by_forgotten_window(const void *a, const void *b)
{
    return by_window(a, b);
}

/* What the reconciler has of one process, life, key and window in the end. Returns how many
 * deliveries from `first` on are about it. */
static size_t newest(struct sim_billing *billing, size_t first, struct weir_report *kept)
{
    size_t next = first + 1;

    *kept = billing->deliveries[first].report;
    for (; next < billing->count &&
           by_reporter(&billing->deliveries[first].report, &billing->deliveries[next].report) == 0;
         next++) {
        const struct weir_report *report = &billing->deliveries[next].report;
        if (report->sequence > kept->sequence) {
            *kept = *report;
        } else {
            billing->duplicates_dropped++;
        }
    }
    return next - first;
}

static bool is_forgotten(const struct sim_billing *billing, const struct weir_report *report)
{
    return billing->forgotten_count != 0 &&
           bsearch(report, billing->forgotten, billing->forgotten_count, sizeof *report,
                   by_forgotten_window) != NULL;
}

static void count_forgotten(struct sim_billing *billing)
{
    for (size_t i = 0; i < billing->forgotten_count; i++) {
        const struct weir_report *report = &billing->forgotten[i];
        if (i == 0 || by_window(&billing->forgotten[i - 1], report) != 0) {
            bill_of(billing, &report->key)->unsealed_windows++;
        }
    }
}

/* All deliveries from `first` on that are about one window of a key. Returns how many they are. */
static size_t bill_window(struct sim_billing *billing, size_t first)
{
    const struct weir_report window = billing->deliveries[first].report;
    struct sim_bill *bill = bill_of(billing, &window.key);
    uint64_t units = 0;
    bool flagged = false;
    bool unsealed = false;
    size_t next = first;

    while (next < billing->count && by_window(&window, &billing->deliveries[next].report) == 0) {
        struct weir_report kept;
        next += newest(billing, next, &kept);
        units += kept.spent_units;
        bill->degraded_units += kept.degraded_units;
        flagged |= kept.degraded;
        unsealed |= !kept.sealed;
    }
    bill->reported_units += units;
    bill->flagged_windows += flagged;
    bill->flagged_units += flagged ? units : 0;
    bill->unsealed_windows += unsealed && !is_forgotten(billing, &window);
    return next - first;
}

static void add_up(struct sim_billing *billing)
{
    for (size_t i = 0; i < billing->scenario->population_count; i++) {
        const struct sim_bill *bill = &billing->by_population[i];
        billing->all.reported_units += bill->reported_units;
        billing->all.degraded_units += bill->degraded_units;
        billing->all.flagged_windows += bill->flagged_windows;
        billing->all.flagged_units += bill->flagged_units;
        billing->all.unsealed_windows += bill->unsealed_windows;
    }
}

void sim_billing_finish(struct sim_billing *billing)
{
    if (billing->count > 1) {
        qsort(billing->deliveries, billing->count, sizeof *billing->deliveries, by_arrival);
    }
    if (billing->forgotten_count > 1) {
        qsort(billing->forgotten, billing->forgotten_count, sizeof *billing->forgotten,
              by_forgotten_window);
    }
    count_forgotten(billing);
    for (size_t i = 0; i < billing->count;) {
        i += bill_window(billing, i);
    }
    add_up(billing);
}
