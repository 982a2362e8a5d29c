#include "weir/assert.h"

#include <stdlib.h>

/* The core does no I/O: a debugger or core dump shows the condition in this frame's arguments. */
_Noreturn void weir_assert_failed(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    abort();
}
