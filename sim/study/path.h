/* Paths as people write them. */
#ifndef STUDY_PATH_H
#define STUDY_PATH_H

/* `name` seen from the folder of `file`, without steps up and down again: "../faults/x.json"
 * beside "scenarios/claims/A1.claim.json" is "scenarios/faults/x.json". The caller frees it. */
char *study_path_beside(const char *file, const char *name);

#endif
