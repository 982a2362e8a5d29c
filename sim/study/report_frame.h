/* What a report says besides its figures: scenarios/claims/report.json. */
#ifndef STUDY_REPORT_FRAME_H
#define STUDY_REPORT_FRAME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "scenario.h"

/* Paragraphs; borrowed from the frame. */
struct study_words {
    const char **lines; /* owned by the frame */
    size_t count;
};

struct study_report_frame {
    const char *title;
    struct study_words opening;
    struct study_words *sections; /* by section, study_sections; owned */
    struct study_words limits;    /* of the model */
    struct study_words ids;       /* what must have a verdict */
    char *file;                   /* owned */
    json_t *root;                 /* owned; what the texts are borrowed from */
};

/* Returns true, or false with *error filled and *frame zeroed. */
bool study_report_frame_load(struct study_report_frame *frame, const char *file,
                             struct sim_error *error);
void study_report_frame_free(struct study_report_frame *frame);

#endif
