#include "oracle.h"

#include <assert.h>

/* 64 x 64 bits: cannot overflow. */
__extension__ static unsigned __int128 product(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 wide = a;

    return wide * b;
}

static uint64_t positive_difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* floor((now + phase) / window), without the sum, which could overflow. */
static uint64_t index_of_window(const struct sim_oracle_rule *rule, uint64_t now_ns)
{
    const uint64_t begun = now_ns % rule->window_ns >= rule->window_ns - rule->phase_ns;

    return now_ns / rule->window_ns + begun;
}

/* 0 of the window that began before time 0; windows that begin after the end of time: there are
 * none. */
static uint64_t start_of_window_ns(const struct sim_oracle_rule *rule, uint64_t index)
{
    if (index == 0) {
        return 0;
    }
    __extension__ unsigned __int128 start_ns = product(index, rule->window_ns) - rule->phase_ns;

    return start_ns < UINT64_MAX ? (uint64_t)start_ns : UINT64_MAX;
}

/* W - e: time to the end of the window that holds now_ns. */
static uint64_t left_of_window_ns(const struct sim_oracle_rule *rule, uint64_t now_ns)
{
    const uint64_t rest_ns = now_ns % rule->window_ns;
    const uint64_t boundary_ns = rule->window_ns - rule->phase_ns;

    return rest_ns < boundary_ns ? boundary_ns - rest_ns : boundary_ns + rule->window_ns - rest_ns;
}

/* previous x (W - e) / W, rounded up. */
static uint64_t previous_share_units(const struct sim_oracle *oracle)
{
    __extension__ unsigned __int128 share =
        product(oracle->previous_units, left_of_window_ns(&oracle->rule, oracle->updated_ns));

    return (uint64_t)((share + oracle->rule.window_ns - 1) / oracle->rule.window_ns);
}

/* Put used_units into a new rule's accounts. */
static void begin(struct sim_oracle *oracle, const struct sim_oracle_rule *rule, uint64_t now_ns,
                  uint64_t used_units)
{
    assert(rule->kind != SIM_ORACLE_BUCKET || rule->period_ns > 0);

    oracle->rule = *rule;
    oracle->updated_ns = now_ns;
    oracle->used_units = used_units;
    oracle->previous_units = 0;
    sim_recent_clear(&oracle->recent);
    switch (rule->kind) {
    case SIM_ORACLE_BUCKET:
        oracle->level =
            product(positive_difference(rule->capacity_units, used_units), rule->period_ns);
        break;
    case SIM_ORACLE_LOG:
        assert(rule->window_ns > 0);
        sim_recent_add(&oracle->recent, now_ns, used_units);
        break;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        assert(rule->phase_ns < rule->window_ns);
        oracle->window_index = index_of_window(rule, now_ns);
        break;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
}

void sim_oracle_init(struct sim_oracle *oracle, const struct sim_oracle_rule *rule,
                     uint64_t used_units)
{
    assert(rule->kind != SIM_ORACLE_BUCKET || used_units <= rule->capacity_units);
    assert((rule->kind != SIM_ORACLE_WINDOW && rule->kind != SIM_ORACLE_SLIDING &&
            rule->kind != SIM_ORACLE_LOG) ||
           used_units <= rule->limit_units);

    *oracle = (struct sim_oracle){.full_ns = 0, .kind = rule->kind};
    begin(oracle, rule, 0, used_units);
    if (used_units != 0 && rule->kind != SIM_ORACLE_WINDOW) {
        oracle->full_ns = UINT64_MAX;
    }
}

void sim_oracle_deinit(struct sim_oracle *oracle)
{
    sim_recent_deinit(&oracle->recent);
}

static void bucket_advance(struct sim_oracle *oracle, uint64_t now_ns)
{
    __extension__ unsigned __int128 gain =
        product(now_ns - oracle->updated_ns, oracle->rule.rate_units);
    __extension__ unsigned __int128 capacity =
        product(oracle->rule.capacity_units, oracle->rule.period_ns);

    assert(oracle->level <= capacity);
    if (gain >= capacity - oracle->level) {
        oracle->level = capacity;
        oracle->full_ns = now_ns;
    } else {
        oracle->level += gain;
    }
}

static void windows_advance(struct sim_oracle *oracle, uint64_t now_ns)
{
    const uint64_t index = index_of_window(&oracle->rule, now_ns);

    if (index != oracle->window_index) {
        oracle->previous_units =
            oracle->rule.kind == SIM_ORACLE_SLIDING && index == oracle->window_index + 1
                ? oracle->used_units
                : 0;
        oracle->used_units = 0;
        oracle->window_index = index;
        if (oracle->rule.kind == SIM_ORACLE_WINDOW) {
            oracle->full_ns = start_of_window_ns(&oracle->rule, index);
        }
    }
    if (oracle->rule.kind == SIM_ORACLE_SLIDING && oracle->used_units == 0 &&
        oracle->previous_units == 0) {
        oracle->full_ns = now_ns;
    }
}

static void log_advance(struct sim_oracle *oracle, uint64_t now_ns)
{
    while (oracle->recent.count != 0 &&
           now_ns - sim_recent_at(&oracle->recent, 0)->time_ns >= oracle->rule.window_ns) {
        sim_recent_drop_oldest(&oracle->recent);
    }
    if (oracle->recent.count == 0) {
        oracle->full_ns = now_ns;
    }
}

static bool is_counting(enum sim_oracle_kind kind)
{
    return kind != SIM_ORACLE_UNLIMITED && kind != SIM_ORACLE_DELETED;
}

static void advance(struct sim_oracle *oracle, uint64_t now_ns)
{
    assert(now_ns >= oracle->updated_ns);

    switch (oracle->rule.kind) {
    case SIM_ORACLE_BUCKET:
        bucket_advance(oracle, now_ns);
        break;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        windows_advance(oracle, now_ns);
        break;
    case SIM_ORACLE_LOG:
        log_advance(oracle, now_ns);
        break;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
    if (!is_counting(oracle->kind)) {
        oracle->full_ns = now_ns;
    }
    oracle->updated_ns = now_ns;
}

static uint64_t used_units(const struct sim_oracle *oracle)
{
    const struct sim_oracle_rule *rule = &oracle->rule;

    switch (rule->kind) {
    case SIM_ORACLE_BUCKET: /* whole tokens rounded down are used units rounded up */
        return rule->capacity_units - (uint64_t)(oracle->level / rule->period_ns);
    case SIM_ORACLE_SLIDING:
        return previous_share_units(oracle) + oracle->used_units;
    case SIM_ORACLE_LOG:
        return oracle->recent.units;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
    return oracle->used_units;
}

bool sim_oracle_counts_alike(const struct sim_oracle_rule *old, const struct sim_oracle_rule *new)
{
    if (old->kind != new->kind) {
        return false;
    }
    switch (old->kind) {
    case SIM_ORACLE_BUCKET:
        return old->period_ns == new->period_ns;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        return old->window_ns == new->window_ns && old->phase_ns == new->phase_ns;
    case SIM_ORACLE_LOG:
        return old->window_ns == new->window_ns;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
    return true;
}

void sim_oracle_change(struct sim_oracle *oracle, uint64_t now_ns,
                       const struct sim_oracle_rule *rule)
{
    advance(oracle, now_ns);
    oracle->kind = rule->kind;
    if (!is_counting(rule->kind)) {
        oracle->full_ns = now_ns;
        return;
    }
    if (!sim_oracle_counts_alike(&oracle->rule, rule)) {
        begin(oracle, rule, now_ns, used_units(oracle));
    } else {
        if (rule->kind == SIM_ORACLE_BUCKET) {
            __extension__ unsigned __int128 used =
                product(oracle->rule.capacity_units, rule->period_ns) - oracle->level;
            __extension__ unsigned __int128 capacity =
                product(rule->capacity_units, rule->period_ns);
            oracle->level = capacity > used ? capacity - used : 0;
        }
        oracle->rule = *rule;
    }
    if (used_units(oracle) == 0) {
        oracle->full_ns = now_ns;
    }
}

uint64_t sim_oracle_remaining_units(struct sim_oracle *oracle, uint64_t now_ns)
{
    const struct sim_oracle_rule *rule = &oracle->rule;

    advance(oracle, now_ns);
    switch (oracle->kind) {
    case SIM_ORACLE_BUCKET:
        return (uint64_t)(oracle->level / rule->period_ns);
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
    case SIM_ORACLE_LOG:
        return positive_difference(rule->limit_units, used_units(oracle));
    case SIM_ORACLE_UNLIMITED:
        return UINT64_MAX;
    case SIM_ORACLE_DELETED:
        break;
    }
    return 0;
}

uint64_t sim_oracle_remaining_at_end_units(struct sim_oracle *oracle, uint64_t now_ns)
{
    const struct sim_oracle_rule *rule = &oracle->rule;
    const uint64_t remaining_units = sim_oracle_remaining_units(oracle, now_ns);

    if (oracle->kind == SIM_ORACLE_SLIDING) {
        return positive_difference(rule->limit_units, oracle->used_units);
    }
    if (oracle->kind == SIM_ORACLE_LOG) {
        const uint64_t start_ns = start_of_window_ns(rule, index_of_window(rule, now_ns));
        uint64_t units = 0;
        for (size_t i = oracle->recent.count; i-- > 0;) {
            const struct sim_recent_entry *entry = sim_recent_at(&oracle->recent, i);
            if (entry->time_ns < start_ns) {
                break;
            }
            units += entry->units;
        }
        return positive_difference(rule->limit_units, units);
    }
    return remaining_units;
}

bool sim_oracle_admit(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units)
{
    /* what remains is in whole units, and so is the cost: comparing them is exact */
    const uint64_t remaining_units = sim_oracle_remaining_units(oracle, now_ns);

    if (cost_units > remaining_units || oracle->kind == SIM_ORACLE_DELETED) {
        return false;
    }
    switch (oracle->kind) {
    case SIM_ORACLE_BUCKET:
        oracle->level -= product(cost_units, oracle->rule.period_ns);
        break;
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        oracle->used_units += cost_units;
        break;
    case SIM_ORACLE_LOG:
        sim_recent_add(&oracle->recent, now_ns, cost_units);
        break;
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
    return true;
}

static uint64_t bucket_retry_ns(const struct sim_oracle *oracle, uint64_t cost_units)
{
    const struct sim_oracle_rule *rule = &oracle->rule;

    if (cost_units > rule->capacity_units || rule->rate_units == 0) {
        return UINT64_MAX;
    }
    /* rounded up: at the nanosecond before, something would be missing still */
    __extension__ unsigned __int128 missing = product(cost_units, rule->period_ns) - oracle->level;
    __extension__ unsigned __int128 retry_ns =
        (missing - 1) / rule->rate_units + 1 + oracle->updated_ns;

    return retry_ns < UINT64_MAX ? (uint64_t)retry_ns : UINT64_MAX;
}

/* The earliest e' >= e at which previous x (W - e') / W leaves room for the cost; W if none does
 * in this window. */
static uint64_t share_fits_ns(const struct sim_oracle_rule *rule, uint64_t previous_units,
                              uint64_t current_units, uint64_t cost_units)
{
    if (current_units > rule->limit_units || cost_units > rule->limit_units - current_units) {
        return rule->window_ns;
    }
    if (previous_units == 0) {
        return 0;
    }
    __extension__ unsigned __int128 left_ns =
        product(rule->limit_units - current_units - cost_units, rule->window_ns) / previous_units;

    return left_ns < rule->window_ns ? rule->window_ns - (uint64_t)left_ns : 0;
}

static uint64_t sum_ns(uint64_t a_ns, uint64_t b_ns)
{
    return b_ns < UINT64_MAX - a_ns ? a_ns + b_ns : UINT64_MAX;
}

/* In this window, as the share of the one before shrinks; in the next, as that of this one does; or
 * at the start of the one after it. */
static uint64_t windows_retry_ns(const struct sim_oracle *oracle, uint64_t cost_units)
{
    const struct sim_oracle_rule *rule = &oracle->rule;
    const uint64_t left_ns = left_of_window_ns(rule, oracle->updated_ns);

    if (cost_units > rule->limit_units) {
        return UINT64_MAX;
    }
    if (rule->kind == SIM_ORACLE_WINDOW) {
        return sum_ns(oracle->updated_ns, left_ns);
    }
    const uint64_t fits_ns =
        share_fits_ns(rule, oracle->previous_units, oracle->used_units, cost_units);
    if (fits_ns < rule->window_ns) { /* it did not fit now, so this is later */
        return sum_ns(oracle->updated_ns, left_ns - (rule->window_ns - fits_ns));
    }
    return sum_ns(sum_ns(oracle->updated_ns, left_ns),
                  share_fits_ns(rule, oracle->used_units, 0, cost_units));
}

static uint64_t log_retry_ns(const struct sim_oracle *oracle, uint64_t cost_units)
{
    const struct sim_recent *recent = &oracle->recent;
    uint64_t units = recent->units;

    if (cost_units > oracle->rule.limit_units) {
        return UINT64_MAX;
    }
    for (size_t i = 0;; i++) { /* the last entry to leave makes room for any cost up to the limit */
        const struct sim_recent_entry *entry = sim_recent_at(recent, i);
        units -= entry->units;
        if (units <= oracle->rule.limit_units - cost_units) {
            return sum_ns(entry->time_ns, oracle->rule.window_ns);
        }
    }
}

uint64_t sim_oracle_retry_ns(struct sim_oracle *oracle, uint64_t now_ns, uint64_t cost_units)
{
    const uint64_t remaining_units = sim_oracle_remaining_units(oracle, now_ns);

    if (oracle->kind == SIM_ORACLE_DELETED) {
        return UINT64_MAX;
    }
    if (cost_units <= remaining_units) {
        return now_ns;
    }
    switch (oracle->kind) {
    case SIM_ORACLE_BUCKET:
        return bucket_retry_ns(oracle, cost_units);
    case SIM_ORACLE_WINDOW:
    case SIM_ORACLE_SLIDING:
        return windows_retry_ns(oracle, cost_units);
    case SIM_ORACLE_LOG:
        return log_retry_ns(oracle, cost_units);
    case SIM_ORACLE_UNLIMITED:
    case SIM_ORACLE_DELETED:
        break;
    }
    return UINT64_MAX;
}

uint64_t sim_oracle_last_full_ns(struct sim_oracle *oracle, uint64_t now_ns)
{
    advance(oracle, now_ns);
    return oracle->full_ns;
}
