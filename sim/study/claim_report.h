/* What all claims come to, as a document: REPORT.md and report.html. */
#ifndef STUDY_CLAIM_REPORT_H
#define STUDY_CLAIM_REPORT_H

#include "claim_set.h"
#include "document.h"
#include "report_frame.h"

/* Where pictures are, from where the document stands. */
#define STUDY_REPORT_PICTURES "plots/out"

/* `document` is initialised; `set` is judged. */
void study_report_build(struct study_document *document, const struct study_claim_set *set,
                        const struct study_report_frame *frame);

/* How many claims (or targets) came to that. */
size_t study_report_count(const struct study_claim_set *set, enum study_outcome outcome);

#endif
