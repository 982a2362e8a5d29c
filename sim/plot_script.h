/* Texts and numbers in gnuplot's notation. */
#ifndef SIM_PLOT_SCRIPT_H
#define SIM_PLOT_SCRIPT_H

#include <stdio.h>

/* variable = 'text': whatever the text holds, it stays one. */
void sim_plot_script_text(FILE *script, const char *variable, const char *text);
void sim_plot_script_number(FILE *script, const char *variable, double value);

/* The same for a title: broken into at most two lines of a picture's width. */
void sim_plot_script_title(FILE *script, const char *variable, const char *text);

/* A text in a row of a data block, the separator being a tab. */
void sim_plot_script_cell(FILE *script, const char *text);

#endif
