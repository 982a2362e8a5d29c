#include "table_options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "pool.h"

enum option_key {
    KEY_SUBJECT = 's',
    KEY_LIMITS = 'l',
    KEY_DEMANDS = 'd',
    KEY_BALANCES = 'b',
    KEY_SEEDS = 'n',
    KEY_JOBS = 'j',
    KEY_HARDEST = 'H',
    KEY_CSV = 'c',
    KEY_MARKDOWN = 'm',
};

static const struct argp_option option_table[] = {
    {"subject", KEY_SUBJECT, "NAME", 0,
     "Which limiter: tapered (default), fixed (leases of 20), rate (a tenth of what a process sees "
     "in a window), doubling, as_written (the design note's pseudo-code; window plans only)",
     0},
    {"limits", KEY_LIMITS, "A,B,...", 0, "Only these limits per minute", 0},
    {"demands", KEY_DEMANDS, "A,B,...", 0, "Only these demands, as parts of the limit", 0},
    {"balances", KEY_BALANCES, "A,B,...", 0, "Only these: uniform, zipf, 3of50, flip", 0},
    {"seeds", KEY_SEEDS, "N", 0,
     "Seeds 1 to N for each limit (default: 3, but 1 at 1,000,000 or more)", 0},
    {"hardest", KEY_HARDEST, 0, 0, "Only the cells that come closest to their targets", 0},
    {"jobs", KEY_JOBS, "N", 0, "Cells at a time (default: one per processor)", 0},
    {"csv", KEY_CSV, "FILE", 0, "Write every cell into FILE", 0},
    {"markdown", KEY_MARKDOWN, "FILE", 0, "Write the report into FILE", 0},
    {0},
};

/* The next of the values in "a,b,c"; NULL at the end. `rest` begins as the whole and is used up. */
static const char *next_value(char **rest)
{
    char *value = *rest;

    if (value == NULL) {
        return NULL;
    }
    char *comma = strchr(value, ',');
    if (comma != NULL) {
        *comma = '\0';
    }
    *rest = comma == NULL ? NULL : comma + 1;
    return value;
}

static uint64_t parse_integer(struct argp_state *state, const char *name, const char *text,
                              uint64_t maximum)
{
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || value < 1 ||
        value > maximum) {
        argp_error(state, "--%s: found \"%s\"; allowed: whole numbers from 1 to %" PRIu64, name,
                   text, maximum);
    }
    return value;
}

static void parse_limits(struct argp_state *state, struct table_grid *grid, char *list)
{
    grid->limit_count = 0;
    for (const char *text = next_value(&list); text != NULL; text = next_value(&list)) {
        if (grid->limit_count == TABLE_CHOICES_MAX) {
            argp_error(state, "--limits: found more than %d limits", TABLE_CHOICES_MAX);
        }
        grid->limits_per_min[grid->limit_count++] =
            parse_integer(state, "limits", text, 1000000000);
    }
}

static void parse_demands(struct argp_state *state, struct table_grid *grid, char *list)
{
    grid->demand_count = 0;
    for (const char *text = next_value(&list); text != NULL; text = next_value(&list)) {
        char *end;
        const double value = strtod(text, &end);
        if (end == text || *end != '\0' || !(value >= 0.001 && value <= 1000)) {
            argp_error(state, "--demands: found \"%s\"; allowed: numbers from 0.001 to 1000", text);
        }
        if (grid->demand_count == TABLE_CHOICES_MAX) {
            argp_error(state, "--demands: found more than %d demands", TABLE_CHOICES_MAX);
        }
        grid->demands_ppm[grid->demand_count++] = (uint32_t)(value * 1e6 + 0.5);
    }
}

/* The place of `text` among the names. */
static int parse_name(struct argp_state *state, const char *option, const char *text,
                      const char *const *names, int name_count)
{
    char allowed[128] = "";

    for (int i = 0; i < name_count; i++) {
        if (strcmp(text, names[i]) == 0) {
            return i;
        }
        strcat(allowed, i == 0 ? "" : ", ");
        strcat(allowed, names[i]);
    }
    argp_error(state, "--%s: found \"%s\"; allowed: %s", option, text, allowed);
    return 0;
}

static void parse_balances(struct argp_state *state, struct table_grid *grid, char *list)
{
    memset(grid->balances, 0, sizeof grid->balances);
    for (const char *text = next_value(&list); text != NULL; text = next_value(&list)) {
        grid->balances[parse_name(state, "balances", text, table_balance_names,
                                  TABLE_BALANCE_COUNT)] = true;
    }
}

/* What decides about the report is part of the command that the report shows. */
static void note_option(struct table_options *options, int key, const char *argument)
{
    const size_t length = strlen(options->command);

    for (const struct argp_option *option = option_table; option->name != NULL; option++) {
        if (option->key == key && key != KEY_JOBS && key != KEY_CSV && key != KEY_MARKDOWN) {
            snprintf(options->command + length, sizeof options->command - length, " --%s%s%s",
                     option->name, argument == NULL ? "" : " ", argument == NULL ? "" : argument);
        }
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct table_options *options = state->input;

    note_option(options, key, argument);
    switch (key) {
    case KEY_SUBJECT:
        options->grid.subject = (enum table_subject)parse_name(
            state, "subject", argument, table_subject_names, TABLE_SUBJECT_COUNT);
        break;
    case KEY_LIMITS:
        parse_limits(state, &options->grid, argument);
        break;
    case KEY_DEMANDS:
        parse_demands(state, &options->grid, argument);
        break;
    case KEY_BALANCES:
        parse_balances(state, &options->grid, argument);
        break;
    case KEY_SEEDS:
        options->grid.seed_count = (uint32_t)parse_integer(state, "seeds", argument, 1000);
        break;
    case KEY_JOBS:
        options->job_count = (unsigned)parse_integer(state, "jobs", argument, STUDY_POOL_JOBS_MAX);
        break;
    case KEY_HARDEST:
        options->is_hardest = true;
        break;
    case KEY_CSV:
        options->csv = argument;
        break;
    case KEY_MARKDOWN:
        options->markdown = argument;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "found \"%s\"; allowed: options only", argument);
        break;
    case ARGP_KEY_END:
        if (options->is_hardest && options->is_filtered) {
            argp_error(state, "--hardest has cells of its own: leave out --limits, --demands, "
                              "--balances and --seeds");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    options->is_filtered |=
        key == KEY_LIMITS || key == KEY_DEMANDS || key == KEY_BALANCES || key == KEY_SEEDS;
    return 0;
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Measure the limiter's accuracy and cost in a grid of conditions, and hold it to its "
           "targets.\v"
           "Examples:\n"
           "  bench/accuracy-table\n"
           "  bench/accuracy-table --limits 100000 --balances zipf,flip --csv cells.csv\n\n"
           "Exit status: 0 all that binds the subject met; 1 some missed; 64 bad usage; 70 internal"
           " error; 130 interrupted.",
};

void table_options_parse(struct table_options *options, int argc, char **argv)
{
    static char name[] = "accuracy-table";

    *options = (struct table_options){.job_count = study_pool_core_count(),
                                      .command = "bench/accuracy-table"};
    table_grid_init(&options->grid);
    argv[0] = name;
    argp_err_exit_status = SIM_EXIT_USAGE;
    (void)argp_parse(&parser, argc, argv, 0, NULL, options);
}
