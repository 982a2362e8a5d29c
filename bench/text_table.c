#include "text_table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "weir/assert.h"

void text_table_init(struct text_table *table, const char *const *headings, size_t column_count)
{
    WEIR_ASSERT(column_count > 0);
    WEIR_ASSERT(column_count <= TEXT_TABLE_COLUMNS_MAX);
    *table = (struct text_table){.column_count = column_count};
    memcpy(table->headings, headings, column_count * sizeof *headings);
}

void text_table_deinit(struct text_table *table)
{
    for (size_t i = 0; i < table->text_count; i++) {
        free(table->texts[i]);
    }
    free(table->texts);
    *table = (struct text_table){0};
}

void text_table_add(struct text_table *table, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (table->text_count == table->text_capacity) {
        const size_t capacity = table->text_capacity == 0 ? 64 : 2 * table->text_capacity;
        char **texts = sim_memory_new(capacity, sizeof *texts);
        for (size_t i = 0; i < table->text_count; i++) {
            texts[i] = table->texts[i];
        }
        free(table->texts);
        table->texts = texts;
        table->text_capacity = capacity;
    }
    char *copy = sim_memory_new(strlen(text) + 1, 1);
    strcpy(copy, text);
    table->texts[table->text_count++] = copy;
}

static bool is_right(const struct text_table *table, size_t column)
{
    const char *heading = table->headings[column];

    return *heading != '\0' && heading[strlen(heading) - 1] == '>';
}

static int width_of(const struct text_table *table, size_t column)
{
    size_t width = strlen(table->headings[column]) - (is_right(table, column) ? 1 : 0);

    for (size_t i = column; i < table->text_count; i += table->column_count) {
        const size_t length = strlen(table->texts[i]);
        width = length > width ? length : width;
    }
    return (int)(width < 3 ? 3 : width); /* Markdown wants three dashes */
}

/* Blanks on one side; none at the end of a plain line. */
static void print_text(const struct text_table *table, FILE *file, enum text_table_style style,
                       size_t column, const char *text, int length, int width)
{
    const bool is_last = column + 1 == table->column_count;

    fputs(style == TEXT_TABLE_MARKDOWN ? "| " : column > 0 ? "  " : "", file);
    if (is_right(table, column)) {
        fprintf(file, "%*.*s", width, length, text);
    } else if (is_last && style == TEXT_TABLE_PLAIN) {
        fprintf(file, "%.*s", length, text);
    } else {
        fprintf(file, "%-*.*s", width, length, text);
    }
    if (style == TEXT_TABLE_MARKDOWN) {
        fputs(is_last ? " |" : " ", file);
    }
}

static void print_headings(const struct text_table *table, FILE *file, enum text_table_style style,
                           const int *widths)
{
    for (size_t column = 0; column < table->column_count; column++) {
        const char *text = table->headings[column];
        const int length = (int)strlen(text) - (is_right(table, column) ? 1 : 0);
        print_text(table, file, style, column, text, length, widths[column]);
    }
    fputc('\n', file);
    for (size_t column = 0; style == TEXT_TABLE_MARKDOWN && column < table->column_count;
         column++) {
        fputs("| ", file);
        for (int i = 1; i < widths[column]; i++) {
            fputc('-', file);
        }
        fputs(is_right(table, column) ? ": " : "- ", file);
    }
    fputs(style == TEXT_TABLE_MARKDOWN ? "|\n" : "", file);
}

void text_table_print(const struct text_table *table, FILE *file, enum text_table_style style)
{
    int widths[TEXT_TABLE_COLUMNS_MAX];

    WEIR_ASSERT(table->text_count % table->column_count == 0);
    for (size_t column = 0; column < table->column_count; column++) {
        widths[column] = width_of(table, column);
    }
    print_headings(table, file, style, widths);
    for (size_t i = 0; i < table->text_count; i++) {
        const size_t column = i % table->column_count;
        const char *text = table->texts[i];
        print_text(table, file, style, column, text, (int)strlen(text), widths[column]);
        if (column + 1 == table->column_count) {
            fputc('\n', file);
        }
    }
}
