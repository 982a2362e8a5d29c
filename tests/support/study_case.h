/* A small scenario of two processes in a file, for studies: two units a second, eight wanted, so
 * that the bucket of ten is empty after two seconds. */
#ifndef WEIR_STUDY_CASE_H
#define WEIR_STUDY_CASE_H

#include "world_run.h"

#define STUDY_CASE_FILE "study_case.json"

/* more: further members, such as ", \"seed\": 7". */
#define STUDY_CASE_TEXT(ratio, more)                                                               \
    "{\"why\": \"w\", \"duration_s\": 20, \"fleet\": {\"processes\": 2},"                          \
    " \"plans\": {\"gold\": {\"rate_per_s\": 2, \"capacity_units\": 10}},"                         \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}, \"many\": {\"plan\": \"gold\", \"count\": 3}},"    \
    " \"traffic\": [{\"keys\": \"one\", \"demand_ratio\": " ratio "},"                             \
    " {\"keys\": \"many\", \"demand_ratio\": " ratio "}]" more "}"

#endif
