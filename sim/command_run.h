/* weir run SCENARIO: simulate one scenario and say how it went. */
#ifndef SIM_COMMAND_RUN_H
#define SIM_COMMAND_RUN_H

/* argv[0] is the command's name. Returns the exit status. */
int sim_command_run(int argc, char **argv);

#endif
