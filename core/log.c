/* Log: one entry per admitted request, until it no longer counts. The entries are a ring in memory
 * of the host's, in order of admission; tokens is their sum. */
#include "store_key.h"
#include "weir/assert.h"

/* Entries that are told late may count so much of a window too long. */
#define PAST_DIVISOR 1024

static struct weir_log_entry *entry_at(const struct weir_store_key *state, uint32_t nth)
{
    return &state->log[(state->log_first + nth) % state->log_capacity];
}

void log_advance(struct weir_store_key *state, uint64_t now_us)
{
    state->updated_us = greater(state->updated_us, now_us);
    const uint64_t reached_us = state->updated_us + state->stepped_us;
    while (state->log_count != 0 && entry_at(state, 0)->until_us <= reached_us) {
        state->tokens -= entry_at(state, 0)->units;
        state->log_first = (state->log_first + 1) % state->log_capacity;
        state->log_count--;
    }
}

void log_add(struct weir_store_key *state, uint64_t until_us, uint64_t units)
{
    struct weir_log_entry *last;

    until_us += state->stepped_us;
    state->tokens += units;
    if (state->log_count != 0) {
        last = entry_at(state, state->log_count - 1);
        /* who leaves later than the one after it holds that one back: a few milliseconds at most */
        if (last->until_us >= until_us) {
            last->units += units;
            return;
        }
        if (state->log_count == state->log_capacity) { /* charges: more than the limit's units */
            last->units += units;
            last->until_us = until_us;
            return;
        }
    }
    WEIR_ASSERT(state->log_count < state->log_capacity);
    last = entry_at(state, state->log_count++);
    *last = (struct weir_log_entry){.until_us = until_us, .units = units};
}

/* The first entry that ends at until_us or later; log_count: none does. */
static uint32_t first_until(const struct weir_store_key *state, uint64_t until_us)
{
    uint32_t from = 0;
    uint32_t to = state->log_count;

    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (entry_at(state, middle)->until_us < until_us) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* Entries behind it have to move: not for so little that a busy log would have it at once. */
void log_add_past(struct weir_store_key *state, const struct weir_plan *plan, uint64_t until_us,
                  uint64_t units)
{
    const uint64_t entry_until_us = until_us + state->stepped_us;
    const uint32_t place = first_until(state, entry_until_us);

    if (place == state->log_count) {
        log_add(state, until_us, units);
        return;
    }
    state->tokens += units;
    if (state->log_count == state->log_capacity ||
        entry_at(state, place)->until_us - entry_until_us <= plan->window_us / PAST_DIVISOR) {
        entry_at(state, place)->units += units;
        return;
    }
    for (uint32_t nth = state->log_count++; nth > place; nth--) {
        *entry_at(state, nth) = *entry_at(state, nth - 1);
    }
    *entry_at(state, place) = (struct weir_log_entry){.until_us = entry_until_us, .units = units};
}

uint64_t log_ready_us(const struct weir_store_key *state, const struct weir_plan *plan,
                      uint64_t least)
{
    uint64_t sum = state->tokens;

    if (least > plan->limit_units) {
        return UINT64_MAX;
    }
    for (uint32_t nth = 0; nth < state->log_count; nth++) {
        sum -= entry_at(state, nth)->units;
        if (sum + least <= plan->limit_units) {
            return saturating_sub(entry_at(state, nth)->until_us, state->stepped_us);
        }
    }
    return state->updated_us;
}

uint64_t weir_store_log_capacity(const struct weir_plan *plan)
{
    /* one more: units carried over from another plan */
    return plan->algorithm == WEIR_ALGORITHM_LOG ? plan->limit_units + 1 : 0;
}

struct weir_log_entry *weir_store_key_set_log(struct weir_store_key *state,
                                              struct weir_log_entry *entries, uint32_t capacity)
{
    WEIR_ASSERT(capacity >= state->log_count);
    struct weir_log_entry *before = state->log;

    for (uint32_t nth = 0; nth < state->log_count; nth++) {
        entries[nth] = *entry_at(state, nth);
    }
    state->log = entries;
    state->log_capacity = capacity;
    state->log_first = 0;
    return before;
}
