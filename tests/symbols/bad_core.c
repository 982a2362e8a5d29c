/* Not part of the core: breaks both of its rules, to prove that check_archive.sh sees it. */
#include <stdlib.h>

double *bad_core_halve(double value);

double *bad_core_halve(double value)
{
    double *half = malloc(sizeof *half);

    if (half) {
        *half = value / 2.5;
    }
    return half;
}
