/* A file that is written beside the one it is to become, and takes its name only when it is whole:
 * what is stopped, or runs out of disk, leaves what was there before. */
#ifndef SIM_DRAFT_H
#define SIM_DRAFT_H

#include <stdbool.h>
#include <stdio.h>

struct sim_draft {
    FILE *file; /* to write to; its errors are looked at when it is done */
    char path[4400];
    char name_now[4420];
};

/* Returns false with errno set. */
bool sim_draft_open(struct sim_draft *draft, const char *path);

/* Replaces `path`. Returns false with errno set, and the draft removed, if it is not whole or
 * is_good says that it is of no use. */
bool sim_draft_done(struct sim_draft *draft, bool is_good);

#endif
