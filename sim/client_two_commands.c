/* Baseline: INCRBY, and EXPIRE as a command of its own if the counter is new.
 *
 *   INCRBY cost;  count == cost: EXPIRE;  count <= limit: admit;  else deny
 *
 * The count is exact. But whoever is the first of a window and dies, or gives up, between the two
 * leaves a counter that stays for ever. A denied increment stays on the counter. */
#include "client_mailbox.h"
#include "memory.h"

enum {
    STAGE_INCREMENT = 0,
    STAGE_EXPIRE,
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
    exchange->kind =
        request->stage == STAGE_INCREMENT ? SIM_EXCHANGE_INCREMENT : SIM_EXCHANGE_EXPIRE;
    exchange->add_window = request->window;
    exchange->add_units = request->demand.cost_units;
    exchange->ttl_us = sim_mailbox_ttl_us(mailbox, exchange->key);
    return true;
}

static bool reply(struct sim_client *client, uint64_t local_ns, const struct sim_exchange *exchange)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;
    struct sim_request *request = sim_mailbox_answered(mailbox, exchange);

    if (request == NULL) {
        return false;
    }
    if (request->stage == STAGE_INCREMENT) {
        request->count = exchange->add_count;
        if (request->count == request->demand.cost_units) {
            request->stage = STAGE_EXPIRE;
            sim_mailbox_post(mailbox, request, local_ns);
            return true;
        }
    }
    const uint64_t limit = sim_mailbox_plan(mailbox, exchange->key)->limit_units;
    sim_mailbox_settle_window(mailbox, request, request->count <= limit, local_ns);
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

struct sim_client *sim_client_two_commands_new(const struct sim_catalog *catalog, uint32_t process)
{
    struct sim_mailbox *mailbox = sim_memory_new(1, sizeof *mailbox);

    sim_mailbox_init(mailbox, &operations, catalog, process);
    return &mailbox->base;
}
