#include "plot_findings.h"

#include <stdio.h>

#include "readable.h"

/* The worst error on one side, as far as it is told in percent or in units. */
static struct sim_readable size_of(const struct sim_plot_data *data, double percent, uint64_t units)
{
    return data->in_percent ? sim_readable_percent(percent) : sim_readable_units(units);
}

void sim_plot_find_timeline(char *text, size_t size, const struct sim_plot_data *data)
{
    const struct sim_judgement *all = &data->result->all;
    const char *of = data->in_percent ? " of a limit" : "";
    const double over = data->in_percent ? all->over_pct.max : (double)all->over_units_max;
    const double under = data->in_percent ? all->under_pct.max : (double)all->under_units_max;
    const char *begin = over > 1 || under > 1 ? "Admitted departs from the ideal: up to"
                                              : "Admitted follows the ideal: at most";

    if (over <= 0 && under <= 0) {
        snprintf(text, size, "Admitted follows the ideal exactly");
    } else if (over <= 0) {
        snprintf(text, size, "%s %s%s below it", begin,
                 size_of(data, under, all->under_units_max).text, of);
    } else if (under <= 0) {
        snprintf(text, size, "%s %s%s above it", begin,
                 size_of(data, over, all->over_units_max).text, of);
    } else {
        snprintf(text, size, "%s %s%s above it, %s below", begin,
                 size_of(data, over, all->over_units_max).text, of,
                 size_of(data, under, all->under_units_max).text);
    }
}

void sim_plot_find_error(char *text, size_t size, const struct sim_plot_data *data)
{
    const char *budget = data->in_percent ? "1 % of the limit" : "1 unit";

    if (data->point_count == 0) {
        snprintf(text, size, "No key interval to judge");
    } else if (data->off_budget_count == 0 && data->point_count == 1) {
        snprintf(text, size, "The only key interval is within %s", budget);
    } else if (data->off_budget_count == 0) {
        snprintf(text, size, "All %s key intervals are within %s",
                 sim_readable_count(data->point_count).text, budget);
    } else {
        snprintf(text, size, "%s of %s key intervals %s off by more than %s",
                 sim_readable_count(data->off_budget_count).text,
                 sim_readable_count(data->point_count).text,
                 data->off_budget_count == 1 ? "is" : "are", budget);
    }
}

void sim_plot_find_asks(char *text, size_t size, const struct sim_plot_data *data)
{
    const struct sim_metrics *metrics = &data->world->metrics;
    const double mean = (double)metrics->asks / ((double)metrics->duration_ns / 1e9);
    char average[60];

    if (mean < 10) {
        snprintf(average, sizeof average, "%.1f", mean);
    } else {
        snprintf(average, sizeof average, "%s", sim_readable_count((uint64_t)(mean + 0.5)).text);
    }
    snprintf(text, size, "The store gets %s asks a second, %s in the busiest", average,
             sim_readable_count(sim_metrics_asks_max_1s(metrics)).text);
}

void sim_plot_find_latency(char *text, size_t size, const struct sim_plot_data *data)
{
    const struct sim_latency *all = &data->world->metrics.all;
    const uint64_t p50_ns = sim_latency_percentile_ns(all, 500000);
    const uint64_t p99_ns = sim_latency_percentile_ns(all, 990000);
    const uint64_t p999_ns = sim_latency_percentile_ns(all, 999000);

    if (all->count == 0) {
        snprintf(text, size, "No request was admitted");
    } else if (all->waited == 0) {
        snprintf(text, size, "No request waits for the store");
    } else if (p99_ns == 0) {
        snprintf(text, size, "99 of 100 requests do not wait; 1 in 1,000 %s%s",
                 p999_ns > 0 ? "more than " : "waits at most ", sim_readable_time(p999_ns).text);
    } else if (p50_ns == 0) {
        snprintf(text, size, "Half of the requests do not wait; 1 in 100 more than %s",
                 sim_readable_time(p99_ns).text);
    } else {
        snprintf(text, size, "Half of the requests wait %s or less; 1 in 100 more than %s",
                 sim_readable_time(p50_ns).text, sim_readable_time(p99_ns).text);
    }
}

void sim_plot_find_processes(char *text, size_t size, const struct sim_plot_data *data)
{
    const struct sim_world *world = data->world;
    const uint32_t count = world->scenario->process_count;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t demand = world->processes[i].demand_units;
        least = demand < least ? demand : least;
        most = demand > most ? demand : most;
        sum += demand;
    }
    const double whole = sum > 0 ? (double)sum : 1;
    const double even = (double)sum / count;
    if (count == 1) {
        snprintf(text, size, "One process sees all the traffic");
    } else if ((double)most <= 1.25 * even) {
        snprintf(text, size, "Traffic is even: each process sees %s to %s",
                 sim_readable_percent(100 * (double)least / whole).text,
                 sim_readable_percent(100 * (double)most / whole).text);
    } else {
        snprintf(text, size, "The busiest process sees %s of the traffic, the idlest %s",
                 sim_readable_percent(100 * (double)most / whole).text,
                 sim_readable_percent(100 * (double)least / whole).text);
    }
}

void sim_plot_find_causes(char *text, size_t size, const struct sim_plot_data *data)
{
    const uint64_t *units = data->result->all.cause_units;
    uint64_t sum = 0;
    int first = 0;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        sum += units[i];
        first = units[i] > units[first] ? i : first;
    }
    if (sum == 0) {
        snprintf(text, size, "There is no error to explain");
        return;
    }
    snprintf(text, size, "%s of the %s of error %s %s",
             sim_readable_percent(100 * (double)units[first] / (double)sum).text,
             sim_readable_units(sum).text, sum == 1 ? "is" : "are", sim_cause_names[first]);
}

void sim_plot_find_worst_keys(char *text, size_t size, const struct sim_plot_data *data)
{
    const struct sim_plot_worst *worst = &data->worst[0];
    char name[SIM_NAME_SIZE + 16];
    char cut[100];

    if (data->worst_count == 0) {
        snprintf(text, size, "No key is off");
        return;
    }
    const struct sim_explanation *explanation = &worst->explanation;
    sim_catalog_name(&data->world->catalog, worst->key, name, sizeof name);
    sim_readable_cut(cut, sizeof cut, name, 30);
    snprintf(text, size, "%s is furthest off: %s%s %s the ideal, mostly %s", cut,
             size_of(data, worst->percent, explanation->over_units + explanation->under_units).text,
             data->in_percent ? " of its limit" : "",
             explanation->over_units > 0 ? "above" : "below", sim_cause_names[explanation->cause]);
}
