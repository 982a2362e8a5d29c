/* Text laid out for a width: sentences that are wrapped, and tables that drop their least important
 * columns rather than wrap. */
#ifndef SIM_SCREEN_TABLE_H
#define SIM_SCREEN_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define SIM_SCREEN_CELL_SIZE 128

/* "LABEL text ...": lines of at most `width` characters, all but the first indented by the label's
 * length. A line feed in the text begins a new line; a word that fits no line is broken. */
void sim_screen_wrap(FILE *file, size_t width, const char *label, const char *text);

/* The same where a label of `indent` characters has been printed. */
void sim_screen_wrap_rest(FILE *file, size_t width, size_t indent, const char *text);

/* What becomes of a text that the first column has no room for. */
enum sim_screen_first {
    SIM_SCREEN_CUT = 0,
    SIM_SCREEN_WRAP, /* more lines, the other columns in the first of them */
};

enum sim_screen_align {
    SIM_SCREEN_LEFT = 0,
    SIM_SCREEN_RIGHT,
};

struct sim_screen_column {
    const char *heading;
    enum sim_screen_align align;
    unsigned importance; /* the column with the least is dropped first; the first column stays and
                            is cut or wrapped instead */
};

#define SIM_SCREEN_COLUMNS_MAX 12

struct sim_screen_table {
    const struct sim_screen_column *columns;
    size_t column_count;
    size_t row_count;
    size_t first_width;          /* the first column is cut to this before others are dropped */
    enum sim_screen_first first; /* cut, unless it is set */
    char (*cells)[SIM_SCREEN_CELL_SIZE]; /* owned */
};

void sim_screen_table_init(struct sim_screen_table *table, const struct sim_screen_column *columns,
                           size_t column_count, size_t row_count, size_t first_width);
void sim_screen_table_free(struct sim_screen_table *table);

/* The text of a cell, to be filled. */
char *sim_screen_table_cell(const struct sim_screen_table *table, size_t row, size_t column);

void sim_screen_table_print(FILE *file, const struct sim_screen_table *table, size_t width);

#endif
