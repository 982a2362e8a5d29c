/* weir report: every claim of scenarios/claims put to the test, REPORT.md written. */
#ifndef SIM_COMMAND_REPORT_H
#define SIM_COMMAND_REPORT_H

/* argv[0] is the command's name. Returns the exit status. */
int sim_command_report(int argc, char **argv);

#endif
