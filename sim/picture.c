#include "picture.h"

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
    char message[300] = "no temporary file";
    struct stat status;
    enum sim_gnuplot_outcome outcome = SIM_GNUPLOT_FAILED;

    for (int i = SIM_PLOT_SVG; i <= SIM_PLOT_PNG; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, kinds[i]);
        (void)unlink(path);
    }
    if (kind == SIM_PLOT_NONE) {
        return true;
    }
    FILE *script = tmpfile();
    if (script != NULL) {
        print(script, context, kinds[kind]);
        outcome = sim_gnuplot_run(folder, script, message, sizeof message);
        fclose(script);
    }
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, kinds[kind]);
    if (outcome == SIM_GNUPLOT_DONE && stat(path, &status) == 0 && status.st_size > 0) {
        return true;
    }
    (void)unlink(path); /* it may have been begun */
    if (outcome == SIM_GNUPLOT_MISSING) {
        snprintf(reason, reason_size, "gnuplot is missing");
    } else {
        snprintf(reason, reason_size, "gnuplot failed at %s: %s", name, message);
    }
    return false;
}
