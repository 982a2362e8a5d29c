#include "picture.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gnuplot.h"

#define PATH_SIZE 4400

static const char *const kinds[] = {"none", "svg", "png"};

const char *sim_picture_kind_name(enum sim_plot_kind kind)
{
    return kinds[kind];
}

bool sim_picture_draw(const char *folder, const char *name, enum sim_plot_kind kind,
                      void (*print)(FILE *script, const void *context, const char *kind),
                      const void *context, char *reason, size_t reason_size)
{
    char path[PATH_SIZE];
    char room[PATH_SIZE];
    char drawn[2 * PATH_SIZE];
    char message[300] = "no temporary file";
    struct stat status;
    enum sim_gnuplot_outcome outcome = SIM_GNUPLOT_FAILED;

    for (int i = SIM_PLOT_SVG; i <= SIM_PLOT_PNG; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, kinds[i]);
        if (i != (int)kind) {
            (void)unlink(path);
        }
    }
    if (kind == SIM_PLOT_NONE) {
        return true;
    }
    /* in a folder of its own: two that draw the same picture do not meet */
    snprintf(room, sizeof room, "%s/.%s-XXXXXX", folder, name);
    FILE *script = mkdtemp(room) == NULL ? NULL : tmpfile();
    if (script != NULL) {
        print(script, context, kinds[kind]);
        outcome = sim_gnuplot_run(room, script, message, sizeof message);
        fclose(script);
    }
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, kinds[kind]);
    snprintf(drawn, sizeof drawn, "%s/%s.%s", room, name, kinds[kind]);
    const bool is_drawn = outcome == SIM_GNUPLOT_DONE && stat(drawn, &status) == 0 &&
                          status.st_size > 0 && rename(drawn, path) == 0;
    (void)unlink(drawn); /* it may have been begun */
    (void)rmdir(room);
    if (is_drawn) {
        return true;
    }
    (void)unlink(path);
    if (outcome == SIM_GNUPLOT_MISSING) {
        snprintf(reason, reason_size, "gnuplot is missing");
    } else {
        snprintf(reason, reason_size, "gnuplot failed at %s: %s", name, message);
    }
    return false;
}
