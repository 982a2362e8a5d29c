/* Status codes: whether a call could do its work. What was decided about a request is a verdict,
 * not a status (weir/decision.h): a denial is a normal result. */
#ifndef WEIR_STATUS_H
#define WEIR_STATUS_H

#if defined(__GNUC__)
#define WEIR_MUST_CHECK __attribute__((warn_unused_result))
#else
#define WEIR_MUST_CHECK
#endif

enum weir_status {
    WEIR_OK = 0,
    WEIR_ERR_ARGUMENT = -1,    /* a value outside its documented range */
    WEIR_ERR_MEMORY_SIZE = -2, /* the memory handed over is too small or misaligned */
    WEIR_ERR_PLAN_INDEX = -3,  /* no such plan slot */
    WEIR_ERR_PLAN_INEXACT =
        -4, /* rate and capacity whose products would not be exact (weir/plan.h) */
    WEIR_ERR_STALE_VERSION = -5, /* not newer than what is in force; nothing changed */
    WEIR_ERR_UNKNOWN_PLAN = -6,  /* the request names a plan that was never set */
    WEIR_ERR_COST = -7,          /* weight x cost is above WEIR_COST_MAX */
    WEIR_ERR_OUTBOX_FULL = -8,   /* drain next_ask and next_report first; nothing changed */
    WEIR_ERR_TABLE_BUSY = -9,    /* the table is full and every sampled key waits for the store */
    WEIR_ERR_UNEXPECTED = -10,   /* an answer that no ask in flight matches; ignored */
};

/* One short English sentence, without a full stop. Never NULL. */
const char *weir_status_text(enum weir_status status);

#endif
