#ifndef SIM_FOLDER_H
#define SIM_FOLDER_H

#include <stdbool.h>

/* Make the folder, unless it is there, and its parents. Returns false with errno set. */
bool sim_folder_make(const char *folder);

#endif
