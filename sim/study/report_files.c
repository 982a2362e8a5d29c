#include "report_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draft.h"
#include "folder.h"
#include "output.h"
#include "picture.h"
#include "scenario_file.h"

#define PATH_SIZE 4400
#define NAME_SIZE 200
#define FILE_BYTES_MAX (16u << 20)

static const char text_name[] = "REPORT.md";
static const char page_name[] = STUDY_REPORT_PICTURES "/report.html";

static bool fail(char *error, size_t error_size, const char *path)
{
    snprintf(error, error_size, "%s: cannot write: %s", path, strerror(errno));
    return false;
}

static bool draw_pictures(const struct study_claim_set *set, const char *folder, char *error,
                          size_t error_size)
{
    char name[NAME_SIZE];

    for (size_t i = 0; i < set->claim_count; i++) {
        if (set->claims[i].picture.row_count == 0) {
            continue;
        }
        study_claim_picture_name(name, sizeof name, &set->claims[i]);
        if (!sim_picture_draw(folder, name, SIM_PLOT_SVG, study_claim_print_plot, &set->judged[i],
                              error, error_size)) {
            return false;
        }
    }
    return true;
}

static void print_text(FILE *file, const void *context)
{
    study_document_write_markdown(context, file);
}

static bool write_documents(const struct study_document *document, const char *title,
                            const char *folder, char *error, size_t error_size)
{
    char path[PATH_SIZE];
    struct sim_draft page;

    snprintf(path, sizeof path, "%s/%s", folder, page_name);
    if (!sim_draft_open(&page, path) ||
        !sim_draft_done(&page, study_document_write_html(document, title, folder, page.file))) {
        return fail(error, error_size, path);
    }
    return sim_output_write(folder, text_name, print_text, document) ||
           fail(error, error_size, text_name);
}

bool study_report_write(const struct study_claim_set *set, const struct study_report_frame *frame,
                        const char *folder, char *error, size_t error_size)
{
    char pictures[PATH_SIZE];
    struct study_document document;

    snprintf(pictures, sizeof pictures, "%s/" STUDY_REPORT_PICTURES, folder);
    if (!sim_folder_make(pictures)) {
        return fail(error, error_size, pictures);
    }
    if (!draw_pictures(set, pictures, error, error_size)) {
        return false;
    }
    study_document_init(&document);
    study_report_build(&document, set, frame);
    const bool good = write_documents(&document, frame->title, folder, error, error_size);
    study_document_free(&document);
    return good;
}

/* The number of the first line that differs, and where it begins in both. */
static size_t find_difference(const char *left, const char *right, const char **left_line,
                              const char **right_line)
{
    size_t line = 1;

    *left_line = left;
    *right_line = right;
    for (; *left != '\0' && *left == *right; left++, right++) {
        if (*left == '\n') {
            line++;
            *left_line = left + 1;
            *right_line = right + 1;
        }
    }
    return line;
}

static enum study_report_state compare_file(const char *folder, const char *made, const char *name,
                                            char *error, size_t error_size)
{
    char path[PATH_SIZE];
    struct sim_error reason;
    char *texts[2] = {NULL, NULL};
    size_t size;
    enum study_report_state state = STUDY_REPORT_CURRENT;
    const char *lines[2];

    snprintf(path, sizeof path, "%s/%s", made, name);
    if (!sim_file_read(path, FILE_BYTES_MAX, &texts[1], &size, &reason)) {
        snprintf(error, error_size, "%s", reason.text);
        return STUDY_REPORT_FAILED;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!sim_file_read(path, FILE_BYTES_MAX, &texts[0], &size, &reason)) {
        snprintf(error, error_size, "%s", reason.text);
        state = STUDY_REPORT_STALE;
    } else if (strcmp(texts[0], texts[1]) != 0) {
        const size_t line = find_difference(texts[0], texts[1], &lines[0], &lines[1]);
        snprintf(error, error_size, "%s:%zu: found \"%.*s\"; weir report makes it \"%.*s\"", path,
                 line, (int)strcspn(lines[0], "\n"), lines[0], (int)strcspn(lines[1], "\n"),
                 lines[1]);
        state = STUDY_REPORT_STALE;
    }
    free(texts[0]);
    free(texts[1]);
    return state;
}

static enum study_report_state compare_all(const struct study_claim_set *set, const char *folder,
                                           const char *made, char *error, size_t error_size)
{
    enum study_report_state state = compare_file(folder, made, text_name, error, error_size);
    char picture[NAME_SIZE];
    char name[2 * NAME_SIZE];

    for (size_t i = 0; i < set->claim_count && state == STUDY_REPORT_CURRENT; i++) {
        if (set->claims[i].picture.row_count > 0) {
            study_claim_picture_name(picture, sizeof picture, &set->claims[i]);
            snprintf(name, sizeof name, STUDY_REPORT_PICTURES "/%s.svg", picture);
            state = compare_file(folder, made, name, error, error_size);
        }
    }
    return state;
}

static void remove_made(const struct study_claim_set *set, const char *made)
{
    char picture[NAME_SIZE];
    char path[PATH_SIZE];

    for (size_t i = 0; i < set->claim_count; i++) {
        study_claim_picture_name(picture, sizeof picture, &set->claims[i]);
        snprintf(path, sizeof path, "%s/" STUDY_REPORT_PICTURES "/%s.svg", made, picture);
        (void)unlink(path);
    }
    snprintf(path, sizeof path, "%s/%s", made, page_name);
    (void)unlink(path);
    snprintf(path, sizeof path, "%s/%s", made, text_name);
    (void)unlink(path);
    snprintf(path, sizeof path, "%s/" STUDY_REPORT_PICTURES, made);
    (void)rmdir(path);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
    (void)rmdir(made);
}

enum study_report_state study_report_compare(const struct study_claim_set *set,
                                             const struct study_report_frame *frame,
                                             const char *folder, char *error, size_t error_size)
{
    char made[PATH_SIZE / 2];
    enum study_report_state state = STUDY_REPORT_FAILED;

    if (!sim_folder_make_temporary(made, sizeof made, "report")) {
        (void)fail(error, error_size, made);
        return STUDY_REPORT_FAILED;
    }
    if (study_report_write(set, frame, made, error, error_size)) {
        state = compare_all(set, folder, made, error, error_size);
    }
    remove_made(set, made);
    return state;
}
