/* Over, under and their causes on random small cases, against an implementation that recomputes
 * everything from the list of requests. */
#include "accuracy_case.h"

#include "prng.h"

#define REQUEST_COUNT_MAX 60
#define CASE_COUNT 400
#define MS UINT64_C(1000000)

struct request {
    uint64_t time_ns;
    uint32_t cost_units;
    bool admitted;
    bool ideal; /* the oracle's verdict */
};

struct requests {
    struct request list[REQUEST_COUNT_MAX];
    int count;
    uint64_t rate_per_s;
    uint64_t capacity_units;
};

/* Times are whole milliseconds, so that a bucket that counts thousandths of a unit is exact.
 * Returns the last millisecond before end_ns at which the bucket was full, as seen from just before
 * it. */
static uint64_t last_full_ms(struct requests *requests, uint64_t end_ns)
{
    const uint64_t capacity = requests->capacity_units * 1000;
    uint64_t level = capacity;
    uint64_t full_ms = 0;
    int next = 0;

    for (uint64_t ms = 0; ms * MS < end_ns; ms++) {
        full_ms = level == capacity ? ms : full_ms;
        for (; next < requests->count && requests->list[next].time_ns == ms * MS; next++) {
            struct request *request = &requests->list[next];
            request->ideal = request->cost_units * UINT64_C(1000) <= level;
            level -= request->ideal ? request->cost_units * UINT64_C(1000) : 0;
        }
        level = level + requests->rate_per_s < capacity ? level + requests->rate_per_s : capacity;
    }
    return full_ms;
}

/* ideal - admitted of the requests that arrive in [begin_ns, end_ns). */
static int64_t delta_of(const struct requests *requests, uint64_t begin_ns, uint64_t end_ns)
{
    int64_t delta = 0;

    for (int i = 0; i < requests->count; i++) {
        const struct request *request = &requests->list[i];
        if (request->time_ns >= begin_ns && request->time_ns < end_ns) {
            delta += ((int64_t)request->ideal - (int64_t)request->admitted) * request->cost_units;
        }
    }
    return delta;
}

static void draw(struct requests *requests, struct sim_prng *prng)
{
    uint64_t time_ms = 0;

    requests->count = (int)sim_prng_below(prng, REQUEST_COUNT_MAX);
    requests->rate_per_s = 1 + sim_prng_below(prng, 5);
    requests->capacity_units = 1 + sim_prng_below(prng, 100);
    for (int i = 0; i < requests->count; i++) {
        time_ms += sim_prng_below(prng, 3) * sim_prng_below(prng, 8000);
        requests->list[i] = (struct request){
            .time_ns = time_ms * MS,
            .cost_units = 1 + (uint32_t)sim_prng_below(prng, 30),
            .admitted = sim_prng_below(prng, 2) == 0,
        };
        if (time_ms >= 240000) {
            requests->count = i;
        }
    }
}

/* The store's figures need not make sense for the causes to sum to the error. */
static void draw_store(struct accuracy_case *played, struct sim_prng *prng)
{
    for (uint32_t interval = 0; interval < 4; interval++) {
        sim_accuracy_store(&played->accuracy, 0, interval, sim_prng_below(prng, 100),
                           sim_prng_below(prng, 1000));
        for (int loss = 0; loss < SIM_LOSSES && sim_prng_below(prng, 2) == 0; loss++) {
            sim_accuracy_lost(&played->accuracy, (enum sim_loss)loss, 0, interval * MINUTE_NS,
                              sim_prng_below(prng, 100));
        }
    }
}

static uint64_t cause_sum(const struct sim_judgement *judgement)
{
    uint64_t sum = 0;

    for (int i = 0; i < SIM_CAUSE_COUNT; i++) {
        sum += judgement->cause_units[i];
    }
    return sum;
}

static uint64_t check_intervals(struct accuracy_case *played, struct requests *requests)
{
    uint64_t errors = 0;

    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t begin_ns = i * MINUTE_NS;
        const uint64_t full_ns = last_full_ms(requests, begin_ns) * MS / SECOND_NS * SECOND_NS;
        (void)last_full_ms(requests, 4 * MINUTE_NS);
        const int64_t delta = delta_of(requests, begin_ns, begin_ns + MINUTE_NS);
        const int64_t deficit = delta_of(requests, full_ns, begin_ns);
        const int64_t late = deficit > 0 ? deficit : 0;
        const int64_t over = -delta - late > 0 ? -delta - late : 0;

        assert_int_equal(case_under(played, 0, i), delta > 0 ? delta : 0);
        assert_int_equal(case_over(played, 0, i), over);
        errors += (uint64_t)(delta > 0 ? delta : over);
    }
    return errors;
}

static void over_and_under_equal_those_of_a_recount(void **state)
{
    (void)state;
    struct sim_prng prng;

    sim_prng_init(&prng, 1, "judgement", 0);
    for (int i = 0; i < CASE_COUNT; i++) {
        struct requests requests;
        struct accuracy_case played;

        draw(&requests, &prng);
        case_begin(&played, 60 * requests.rate_per_s, requests.capacity_units, 240, 1);
        for (int r = 0; r < requests.count; r++) {
            case_request(&played, 0, requests.list[r].time_ns, requests.list[r].cost_units,
                         requests.list[r].admitted);
        }
        draw_store(&played, &prng);
        case_judge(&played);
        const uint64_t errors = check_intervals(&played, &requests);
        assert_int_equal(cause_sum(&played.judgement), errors);
        case_end(&played);
    }
}

/* ---- window, sliding, log: by the definition, over the list of requests */

#define LIMIT_UNITS 60

/* Of requests before `last`: admitted by the ideal, and weighted with window_ns if they count whole
 * at its time. */
static uint64_t counted(const struct requests *requests, int last, enum sim_algorithm algorithm,
                        uint64_t phase_ns)
{
    const uint64_t now_ns = requests->list[last].time_ns + phase_ns;
    uint64_t weighted = 0;

    for (int i = 0; i < last; i++) {
        const uint64_t time_ns = requests->list[i].time_ns + phase_ns;
        const uint64_t windows = now_ns / MINUTE_NS - time_ns / MINUTE_NS;
        uint64_t weight_ns = windows == 0 ? MINUTE_NS : 0;

        if (algorithm == SIM_ALGORITHM_SLIDING && windows == 1) {
            weight_ns = MINUTE_NS - now_ns % MINUTE_NS;
        }
        if (algorithm == SIM_ALGORITHM_LOG) {
            weight_ns = now_ns - time_ns < MINUTE_NS ? MINUTE_NS : 0;
        }
        weighted += requests->list[i].ideal ? requests->list[i].cost_units * weight_ns : 0;
    }
    return weighted;
}

/* Returns the errors of all intervals, which must be those that accuracy found. */
static uint64_t check_windows(struct accuracy_case *played, struct requests *requests,
                              enum sim_algorithm algorithm)
{
    const uint64_t phase_ns = played->catalog.keys[0].window_phase_ns;
    uint64_t errors = 0;
    int64_t before = 0;

    for (int i = 0; i < requests->count; i++) {
        struct request *request = &requests->list[i];
        request->ideal =
            counted(requests, i, algorithm, phase_ns) + request->cost_units * MINUTE_NS <=
            LIMIT_UNITS * MINUTE_NS;
    }
    for (uint32_t i = 0; i < played->accuracy.keys[0].cell_count; i++) {
        const uint64_t end_ns = (i + 1) * MINUTE_NS - phase_ns;
        const int64_t delta = delta_of(requests, i == 0 ? 0 : end_ns - MINUTE_NS, end_ns);
        const int64_t late = algorithm != SIM_ALGORITHM_WINDOW && before > 0 ? before : 0;
        const int64_t over = -delta - late > 0 ? -delta - late : 0;

        assert_int_equal(case_under(played, 0, i), delta > 0 ? delta : 0);
        assert_int_equal(case_over(played, 0, i), over);
        errors += (uint64_t)(delta > 0 ? delta : over);
        before = delta;
    }
    return errors;
}

static void errors_in_windows_equal_those_of_a_recount(void **state)
{
    (void)state;
    static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_WINDOW, SIM_ALGORITHM_SLIDING,
                                                    SIM_ALGORITHM_LOG};
    struct sim_prng prng;
    uint64_t errors[3] = {0};

    sim_prng_init(&prng, 1, "judgement of windows", 0);
    for (int i = 0; i < 3 * CASE_COUNT; i++) {
        const enum sim_algorithm algorithm = algorithms[i % 3];
        const struct sim_plan plan = case_plan(algorithm, LIMIT_UNITS, 0);
        struct requests requests;
        struct accuracy_case played;

        draw(&requests, &prng);
        case_begin_changing(&played, &plan, NULL, 0, 240, 1);
        for (int r = 0; r < requests.count; r++) {
            case_request(&played, 0, requests.list[r].time_ns, requests.list[r].cost_units,
                         requests.list[r].admitted);
        }
        draw_store(&played, &prng);
        case_judge(&played);
        const uint64_t found = check_windows(&played, &requests, algorithm);
        assert_int_equal(cause_sum(&played.judgement), found);
        errors[i % 3] += found;
        case_end(&played);
    }
    assert_true(errors[0] > 10000 && errors[1] > 10000 && errors[2] > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_and_under_equal_those_of_a_recount),
        cmocka_unit_test(errors_in_windows_equal_those_of_a_recount),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
