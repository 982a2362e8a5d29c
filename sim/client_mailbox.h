/* What baselines have in common that ask the store for each request: the requests that wait, one
 * command of each at a time, and what becomes of one whose command is not answered.
 *
 * A command that is not answered within limiter.ask_timeout_ms by the process's clock, or answered
 * with an error, fails its request: it is admitted if its plan fails open, denied if it fails
 * closed. Such a client does not try again, and remembers nothing of it. */
#ifndef SIM_CLIENT_MAILBOX_H
#define SIM_CLIENT_MAILBOX_H

#include "client.h"

/* One that waits. A client uses of the last six what it needs. */
struct sim_request {
    struct sim_demand demand;
    uint64_t ticket; /* 0: settled */
    uint64_t began_ns;
    uint64_t deadline_ns; /* as sim_mailbox_ns tells the time, as began_ns; UINT64_MAX: none */
    uint32_t command;     /* how many were sent for it */
    uint32_t stage;
    uint32_t attempts;
    bool is_admitted;
    uint64_t window;
    uint64_t count;
    uint64_t lock_value;
};

struct sim_mailbox {
    struct sim_client base;
    const struct sim_catalog *catalog;
    uint32_t process;
    /* A request's deadline has come, or the store answered with an error. Settles it, or posts
     * another command for it. */
    void (*fail)(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns);

    struct sim_request *requests; /* ring by ticket; first_ticket ... last_ticket */
    uint64_t capacity;            /* a power of two, or 0 */
    uint64_t latest_ns;           /* see sim_mailbox_ns */
    uint64_t correction_ns;       /* the process's clock + this, modulo 2^64 */
    uint64_t first_ticket;
    uint64_t last_ticket;
    uint64_t next_deadline_ns; /* UINT64_MAX: none; not if is_stale */
    bool is_stale;

    /* A decision, an answer or a deadline leads to at most one of either. */
    struct sim_request unsent;
    bool has_unsent;
    struct weir_settled settled;
    bool has_settled;
    uint64_t spent_units;
};

/* Fails requests as sim_mailbox_fail does. */
void sim_mailbox_init(struct sim_mailbox *mailbox, const struct sim_client_operations *operations,
                      const struct sim_catalog *catalog, uint32_t process);
void sim_mailbox_deinit(struct sim_mailbox *mailbox);

/* The time by which requests wait: the process's clock, but it never goes back, as timers do not.
 */
uint64_t sim_mailbox_ns(struct sim_mailbox *mailbox, uint64_t local_ns);

/* A new request, which waits from now on. Valid until the next one comes. */
struct sim_request *sim_mailbox_open(struct sim_mailbox *mailbox, const struct sim_demand *demand,
                                     uint64_t local_ns);
struct weir_decision sim_mailbox_pending(const struct sim_request *request);

/* Have the request's next command sent. The caller settles the request afterwards if nothing waits
 * for the answer. */
void sim_mailbox_post(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns);

/* The request whose command is to be sent: fills what the exchange has of it. NULL: there is none.
 */
const struct sim_request *sim_mailbox_take(struct sim_mailbox *mailbox,
                                           struct sim_exchange *exchange);

/* The request that waits for this answer. NULL: none does, as it came late or twice. */
struct sim_request *sim_mailbox_answered(struct sim_mailbox *mailbox,
                                         const struct sim_exchange *exchange);

/* Nothing is under way for the request; it is to be failed after wait_ns. */
void sim_mailbox_sleep(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns,
                       uint64_t wait_ns);

/* The request is decided. What is admitted counts as spent. */
void sim_mailbox_settle(struct sim_mailbox *mailbox, struct sim_request *request,
                        const struct weir_decision *decision);
/* ... by a counter of its window: a denied client comes back in the next one. */
void sim_mailbox_settle_window(struct sim_mailbox *mailbox, struct sim_request *request,
                               bool is_admitted, uint64_t local_ns);
/* ... without the store, as its plan says. */
void sim_mailbox_fail(struct sim_mailbox *mailbox, struct sim_request *request, uint64_t local_ns);

/* The window of a key in which a machine's clock is. Windows of all keys begin together. */
uint64_t sim_mailbox_window(const struct sim_mailbox *mailbox, uint32_t key, uint64_t local_ns);

/* The key's plan at the start: counters know no changes. */
const struct weir_plan *sim_mailbox_plan(const struct sim_mailbox *mailbox, uint32_t key);

/* How long a counter lives. */
uint64_t sim_mailbox_ttl_us(const struct sim_mailbox *mailbox, uint32_t key);

/* Of struct sim_client_operations, for a client that begins with a mailbox. */
bool sim_mailbox_next_settled(struct sim_client *client, struct weir_settled *settled);
uint64_t sim_mailbox_next_deadline_ns(const struct sim_client *client);
void sim_mailbox_expire(struct sim_client *client, uint64_t local_ns);
bool sim_mailbox_refused(struct sim_client *client, uint64_t local_ns,
                         const struct sim_exchange *exchange);
/* A request of the window that the process's clock shows, and its first command. */
struct weir_decision sim_mailbox_decide_window(struct sim_client *client, uint64_t local_ns,
                                               const struct sim_demand *demand);
enum weir_shutdown sim_mailbox_shutdown(struct sim_client *client, uint64_t local_ns);
uint64_t sim_mailbox_reported_units(const struct sim_client *client);
/* For one that owns nothing besides. */
void sim_mailbox_free(struct sim_client *client);

#endif
