#include "plot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_SIZE 4096

static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

/* Sum of all keys' limits, units per second. */
static double limit_per_s(const struct sim_world *world)
{
    double sum = 0;

    for (uint32_t key = 0; key < world->catalog.key_count; key++) {
        const struct weir_plan *plan = &world->catalog.plans[world->catalog.keys[key].plan];
        sum += (double)plan->rate_units * 1e6 / (double)plan->rate_period_us;
    }
    return sum;
}

static bool write_timeline(const char *folder, const struct sim_world *world)
{
    const struct sim_accuracy *accuracy = &world->accuracy;
    const double limit = limit_per_s(world);
    FILE *file = open_in(folder, "timeline.csv");

    if (file == NULL) {
        return false;
    }
    fprintf(file, "time_s,admitted_units_per_s,oracle_units_per_s,limit_units_per_s\n");
    for (uint32_t s = 0; s < accuracy->second_count; s++) {
        fprintf(file, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%.3f\n", s, accuracy->admitted_totals[s],
                accuracy->oracle_totals[s], limit);
    }
    return fclose(file) == 0;
}

static bool write_intervals(const char *folder, const struct sim_world *world)
{
    const struct sim_accuracy *accuracy = &world->accuracy;
    FILE *file = open_in(folder, "intervals.csv");

    if (file == NULL) {
        return false;
    }
    fprintf(file,
            "key,end_s,limit_units,demand_units,admitted_units,oracle_units,over_pct,under_pct\n");
    for (uint32_t key = 0; key < accuracy->catalog->key_count; key++) {
        const struct sim_key_accuracy *entry = &accuracy->keys[key];
        char name[SIM_NAME_SIZE + 16];
        sim_catalog_name(accuracy->catalog, key, name, sizeof name);
        for (uint32_t i = 0; i < entry->cell_count; i++) {
            const struct sim_cell *cell = &accuracy->cells[entry->first_cell + i];
            const uint64_t end_ns = sim_accuracy_interval_end_ns(accuracy, key, i);
            const uint64_t limit = sim_accuracy_limit_units(accuracy, key, i);
            uint64_t over;
            uint64_t under;
            sim_judgement_interval(accuracy, key, i, &over, &under);
            fprintf(file, "%s,%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%.6f\n",
                    name,
                    (double)(end_ns < accuracy->duration_ns ? end_ns : accuracy->duration_ns) / 1e9,
                    limit, cell->demand_units, cell->admitted_units, cell->oracle_units,
                    limit > 0 ? 100.0 * (double)over / (double)limit : 0,
                    limit > 0 ? 100.0 * (double)under / (double)limit : 0);
        }
    }
    return fclose(file) == 0;
}

bool sim_plot_write_csv(const char *folder, const struct sim_world *world)
{
    return (world->accuracy.second_count == 0 || write_timeline(folder, world)) &&
           write_intervals(folder, world);
}

/* gnuplot's single-quoted text: a quote is written twice. */
static void quote(char *text, size_t size, const char *plain)
{
    size_t out = 0;

    for (; *plain != '\0' && out + 3 < size; plain++) {
        if (*plain == '\'') {
            text[out++] = '\'';
        }
        text[out++] = *plain;
    }
    text[out] = '\0';
}

bool sim_plot_draw(const char *folder, const struct sim_result *result,
                   const struct sim_world *world)
{
    char quoted[PATH_SIZE];
    char name[2 * SIM_NAME_SIZE];
    char settings[2 * PATH_SIZE];
    const double over = result->all.over_pct.max;
    const double under = result->all.under_pct.max;
    const double reach = 1.1 * (over > under ? over : under);

    if (world->accuracy.second_count == 0) {
        return true; /* there is no timeline to draw */
    }
    quote(quoted, sizeof quoted, folder);
    quote(name, sizeof name, world->scenario->name);
    snprintf(settings, sizeof settings,
             "folder='%s'; duration_s=%.9g; reach=%.6g; "
             "heading='%s: over by at most %.2f %%, under by at most %.2f %% of a limit'",
             quoted, (double)world->scenario->duration_ns / 1e9, reach > 1.2 ? reach : 1.2, name,
             over, under);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        (void)setenv("LC_ALL", "C.UTF-8", 1); /* the script has signs beyond ASCII */
        execlp("gnuplot", "gnuplot", "-e", settings, WEIR_PLOTS_DIR "/run.gp", (char *)NULL);
        _exit(127);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}
