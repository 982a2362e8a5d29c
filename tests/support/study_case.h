/* A small scenario of two processes in a file, for studies: two units a second, eight wanted, so
 * that the bucket of ten is empty after two seconds. */
#ifndef WEIR_STUDY_CASE_H
#define WEIR_STUDY_CASE_H

#include <stdio.h>
#include <unistd.h>

#include "world_run.h"

/* The path of this program's file: tests run side by side in one folder. */
static inline const char *study_case_file(void)
{
    static char path[64];

    if (path[0] == '\0') {
        snprintf(path, sizeof path, "study_case_%ld.json", (long)getpid());
    }
    return path;
}

/* more: further members, such as ", \"seed\": 7". */
#define STUDY_CASE_TEXT(ratio, more)                                                               \
    "{\"why\": \"w\", \"duration_s\": 20, \"fleet\": {\"processes\": 2},"                          \
    " \"plans\": {\"gold\": {\"rate_per_s\": 2, \"capacity_units\": 10}},"                         \
    " \"keys\": {\"one\": {\"plan\": \"gold\"}, \"many\": {\"plan\": \"gold\", \"count\": 3}},"    \
    " \"traffic\": [{\"keys\": \"one\", \"demand_ratio\": " ratio "},"                             \
    " {\"keys\": \"many\", \"demand_ratio\": " ratio "}]" more "}"

#endif
