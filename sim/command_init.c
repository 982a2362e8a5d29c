/* Flags and questions fill one set of answers; the text made of them is read back by the scenario
 * reader before it gets the name that was asked for. So nothing is left behind that `weir check`
 * refuses, and what is there is replaced as a whole or not at all. */
#include "command_init.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "memory.h"
#include "scenario_file.h"
#include "scenario_text.h"
#include "shared_options.h"

enum {
    LINE_SIZE = 200,
    ALLOWED_SIZE = 200,
    FOLDERS_ABOVE_MAX = 4,
    CHOICES_MAX = 5,
};

/* What one answer may be: one of `names`, or a number. */
struct rule {
    const char *words; /* of the question */
    const char *fallback;
    const char *names[CHOICES_MAX];
    double minimum;
    double maximum;
    bool is_integer;
};

static const struct rule rules[SIM_QUESTION_COUNT] = {
    [SIM_QUESTION_LIMIT] = {.words = "Requests a minute that a customer may make",
                            .fallback = "10000",
                            .minimum = 1,
                            .maximum = 10000000,
                            .is_integer = true},
    [SIM_QUESTION_ALGORITHM] = {.words = "Algorithm",
                                .fallback = "bucket",
                                .names = {"bucket", "window", "sliding", "log", "unlimited"}},
    [SIM_QUESTION_CAPACITY] = {.words = "Burst, in seconds of that rate",
                               .fallback = "10",
                               .minimum = 0.001,
                               .maximum = 600},
    [SIM_QUESTION_PROCESSES] = {.words = "Processes that serve the requests",
                                .fallback = "50",
                                .minimum = 1,
                                .maximum = 1000,
                                .is_integer = true},
    [SIM_QUESTION_BALANCE] = {.words = "How the load balancer spreads requests",
                              .fallback = "zipf",
                              .names = {"uniform", "zipf", "sticky"}},
    [SIM_QUESTION_DEMAND] = {.words = "Demand, as a multiple of the limit",
                             .fallback = "1.5",
                             .minimum = 0.001,
                             .maximum = 1000},
    [SIM_QUESTION_DURATION] = {.words = "Seconds to simulate",
                               .fallback = "300",
                               .minimum = 1,
                               .maximum = 86400},
    [SIM_QUESTION_ROUND_TRIP] = {.words = "Microseconds to the store and back",
                                 .fallback = "500",
                                 .minimum = 1,
                                 .maximum = 1000000},
};

/* In the order of the names above. */
static const enum sim_algorithm algorithms[] = {SIM_ALGORITHM_BUCKET, SIM_ALGORITHM_WINDOW,
                                                SIM_ALGORITHM_SLIDING, SIM_ALGORITHM_LOG,
                                                SIM_ALGORITHM_UNLIMITED};
static const enum sim_balance_kind balances[] = {SIM_BALANCE_UNIFORM, SIM_BALANCE_ZIPF,
                                                 SIM_BALANCE_STICKY};

static void put(struct sim_template *template, enum sim_question question, size_t choice,
                double number)
{
    switch (question) {
    case SIM_QUESTION_LIMIT:
        template->limit_units = (uint64_t)number;
        break;
    case SIM_QUESTION_ALGORITHM:
        template->algorithm = algorithms[choice];
        break;
    case SIM_QUESTION_CAPACITY:
        template->capacity_s = number;
        break;
    case SIM_QUESTION_PROCESSES:
        template->process_count = (uint64_t)number;
        break;
    case SIM_QUESTION_BALANCE:
        template->balance = balances[choice];
        break;
    case SIM_QUESTION_DEMAND:
        template->demand_ratio = number;
        break;
    case SIM_QUESTION_DURATION:
        template->duration_s = number;
        break;
    case SIM_QUESTION_ROUND_TRIP:
        template->round_trip_us = number;
        break;
    case SIM_QUESTION_COUNT:
        break;
    }
}

static void describe(const struct rule *rule, char *allowed, size_t size)
{
    struct sim_text text;

    sim_text_init(&text, allowed, size);
    for (size_t i = 0; i < CHOICES_MAX && rule->names[i]; i++) {
        sim_text_add(&text, "%s%s", i > 0 ? ", " : "", rule->names[i]);
    }
    if (!rule->names[0]) {
        sim_text_add(&text, "%s from ", rule->is_integer ? "an integer" : "a number");
        sim_text_add_number(&text, rule->minimum);
        sim_text_add(&text, " to ");
        sim_text_add_number(&text, rule->maximum);
    }
}

/* Decimal digits only: strtod also knows hexadecimal, "inf" and "nan". */
static bool parse_number(const struct rule *rule, const char *text, double *number)
{
    const char *plain = rule->is_integer ? "0123456789" : "0123456789.";
    char *end = NULL;

    if (*text == '\0' || text[strspn(text, plain)] != '\0') {
        return false;
    }
    *number = strtod(text, &end);
    return *end == '\0' && end != text && *number >= rule->minimum && *number <= rule->maximum;
}

bool sim_answer(struct sim_answers *answers, enum sim_question question, const char *text,
                char *allowed, size_t allowed_size)
{
    const struct rule *rule = &rules[question];
    double number = 0;

    for (size_t i = 0; i < CHOICES_MAX && rule->names[i]; i++) {
        if (strcmp(rule->names[i], text) == 0) {
            put(&answers->template, question, i, 0);
            return true;
        }
    }
    if (!rule->names[0] && parse_number(rule, text, &number)) {
        put(&answers->template, question, 0, number);
        return true;
    }
    describe(rule, allowed, allowed_size);
    return false;
}

void sim_answers_init(struct sim_answers *answers)
{
    char allowed[ALLOWED_SIZE];

    *answers = (struct sim_answers){0};
    for (int i = 0; i < SIM_QUESTION_COUNT; i++) {
        (void)sim_answer(answers, (enum sim_question)i, rules[i].fallback, allowed, sizeof allowed);
    }
}

/* The next line without blanks around it; false at the end of `in`. What is cut of a line that is
 * too long, and what stands for a zero byte, makes no answer of it. */
static bool read_line(FILE *in, char line[LINE_SIZE])
{
    size_t length = 0;
    int byte = getc(in);

    if (byte == EOF) {
        return false;
    }
    for (; byte != '\n' && byte != EOF; byte = getc(in)) {
        if (length < LINE_SIZE - 1) {
            line[length++] = (char)(byte == '\0' ? '?' : byte);
        }
    }
    while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL) {
        length--;
    }
    line[length] = '\0';
    const size_t begin = strspn(line, " \t");
    memmove(line, line + begin, length - begin + 1);
    return true;
}

static bool ask(struct sim_answers *answers, enum sim_question question, FILE *in, FILE *out)
{
    const struct rule *rule = &rules[question];
    char line[LINE_SIZE];
    char word[LINE_SIZE];
    char allowed[ALLOWED_SIZE];
    struct sim_text text;

    for (;;) {
        if (rule->names[0]) {
            describe(rule, allowed, sizeof allowed);
            fprintf(out, "%s (%s) [%s]: ", rule->words, allowed, rule->fallback);
        } else {
            fprintf(out, "%s [%s]: ", rule->words, rule->fallback);
        }
        (void)fflush(out);
        if (!read_line(in, line)) {
            fprintf(out, "\n");
            return false;
        }
        if (line[0] == '\0' || sim_answer(answers, question, line, allowed, sizeof allowed)) {
            return true;
        }
        sim_text_init(&text, word, sizeof word);
        sim_text_add_quoted(&text, line, strlen(line));
        fprintf(out, "  found %s; allowed: %s\n", word, allowed);
    }
}

bool sim_answers_ask(struct sim_answers *answers, FILE *in, FILE *out)
{
    for (int i = 0; i < SIM_QUESTION_COUNT; i++) {
        const bool is_moot =
            i == SIM_QUESTION_CAPACITY && answers->template.algorithm != SIM_ALGORITHM_BUCKET;

        if (!answers->given[i] && !is_moot && !ask(answers, (enum sim_question)i, in, out)) {
            return false;
        }
    }
    return true;
}

struct options {
    struct sim_shared_options shared; /* it has none of them */
    struct sim_answers answers;
    const char *name;
    bool force;
};

enum {
    OPTION_FORCE = 'f',
    OPTION_FIRST = 256, /* the question's number on top: long flags only */
};

static const struct argp_option option_table[] = {
    {"limit", OPTION_FIRST + SIM_QUESTION_LIMIT, "N", 0,
     "Requests a minute that a customer may make (default: 10000)", 0},
    {"algorithm", OPTION_FIRST + SIM_QUESTION_ALGORITHM, "NAME", 0,
     "bucket (default), window, sliding, log or unlimited", 0},
    {"capacity", OPTION_FIRST + SIM_QUESTION_CAPACITY, "S", 0,
     "Buckets only: how much may come at once, in seconds of the rate (default: 10)", 0},
    {"processes", OPTION_FIRST + SIM_QUESTION_PROCESSES, "N", 0,
     "Processes that serve the requests (default: 50)", 0},
    {"balance", OPTION_FIRST + SIM_QUESTION_BALANCE, "KIND", 0,
     "How the load balancer spreads requests: uniform, zipf (default) or sticky", 0},
    {"demand", OPTION_FIRST + SIM_QUESTION_DEMAND, "RATIO", 0,
     "Demand as a multiple of the limit (default: 1.5)", 0},
    {"duration", OPTION_FIRST + SIM_QUESTION_DURATION, "S", 0, "Seconds to simulate (default: 300)",
     0},
    {"round-trip", OPTION_FIRST + SIM_QUESTION_ROUND_TRIP, "US", 0,
     "Microseconds to the store and back (default: 500)", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace the file if it exists", 1},
    {0},
};

static void parse_answer(struct options *options, int question, const char *argument,
                         struct argp_state *state)
{
    char allowed[ALLOWED_SIZE];

    if (!sim_answer(&options->answers, (enum sim_question)question, argument, allowed,
                    sizeof allowed)) {
        argp_error(state, "--%s: found \"%.40s\"; allowed: %s", option_table[question].name,
                   argument, allowed);
    }
    options->answers.given[question] = true;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    if (key >= OPTION_FIRST && key < OPTION_FIRST + SIM_QUESTION_COUNT) {
        parse_answer(options, key - OPTION_FIRST, argument, state);
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->shared;
        return 0;
    case OPTION_FORCE:
        options->force = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->name != NULL) {
            argp_error(state, "one file at a time: found \"%.40s\" after \"%.40s\"", argument,
                       options->name);
        }
        options->name = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "the name of the file to write is missing, such as mine");
        return 0;
    case ARGP_KEY_SUCCESS:
        if (options->answers.given[SIM_QUESTION_CAPACITY] &&
            options->answers.given[SIM_QUESTION_ALGORITHM] &&
            options->answers.template.algorithm != SIM_ALGORITHM_BUCKET) {
            argp_error(state, "--capacity: found beside another algorithm; allowed: with bucket");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "NAME",
    .doc = "Write NAME.json, a commented scenario to begin with."
           "\vWhat no flag says is asked on a terminal, and elsewhere takes its default.\n\n"
           "Examples:\n"
           "  weir init mine\n"
           "  weir init mine --limit 600 --algorithm window --processes 8\n"
           "  weir run mine.json\n\n"
           "Exit status: 0 the file was written; 64 it was not, or bad usage.",
};

/* `name`.json, allocated; as it is if it ends so. */
static char *file_name(const char *name)
{
    const size_t length = strlen(name);
    const bool has_end = length >= 5 && strcmp(name + length - 5, ".json") == 0;
    char *path = sim_memory_new(length + 6, 1);

    (void)snprintf(path, length + 6, "%s%s", name, has_end ? "" : ".json");
    return path;
}

/* The way from the file to the schema beside it, or there or in scenarios/ of a folder above; false
 * if it is nowhere. */
static bool find_schema(const char *path, char *name, size_t size)
{
    static const char *const places[] = {"scenario.schema.json", "scenarios/scenario.schema.json"};
    char above[FOLDERS_ABOVE_MAX * 3 + 1] = "";

    for (size_t i = 0; i <= FOLDERS_ABOVE_MAX; i++) {
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            (void)snprintf(name, size, "%s%s", above, places[j]);
            char *schema = sim_file_beside(path, name);
            const bool is_here = access(schema, R_OK) == 0;

            free(schema);
            if (is_here) {
                return true;
            }
        }
        if (i < FOLDERS_ABOVE_MAX) {
            memcpy(above + i * 3, "../", 4);
        }
    }
    return false;
}

static bool fail(const char *path, const char *why)
{
    char shown[LINE_SIZE];
    struct sim_text text;

    sim_text_init(&text, shown, sizeof shown);
    sim_text_add_file(&text, path);
    fprintf(stderr, "weir: %s: %s\n", shown, why);
    return false;
}

/* What the reader says of it, less the name of a file that will not be there. */
static bool check(const char *draft, const char *path)
{
    struct sim_scenario scenario;
    struct sim_error error;

    if (sim_scenario_load(&scenario, draft, NULL, 0, &error)) {
        sim_scenario_free(&scenario);
        return true;
    }
    const char *why = strstr(error.text, ": ");
    return fail(path, why ? why + 2 : error.text);
}

/* Fails if the draft exists: it is somebody else's then. */
static bool write_draft(const struct sim_template *template, const char *draft)
{
    FILE *file = fopen(draft, "wx");

    if (file == NULL) {
        return fail(draft, strerror(errno));
    }
    sim_template_write(template, file);
    const bool is_written = ferror(file) == 0;
    if (fclose(file) == 0 && is_written) {
        return true;
    }
    (void)unlink(draft);
    return fail(draft, "cannot be written");
}

static bool write_scenario(const struct sim_template *wanted, const char *path)
{
    struct sim_template template = *wanted;
    const size_t draft_size = strlen(path) + sizeof ".new";
    char *draft = sim_memory_new(draft_size, 1);
    char schema[LINE_SIZE];

    (void)snprintf(draft, draft_size, "%s.new", path);
    template.schema = find_schema(path, schema, sizeof schema) ? schema : NULL;
    bool good = write_draft(&template, draft);
    if (good) {
        good = check(draft, path) && (rename(draft, path) == 0 || fail(path, strerror(errno)));
        if (!good) {
            (void)unlink(draft);
        }
    }
    free(draft);
    return good;
}

static bool has_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(slash ? slash + 1 : path, ".json") != 0;
}

static bool init(struct options *options, const char *path)
{
    char shown[LINE_SIZE];
    struct sim_text text;

    if (!has_name(path)) {
        return fail(path, "no name; allowed: a file's name, in a folder that exists");
    }
    if (!options->force && access(path, F_OK) == 0) {
        return fail(path, "exists already; allowed: another name, or --force to replace it");
    }
    if (isatty(STDIN_FILENO) && !sim_answers_ask(&options->answers, stdin, stdout)) {
        return fail(path, "not written: the questions were not answered");
    }
    if (!write_scenario(&options->answers.template, path)) {
        return false;
    }
    sim_text_init(&text, shown, sizeof shown);
    sim_text_add_file(&text, path);
    printf("%s written. To run it:\n\n  weir run %s\n", shown, shown);
    return true;
}

int sim_command_init(int argc, char **argv)
{
    struct options options = {0};

    sim_answers_init(&options.answers);
    sim_shared_options_parse(&options.shared, &parser, argc, argv, &options);
    char *path = file_name(options.name);
    const bool good = init(&options, path);
    free(path);
    sim_shared_options_free(&options.shared);
    return good ? SIM_EXIT_PASS : SIM_EXIT_USAGE;
}
