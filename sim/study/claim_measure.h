/* The measures of a claim, and how they are read. Private to claim.c. */
#ifndef STUDY_CLAIM_MEASURE_H
#define STUDY_CLAIM_MEASURE_H

#include "claim.h"
#include "scenario_document.h"

/* Requires the claim's file and runs. */
bool study_claim_read_measures(const struct sim_node *root, struct study_claim *claim);

#endif
