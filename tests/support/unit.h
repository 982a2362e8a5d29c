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

/* Under the address sanitizer every actor of SimGrid is a thread, and a run on it takes twenty
 * times as long: then tests make some of those runs, not all. */
enum {
#if defined(__SANITIZE_ADDRESS__)
    UNIT_IS_SANITIZED = 1,
#else
    UNIT_IS_SANITIZED = 0,
#endif
};

#endif
