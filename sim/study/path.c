#include "path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_file.h"

/* The end of `path` without its last step; NULL if it has none that can be left out. */
static char *parent_end(char *path, char *end)
{
    if (end == path) {
        return NULL;
    }
    char *slash = end;
    while (slash > path && slash[-1] != '/') {
        slash--;
    }
    const bool is_up = end - slash == 2 && strncmp(slash, "..", 2) == 0;
    return is_up || slash == end ? NULL : slash > path + 1 ? slash - 1 : slash;
}

char *study_path_beside(const char *file, const char *name)
{
    char *joined = sim_file_beside(file, name);
    char *end = joined + (joined[0] == '/');
    char *base = end;

    for (const char *step = end; *step != '\0';) {
        const size_t length = strcspn(step, "/");
        const bool is_here = length == 0 || (length == 1 && step[0] == '.');
        char *shorter = length == 2 && strncmp(step, "..", 2) == 0 ? parent_end(base, end) : NULL;

        if (shorter != NULL) {
            end = shorter;
        } else if (!is_here) {
            if (end > base) {
                *end++ = '/';
            }
            memmove(end, step, length);
            end += length;
        }
        step += length;
        step += *step == '/';
    }
    *end = '\0';
    return joined;
}
