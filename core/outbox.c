/* What leaves the limiter besides asks in the ordinary course: reports of spent units, a ring, and
 * the last words of keys that make room for others, which are flights of nobody. A call that could
 * need a place checks for room before it changes anything. */
#include "history.h"
#include "limiter_private.h"
#include "owed.h"
#include "store_key.h"
#include "weir/assert.h"

bool outbox_has_room(const struct weir_limiter *limiter)
{
    return limiter->report_count + OUTBOX_RESERVE <= REPORT_OUTBOX;
}

static void append_report(struct weir_limiter *limiter, const struct weir_report *report)
{
    WEIR_ASSERT(limiter->report_count < REPORT_OUTBOX);
    const uint32_t place = (limiter->report_first + limiter->report_count) % REPORT_OUTBOX;
    limiter->report_count++;
    limiter->reports[place] = *report;
}

static struct weir_report report_of(const struct weir_limiter *limiter, uint32_t slot, bool sealed)
{
    const struct hot *hot = &limiter->hot[slot];
    const struct cold *cold = &limiter->cold[slot];
    const struct weir_report report = {
        .key = hot->key,
        .window_index = cold->window_index,
        .window_us = cold->window_us,
        .incarnation = limiter->options.incarnation,
        .process = limiter->options.process,
        .life = cold->life,
        .sequence = cold->report_sequence + 1,
        .spent_units = hot->spent_units,
        .degraded_units = limiter->degraded[slot].window_units,
        .degraded = limiter->degraded[slot].decided,
        .sealed = sealed,
    };

    return report;
}

bool outbox_has_to_report(const struct weir_limiter *limiter, uint32_t slot)
{
    return limiter->hot[slot].spent_units != 0 ||
           (limiter->degraded[slot].decided && limiter->cold[slot].window_us != 0);
}

void outbox_report(struct weir_limiter *limiter, uint32_t slot, bool sealed)
{
    const struct weir_report report = report_of(limiter, slot, sealed);

    limiter->cold[slot].report_sequence++;
    append_report(limiter, &report);
}

bool weir_limiter_next_unreported(const struct weir_limiter *limiter, uint32_t *cursor,
                                  struct weir_report *report)
{
    while (*cursor < limiter->options.key_capacity) {
        const uint32_t slot = (*cursor)++;
        if ((limiter->hot[slot].flags & HOT_USED) && outbox_has_to_report(limiter, slot)) {
            *report = report_of(limiter, slot, true);
            return true;
        }
    }
    return false;
}

/* Not sealed: the process may spend more of the key in the same window, in other lives. */
static struct weir_report report_without_slot(const struct weir_limiter *limiter,
                                              const struct weir_key *key,
                                              const struct weir_plan *plan, uint64_t now_ns)
{
    struct weir_report report = {
        .key = *key,
        .incarnation = limiter->options.incarnation,
        .process = limiter->options.process,
        .sequence = 1,
    };

    if (limiter->clock.known) {
        const uint64_t now_us = clock_store_ns(&limiter->clock, now_ns) / NS_PER_US;
        report.window_index = period_of(key, now_us, plan->window_us);
        report.window_us = plan->window_us;
    }
    return report;
}

void outbox_report_once(struct weir_limiter *limiter, const struct weir_key *key,
                        const struct weir_plan *plan, uint64_t now_ns, uint32_t units,
                        bool is_degraded)
{
    struct weir_report report = report_without_slot(limiter, key, plan, now_ns);

    report.life = ++limiter->lives;
    report.spent_units = units;
    report.degraded_units = is_degraded ? units : 0;
    report.degraded = is_degraded;
    append_report(limiter, &report);
}

void outbox_report_refused(struct weir_limiter *limiter, const struct weir_key *key,
                           const struct weir_plan *plan, uint64_t now_ns)
{
    struct weir_report report = report_without_slot(limiter, key, plan, now_ns);
    const struct weir_report *last = &limiter->refused;

    if (keys_equal(key, &last->key) && report.window_index == last->window_index &&
        report.window_us == last->window_us && last->life != 0) {
        return;
    }
    report.life = ++limiter->lives;
    report.degraded = true;
    limiter->refused = report;
    append_report(limiter, &report);
}

bool weir_limiter_next_report(struct weir_limiter *limiter, struct weir_report *report)
{
    if (limiter->report_count == 0) {
        return false;
    }
    *report = limiter->reports[limiter->report_first];
    limiter->report_first = (limiter->report_first + 1) % REPORT_OUTBOX;
    limiter->report_count--;
    return true;
}

void outbox_last_words(struct weir_limiter *limiter, uint32_t slot, uint64_t now_ns)
{
    struct weir_ask ask;

    history_forget(limiter, slot); /* one ask has to charge all that is owed */
    limiter->hot[slot].flags |= HOT_RETURN;
    asking_build(limiter, slot, now_ns, &ask);
    ask.flags &= ~(uint32_t)WEIR_ASK_REST; /* it leaves */
    if (!limiter->clock.known) {
        owed_charge(limiter, slot, now_ns, &ask); /* there will be no next one */
    }
    flight_queue(limiter, &ask, now_ns);
}
