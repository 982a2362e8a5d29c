/* The files of a report: REPORT.md, its pictures in plots/out, and report.html beside them. */
#ifndef STUDY_REPORT_FILES_H
#define STUDY_REPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "claim_report.h"

/* Write them all below `folder`. Returns false with one line in `error`. */
bool study_report_write(const struct study_claim_set *set, const struct study_report_frame *frame,
                        const char *folder, char *error, size_t error_size);

enum study_report_state {
    STUDY_REPORT_CURRENT = 0,
    STUDY_REPORT_STALE,  /* `error` says which file, and where it differs */
    STUDY_REPORT_FAILED, /* `error` says what */
};

/* Make them anew, elsewhere, and hold REPORT.md and the pictures below `folder` against them. */
enum study_report_state study_report_compare(const struct study_claim_set *set,
                                             const struct study_report_frame *frame,
                                             const char *folder, char *error, size_t error_size);

#endif
