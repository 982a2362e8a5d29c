#include "lateness.h"

#define NS_PER_S UINT64_C(1000000000)

struct lateness {
    const struct sim_accuracy *accuracy;
    const int64_t *deltas; /* of the key, by second */
    const uint8_t *full;
    uint32_t key;
    uint32_t era;
    uint64_t counted_from_ns; /* when the era's way of counting began */
    struct sim_oracle_rule rule;
    uint64_t from; /* the first second that counts */
    int64_t sum;   /* over those from there on */
};

static void begin(struct lateness *lateness, const struct sim_accuracy *accuracy, uint32_t key,
                  uint64_t from)
{
    const size_t row = (size_t)key * accuracy->second_count;

    *lateness = (struct lateness){
        .accuracy = accuracy,
        .deltas = &accuracy->delta_by_second[row],
        .full = &accuracy->full_by_second[row],
        .key = key,
        .from = from,
    };
    sim_plan_history_rule(&accuracy->history, key, 0, &lateness->rule);
}

static void enter_eras(struct lateness *lateness, uint64_t now_ns)
{
    const struct sim_plan_history *history = &lateness->accuracy->history;

    for (;;) {
        const uint64_t start_ns =
            sim_plan_history_start_ns(history, lateness->key, lateness->era + 1);
        struct sim_oracle_rule rule;
        if (start_ns > now_ns) {
            return;
        }
        sim_plan_history_rule(history, lateness->key, ++lateness->era, &rule);
        if (!sim_oracle_counts_alike(&lateness->rule, &rule)) {
            lateness->counted_from_ns = start_ns;
        }
        lateness->rule = rule;
    }
}

/* What was admitted before this time counts no more; 0 if that cannot be said. */
static uint64_t horizon_ns(const struct lateness *lateness, uint64_t now_ns)
{
    const struct sim_oracle_rule *rule = &lateness->rule;
    uint64_t span_ns = rule->window_ns;

    if (rule->kind == SIM_ORACLE_SLIDING) {
        const uint64_t boundary_ns = rule->window_ns - rule->phase_ns;
        const uint64_t rest_ns = now_ns % rule->window_ns;
        span_ns += rest_ns < boundary_ns ? rest_ns + rule->phase_ns : rest_ns - boundary_ns;
    } else if (rule->kind != SIM_ORACLE_LOG) {
        return 0;
    }
    return now_ns > span_ns && now_ns - span_ns >= lateness->counted_from_ns ? now_ns - span_ns : 0;
}

/* Late units as of the end of a second, the one after the last that was asked for. */
static uint64_t after_second(struct lateness *lateness, uint64_t second)
{
    const uint64_t end_ns = (second + 1) * NS_PER_S;

    if (lateness->full[second]) {
        lateness->sum = 0;
        lateness->from = second;
    }
    lateness->sum += lateness->deltas[second];
    enter_eras(lateness, end_ns);
    const uint64_t horizon = horizon_ns(lateness, end_ns) / NS_PER_S;
    while (lateness->from < horizon) {
        lateness->sum -= lateness->deltas[lateness->from++];
    }
    return lateness->sum > 0 ? (uint64_t)lateness->sum : 0;
}

uint64_t sim_lateness_units(const struct sim_accuracy *accuracy, uint32_t key, uint64_t second)
{
    struct lateness lateness;
    uint64_t late = 0;
    uint64_t from = second;

    if (accuracy->second_count == 0) {
        return 0;
    }
    const uint8_t *full = &accuracy->full_by_second[(size_t)key * accuracy->second_count];
    while (from > 0 && (from == second || !full[from])) {
        from--;
    }
    begin(&lateness, accuracy, key, from);
    for (uint64_t s = from; s < second; s++) {
        late = after_second(&lateness, s);
    }
    return late;
}

void sim_lateness_fill(uint64_t *late, const struct sim_accuracy *accuracy, uint32_t key)
{
    struct lateness lateness;

    begin(&lateness, accuracy, key, 0);
    late[0] = 0;
    for (uint32_t s = 0; s < accuracy->second_count; s++) {
        late[s + 1] = after_second(&lateness, s);
    }
}
