/* weir compare A [B]: the same traffic and faults, two ways of limiting: what differs? */
#ifndef SIM_COMMAND_COMPARE_H
#define SIM_COMMAND_COMPARE_H

/* argv[0] is the command's name. Returns the exit status. */
int sim_command_compare(int argc, char **argv);

#endif
