/* Why an interval was off: each unit of its error is booked to one cause, by conservation of
 * permits. Definitions as in docs/MODEL.md, "Causes".
 *
 * Invariant: the parts of an interval sum to its error. */
#ifndef SIM_CAUSE_H
#define SIM_CAUSE_H

#include <stdint.h>

#include "accuracy.h"

enum sim_cause {
    SIM_CAUSE_PARKED = 0, /* taken from the store, and not spent by the end of the interval */
    SIM_CAUSE_UNCLAIMED,  /* left in the store, while processes denied */
    SIM_CAUSE_WITHHELD,   /* refill that the capacity had no room for, because of permits counted as
                             out */
    SIM_CAUSE_RACE,       /* granted beyond what the store had: lost updates of a baseline */
    SIM_CAUSE_STALE_PLAN, /* debited by an old weight: more or less than the request costs */
    SIM_CAUSE_PLAN_CHANGE,  /* the plan changed in the interval, or its intervals are not its
                               windows; and conservation does not say which of the others it is */
    SIM_CAUSE_DEAD_PROCESS, /* permits that a process held when it died */
    SIM_CAUSE_LOST_REPLY,   /* permits in an answer that never arrived */
    SIM_CAUSE_DEGRADED,     /* admitted without the store, or charged for it afterwards */
    SIM_CAUSE_DATA_LOST,    /* the store forgot what had been taken, or took it as taken */
    SIM_CAUSE_CLOCK,        /* a clock stepped, froze or ran off */
    SIM_CAUSE_UNEXPLAINED,
    SIM_CAUSE_COUNT,
};

extern const char *const sim_cause_names[SIM_CAUSE_COUNT];

/* What becomes of the part of an error that conservation does not attribute. */
enum sim_rest {
    SIM_REST_IS_WITHHELD = 0,    /* a bucket: the difference in refill */
    SIM_REST_IS_RACE_OR_NOTHING, /* its own windows have no refill: the store gave more than it had
                                  */
    SIM_REST_IS_CHANGE,          /* the plan changed, or its windows end within the interval */
    SIM_REST_IS_DATA_LOST,       /* the store's own numbers do not add up, as it forgot some */
    SIM_REST_IS_CLOCK,           /* the same, as its clock stepped */
    SIM_REST_ALL_IS_CHANGE,      /* and for a part there was no limit: nothing conserves */
    SIM_REST_ALL_IS_NOTHING,     /* there is no limit at all: there can be no error */
};

enum sim_rest sim_cause_rest(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval);

/* What each cause adds to `error`: oracle - admitted; of a plan that never limits anything,
 * demand - admitted. */
void sim_cause_split(const struct sim_accuracy *accuracy, uint32_t key, uint32_t interval,
                     int64_t error, int64_t part[SIM_CAUSE_COUNT]);

/* Book `units` of an error of the given sign to the causes that have that sign: first what a fault
 * did, then what is left. Adds to causes[], and returns the largest. */
enum sim_cause sim_cause_book(const int64_t part[SIM_CAUSE_COUNT], int sign, uint64_t units,
                              uint64_t causes[SIM_CAUSE_COUNT]);

#endif
