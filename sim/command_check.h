/* weir check SCENARIO...: read scenarios, run nothing. */
#ifndef SIM_COMMAND_CHECK_H
#define SIM_COMMAND_CHECK_H

/* argv[0] is the command's name. Returns the exit status: 0 if every file is good, 64 if not. */
int sim_command_check(int argc, char **argv);

#endif
