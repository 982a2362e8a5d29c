/* Baseline: read the counter of the window, decide, write.
 *
 *   GET;  count + cost <= limit: SET count + cost (or INCRBY cost), admit;  else deny
 *
 * Two round trips for what is admitted, one for what is denied. Whoever reads between another's
 * read and write decides by the same count. With SET the later of both writes also undoes the
 * other, so that the counter falls behind what was admitted, ever further. */
#include "client_mailbox.h"
#include "memory.h"

enum {
    STAGE_READ = 0,
    STAGE_WRITE,
};

static bool next_exchange(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;
    const struct sim_request *request = sim_mailbox_take(mailbox, exchange);

    (void)local_ns;
    if (request == NULL) {
        return false;
    }
    exchange->add_window = request->window;
    exchange->ttl_us = sim_mailbox_ttl_us(mailbox, exchange->key);
    if (request->stage == STAGE_READ) {
        exchange->kind = SIM_EXCHANGE_GET;
    } else if (mailbox->catalog->scenario->write == SIM_WRITE_SET) {
        exchange->kind = SIM_EXCHANGE_SET;
        exchange->add_units = request->count + request->demand.cost_units;
    } else {
        exchange->kind = SIM_EXCHANGE_ADD;
        exchange->add_units = request->demand.cost_units;
    }
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;
    struct sim_request *request = sim_mailbox_answered(mailbox, exchange);

    if (request == NULL) {
        return false;
    }
    const uint64_t limit = sim_mailbox_plan(mailbox, exchange->key)->limit_units;
    if (request->stage == STAGE_WRITE) {
        sim_mailbox_settle_window(mailbox, request, true, local_ns);
    } else if (exchange->add_count + request->demand.cost_units <= limit) {
        request->count = exchange->add_count;
        request->stage = STAGE_WRITE;
        sim_mailbox_post(mailbox, request, local_ns);
    } else {
        sim_mailbox_settle_window(mailbox, request, false, local_ns);
    }
    return true;
}

static const struct sim_client_operations operations = {
    .decide = sim_mailbox_decide_window,
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

struct sim_client *sim_client_read_then_write_new(const struct sim_catalog *catalog,
                                                  uint32_t process)
{
    struct sim_mailbox *mailbox = sim_memory_new(1, sizeof *mailbox);

    sim_mailbox_init(mailbox, &operations, catalog, process);
    return &mailbox->base;
}
