/* The first decision that two runs make differently, in order of the requests' arrival.
 *
 * Both are run twice, side by side, in processes of their own. The first time each keeps a hash of
 * what it decided for each second, which tells the first second that differs; the second time all
 * decisions of that second. Only verdicts count: neither when a request was decided, nor by which
 * process. */
#ifndef STUDY_DIVERGENCE_H
#define STUDY_DIVERGENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "given.h"
#include "kernel.h"
#include "pool.h"
#include "scenario.h"
#include "weir/decision.h"

struct study_decision {
    uint64_t arrived_ns;
    uint32_t key; /* over all populations */
    uint32_t cost_units;
    uint32_t process;
    bool is_there; /* false: this side never decided it */
    enum weir_verdict verdict;
    enum weir_reason reason;
    enum weir_mode mode;
    uint64_t decided_ns;
    uint64_t retry_after_ns;
};

struct study_divergence {
    /* what is compared; the scenarios differ in what they like, but have the same keys */
    const struct sim_scenario *scenarios[2]; /* borrowed */
    enum sim_kernel_kind kernel;
    bool quiet;

    /* filled in */
    struct study_given given[2];
    bool found; /* false: all was decided alike, or the sides were given different requests */
    struct study_decision decisions[2]; /* of one request */
    uint64_t second_request_count;      /* of the second in which it came: requests, ... */
    uint64_t second_differing_count;    /* ... those decided differently */
    uint32_t differing_second_count;    /* seconds in which some were */
    uint32_t second_count;
    int signal_number;
    char error[512];
};

enum study_end study_divergence_find(struct study_divergence *divergence);

/* "pro/2". */
struct study_key_name {
    char text[SIM_NAME_SIZE + 12];
};
struct study_key_name study_divergence_key(const struct sim_scenario *scenario, uint32_t key);

#endif
