/* The limiter in one process, whatever coordination it uses: the core (lease), or a baseline to
 * compare with. A client sees the process's own clock only. */
#ifndef SIM_CLIENT_H
#define SIM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog.h"
#include "exchange.h"
#include "weir/decision.h"
#include "weir/limiter.h"
#include "weir/snapshot.h"

struct sim_demand {
    uint32_t key;
    uint32_t cost_units; /* in full, weight included */
    uint32_t endpoint;   /* UINT32_MAX: none */
};

struct sim_client;

struct sim_client_operations {
    /* PENDING decisions carry a ticket; tickets rise by one from 1. */
    struct weir_decision (*decide)(struct sim_client *client, uint64_t local_ns,
                                   const struct sim_demand *demand);
    /* Fill the next exchange to send; false: none. */
    bool (*next_exchange)(struct sim_client *client, uint64_t local_ns,
                          struct sim_exchange *exchange);
    /* Returns whether it waited for it. */
    bool (*reply)(struct sim_client *client, uint64_t local_ns,
                  const struct sim_exchange *exchange);
    /* The store refused an exchange. Returns whether the client took back what it said. NULL for a
     * client that knows no faults, as the next ones. */
    bool (*refused)(struct sim_client *client, uint64_t local_ns,
                    const struct sim_exchange *exchange);
    /* Become a copy of `parent`, forked off as process `process`. */
    void (*fork)(struct sim_client *client, const struct sim_client *parent, uint64_t local_ns,
                 uint32_t process, uint64_t incarnation);
    void (*set_process_count)(struct sim_client *client, uint32_t process_count);
    /* NULL for a client whose decisions are never pending. */
    bool (*next_settled)(struct sim_client *client, struct weir_settled *settled);
    /* Hear of scenario->changes[change], perhaps again or late. Returns whether it was news. NULL
     * for a client that knows no changes. */
    bool (*configure)(struct sim_client *client, uint32_t change);
    /* Permits of a key that die with the process: held, promised, or given up and not told of yet.
     * NULL for a client that holds none. */
    uint64_t (*lost_units)(const struct sim_client *client, uint32_t key);
    /* The process was killed, and its memory found: report what it had spent. Or not found: say
     * what would have been reported. NULL for a client that leaves nothing unreported. */
    void (*reap)(struct sim_client *client);
    void (*forget)(struct sim_client *client);
    /* The next four are NULL for a client without timers, leases and bounds; so are quota and
     * spendable_units. */
    uint64_t (*next_deadline_ns)(const struct sim_client *client);
    void (*expire)(struct sim_client *client, uint64_t local_ns);
    /* Give back and report; see weir_limiter_shutdown. */
    enum weir_shutdown (*shutdown)(struct sim_client *client, uint64_t local_ns);
    /* What its limiter counted since it began. NULL for a client that counts nothing. */
    void (*counts)(const struct sim_client *client, struct weir_limiter_counts *counts);
    /* Shards of the store that it sends no asks to now. NULL for a client that always does. */
    uint32_t (*open_breaker_count)(const struct sim_client *client);
    /* Requests denied without a decision, because the limiter had no place for them. */
    uint64_t (*undecided_count)(const struct sim_client *client);
    /* Units reported to billing so far. */
    uint64_t (*reported_units)(const struct sim_client *client);
    /* What a customer may be told, and the permits held that could be spent now; see
     * weir/limiter.h. */
    bool (*quota)(const struct sim_client *client, uint64_t local_ns, uint32_t key,
                  struct weir_quota *quota);
    uint64_t (*spendable_units)(const struct sim_client *client, uint64_t local_ns, uint32_t key);
    /* What is held and known of a key; see weir/snapshot.h. NULL for a client that holds nothing.
     */
    bool (*snapshot)(const struct sim_client *client, uint64_t local_ns, uint32_t key,
                     struct weir_snapshot *snapshot);
    void (*free)(struct sim_client *client);
};

/* Takes the reports of a client. What is forgotten would have been one. */
struct sim_reporting {
    void (*report)(void *context, const struct weir_report *report);
    void (*forget)(void *context, const struct weir_report *report);
    void (*locked)(void *context, uint64_t ticket); /* this request got a lock */
    void *context;
};

/* Every client starts with this. */
struct sim_client {
    const struct sim_client_operations *operations;
    struct sim_reporting reporting; /* its functions may be NULL: nobody listens */
};

static inline struct weir_decision sim_client_denial(uint64_t retry_after_ns)
{
    return (struct weir_decision){.verdict = WEIR_VERDICT_DENIED,
                                  .reason = retry_after_ns == WEIR_RETRY_NEVER
                                                ? WEIR_REASON_COST_ABOVE_CAPACITY
                                                : WEIR_REASON_OVER_LIMIT,
                                  .retry_after_ns = retry_after_ns};
}

/* life: how many others the process had before. */
struct sim_client *sim_client_lease_new(const struct sim_catalog *catalog, uint32_t process,
                                        uint32_t life, uint64_t start_ns);
struct sim_client *sim_client_per_request_new(const struct sim_catalog *catalog, uint32_t process,
                                              uint32_t life);
struct sim_client *sim_client_as_written_new(const struct sim_catalog *catalog, uint32_t process);
struct sim_client *sim_client_read_then_write_new(const struct sim_catalog *catalog,
                                                  uint32_t process);
struct sim_client *sim_client_two_commands_new(const struct sim_catalog *catalog, uint32_t process);
struct sim_client *sim_client_lock_new(const struct sim_catalog *catalog, uint32_t process,
                                       uint32_t life);
struct sim_client *sim_client_local_split_new(const struct sim_catalog *catalog, uint32_t process,
                                              uint32_t life, uint64_t start_ns);
struct sim_client *sim_client_async_sync_new(const struct sim_catalog *catalog, uint32_t process,
                                             uint32_t life, uint64_t start_ns);
struct sim_client *sim_client_rate_share_new(const struct sim_catalog *catalog, uint32_t process,
                                             uint32_t life, uint64_t start_ns);

#endif
