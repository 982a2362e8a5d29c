/* What a stream can show: its width, colours, a line that is redrawn. Environment: COLUMNS,
 * NO_COLOR, TERM. */
#ifndef SIM_TERMINAL_H
#define SIM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SIM_TERMINAL_WIDTH_MIN 40

/* Columns: COLUMNS if set, else the terminal's, else 80; at least SIM_TERMINAL_WIDTH_MIN. */
size_t sim_terminal_width(FILE *file);

/* A terminal on which the cursor can be moved: no file, no pipe, not TERM=dumb. */
bool sim_terminal_is_live(FILE *file);

/* A live one whose user has not asked for NO_COLOR. */
bool sim_terminal_has_colour(FILE *file);

#endif
