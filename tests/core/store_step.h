/* A step of the store that must succeed, by a process of which no earlier ask is on record. */
#ifndef WEIR_STORE_STEP_H
#define WEIR_STORE_STEP_H

#include "core_support.h"

#include "weir/take.h"

static inline struct weir_answer store_step(struct weir_store_key *store,
                                            const struct weir_ask *ask, uint64_t now_us)
{
    struct weir_ask_record record = {0};
    struct weir_answer answer;

    assert_int_equal(weir_take(store, &record, ask, now_us, &the_run, &answer), WEIR_OK);
    return answer;
}

#endif
