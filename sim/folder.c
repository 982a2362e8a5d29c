#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 4096

bool sim_folder_make(const char *folder)
{
    char path[PATH_SIZE];

    if (folder[0] == '\0' || strlen(folder) >= sizeof path) {
        errno = folder[0] == '\0' ? ENOENT : ENAMETOOLONG;
        return false;
    }
    strcpy(path, folder);
    for (char *slash = path + 1; *slash != '\0'; slash++) {
        if (*slash == '/') {
            *slash = '\0';
            if (mkdir(path, 0777) != 0 && errno != EEXIST) {
                return false;
            }
            *slash = '/';
        }
    }
    struct stat found;
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    if (errno == EEXIST && stat(path, &found) == 0 && !S_ISDIR(found.st_mode)) {
        errno = ENOTDIR;
    }
    return errno == EEXIST;
}

bool sim_folder_make_temporary(char *path, size_t path_size, const char *purpose)
{
    const char *parent = getenv("TMPDIR");

    snprintf(path, path_size, "%s/weir-%s-XXXXXX", parent == NULL ? "/tmp" : parent, purpose);
    return mkdtemp(path) != NULL;
}
