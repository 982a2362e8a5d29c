/* A grid: some paths of a scenario, each with the values it is to take; a cell is one value of
 * each.
 *
 * A value is kept as text in one form, the one that JSON has for it (0.10 is 0.1, a string is bare
 * unless it could be mistaken): whoever reads the text back gets the same text. */
#ifndef STUDY_GRID_H
#define STUDY_GRID_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define STUDY_GRID_AXES_MAX 6
#define STUDY_GRID_VALUES_MAX 1000
#define STUDY_GRID_LABEL_SIZE 64

struct study_value {
    char *set;   /* PATH=VALUE, as of weir run --set; owned */
    char *text;  /* VALUE, a part of it */
    char *label; /* VALUE in fewer words: of an object only what its members are; owned */
    bool is_number;
    double number;
};

struct study_axis {
    char *path;       /* owned */
    const char *name; /* the end of the path that tells it from the other axes' */
    struct study_value *values;
    size_t value_count;
};

struct study_grid {
    struct study_axis axes[STUDY_GRID_AXES_MAX];
    size_t axis_count;
};

/* Add an axis "PATH=VALUES"; VALUES as docs/WHAT-IF.md has it. Returns false, with one line that
 * says what was found and what is allowed, and the grid as it was. */
bool study_grid_add(struct study_grid *grid, const char *vary, char *error, size_t error_size);

/* The same from JSON: {"path": text, "values": [...]}. */
bool study_grid_add_json(struct study_grid *grid, json_t *axis, char *error, size_t error_size);
json_t *study_grid_axis_json(const struct study_axis *axis);
/* As JSON: a number, an object, a string ... */
json_t *study_grid_value_json(const struct study_value *value);

void study_grid_free(struct study_grid *grid);

/* Far more than can be run, but no more than a size holds: 1000^6. */
size_t study_grid_cell_count(const struct study_grid *grid);

/* Which value of an axis a cell has. The last axis changes first. */
size_t study_grid_index(const struct study_grid *grid, size_t cell, size_t axis);
const struct study_value *study_grid_value(const struct study_grid *grid, size_t cell, size_t axis);

/* Are both paths the same, or would setting `later` undo what setting `path` did? */
bool study_grid_path_undoes(const char *later, const char *path);

#endif
