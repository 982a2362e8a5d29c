#include "document.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "weir/assert.h"

void study_document_init(struct study_document *document)
{
    *document = (struct study_document){0};
}

void study_document_free(struct study_document *document)
{
    for (size_t i = 0; i < document->block_count; i++) {
        struct study_block *block = &document->blocks[i];
        for (size_t j = 0; j < block->cell_count; j++) {
            free(block->cells[j]);
        }
        free(block->cells);
        free(block->text);
        free(block->file);
    }
    free(document->blocks);
    study_document_init(document);
}

static char *print(const char *format, va_list arguments)
{
    va_list again;

    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    WEIR_ASSERT(length >= 0);
    char *text = sim_memory_new((size_t)length + 1, 1);
    (void)vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

static struct study_block *append(struct study_document *document, enum study_block_kind kind)
{
    document->blocks = sim_memory_grow(document->blocks, document->block_count,
                                       &document->block_room, sizeof *document->blocks);
    struct study_block *block = &document->blocks[document->block_count++];
    *block = (struct study_block){.kind = kind};
    return block;
}

void study_document_heading(struct study_document *document, unsigned level, const char *format,
                            ...)
{
    va_list arguments;
    struct study_block *block = append(document, STUDY_HEADING);

    WEIR_ASSERT(level >= 1 && level <= 3);
    block->level = level;
    va_start(arguments, format);
    block->text = print(format, arguments);
    va_end(arguments);
}

void study_document_add(struct study_document *document, enum study_block_kind kind,
                        const char *format, ...)
{
    va_list arguments;
    struct study_block *block = append(document, kind);

    va_start(arguments, format);
    block->text = print(format, arguments);
    va_end(arguments);
}

void study_document_fold_end(struct study_document *document)
{
    (void)append(document, STUDY_FOLD_END);
}

void study_document_table(struct study_document *document, const char *columns)
{
    append(document, STUDY_TABLE)->columns = columns;
}

void study_document_cell(struct study_document *document, const char *format, ...)
{
    va_list arguments;
    struct study_block *block = &document->blocks[document->block_count - 1];

    WEIR_ASSERT(document->block_count > 0 && block->kind == STUDY_TABLE);
    block->cells =
        sim_memory_grow(block->cells, block->cell_count, &block->cell_room, sizeof *block->cells);
    va_start(arguments, format);
    block->cells[block->cell_count++] = print(format, arguments);
    va_end(arguments);
}

void study_document_figure(struct study_document *document, const char *file, const char *format,
                           ...)
{
    va_list arguments;
    struct study_block *block = append(document, STUDY_FIGURE);

    block->file = sim_memory_new(strlen(file) + 1, 1);
    strcpy(block->file, file);
    va_start(arguments, format);
    block->text = print(format, arguments);
    va_end(arguments);
}

void study_document_anchor(char *anchor, size_t size, const char *heading)
{
    size_t length = 0;

    for (; *heading != '\0' && length + 1 < size; heading++) {
        const char c = *heading;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || (c & 0x80) != 0) {
            anchor[length++] = c;
        } else if (c >= 'A' && c <= 'Z') {
            anchor[length++] = (char)(c - 'A' + 'a');
        } else if (c == ' ') {
            anchor[length++] = '-';
        }
    }
    anchor[length] = '\0';
}
