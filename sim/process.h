/* One API process: its clock, its arrivals, its limiter, and the requests that wait.
 *
 * Local decisions need no kernel. A process runs its own arrivals and timers ahead of the global
 * clock, up to its horizon: the earliest instant at which something could reach it from outside.
 * Nothing it does before then can be influenced, so running ahead changes no result; it only saves
 * one event per request. */
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "changes.h"
#include "client.h"
#include "prng.h"
#include "traffic.h"
#include "virtual_clock.h"

struct sim_world;

/* A request that waits for the store. */
struct sim_waiting {
    uint64_t arrived_ns;
    uint32_t key;
    uint32_t cost_units;
    uint32_t charged_units; /* what the process debits: by the weight it knows */
    uint32_t job;           /* of sim_arrival */
    bool first_touch;
    bool settled;
};

struct sim_process {
    uint32_t number;
    struct sim_world *world;
    struct sim_virtual_clock clock;
    struct sim_client *client;
    struct sim_prng jitter;
    struct sim_pushes pushes;
    uint32_t *weights; /* by endpoint, as heard of */
    uint64_t stale_push_count;
    uint64_t unlimited_units; /* admitted by plans that limit nothing */
    uint64_t now_ns;          /* how far it has been run */
    uint64_t timer_local_ns;  /* the client's deadline by its own clock, and in true time */
    uint64_t timer_ns;

    struct sim_arrival *arrivals; /* of the current epoch, from arrival_next on */
    size_t arrival_next;
    size_t arrival_count;
    size_t arrival_capacity;

    struct sim_exchange **in_flight;
    size_t in_flight_count;
    size_t in_flight_capacity;
    uint64_t horizon_ns; /* earliest reply of them; UINT64_MAX: none */
    uint64_t sent_count;

    struct sim_waiting *waiting; /* ring by ticket: entry (ticket mod capacity), tickets
                                    first_ticket ... next_ticket - 1 */
    size_t waiting_capacity;
    uint64_t first_ticket;
    uint64_t next_ticket;

    uint8_t *touched; /* one bit per key: had a request here before */
    uint64_t requests;
    uint64_t admitted;
    uint64_t denied;
    uint64_t admitted_units;
    uint64_t demand_units;
};

void sim_process_init(struct sim_process *process, struct sim_world *world, uint32_t number);
void sim_process_deinit(struct sim_process *process);

void sim_process_enqueue(struct sim_process *process, const struct sim_arrival *arrival);

/* Run to until_ns, or to the horizon if that is earlier; what lies at the bound itself is left for
 * later. */
void sim_process_run(struct sim_process *process, uint64_t until_ns);

/* A reply arrives now. */
void sim_process_reply(struct sim_process *process, struct sim_exchange *exchange, uint64_t now_ns);

/* The store learned when the reply to this exchange can arrive at the earliest: the process may run
 * on. */
void sim_process_reply_known(struct sim_process *process, struct sim_exchange *exchange,
                             uint64_t reply_ns);

/* No reply to this exchange will ever arrive. */
void sim_process_reply_lost(struct sim_process *process, struct sim_exchange *exchange);

/* Replies whose time cannot be known in advance (a contended network) did not come before now_ns:
 * none comes before the next SIM_PROCESS_STEP_NS, or it is handled as if it came at their end. */
#define SIM_PROCESS_STEP_NS 10000
void sim_process_let_pass(struct sim_process *process, uint64_t now_ns);

/* Give back and report. True when all is handed over; false: call again after a while. */
bool sim_process_shutdown(struct sim_process *process, uint64_t now_ns);

/* Requests whose answer never came. */
uint64_t sim_process_waiting_count(const struct sim_process *process);

#endif
