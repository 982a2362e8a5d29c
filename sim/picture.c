#include "picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draft.h"
#include "folder.h"
#include "gnuplot.h"
#include "scenario_file.h"

#define PATH_SIZE 4400
#define PICTURE_BYTES_MAX (64u << 20)

static const char *const kinds[] = {"none", "svg", "png"};

const char *sim_picture_kind_name(enum sim_plot_kind kind)
{
    return kinds[kind];
}

/* Have gnuplot draw NAME.KIND in a folder of its own. */
static bool draw(const char *room, const char *name, const char *kind,
                 void (*print)(FILE *script, const void *context, const char *kind),
                 const void *context, char *reason, size_t reason_size)
{
    char message[300] = "no temporary file";
    enum sim_gnuplot_outcome outcome = SIM_GNUPLOT_FAILED;
    FILE *script = tmpfile();

    if (script != NULL) {
        print(script, context, kind);
        outcome = sim_gnuplot_run(room, script, message, sizeof message);
        fclose(script);
    }
    if (outcome == SIM_GNUPLOT_MISSING) {
        snprintf(reason, reason_size, "gnuplot is missing");
    } else if (outcome == SIM_GNUPLOT_FAILED) {
        snprintf(reason, reason_size, "gnuplot failed at %s: %s", name, message);
    }
    return outcome == SIM_GNUPLOT_DONE;
}

static bool put(const char *drawn, const char *path, char *reason, size_t reason_size)
{
    struct sim_draft draft;
    struct sim_error error;
    char *bytes;
    size_t size;

    if (!sim_file_read(drawn, PICTURE_BYTES_MAX, &bytes, &size, &error)) {
        snprintf(reason, reason_size, "gnuplot drew nothing: %s", error.text);
        return false;
    }
    const bool good = sim_draft_open(&draft, path) &&
                      sim_draft_done(&draft, fwrite(bytes, 1, size, draft.file) == size);
    if (!good) {
        snprintf(reason, reason_size, "%s: cannot write: %s", path, strerror(errno));
    }
    free(bytes);
    return good;
}

static void remove_pictures(const char *folder, const char *name, enum sim_plot_kind but)
{
    char path[PATH_SIZE];

    for (int i = SIM_PLOT_SVG; i <= SIM_PLOT_PNG; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, kinds[i]);
        if (i != (int)but) {
            (void)unlink(path);
        }
    }
}

bool sim_picture_draw(const char *folder, const char *name, enum sim_plot_kind kind,
                      void (*print)(FILE *script, const void *context, const char *kind),
                      const void *context, char *reason, size_t reason_size)
{
    char room[PATH_SIZE / 2];
    char drawn[PATH_SIZE];
    char path[PATH_SIZE];

    remove_pictures(folder, name, kind);
    if (kind == SIM_PLOT_NONE) {
        return true;
    }
    /* elsewhere: what is stopped, or drawn twice at once, leaves no half of a picture */
    if (!sim_folder_make_temporary(room, sizeof room, "picture")) {
        snprintf(reason, reason_size, "%s: no temporary folder: %s", room, strerror(errno));
        return false;
    }
    snprintf(drawn, sizeof drawn, "%s/%s.%s", room, name, kinds[kind]);
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, kinds[kind]);
    const bool good = draw(room, name, kinds[kind], print, context, reason, reason_size) &&
                      put(drawn, path, reason, reason_size);
    (void)unlink(drawn); /* it may have been begun */
    (void)rmdir(room);
    if (!good) {
        remove_pictures(folder, name, SIM_PLOT_NONE);
    }
    return good;
}
