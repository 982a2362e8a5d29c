/* What travels between a process and a store shard. One object per exchange goes there and comes
 * back. */
#ifndef SIM_EXCHANGE_H
#define SIM_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/ask.h"

/* All but asks are about the counter "rl:{key}:{window}", or the key's lock. */
enum sim_exchange_kind {
    SIM_EXCHANGE_ASK = 0,   /* weir_take */
    SIM_EXCHANGE_ADD,       /* INCRBY, and EXPIRE if the counter is new, in one script */
    SIM_EXCHANGE_GET,       /* GET */
    SIM_EXCHANGE_SET,       /* SET ... PX */
    SIM_EXCHANGE_INCREMENT, /* INCRBY alone */
    SIM_EXCHANGE_EXPIRE,    /* PEXPIRE */
    SIM_EXCHANGE_LOCK,      /* SET ... NX PX */
    SIM_EXCHANGE_UNLOCK,    /* DEL if the value is the caller's, in one script */
    SIM_EXCHANGE_SYNC,  /* add to the sum of all processes, and say what is left: store_sums.h */
    SIM_EXCHANGE_SHARE, /* say what was seen, and hear what all saw */
};

/* SIM_EXCHANGE_SYNC, SIM_EXCHANGE_SHARE */
struct sim_sync {
    uint64_t number; /* the client's own */
    uint64_t window; /* SYNC: of the key's phase; of a bucket 0 */
    uint64_t units;  /* SYNC: to add; SHARE: seen, in thousandths per interval */
    /* the reply */
    int64_t left_units; /* SYNC: below 0 if more was let through than there was */
    uint64_t own_units; /* SHARE: the process's, as smoothed, ... */
    uint64_t all_units; /* ... and those of all together */
};

enum sim_exchange_end {
    SIM_EXCHANGE_ANSWERED = 0,
    SIM_EXCHANGE_REFUSED,  /* an error reply: not carried out */
    SIM_EXCHANGE_NOSCRIPT, /* the same, and to be sent again at once */
};

#define SIM_ASK_BYTES 160 /* on the wire, for scenarios with limited bandwidth */
#define SIM_ANSWER_BYTES 120

/* Every message of a run has a number of its own, which does not depend on what others send: the
 * process's, how many it had sent, whether the network made a copy of it, and whether it is the
 * answer. */
#define SIM_EXCHANGE_COPY UINT64_C(2)
#define SIM_EXCHANGE_ANSWER UINT64_C(1)
static inline uint64_t sim_exchange_number(uint32_t process, uint64_t sent_count)
{
    return (uint64_t)process << 40 | sent_count << 2;
}

struct sim_exchange {
    enum sim_exchange_kind kind;
    enum sim_exchange_end end;
    uint32_t key;
    uint32_t process;
    uint32_t life;   /* of the process: its next one does not know this exchange */
    uint64_t ticket; /* of the request that waits for it, where a client needs it back */
    uint64_t sent_ns;
    uint64_t number;     /* of its message to the store, see sim_exchange_number */
    uint64_t caller_us;  /* what its process takes the store's clock to be */
    uint64_t effect;     /* which carrying out it was answered from, see records.h; 0: none */
    bool has_script;     /* sent again, script and all: no store can ask for it once more */
    bool is_copy;        /* a duplicate on the network */
    bool is_repeat;      /* its process has sent the same ask before */
    uint64_t arrived_ns; /* true time at which it reached the store */
    uint64_t done_ns;    /* true time at which the store had carried it out; UINT64_MAX: not yet */
    uint64_t reply_ns;   /* true time: earliest possible arrival of the reply */
    struct weir_ask ask;
    struct weir_answer answer;
    struct sim_sync sync;
    /* of counters and locks */
    uint32_t command; /* which one of its request */
    uint64_t add_window;
    uint64_t add_units;  /* SET: the new count */
    uint64_t add_count;  /* reply: the counter, after it changed */
    uint64_t ttl_us;     /* of the counter, or the lock */
    uint64_t lock_value; /* the lock that the caller takes, gives up, or takes itself to hold; 0: of
                            none */
    bool is_locked;      /* reply to LOCK: the caller has it */
    struct sim_exchange *next_free;
};

#endif
