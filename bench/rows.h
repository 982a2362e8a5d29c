/* The rows of the accuracy table: which cells a row is about, and what it promises for them.
 *
 * The first row holds for every subject: nothing above the contract, no error without a cause, a
 * ledger that balances, and reports of what was spent. The others are the targets of tapered
 * leases, and only show how the other subjects compare. */
#ifndef TABLE_ROWS_H
#define TABLE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "figures.h"

enum table_relation {
    TABLE_AT_MOST = 0,
    TABLE_BELOW,
    TABLE_AT_LEAST,
};

struct table_check {
    enum table_figure figure;
    enum table_relation relation;
    double bound;
    const char *scope;                              /* in words; NULL: all cells of the row */
    bool (*applies)(const struct table_cell *cell); /* NULL: to all cells of the row */
    double limit_part; /* the bound is at least this part of the cell's limit */
};

enum table_promise {
    TABLE_REQUIRED = 0, /* of every subject */
    TABLE_TARGET,       /* of tapered leases; the figures of other subjects are contrast */
    TABLE_NO_TARGET,    /* what a target would miss is shown, no more */
};

struct table_row {
    const char *id;
    const char *words;
    bool (*holds_for)(const struct table_cell *cell);
    enum table_promise promise;
    const struct table_check *checks;
    size_t check_count;
};

#define TABLE_ROW_COUNT 7
#define TABLE_ROW_EVERY_CELL 0

/* The first one is about every cell; of the others, each cell belongs to exactly one. */
extern const struct table_row table_rows[TABLE_ROW_COUNT];

/* Whether a miss in the row is a miss of the subject. */
bool table_row_binds(const struct table_row *row, enum table_subject subject);

/* The row, other than the first, that the cell belongs to. */
size_t table_row_of(const struct table_cell *cell);

bool table_check_applies(const struct table_check *check, const struct table_cell *cell);
bool table_check_is_met(const struct table_check *check, const struct table_cell *cell,
                        const struct table_figures *figures);

/* How much of what is allowed was used: 1 is all of it, above 1 is a miss. */
double table_check_strain(const struct table_check *check, const struct table_cell *cell,
                          const struct table_figures *figures);

/* The largest of the row's checks that apply; 0 if none does. */
double table_row_strain(const struct table_row *row, const struct table_cell *cell,
                        const struct table_figures *figures);
bool table_row_is_met(const struct table_row *row, const struct table_cell *cell,
                      const struct table_figures *figures);

/* "<= 0.1 %" */
void table_check_text(const struct table_check *check, char *text, size_t text_size);

#endif
