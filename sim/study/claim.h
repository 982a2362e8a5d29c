/* Claims: what the design note says, the runs that put it to the test, and what to conclude from
 * their numbers. One file, NAME.claim.json, for each; scenarios/claims/claim.schema.json has the
 * format.
 *
 * Reading is strict: a claim that is read refers to nothing that is not there, so that judging it
 * (claim_judge.h) can only fail for want of a number in a result. */
#ifndef STUDY_CLAIM_H
#define STUDY_CLAIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "claim_picture.h"
#include "kernel.h"
#include "scenario.h"

/* Of figures, either way: whole numbers are exact up to here, and can be read. */
#define STUDY_FIGURE_MAX 1e15

enum study_seeds {
    STUDY_SEEDS_MEDIAN = 0,
    STUDY_SEEDS_MAX,
    STUDY_SEEDS_MIN,
};

enum study_claim_measure_kind {
    STUDY_MEASURE_RUN = 0,
    STUDY_MEASURE_VALUE,
    STUDY_MEASURE_CELL, /* of a table that a bench has written */
    STUDY_MEASURE_RATIO,
    STUDY_MEASURE_DIFFERENCE,
    STUDY_MEASURE_SUM,
    STUDY_MEASURE_PRODUCT,
    STUDY_MEASURE_MAX,
    STUDY_MEASURE_MIN,
};

enum study_outcome {
    STUDY_HOLDS = 0,
    STUDY_HOLDS_IF,
    STUDY_REFUTED,
    STUDY_MET, /* targets are met or missed */
    STUDY_MISSED,
    STUDY_OUTCOME_COUNT,
};

/* A scenario, with changes, over seeds. */
struct study_claim_run {
    char name[SIM_NAME_SIZE]; /* first, so that names can be searched */
    char *scenario;           /* from where the report is made; owned */
    const char **sets;        /* owned; the texts are not */
    size_t set_count;
    uint32_t seed_count; /* seeds 1 to seed_count; 0: one run with the scenario's own */
    enum sim_kernel_kind kernel;
    size_t first; /* the first of its runs in a batch; for whoever makes it */
};

struct study_claim_measure {
    char name[SIM_NAME_SIZE]; /* first, so that names can be searched */
    enum study_claim_measure_kind kind;
    const char *unit;
    const char *text; /* what it is; NULL: a step of the arithmetic, not shown */
    /* RUN */
    uint32_t run;
    const char *path;
    enum study_seeds seeds;
    /* VALUE */
    double value;
    /* CELL */
    char *file; /* from where the report is made; owned */
    const char *heading;
    const char *row;
    const char *column;
    /* of earlier measures */
    uint32_t *operands; /* owned */
    size_t operand_count;
};

struct study_condition {
    uint32_t measure;
    double minimum;
    double maximum;
};

#define STUDY_WORDS_BARE '#'

/* The first one whose conditions all hold is the one. */
struct study_verdict {
    enum study_outcome outcome;
    struct study_condition *conditions; /* owned */
    size_t condition_count;
    const char *words; /* {NAME} stands for a measure's value, {#NAME} for it without its unit */
};

/* Two measures that must agree: a run and what was worked out by hand. */
struct study_check {
    uint32_t measure;
    uint32_t against;
    double within;
    bool is_percent; /* of `against`; else in its unit */
};

struct study_claim {
    const char *id;
    size_t section; /* of study_sections */
    const char *claim;
    const char *source;
    char *file; /* owned */
    struct study_claim_run *runs;
    size_t run_count;
    struct study_claim_measure *measures;
    size_t measure_count;
    struct study_verdict *verdicts;
    size_t verdict_count;
    struct study_check *checks;
    size_t check_count;
    struct study_claim_picture picture; /* without rows: none */
    json_t *root;                       /* owned; what the texts are borrowed from */
};

/* The sections of the report that claims belong to, in its order. */
extern const char *const study_sections[];
extern const size_t study_section_count;

const char *study_outcome_name(enum study_outcome outcome);

/* Returns true, or false with *error filled and *claim zeroed. */
bool study_claim_load(struct study_claim *claim, const char *file, struct sim_error *error);
void study_claim_free(struct study_claim *claim);

/* The place of `name` among the claim's measures, or measure_count. `length` bytes of it. */
size_t study_claim_find(const struct study_claim *claim, const char *name, size_t length);

#endif
