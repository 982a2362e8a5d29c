/* Numbers out of the tables that benches have written, in Markdown. */
#ifndef STUDY_TABLE_CELL_H
#define STUDY_TABLE_CELL_H

#include <stdbool.h>
#include <stddef.h>

/* The first number in a cell of the table under the heading that begins with `heading` ("large:"),
 * in the row whose first cell is `row` and the column whose title is `column`. Returns false with
 * one line in `error`: the file cannot be read, or what is not there. */
bool study_table_cell(const char *file, const char *heading, const char *row, const char *column,
                      double *number, char *error, size_t error_size);

#endif
