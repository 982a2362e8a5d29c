/* What the accuracy table is asked for on its command line. */
#ifndef TABLE_OPTIONS_H
#define TABLE_OPTIONS_H

#include <stdbool.h>

#include "cells.h"

#define TABLE_COMMAND_SIZE 4096 /* bytes, with the terminating zero */

struct table_options {
    struct table_grid grid;
    bool is_hardest;
    bool is_filtered; /* some of the grid was left out */
    unsigned job_count;
    const char *csv;                  /* NULL: none */
    const char *markdown;             /* NULL: none */
    char command[TABLE_COMMAND_SIZE]; /* that makes the same report */
};

/* Prints help, or what is wrong with the command line, and ends the program if need be. Uses up
 * argv. */
void table_options_parse(struct table_options *options, int argc, char **argv);

#endif
