#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "scenario_file.h"

#define FIGURE_BYTES_MAX (16u << 20)
#define ANCHOR_SIZE 200

static const char style[] =
    ":root{color-scheme:light dark;--text:#1c1c1c;--faint:#5c5c5c;--ground:#fff;--line:#ddd;"
    "--code:#f3f3f1;--link:#005a9c;--good:#00674a;--bad:#b03a00}\n"
    "@media(prefers-color-scheme:dark){:root{--text:#e6e6e6;--faint:#a8a8a8;--ground:#161618;"
    "--line:#3a3a3e;--code:#232327;--link:#7cbcf0;--good:#4fcf9f;--bad:#ff9a66}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:60rem;background:var(--ground);color:var(--text);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "h1{font-size:1.7rem;line-height:1.2}h2{margin-top:2.5rem;padding-top:.5rem;"
    "border-top:1px solid var(--line);font-size:1.35rem}h3{margin:2rem 0 .3rem;font-size:1.08rem}\n"
    "a{color:var(--link)}code,pre{font:.86em/1.45 ui-monospace,monospace;background:var(--code);"
    "border-radius:3px}code{padding:.1em .25em}pre{padding:.7rem;overflow-x:auto}"
    "pre code{padding:0;background:none;font-size:1em}\n"
    "blockquote{margin:.3rem 0;padding-left:.8rem;border-left:3px solid var(--line);"
    "color:var(--faint)}\n"
    ".table{overflow-x:auto;margin:.8rem 0}table{border-collapse:collapse;font-size:.92em}"
    "th,td{padding:.28rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}.r{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "th{font-weight:600}th.r{white-space:normal}\n"
    "figure{margin:1.2rem 0}figure svg{width:100%;height:auto;max-width:46rem;display:block}"
    "figcaption{color:var(--faint);font-size:.92em}\n"
    "details{margin:.4rem 0}summary{cursor:pointer;color:var(--link)}\n"
    "@media(max-width:30rem){body{padding:.7rem;font-size:15px}th,td{padding:.25rem .4rem}}\n";

static void write_escaped(FILE *file, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(text[i], file);
            break;
        }
    }
}

static void write_text(FILE *file, const char *text, size_t length);

/* [text](link); returns its length, or 0 if it is none. */
static size_t write_link(FILE *file, const char *text, size_t length)
{
    const char *close = memchr(text, ']', length);

    if (close == NULL || (size_t)(close - text) + 2 >= length || close[1] != '(') {
        return 0;
    }
    const char *end = memchr(close, ')', length - (size_t)(close - text));
    if (end == NULL) {
        return 0;
    }
    fputs("<a href=\"", file);
    write_escaped(file, close + 2, (size_t)(end - close) - 2);
    fputs("\">", file);
    write_text(file, text + 1, (size_t)(close - text) - 1);
    fputs("</a>", file);
    return (size_t)(end - text) + 1;
}

/* What stands between two marks; returns the length with them, or 0 if it does not end. */
static size_t write_marked(FILE *file, const char *text, size_t length, const char *mark,
                           const char *element)
{
    const size_t mark_length = strlen(mark);
    size_t end = mark_length;

    while (end + mark_length <= length && strncmp(text + end, mark, mark_length) != 0) {
        end++;
    }
    if (end + mark_length > length) {
        return 0;
    }
    fprintf(file, "<%s>", element);
    if (mark[0] == '`') {
        write_escaped(file, text + mark_length, end - mark_length);
    } else {
        write_text(file, text + mark_length, end - mark_length);
    }
    fprintf(file, "</%s>", element);
    return end + mark_length;
}

static void write_text(FILE *file, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t done = 0;

        if (text[i] == '`') {
            done = write_marked(file, text + i, length - i, "`", "code");
        } else if (text[i] == '*' && i + 1 < length && text[i + 1] == '*') {
            done = write_marked(file, text + i, length - i, "**", "strong");
        } else if (text[i] == '[') {
            done = write_link(file, text + i, length - i);
        }
        if (done == 0) {
            write_escaped(file, text + i, 1);
            done = 1;
        }
        i += done;
    }
}

static void write_element(FILE *file, const char *element, const char *text)
{
    fprintf(file, "<%s>", element);
    write_text(file, text, strlen(text));
    fprintf(file, "</%s>\n", element);
}

static void write_table(FILE *file, const struct study_block *block)
{
    const size_t columns = strlen(block->columns);

    fputs("<div class=\"table\"><table>\n", file);
    for (size_t i = 0; i < block->cell_count; i++) {
        const char *element = i < columns ? "th" : "td";

        fputs(i % columns == 0 ? "<tr>" : "", file);
        fprintf(file, "<%s%s>", element, block->columns[i % columns] == 'r' ? " class=\"r\"" : "");
        write_text(file, block->cells[i], strlen(block->cells[i]));
        fprintf(file, "</%s>%s", element, (i + 1) % columns == 0 ? "</tr>\n" : "");
    }
    fputs("</table></div>\n", file);
}

/* A colour as gnuplot writes them: "#222222", "rgb(34,34,34)", "rgb( 34,  34,  34)" and two names.
 * Returns how many bytes it is, 0 if there is none. */
static size_t read_colour(const char *text, unsigned *rgb)
{
    unsigned parts[3];
    int length = 0;

    if (strncmp(text, "\"black\"", 7) == 0 || strncmp(text, "\"white\"", 7) == 0) {
        *rgb = text[1] == 'b' ? 0 : 0xffffff;
        return 7;
    }
    if (text[0] == '#' && sscanf(text, "#%6x%n", rgb, &length) == 1 && length == 7) {
        return 7;
    }
    if (sscanf(text, "rgb(%3u ,%3u ,%3u )%n", &parts[0], &parts[1], &parts[2], &length) == 3 &&
        length > 0) {
        *rgb = parts[0] << 16 | parts[1] << 8 | parts[2];
        return (size_t)length;
    }
    return 0;
}

/* Colours that were chosen for a white page become those of the page: plots/style.gp has them. */
static void write_svg(FILE *file, const char *svg)
{
    static const struct {
        unsigned rgb;
        const char *name;
    } colours[] = {{0x000000, "text"},
                   {0x222222, "text"},
                   {0x666666, "faint"},
                   {0xe4e4e4, "line"},
                   {0xffffff, "ground"}};
    const size_t count = sizeof colours / sizeof colours[0];

    while (*svg != '\0') {
        unsigned rgb = 0;
        const size_t length = read_colour(svg, &rgb);
        const char *quote = *svg == '"' ? "\"" : "";
        size_t i = 0;
        while (i < count && colours[i].rgb != rgb) {
            i++;
        }
        if (length > 0 && i < count) {
            fprintf(file, "%svar(--%s)%s", quote, colours[i].name, quote);
            svg += length;
        } else {
            fputc(*svg++, file);
        }
    }
}

static bool write_figure(FILE *file, const struct study_block *block, const char *folder)
{
    struct sim_error error;
    char path[4096];
    char *bytes;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, block->file);
    if (!sim_file_read(path, FIGURE_BYTES_MAX, &bytes, &size, &error)) {
        return false;
    }
    const char *svg = strstr(bytes, "<svg");
    fputs("<figure>\n", file);
    write_svg(file, svg == NULL ? "" : svg);
    write_element(file, "figcaption", block->text);
    fputs("</figure>\n", file);
    free(bytes);
    return true;
}

static void write_heading(FILE *file, const struct study_block *block)
{
    char anchor[ANCHOR_SIZE];

    study_document_anchor(anchor, sizeof anchor, block->text);
    fprintf(file, "<h%u id=\"%s\">", block->level, anchor);
    write_text(file, block->text, strlen(block->text));
    fprintf(file, "</h%u>\n", block->level);
}

static bool write_block(FILE *file, const struct study_block *block, const char *folder)
{
    switch (block->kind) {
    case STUDY_HEADING:
        write_heading(file, block);
        break;
    case STUDY_PARAGRAPH:
        write_element(file, "p", block->text);
        break;
    case STUDY_QUOTE:
        write_element(file, "blockquote", block->text);
        break;
    case STUDY_ITEM:
        write_element(file, "li", block->text);
        break;
    case STUDY_CODE:
        fputs("<pre><code>", file);
        write_escaped(file, block->text, strlen(block->text));
        fputs("</code></pre>\n", file);
        break;
    case STUDY_TABLE:
        write_table(file, block);
        break;
    case STUDY_FIGURE:
        return write_figure(file, block, folder);
    case STUDY_FOLD_BEGIN:
        fputs("<details>", file);
        write_element(file, "summary", block->text);
        break;
    case STUDY_FOLD_END:
        fputs("</details>\n", file);
        break;
    }
    return true;
}

bool study_document_write_html(const struct study_document *document, const char *title,
                               const char *folder, FILE *file)
{
    bool in_list = false;

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          file);
    write_escaped(file, title, strlen(title));
    fprintf(file, "</title>\n<style>\n%s</style></head><body>\n", style);
    for (size_t i = 0; i < document->block_count; i++) {
        const struct study_block *block = &document->blocks[i];
        const bool is_item = block->kind == STUDY_ITEM;
        if (is_item != in_list) {
            fputs(is_item ? "<ul>\n" : "</ul>\n", file);
            in_list = is_item;
        }
        if (!write_block(file, block, folder)) {
            return false;
        }
    }
    fputs(in_list ? "</ul>\n</body></html>\n" : "</body></html>\n", file);
    return true;
}
