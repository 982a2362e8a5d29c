/* The command that repeats a run, as it is typed. */
#ifndef STUDY_COMMAND_LINE_H
#define STUDY_COMMAND_LINE_H

#include <stdio.h>

#include "claim.h"

/* "weir run scenarios/x.json --kernel heap --set limiter.sizer=fixed  # NAME", `program` being
 * "weir": of several seeds, the first, and how many there are. */
void study_command_line(FILE *file, const char *program, const struct study_claim_run *run);

#endif
