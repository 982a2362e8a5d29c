#include "weighted.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "elementary.h"
#include "memory.h"

/* What Vose's method works on. One array holds both work lists: indices whose share is below a
 * whole column grow from its front, the others from its back. */
struct build {
    double *shares; /* of each index, in columns: the sum is count */
    uint32_t *list;
    uint32_t small_count;
    uint32_t large_count;
    uint32_t count;
};

static void build_push(struct build *build, uint32_t index)
{
    if (build->shares[index] < 1.0) {
        build->list[build->small_count++] = index;
    } else {
        build->list[build->count - ++build->large_count] = index;
    }
    assert(build->small_count + build->large_count <= build->count);
}

static void build_init(struct build *build, const double *weights, uint32_t count)
{
    double sum = 0.0;

    *build = (struct build){.count = count};
    for (uint32_t i = 0; i < count; i++) {
        assert(weights[i] >= 0.0);
        sum += weights[i];
    }
    assert(sum > 0.0);

    build->shares = sim_memory_new(count, sizeof *build->shares);
    build->list = sim_memory_new(count, sizeof *build->list);
    for (uint32_t i = 0; i < count; i++) {
        build->shares[i] = weights[i] / sum * (double)count;
        build_push(build, i);
    }
}

static void column_set(struct sim_weighted_column *column, double share, uint32_t alias)
{
    double threshold = share * 0x1p32 + 0.5;

    column->threshold = threshold < 0x1p32 ? (uint32_t)threshold : UINT32_MAX;
    column->alias = alias;
}

static void column_fill(struct sim_weighted_column *columns, uint32_t index)
{
    columns[index] = (struct sim_weighted_column){.threshold = UINT32_MAX, .alias = index};
}

/* Vose, "A linear algorithm for generating random numbers with a given distribution", 1991: a
 * column too small for its own index is filled up by a large one, which shrinks by that much. */
static void build_columns(struct build *build, struct sim_weighted_column *columns)
{
    while (build->small_count > 0 && build->large_count > 0) {
        uint32_t small = build->list[--build->small_count];
        uint32_t large = build->list[build->count - build->large_count--];

        column_set(&columns[small], build->shares[small], large);
        build->shares[large] -= 1.0 - build->shares[small];
        build_push(build, large);
    }
    /* The shares left sum to the number of columns left, so on one side only whole ones are left,
     * but for rounding: never one of weight 0. */
    while (build->large_count > 0) {
        column_fill(columns, build->list[build->count - build->large_count--]);
    }
    while (build->small_count > 0) {
        column_fill(columns, build->list[--build->small_count]);
    }
}

void sim_weighted_init(struct sim_weighted *weighted, const double *weights, uint32_t count)
{
    assert(count > 0);
    struct build build;

    weighted->count = count;
    weighted->columns = sim_memory_new(count, sizeof *weighted->columns);
    build_init(&build, weights, count);
    build_columns(&build, weighted->columns);
    free(build.shares);
    free(build.list);
}

void sim_weighted_init_zipf(struct sim_weighted *weighted, uint32_t count, uint32_t exponent_ppm)
{
    assert(count > 0);
    double *weights;

    *weighted = (struct sim_weighted){.count = count};
    if (exponent_ppm == 0) {
        return;
    }
    weights = sim_memory_new(count, sizeof *weights);
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = sim_power((double)i + 1.0, -(double)exponent_ppm / 1e6);
    }
    sim_weighted_init(weighted, weights, count);
    free(weights);
}

void sim_weighted_deinit(struct sim_weighted *weighted)
{
    free(weighted->columns);
    *weighted = (struct sim_weighted){0};
}

uint32_t sim_weighted_draw(const struct sim_weighted *weighted, struct sim_prng *prng)
{
    if (weighted->columns == NULL) {
        return (uint32_t)sim_prng_below(prng, weighted->count);
    }

    /* The upper half of the product is the column, the lower half is uniform within it. */
    __extension__ unsigned __int128 product = sim_prng_next(prng);

    product *= weighted->count;

    uint32_t index = (uint32_t)(product >> 64);
    uint32_t fraction = (uint32_t)((uint64_t)product >> 32);
    const struct sim_weighted_column *column = &weighted->columns[index];

    return fraction < column->threshold ? index : column->alias;
}
