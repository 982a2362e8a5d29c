#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gnuplot.h"
#include "plot_data.h"
#include "plot_figures.h"
#include "plot_tables.h"

#define PATH_SIZE 4400

static const char *const kinds[] = {"none", "svg", "png"};

static bool remove_file(const char *folder, const char *name, const char *ending)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    return unlink(path) == 0 || errno == ENOENT;
}

bool sim_plot_remove(const char *folder)
{
    /* one picture there was before there were seven */
    bool removed = remove_file(folder, "run", ".svg") && remove_file(folder, "run", ".png");

    for (unsigned i = 0; i < SIM_PLOT_TABLE_COUNT; i++) {
        removed = removed && remove_file(folder, sim_plot_table_name(i), "");
    }
    for (unsigned i = 0; i < SIM_PLOT_FIGURE_COUNT; i++) {
        removed = removed && remove_file(folder, sim_plot_figure_name(i), ".svg") &&
                  remove_file(folder, sim_plot_figure_name(i), ".png");
    }
    return removed;
}

static bool is_written(const char *folder, const char *name, const char *ending)
{
    char path[PATH_SIZE];
    struct stat status;

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    return stat(path, &status) == 0 && status.st_size > 0;
}

static void list(struct sim_plot_list *written, const char *name, const char *ending)
{
    const size_t length = strlen(written->text);

    snprintf(written->text + length, sizeof written->text - length, "%s%s%s", length > 0 ? " " : "",
             name, ending);
}

bool sim_plot_write_tables(const char *folder, const struct sim_plot_data *data,
                           struct sim_plot_list *written)
{
    char path[PATH_SIZE];

    for (unsigned i = 0; i < SIM_PLOT_TABLE_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, sim_plot_table_name(i));
        FILE *file = fopen(path, "w");
        if (file == NULL) {
            return false;
        }
        sim_plot_print_table(file, i, data);
        const bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed) {
            return false;
        }
        list(written, sim_plot_table_name(i), "");
    }
    return true;
}

bool sim_plot_draw(const char *folder, const struct sim_plot_data *data, enum sim_plot_kind kind,
                   struct sim_plot_list *written, char *reason, size_t reason_size)
{
    char ending[8];
    char message[300];

    snprintf(ending, sizeof ending, ".%s", kinds[kind]);
    for (unsigned i = 0; kind != SIM_PLOT_NONE && i < SIM_PLOT_FIGURE_COUNT; i++) {
        if (!sim_plot_figure_is_due(i, data)) {
            continue;
        }
        const char *name = sim_plot_figure_name(i);
        enum sim_gnuplot_outcome outcome = SIM_GNUPLOT_FAILED;
        FILE *script = tmpfile();
        snprintf(message, sizeof message, "no temporary file");
        if (script != NULL) {
            sim_plot_print_figure(script, i, kinds[kind], data);
            outcome = sim_gnuplot_run(folder, script, message, sizeof message);
            fclose(script);
        }
        if (outcome == SIM_GNUPLOT_DONE && is_written(folder, name, ending)) {
            list(written, name, ending);
            continue;
        }
        (void)remove_file(folder, name, ending); /* it may have been begun */
        if (outcome == SIM_GNUPLOT_MISSING) {
            snprintf(reason, reason_size, "gnuplot is missing");
        } else {
            snprintf(reason, reason_size, "gnuplot failed at %s: %s", name, message);
        }
        return false; /* what ails one of them ails the next */
    }
    return true;
}
