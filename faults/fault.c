#include "fault.h"

#define PPM UINT64_C(1000000)

const char *const fault_kind_names[FAULT_KIND_COUNT] = {
    [FAULT_STORE_OUTAGE] = "store_outage",
    [FAULT_STORE_SLOW] = "store_slow",
    [FAULT_STORE_ERROR] = "store_error",
    [FAULT_STORE_CONNECTIONS] = "store_connections",
    [FAULT_STORE_FAILOVER] = "store_failover",
    [FAULT_STORE_EMPTY] = "store_empty",
    [FAULT_STORE_EVICT] = "store_evict",
    [FAULT_STORE_SPLIT] = "store_split",
    [FAULT_STORE_CLOCK] = "store_clock",
    [FAULT_REQUEST_LOST] = "request_lost",
    [FAULT_REPLY_LOST] = "reply_lost",
    [FAULT_DUPLICATE] = "duplicate",
    [FAULT_LOSS] = "loss",
    [FAULT_DELAY] = "delay",
    [FAULT_PARTITION] = "partition",
    [FAULT_SLOW_LINK] = "slow_link",
    [FAULT_REGION_CUT] = "region_cut",
    [FAULT_CRASH] = "crash",
    [FAULT_DEPLOY] = "deploy",
    [FAULT_PAUSE] = "pause",
    [FAULT_FORK] = "fork",
    [FAULT_SCALE] = "scale",
    [FAULT_PROCESS_COUNT] = "process_count",
    [FAULT_CLOCK_OFFSET] = "clock_offset",
    [FAULT_CLOCK_DRIFT] = "clock_drift",
    [FAULT_CLOCK_SQUARE] = "clock_square",
    [FAULT_CLOCK_FROZEN] = "clock_frozen",
    [FAULT_CLOCK_SMEAR] = "clock_smear",
    [FAULT_DRAIN] = "drain",
    [FAULT_FLIP] = "flip",
    [FAULT_RETRY] = "retry_storm",
    [FAULT_HOT_KEY] = "hot_key",
    [FAULT_CHURN] = "key_churn",
    [FAULT_PUSH_LOST] = "push_lost",
    [FAULT_PUSH_DELAYED] = "push_delayed",
    [FAULT_REPORT_LOST] = "report_lost",
    [FAULT_REPORT_DUPLICATE] = "report_duplicate",
    [FAULT_REPORT_DELAYED] = "report_delayed",
};

const char *const fault_error_names[] = {
    [FAULT_ERROR_NONE] = "none",
    [FAULT_ERROR_OOM] = "OOM",
    [FAULT_ERROR_READONLY] = "READONLY",
    [FAULT_ERROR_LOADING] = "LOADING",
    [FAULT_ERROR_BUSY] = "BUSY",
    [FAULT_ERROR_NOSCRIPT] = "NOSCRIPT",
    [FAULT_ERROR_CONNECTIONS] = "CONNECTIONS",
};

void fault_struck(const struct fault_list *list, size_t fault)
{
    if (list->fired_count != NULL) {
        list->fired_count[fault]++;
    }
}

bool fault_set_holds(const struct fault_set *set, uint32_t number)
{
    return number < set->count && (set->member == NULL || set->member[number] != 0);
}

/* Where in its period a fault that comes and goes is on: from its start, for a part of it. */
static uint64_t on_ns(const struct fault *fault)
{
    return fault->period_ns / PPM * fault->on_ppm + fault->period_ns % PPM * fault->on_ppm / PPM;
}

static bool comes_and_goes(const struct fault *fault)
{
    return fault->period_ns != 0 && fault->on_ppm != 0 && fault->on_ppm != PPM;
}

/* In force all the time, it does what it does once in each period. */
static bool recurs(const struct fault *fault)
{
    return fault->kind == FAULT_STORE_EVICT && fault->period_ns != 0;
}

bool fault_is_active(const struct fault *fault, uint64_t time_ns)
{
    if (time_ns < fault->from_ns || time_ns >= fault->until_ns) {
        return false;
    }
    return !comes_and_goes(fault) || (time_ns - fault->from_ns) % fault->period_ns < on_ns(fault);
}

static uint64_t next_change_ns(const struct fault *fault, uint64_t time_ns)
{
    if (time_ns < fault->from_ns) {
        return fault->from_ns;
    }
    if (time_ns >= fault->until_ns) {
        return UINT64_MAX;
    }
    if (comes_and_goes(fault) || recurs(fault)) {
        const uint64_t into_ns = (time_ns - fault->from_ns) % fault->period_ns;
        const uint64_t left_ns =
            (comes_and_goes(fault) && into_ns < on_ns(fault) ? on_ns(fault) : fault->period_ns) -
            into_ns;
        if (left_ns < fault->until_ns - time_ns) {
            return time_ns + left_ns;
        }
    }
    return fault->until_ns;
}

uint64_t fault_next_change_ns(const struct fault_list *list, uint64_t time_ns)
{
    uint64_t next_ns = UINT64_MAX;

    for (size_t i = 0; i < list->count; i++) {
        const uint64_t change_ns = next_change_ns(&list->faults[i], time_ns);
        next_ns = change_ns < next_ns ? change_ns : next_ns;
    }
    return next_ns;
}

uint64_t fault_last_end_ns(const struct fault_list *list, uint64_t duration_ns)
{
    uint64_t last_ns = 0;

    for (size_t i = 0; i < list->count; i++) {
        const uint64_t until_ns = list->faults[i].until_ns;
        if (until_ns < duration_ns && until_ns > last_ns) {
            last_ns = until_ns;
        }
    }
    return last_ns;
}

/* splitmix64's output function (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* The bias of the remainder is below bound / 2^64: nothing that a run could show. */
uint64_t fault_lot(const struct fault *fault, uint64_t number, uint64_t bound)
{
    return mix(fault->seed ^ mix(number)) % bound;
}

bool fault_lot_hits(const struct fault *fault, uint64_t number)
{
    return fault_lot(fault, number, PPM) < fault->probability_ppm;
}

uint64_t fault_lot_spread_ns(const struct fault *fault, uint64_t number)
{
    return fault->spread_ns == 0 ? 0 : fault_lot(fault, number, fault->spread_ns + 1);
}
