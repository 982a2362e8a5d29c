#ifndef SIM_SHELL_WORD_H
#define SIM_SHELL_WORD_H

#include <stdio.h>

/* A space, and the word as a shell reads it back: quoted if it has to be. */
void sim_shell_word_print(FILE *file, const char *word);

#endif
