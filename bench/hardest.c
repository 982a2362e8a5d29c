/* The cells with the least room to their targets: the table's regression test, some seconds of
 * work. A comment names the figure that has least. */
#include <string.h>

#include "cells.h"
#include "memory.h"

static const struct table_cell hardest[] = {
    /* limits of 100,000 or more */
    {1000000, 1500000, TABLE_STICKY, 60, 100, 1},  /* under */
    {100000, 980000, TABLE_STICKY, 10, 100, 2},    /* waited */
    {100000, 1000000, TABLE_STICKY, 60, 100, 2},   /* waited */
    {100000, 1500000, TABLE_UNIFORM, 60, 100, 3},  /* first saturation */
    {100000, 1500000, TABLE_FLIP, 60, 100, 1},     /* first saturation */
    {100000, 500000, TABLE_UNIFORM, 0, 100, 1},    /* requests per ask */
    {100000, 1000000, TABLE_UNIFORM, 10, 100, 1},  /* requests per ask */
    {100000, 10000000, TABLE_UNIFORM, 60, 100, 1}, /* requests per ask */
    {1000000, 1050000, TABLE_FLIP, 10, 100, 1},    /* first saturation */
    {100000, 1050000, TABLE_UNIFORM, 10, 100, 2},  /* first saturation */
    {100000, 1050000, TABLE_ZIPF, 10, 100, 3},     /* first saturation */
    {100000, 1050000, TABLE_UNIFORM, 1, 100, 3},   /* requests per ask */
    {100000, 1000000, TABLE_UNIFORM, 1, 100, 3},   /* under */
    {100000, 10000000, TABLE_STICKY, 1, 10, 3},    /* waited */
    /* 10,000 */
    {10000, 1050000, TABLE_ZIPF, 0, 100, 2},      /* under */
    {10000, 1000000, TABLE_ZIPF, 0, 100, 1},      /* first saturation */
    {10000, 500000, TABLE_FLIP, 0, 10, 3},        /* waited */
    {10000, 1050000, TABLE_UNIFORM, 0, 10, 3},    /* requests per ask */
    {10000, 1050000, TABLE_STICKY, 10, 100, 3},   /* first saturation */
    {10000, 10000000, TABLE_UNIFORM, 10, 100, 3}, /* first saturation */
    {10000, 10000000, TABLE_UNIFORM, 1, 100, 2},  /* requests per ask */
    /* below */
    {1000, 1050000, TABLE_STICKY, 10, 100, 2}, /* under */
    {1000, 1050000, TABLE_UNIFORM, 0, 100, 1}, /* under */
    {100, 1050000, TABLE_ZIPF, 1, 100, 3},     /* under */
};

#define HARDEST_COUNT (sizeof hardest / sizeof hardest[0])

struct table_cell *table_cells_new_hardest(enum table_subject subject, size_t *cell_count)
{
    struct table_cell *cells = sim_memory_new(HARDEST_COUNT, sizeof *cells);

    *cell_count = 0;
    for (size_t i = 0; i < HARDEST_COUNT; i++) {
        if (table_cell_is_meaningful(&hardest[i], subject)) {
            cells[(*cell_count)++] = hardest[i];
        }
    }
    return cells;
}
