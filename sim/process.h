/* One API process: its clock, its arrivals, its limiter, and the requests that wait.
 *
 * Local decisions need no kernel. A process runs its own arrivals and timers ahead of the global
 * clock, up to its horizon: the earliest instant at which something could reach it from outside.
 * Nothing it does before then can be influenced, so running ahead changes no result; it only saves
 * one event per request. Whoever runs it sees to it that it does not run past the next event in the
 * life of any process.
 *
 * A process has one life after the other, and may be absent in between. What was sent to an earlier
 * life is not for it. While it is paused nothing runs: requests and replies queue up, and are
 * handled when it resumes, in the order in which they arrived, but all at the time of the resuming,
 * as that is what its clock reads then. Its timers come after them. process_life.c has these. */
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "changes.h"
#include "client.h"
#include "givings.h"
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

enum sim_process_state {
    SIM_PROCESS_RUNS = 0,
    SIM_PROCESS_LEAVES, /* takes no requests, and is gone when it has handed over what it holds */
    SIM_PROCESS_ABSENT, /* has no client */
};

/* What becomes of the counts of units spent and not reported when a process is killed. */
enum sim_mapping {
    SIM_MAPPING_SAVED = 0, /* they are in a file's memory, and are reported from there */
    SIM_MAPPING_LOST,
};

/* A reply that arrived while the process was paused. */
struct sim_held_reply {
    struct sim_exchange *exchange;
    uint64_t arrived_ns;
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
    struct sim_givings givings;

    struct sim_waiting *waiting; /* ring by ticket: entry (ticket mod capacity), tickets
                                    first_ticket ... next_ticket - 1 */
    size_t waiting_capacity;
    uint64_t first_ticket;
    uint64_t next_ticket;

    enum sim_process_state state;
    uint32_t life; /* how many ended */
    bool is_paused;
    uint64_t resumed_ns; /* nothing is handled before */
    struct sim_held_reply *held_replies;
    size_t held_reply_count;
    size_t held_reply_capacity;
    uint32_t told_count;       /* the fleet's size, as this process was told; 0: never */
    uint32_t told_by_fault;    /* ... by a fault; 0: none is in force */
    uint64_t reported_before;  /* units reported in earlier lives, ... */
    uint64_t undecided_before; /* ... and requests their limiters had no place for */

    uint8_t *touched; /* one bit per key: had a request here before, in this life */
    uint64_t requests;
    uint64_t admitted;
    uint64_t denied;
    uint64_t admitted_units;
    uint64_t demand_units;
};

void sim_process_init(struct sim_process *process, struct sim_world *world, uint32_t number);
void sim_process_deinit(struct sim_process *process);

void sim_process_enqueue(struct sim_process *process, const struct sim_arrival *arrival);

/* Send all that the client has to send, and hand it a reply that has landed. */
void sim_process_send_all(struct sim_process *process, uint64_t now_ns, uint64_t local_ns);
void sim_process_hand_in(struct sim_process *process, const struct sim_exchange *exchange,
                         uint64_t now_ns, uint64_t local_ns);

/* Run to until_ns, or to the horizon if that is earlier; what lies at the bound itself is left for
 * later. */
void sim_process_run(struct sim_process *process, uint64_t until_ns);

/* A reply arrives now. */
void sim_process_reply(struct sim_process *process, struct sim_exchange *exchange, uint64_t now_ns);

/* The store learned when the reply to this exchange can arrive at the earliest: the process may run
 * on. */
void sim_process_reply_known(struct sim_process *process, struct sim_exchange *exchange,
                             uint64_t reply_ns);

/* An exchange is under way no longer: its reply is here, or will never arrive. */
void sim_process_land(struct sim_process *process, const struct sim_exchange *exchange);

/* Replies whose time cannot be known in advance (a contended network) did not come before now_ns:
 * none comes before the next SIM_PROCESS_STEP_NS, or it is handled as if it came at their end. */
#define SIM_PROCESS_STEP_NS 10000
void sim_process_let_pass(struct sim_process *process, uint64_t now_ns);

/* ---- its life (process_life.c) ---- */

/* A reply arrives: it is of an earlier life. */
bool sim_process_is_stale(const struct sim_process *process, const struct sim_exchange *exchange);

/* It begins another life, as a new process or as a copy of another one that is there. Requires that
 * it is absent. */
void sim_process_start(struct sim_process *process, uint64_t now_ns);
void sim_process_fork(struct sim_process *process, const struct sim_process *parent,
                      uint64_t now_ns);

/* It is gone, with all it held and all that waited in it. Requires that it is not absent, and was
 * run to now_ns. */
void sim_process_kill(struct sim_process *process, uint64_t now_ns, enum sim_mapping mapping);

/* It is told to leave, and is gone once it has handed over what it holds: at once, or later. */
void sim_process_stop(struct sim_process *process, uint64_t now_ns);

/* Of a process that leaves: go on with it. */
void sim_process_leave(struct sim_process *process, uint64_t now_ns);

void sim_process_pause(struct sim_process *process);
void sim_process_resume(struct sim_process *process, uint64_t now_ns);

/* Keep a reply until it resumes. Requires that it is paused. */
void sim_process_hold(struct sim_process *process, struct sim_exchange *exchange, uint64_t now_ns);

/* The fleet has this many processes. */
void sim_process_tell_count(struct sim_process *process, uint32_t process_count);

/* For process_life.c. */
struct sim_client *sim_process_new_client(struct sim_process *process, uint64_t now_ns);
void sim_process_init_clock(struct sim_process *process, uint32_t number);
void sim_process_init_weights(struct sim_process *process);

/* Give back and report. True when all is handed over; false: call again after a while. */
bool sim_process_shutdown(struct sim_process *process, uint64_t now_ns);

/* Whether the request that was given this ticket has been decided. */
bool sim_process_is_settled(const struct sim_process *process, uint64_t ticket);

/* Requests that wait for their answer. */
uint64_t sim_process_waiting_count(const struct sim_process *process);

#endif
