/* weir run SCENARIO: simulate one scenario and say how it went. */
#ifndef SIM_COMMAND_RUN_H
#define SIM_COMMAND_RUN_H

/* Statuses of the weir command. */
enum sim_exit {
    SIM_EXIT_PASS = 0,
    SIM_EXIT_FAIL = 1,
    SIM_EXIT_INCONCLUSIVE = 2,
    SIM_EXIT_NOT_RECOVERED = 3, /* after its faults had ended */
    SIM_EXIT_DETERMINISM = 4,   /* the same run, another trace */
    SIM_EXIT_USAGE = 64,
    SIM_EXIT_INTERNAL = 70,
};

/* argv[0] is the command's name. Returns the exit status. */
int sim_command_run(int argc, char **argv);

#endif
