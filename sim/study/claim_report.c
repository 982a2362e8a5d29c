#include "claim_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"

size_t study_report_count(const struct study_claim_set *set, enum study_outcome outcome)
{
    size_t count = 0;

    for (size_t i = 0; i < set->claim_count; i++) {
        count += set->judged[i].verdict->outcome == outcome;
    }
    return count;
}

static void add_words(struct study_document *document, enum study_block_kind kind,
                      const struct study_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        study_document_add(document, kind, "%s", words->lines[i]);
    }
}

/* A verdict's words as a sentence of its own. */
static void add_cell_of_words(struct study_document *document, const char *words)
{
    const bool is_small = words[0] >= 'a' && words[0] <= 'z';

    study_document_cell(document, "%c%s", is_small ? words[0] - 'a' + 'A' : words[0], words + 1);
}

static void add_verdict(struct study_document *document, const struct study_judged *judged)
{
    static const char *const openings[STUDY_OUTCOME_COUNT] = {[STUDY_HOLDS] = "Holds.",
                                                              [STUDY_HOLDS_IF] = "Holds if",
                                                              [STUDY_REFUTED] = "Refuted:",
                                                              [STUDY_MET] = "Met.",
                                                              [STUDY_MISSED] = "Missed."};

    study_document_add(document, STUDY_PARAGRAPH, "**%s** %s", openings[judged->verdict->outcome],
                       judged->words);
}

static void title_of(const struct study_judged *judged, char *title, size_t size)
{
    snprintf(title, size, "%s: %s", judged->claim->id,
             study_outcome_name(judged->verdict->outcome));
}

static void add_reference(struct study_document *document, const struct study_judged *judged)
{
    char title[200];
    char anchor[200];

    title_of(judged, title, sizeof title);
    study_document_anchor(anchor, sizeof anchor, title);
    study_document_cell(document, "[%s](#%s)", judged->claim->id, anchor);
}

/* Rows of the summary: the claim, what came of it, its verdict. */
static void add_rows(struct study_document *document, const struct study_claim_set *set,
                     enum study_outcome outcome)
{
    for (size_t i = 0; i < set->claim_count; i++) {
        const struct study_judged *judged = &set->judged[i];
        if (judged->verdict->outcome != outcome) {
            continue;
        }
        add_reference(document, judged);
        study_document_cell(document, "%s", judged->claim->claim);
        add_cell_of_words(document, judged->words);
        study_document_cell(document, outcome == STUDY_MISSED ? "**%s**" : "%s",
                            study_outcome_name(outcome));
    }
}

static void begin_summary(struct study_document *document, const char *what, const char *came)
{
    study_document_table(document, "llll");
    study_document_cell(document, "%s", "");
    study_document_cell(document, "%s", what);
    study_document_cell(document, "%s", came);
    study_document_cell(document, "%s", "verdict");
}

static void add_summary(struct study_document *document, const struct study_claim_set *set)
{
    const size_t met = study_report_count(set, STUDY_MET);
    const size_t missed = study_report_count(set, STUDY_MISSED);
    const size_t refuted = study_report_count(set, STUDY_REFUTED);

    study_document_heading(document, 2, "In one screen");
    study_document_add(document, STUDY_PARAGRAPH,
                       "Of %zu targets **%zu are met, %zu are missed**. Of %zu statements about "
                       "the design **%zu hold, %zu hold under a condition, %zu are refuted**.",
                       met + missed, met, missed, set->claim_count - met - missed,
                       study_report_count(set, STUDY_HOLDS),
                       study_report_count(set, STUDY_HOLDS_IF), refuted);
    if (met + missed > 0) {
        begin_summary(document, "target", "measured");
        add_rows(document, set, STUDY_MISSED);
        add_rows(document, set, STUDY_MET);
    }
    if (refuted > 0) {
        study_document_heading(document, 2, "What the note says and is not so");
        begin_summary(document, "the note", "instead");
        add_rows(document, set, STUDY_REFUTED);
    }
}

static bool has_seeds(const struct study_judged *judged)
{
    for (size_t i = 0; i < judged->claim->measure_count; i++) {
        if (judged->figures[i].seed_count > 1 && judged->claim->measures[i].text != NULL) {
            return true;
        }
    }
    return false;
}

static const char *source_of(const struct study_judged *judged, size_t index)
{
    const struct study_claim_measure *measure = &judged->claim->measures[index];

    switch (measure->kind) {
    case STUDY_MEASURE_RUN:
        return judged->claim->runs[measure->run].name;
    case STUDY_MEASURE_VALUE:
        return "by hand";
    case STUDY_MEASURE_CELL:
        return measure->file;
    case STUDY_MEASURE_RATIO:
    case STUDY_MEASURE_DIFFERENCE:
    case STUDY_MEASURE_SUM:
    case STUDY_MEASURE_PRODUCT:
    case STUDY_MEASURE_MAX:
    case STUDY_MEASURE_MIN:
        break;
    }
    return "of others";
}

static void add_range(struct study_document *document, const struct study_figure *figure,
                      const char *unit)
{
    if (figure->seed_count < 2) {
        study_document_cell(document, "%s", "");
        return;
    }
    study_document_cell(document, "%s, %s, %s",
                        study_amount_bare(figure->least, unit, figure->most).text,
                        study_amount_bare(figure->middle, unit, figure->most).text,
                        study_amount(figure->most, unit).text);
}

static void add_figures(struct study_document *document, const struct study_judged *judged)
{
    const struct study_claim *claim = judged->claim;
    const bool seeds = has_seeds(judged);

    study_document_table(document, seeds ? "lrrl" : "lrl");
    study_document_cell(document, "%s", "measure");
    study_document_cell(document, "%s", "figure");
    if (seeds) {
        study_document_cell(document, "%s", "least, median, most of the seeds");
    }
    study_document_cell(document, "%s", "run");
    for (size_t i = 0; i < claim->measure_count; i++) {
        if (claim->measures[i].text == NULL) {
            continue;
        }
        study_document_cell(document, "%s", claim->measures[i].text);
        study_document_cell(document, "%s",
                            study_amount(judged->figures[i].value, claim->measures[i].unit).text);
        if (seeds) {
            add_range(document, &judged->figures[i], claim->measures[i].unit);
        }
        study_document_cell(document, "%s", source_of(judged, i));
    }
}

static void add_agreements(struct study_document *document, const struct study_judged *judged)
{
    const struct study_claim *claim = judged->claim;

    for (size_t i = 0; i < claim->check_count; i++) {
        const struct study_check *check = &claim->checks[i];
        const struct study_claim_measure *left = &claim->measures[check->measure];
        const struct study_claim_measure *right = &claim->measures[check->against];

        study_document_add(document, STUDY_ITEM,
                           "%s: %s measured, %s worked out by hand (allowed: %s apart).",
                           judged->agrees[i] ? "Agrees" : "**Does not agree**",
                           study_amount(judged->figures[check->measure].value, left->unit).text,
                           study_amount(judged->figures[check->against].value, right->unit).text,
                           study_amount(check->within, check->is_percent ? "%" : right->unit).text);
    }
}

static void add_commands(struct study_document *document, const struct study_claim *claim)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = claim->run_count == 0 ? NULL : open_memstream(&text, &size);

    if (file == NULL) {
        return;
    }
    for (size_t i = 0; i < claim->run_count; i++) {
        fputs(i == 0 ? "" : "\n", file);
        study_command_line(file, &claim->runs[i]);
    }
    fclose(file);
    study_document_add(document, STUDY_FOLD_BEGIN, "How to repeat it");
    study_document_add(document, STUDY_CODE, "%s", text);
    study_document_fold_end(document);
    free(text);
}

static void add_claim(struct study_document *document, const struct study_judged *judged)
{
    const struct study_claim *claim = judged->claim;
    char title[200];
    char picture[240];

    title_of(judged, title, sizeof title);
    study_document_heading(document, 3, "%s", title);
    study_document_add(document, STUDY_QUOTE, "%s (%s)", claim->claim, claim->source);
    add_verdict(document, judged);
    if (claim->picture.row_count > 0) {
        study_claim_picture_name(title, sizeof title, claim);
        snprintf(picture, sizeof picture, STUDY_REPORT_PICTURES "/%s.svg", title);
        study_document_figure(document, picture, "%s", claim->picture.title);
    }
    add_figures(document, judged);
    add_agreements(document, judged);
    add_commands(document, claim);
}

static void add_section(struct study_document *document, const struct study_claim_set *set,
                        size_t section, const struct study_words *words)
{
    bool begun = false;

    for (size_t i = 0; i < set->claim_count; i++) {
        if (set->claims[i].section != section) {
            continue;
        }
        if (!begun) {
            study_document_heading(document, 2, "%s", study_sections[section]);
            add_words(document, STUDY_PARAGRAPH, words);
            begun = true;
        }
        add_claim(document, &set->judged[i]);
    }
}

void study_report_build(struct study_document *document, const struct study_claim_set *set,
                        const struct study_report_frame *frame)
{
    study_document_heading(document, 1, "%s", frame->title);
    add_words(document, STUDY_PARAGRAPH, &frame->opening);
    add_summary(document, set);
    for (size_t i = 0; i < study_section_count; i++) {
        add_section(document, set, i, &frame->sections[i]);
    }
    if (frame->limits.count > 0) {
        study_document_heading(document, 2, "Limits of the model");
        add_words(document, STUDY_ITEM, &frame->limits);
    }
}
