#include "report_frame.h"

#include <stdlib.h>

#include "claim.h"
#include "memory.h"
#include "path.h"
#include "scenario_read.h"

enum {
    LINE_BYTES_MAX = 4000,
};

static bool read_words(const struct sim_node *list, struct study_words *words)
{
    if (!sim_read_is_array(list, "an array of paragraphs")) {
        return false;
    }
    const size_t count = json_array_size(list->value);
    words->lines = sim_memory_new(count + 1, sizeof *words->lines);
    for (; words->count < count; words->count++) {
        const struct sim_node line = sim_read_element(list, words->count);
        if (!sim_read_line(&line, "a paragraph", LINE_BYTES_MAX, &words->lines[words->count])) {
            return false;
        }
    }
    return true;
}

static bool read_member_words(const struct sim_node *object, const char *key,
                              struct study_words *words)
{
    const struct sim_node list = sim_read_member(object, key);

    return read_words(&list, words);
}

static bool read_sections(const struct sim_node *root, struct study_report_frame *frame)
{
    const struct sim_node sections = sim_read_member(root, "sections");
    struct sim_key_use *uses = sim_memory_new(study_section_count, sizeof *uses);

    for (size_t i = 0; i < study_section_count; i++) {
        uses[i] = (struct sim_key_use){study_sections[i], 1};
    }
    bool good = sim_read_is_object(&sections, "an object of sections with their paragraphs") &&
                sim_read_keys(&sections, uses, study_section_count);
    free(uses);
    for (size_t i = 0; i < study_section_count && good; i++) {
        const struct sim_node list = sim_read_member(&sections, study_sections[i]);
        good = list.value == NULL || read_words(&list, &frame->sections[i]);
    }
    return good;
}

static bool read_frame(const struct sim_node *root, struct study_report_frame *frame)
{
    static const struct sim_key_use uses[] = {
        {"title", 1}, {"opening", 1}, {"sections", 1}, {"limits", 1}, {"ids", 1}};
    const struct sim_node title = sim_read_member(root, "title");

    return sim_read_keys(root, uses, sizeof uses / sizeof uses[0]) &&
           sim_read_line(&title, "a title", LINE_BYTES_MAX, &frame->title) &&
           read_member_words(root, "opening", &frame->opening) && read_sections(root, frame) &&
           read_member_words(root, "limits", &frame->limits) &&
           read_member_words(root, "ids", &frame->ids);
}

bool study_report_frame_load(struct study_report_frame *frame, const char *file,
                             struct sim_error *error)
{
    struct sim_document document;

    *frame = (struct study_report_frame){0};
    if (!sim_document_open(&document, file, error)) {
        return false;
    }
    const struct sim_node root = sim_document_root(&document);
    frame->file = study_path_beside("", file);
    frame->root = json_incref(document.root);
    frame->sections = sim_memory_new(study_section_count, sizeof *frame->sections);
    const bool good = read_frame(&root, frame);
    sim_document_close(&document);
    if (!good) {
        study_report_frame_free(frame);
    }
    return good;
}

void study_report_frame_free(struct study_report_frame *frame)
{
    for (size_t i = 0; frame->sections != NULL && i < study_section_count; i++) {
        free(frame->sections[i].lines);
    }
    free(frame->opening.lines);
    free(frame->limits.lines);
    free(frame->ids.lines);
    free(frame->sections);
    free(frame->file);
    json_decref(frame->root);
    *frame = (struct study_report_frame){0};
}
