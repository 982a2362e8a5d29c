/* A document that people read: headings, paragraphs, tables, figures, in order; written as Markdown
 * or as one page of HTML.
 *
 * Texts hold `code`, **bold** and [text](link), as in Markdown, and are otherwise plain: what means
 * something to either format is escaped when it is written. */
#ifndef STUDY_DOCUMENT_H
#define STUDY_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum study_block_kind {
    STUDY_HEADING = 0,
    STUDY_PARAGRAPH,
    STUDY_QUOTE,
    STUDY_ITEM, /* of a list */
    STUDY_CODE,
    STUDY_TABLE,
    STUDY_FIGURE,
    STUDY_FOLD_BEGIN, /* what a page shows on demand, up to its end */
    STUDY_FOLD_END,
};

struct study_block {
    enum study_block_kind kind;
    unsigned level;      /* HEADING: 1 to 3 */
    char *text;          /* FIGURE: what it shows; owned */
    char *file;          /* FIGURE: an SVG, from where the document stands; owned */
    const char *columns; /* TABLE: 'l' or 'r' for each */
    char **cells;        /* TABLE: titles first, then row by row; owned */
    size_t cell_count;
    size_t cell_room;
};

struct study_document {
    struct study_block *blocks; /* owned */
    size_t block_count;
    size_t block_room;
};

void study_document_init(struct study_document *document);
void study_document_free(struct study_document *document);

void study_document_heading(struct study_document *document, unsigned level, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
/* A paragraph, quote, item, code or the begin of a fold. */
void study_document_add(struct study_document *document, enum study_block_kind kind,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));
void study_document_fold_end(struct study_document *document);
/* Begin a table; its cells follow, titles first. `columns` is borrowed: "lrr". */
void study_document_table(struct study_document *document, const char *columns);
void study_document_cell(struct study_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void study_document_figure(struct study_document *document, const char *file, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

void study_document_write_markdown(const struct study_document *document, FILE *file);

/* One page that needs no other file: the figures, read from below `folder`, are in it. Returns
 * false, with errno set, if one cannot be read. */
bool study_document_write_html(const struct study_document *document, const char *title,
                               const char *folder, FILE *file);

/* The link to a heading, without the #, as both formats make it: "d7-a-slow-store". */
void study_document_anchor(char *anchor, size_t size, const char *heading);

#endif
