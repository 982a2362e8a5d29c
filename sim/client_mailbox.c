#include "client_mailbox.h"

#include <stdlib.h>

#include "memory.h"
#include "weir/assert.h"

void sim_mailbox_init(struct sim_mailbox *mailbox, const struct sim_client_operations *operations,
                      const struct sim_catalog *catalog, uint32_t process)
{
    *mailbox = (struct sim_mailbox){
        .base.operations = operations,
        .catalog = catalog,
        .process = process,
        .fail = sim_mailbox_fail,
        .first_ticket = 1,
        .next_deadline_ns = UINT64_MAX,
    };
}

void sim_mailbox_deinit(struct sim_mailbox *mailbox)
{
    free(mailbox->requests);
    mailbox->requests = NULL;
}

static struct sim_request *place(const struct sim_mailbox *mailbox, uint64_t ticket)
{
    return &mailbox->requests[ticket & (mailbox->capacity - 1)];
}

static void grow(struct sim_mailbox *mailbox)
{
    struct sim_mailbox grown = *mailbox;

    grown.capacity = mailbox->capacity == 0 ? 16 : 2 * mailbox->capacity;
    grown.requests = sim_memory_new((size_t)grown.capacity, sizeof *grown.requests);
    for (uint64_t i = mailbox->first_ticket; i <= mailbox->last_ticket; i++) {
        *place(&grown, i) = *place(mailbox, i);
    }
    free(mailbox->requests);
    *mailbox = grown;
}

uint64_t sim_mailbox_ns(struct sim_mailbox *mailbox, uint64_t local_ns)
{
    const uint64_t time_ns = local_ns + mailbox->correction_ns;

    if (time_ns - mailbox->latest_ns > UINT64_MAX / 2) {
        mailbox->correction_ns = mailbox->latest_ns - local_ns;
    } else {
        mailbox->latest_ns = time_ns;
    }
    return mailbox->latest_ns;
}

struct sim_request *sim_mailbox_open(struct sim_mailbox *mailbox, const struct sim_demand *demand,
                                     uint64_t local_ns)
{
    if (mailbox->last_ticket + 1 - mailbox->first_ticket == mailbox->capacity) {
        grow(mailbox);
    }
    struct sim_request *request = place(mailbox, ++mailbox->last_ticket);
    *request = (struct sim_request){
        .demand = *demand,
        .ticket = mailbox->last_ticket,
        .began_ns = sim_mailbox_ns(mailbox, local_ns),
        .deadline_ns = UINT64_MAX,
    };
    return request;
}

struct weir_decision sim_mailbox_pending(const struct sim_request *request)
{
    return (struct weir_decision){
        .verdict = WEIR_VERDICT_PENDING, .reason = WEIR_REASON_WAITING, .ticket = request->ticket};
}

static void set_deadline(struct sim_mailbox *mailbox, struct sim_request *request,
                         uint64_t deadline_ns)
{
    if (request->deadline_ns != UINT64_MAX && request->deadline_ns == mailbox->next_deadline_ns) {
        mailbox->is_stale = true;
    }
    request->deadline_ns = deadline_ns;
    if (deadline_ns < mailbox->next_deadline_ns) {
        mailbox->next_deadline_ns = deadline_ns;
    }
}

void sim_mailbox_post(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns)
{
    WEIR_ASSERT(!mailbox->has_unsent);
    request->command++;
    set_deadline(mailbox, request,
                 sim_mailbox_ns(mailbox, local_ns) + mailbox->catalog->scenario->ask_timeout_ns);
    mailbox->unsent = *request;
    mailbox->has_unsent = true;
}

const struct sim_request *sim_mailbox_take(struct sim_mailbox *mailbox,
                                           struct sim_exchange *exchange)
{
    if (!mailbox->has_unsent) {
        return NULL;
    }
    mailbox->has_unsent = false;
    exchange->key = mailbox->unsent.demand.key;
    exchange->ticket = mailbox->unsent.ticket;
    exchange->command = mailbox->unsent.command;
    exchange->lock_value = mailbox->unsent.lock_value;
    return &mailbox->unsent;
}

static struct sim_request *find(struct sim_mailbox *mailbox, const struct sim_exchange *exchange)
{
    if (exchange->ticket < mailbox->first_ticket || exchange->ticket > mailbox->last_ticket) {
        return NULL;
    }
    struct sim_request *request = place(mailbox, exchange->ticket);
    return request->ticket != 0 && request->command == exchange->command ? request : NULL;
}

struct sim_request *sim_mailbox_answered(struct sim_mailbox *mailbox,
                                         const struct sim_exchange *exchange)
{
    struct sim_request *request = find(mailbox, exchange);

    if (request != NULL) {
        set_deadline(mailbox, request, UINT64_MAX);
    }
    return request;
}

void sim_mailbox_sleep(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns,
                       uint64_t wait_ns)
{
    request->command++; /* nothing that arrives is the answer */
    set_deadline(mailbox, request, sim_mailbox_ns(mailbox, local_ns) + wait_ns);
}

void sim_mailbox_settle(struct sim_mailbox *mailbox, struct sim_request *request,
                        const struct weir_decision *decision)
{
    WEIR_ASSERT(request->ticket != 0);
    WEIR_ASSERT(!mailbox->has_settled);
    mailbox->settled = (struct weir_settled){.ticket = request->ticket, .decision = *decision};
    mailbox->has_settled = true;
    if (decision->verdict == WEIR_VERDICT_ADMITTED) {
        mailbox->spent_units += request->demand.cost_units;
    }
    set_deadline(mailbox, request, UINT64_MAX);
    request->ticket = 0;
    while (mailbox->first_ticket <= mailbox->last_ticket &&
           place(mailbox, mailbox->first_ticket)->ticket == 0) {
        mailbox->first_ticket++;
    }
}

void sim_mailbox_settle_window(struct sim_mailbox *mailbox, struct sim_request *request,
                               bool is_admitted, uint64_t local_ns)
{
    const uint64_t window_us = sim_mailbox_plan(mailbox, request->demand.key)->window_us;
    const struct weir_decision decision = {
        .verdict = is_admitted ? WEIR_VERDICT_ADMITTED : WEIR_VERDICT_DENIED,
        .reason = is_admitted ? WEIR_REASON_ADMITTED : WEIR_REASON_OVER_LIMIT,
        .retry_after_ns = is_admitted ? 0 : (window_us - sim_wall_us(local_ns) % window_us) * 1000,
    };

    sim_mailbox_settle(mailbox, request, &decision);
}

void sim_mailbox_fail(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns)
{
    const uint32_t plan = mailbox->catalog->keys[request->demand.key].plan;
    const bool is_open = mailbox->catalog->scenario->plans[plan].degraded == SIM_DEGRADED_OPEN;
    const struct weir_decision decision = {
        .verdict = is_open ? WEIR_VERDICT_ADMITTED : WEIR_VERDICT_DENIED,
        .reason = is_open ? WEIR_REASON_ADMITTED : WEIR_REASON_DEGRADED_CAP,
        .mode = WEIR_MODE_DEGRADED,
        .retry_after_ns = is_open ? 0 : mailbox->catalog->scenario->ask_timeout_ns,
    };

    (void)local_ns;
    sim_mailbox_settle(mailbox, request, &decision);
}

uint64_t sim_mailbox_window(const struct sim_mailbox *mailbox, uint32_t key, uint64_t local_ns)
{
    return sim_wall_us(local_ns) / sim_mailbox_plan(mailbox, key)->window_us;
}

const struct weir_plan *sim_mailbox_plan(const struct sim_mailbox *mailbox, uint32_t key)
{
    return sim_catalog_plan(mailbox->catalog, key);
}

uint64_t sim_mailbox_ttl_us(const struct sim_mailbox *mailbox, uint32_t key)
{
    return mailbox->catalog->scenario->counter_ttl_windows *
           sim_mailbox_plan(mailbox, key)->window_us;
}

/* ---- operations ---- */

bool sim_mailbox_next_settled(struct sim_client *client, struct weir_settled *settled)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;

    if (!mailbox->has_settled) {
        return false;
    }
    mailbox->has_settled = false;
    *settled = mailbox->settled;
    return true;
}

/* The first of all; whoever asks again before anything changes is told the same. */
static void look_for_deadline(struct sim_mailbox *mailbox)
{
    mailbox->next_deadline_ns = UINT64_MAX;
    for (uint64_t i = mailbox->first_ticket; i <= mailbox->last_ticket; i++) {
        const struct sim_request *request = place(mailbox, i);
        if (request->ticket != 0 && request->deadline_ns < mailbox->next_deadline_ns) {
            mailbox->next_deadline_ns = request->deadline_ns;
        }
    }
    mailbox->is_stale = false;
}

uint64_t sim_mailbox_next_deadline_ns(const struct sim_client *client)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)(uintptr_t)client; /* keeps what it found */

    if (mailbox->is_stale) {
        look_for_deadline(mailbox);
    }
    return mailbox->next_deadline_ns == UINT64_MAX
               ? UINT64_MAX
               : mailbox->next_deadline_ns - mailbox->correction_ns;
}

void sim_mailbox_expire(struct sim_client *client, uint64_t local_ns)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;
    const uint64_t now_ns = sim_mailbox_ns(mailbox, local_ns);

    for (uint64_t i = mailbox->first_ticket; i <= mailbox->last_ticket; i++) {
        struct sim_request *request = place(mailbox, i);
        if (request->ticket != 0 && request->deadline_ns <= now_ns) {
            mailbox->fail(mailbox, request, local_ns);
            return; /* others that are due follow at once */
        }
    }
}

bool sim_mailbox_refused(struct sim_client *client, uint64_t local_ns,
                         const struct sim_exchange *exchange)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;
    struct sim_request *request = sim_mailbox_answered(mailbox, exchange);

    if (request == NULL) {
        return false;
    }
    mailbox->fail(mailbox, request, local_ns);
    return true;
}

struct weir_decision sim_mailbox_decide_window(struct sim_client *client, uint64_t local_ns,
                                               const struct sim_demand *demand)
{
    struct sim_mailbox *mailbox = (struct sim_mailbox *)client;
    struct sim_request *request = sim_mailbox_open(mailbox, demand, local_ns);

    request->window = sim_mailbox_window(mailbox, demand->key, local_ns);
    sim_mailbox_post(mailbox, request, local_ns);
    return sim_mailbox_pending(request);
}

enum weir_shutdown sim_mailbox_shutdown(struct sim_client *client, uint64_t local_ns)
{
    const struct sim_mailbox *mailbox = (const struct sim_mailbox *)client;

    (void)local_ns;
    return mailbox->first_ticket > mailbox->last_ticket ? WEIR_SHUTDOWN_DONE : WEIR_SHUTDOWN_BUSY;
}

uint64_t sim_mailbox_reported_units(const struct sim_client *client)
{
    return ((const struct sim_mailbox *)client)->spent_units;
}

void sim_mailbox_free(struct sim_client *client)
{
    sim_mailbox_deinit((struct sim_mailbox *)client);
    free(client);
}
