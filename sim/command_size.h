/* weir size SCENARIO --under 0.1 ...: which settings of the limiter keep within bounds? */
#ifndef SIM_COMMAND_SIZE_H
#define SIM_COMMAND_SIZE_H

/* argv[0] is the command's name. Returns the exit status. */
int sim_command_size(int argc, char **argv);

#endif
