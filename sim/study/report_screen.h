/* What claims come to, on a terminal. */
#ifndef STUDY_REPORT_SCREEN_H
#define STUDY_REPORT_SCREEN_H

#include <stddef.h>
#include <stdio.h>

#include "claim_set.h"

/* A line for each: id, verdict, what was found, cut to the width. */
void study_report_print_verdicts(FILE *file, const struct study_claim_set *set, size_t width);

/* One after the other: the claim, the verdict in full, its figures. */
void study_report_print_claims(FILE *file, const struct study_claim_set *set, size_t width);

#endif
