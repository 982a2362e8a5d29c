/* What travels between a process and a store shard. One object per exchange goes there and comes
 * back. */
#ifndef SIM_EXCHANGE_H
#define SIM_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/ask.h"

enum sim_exchange_kind {
    SIM_EXCHANGE_ASK = 0, /* weir_take */
    SIM_EXCHANGE_ADD,     /* INCRBY on "rl:{key}:{window}", as the design note has it */
};

enum sim_exchange_end {
    SIM_EXCHANGE_ANSWERED = 0,
    SIM_EXCHANGE_REFUSED,  /* an error reply: not carried out */
    SIM_EXCHANGE_NOSCRIPT, /* the same, and to be sent again at once */
};

#define SIM_ASK_BYTES 160 /* on the wire, for scenarios with limited bandwidth */
#define SIM_ANSWER_BYTES 120

struct sim_exchange {
    enum sim_exchange_kind kind;
    enum sim_exchange_end end;
    uint32_t key;
    uint32_t process;
    uint32_t life;   /* of the process: its next one does not know this exchange */
    uint64_t ticket; /* of the request that waits for it, where a client needs it back */
    uint64_t sent_ns;
    uint64_t number;    /* of its message; each of a run has its own */
    uint64_t caller_us; /* what its process takes the store's clock to be */
    bool has_script;    /* sent again, script and all: no store can ask for it once more */
    bool is_copy;       /* a duplicate on the network */
    uint64_t done_ns;   /* true time at which the store had carried it out; UINT64_MAX: not yet */
    uint64_t reply_ns;  /* true time: earliest possible arrival of the reply */
    struct weir_ask ask;
    struct weir_answer answer;
    /* SIM_EXCHANGE_ADD */
    uint64_t add_window;
    uint64_t add_units;
    uint64_t add_count; /* reply: the counter after the addition */
    struct sim_exchange *next_free;
};

#endif
