#include "plot_script.h"

#include <string.h>

#include "readable.h"

#define TITLE_WIDTH 54

static void print_quoted(FILE *script, const char *text, size_t length)
{
    fputc('\'', script);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') {
            fputc('\'', script); /* a quote is written twice */
        }
        fputc((unsigned char)text[i] < ' ' || text[i] == 127 ? ' ' : text[i], script);
    }
    fputc('\'', script);
}

void sim_plot_script_text(FILE *script, const char *variable, const char *text)
{
    fprintf(script, "%s = ", variable);
    print_quoted(script, text, strlen(text));
    fputc('\n', script);
}

void sim_plot_script_number(FILE *script, const char *variable, double value)
{
    fprintf(script, "%s = %.9e\n", variable, value); /* an integer would divide as one */
}

/* Where two lines are as even as they can be, and no number is without its unit; 0: nowhere. */
static size_t middle_break(const char *text)
{
    const size_t whole = sim_readable_width(text);
    size_t best = 0;
    size_t best_width = whole;

    for (size_t i = 1, width = 1; text[i] != '\0'; i++) {
        const size_t longer = width > whole - width ? width : whole - width;
        if (text[i] == ' ' && (text[i - 1] < '0' || text[i - 1] > '9') && longer < best_width) {
            best = i;
            best_width = longer;
        }
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return best;
}

void sim_plot_script_title(FILE *script, const char *variable, const char *text)
{
    char cut[300];
    size_t first = 0;

    sim_readable_cut(cut, sizeof cut, text, 2 * TITLE_WIDTH);
    const size_t length = strlen(cut);
    if (sim_readable_width(cut) > TITLE_WIDTH) {
        first = middle_break(cut);
    }
    fprintf(script, "%s = ", variable);
    if (first > 0) {
        print_quoted(script, cut, first);
        fprintf(script, ".\"\\n\".");
        first++; /* the space */
    }
    print_quoted(script, cut + first, length - first);
    fputc('\n', script);
}

void sim_plot_script_cell(FILE *script, const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 127) {
            fputc(' ', script);
        } else {
            fputc(*text == '"' ? '\'' : *text, script);
        }
    }
}

void sim_plot_script_frame(FILE *script, const struct sim_plot_frame *frame)
{
    sim_plot_script_text(script, "figure", frame->figure);
    sim_plot_script_text(script, "kind", frame->kind);
    sim_plot_script_title(script, "finding", frame->finding);
    sim_plot_script_text(script, "subtitle", frame->subtitle);
    sim_plot_script_text(script, "policy", "lease_tapered");
    sim_plot_script_text(script, "nothing", "");
    sim_plot_script_text(script, "time_unit", "s");
}

void sim_plot_script_load(FILE *script, const char *name)
{
    sim_plot_script_text(script, "plots", WEIR_PLOTS_DIR);
    fprintf(script, "load plots.'/style.gp'\n");
    if (name != NULL) {
        fprintf(script, "load plots.'/%s.gp'\n", name);
    }
}
