/* Lists of faults, made by hand. */
#ifndef WEIR_FAULTS_SUPPORT_H
#define WEIR_FAULTS_SUPPORT_H

#include "unit.h"

#include "fault.h"

#define SECOND_NS UINT64_C(1000000000)
#define FAULTS_MAX 8

struct fault_case {
    struct fault faults[FAULTS_MAX];
    uint64_t fired[FAULTS_MAX];
    uint8_t members[FAULTS_MAX][64];
    struct fault_list list;
};

/* Add a fault of [from_s, until_s) with an own seed; the caller fills in the rest. */
static inline struct fault *fault_case_add(struct fault_case *faults, enum fault_kind kind,
                                           uint64_t from_s, uint64_t until_s)
{
    struct fault *fault = &faults->faults[faults->list.count];

    assert_true(faults->list.count < FAULTS_MAX);
    *fault = (struct fault){.kind = kind,
                            .from_ns = from_s * SECOND_NS,
                            .until_ns = until_s == UINT64_MAX ? until_s : until_s * SECOND_NS,
                            .processes = {.count = 64},
                            .shards = {.count = 64},
                            .seed = 77 + faults->list.count,
                            .probability_ppm = 1000000};
    faults->list.faults = faults->faults;
    faults->list.fired_count = faults->fired;
    faults->list.count++;
    return fault;
}

/* The fault added last concerns this process too, and no others but those named so. */
static inline void fault_case_target(struct fault_case *faults, uint32_t process)
{
    const size_t last = faults->list.count - 1;

    faults->members[last][process] = 1;
    faults->faults[last].processes.member = faults->members[last];
}

#endif
