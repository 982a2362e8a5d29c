/* A scenario: one JSON file, read strictly into plain structs.
 *
 * Everything is integer here: times in nanoseconds or microseconds of true time, ratios in parts
 * per million. The reader rejects what it does not know (an unknown key must not become a default)
 * and reports one error that names file, line, JSON path, what was found and what is allowed.
 * Ownership: sim_scenario_load allocates; sim_scenario_free releases. Not thread-safe per object.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

#define SIM_NAME_SIZE 64 /* bytes, with the terminating zero */

enum sim_algorithm {
    SIM_ALGORITHM_BUCKET = 0,
    SIM_ALGORITHM_WINDOW,
    SIM_ALGORITHM_SLIDING,   /* weighted previous and current window */
    SIM_ALGORITHM_LOG,       /* exact: any window's length admits at most the limit */
    SIM_ALGORITHM_UNLIMITED, /* everything is admitted, and counted */
};

enum sim_coordination {
    SIM_COORDINATION_LEASE = 0,       /* the core limiter */
    SIM_COORDINATION_PER_REQUEST,     /* one atomic ask per request */
    SIM_COORDINATION_AS_WRITTEN,      /* the design note's pseudo-code, races included */
    SIM_COORDINATION_READ_THEN_WRITE, /* GET, decide, SET */
    SIM_COORDINATION_TWO_COMMANDS,    /* INCRBY, then EXPIRE if the counter is new */
    SIM_COORDINATION_LOCK,            /* GET and SET under a lock of the key */
    SIM_COORDINATION_SERVICE,         /* what is called the store is a service that decides */
    SIM_COORDINATION_LOCAL_SPLIT,     /* each process alone, with its part of the limit */
    SIM_COORDINATION_ASYNC_SYNC, /* decide by a copy of the count, and bring it up to date now and
                                    then */
    SIM_COORDINATION_RATE_SHARE, /* parts of the limit by the demand seen, dealt out now and then */
    SIM_COORDINATION_COUNT,
};

/* How read_then_write writes. */
enum sim_write {
    SIM_WRITE_SET = 0, /* what was read and the cost on top: others' writes are overwritten */
    SIM_WRITE_ADD,     /* INCRBY */
};

/* As scenarios name them. */
extern const char *const sim_coordination_names[SIM_COORDINATION_COUNT];

enum sim_sizer {
    SIM_SIZER_TAPERED = 0,
    SIM_SIZER_FIXED,
    SIM_SIZER_RATE,     /* a tenth of what the process saw of the key in a window, at most 100 */
    SIM_SIZER_DOUBLING, /* doubled when a lease runs out early, halved when it does not */
};

/* What a process does with a key its table has no room for. */
enum sim_full_table {
    SIM_FULL_TABLE_EVICT = 0,   /* the coldest key leaves */
    SIM_FULL_TABLE_PER_REQUEST, /* the store decides its requests one by one */
};

/* What a process does while the store does not answer; as enum weir_degraded_policy. */
enum sim_degraded {
    SIM_DEGRADED_BOUNDED = 0,
    SIM_DEGRADED_UNIFORM,
    SIM_DEGRADED_SHARE,
    SIM_DEGRADED_OPEN,
    SIM_DEGRADED_CLOSED,
};

enum sim_balance_kind {
    SIM_BALANCE_UNIFORM = 0,
    SIM_BALANCE_ZIPF,    /* process (first + i) mod N has weight 1 / (i + 1)^exponent */
    SIM_BALANCE_WEIGHTS, /* one weight per process */
    SIM_BALANCE_STICKY,  /* each key uses `process_count` neighbours, chosen by the key's name */
};

/* One way of spreading requests over processes. */
struct sim_balance_rule {
    enum sim_balance_kind kind;
    uint32_t exponent_ppm; /* zipf: 1100000 = 1.1 */
    /* zipf and sticky: shifts the ranks, so that a flip can move the load */
    uint32_t first_process;
    uint32_t process_count; /* sticky */
    uint64_t *weights;      /* weights: fleet.process_count entries, in ppm; owned */
};

/* A balance that may change once: `before` rules until flip_ns, `after` from then on. */
struct sim_balance {
    struct sim_balance_rule before;
    struct sim_balance_rule after;
    uint64_t flip_ns; /* UINT64_MAX: never */
};

struct sim_plan {
    char name[SIM_NAME_SIZE];
    enum sim_algorithm algorithm;
    uint64_t rate_units;     /* rate = rate_units per rate_period_us, lowest terms not required */
    uint64_t rate_period_us; /* 1 s, 60 s, 3,600 s or 86,400 s */
    uint64_t capacity_units; /* bucket only; window plans: 0 */
    uint64_t window_us;      /* default 60 s; also the bucket's accounting window */
    uint32_t start_fill_ppm; /* part of the capacity (window: of the limit) present at time 0 */
    enum sim_sizer sizer;    /* the limiter's unless the plan names its own */
    uint32_t fixed_lease_units;
    enum sim_degraded degraded; /* the limiter's unless the plan names its own */
};

enum sim_change_kind {
    SIM_CHANGE_PLAN = 0, /* new numbers, or another algorithm */
    SIM_CHANGE_DELETE,   /* the plan is gone: its requests are denied */
    SIM_CHANGE_WEIGHT,   /* of an endpoint */
};

/* A configuration change in mid-run. It is in force from at_ns on; each process hears of it a
 * uniform time within spread_ns later, 1 + repeats times, each time with a delay of its own: so
 * pushes of one plan may overtake each other. */
struct sim_change {
    enum sim_change_kind kind;
    uint64_t at_ns;     /* changes are in order of at_ns */
    uint64_t spread_ns; /* 0: every process hears at once */
    uint32_t repeats;
    uint32_t target;       /* index of the plan or endpoint */
    struct sim_plan plan;  /* PLAN: all of it but the name; start_fill_ppm is not used */
    uint32_t weight_units; /* WEIGHT */
};

struct sim_endpoint {
    char name[SIM_NAME_SIZE];
    uint32_t weight_units; /* a request's cost */
};

struct sim_endpoint_share {
    uint32_t endpoint;  /* index into endpoints */
    uint32_t share_ppm; /* of this population's requests; the shares sum to 1,000,000 +- rounding */
};

/* A population of keys that share a plan, a popularity law, a balance and an endpoint mix. */
struct sim_population {
    char name[SIM_NAME_SIZE];
    uint32_t plan; /* index into plans */
    uint32_t key_count;
    uint32_t zipf_ppm;              /* popularity exponent in ppm; 0: every key the same */
    struct sim_balance balance;     /* fleet.balance unless the population names its own */
    struct sim_endpoint_share *mix; /* empty: every request costs one unit; owned */
    size_t mix_count;
};

enum sim_pattern {
    SIM_PATTERN_POISSON = 0, /* the default */
    SIM_PATTERN_CONSTANT,    /* evenly spaced, with a random phase */
    SIM_PATTERN_ON_OFF,      /* Poisson at demand / on_ppm during the first on_ppm of each period */
    SIM_PATTERN_BURST,  /* request_count requests per key, evenly spread over spread_ns from from_ns
                         */
    SIM_PATTERN_HERD,   /* request_count requests per key, evenly spread over spread_ns, at each
                           boundary of true time that is a multiple of the plan's window */
    SIM_PATTERN_TRACE,  /* a CSV file of time, key, cost */
    SIM_PATTERN_CLOSED, /* client_count clients per key, each sends its next request an exponential
                           think time after the last one was admitted or given up */
};

/* What a client does when it is denied. */
enum sim_denial_kind {
    SIM_DENIAL_IGNORE = 0,    /* gives up this request */
    SIM_DENIAL_RETRY_AT_ONCE, /* after delay_ns */
    SIM_DENIAL_OBEY,          /* after retry_after, at least delay_ns */
    SIM_DENIAL_OBEY_JITTER,   /* ... and a uniform time within jitter_ns on top */
    SIM_DENIAL_BACKOFF,       /* uniform in [0, first_ns x 2^n], n denials so far (full jitter), at
                                 most longest_ns, at least delay_ns */
};

struct sim_on_denial {
    enum sim_denial_kind kind;
    uint32_t attempts_max; /* then the client gives up; 1 ... 1,000 */
    uint64_t delay_ns;     /* from a denial to the earliest next attempt: the client's own network;
                              at least 1 ms */
    uint64_t jitter_ns;
    uint64_t first_ns;
    uint64_t longest_ns;
};

struct sim_trace_row {
    uint64_t time_ns; /* from the start of the trace */
    uint32_t key;     /* index within the population */
    uint32_t cost_units;
};

struct sim_traffic_spec {
    uint32_t population;
    enum sim_pattern pattern;
    /* mean demand of the population's average key, as a part of its plan's rate */
    uint64_t demand_ppm;
    uint64_t from_ns;
    uint64_t until_ns;          /* duration when not given */
    uint64_t period_ns;         /* on_off */
    uint32_t on_ppm;            /* on_off: part of the period with traffic */
    uint64_t request_count;     /* burst, herd: per key */
    uint64_t spread_ns;         /* burst, herd */
    struct sim_trace_row *rows; /* trace: sorted by time; owned */
    size_t row_count;
    uint32_t client_count; /* closed: per key */
    uint64_t think_ns;     /* closed: mean */
    struct sim_on_denial on_denial;
};

/* A customer asks what remains, over several connections at once. */
struct sim_poll {
    uint32_t population; /* each of its keys is polled */
    uint64_t every_ns;
    uint64_t from_ns;
    uint64_t until_ns;
    uint32_t connection_count; /* each lands on a process that the balance picks */
};

/* Protections that can be switched off, to see what they are for. */
enum sim_without {
    SIM_WITHOUT_BREAKER = 1,        /* every ask is sent, whatever became of those before */
    SIM_WITHOUT_VERSIONS = 2,       /* asks do not say what their process saw */
    SIM_WITHOUT_CHARGE_TIME = 4,    /* what was admitted without the store is charged as of now */
    SIM_WITHOUT_STORE_TIME = 8,     /* the store goes by its caller's clock */
    SIM_WITHOUT_SPENT_MAPPING = 16, /* units not yet reported die with their process */
};

/* Consecutive processes. */
struct sim_region {
    char name[SIM_NAME_SIZE];
    uint32_t first_process;
    uint32_t process_count;
};

/* A bound on one path of the result. */
struct sim_expectation {
    char path[96];
    double minimum;             /* -INFINITY when there is none */
    double maximum;             /* INFINITY when there is none */
    char target[SIM_NAME_SIZE]; /* the name in targets.json it was taken from, or "" */
};

struct sim_scenario {
    char name[SIM_NAME_SIZE]; /* file name without .json unless the file says otherwise */
    char *why;                /* owned */
    uint64_t seed;
    uint64_t duration_ns;

    /* fleet */
    uint32_t process_count;
    struct sim_region *regions;
    size_t region_count;
    struct sim_balance balance;
    uint64_t clock_offset_max_ns; /* each process's clock is off by a constant in +- this */
    uint32_t clock_drift_max_ppb; /* and drifts by a constant in +- this */

    /* store */
    uint32_t shard_count;
    uint64_t round_trip_ns;         /* without jitter, service and queueing */
    uint64_t jitter_ns;             /* each way adds a uniform amount in [0, jitter_ns / 2] */
    uint64_t service_ns;            /* one ask's work on its shard: 1e9 / capacity_per_s */
    uint64_t bandwidth_bytes_per_s; /* of each shard's link; 0: no contention is modelled */

    /* limiter */
    enum sim_coordination coordination;
    enum sim_sizer sizer;
    uint32_t fixed_lease_units;
    uint32_t table_keys; /* bound of each process's key table; 0: all keys fit */
    enum sim_full_table full_table;
    enum sim_degraded degraded;
    uint64_t wait_max_ns;
    uint64_t ask_timeout_ns;
    enum sim_write write;
    uint32_t counter_ttl_windows; /* of counters: windows that they live from their first write */
    uint64_t lock_ttl_ns;
    uint64_t lock_retry_ns;    /* most of the first wait between attempts; doubles up to 64 times */
    uint64_t lock_wait_ns;     /* then a request gives the lock up */
    uint64_t service_store_ns; /* service: round trip to the store behind it; 0: in its memory */
    uint64_t sync_interval_ns; /* async_sync, rate_share */
    uint64_t *split_weights;   /* local_split: one per process, in ppm; NULL: all alike; owned */
    unsigned without;          /* enum sim_without */

    struct fault_list faults; /* its arrays are owned */

    struct sim_plan *plans;
    size_t plan_count;
    struct sim_endpoint *endpoints;
    size_t endpoint_count;
    struct sim_population *populations;
    size_t population_count;
    struct sim_traffic_spec *traffic;
    size_t traffic_count;
    struct sim_change *changes;
    size_t change_count;
    struct sim_poll *polls;
    size_t poll_count;
    struct sim_expectation *expectations;
    size_t expectation_count;
};

struct sim_error {
    int line; /* 1-based; 0: not known (a --set, or the file could not be read) */
    int column;
    char text[400]; /* one line, complete: "file:line: path: what was found; what is allowed" */
};

/* Read `path`, apply `set_count` overrides of the form "a.b[0].c=VALUE" (VALUE is JSON, or a bare
 * string), validate, resolve names. Returns true, or false with *error filled and *scenario zeroed.
 */
bool sim_scenario_load(struct sim_scenario *scenario, const char *path, const char *const *sets,
                       size_t set_count, struct sim_error *error);
void sim_scenario_free(struct sim_scenario *scenario);

/* Whether its limiters count in plain counters, one for each key and window, in windows of their
 * processes' clocks that begin together. */
bool sim_scenario_keeps_counters(const struct sim_scenario *scenario);

#endif
