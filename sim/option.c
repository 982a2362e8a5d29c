#include "option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sim_option_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    errno = 0;
    *number = strtoull(text, NULL, 10);
    return errno == 0 && *text != '\0' && text[strspn(text, "0123456789")] == '\0' &&
           *number >= least && *number <= most;
}

bool sim_option_real(const char *text, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return *text != '\0' && *end == '\0' && text[strspn(text, "0123456789.")] == '\0' &&
           *number <= 1e15;
}

bool sim_option_kernel(const char *text, enum sim_kernel_kind *kernel)
{
    for (int i = SIM_KERNEL_SIMGRID; i <= SIM_KERNEL_HEAP; i++) {
        if (strcmp(text, sim_kernel_name((enum sim_kernel_kind)i)) == 0) {
            *kernel = (enum sim_kernel_kind)i;
            return true;
        }
    }
    return false;
}

bool sim_option_plots(const char *text, enum sim_plot_kind *kind)
{
    for (int i = SIM_PLOT_NONE; i <= SIM_PLOT_PNG; i++) {
        if (strcmp(text, sim_picture_kind_name((enum sim_plot_kind)i)) == 0) {
            *kind = (enum sim_plot_kind)i;
            return true;
        }
    }
    return false;
}

void sim_option_join(char *text, size_t size, const char *const *sets, size_t set_count,
                     const char *empty)
{
    size_t length = 0;

    snprintf(text, size, "%s", set_count == 0 ? empty : "");
    for (size_t i = 0; i < set_count && length + 1 < size; i++) {
        const int added =
            snprintf(text + length, size - length, "%s%s", i == 0 ? "" : ", ", sets[i]);
        length += added < 0 ? 0 : (size_t)added;
    }
}
