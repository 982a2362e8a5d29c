#include "table_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_file.h"

#define FILE_BYTES_MAX (16u << 20)
#define CELL_SIZE 200

/* The next line of *text, which is moved past it; NULL at the end. */
static char *next_line(char **text)
{
    char *line = *text;

    if (*line == '\0') {
        return NULL;
    }
    char *end = line + strcspn(line, "\n");
    *text = end + (*end == '\n');
    *end = '\0';
    return line;
}

static bool is_heading(const char *line, const char *heading)
{
    const char *words = line + strspn(line, "#");

    return words != line && strncmp(words + strspn(words, " "), heading, strlen(heading)) == 0;
}

/* The cell of that number, without the spaces and stars around it. */
static bool copy_cell(const char *line, size_t number, char cell[CELL_SIZE])
{
    for (size_t i = 0; i <= number; i++) {
        line = strchr(line, '|');
        if (line == NULL) {
            return false;
        }
        line++;
    }
    line += strspn(line, " *");
    size_t length = strcspn(line, "|");
    if (line[length] == '\0') {
        return false;
    }
    while (length > 0 && strchr(" *", line[length - 1]) != NULL) {
        length--;
    }
    snprintf(cell, CELL_SIZE, "%.*s", (int)length, line);
    return true;
}

static bool find_column(const char *line, const char *column, size_t *number)
{
    char cell[CELL_SIZE];

    for (*number = 0; copy_cell(line, *number, cell); (*number)++) {
        if (strcmp(cell, column) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_number(const char *cell, double *number)
{
    char digits[CELL_SIZE];
    size_t length = 0;
    char *end;

    for (cell += strcspn(cell, "-0123456789"); *cell != '\0'; cell++) {
        if (*cell != ',') { /* 2,496 */
            digits[length++] = *cell;
        }
    }
    digits[length] = '\0';
    *number = strtod(digits, &end);
    return end != digits;
}

/* Returns what was not found, or NULL. */
static const char *find(char *text, const char *heading, const char *row, const char *column,
                        double *number)
{
    char cell[CELL_SIZE];
    char *line;
    size_t at = 0;

    do {
        line = next_line(&text);
    } while (line != NULL && !is_heading(line, heading));
    if (line == NULL) {
        return "heading";
    }
    do {
        line = next_line(&text);
    } while (line != NULL && line[0] != '|' && line[0] != '#');
    if (line == NULL || !find_column(line, column, &at)) {
        return "column";
    }
    do {
        line = next_line(&text);
    } while (line != NULL && line[0] == '|' &&
             (!copy_cell(line, 0, cell) || strcmp(cell, row) != 0));
    if (line == NULL || line[0] != '|') {
        return "row";
    }
    return copy_cell(line, at, cell) && read_number(cell, number) ? NULL : "number";
}

bool study_table_cell(const char *file, const char *heading, const char *row, const char *column,
                      double *number, char *error, size_t error_size)
{
    struct sim_error reason;
    char *text;
    size_t size;

    if (!sim_file_read(file, FILE_BYTES_MAX, &text, &size, &reason)) {
        snprintf(error, error_size, "%s", reason.text);
        return false;
    }
    const char *missing = find(text, heading, row, column, number);
    free(text);
    if (missing != NULL) {
        snprintf(error, error_size, "%s: no %s: looked under \"%s\" for row \"%s\", column \"%s\"",
                 file, missing, heading, row, column);
    }
    return missing == NULL;
}
