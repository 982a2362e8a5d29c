/* Baseline: read and write the counter of the window under a lock of the key.
 *
 *   SET lock VALUE NX PX ttl, again after a while until it is free;
 *   GET;  count + cost <= limit: SET count + cost;  DEL lock if it still holds VALUE
 *
 * Four round trips for what is admitted, three for what is denied, one after the other for each
 * key. As people deploy it there is no fencing: a holder that pauses for longer than the lock's
 * time to live writes all the same. One that dies keeps everybody out until then. A request that
 * waits longer than limiter.lock_wait_ms is decided without the store. */
#include "client_mailbox.h"
#include "memory.h"
#include "prng.h"

enum {
    STAGE_LOCK = 0,
    STAGE_WAIT,
    STAGE_READ,
    STAGE_WRITE,
    STAGE_UNLOCK,
};

enum {
    DOUBLINGS_MAX = 6,
};

struct client_lock {
    struct sim_mailbox mailbox;
    struct sim_prng values;
    struct sim_prng waits;
};

static void go_on(struct sim_mailbox *mailbox, struct sim_request *request, uint32_t stage,
                  uint64_t local_ns)
{
    request->stage = stage;
    sim_mailbox_post(mailbox, request, local_ns);
}

static struct weir_decision decide(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand)
{
    struct client_lock *self = (struct client_lock *)client;
    struct sim_request *request = sim_mailbox_open(&self->mailbox, demand, local_ns);

    request->lock_value = sim_prng_next(&self->values) | 1; /* never 0 */
    go_on(&self->mailbox, request, STAGE_LOCK, local_ns);
    return sim_mailbox_pending(request);
}

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    static const enum sim_exchange_kind kinds[] = {
        [STAGE_LOCK] = SIM_EXCHANGE_LOCK,
        [STAGE_READ] = SIM_EXCHANGE_GET,
        [STAGE_WRITE] = SIM_EXCHANGE_SET,
        [STAGE_UNLOCK] = SIM_EXCHANGE_UNLOCK,
    };
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;
    const struct sim_request *request = sim_mailbox_take(mailbox, exchange);

    (void)local_ns;
    if (request == NULL) {
        return false;
    }
    exchange->kind = kinds[request->stage];
    exchange->add_window = request->window;
    exchange->add_units = request->count + request->demand.cost_units;
    exchange->ttl_us = request->stage == STAGE_LOCK ? mailbox->catalog->scenario->lock_ttl_ns / 1000
                                                    : sim_mailbox_ttl_us(mailbox, exchange->key);
    return true;
}

/* Full jitter: uniform in a span that doubles. */
static void wait_for_lock(struct client_lock *self, struct sim_request *request, uint64_t local_ns)
{
    const uint32_t doublings =
        request->attempts < DOUBLINGS_MAX ? request->attempts : DOUBLINGS_MAX;
    const uint64_t span_ns = self->mailbox.catalog->scenario->lock_retry_ns << doublings;

    request->attempts++;
    request->stage = STAGE_WAIT;
    sim_mailbox_sleep(&self->mailbox, request, local_ns, 1 + sim_prng_below(&self->waits, span_ns));
}

static void locked(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns)
{
    const struct sim_reporting *reporting = &mailbox->base.reporting;

    if (reporting->locked != NULL) {
        reporting->locked(reporting->context, request->ticket);
    }
    request->window = sim_mailbox_window(mailbox, request->demand.key, local_ns);
    go_on(mailbox, request, STAGE_READ, local_ns);
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct client_lock *self = (struct client_lock *)client;
    struct sim_mailbox *mailbox = &self->mailbox;
    struct sim_request *request = sim_mailbox_answered(mailbox, exchange);

    if (request == NULL) {
        return false;
    }
    const uint64_t limit = sim_mailbox_plan(mailbox, exchange->key)->limit_units;
    switch (request->stage) {
    case STAGE_LOCK:
        if (exchange->is_locked) {
            locked(mailbox, request, local_ns);
        } else {
            wait_for_lock(self, request, local_ns);
        }
        break;
    case STAGE_READ:
        request->count = exchange->add_count;
        request->is_admitted = request->count + request->demand.cost_units <= limit;
        go_on(mailbox, request, request->is_admitted ? STAGE_WRITE : STAGE_UNLOCK, local_ns);
        break;
    case STAGE_WRITE:
        go_on(mailbox, request, STAGE_UNLOCK, local_ns);
        break;
    default:
        sim_mailbox_settle_window(mailbox, request, request->is_admitted, local_ns);
        break;
    }
    return true;
}

/* What waited for the lock tries again. What has it gives it up, and what was decided stays so. */
static void fail(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns)
{
    const uint64_t wait_ns = mailbox->catalog->scenario->lock_wait_ns;

    switch (request->stage) {
    case STAGE_WAIT:
        if (sim_mailbox_ns(mailbox, local_ns) - request->began_ns < wait_ns) {
            go_on(mailbox, request, STAGE_LOCK, local_ns);
            return;
        }
        break;
    case STAGE_READ:
    case STAGE_WRITE:
        go_on(mailbox, request, STAGE_UNLOCK, local_ns); /* nobody waits for its answer */
        break;
    case STAGE_UNLOCK:
        sim_mailbox_settle_window(mailbox, request, request->is_admitted, local_ns);
        return;
    default:
        break;
    }
    sim_mailbox_fail(mailbox, request, local_ns);
}

static const struct sim_client_operations operations = {
    .decide = decide,
    .next_exchange = next_exchange,
    .reply = reply,
    .refused = sim_mailbox_refused,
    .next_settled = sim_mailbox_next_settled,
    .reported_units = sim_mailbox_reported_units,
    .next_deadline_ns = sim_mailbox_next_deadline_ns,
    .expire = sim_mailbox_expire,
    .shutdown = sim_mailbox_shutdown,
    .free = sim_mailbox_free,
};

struct sim_client *sim_client_lock_new(const struct sim_catalog *catalog, uint32_t process,
                                       uint32_t life)
{
    struct client_lock *self = sim_memory_new(1, sizeof *self);
    const uint64_t number = (uint64_t)life << 32 | process;

    sim_mailbox_init(&self->mailbox, &operations, catalog, process);
    self->mailbox.fail = fail;
    sim_prng_init(&self->values, catalog->scenario->seed, "lock values", number);
    sim_prng_init(&self->waits, catalog->scenario->seed, "lock waits", number);
    return &self->mailbox.base;
}
