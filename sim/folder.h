#ifndef SIM_FOLDER_H
#define SIM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Make the folder, unless it is there, and its parents. Returns false with errno set. */
bool sim_folder_make(const char *folder);

/* Make a folder of one's own, where temporary files belong ($TMPDIR, or else /tmp), with `purpose`
 * in its name, which is written to `path`. Returns false with errno set. */
bool sim_folder_make_temporary(char *path, size_t path_size, const char *purpose);

#endif
