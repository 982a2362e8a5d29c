#include "schedule.h"

#include <assert.h>
#include <stddef.h>

#define PPM UINT64_C(1000000)
#define SPAN_MAX_NS 0x1p62             /* 146 years */
#define END_MAX_NS (UINT64_C(1) << 63) /* so that no sum of an instant and a span overflows */

/* ---- the clock of random and constant traffic ---- */

static void clock_add(struct sim_schedule *schedule, double span_ns)
{
    double sum_ns = schedule->clock_fraction_ns + span_ns;

    if (sum_ns >= SPAN_MAX_NS || schedule->clock_ns >= END_MAX_NS) {
        schedule->clock_ns = UINT64_MAX; /* beyond any end */
        return;
    }

    uint64_t whole_ns = (uint64_t)sum_ns;

    schedule->clock_ns += whole_ns;
    schedule->clock_fraction_ns = sum_ns - (double)whole_ns;
}

/* Time with traffic before time_ns. */
static uint64_t on_time_before(const struct sim_schedule *schedule, uint64_t time_ns)
{
    uint64_t within_ns = time_ns % schedule->spec->period_ns;

    if (within_ns > schedule->on_ns) {
        within_ns = schedule->on_ns;
    }
    return time_ns / schedule->spec->period_ns * schedule->on_ns + within_ns;
}

/* True time at which that much time with traffic has passed; UINT64_MAX: after the end. */
static uint64_t on_time_to_true(const struct sim_schedule *schedule)
{
    uint64_t period_index = schedule->clock_ns / schedule->on_ns;

    if (period_index > schedule->end_ns / schedule->spec->period_ns) {
        return UINT64_MAX;
    }
    return period_index * schedule->spec->period_ns + schedule->clock_ns % schedule->on_ns;
}

static void clock_start(struct sim_schedule *schedule, const struct sim_schedule_options *options)
{
    if (options->gap_ns >= SPAN_MAX_NS) {
        return; /* no demand */
    }
    schedule->gap_ns = options->gap_ns;
    schedule->clock_ns = schedule->spec->from_ns;
    if (schedule->spec->pattern == SIM_PATTERN_CONSTANT) {
        double phase = (double)(sim_prng_next(&schedule->prng) >> 11) * 0x1p-53;

        schedule->key = SIM_SCHEDULE_ANY_KEY;
        if (options->keys_take_turns) {
            schedule->key = (uint32_t)sim_prng_below(&schedule->prng, schedule->key_count);
        }
        clock_add(schedule, phase * schedule->gap_ns);
        schedule->next_ns = schedule->clock_ns;
        return;
    }
    if (schedule->spec->pattern == SIM_PATTERN_ON_OFF) {
        uint64_t period_ns = schedule->spec->period_ns;

        assert(period_ns > 0);
        assert(schedule->spec->on_ppm <= PPM);
        schedule->on_ns = period_ns / PPM * schedule->spec->on_ppm +
                          period_ns % PPM * schedule->spec->on_ppm / PPM;
        if (schedule->on_ns == 0) {
            return;
        }
        schedule->gap_ns *= (double)schedule->on_ns / (double)period_ns;
        schedule->clock_ns = on_time_before(schedule, schedule->spec->from_ns);
    }
    clock_add(schedule, sim_prng_exponential(&schedule->prng) * schedule->gap_ns);
    schedule->next_ns = schedule->on_ns == 0 ? schedule->clock_ns : on_time_to_true(schedule);
}

/* ---- bursts and herds ---- */

static void key_turn(struct sim_schedule *schedule)
{
    schedule->key++;
    if (schedule->key == schedule->key_count) {
        schedule->key = 0;
    }
}

static void burst_start(struct sim_schedule *schedule, const struct sim_schedule_options *options)
{
    const struct sim_traffic_spec *spec = schedule->spec;

    if (spec->request_count == 0) {
        return;
    }
    assert(spec->request_count <= (UINT64_C(1) << 62) / schedule->key_count);
    schedule->request_total = spec->request_count * schedule->key_count;
    schedule->step_ns = spec->spread_ns / schedule->request_total;
    schedule->step_rest = spec->spread_ns % schedule->request_total;
    schedule->start_ns = spec->from_ns;
    if (spec->pattern == SIM_PATTERN_HERD) {
        assert(options->window_ns > 0);
        assert(spec->spread_ns <= options->window_ns);
        schedule->window_ns = options->window_ns;

        uint64_t past_ns = spec->from_ns % schedule->window_ns;

        if (past_ns > 0) {
            schedule->start_ns += schedule->window_ns - past_ns;
        }
        if (schedule->start_ns < spec->from_ns) {
            return; /* no such multiple in 64 bits */
        }
    }
    schedule->next_ns = schedule->start_ns;
}

static void burst_advance(struct sim_schedule *schedule)
{
    schedule->request_index++;
    if (schedule->request_index < schedule->request_total) {
        schedule->next_ns += schedule->step_ns;
        schedule->rest += schedule->step_rest;
        if (schedule->rest >= schedule->request_total) {
            schedule->rest -= schedule->request_total;
            schedule->next_ns++;
        }
        return;
    }
    if (schedule->window_ns == 0 || schedule->start_ns > UINT64_MAX - schedule->window_ns) {
        schedule->next_ns = UINT64_MAX;
        return;
    }
    schedule->start_ns += schedule->window_ns;
    schedule->next_ns = schedule->start_ns;
    schedule->request_index = 0;
    schedule->rest = 0;
}

/* ---- traces ---- */

static uint64_t row_time_ns(const struct sim_schedule *schedule)
{
    const struct sim_traffic_spec *spec = schedule->spec;

    if (schedule->row_index == spec->row_count ||
        spec->rows[schedule->row_index].time_ns > UINT64_MAX - spec->from_ns) {
        return UINT64_MAX;
    }
    return spec->rows[schedule->row_index].time_ns + spec->from_ns;
}

/* ---- all patterns ---- */

static void end_check(struct sim_schedule *schedule)
{
    if (schedule->next_ns >= schedule->end_ns) {
        schedule->next_ns = UINT64_MAX;
    }
}

void sim_schedule_init(struct sim_schedule *schedule, const struct sim_schedule_options *options)
{
    const struct sim_traffic_spec *spec = options->spec;

    assert(options->key_count > 0);
    assert(options->gap_ns > 0.0);
    *schedule = (struct sim_schedule){
        .spec = spec,
        .next_ns = UINT64_MAX,
        .end_ns = spec->until_ns < options->duration_ns ? spec->until_ns : options->duration_ns,
        .key_count = options->key_count,
    };
    assert(schedule->end_ns < END_MAX_NS);
    sim_prng_init(&schedule->prng, options->seed, "traffic times", options->spec_index);
    switch (spec->pattern) {
    case SIM_PATTERN_POISSON:
    case SIM_PATTERN_CONSTANT:
    case SIM_PATTERN_ON_OFF:
        clock_start(schedule, options);
        break;
    case SIM_PATTERN_BURST:
    case SIM_PATTERN_HERD:
        burst_start(schedule, options);
        break;
    case SIM_PATTERN_TRACE:
        schedule->next_ns = row_time_ns(schedule);
        break;
    case SIM_PATTERN_CLOSED:
        break; /* its clients decide when */
    }
    end_check(schedule);
}

void sim_schedule_take(struct sim_schedule *schedule, struct sim_arrival *arrival)
{
    assert(schedule->next_ns < schedule->end_ns);
    *arrival = (struct sim_arrival){
        .time_ns = schedule->next_ns,
        .key = SIM_SCHEDULE_ANY_KEY,
        .cost_units = 1,
        .endpoint = UINT32_MAX,
        .job = SIM_JOB_NONE,
    };

    switch (schedule->spec->pattern) {
    case SIM_PATTERN_POISSON:
        clock_add(schedule, sim_prng_exponential(&schedule->prng) * schedule->gap_ns);
        schedule->next_ns = schedule->clock_ns;
        break;
    case SIM_PATTERN_ON_OFF:
        clock_add(schedule, sim_prng_exponential(&schedule->prng) * schedule->gap_ns);
        schedule->next_ns = on_time_to_true(schedule);
        break;
    case SIM_PATTERN_CONSTANT:
        clock_add(schedule, schedule->gap_ns);
        schedule->next_ns = schedule->clock_ns;
        arrival->key = schedule->key;
        if (schedule->key != SIM_SCHEDULE_ANY_KEY) {
            key_turn(schedule);
        }
        break;
    case SIM_PATTERN_BURST:
    case SIM_PATTERN_HERD:
        arrival->key = schedule->key;
        key_turn(schedule);
        burst_advance(schedule);
        break;
    case SIM_PATTERN_TRACE:
        arrival->key = schedule->spec->rows[schedule->row_index].key;
        arrival->cost_units = schedule->spec->rows[schedule->row_index].cost_units;
        schedule->row_index++;
        schedule->next_ns = row_time_ns(schedule);
        break;
    case SIM_PATTERN_CLOSED:
        break;
    }
    end_check(schedule);
    assert(schedule->next_ns >= arrival->time_ns);
}
