#ifndef SIM_EXIT_STATUS_H
#define SIM_EXIT_STATUS_H

/* Statuses of the weir command. */
enum sim_exit {
    SIM_EXIT_PASS = 0,
    SIM_EXIT_FAIL = 1,
    SIM_EXIT_INCONCLUSIVE = 2,
    SIM_EXIT_NOT_RECOVERED = 3, /* after its faults had ended */
    SIM_EXIT_DETERMINISM = 4,   /* the same run, another trace */
    SIM_EXIT_USAGE = 64,
    SIM_EXIT_INTERNAL = 70,
    SIM_EXIT_SIGNAL = 128, /* and its number, as a shell says it */
};

#endif
