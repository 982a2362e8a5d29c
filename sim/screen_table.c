#include "screen_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "readable.h"

/* Bytes of the first `count` characters. */
static size_t bytes_of(const char *text, size_t count)
{
    size_t bytes = 0;

    while (text[bytes] != '\0') {
        const size_t starts = ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (starts > count) {
            break;
        }
        count -= starts;
        bytes++;
    }
    return bytes;
}

/* Bytes of `text` that go on a line of `room` characters: whole words if one fits, and no number
 * without what it counts. */
static size_t line_length(const char *text, size_t room)
{
    const size_t length = strcspn(text, "\n");
    const size_t fitting = bytes_of(text, room);

    if (fitting >= length) {
        return length;
    }
    for (size_t end = fitting; end > 0; end--) {
        if (text[end] == ' ' && (text[end - 1] < '0' || text[end - 1] > '9')) {
            return end;
        }
    }
    for (size_t end = fitting; end > 0; end--) {
        if (text[end] == ' ') {
            return end;
        }
    }
    return fitting;
}

void sim_screen_wrap_rest(FILE *file, size_t width, size_t indent, const char *text)
{
    const size_t room = width > indent + 1 ? width - indent : 1;

    while (*text != '\0') {
        const size_t length = line_length(text, room);
        fprintf(file, "%.*s\n", (int)length, text);
        text += length;
        text += *text == ' ' || *text == '\n';
        if (*text != '\0') {
            fprintf(file, "%*s", (int)indent, "");
        }
    }
}

void sim_screen_wrap(FILE *file, size_t width, const char *label, const char *text)
{
    fputs(label, file);
    sim_screen_wrap_rest(file, width, sim_readable_width(label), text);
}

void sim_screen_table_init(struct sim_screen_table *table, const struct sim_screen_column *columns,
                           size_t column_count, size_t row_count, size_t first_width)
{
    *table = (struct sim_screen_table){
        .columns = columns,
        .first_width = first_width,
        .column_count = column_count,
        .row_count = row_count,
        .cells = sim_memory_new(column_count * row_count + 1, SIM_SCREEN_CELL_SIZE),
    };
}

void sim_screen_table_free(struct sim_screen_table *table)
{
    free(table->cells);
    *table = (struct sim_screen_table){0};
}

char *sim_screen_table_cell(const struct sim_screen_table *table, size_t row, size_t column)
{
    return table->cells[row * table->column_count + column];
}

/* Drop columns, width 0, until the rest fits; what is left over is the first column's. */
static void fit(const struct sim_screen_table *table, size_t width,
                size_t widths[SIM_SCREEN_COLUMNS_MAX])
{
    for (;;) {
        const size_t first = widths[0] < table->first_width ? widths[0] : table->first_width;
        size_t others = 0;
        size_t least = 0;
        for (size_t i = 1; i < table->column_count; i++) {
            if (widths[i] > 0) {
                others += 1 + widths[i];
                least =
                    least == 0 || table->columns[i].importance < table->columns[least].importance
                        ? i
                        : least;
            }
        }
        if (first + others <= width || least == 0) {
            const size_t room = others < width ? width - others : 1;
            widths[0] = widths[0] < room ? widths[0] : room;
            return;
        }
        widths[least] = 0;
    }
}

/* As much of a cell as one line of its column takes. Returns the bytes of `text` that it is, with
 * the blank it is broken at. */
static size_t cut_line(char cut[SIM_SCREEN_CELL_SIZE], const char *text, size_t width, bool wraps)
{
    if (!wraps) {
        sim_readable_cut(cut, SIM_SCREEN_CELL_SIZE, text, width);
        return strlen(text);
    }
    const size_t length = line_length(text, width);
    snprintf(cut, SIM_SCREEN_CELL_SIZE, "%.*s", (int)length, text);
    return length + (text[length] == ' ' || text[length] == '\n');
}

/* One line of a row; texts[i] moves on to what is left of it. The last column carries no white
 * space at its end. */
static void print_line(FILE *file, const struct sim_screen_table *table,
                       const size_t widths[SIM_SCREEN_COLUMNS_MAX], const char **texts)
{
    size_t pending = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        char cut[SIM_SCREEN_CELL_SIZE];
        if (widths[i] == 0) {
            continue;
        }
        texts[i] += cut_line(cut, texts[i], widths[i], i == 0 && table->first == SIM_SCREEN_WRAP);
        const size_t padding = widths[i] - sim_readable_width(cut);
        const size_t before = table->columns[i].align == SIM_SCREEN_RIGHT ? padding : 0;
        if (cut[0] == '\0') {
            pending += widths[i] + 1;
        } else {
            fprintf(file, "%*s%s", (int)(pending + before), "", cut);
            pending = padding - before + 1;
        }
    }
    fputc('\n', file);
}

static void print_row(FILE *file, const struct sim_screen_table *table,
                      const size_t widths[SIM_SCREEN_COLUMNS_MAX], const char **texts)
{
    do {
        print_line(file, table, widths, texts);
    } while (widths[0] > 0 && texts[0][0] != '\0');
}

void sim_screen_table_print(FILE *file, const struct sim_screen_table *table, size_t width)
{
    size_t widths[SIM_SCREEN_COLUMNS_MAX] = {0};
    const char *texts[SIM_SCREEN_COLUMNS_MAX];

    for (size_t i = 0; i < table->column_count; i++) {
        widths[i] = sim_readable_width(table->columns[i].heading);
        texts[i] = table->columns[i].heading;
        size_t widest = 0;
        for (size_t row = 0; row < table->row_count; row++) {
            const size_t needed = sim_readable_width(sim_screen_table_cell(table, row, i));
            widest = needed > widest ? needed : widest;
        }
        /* a column of empty cells is none */
        widths[i] = widest > widths[i] ? widest : widest == 0 ? 0 : widths[i];
    }
    fit(table, width, widths);
    print_row(file, table, widths, texts);
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            texts[i] = sim_screen_table_cell(table, row, i);
        }
        print_row(file, table, widths, texts);
    }
}
