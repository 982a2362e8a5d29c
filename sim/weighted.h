/* Draw an index in [0, count) in proportion to fixed weights, in O(1): Walker's alias table.
 *
 * 8 bytes per index. A draw's probability is within 2^-32 / count of the exact weight's for an
 * index below the average, within 2^-32 for any other; weight 0 is never drawn. */
#ifndef SIM_WEIGHTED_H
#define SIM_WEIGHTED_H

#include <stdint.h>

#include "prng.h"

/* A column is chosen uniformly; then the index itself with probability threshold / 2^32, else its
 * alias. A column that is all its own is its own alias. */
struct sim_weighted_column {
    uint32_t threshold;
    uint32_t alias;
};

struct sim_weighted {
    struct sim_weighted_column *columns; /* count of them; NULL: all weights are the same */
    uint32_t count;
};

_Static_assert(sizeof(struct sim_weighted_column) == 8, "5 million keys must fit in 40 MB");

/* Requires count > 0 and at least one weight > 0. The weights are not kept. */
void sim_weighted_init(struct sim_weighted *weighted, const double *weights, uint32_t count);

/* Index i has weight 1 / (i + 1)^(exponent_ppm / 1e6). Requires count > 0. */
void sim_weighted_init_zipf(struct sim_weighted *weighted, uint32_t count, uint32_t exponent_ppm);

void sim_weighted_deinit(struct sim_weighted *weighted);

/* Takes one number from the stream (without a table: one, hardly ever more). */
uint32_t sim_weighted_draw(const struct sim_weighted *weighted, struct sim_prng *prng);

#endif
