/* A table of texts, printed with its columns aligned: plain, or as Markdown. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define TEXT_TABLE_COLUMNS_MAX 16

enum text_table_style {
    TEXT_TABLE_PLAIN = 0,
    TEXT_TABLE_MARKDOWN,
};

struct text_table {
    size_t column_count;
    const char *headings[TEXT_TABLE_COLUMNS_MAX]; /* one that ends with > is for a column that is
                                                     aligned to the right */
    char **texts;                                 /* row after row; owned */
    size_t text_count;
    size_t text_capacity;
};

/* The headings are borrowed. */
void text_table_init(struct text_table *table, const char *const *headings, size_t column_count);
void text_table_deinit(struct text_table *table);

/* Add the next field of the row that is being filled. */
void text_table_add(struct text_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Requires whole rows. */
void text_table_print(const struct text_table *table, FILE *file, enum text_table_style style);

#endif
