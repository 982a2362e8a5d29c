/* weir sweep SCENARIO --vary PATH=VALUES: a grid of runs, and weir sweep --merge DIR... */
#ifndef SIM_COMMAND_SWEEP_H
#define SIM_COMMAND_SWEEP_H

/* argv[0] is the command's name. Returns the exit status. */
int sim_command_sweep(int argc, char **argv);

#endif
