#include "herd.h"

#include <stdbool.h>
#include <stdlib.h>

#include "memory.h"

#define BIN_NS UINT64_C(10000000)
#define SECOND_NS (SIM_HERD_BINS * BIN_NS)

/* Windows that count. */
static bool has_windows(const struct weir_plan *plan)
{
    return weir_plan_has_windows(plan) && plan->window_us * 1000 >= SECOND_NS;
}

void sim_herd_init(struct sim_herd *herd, const struct sim_catalog *catalog)
{
    *herd = (struct sim_herd){
        .catalog = catalog,
        .duration_ns = catalog->scenario->duration_ns,
        .windows = sim_memory_new(catalog->key_count, sizeof(struct sim_herd_window)),
    };
    for (uint32_t key = 0; key < catalog->key_count; key++) {
        herd->windows[key].start_ns = UINT64_MAX;
        herd->windows[key].end_ns =
            has_windows(sim_catalog_plan(herd->catalog, key)) ? 0 : UINT64_MAX;
    }
}

void sim_herd_deinit(struct sim_herd *herd)
{
    free(herd->windows);
    *herd = (struct sim_herd){0};
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void window_close(struct sim_herd *herd, const struct sim_herd_window *window)
{
    const uint32_t busiest = larger(window->busiest, window->bin_arrivals);

    if (window->arrivals >= SIM_HERD_ARRIVALS_MIN &&
        window->start_ns + SECOND_NS <= herd->duration_ns) {
        const double ratio = (double)busiest * SIM_HERD_BINS / (double)window->arrivals;
        herd->worst_ratio = ratio > herd->worst_ratio ? ratio : herd->worst_ratio;
    }
}

static void window_open(struct sim_herd *herd, uint32_t key, uint64_t time_ns)
{
    const uint64_t length_ns = sim_catalog_plan(herd->catalog, key)->window_us * 1000;
    const uint64_t past_ns = (time_ns + herd->catalog->keys[key].window_phase_ns) % length_ns;

    herd->windows[key] = (struct sim_herd_window){
        .start_ns = past_ns < time_ns ? time_ns - past_ns : UINT64_MAX,
        .end_ns = time_ns + length_ns - past_ns,
    };
}

static void window_arrival(struct sim_herd *herd, uint32_t key, uint64_t time_ns)
{
    struct sim_herd_window *window = &herd->windows[key];

    if (time_ns >= window->end_ns) {
        window_close(herd, window);
        window_open(herd, key, time_ns);
    }
    if (time_ns < window->start_ns || time_ns - window->start_ns >= SECOND_NS) {
        return;
    }
    const uint32_t bin = (uint32_t)((time_ns - window->start_ns) / BIN_NS);
    if (bin != window->bin) {
        window->busiest = larger(window->busiest, window->bin_arrivals);
        window->bin = bin;
        window->bin_arrivals = 0;
    }
    window->bin_arrivals++;
    window->arrivals++;
}

void sim_herd_arrival(struct sim_herd *herd, uint32_t key, uint64_t time_ns)
{
    const uint64_t slot = time_ns / BIN_NS;

    if (slot != herd->slot) {
        herd->slot = slot;
        herd->slot_arrivals = 0;
    }
    herd->arrivals++;
    herd->slot_arrivals++;
    if (herd->slot_arrivals > herd->busiest_arrivals) {
        herd->busiest_arrivals = herd->slot_arrivals;
    }
    if (herd->windows[key].end_ns != UINT64_MAX) {
        window_arrival(herd, key, time_ns);
    }
}

void sim_herd_finish(struct sim_herd *herd)
{
    for (uint32_t key = 0; key < herd->catalog->key_count; key++) {
        window_close(herd, &herd->windows[key]);
    }
}

double sim_herd_ratio(const struct sim_herd *herd)
{
    return herd->worst_ratio;
}

double sim_herd_arrivals_ratio(const struct sim_herd *herd)
{
    const double slots = (double)herd->duration_ns / (double)BIN_NS;

    return herd->arrivals == 0 ? 0
                               : (double)herd->busiest_arrivals * slots / (double)herd->arrivals;
}
