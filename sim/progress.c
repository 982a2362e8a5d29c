#include "progress.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "judgement.h"
#include "terminal.h"

#define NS_PER_S UINT64_C(1000000000)
#define TERMINAL_INTERVAL_NS (NS_PER_S / 5)
#define PLAIN_FIRST_NS (2 * NS_PER_S)
#define PLAIN_INTERVAL_NS (10 * NS_PER_S)

uint64_t sim_progress_wall_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

enum sim_progress_style sim_progress_style_of(FILE *file)
{
    return sim_terminal_is_live(file) ? SIM_PROGRESS_TERMINAL : SIM_PROGRESS_PLAIN;
}

void sim_progress_start(struct sim_progress *progress, enum sim_progress_style style)
{
    *progress = (struct sim_progress){
        .style = style,
        .started_ns = sim_progress_wall_ns(),
    };
}

/* Is it time for another line? */
static bool is_due(const struct sim_progress *progress, uint64_t wall_ns)
{
    if (progress->style == SIM_PROGRESS_HIDDEN) {
        return false;
    }
    if (progress->last_ns == 0) {
        return wall_ns - progress->started_ns >=
               (progress->style == SIM_PROGRESS_TERMINAL ? TERMINAL_INTERVAL_NS : PLAIN_FIRST_NS);
    }
    return wall_ns - progress->last_ns >=
           (progress->style == SIM_PROGRESS_TERMINAL ? TERMINAL_INTERVAL_NS : PLAIN_INTERVAL_NS);
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

/* Those in force now, as far as the text holds. Returns its length. */
static int list_faults(char *text, size_t size, const struct sim_world *world, uint64_t now_ns)
{
    const struct fault_list *faults = &world->scenario->faults;
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < faults->count; i++) {
        const struct fault *fault = &faults->faults[i];
        const size_t needed = strlen(fault->id) + 2;
        if (fault_is_active(fault, now_ns) && length + needed < size) {
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       length == 0 ? "  " : " ", fault->id);
        }
    }
    return (int)length;
}

void sim_progress_update(void *context, const struct sim_world *world, uint64_t now_ns)
{
    struct sim_progress *progress = context;
    const uint64_t wall_ns = sim_progress_wall_ns();
    const bool redrawn = progress->style == SIM_PROGRESS_TERMINAL;

    if (now_ns == 0 || !is_due(progress, wall_ns)) {
        return;
    }
    progress->last_ns = wall_ns;
    judge_new_intervals(progress, world, now_ns);
    const double wall_s = (double)(wall_ns - progress->started_ns) / 1e9;
    const double now_s = (double)now_ns / 1e9;
    const double total_s = (double)world->scenario->duration_ns / 1e9;
    const double done = now_s < total_s ? now_s / total_s : 1;
    char line[240];
    int length = snprintf(
        line, sizeof line,
        "%3.0f %%  %.0f of %.0f s  %.0f x real time  %.1f M/s  worst %.2f %%  %.0f s left",
        100 * done, now_s, total_s, now_s / wall_s, (double)world->metrics.requests / wall_s / 1e6,
        progress->worst_percent, wall_s * (1 - done) / done);
    length += list_faults(line + length, sizeof line - (size_t)length, world, now_ns);
    if (redrawn) { /* a line that wraps could not be redrawn */
        const int width = (int)sim_terminal_width(stderr) - 1;
        fprintf(stderr, "\r\033[K%.*s", length < width ? length : width, line);
    } else {
        fprintf(stderr, "%s\n", line);
    }
    fflush(stderr);
}

void sim_progress_phase(struct sim_progress *progress, const char *name)
{
    const uint64_t wall_ns = sim_progress_wall_ns();

    if (progress->style == SIM_PROGRESS_TERMINAL) {
        fprintf(stderr, "\r\033[K%s ...", name);
    } else if (progress->style == SIM_PROGRESS_PLAIN &&
               wall_ns - progress->started_ns >= PLAIN_FIRST_NS) {
        fprintf(stderr, "%s ...\n", name);
    }
    fflush(stderr);
}

void sim_progress_end(const struct sim_progress *progress)
{
    if (progress->style == SIM_PROGRESS_TERMINAL) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
