/* Claims: what is read, what is refused and how, and what follows from numbers. */
#include "unit.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "claim_judge.h"
#include "world_run.h"

#define MEASURES                                                                                   \
    "\"measures\": {\"over\": {\"run\": \"one\", \"path\": \"a.b\", \"unit\": \"%\","              \
    " \"text\": \"over\"},"                                                                        \
    " \"least\": {\"run\": \"one\", \"path\": \"a.b\", \"unit\": \"%\", \"seeds\": \"min\"},"      \
    " \"hand\": {\"value\": 4, \"unit\": \"%\"},"                                                  \
    " \"times\": {\"ratio\": [\"over\", \"hand\"], \"unit\": \"times\"},"                          \
    " \"more\": {\"difference\": [\"over\", \"hand\"], \"unit\": \"us\"},"                         \
    " \"all\": {\"sum\": [\"over\", \"hand\", \"hand\"], \"unit\": \"\"},"                         \
    " \"area\": {\"product\": [\"over\", \"hand\"], \"unit\": \"\"},"                              \
    " \"most\": {\"max\": [\"over\", \"hand\"], \"unit\": \"\"},"                                  \
    " \"fewest\": {\"min\": [\"over\", \"hand\"], \"unit\": \"\"}}"
#define RUNS "\"runs\": {\"one\": {\"scenario\": \"../x.json\", \"seeds\": 3}}"
#define HEAD "\"id\": \"Z1\", \"section\": \"Leases\", \"claim\": \"c\", \"source\": \"s\""
#define VERDICT                                                                                    \
    "\"verdict\": [{\"is\": \"holds\", \"when\": {\"over\": {\"max\": 1}}, \"words\": \"w\"},"     \
    " {\"is\": \"refuted\", \"words\": \"{over} and {least}, {times}\"}]"
#define CHECKS "\"checks\": [{\"measure\": \"over\", \"against\": \"hand\", \"within_pct\": 25}]"
#define WHOLE "{" HEAD ", " RUNS ", " MEASURES ", " VERDICT ", " CHECKS "}"

static const char *claim_file(void)
{
    static char path[64];

    snprintf(path, sizeof path, "claim_%ld.claim.json", (long)getpid());
    return path;
}

static void load(struct study_claim *claim, const char *text)
{
    struct sim_error error;

    world_run_write(claim_file(), text);
    if (!study_claim_load(claim, claim_file(), &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(unlink(claim_file()), 0);
}

static void refuse(const char *text, const char *message)
{
    struct study_claim claim;
    struct sim_error error;

    world_run_write(claim_file(), text);
    if (study_claim_load(&claim, claim_file(), &error)) {
        study_claim_free(&claim);
        fail_msg("was read: %s", text);
    }
    assert_int_equal(unlink(claim_file()), 0);
    if (strstr(error.text, message) == NULL) {
        fail_msg("found %s instead of %s", error.text, message);
    }
}

static void a_claim_is_read(void **state)
{
    (void)state;
    struct study_claim claim;

    load(&claim, WHOLE);
    assert_string_equal(claim.id, "Z1");
    assert_string_equal(study_sections[claim.section], "Leases");
    assert_int_equal(claim.run_count, 1);
    assert_string_equal(claim.runs[0].scenario, "../x.json");
    assert_int_equal(claim.runs[0].seed_count, 3);
    assert_int_equal(claim.runs[0].kernel, SIM_KERNEL_HEAP);
    assert_int_equal(claim.measure_count, 9);
    assert_int_equal(claim.verdict_count, 2);
    assert_int_equal(claim.check_count, 1);
    assert_int_equal(claim.picture.row_count, 0);
    study_claim_free(&claim);
}

static const struct {
    const char *text;
    const char *message;
} mistakes[] = {
    {"[]", "found an empty array; allowed: one object"},
    {"{\"id\": \"Z1\"}", "section"},
    {"{\"id\": \"../Z1\"}", "id: found \"../Z1\"; allowed: up to 20 letters and digits"},
    {"{\"id\": \"A23456789012345678901\"}", "allowed: up to 20 letters and digits"},
    {"{" HEAD ", \"extra\": 1}", "extra: unknown key"},
    {"{\"id\": \"Z1\", \"section\": \"Nowhere\", \"claim\": \"c\", \"source\": \"s\"}",
     "section: found \"Nowhere\"; allowed: \"Coordination\""},
    {"{" HEAD ", \"runs\": {\"one\": {\"scenario\": \"x\", \"seeds\": 0}}}",
     "runs.one.seeds: found 0; allowed: an integer from 1 to 1000"},
    {"{" HEAD ", \"runs\": {\"one\": {\"scenario\": \"x\", \"kernel\": \"fast\"}}}",
     "runs.one.kernel: found \"fast\""},
    {"{" HEAD ", \"runs\": {\"one\": {\"scenario\": \"x\", \"set\": \"a=1\"}}}",
     "runs.one.set: found \"a=1\"; allowed: an array of PATH=VALUE"},
    {"{" HEAD ", " RUNS ", " VERDICT "}", "measures"},
    {"{" HEAD ", \"measures\": {}, " VERDICT "}", "at least one measure"},
    {"{" HEAD ", " RUNS
     ", \"measures\": {\"a\": {\"run\": \"two\", \"path\": \"p\", \"unit\": \"\"}}, " VERDICT "}",
     "measures.a.run: found unknown run \"two\"; allowed: \"one\""},
    {"{" HEAD ", \"measures\": {\"a\": {\"value\": 1, \"ratio\": [], \"unit\": \"\"}}, " VERDICT
     "}",
     "measures.a"},
    {"{" HEAD ", \"measures\": {\"a\": {\"value\": 1}}, " VERDICT "}", "measures.a.unit"},
    {"{" HEAD ", \"measures\": {\"a\": {\"value\": 1, \"unit\": \"\", \"path\": \"p\"}}}",
     "measures.a.path"},
    {"{" HEAD ", \"measures\": {\"a\": {\"value\": 1, \"unit\": \"\"}, \"b\": {\"ratio\":"
     " [\"a\", \"c\"], \"unit\": \"\"}}}",
     "measures.b.ratio[1]: found unknown earlier measure \"c\"; allowed: \"a\""},
    {"{" HEAD ", \"measures\": {\"a\": {\"value\": 1, \"unit\": \"\"}, \"b\": {\"ratio\":"
     " [\"a\"], \"unit\": \"\"}}}",
     "an array of two names"},
    {"{" HEAD ", " RUNS ", " MEASURES "}", "verdict"},
    {"{" HEAD ", " RUNS ", " MEASURES ", \"verdict\": [{\"is\": \"met\", \"words\": \"w\"}]}",
     "verdict[0].is: found \"met\"; allowed: \"holds\""},
    {"{" HEAD ", " RUNS ", " MEASURES
     ", \"verdict\": [{\"is\": \"holds\", \"words\": \"{oven}\"}]}",
     "verdict[0].words: found unknown measure \"oven\""},
    {"{" HEAD ", " RUNS ", " MEASURES ", \"verdict\": [{\"is\": \"holds\", \"words\": \"{ov\"}]}",
     "\"{\" without \"}\""},
    {"{" HEAD ", " RUNS ", " MEASURES
     ", \"verdict\": [{\"is\": \"holds\", \"when\": {\"over\": {\"max\": 1}}, \"words\": "
     "\"w\"}]}",
     "verdict[0].when: found conditions of the last verdict"},
    {"{" HEAD ", " RUNS ", " MEASURES
     ", \"verdict\": [{\"is\": \"holds\", \"words\": \"w\"}, {\"is\": \"holds\", \"words\": "
     "\"w\"}]}",
     "required: when"},
    {"{" HEAD ", " RUNS ", " MEASURES ", " VERDICT
     ", \"checks\": [{\"measure\": \"over\", \"against\": \"hand\"}]}",
     "checks[0]"},
    {"{" HEAD ", " RUNS ", " MEASURES ", " VERDICT
     ", \"checks\": [{\"measure\": \"over\", \"against\": \"hand\", \"within_units\": -1}]}",
     "checks[0].within_units: found -1; allowed: a number of at least 0"},
    {"{" HEAD ", " RUNS ", " MEASURES ", " VERDICT ", \"picture\": {\"kind\": \"pie\"}}",
     "picture.kind: found \"pie\"; allowed: \"bars\", \"stacks\", \"points\""},
    {"{" HEAD ", " RUNS ", " MEASURES ", " VERDICT
     ", \"picture\": {\"kind\": \"bars\", \"title\": \"t\", \"axis\": \"a\", \"rows\": []}}",
     "picture.rows"},
    {"{" HEAD ", " RUNS ", " MEASURES ", " VERDICT
     ", \"picture\": {\"kind\": \"bars\", \"title\": \"t\", \"axis\": \"a\", \"rows\":"
     " [{\"label\": \"l\", \"measures\": [\"over\"]}]}}",
     "picture.rows[0].measures"},
    {"{" HEAD ", " RUNS ", " MEASURES ", " VERDICT
     ", \"picture\": {\"kind\": \"points\", \"title\": \"t\", \"axis\": \"a\", \"y_axis\": "
     "\"b\", \"rows\": [{\"label\": \"l\", \"measures\": [\"over\"]}]}}",
     "an array of 2 to 3 names"},
    {"{" HEAD ", " RUNS ", " MEASURES ", " VERDICT
     ", \"picture\": {\"kind\": \"bars\", \"title\": \"t\", \"axis\": \"a\", \"floor\": 0,"
     " \"rows\": [{\"label\": \"l\", \"measure\": \"over\"}]}}",
     "picture.floor: found 0; allowed: a number above 0"},
};

static void what_is_wrong_is_said(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        refuse(mistakes[i].text, mistakes[i].message);
    }
}

/* Results of three seeds: a.b is each of these. */
static void judge(struct study_claim *claim, struct study_judged *judged, const double values[3])
{
    struct study_run runs[3] = {0};
    char error[400] = "";

    claim->runs[0].first = 0;
    for (size_t i = 0; i < 3; i++) {
        runs[i].result = json_pack("{s{sf}}", "a", "b", values[i]);
    }
    if (!study_claim_judge(judged, claim, runs, error, sizeof error)) {
        fail_msg("%s", error);
    }
    for (size_t i = 0; i < 3; i++) {
        json_decref(runs[i].result);
    }
}

static bool is_near(double left, double right)
{
    return left - right < 1e-12 && right - left < 1e-12;
}

static void numbers_decide(void **state)
{
    (void)state;
    static const double high[3] = {9, 5, 2};
    static const double low[3] = {1, 0.5, 3};
    static const double derived[] = {5, 2, 4, 1.25, 1, 13, 20, 5, 4};
    struct study_claim claim;
    struct study_judged judged;

    load(&claim, WHOLE);
    judge(&claim, &judged, high);
    for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++) {
        assert_true(is_near(judged.figures[i].value, derived[i]));
    }
    assert_true(is_near(judged.figures[0].least, 2));
    assert_true(is_near(judged.figures[0].most, 9));
    assert_int_equal(judged.verdict->outcome, STUDY_REFUTED);
    assert_string_equal(judged.words, "5 % and 2 %, 1.25 times");
    assert_true(judged.agrees[0]); /* 5 is 25 % off 4 */
    study_judged_free(&judged);

    judge(&claim, &judged, low);
    assert_int_equal(judged.verdict->outcome, STUDY_HOLDS);
    assert_string_equal(judged.words, "w");
    assert_false(judged.agrees[0]);
    study_judged_free(&judged);
    study_claim_free(&claim);
}

static void a_number_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct study_claim claim;
    struct study_judged judged;
    struct study_run runs[3] = {0};
    char error[400] = "";

    load(&claim, WHOLE);
    for (size_t i = 0; i < 3; i++) {
        runs[i].result = json_pack("{s{sn}}", "a", "b");
    }
    assert_false(study_claim_judge(&judged, &claim, runs, error, sizeof error));
    assert_non_null(strstr(error, "measures.over.path: found \"a.b\"; allowed: a number that is in "
                                  "the result of run \"one\""));
    for (size_t i = 0; i < 3; i++) {
        json_decref(runs[i].result);
    }
    study_claim_free(&claim);
}

static void amounts_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit;
        const char *text;
    } cases[] = {
        {0, "%", "0 %"},
        {0.0119, "%", "0.012 %"},
        {0.123, "%", "0.123 %"},
        {1.2345, "%", "1.23 %"},
        {12.345, "units", "12.3 units"},
        {20, "asks", "20 asks"},
        {999.4, "", "999"},
        {999.6, "", "1,000"},
        {1234567, "units", "1,234,567 units"},
        {-3.5, "%", "-3.5 %"},
        {-0.00000001, "%", "0 %"},
        {590, "us", "590 us"},
        {1500, "us", "1.5 ms"},
        {30000000, "us", "30 s"},
        {1, "units", "1 unit"},
        {1.0001, "cells", "1 cell"},
        {1, "asks/s", "1 asks/s"},
        {1, "us", "1 us"},
        {1000, "us", "1 ms"},
        {1, "entries", "1 entries"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(study_amount(cases[i].value, cases[i].unit).text, cases[i].text);
    }
    assert_string_equal(study_amount_bare(950000, "us", 1001780).text, "0.95");
    assert_string_equal(study_amount_bare(950000, "us", 950).text, "950,000");
    assert_string_equal(study_amount_bare(-0.00000001, "%", 1).text, "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_is_read),   cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(numbers_decide),    cmocka_unit_test(a_number_that_is_not_there_is_named),
        cmocka_unit_test(amounts_are_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
