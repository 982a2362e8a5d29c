/* Replaces core/assert.c at link time: a failed assertion fails the test, or satisfies
 * expect_assert_failure(). The rest of the core is the archive that ships. */
#include "weir/assert.h"

#include "unit.h"

#include <stdlib.h>

_Noreturn void weir_assert_failed(const char *condition, const char *file, int line)
{
    mock_assert(0, condition, file, line);
    abort(); /* not reached: mock_assert jumps */
}
