/* When processes run, pause, die and come back. */
#include "faults_support.h"

#define LIVES 64

struct lives {
    struct fault_life list[LIVES];
    size_t count;
};

static struct lives lives_of(const struct fault_case *faults, uint32_t process_count)
{
    struct lives lives;
    const size_t room = fault_lives(&faults->list, process_count, NULL, 0);

    assert_true(room <= LIVES);
    lives.count = fault_lives(&faults->list, process_count, lives.list, LIVES);
    assert_true(lives.count <= room);
    return lives;
}

static void assert_life(const struct fault_life *life, uint64_t time_s, enum fault_life_kind kind,
                        uint32_t process)
{
    assert_int_equal(life->time_ns, time_s * SECOND_NS);
    assert_int_equal(life->kind, kind);
    assert_int_equal(life->process, process);
}

static void without_faults_nothing_happens_and_all_are_up(void **state)
{
    (void)state;
    const struct fault_case faults = {0};

    assert_int_equal(fault_lives(&faults.list, 50, NULL, 0), 0);
    assert_true(fault_is_up(&faults.list, 0, 3));
    assert_true(fault_takes_requests(&faults.list, SECOND_NS, 3));
}

static void a_crash_kills_and_starts_its_targets_alone(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CRASH, 10, 13);
    fault_case_target(&faults, 2);

    const struct lives lives = lives_of(&faults, 5);
    assert_int_equal(lives.count, 2);
    assert_life(&lives.list[0], 10, FAULT_LIFE_KILL, 2);
    assert_life(&lives.list[1], 13, FAULT_LIFE_START, 2);
    assert_true(fault_is_up(&faults.list, 10 * SECOND_NS - 1, 2));
    assert_false(fault_is_up(&faults.list, 10 * SECOND_NS, 2));
    assert_false(fault_takes_requests(&faults.list, 13 * SECOND_NS - 1, 2));
    assert_true(fault_takes_requests(&faults.list, 13 * SECOND_NS, 2));
    assert_true(fault_is_up(&faults.list, 11 * SECOND_NS, 1));
}

static void who_never_comes_back_does_not_start(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CRASH, 10, UINT64_MAX);

    const struct lives lives = lives_of(&faults, 1);
    assert_int_equal(lives.count, 1);
    assert_life(&lives.list[0], 10, FAULT_LIFE_KILL, 0);
}

static void a_deploy_stops_one_after_the_other(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    struct fault *deploy = fault_case_add(&faults, FAULT_DEPLOY, 10, 16);
    deploy->period_ns = 2 * SECOND_NS;
    deploy->added_ns = 3 * SECOND_NS;
    for (uint32_t process = 1; process < 8; process += 2) { /* of 1, 3, 5, 7 the last stays */
        fault_case_target(&faults, process);
    }

    const struct lives lives = lives_of(&faults, 8);
    assert_int_equal(lives.count, 6);
    assert_life(&lives.list[0], 10, FAULT_LIFE_STOP, 1);
    assert_life(&lives.list[1], 12, FAULT_LIFE_STOP, 3);
    assert_life(&lives.list[2], 13, FAULT_LIFE_START, 1);
    assert_life(&lives.list[3], 14, FAULT_LIFE_STOP, 5);
    assert_life(&lives.list[4], 15, FAULT_LIFE_START, 3);
    assert_life(&lives.list[5], 17, FAULT_LIFE_START, 5);
    assert_true(fault_is_up(&faults.list, 16 * SECOND_NS, 7));
}

static void scaling_out_is_there_during_the_fault_and_scaling_in_before_and_after(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_SCALE, 10, 20)->limit = 1;
    fault_case_target(&faults, 0);
    fault_case_add(&faults, FAULT_SCALE, 10, 20);
    fault_case_target(&faults, 1);

    const struct lives lives = lives_of(&faults, 2);
    assert_int_equal(lives.count, 4);
    assert_life(&lives.list[0], 10, FAULT_LIFE_START, 0);
    assert_life(&lives.list[1], 10, FAULT_LIFE_STOP, 1);
    assert_life(&lives.list[2], 20, FAULT_LIFE_STOP, 0);
    assert_life(&lives.list[3], 20, FAULT_LIFE_START, 1);
    for (uint64_t time_s = 0; time_s < 30; time_s++) {
        const bool during = time_s >= 10 && time_s < 20;
        assert_int_equal(fault_is_up(&faults.list, time_s * SECOND_NS, 0), during);
        assert_int_equal(fault_is_up(&faults.list, time_s * SECOND_NS, 1), !during);
    }
}

static void a_fork_starts_the_next_numbers_as_copies(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_FORK, 5, 6);
    fault_case_target(&faults, 0);
    fault_case_target(&faults, 2);

    const struct lives lives = lives_of(&faults, 6);
    assert_int_equal(lives.count, 2);
    assert_life(&lives.list[0], 5, FAULT_LIFE_FORK, 2);
    assert_int_equal(lives.list[0].parent, 0);
    assert_life(&lives.list[1], 5, FAULT_LIFE_FORK, 4);
    assert_int_equal(lives.list[1].parent, 2);
    assert_false(fault_is_up(&faults.list, 5 * SECOND_NS - 1, 4));
    assert_true(fault_is_up(&faults.list, 5 * SECOND_NS, 4));
}

static void a_pause_and_a_count_begin_and_end(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_PAUSE, 3, 9);
    fault_case_target(&faults, 1);
    fault_case_add(&faults, FAULT_PROCESS_COUNT, 4, 8)->limit = 90;
    fault_case_target(&faults, 1);

    const struct lives lives = lives_of(&faults, 3);
    assert_int_equal(lives.count, 4);
    assert_life(&lives.list[0], 3, FAULT_LIFE_PAUSE, 1);
    assert_life(&lives.list[1], 4, FAULT_LIFE_TOLD_COUNT, 1);
    assert_int_equal(lives.list[1].parent, 90);
    assert_int_equal(lives.list[1].fault, 1);
    assert_life(&lives.list[2], 8, FAULT_LIFE_TOLD_COUNT, 1);
    assert_int_equal(lives.list[2].parent, 0);
    assert_life(&lives.list[3], 9, FAULT_LIFE_RESUME, 1);
    assert_true(fault_takes_requests(&faults.list, 5 * SECOND_NS, 1));
}

static void who_is_down_for_several_reasons_comes_back_when_the_last_ends(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_CRASH, 10, 20);
    fault_case_add(&faults, FAULT_SCALE, 15, 30);
    fault_case_add(&faults, FAULT_CRASH, 30, 40); /* as the one before ends: down all the time */
    fault_case_add(&faults, FAULT_PAUSE, 50, 60);
    fault_case_add(&faults, FAULT_PAUSE, 55, 70);

    const struct lives lives = lives_of(&faults, 1);
    assert_int_equal(lives.count, 4);
    assert_life(&lives.list[0], 10, FAULT_LIFE_KILL, 0);
    assert_life(&lives.list[1], 40, FAULT_LIFE_START, 0);
    assert_life(&lives.list[2], 50, FAULT_LIFE_PAUSE, 0);
    assert_life(&lives.list[3], 70, FAULT_LIFE_RESUME, 0);
}

/* At each instant the state that the events lead to is what is asked for directly. */
static void what_happens_and_what_is_agree(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    bool is_up[6];
    size_t next = 0;
    fault_case_add(&faults, FAULT_CRASH, 3, 7);
    fault_case_target(&faults, 0);
    fault_case_target(&faults, 3);
    struct fault *deploy = fault_case_add(&faults, FAULT_DEPLOY, 2, 30);
    deploy->period_ns = SECOND_NS;
    deploy->added_ns = 4 * SECOND_NS;
    fault_case_add(&faults, FAULT_SCALE, 0, 12)->limit = 1;
    fault_case_target(&faults, 2);
    fault_case_add(&faults, FAULT_FORK, 6, 7);
    fault_case_target(&faults, 1);
    fault_case_target(&faults, 3); /* into 3 and 5 */

    const struct lives lives = lives_of(&faults, 6);
    for (uint32_t process = 0; process < 6; process++) {
        is_up[process] = fault_is_up(&faults.list, 0, process);
    }
    for (uint64_t time_s = 0; time_s < 40; time_s++) {
        for (; next < lives.count && lives.list[next].time_ns <= time_s * SECOND_NS; next++) {
            const struct fault_life *life = &lives.list[next];
            is_up[life->process] = life->kind == FAULT_LIFE_START || life->kind == FAULT_LIFE_FORK;
        }
        for (uint32_t process = 0; process < 6; process++) {
            assert_int_equal(fault_is_up(&faults.list, time_s * SECOND_NS, process),
                             is_up[process]);
        }
    }
    assert_int_equal(next, lives.count);
    assert_true(next > 12);
}

static void who_is_drained_is_up_and_takes_no_requests(void **state)
{
    (void)state;
    struct fault_case faults = {0};
    fault_case_add(&faults, FAULT_DRAIN, 3, 9);
    fault_case_target(&faults, 1);

    assert_true(fault_is_up(&faults.list, 4 * SECOND_NS, 1));
    assert_false(fault_takes_requests(&faults.list, 4 * SECOND_NS, 1));
    assert_true(fault_takes_requests(&faults.list, 4 * SECOND_NS, 0));
    assert_true(fault_takes_requests(&faults.list, 9 * SECOND_NS, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_nothing_happens_and_all_are_up),
        cmocka_unit_test(a_crash_kills_and_starts_its_targets_alone),
        cmocka_unit_test(who_never_comes_back_does_not_start),
        cmocka_unit_test(a_deploy_stops_one_after_the_other),
        cmocka_unit_test(scaling_out_is_there_during_the_fault_and_scaling_in_before_and_after),
        cmocka_unit_test(a_fork_starts_the_next_numbers_as_copies),
        cmocka_unit_test(a_pause_and_a_count_begin_and_end),
        cmocka_unit_test(who_is_down_for_several_reasons_comes_back_when_the_last_ends),
        cmocka_unit_test(what_happens_and_what_is_agree),
        cmocka_unit_test(who_is_drained_is_up_and_takes_no_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
