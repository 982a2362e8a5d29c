/* Numbers and names as people read them: grouped digits, times in a unit that fits, names cut to a
 * width. Pure: same value, same text. */
#ifndef SIM_READABLE_H
#define SIM_READABLE_H

#include <stddef.h>
#include <stdint.h>

/* Returned by value, so that one call of printf can show several: its text lives until the end of
 * the full expression. */
struct sim_readable {
    char text[48];
};

struct sim_readable sim_readable_count(uint64_t value);      /* 1,234,567 */
struct sim_readable sim_readable_units(uint64_t value);      /* 1 unit; 1,234 units */
struct sim_readable sim_readable_time(uint64_t time_ns);     /* 0 us; 590 us; 1.19 ms; 12.3 s */
struct sim_readable sim_readable_percent(double percent);    /* 0 %; 0.18 %; 30.9 %; 1,234 % */
struct sim_readable sim_readable_duration(uint64_t time_ns); /* 61 s; 0.5 s; 3,500 s */

/* Characters, not bytes, of a UTF-8 text: the columns it takes. */
size_t sim_readable_width(const char *text);

/* Copy at most `width` characters of it, the last two of them ".." if something is left out;
 * control characters become spaces. */
void sim_readable_cut(char *cut, size_t size, const char *text, size_t width);

#endif
