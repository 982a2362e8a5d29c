/* The cells of the accuracy table: what is varied, and the scenario each cell stands for.
 *
 * A cell is bench/cell.json with a few values set; nothing else tells two cells apart, so that
 * `weir run` can replay each of them. */
#ifndef TABLE_CELLS_H
#define TABLE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_NAME_SIZE 128 /* bytes, with the terminating zero */
#define TABLE_CHOICES_MAX 16

enum table_subject {
    TABLE_TAPERED = 0,
    TABLE_FIXED,
    TABLE_RATE,
    TABLE_DOUBLING,
    TABLE_AS_WRITTEN,
    TABLE_SUBJECT_COUNT,
};

enum table_balance {
    TABLE_UNIFORM = 0,
    TABLE_ZIPF,
    TABLE_STICKY,
    TABLE_FLIP,
    TABLE_BALANCE_COUNT,
};

extern const char *const table_subject_names[TABLE_SUBJECT_COUNT];
extern const char *const table_balance_names[TABLE_BALANCE_COUNT];

struct table_cell {
    uint64_t limit_per_min;
    uint32_t demand_ppm; /* of the limit */
    enum table_balance balance;
    uint32_t capacity_s; /* of rate; 0: a window plan */
    uint32_t start_fill_pct;
    uint32_t seed;
};

/* What to vary. */
struct table_grid {
    enum table_subject subject;
    uint64_t limits_per_min[TABLE_CHOICES_MAX];
    size_t limit_count;
    uint32_t demands_ppm[TABLE_CHOICES_MAX];
    size_t demand_count;
    bool balances[TABLE_BALANCE_COUNT];
    uint32_t seed_count; /* 0: three, but one where the limit is 1,000,000 or more */
};

/* The values to set in bench/cell.json. */
struct table_sets {
    char texts[8][256];
    const char *pointers[8]; /* to the texts in use */
    size_t count;
};

/* All there is to vary. */
void table_grid_init(struct table_grid *grid);

/* Not meaningful is what has no steady state, because a queue grows until the end: the design note,
 * and more requests above the limit than its store can serve, since each of them asks. The note's
 * store knows a count per window, so that it has window plans only. */
bool table_cell_is_meaningful(const struct table_cell *cell, enum table_subject subject);

/* Returns the cells that are meaningful, and how many; the caller frees them. */
struct table_cell *table_cells_new(const struct table_grid *grid, size_t *cell_count);

/* The same for the cells that come closest to their targets: a fixed list, of all rows. */
struct table_cell *table_cells_new_hardest(enum table_subject subject, size_t *cell_count);

/* A whole number of minutes, at least four. A cell above its limit goes on for at least three
 * minutes after its bucket has run empty, unless that would take more than 25 minutes. */
uint32_t table_cell_duration_s(const struct table_cell *cell);

/* How many requests to expect. */
double table_cell_requests(const struct table_cell *cell);

/* "100000/min x1.05 zipf bucket-10s fill-100 seed-2" */
void table_cell_name(const struct table_cell *cell, char *name, size_t name_size);
/* "window" or "bucket-10s" */
void table_cell_plan_name(const struct table_cell *cell, char *name, size_t name_size);

void table_cell_sets(const struct table_cell *cell, enum table_subject subject,
                     struct table_sets *sets);

#endif
