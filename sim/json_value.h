/* JSON values of the kinds that results are made of. Ownership: the caller's. */
#ifndef SIM_JSON_VALUE_H
#define SIM_JSON_VALUE_H

#include <stdint.h>

#include <jansson.h>

static inline json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* UINT64_MAX, which stands for never, is null. */
static inline json_t *seconds(uint64_t time_ns)
{
    return time_ns == UINT64_MAX ? json_null() : json_real((double)time_ns / 1e9);
}

#endif
