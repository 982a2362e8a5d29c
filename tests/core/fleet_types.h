/* What a fleet is made of; see fleet.h. */
#ifndef WEIR_FLEET_TYPES_H
#define WEIR_FLEET_TYPES_H

#include "core_support.h"
#include "exact.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "weir/limiter.h"
#include "weir/take.h"

#define US_NS UINT64_C(1000)
#define MS_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)
#define MINUTE_NS (60 * SECOND_NS)

#define FLEET_PROCESSES 8
#define FLEET_KEYS 64
#define FLEET_EXCHANGES 512
#define FLEET_REPORTS 16384
#define FLEET_TICKETS 4096
#define FLEET_ASKS 65536 /* of one process, where asks get lost */

struct fleet_process {
    struct weir_limiter *limiter;
    void *memory; /* owned */
    uint64_t start_ns;
    int64_t drift_ppm;
    uint64_t paused_until_ns; /* till then it sees nothing */
    uint32_t costs[FLEET_TICKETS];
    uint32_t keys[FLEET_TICKETS];
    uint32_t waiting;
};

struct fleet_exchange {
    struct weir_ask ask;
    struct weir_answer answer;
    uint64_t due_ns;
    uint32_t process;
    uint32_t key;
    bool served;
    uint64_t sent_ns;
};

/* What became of one ask. */
struct fleet_asked {
    uint64_t units; /* granted and promised */
    bool was_sent;
    bool was_heard;
};

struct fleet_key {
    struct weir_key key;
    uint32_t plan;
    struct weir_store_key store; /* owns its log */
    struct weir_ask_record records[FLEET_PROCESSES];
    struct exact exact;
    uint64_t spent_units;
    uint64_t over_units; /* beyond what the plan's contract allows */
};

struct fleet {
    struct dice dice;
    uint64_t now_ns;
    struct weir_plan plans[4];
    uint32_t plan_count;
    struct fleet_key keys[FLEET_KEYS];
    uint32_t key_count;
    struct fleet_process processes[FLEET_PROCESSES];
    uint32_t process_count;
    struct fleet_exchange exchanges[FLEET_EXCHANGES];
    uint32_t exchange_count;
    uint64_t delay_min_ns; /* one way */
    uint64_t delay_max_ns;
    uint64_t start_spread_ns; /* of the processes' clocks */
    uint64_t wait_max_ns;
    uint64_t ask_timeout_ns;
    enum weir_full_table full_table;

    struct weir_settled last_settled;
    uint32_t settled_count;
    struct weir_report reports[FLEET_REPORTS]; /* the newest per life and window */
    uint32_t report_count;
    uint64_t ask_count;
    uint64_t expire_count;
    uint64_t granted_units, promised_units;
    uint64_t unlimited_units; /* spent without a grant */
    uint64_t spent_units, returned_units, unused_units, cancelled_units;
    /* asks, and answers, of a million that get lost; and answers that come twice */
    uint32_t loss_ppm;
    uint32_t copy_ppm;
    struct fleet_asked *asked[FLEET_PROCESSES]; /* by sequence, if any get lost; owned */
    uint64_t lost_units; /* granted or promised, in answers that came after they were expected */
    uint64_t denied_count;
};

#endif
