/* cmocka, which does not compile unless these four headers come before it. */
#ifndef WEIR_UNIT_H
#define WEIR_UNIT_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif
