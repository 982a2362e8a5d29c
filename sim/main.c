/* The weir command: picks the subcommand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_check.h"
#include "command_compare.h"
#include "command_init.h"
#include "command_report.h"
#include "command_run.h"
#include "command_size.h"
#include "command_sweep.h"
#include "command_why.h"
#include "exit_status.h"
#include "weir/assert.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *purpose;
};

static const struct command commands[] = {
    {"run", sim_command_run, "simulate a scenario and measure its limiter"},
    {"why", sim_command_why, "repeat a run and explain one decision"},
    {"compare", sim_command_compare, "run a scenario in two ways and say what differs"},
    {"size", sim_command_size, "find settings of the limiter that keep within bounds"},
    {"sweep", sim_command_sweep, "run a scenario with every combination of some values"},
    {"report", sim_command_report, "put the claims about the design to the test"},
    {"check", sim_command_check, "read scenarios and say what is wrong with them"},
    {"init", sim_command_init, "write a scenario to begin with"},
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(FILE *file)
{
    fprintf(file, "weir: what does a distributed rate limiter really let through?\n\n"
                  "Usage: weir COMMAND [OPTION...]\n"
                  "       weir --version\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].purpose);
    }
    fprintf(file, "\n'weir COMMAND --help' explains a command. To begin with:\n\n"
                  "  weir run scenarios/skewed-fleet.json\n");
}

/* Instead of the core's, which says nothing: it does no I/O. */
_Noreturn void weir_assert_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "weir: internal error: %s:%d: \"%s\" does not hold\n", file, line,
                  condition);
    _exit(SIM_EXIT_INTERNAL);
}

/* A result that could not be written is no success, whoever printed it. */
static void check_output(void)
{
    if (ferror(stdout) || fflush(stdout) != 0) {
        (void)fprintf(stderr, "weir: standard output: cannot be written\n");
        _exit(SIM_EXIT_INTERNAL);
    }
}

int main(int argc, char **argv)
{
    (void)atexit(check_output);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        print_help(stdout);
        return SIM_EXIT_PASS;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("weir " WEIR_VERSION "\n");
        return SIM_EXIT_PASS;
    }
    for (size_t i = 0; argc >= 2 && i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    if (argc >= 2) {
        fprintf(stderr, "weir: found \"%.40s\"; allowed: ", argv[1]);
        for (size_t i = 0; i < COMMAND_COUNT; i++) {
            fprintf(stderr, "%s%s", i > 0 ? ", " : "", commands[i].name);
        }
        fprintf(stderr, "\n\n");
    }
    print_help(stderr);
    return SIM_EXIT_USAGE;
}
