/* What a limiter is given and does not choose: requests and faults. Two runs are a pair if both got
 * the same. */
#ifndef STUDY_GIVEN_H
#define STUDY_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"

struct study_given {
    uint64_t request_count;
    uint64_t unit_count;
    uint64_t requests; /* digest of when, which key and what cost, in order */
    uint64_t landings; /* digest of the process each lands on, unless a fault sends it elsewhere */
    uint64_t faults;   /* digest */
    uint32_t fault_count;
    bool reacts; /* more requests follow from what is decided: clients that try again */
};

/* Draws every request that does not follow from a decision. */
void study_given_survey(struct study_given *given, const struct sim_scenario *scenario);

enum study_pairing {
    STUDY_PAIRED = 0,
    STUDY_PAIRED_ELSEWHERE,  /* the same requests, on other processes */
    STUDY_PAIRED_BUT_FAULTS, /* the same requests, but not the same faults */
    STUDY_UNPAIRED,
};

/* Requests first: what differs there matters most. */
enum study_pairing study_given_compare(const struct study_given *a, const struct study_given *b);

/* The first part of two scenarios by which the requests of one are not those of the other:
 * "duration_s", "traffic" ... Never NULL. */
const char *study_given_difference(const struct sim_scenario *a, const struct sim_scenario *b);

#endif
