/* Near misses: of the words that would have been right, the one that was probably meant. */
#ifndef SIM_SCENARIO_SUGGEST_H
#define SIM_SCENARIO_SUGGEST_H

#include <stddef.h>

struct sim_suggestion {
    const char *found; /* what was written */
    const char *best;  /* the closest word offered so far, or NULL if none is close */
    size_t distance;
};

/* Offer one word that is allowed. Close means: at most two edits (insert, delete, replace, swap
 * neighbours) and at most one per two characters, or the same word with another spelling of its
 * unit (rate_per_second for rate_per_s). */
void sim_suggestion_offer(struct sim_suggestion *suggestion, const char *word);

#endif
