/* The oracle on real traffic: one key at 300,000 units per minute, capacity 60,000, full at start.
 *
 * The bucket it is compared with is written from scratch below, on 64 bits, and its totals are
 * golden: they were first found by a third implementation in another language. */
#include "unit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "oracle_rules.h"

#define TRACE_PATH WEIR_SOURCE_DIR "/scenarios/traces/azure-llm-code-2023.csv"
#define MINUTE_NS UINT64_C(60000000000)
#define RATE_UNITS UINT64_C(300000) /* per minute */
#define CAPACITY_UNITS UINT64_C(60000)
#define ROW_COUNT_MAX 10000

struct row {
    uint64_t time_ns;
    uint64_t cost_units;
};

static struct row rows[ROW_COUNT_MAX];
static size_t row_count;

static int rows_read(void **state)
{
    (void)state;
    char line[200];
    uint64_t seconds;
    uint64_t ticks; /* of 100 ns: seven decimals */
    uint64_t cost_units;
    FILE *file = fopen(TRACE_PATH, "r");

    if (file == NULL) {
        print_error("cannot open %s\n", TRACE_PATH);
        return -1;
    }
    while (row_count < ROW_COUNT_MAX && fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || strcmp(line, "time_s,key,cost_units\n") == 0) {
            continue;
        }
        if (sscanf(line, "%" SCNu64 ".%7" SCNu64 ",code,%" SCNu64 "\n", &seconds, &ticks,
                   &cost_units) != 3) {
            print_error("not a row: %s", line);
            break;
        }
        rows[row_count++] = (struct row){seconds * 1000000000 + ticks * 100, cost_units};
    }
    return fclose(file);
}

static void trace_is_whole_and_sorted(void **state)
{
    (void)state;
    uint64_t sum_units = 0;

    assert_int_equal(row_count, 8819);
    for (size_t i = 0; i < row_count; i++) {
        assert_true(i == 0 || rows[i].time_ns >= rows[i - 1].time_ns);
        sum_units += rows[i].cost_units;
    }
    assert_int_equal(rows[0].time_ns, 0);
    assert_int_equal(rows[row_count - 1].time_ns, UINT64_C(3435948056000));
    assert_int_equal(sum_units, 18305870);
}

static void oracle_decides_as_an_independent_bucket_does(void **state)
{
    (void)state;
    const uint64_t capacity = CAPACITY_UNITS * MINUTE_NS; /* a minute's worth of ns per unit */
    uint64_t level = capacity;
    uint64_t admitted_count = 0;
    uint64_t admitted_units = 0;
    struct sim_oracle oracle;

    start_bucket(&oracle, RATE_UNITS, MINUTE_NS, CAPACITY_UNITS, CAPACITY_UNITS);
    for (size_t i = 0; i < row_count; i++) {
        uint64_t cost = rows[i].cost_units * MINUTE_NS;
        uint64_t elapsed_ns = rows[i].time_ns - (i == 0 ? 0 : rows[i - 1].time_ns);

        level += RATE_UNITS * elapsed_ns; /* the longest gap gives 1e18 at most */
        level = level < capacity ? level : capacity;

        bool admitted = cost <= level;

        if (admitted) {
            level -= cost;
            admitted_count++;
            admitted_units += rows[i].cost_units;
        }
        assert_int_equal(sim_oracle_admit(&oracle, rows[i].time_ns, rows[i].cost_units), admitted);
        assert_int_equal(sim_oracle_remaining_units(&oracle, rows[i].time_ns), level / MINUTE_NS);
    }
    assert_int_equal(admitted_count, 5544);
    assert_int_equal(admitted_units, 7635266);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_is_whole_and_sorted),
        cmocka_unit_test(oracle_decides_as_an_independent_bucket_does),
    };

    return cmocka_run_group_tests(tests, rows_read, NULL);
}
