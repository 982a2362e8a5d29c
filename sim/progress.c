#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "judgement.h"

#define NS_PER_S UINT64_C(1000000000)
#define TERMINAL_INTERVAL_NS (NS_PER_S / 5)
#define PLAIN_INTERVAL_NS (10 * NS_PER_S)

uint64_t sim_progress_wall_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void sim_progress_start(struct sim_progress *progress)
{
    *progress = (struct sim_progress){
        .terminal = isatty(STDERR_FILENO) != 0,
        .started_ns = sim_progress_wall_ns(),
    };
    progress->last_ns = progress->started_ns;
}

/* Worst error of the intervals that are over, each looked at once. */
static void judge_new_intervals(struct sim_progress *progress, const struct sim_world *world,
                                uint64_t now_ns)
{
    const struct sim_accuracy *accuracy = &world->accuracy;
    const uint32_t minutes = (uint32_t)(now_ns / (60 * NS_PER_S));

    if (minutes <= progress->judged_minutes) {
        return;
    }
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        const uint32_t current = sim_accuracy_interval(accuracy, key, now_ns);
        if (current == 0) {
            continue;
        }
        const double limit = (double)sim_accuracy_limit_units(accuracy, key, current - 1);
        if (limit < SIM_PERCENT_LIMIT_MIN) {
            continue;
        }
        uint64_t over;
        uint64_t under;
        sim_judgement_interval(accuracy, key, current - 1, &over, &under);
        const double percent = 100.0 * (double)(over > under ? over : under) / limit;
        progress->worst_percent =
            percent > progress->worst_percent ? percent : progress->worst_percent;
    }
    progress->judged_minutes = minutes;
}

void sim_progress_update(void *context, const struct sim_world *world, uint64_t now_ns)
{
    struct sim_progress *progress = context;
    const uint64_t wall_ns = sim_progress_wall_ns();
    const uint64_t interval_ns = progress->terminal ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS;

    if (wall_ns - progress->last_ns < interval_ns || now_ns == 0) {
        return;
    }
    progress->last_ns = wall_ns;
    judge_new_intervals(progress, world, now_ns);
    const double wall_s = (double)(wall_ns - progress->started_ns) / 1e9;
    const double now_s = (double)now_ns / 1e9;
    const double total_s = (double)world->scenario->duration_ns / 1e9;
    const double done = now_s < total_s ? now_s / total_s : 1;
    fprintf(stderr,
            "%s%3.0f %%  %.0f of %.0f s  %.0f x real time  %.1f M/s  worst %.2f %%  %.0f s left%s",
            progress->terminal ? "\r\033[K" : "", 100 * done, now_s, total_s, now_s / wall_s,
            (double)world->metrics.requests / wall_s / 1e6, progress->worst_percent,
            wall_s * (1 - done) / done, progress->terminal ? "" : "\n");
    fflush(stderr);
}

void sim_progress_end(const struct sim_progress *progress)
{
    if (progress->terminal) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
