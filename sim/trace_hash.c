#include "trace_hash.h"

#include <stdlib.h>

#include "memory.h"

#define NS_PER_S UINT64_C(1000000000)

/* splitmix64's finaliser (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

void sim_trace_hash_init(struct sim_trace_hash *trace, uint64_t duration_ns)
{
    trace->second_count = (size_t)(duration_ns / NS_PER_S) + 1;
    trace->seconds = sim_memory_new(trace->second_count, sizeof(uint64_t));
}

void sim_trace_hash_deinit(struct sim_trace_hash *trace)
{
    free(trace->seconds);
    *trace = (struct sim_trace_hash){0};
}

void sim_trace_hash_add(struct sim_trace_hash *trace, uint64_t time_ns, uint32_t actor,
                        uint64_t what, uint64_t amount)
{
    const uint64_t second = time_ns / NS_PER_S;
    const size_t place = second < trace->second_count ? (size_t)second : trace->second_count - 1;

    trace->seconds[place] +=
        mix(time_ns ^ mix(actor + UINT64_C(0x9e3779b97f4a7c15) * (what + 1)) ^ (amount << 32));
}

uint64_t sim_trace_hash_value(const struct sim_trace_hash *trace, size_t second)
{
    uint64_t value = 0;

    for (size_t i = 0; i <= second && i < trace->second_count; i++) {
        value = mix(value ^ trace->seconds[i]) + UINT64_C(0x9e3779b97f4a7c15);
    }
    return value;
}
