#include <string.h>

#include "document.h"

/* Texts are Markdown already, but for what ends a cell. */
static void write_cell(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            fputc('\\', file);
        }
        fputc(*text == '\n' ? ' ' : *text, file);
    }
}

static void write_table(FILE *file, const struct study_block *block)
{
    const size_t columns = strlen(block->columns);

    for (size_t i = 0; i < block->cell_count; i++) {
        fputs(i % columns == 0 ? "| " : " ", file);
        write_cell(file, block->cells[i]);
        fputs((i + 1) % columns == 0 ? " |\n" : " |", file);
        if (i + 1 == columns) {
            for (size_t j = 0; j < columns; j++) {
                fputs(block->columns[j] == 'r' ? "|---:" : "|---", file);
            }
            fputs("|\n", file);
        }
    }
}

static void write_block(FILE *file, const struct study_block *block)
{
    static const char *const marks[] = {"", "# ", "## ", "### "};

    switch (block->kind) {
    case STUDY_HEADING:
        fprintf(file, "%s%s\n", marks[block->level], block->text);
        break;
    case STUDY_PARAGRAPH:
        fprintf(file, "%s\n", block->text);
        break;
    case STUDY_QUOTE:
        fprintf(file, "> %s\n", block->text);
        break;
    case STUDY_ITEM:
        fprintf(file, "- %s\n", block->text);
        break;
    case STUDY_CODE:
        fprintf(file, "```\n%s\n```\n", block->text);
        break;
    case STUDY_TABLE:
        write_table(file, block);
        break;
    case STUDY_FIGURE:
        fprintf(file, "![%s](%s)\n", block->text, block->file);
        break;
    case STUDY_FOLD_BEGIN:
    case STUDY_FOLD_END:
        break;
    }
}

static bool is_fold(const struct study_block *block)
{
    return block->kind == STUDY_FOLD_BEGIN || block->kind == STUDY_FOLD_END;
}

void study_document_write_markdown(const struct study_document *document, FILE *file)
{
    const struct study_block *last = NULL;

    for (size_t i = 0; i < document->block_count; i++) {
        const struct study_block *block = &document->blocks[i];
        if (is_fold(block)) {
            continue; /* all is shown */
        }
        const bool goes_on = last != NULL && last->kind == STUDY_ITEM && block->kind == STUDY_ITEM;
        if (last != NULL && !goes_on) {
            fputc('\n', file);
        }
        write_block(file, block);
        last = block;
    }
}
