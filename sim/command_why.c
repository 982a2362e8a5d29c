#include "command_why.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "output.h"
#include "progress.h"
#include "replay.h"
#include "scenario_suggest.h"
#include "shared_options.h"
#include "why.h"

#define NS_PER_S UINT64_C(1000000000)

struct options {
    struct sim_shared_options shared;
    const char *result;
    const char *key;
    const char *at;
    const char *process; /* NULL: any */
};

static const struct argp_option option_table[] = {
    {"key", 'k', "KEY", 0,
     "Whose request: population/number as in the tables, such as pro/2; the population alone if it "
     "has one key",
     1},
    {"at", 't', "SECONDS", 0,
     "The key's first request at or after this true time, such as 61.25 (9 decimals at most)", 1},
    {"process", 'P', "N", 0, "Only requests that process N received", 1},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->shared;
        break;
    case 'k':
        options->key = argument;
        break;
    case 't':
        options->at = argument;
        break;
    case 'P':
        options->process = argument;
        break;
    case ARGP_KEY_ARG:
        if (options->result != NULL) {
            argp_error(state, "one result at a time: found \"%s\" after \"%s\"", argument,
                       options->result);
        }
        options->result = argument;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a result is missing: the folder that was given to weir run --out");
        break;
    case ARGP_KEY_END:
        if (options->key == NULL || options->at == NULL) {
            argp_error(state, "%s is missing: which request is meant?",
                       options->key == NULL ? "--key KEY" : "--at SECONDS");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "RESULT",
    .doc = "Repeat the run of RESULT (a result.json, or the folder that holds it) and say why one "
           "request was decided as it was: what its process held and knew, what it had asked and "
           "heard, what the store and the other processes had left, and which faults were in "
           "force.\v"
           "Examples:\n"
           "  weir run scenarios/skewed-fleet.json --out out\n"
           "  weir why out --key pro/2 --at 239.5\n\n"
           "Exit status: 0 explained; 4 the run could not be repeated: the same scenario gave "
           "another trace; 64 bad usage, or the scenario has changed; 70 internal error.",
};

/* Digits, perhaps a point and up to nine more. */
static bool parse_seconds(const char *text, uint64_t *time_ns)
{
    const size_t whole = strspn(text, "0123456789");
    const char *rest = text + whole;
    uint64_t value_ns = 0;

    if (whole == 0 || whole > 9) {
        return false;
    }
    for (size_t i = 0; i < whole; i++) {
        value_ns = 10 * value_ns + (uint64_t)(text[i] - '0') * NS_PER_S;
    }
    if (*rest == '.') {
        rest++;
        for (uint64_t place_ns = NS_PER_S / 10; place_ns != 0 && *rest >= '0' && *rest <= '9';
             place_ns /= 10) {
            value_ns += (uint64_t)(*rest++ - '0') * place_ns;
        }
    }
    *time_ns = value_ns;
    return *rest == '\0' && rest[-1] != '.';
}

static bool parse_number(const char *text, uint32_t below, uint32_t *number)
{
    if (*text == '\0' || strlen(text) > 10 || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    const uint64_t value = strtoull(text, NULL, 10);
    *number = (uint32_t)value;
    return value < below;
}

/* A population's name may hold a slash itself: the last one counts. */
static bool find_key(const struct sim_scenario *scenario, const char *text, uint32_t *key)
{
    const char *slash = strrchr(text, '/');
    const size_t name_length = slash == NULL ? strlen(text) : (size_t)(slash - text);
    struct sim_suggestion suggestion = {.found = text};
    char name[SIM_NAME_SIZE] = "";
    uint32_t first = 0;
    uint32_t number;

    if (name_length < sizeof name) {
        memcpy(name, text, name_length);
        name[name_length] = '\0';
        suggestion.found = name;
    }
    for (size_t p = 0; p < scenario->population_count; p++) {
        const struct sim_population *population = &scenario->populations[p];
        if (strcmp(text, population->name) == 0 && population->key_count == 1) {
            *key = first;
            return true;
        }
        if (strcmp(name, population->name) == 0) {
            if (slash != NULL && parse_number(slash + 1, population->key_count, &number)) {
                *key = first + number;
                return true;
            }
            fprintf(stderr, "weir: --key: found \"%s\"; allowed: %s/0 to %s/%" PRIu32 "\n", text,
                    name, name, population->key_count - 1);
            return false;
        }
        sim_suggestion_offer(&suggestion, population->name);
        first += population->key_count;
    }
    fprintf(stderr, "weir: --key: found \"%s\"; ", text);
    if (suggestion.best != NULL) {
        fprintf(stderr, "did you mean \"%s%s\"?\n", suggestion.best, slash == NULL ? "" : slash);
        return false;
    }
    fprintf(stderr, "allowed: the keys of");
    for (size_t p = 0; p < scenario->population_count; p++) {
        fprintf(stderr, "%s %s", p == 0 ? "" : ",", scenario->populations[p].name);
    }
    fprintf(stderr, "\n");
    return false;
}

static bool find_request(const struct options *options, const struct sim_scenario *scenario,
                         struct sim_recorder *recorder)
{
    uint32_t key;
    uint32_t process = SIM_RECORDER_ANY;
    uint64_t from_ns;

    if (!find_key(scenario, options->key, &key)) {
        return false;
    }
    if (!parse_seconds(options->at, &from_ns) || from_ns >= scenario->duration_ns) {
        fprintf(stderr,
                "weir: --at: found \"%s\"; allowed: seconds from 0 to below %.10g, such as 1.5\n",
                options->at, (double)scenario->duration_ns / 1e9);
        return false;
    }
    if (options->process != NULL &&
        !parse_number(options->process, scenario->process_count, &process)) {
        fprintf(stderr, "weir: --process: found \"%s\"; allowed: 0 to %" PRIu32 "\n",
                options->process, scenario->process_count - 1);
        return false;
    }
    sim_recorder_init(recorder, key, process, from_ns, scenario->process_count);
    return true;
}

static void say_not_found(const struct options *options, const struct sim_recorder *recorder)
{
    fprintf(stderr, "weir: --at %s: %s has no request at or after it", options->at, options->key);
    if (options->process != NULL) {
        fprintf(stderr, " in process %s", options->process);
    }
    if (recorder->nearest_ns == SIM_RECORDER_NEVER) {
        fprintf(stderr, ", and none before\n");
    } else {
        fprintf(stderr, "; the last one came at %" PRIu64 ".%09" PRIu64 "\n",
                recorder->nearest_ns / NS_PER_S, recorder->nearest_ns % NS_PER_S);
    }
}

static int explain(const struct options *options, const struct sim_replay *replay,
                   const struct sim_world *world)
{
    char hash[17];

    snprintf(hash, sizeof hash, "%016" PRIx64,
             sim_trace_hash_value(&world->trace, world->trace.second_count - 1));
    if (strcmp(hash, replay->trace_hash) != 0) {
        fprintf(stderr,
                "weir: %s: determinism broken: the same scenario gave trace %s, and now %s (or the "
                "result is of another version, or a trace file has changed)\n",
                options->result, replay->trace_hash, hash);
        return SIM_EXIT_DETERMINISM;
    }
    if (!world->recorder->found) {
        say_not_found(options, world->recorder);
        return SIM_EXIT_USAGE;
    }
    if (!options->shared.json) {
        sim_why_print(stdout, world);
        return SIM_EXIT_PASS;
    }
    json_t *json = sim_why_json(world);
    sim_output_print_json(json);
    json_decref(json);
    return SIM_EXIT_PASS;
}

static int repeat(const struct options *options, const struct sim_replay *replay,
                  const struct sim_scenario *scenario)
{
    struct sim_world world;
    struct sim_recorder recorder;
    struct sim_progress progress;
    char reason[256];
    int status = SIM_EXIT_INTERNAL;
    /* the same trace, and sooner */
    const enum sim_kernel_kind kernel =
        scenario->bandwidth_bytes_per_s == 0 ? SIM_KERNEL_HEAP : replay->kernel;

    if (!find_request(options, scenario, &recorder)) {
        return SIM_EXIT_USAGE;
    }
    if (!sim_world_init(&world, scenario, kernel, reason, sizeof reason)) {
        fprintf(stderr, "weir: %s\n", reason);
        sim_recorder_deinit(&recorder);
        return SIM_EXIT_USAGE;
    }
    sim_progress_start(&progress, sim_progress_style_of(stderr));
    world.progress = sim_progress_update;
    world.progress_context = &progress;
    world.recorder = &recorder;
    const bool ran = sim_world_run(&world);
    sim_progress_end(&progress);
    if (ran) {
        status = explain(options, replay, &world);
    } else {
        fprintf(stderr, "weir: the kernel failed\n");
    }
    sim_world_deinit(&world);
    sim_recorder_deinit(&recorder);
    return status;
}

int sim_command_why(int argc, char **argv)
{
    struct options options = {.shared = {.has = SIM_SHARED_JSON}};
    struct sim_replay replay;
    struct sim_scenario scenario;
    struct sim_error error;
    int status = SIM_EXIT_USAGE;

    sim_shared_options_parse(&options.shared, &parser, argc, argv, &options);
    if (!sim_replay_read(&replay, options.result, &error)) {
        fprintf(stderr, "weir: %s\n", error.text);
        sim_shared_options_free(&options.shared);
        return status;
    }
    if (!sim_scenario_load(&scenario, replay.file, replay.sets, replay.set_count, &error)) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        status = repeat(&options, &replay, &scenario);
        sim_scenario_free(&scenario);
    }
    sim_replay_free(&replay);
    sim_shared_options_free(&options.shared);
    return status;
}
