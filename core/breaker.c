/* A circuit breaker per shard of the store.
 *
 *   CLOSED     everything passes. breaker_failures asks in a row that fail, with no answer between
 *              them, open it
 *   OPEN       nothing passes but a probe after a while, and if that is not answered another one
 *              after a longer while
 *   HALF_OPEN  a probe was answered. One ask may be on its way at a time, with each answer twice as
 *              many; SLOW_START_MAX of them and one more answer close it, a failure opens it
 *
 * How long a while is doubles with each one, until the breaker has stayed closed for STEADY_NS: a
 * store that comes and goes is not asked more often for coming back. Each process draws its own
 * times, so that they do not come to a store that has just come back in step. */
#include "arithmetic.h"
#include "limiter_private.h"

#define BACKOFF_MIN_NS (50 * NS_PER_MS)
#define SLOW_START_MAX 64u
#define STEADY_NS (5 * NS_PER_S)

void breaker_init(struct weir_limiter *limiter)
{
    for (uint32_t i = 0; i < limiter->options.shard_count; i++) {
        limiter->breakers[i] = (struct breaker){
            .deadline_ns = NEVER, .changed_ns = limiter->inner_ns, .failing_ns = NEVER};
    }
}

enum weir_breaker weir_limiter_breaker(const struct weir_limiter *limiter, uint32_t shard)
{
    return (enum weir_breaker)limiter->breakers[shard].state;
}

bool breaker_is_open(const struct weir_limiter *limiter, const struct weir_key *key)
{
    return limiter->breakers[shard_of(limiter, key)].state == WEIR_BREAKER_OPEN;
}

bool breaker_is_closed(const struct weir_limiter *limiter, const struct weir_key *key)
{
    return limiter->breakers[shard_of(limiter, key)].state == WEIR_BREAKER_CLOSED;
}

enum weir_mode breaker_mode(const struct weir_limiter *limiter, const struct weir_key *key)
{
    return limiter->half_open_count != 0 &&
                   limiter->breakers[shard_of(limiter, key)].state == WEIR_BREAKER_HALF_OPEN
               ? WEIR_MODE_PROBING
               : WEIR_MODE_NORMAL;
}

uint64_t backoff_doubled_ns(uint64_t initial_ns, uint32_t times)
{
    uint64_t backoff_ns = initial_ns;

    for (uint32_t i = 0; i < times && backoff_ns < BACKOFF_MAX_NS; i++) {
        backoff_ns *= 2;
    }
    return backoff_ns < BACKOFF_MAX_NS ? backoff_ns : BACKOFF_MAX_NS;
}

/* Finalizer of a 64-bit hash: all bits of the result depend on all of the argument. */
static uint64_t mixed(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

uint64_t backoff_jittered_ns(struct weir_limiter *limiter, uint64_t backoff_ns)
{
    const uint64_t name = mixed(limiter->options.incarnation) ^ limiter->options.process;
    const uint64_t drawn =
        mixed(name + ++limiter->jitter_count * UINT64_C(0x9e3779b97f4a7c15)) >> 44;
    const uint64_t half_ns = backoff_ns / 2;
    const uint64_t jittered_ns = backoff_ns - (half_ns * drawn >> 20);

    return jittered_ns == 0 ? 1 : jittered_ns;
}

uint64_t breaker_lost_ns(const struct weir_limiter *limiter, const struct weir_key *key,
                         uint64_t now_ns)
{
    const struct breaker *breaker = &limiter->breakers[shard_of(limiter, key)];
    const uint64_t failing_ns = lesser(breaker->failing_ns, now_ns);

    return breaker->failing_ns == NEVER || breaker->heard_ns > failing_ns
               ? now_ns
               : breaker->heard_ns + (failing_ns - breaker->heard_ns) / 2;
}

bool breaker_lets_pass(const struct weir_limiter *limiter, uint32_t shard)
{
    const struct breaker *breaker = &limiter->breakers[shard];

    return breaker->state == WEIR_BREAKER_CLOSED || (breaker->state == WEIR_BREAKER_HALF_OPEN &&
                                                     breaker->sent_count < breaker->sent_count_max);
}

/* Flights and slots go back to where they came from, as many as may be sent. */
static void release(struct weir_limiter *limiter, uint32_t shard)
{
    const struct breaker *breaker = &limiter->breakers[shard];
    uint32_t room = UINT32_MAX;

    if (breaker->state == WEIR_BREAKER_HALF_OPEN) {
        room = breaker->sent_count < breaker->sent_count_max
                   ? breaker->sent_count_max - breaker->sent_count
                   : 0;
    }
    for (; room != 0; room--) {
        const uint32_t entry = ask_queue_pop(limiter, QUEUE_HELD + shard);
        if (entry == SLOT_NONE) {
            return;
        }
        const bool is_flight = (entry & ASK_FLIGHT) != 0;
        ask_queue_append(limiter, is_flight ? QUEUE_SENDS : QUEUE_READY, entry);
    }
}

static void enter(struct weir_limiter *limiter, uint32_t shard, enum weir_breaker state,
                  uint64_t now_ns)
{
    struct breaker *breaker = &limiter->breakers[shard];

    limiter->half_open_count -= breaker->state == WEIR_BREAKER_HALF_OPEN;
    limiter->half_open_count += state == WEIR_BREAKER_HALF_OPEN;
    breaker->state = (uint8_t)state;
    breaker->changed_ns = now_ns;
    breaker->failure_count = 0;
    breaker->sent_count_max = 1;
    breaker->first_probe = 0;
    breaker->probe = 0;
}

static void probe_later(struct weir_limiter *limiter, uint32_t shard, uint64_t now_ns)
{
    struct breaker *breaker = &limiter->breakers[shard];
    const uint64_t backoff_ns = backoff_doubled_ns(BACKOFF_MIN_NS, breaker->backoff_count);

    breaker->backoff_count += backoff_ns < BACKOFF_MAX_NS;
    breaker->probe = 0;
    deadline_set(limiter, shard | ASK_PROBE, now_ns + backoff_jittered_ns(limiter, backoff_ns));
}

static void open(struct weir_limiter *limiter, uint32_t shard, const struct weir_key *key,
                 uint64_t now_ns)
{
    struct breaker *breaker = &limiter->breakers[shard];

    if (breaker->state == WEIR_BREAKER_CLOSED && now_ns - breaker->changed_ns >= STEADY_NS) {
        breaker->backoff_count = 0;
    }
    enter(limiter, shard, WEIR_BREAKER_OPEN, now_ns);
    breaker->key = *key;
    limiter->counts.breaker_openings++;
    probe_later(limiter, shard, now_ns);
}

void breaker_sent(struct weir_limiter *limiter, uint32_t shard)
{
    limiter->breakers[shard].sent_count++;
}

void breaker_resolved(struct weir_limiter *limiter, uint32_t shard)
{
    limiter->breakers[shard].sent_count--;
}

void breaker_failed(struct weir_limiter *limiter, const struct weir_key *key, uint64_t sent_ns,
                    uint64_t now_ns)
{
    const uint32_t shard = shard_of(limiter, key);
    struct breaker *breaker = &limiter->breakers[shard];

    breaker->failing_ns = lesser(breaker->failing_ns, sent_ns);
    switch ((enum weir_breaker)breaker->state) {
    case WEIR_BREAKER_CLOSED:
        breaker->failure_count += breaker->failure_count != UINT32_MAX;
        if (breaker->failure_count >= limiter->options.breaker_failures &&
            limiter->options.breaker_failures != UINT32_MAX) {
            open(limiter, shard, key, now_ns);
        }
        break;
    case WEIR_BREAKER_HALF_OPEN:
        if (sent_ns >= breaker->changed_ns) {
            open(limiter, shard, key, now_ns);
        } else {
            release(limiter, shard);
        }
        break;
    case WEIR_BREAKER_OPEN:
        break; /* sent before it opened */
    }
}

void breaker_unsettled(struct weir_limiter *limiter, const struct weir_key *key)
{
    if (limiter->breakers[shard_of(limiter, key)].state == WEIR_BREAKER_HALF_OPEN) {
        release(limiter, shard_of(limiter, key));
    }
}

void breaker_answered(struct weir_limiter *limiter, const struct weir_key *key, uint64_t sent_ns,
                      uint64_t now_ns)
{
    const uint32_t shard = shard_of(limiter, key);
    struct breaker *breaker = &limiter->breakers[shard];

    breaker->failure_count = 0;
    if (sent_ns >= breaker->heard_ns) {
        breaker->heard_ns = sent_ns;
        breaker->failing_ns = breaker->failing_ns >= sent_ns ? breaker->failing_ns : NEVER;
    }
    if (breaker->state != WEIR_BREAKER_HALF_OPEN) {
        return; /* OPEN: a late answer says how the store was, not how it is */
    }
    if (sent_ns >= breaker->changed_ns) {
        breaker->sent_count_max *= 2;
    }
    if (breaker->sent_count_max > SLOW_START_MAX) {
        enter(limiter, shard, WEIR_BREAKER_CLOSED, now_ns);
    }
    release(limiter, shard);
}

void breaker_due(struct weir_limiter *limiter, uint32_t shard, uint64_t now_ns)
{
    if (limiter->breakers[shard].probe != 0) { /* not answered in time */
        probe_later(limiter, shard, now_ns);
        return;
    }
    deadline_set(limiter, shard | ASK_PROBE, NEVER);
    ask_queue_append(limiter, QUEUE_SENDS, shard | ASK_PROBE);
}

void breaker_build_probe(struct weir_limiter *limiter, uint32_t shard, uint64_t now_ns,
                         struct weir_ask *ask)
{
    struct breaker *breaker = &limiter->breakers[shard];

    *ask = (struct weir_ask){
        .key = breaker->key,
        .id = {.process = limiter->options.process,
               .sequence = next_sequence(limiter),
               .incarnation = limiter->options.incarnation},
        .flags = WEIR_ASK_PROBE,
        .rate_share_period = NEVER,
    };
    breaker->probe = ask->id.sequence;
    breaker->first_probe = breaker->first_probe == 0 ? ask->id.sequence : breaker->first_probe;
    breaker->probe_sent_ns = now_ns;
    limiter->counts.probes++;
    deadline_set(limiter, shard | ASK_PROBE,
                 saturating_add(now_ns, limiter->options.ask_timeout_ns));
}

bool breaker_hear(struct weir_limiter *limiter, uint64_t now_ns, const struct weir_answer *answer)
{
    const uint32_t shard = shard_of(limiter, &answer->key);
    struct breaker *breaker = &limiter->breakers[shard];

    /* one that was given up is as good, if it was sent since the breaker opened; they differ from
     * the first by less than half of all numbers */
    if ((answer->flags & WEIR_ANSWER_PROBED) == 0 ||
        answer->id.incarnation != limiter->options.incarnation || breaker->first_probe == 0 ||
        answer->id.sequence - breaker->first_probe > limiter->sequence - breaker->first_probe) {
        return false;
    }
    if (answer->id.sequence == breaker->probe && breaker->probe_sent_ns >= limiter->stepped_ns) {
        limiter->counts.clock_steps += (uint64_t)clock_learn(
            &limiter->clock, breaker->probe_sent_ns, now_ns, answer->store_us);
    }
    deadline_set(limiter, shard | ASK_PROBE, NEVER);
    ask_queue_remove(limiter, shard | ASK_PROBE);
    enter(limiter, shard, WEIR_BREAKER_HALF_OPEN, now_ns);
    release(limiter, shard);
    return true;
}

bool breaker_probe_failed(struct weir_limiter *limiter, uint64_t now_ns, const struct weir_key *key,
                          const struct weir_ask_id *id)
{
    const uint32_t shard = shard_of(limiter, key);

    if (id->incarnation != limiter->options.incarnation || id->sequence == 0 ||
        limiter->breakers[shard].probe != id->sequence) {
        return false;
    }
    probe_later(limiter, shard, now_ns);
    return true;
}
