/* What the files that read the section "faults" know of its kinds: sets of kinds as masks, a bit
 * each. Private to them. */
#ifndef SIM_SCENARIO_FAULT_H
#define SIM_SCENARIO_FAULT_H

#include "scenario_read.h"

#define KIND(kind) (UINT64_C(1) << (FAULT_##kind))

/* Kinds that concern the traffic alone: whoever decides requests survives them. */
#define KINDS_OF_TRAFFIC (KIND(DRAIN) | KIND(FLIP) | KIND(RETRY) | KIND(HOT_KEY) | KIND(CHURN))

#define KINDS_OF_STORE                                                                             \
    (KIND(STORE_OUTAGE) | KIND(STORE_SLOW) | KIND(STORE_ERROR) | KIND(STORE_CONNECTIONS) |         \
     KIND(STORE_FAILOVER) | KIND(STORE_EMPTY) | KIND(STORE_EVICT) | KIND(STORE_SPLIT) |            \
     KIND(STORE_CLOCK))

#define KINDS_OF_MESSAGES                                                                          \
    (KIND(REQUEST_LOST) | KIND(REPLY_LOST) | KIND(DUPLICATE) | KIND(LOSS) | KIND(DELAY) |          \
     KIND(PARTITION))

#define KINDS_OF_CLOCKS                                                                            \
    (KIND(CLOCK_OFFSET) | KIND(CLOCK_DRIFT) | KIND(CLOCK_SQUARE) | KIND(CLOCK_FROZEN) |            \
     KIND(CLOCK_SMEAR))

#define KINDS_OF_PROCESSES                                                                         \
    (KIND(CRASH) | KIND(DEPLOY) | KIND(PAUSE) | KIND(FORK) | KIND(SCALE) | KIND(PROCESS_COUNT))

#define KINDS_OF_PUSHES (KIND(PUSH_LOST) | KIND(PUSH_DELAYED))
#define KINDS_OF_REPORTS (KIND(REPORT_LOST) | KIND(REPORT_DUPLICATE) | KIND(REPORT_DELAYED))

static inline uint64_t sim_kind_of(const struct fault *fault)
{
    return UINT64_C(1) << fault->kind;
}

/* The processes and shards that a fault concerns; requires its kind. The sets are owned by the
 * fault at once. */
bool sim_scenario_read_targets(const struct sim_node *node, const struct sim_scenario *scenario,
                               struct fault *fault);

/* From when to when; requires its kind. What ends by its parameters still ends at from_ns + 1. */
bool sim_scenario_read_fault_span(const struct sim_node *node, const struct sim_scenario *scenario,
                                  struct fault *fault);

/* The parameters of its kind. Requires targets and span, and all sections but expect. */
bool sim_scenario_read_parameters(const struct sim_node *node, const struct sim_scenario *scenario,
                                  struct fault *fault);

/* No process is started, stopped or paused by two faults at a time. */
bool sim_scenario_check_lives(const struct sim_node *faults, const struct sim_scenario *scenario);

#endif
