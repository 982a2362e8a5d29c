/* Fault models: what goes wrong, when, and for whom. Pure values and functions: no clock, no I/O,
 * no random generator. A host (here the simulated world) asks at each point where something can go
 * wrong, and applies what it is told.
 *
 * Every fault is in force during [from_ns, until_ns) of true time, and concerns the processes and
 * shards of its target sets. Faults combine: several may be in force for one message, and what they
 * do adds up. A fault that draws lots draws them from a stream of its own, named by the run's seed,
 * its id and the number of the thing the lot is for, so that no fault shifts another's lots and
 * none depends on the order in which things are asked.
 *
 *   message.c   what happens to asks and answers on their way
 *   service.c   what a shard does with an ask, and to its memory and clock
 *   life.c      when processes run, pause, die and come back
 *   drift.c     what processes' clocks read
 *   demand.c    what becomes of the traffic
 *   push.c      what becomes of configuration pushes and of reports to billing
 *
 * The guarantee of each kind is stated with it below and held by tests/faults. */
#ifndef FAULTS_FAULT_H
#define FAULTS_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_ID_SIZE 64

enum fault_kind {
    /* the store. Targets: shards */
    FAULT_STORE_OUTAGE = 0, /* asks that arrive are neither carried out nor answered; with period_ns
                               only in the first on_ppm of each period: a flapping store */
    FAULT_STORE_SLOW,  /* service takes factor_ppm of its time; answers leave added_ns, and up to
                          spread_ns more, later */
    FAULT_STORE_ERROR, /* a part of the asks, probability_ppm, gets an error reply and is not
                          carried out */
    FAULT_STORE_CONNECTIONS, /* at most `limit` processes are connected, those of lowest number;
                                asks of the others are refused with an error */
    FAULT_STORE_FAILOVER, /* at from_ns a replica takes over that lags lag_ns behind: what was done
                             since is forgotten, under another run id */
    FAULT_STORE_EMPTY,    /* down during the fault, then back with no keys, under another run id */
    FAULT_STORE_EVICT,    /* a part of the keys, probability_ppm, loses its entry at from_ns, and
                             with period_ns again each period */
    FAULT_STORE_SPLIT,    /* two primaries: the target processes still talk to the old one, the
                             others to a replica promoted at from_ns, lag_ns behind; at until_ns
                             the old one's writes are dropped */
    FAULT_STORE_CLOCK,    /* the shards' clock reads step_ns more (or less) */

    /* between processes and shards. Targets: both */
    FAULT_REQUEST_LOST, /* a part of the asks never arrives */
    FAULT_REPLY_LOST,   /* a part of the asks is carried out, and the answer lost */
    FAULT_DUPLICATE,    /* a part of the asks arrives a second time, up to spread_ns later */
    FAULT_LOSS,         /* a part of all messages, either way, is lost */
    FAULT_DELAY,        /* every message takes added_ns and up to spread_ns longer */
    FAULT_PARTITION,    /* messages between the target processes and shards are lost: by `way` */
    FAULT_SLOW_LINK,  /* the shards' links carry bytes_per_s only; needs a scenario whose store has
                         limited bandwidth */
    FAULT_REGION_CUT, /* a partition, both ways, of all processes of a region from every shard */

    /* processes */
    FAULT_CRASH,  /* killed at from_ns with all it holds, started anew at until_ns (UINT64_MAX:
                     never) as another incarnation; with lose_mapping its unreported counts are
                     gone too */
    FAULT_DEPLOY, /* rolling: the target processes stop in turn, every period_ns one, in good order:
                     they give back and report, and are down for added_ns. Whose turn comes at
                     until_ns or later stays */
    FAULT_PAUSE,  /* nothing runs during the fault; what arrived meanwhile is handled after it */
    FAULT_FORK, /* at from_ns the process is copied, leases and all, into the one numbered process +
                   number of targets, which does not run before */
    FAULT_SCALE, /* the target processes run during the fault only (limit 1: out), or not during it
                    (limit 0: in) */
    FAULT_PROCESS_COUNT, /* the processes are told that the fleet has `limit` processes */

    /* clocks of processes */
    FAULT_CLOCK_OFFSET, /* reads step_ns more, from from_ns to until_ns: a step there and back */
    FAULT_CLOCK_DRIFT,  /* runs drift_ppb faster */
    FAULT_CLOCK_SQUARE, /* step_ns more in every second half of period_ns */
    FAULT_CLOCK_FROZEN, /* does not move, then jumps to where it would be */
    FAULT_CLOCK_SMEAR,  /* gains step_ns evenly over the fault: a smeared leap second */

    /* traffic */
    FAULT_DRAIN,   /* the balancer sends nothing to the target processes; theirs goes to the rest */
    FAULT_FLIP,    /* process p's requests go to process (p + limit) mod N */
    FAULT_RETRY,   /* all requests of the fault's time arrive at until_ns, within spread_ns: clients
                      that were cut off come back at once */
    FAULT_HOT_KEY, /* `limit` times the requests for one key */
    FAULT_CHURN,   /* requests go to the next of the population's keys, changing every period_ns */

    /* configuration pushes to the target processes, and reports to billing from them */
    FAULT_PUSH_LOST,    /* a part of the pushes */
    FAULT_PUSH_DELAYED, /* by added_ns and up to spread_ns more: they may overtake each other */
    FAULT_REPORT_LOST,  /* a part of the deliveries; the sender repeats them until acknowledged */
    FAULT_REPORT_DUPLICATE, /* a part arrives twice, up to spread_ns apart */
    FAULT_REPORT_DELAYED,   /* by added_ns and up to spread_ns: reordered */
    FAULT_KIND_COUNT,
};

enum fault_way {
    FAULT_BOTH_WAYS = 0,
    FAULT_TO_STORE,
    FAULT_TO_PROCESS,
};

/* An error reply of a store; none of them means that the ask was carried out. */
enum fault_error {
    FAULT_ERROR_NONE = 0,
    FAULT_ERROR_OOM,
    FAULT_ERROR_READONLY,
    FAULT_ERROR_LOADING,
    FAULT_ERROR_BUSY,
    FAULT_ERROR_NOSCRIPT, /* the script is to be sent again, at once */
    FAULT_ERROR_CONNECTIONS,
};

/* A set of numbers below `count`: all of them, or those with their byte set. */
struct fault_set {
    uint32_t count;
    uint8_t *member; /* NULL: all; owned by whoever made the fault */
};

/* What each kind uses is said above; the rest is 0, and 1,000,000 where that changes nothing: the
 * probability and the factor. What happens at an instant (a failover, a fork, an eviction without
 * period) is over at from_ns + 1. */
struct fault {
    char id[FAULT_ID_SIZE]; /* unique in a run */
    enum fault_kind kind;
    uint64_t from_ns;
    uint64_t until_ns;
    struct fault_set processes;
    struct fault_set shards;
    uint64_t seed; /* of its lots: a hash of the run's seed and the id */

    uint32_t probability_ppm; /* 1,000,000: all */
    uint64_t added_ns;
    uint64_t spread_ns;
    uint64_t period_ns;
    uint32_t on_ppm;
    uint32_t factor_ppm; /* 1,000,000: as usual */
    uint64_t lag_ns;
    int64_t step_ns;
    int32_t drift_ppb;
    uint32_t limit;
    uint64_t bytes_per_s;
    uint32_t population; /* hot key, churn: its index */
    uint32_t key_index;  /* within the population */
    enum fault_way way;
    enum fault_error error;
    bool lose_mapping;
};

/* The faults of a run, in the order of the scenario, and how often each did something. */
struct fault_list {
    struct fault *faults;
    size_t count;
    uint64_t *fired_count; /* by fault; NULL: nobody counts */
};

/* "store_outage" and so on, as scenarios name them. */
extern const char *const fault_kind_names[FAULT_KIND_COUNT];
extern const char *const fault_error_names[];

/* It did something once more. */
void fault_struck(const struct fault_list *list, size_t fault);

bool fault_set_holds(const struct fault_set *set, uint32_t number);

/* In force at time_ns; a fault with period_ns and on_ppm: in the on part of a period. */
bool fault_is_active(const struct fault *fault, uint64_t time_ns);

/* Of any of them, the first instant after time_ns at which one begins, ends or changes; UINT64_MAX:
 * none. */
uint64_t fault_next_change_ns(const struct fault_list *list, uint64_t time_ns);

/* When the last one has ended; 0: there are none. Faults that end with the run do not count. */
uint64_t fault_last_end_ns(const struct fault_list *list, uint64_t duration_ns);

/* Lots of a fault: uniform in [0, bound), for thing `number`. Requires bound > 0. */
uint64_t fault_lot(const struct fault *fault, uint64_t number, uint64_t bound);

/* Whether the lot says yes: by the fault's probability. */
bool fault_lot_hits(const struct fault *fault, uint64_t number);

/* A part of its spread, both ends included. */
uint64_t fault_lot_spread_ns(const struct fault *fault, uint64_t number);

/* --- message.c --- */
struct fault_fate {
    bool lost;
    uint64_t delay_ns;      /* on top of what the message takes */
    bool doubled;           /* a copy arrives too, ... */
    uint64_t copy_delay_ns; /* ... this much after it would without any fault */
};

/* What becomes of message `number` (each message of a run has its own) that leaves at time_ns. */
struct fault_fate fault_message(const struct fault_list *list, uint64_t time_ns, enum fault_way way,
                                uint32_t process, uint32_t shard, uint64_t number);

/* --- service.c --- */
struct fault_service {
    bool silent;            /* neither carried out nor answered */
    bool reply_is_lost;     /* carried out, not answered */
    enum fault_error error; /* not carried out */
    uint64_t service_ns;
    uint64_t reply_delay_ns;
};

/* What a shard does with an ask, message `number`, that arrives at time_ns and usually takes
 * service_ns. */
struct fault_service fault_service(const struct fault_list *list, uint64_t time_ns,
                                   uint32_t process, uint32_t shard, uint64_t number,
                                   uint64_t service_ns);

/* The shard's clock less true time; each call counts as one reading. */
int64_t fault_store_step_ns(const struct fault_list *list, uint64_t time_ns, uint32_t shard);

/* --- life.c --- */
enum fault_life_kind {
    FAULT_LIFE_KILL = 0, /* gone, with all it held */
    FAULT_LIFE_STOP,     /* in good order */
    FAULT_LIFE_START,    /* another incarnation */
    FAULT_LIFE_FORK,     /* it starts as a copy of process `parent` */
    FAULT_LIFE_PAUSE,
    FAULT_LIFE_RESUME,
    FAULT_LIFE_TOLD_COUNT, /* is told the fleet's size: `parent` processes; 0: the true one again */
};

struct fault_life {
    uint64_t time_ns;
    enum fault_life_kind kind;
    uint32_t process;
    uint32_t parent;
    uint32_t fault; /* index into the list */
};

/* All that happens to processes, in order of (time, process), into lives[]; returns how much that
 * is. If it may be more than `capacity`, returns the room that must be there, and lives[] holds
 * nothing of use. A process that is down at time 0 does not stop then, it is not up from the
 * beginning. One that several faults keep down comes back when the last of them ends, and one that
 * several pause resumes then. */
size_t fault_lives(const struct fault_list *list, uint32_t process_count, struct fault_life *lives,
                   size_t capacity);

/* Whether a process is there at time_ns, running or paused: no fault keeps it down. */
bool fault_is_up(const struct fault_list *list, uint64_t time_ns, uint32_t process);

/* Whether a process takes requests at time_ns: it runs, and is not drained. A paused one does. */
bool fault_takes_requests(const struct fault_list *list, uint64_t time_ns, uint32_t process);

/* --- drift.c --- */
/* A piece of a process's clock: from from_ns on it reads `reading_ns` + the time since, which runs
 * drift_ppb faster (-10^9: it stands still). */
struct fault_clock_piece {
    uint64_t from_ns;
    uint64_t reading_ns;
    int32_t drift_ppb;
    uint32_t fault; /* whose beginning or end it is; UINT32_MAX: the clock's own */
};

/* A clock without faults. */
struct fault_clock_own {
    uint64_t start_ns; /* at time 0 */
    int32_t drift_ppb;
};

/* What the piece reads at time_ns >= from_ns; 0 at the least. */
uint64_t fault_clock_read(const struct fault_clock_piece *piece, uint64_t time_ns);

/* The pieces, that begin before end_ns, of a clock that would read start_ns + time, drift_ppb
 * faster, by itself; in order, the first from 0. At most `capacity` of them into pieces[]; returns
 * how many there are. */
size_t fault_clock(const struct fault_list *list, uint32_t process,
                   const struct fault_clock_own *own, uint64_t end_ns,
                   struct fault_clock_piece *pieces, size_t capacity);

/* --- demand.c --- */
#define FAULT_NO_PROCESS UINT32_MAX

/* Which process gets request `number` of the run, that the balancer gave to `process`: another one
 * after a flip, and one of those that take requests, each as likely, where that one does not.
 * FAULT_NO_PROCESS: none does. */
uint32_t fault_reroute(const struct fault_list *list, uint64_t time_ns, uint32_t process,
                       uint32_t process_count, uint64_t number);

/* When request `number` of the run, that would arrive at time_ns, does: FAULT_RETRY. */
uint64_t fault_arrival_ns(const struct fault_list *list, uint64_t time_ns, uint64_t number);

/* Which key of its population of key_count keys a request goes to: FAULT_CHURN. */
uint32_t fault_churn(const struct fault_list *list, uint64_t time_ns, uint32_t population,
                     uint32_t key_index, uint32_t key_count);

/* How many requests come on top of one for this key, and when the nth of them, from 0, does:
 * FAULT_HOT_KEY. They are spread over the next second, so that what was a Poisson process stays
 * one; UINT64_MAX: not during the fault any more. */
uint32_t fault_extra_count(const struct fault_list *list, uint64_t time_ns, uint32_t population,
                           uint32_t key_index);
uint64_t fault_extra_ns(const struct fault_list *list, uint64_t time_ns, uint32_t population,
                        uint32_t key_index, uint64_t number, uint32_t nth);

/* --- push.c --- */
/* What becomes of delivery `number` of a push, or a report, that would arrive at time_ns. Numbers
 * are unique in a run, for each of the two. */
struct fault_fate fault_push(const struct fault_list *list, uint64_t time_ns, uint32_t process,
                             uint64_t number);
struct fault_fate fault_report(const struct fault_list *list, uint64_t time_ns, uint32_t process,
                               uint64_t number);

#endif
