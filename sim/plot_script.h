/* Texts and numbers in gnuplot's notation. */
#ifndef SIM_PLOT_SCRIPT_H
#define SIM_PLOT_SCRIPT_H

#include <stdio.h>

/* variable = 'text': whatever the text holds, it stays one. */
void sim_plot_script_text(FILE *script, const char *variable, const char *text);
void sim_plot_script_number(FILE *script, const char *variable, double value);

/* The same for a title: broken into at most two lines of a picture's width. */
void sim_plot_script_title(FILE *script, const char *variable, const char *text);

/* What every picture says first: its name and kind, the title and the line below it. */
struct sim_plot_frame {
    const char *figure;
    const char *kind;
    const char *finding;
    const char *subtitle;
};

/* The frame of a picture that is not of a run's course; there is something to show. */
void sim_plot_script_frame(FILE *script, const struct sim_plot_frame *frame);

/* Load the style, and then, unless it is NULL, the script plots/NAME.gp. */
void sim_plot_script_load(FILE *script, const char *name);

/* A text in a row of a data block, the separator being a tab. */
void sim_plot_script_cell(FILE *script, const char *text);

#endif
