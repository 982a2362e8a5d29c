/* weir init NAME: write a scenario to begin with. */
#ifndef SIM_COMMAND_INIT_H
#define SIM_COMMAND_INIT_H

#include <stdbool.h>
#include <stdio.h>

#include "scenario_template.h"

enum sim_question {
    SIM_QUESTION_LIMIT = 0,
    SIM_QUESTION_ALGORITHM,
    SIM_QUESTION_CAPACITY,
    SIM_QUESTION_PROCESSES,
    SIM_QUESTION_BALANCE,
    SIM_QUESTION_DEMAND,
    SIM_QUESTION_DURATION,
    SIM_QUESTION_ROUND_TRIP,
    SIM_QUESTION_COUNT,
};

struct sim_answers {
    struct sim_template template;
    bool given[SIM_QUESTION_COUNT]; /* by a flag: not asked */
};

/* Every answer its default, none given. */
void sim_answers_init(struct sim_answers *answers);

/* Take `text` as the answer; false, with what is allowed in `allowed`, if it is none. */
bool sim_answer(struct sim_answers *answers, enum sim_question question, const char *text,
                char *allowed, size_t allowed_size);

/* Ask what is not given; an empty line takes the default, a bad answer is asked again. Returns
 * false if `in` ends before. */
bool sim_answers_ask(struct sim_answers *answers, FILE *in, FILE *out);

/* argv[0] is the command's name. Returns the exit status: 0, 64 if nothing was written. */
int sim_command_init(int argc, char **argv);

#endif
