/* `weir report`, the program itself: what it judges, writes, compares and refuses. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_FOLDER "test_command_report.tmp"
#define IN(name) PROGRAM_FOLDER "/" name

#include "program.h"
#include "study_case.h"

/* By hand: a bucket of ten that refills two a second holds 50 units in 20 s, for each of four keys.
 */
#define CLAIM(id, hand)                                                                            \
    "{\"id\": \"" id "\", \"section\": \"Leases\", \"claim\": \"Nobody gets more.\","              \
    " \"source\": \"section 1\","                                                                  \
    " \"runs\": {\"two\": {\"scenario\": \"small.json\", \"seeds\": 2}},"                          \
    " \"measures\": {\"admitted\": {\"run\": \"two\", \"path\": \"units.admitted\", \"unit\":"     \
    " \"units\", \"text\": \"admitted\"},"                                                         \
    " \"hand\": {\"value\": " hand ", \"unit\": \"units\", \"text\": \"by hand\"}},"               \
    " \"verdict\": [{\"is\": \"holds\", \"when\": {\"admitted\": {\"max\": 200}}, \"words\":"      \
    " \"{admitted} are admitted.\"}, {\"is\": \"refuted\", \"words\": \"{admitted}\"}],"           \
    " \"checks\": [{\"measure\": \"admitted\", \"against\": \"hand\", \"within_units\": 4}],"      \
    " \"picture\": {\"kind\": \"bars\", \"title\": \"Nobody\", \"axis\": \"units\", \"rows\":"     \
    " [{\"label\": \"two\", \"measure\": \"admitted\"}]}}"
#define FRAME(ids)                                                                                 \
    "{\"title\": \"Found\", \"opening\": [\"By weir.\"], \"sections\": {\"Leases\": [\"How?\"]},"  \
    " \"limits\": [\"Few.\"], \"ids\": [" ids "]}"

static int report(const char *arguments)
{
    char command[1000];

    snprintf(command, sizeof command,
             "report --claims " PROGRAM_FOLDER " --out " PROGRAM_FOLDER " --keep " IN("kept") " %s",
             arguments);
    return program_run(command);
}

static int make_folder(void **state)
{
    (void)state;
    (void)mkdir(PROGRAM_FOLDER, 0777);
    world_run_write(IN("small.json"), STUDY_CASE_TEXT("4", ""));
    world_run_write(IN("Z1.claim.json"), CLAIM("Z1", "200"));
    world_run_write(IN("report.json"), FRAME("\"Z1\""));
    return setenv("COLUMNS", "80", 1);
}

static int remove_folder(void **state)
{
    (void)state;
    return system("rm -r " PROGRAM_FOLDER);
}

static void a_report_is_written_and_current(void **state)
{
    (void)state;

    assert_int_equal(report("--quiet"), 0);
    program_said("Z1  holds     ");
    program_said(
        "REPORT.md: 1 claims hold, 0 under a condition, 0 refuted; 0 targets met, 0 missed");
    program_read(IN("REPORT.md"), out);
    program_said("# Found\n\nBy weir.\n");
    program_said(
        "## Leases\n\nHow?\n\n### Z1: holds\n\n> Nobody gets more. (section 1)\n\n**Holds.** ");
    program_said("![Nobody](plots/out/claim_Z1.svg)");
    program_said("| measure | figure | least, median, most of the seeds | run |");
    program_said("- Agrees: ");
    program_said("./run run " IN("small.json") " --kernel heap --seed 1  # two; seeds 1 to 2");
    program_said("## Limits of the model\n\n- Few.\n");
    program_read(IN("plots/out/report.html"), out);
    program_said("<svg");
    assert_null(strstr(out, "<img"));
    assert_int_equal(report("--check --quiet"), 0);
    program_said("it is current");
}

static void a_change_is_found(void **state)
{
    (void)state;

    assert_int_equal(report("--quiet"), 0);
    assert_int_equal(system("sed -i 's/By weir/By hand/' " IN("REPORT.md")), 0);
    assert_int_equal(report("--check --quiet"), 1);
    assert_non_null(
        strstr(err, "REPORT.md:3: found \"By hand.\"; weir report makes it \"By weir.\""));
    assert_int_equal(report("--quiet"), 0);
    assert_int_equal(system("echo '<!-- -->' >> " IN("plots/out/claim_Z1.svg")), 0);
    assert_int_equal(report("--check --quiet"), 1);
    assert_non_null(strstr(err, "claim_Z1.svg:"));
    assert_int_equal(unlink(IN("REPORT.md")), 0);
    assert_int_equal(report("--check --quiet"), 1);
    assert_non_null(strstr(err, "REPORT.md"));
}

static void one_claim_is_shown(void **state)
{
    (void)state;

    (void)unlink(IN("REPORT.md"));
    assert_int_equal(report("--quiet Z1"), 0);
    program_said("Z1: holds\n\nclaim    Nobody gets more.\nverdict  ");
    program_said("agrees: admitted against hand\n");
    assert_int_not_equal(access(IN("REPORT.md"), F_OK), 0);
}

static void what_does_not_agree_fails(void **state)
{
    (void)state;

    world_run_write(IN("Z2.claim.json"), CLAIM("Z2", "100"));
    assert_int_equal(report("--quiet Z2"), 1);
    program_said("DOES NOT AGREE");
    assert_non_null(
        strstr(err, "Z2.claim.json: checks[0]: \"admitted\" is not what \"hand\" says"));
    assert_int_equal(report("--quiet"), 1);
    assert_int_equal(unlink(IN("Z2.claim.json")), 0);
    world_run_write(IN("report.json"), FRAME("\"Z1\", \"Z9\""));
    assert_int_equal(report("--quiet"), 1);
    assert_non_null(strstr(err, "ids: \"Z9\" has no claim, no Z9.claim.json"));
    world_run_write(IN("report.json"), FRAME("\"Z1\""));
}

static void misuse_is_refused(void **state)
{
    (void)state;
    static const struct misuse misuses[] = {
        {"--jobs 0", "--jobs: found \"0\"; allowed: a whole number from 1 to 256"},
        {"--check Z1", "--check with \"Z1\""},
        {"--claims /nowhere", "/nowhere: No such file or directory"},
        {"--claims " PROGRAM_FOLDER " Z7", "found \"Z7\"; allowed: a claim of " PROGRAM_FOLDER},
        {"--claims " PROGRAM_FOLDER "/bad", "sections.Hats: unknown key"},
        {"--claims " PROGRAM_FOLDER "/twice Z1", "id: found \"Z1\", which is that of"},
    };

    (void)mkdir(IN("bad"), 0777);
    world_run_write(IN("bad/Z1.claim.json"), CLAIM("Z1", "1"));
    world_run_write(IN("bad/report.json"),
                    "{\"title\": \"t\", \"opening\": [], \"sections\": {\"Hats\": []}, \"limits\":"
                    " [], \"ids\": []}");
    (void)mkdir(IN("twice"), 0777);
    world_run_write(IN("twice/a.claim.json"), CLAIM("Z1", "1"));
    world_run_write(IN("twice/b.claim.json"), CLAIM("Z1", "1"));
    program_refuses("report ", misuses, sizeof misuses / sizeof misuses[0]);
    (void)mkdir(IN("wrong"), 0777);
    world_run_write(IN("wrong/small.json"), "{\"why\": \"w\"}");
    world_run_write(IN("wrong/Z1.claim.json"), CLAIM("Z1", "1"));
    assert_int_equal(report("--claims " IN("wrong") " --quiet Z1"), 64);
    assert_non_null(strstr(err, "/Z1.claim.json: runs.two: "));
    assert_non_null(strstr(err, "small.json"));
}

/* A claim of tables alone has nothing to run. */
static void a_claim_without_runs_is_judged(void **state)
{
    (void)state;

    (void)mkdir(IN("bare"), 0777);
    world_run_write(IN("bare/Z1.claim.json"),
                    "{\"id\": \"Z1\", \"section\": \"Leases\", \"claim\": \"c\", \"source\": \"s\","
                    " \"measures\": {\"one\": {\"value\": 1, \"unit\": \"\"}},"
                    " \"verdict\": [{\"is\": \"holds\", \"words\": \"{one}\"}]}");
    assert_int_equal(report("--claims " IN("bare") " --quiet Z1"), 0);
    program_said("Z1: holds");
}

static void where_nothing_can_be_kept_is_said(void **state)
{
    (void)state;

    assert_int_equal(report("--quiet --keep " IN("small.json") " Z1"), 64);
    assert_non_null(strstr(err, "weir: " IN("small.json") ": cannot be made a folder"));
}

/* Where the page cannot be written the report from before stays, and nothing half-done. */
static void what_cannot_be_written_leaves_what_was_there(void **state)
{
    (void)state;

    assert_int_equal(report("--quiet"), 0);
    assert_int_equal(system("sed -i 's/By weir/By hand/' " IN("REPORT.md") " && rm " IN(
                         "plots/out/report.html") " && mkdir " IN("plots/out/report.html")),
                     0);
    assert_int_equal(report("--quiet"), 70);
    assert_non_null(strstr(err, "report.html: cannot write"));
    program_read(IN("REPORT.md"), out);
    program_said("# Found\n\nBy hand.\n");
    assert_int_equal(system("rmdir " IN("plots/out/report.html")), 0);
    assert_int_equal(system("! ls -A " IN("plots/out") " | grep -v '^claim_Z'"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_written_and_current),
        cmocka_unit_test(a_change_is_found),
        cmocka_unit_test(one_claim_is_shown),
        cmocka_unit_test(what_does_not_agree_fails),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(a_claim_without_runs_is_judged),
        cmocka_unit_test(where_nothing_can_be_kept_is_said),
        cmocka_unit_test(what_cannot_be_written_leaves_what_was_there),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
