#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plot_data.h"
#include "plot_figures.h"
#include "plot_tables.h"

#define PATH_SIZE 4400

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

struct drawing {
    unsigned figure;
    const struct sim_plot_data *data;
};

static void print_figure(FILE *script, const void *context, const char *kind)
{
    const struct drawing *drawing = context;

    sim_plot_print_figure(script, drawing->figure, kind, drawing->data);
}

bool sim_plot_draw(const char *folder, const struct sim_plot_data *data, enum sim_plot_kind kind,
                   struct sim_plot_list *written, char *reason, size_t reason_size)
{
    char ending[8];

    snprintf(ending, sizeof ending, ".%s", sim_picture_kind_name(kind));
    for (unsigned i = 0; kind != SIM_PLOT_NONE && i < SIM_PLOT_FIGURE_COUNT; i++) {
        const struct drawing drawing = {i, data};
        if (!sim_plot_figure_is_due(i, data)) {
            continue;
        }
        if (!sim_picture_draw(folder, sim_plot_figure_name(i), kind, print_figure, &drawing, reason,
                              reason_size)) {
            return false; /* what ails one of them ails the next */
        }
        list(written, sim_plot_figure_name(i), ending);
    }
    return true;
}
