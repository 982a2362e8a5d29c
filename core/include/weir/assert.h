/* Assertions that ship: on in every build. A program may define weir_assert_failed itself; the
 * linker then leaves the archive's own out, so tests can provoke failures on the very object files
 * that ship. */
#ifndef WEIR_ASSERT_H
#define WEIR_ASSERT_H

_Noreturn void weir_assert_failed(const char *condition, const char *file, int line);

#define WEIR_ASSERT(condition)                                                                     \
    ((condition) ? (void)0 : weir_assert_failed(#condition, __FILE__, __LINE__))

#endif
