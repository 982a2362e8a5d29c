#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80
#define WIDTH_MAX 1000

size_t sim_terminal_width(FILE *file)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    unsigned long width = columns == NULL ? 0 : strtoul(columns, NULL, 10);

    if (width == 0 && ioctl(fileno(file), TIOCGWINSZ, &size) == 0) {
        width = size.ws_col;
    }
    if (width == 0 || width > WIDTH_MAX) {
        return WIDTH_DEFAULT;
    }
    return width < SIM_TERMINAL_WIDTH_MIN ? SIM_TERMINAL_WIDTH_MIN : width;
}

bool sim_terminal_is_live(FILE *file)
{
    const char *kind = getenv("TERM");

    return isatty(fileno(file)) && kind != NULL && strcmp(kind, "dumb") != 0;
}

bool sim_terminal_has_colour(FILE *file)
{
    const char *no_colour = getenv("NO_COLOR");

    return sim_terminal_is_live(file) && (no_colour == NULL || *no_colour == '\0');
}
