/* What the accuracy table says: for people, plain or as Markdown, and every cell as CSV. No wall
 * times: the same cells give the same bytes. */
#ifndef TABLE_REPORT_H
#define TABLE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "rows.h"
#include "text_table.h"

struct table_outcome {
    enum table_subject subject;
    const char *command; /* that makes this report */
    const struct table_cell *cells;
    const struct table_figures *figures; /* of each cell */
    size_t cell_count;
};

void table_report_print(const struct table_outcome *outcome, FILE *file,
                        enum text_table_style style);
void table_report_csv(const struct table_outcome *outcome, FILE *file);

/* Cells that miss what binds the subject; see table_row_binds. */
size_t table_report_miss_count(const struct table_outcome *outcome);

#endif
