#include "readable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

struct sim_readable sim_readable_count(uint64_t value)
{
    struct sim_readable readable;
    char plain[24];
    size_t out = 0;
    const size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRIu64, value);

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            readable.text[out++] = ',';
        }
        readable.text[out++] = plain[i];
    }
    readable.text[out] = '\0';
    return readable;
}

struct sim_readable sim_readable_units(uint64_t value)
{
    struct sim_readable readable = sim_readable_count(value);

    strcat(readable.text, value == 1 ? " unit" : " units");
    return readable;
}

/* Three significant digits; what would round to 1000 is left to the next unit by the caller. */
struct sim_readable sim_readable_time(uint64_t time_ns)
{
    struct sim_readable readable;

    if (time_ns < 999500) {
        snprintf(readable.text, sizeof readable.text, "%.3g us", (double)time_ns / 1e3);
    } else if (time_ns < 999500000) {
        snprintf(readable.text, sizeof readable.text, "%.3g ms", (double)time_ns / 1e6);
    } else if (time_ns < UINT64_C(999500000000)) {
        snprintf(readable.text, sizeof readable.text, "%.3g s", (double)time_ns / 1e9);
    } else {
        readable = sim_readable_count((time_ns + NS_PER_S / 2) / NS_PER_S);
        strcat(readable.text, " s");
    }
    return readable;
}

struct sim_readable sim_readable_percent(double percent)
{
    struct sim_readable readable;

    if (percent >= 999.5) {
        readable = sim_readable_count(percent < 1e18 ? (uint64_t)(percent + 0.5) : UINT64_MAX);
        strcat(readable.text, " %");
    } else if (percent > 0 && percent < 0.001) {
        snprintf(readable.text, sizeof readable.text, "0.001 %%"); /* never less than it is */
    } else {
        /* 2 significant digits below 1, 3 above */
        snprintf(readable.text, sizeof readable.text, percent < 1 ? "%.2g %%" : "%.3g %%", percent);
    }
    return readable;
}

struct sim_readable sim_readable_duration(uint64_t time_ns)
{
    struct sim_readable readable;

    if (time_ns % NS_PER_S == 0) {
        readable = sim_readable_count(time_ns / NS_PER_S);
        strcat(readable.text, " s");
    } else {
        snprintf(readable.text, sizeof readable.text, "%.10g s", (double)time_ns / 1e9);
    }
    return readable;
}

static int continues_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t sim_readable_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++) {
        width += !continues_character(*text);
    }
    return width;
}

void sim_readable_cut(char *cut, size_t size, const char *text, size_t width)
{
    const size_t whole = sim_readable_width(text);
    const size_t kept = whole <= width ? whole : width > 2 ? width - 2 : 0;
    size_t seen = 0;
    size_t out = 0;

    for (; *text != '\0' && out + 3 < size; text++) {
        seen += !continues_character(*text);
        if (seen > kept) {
            break;
        }
        cut[out++] = (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text;
    }
    for (size_t i = kept; whole > width && i < width; i++) {
        cut[out++] = '.';
    }
    cut[out] = '\0';
}
