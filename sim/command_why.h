/* weir why RESULT --key K --at T: repeat a run, and say why one request was decided as it was. */
#ifndef SIM_COMMAND_WHY_H
#define SIM_COMMAND_WHY_H

/* argv[0] is the command's name. Returns the exit status. */
int sim_command_why(int argc, char **argv);

#endif
