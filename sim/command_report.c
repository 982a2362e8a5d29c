#include "command_report.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "claim_report.h"
#include "claim_set.h"
#include "exit_status.h"
#include "memory.h"
#include "report_files.h"
#include "report_frame.h"
#include "report_screen.h"
#include "shared_options.h"
#include "terminal.h"

#define PATH_SIZE 4400

struct options {
    struct sim_shared_options shared; /* folder: where REPORT.md is */
    const char **ids;                 /* none: all, and files are written; owned, borrowed texts */
    size_t id_count;
    const char *claims; /* folder */
    const char *keep;   /* folder of results */
    bool check;
};

static const struct argp_option option_table[] = {
    {"check", 'c', 0, 0,
     "Write nothing: say whether REPORT.md and its pictures are what would be written", 1},
    {"claims", 'C', "DIR", 0,
     "Where claims (NAME.claim.json) and report.json are (default scenarios/claims)", 1},
    {"keep", 'K', "DIR", 0,
     "Where results are kept, so that nothing is run twice (default build/report)", 1},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->shared;
        break;
    case 'c':
        options->check = true;
        break;
    case 'C':
        options->claims = argument;
        break;
    case 'K':
        options->keep = argument;
        break;
    case ARGP_KEY_ARG:
        options->ids[options->id_count++] = argument;
        break;
    case ARGP_KEY_END:
        if (options->check && options->id_count > 0) {
            argp_error(state,
                       "--check with \"%s\": the report has all claims; allowed: one of "
                       "them",
                       options->ids[0]);
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
    .args_doc = "[CLAIM...]",
    .doc = "Put every claim about the design to the test, and write REPORT.md, its pictures in "
           "plots/out, and the same as one page, plots/out/report.html. With CLAIMs, such as L7, "
           "show those and write nothing.\v"
           "Examples:\n"
           "  weir report\n"
           "  weir report L7 D1\n"
           "  weir report --check\n\n"
           "Exit status: 0 done, whatever the verdicts; 1 a figure does not agree with what was "
           "worked out by hand, or --check and REPORT.md is not current, or a claim is missing; "
           "64 bad usage, claim or scenario; 70 internal error.",
};

/* The first that must have a verdict and has none, or NULL. */
static const char *find_missing(const struct study_claim_set *set,
                                const struct study_report_frame *frame)
{
    for (size_t i = 0; i < frame->ids.count; i++) {
        if (study_claim_set_find(set, frame->ids.lines[i]) == NULL) {
            return frame->ids.lines[i];
        }
    }
    return NULL;
}

/* The figures agree with what was worked out by hand, and no claim is missing. */
static bool is_sound(const struct study_claim_set *set, const struct study_report_frame *frame)
{
    bool sound = true;

    for (size_t i = 0; i < set->claim_count; i++) {
        const struct study_judged *judged = &set->judged[i];
        for (size_t j = 0; j < judged->claim->check_count; j++) {
            const struct study_check *check = &judged->claim->checks[j];
            if (!judged->agrees[j]) {
                fprintf(stderr, "weir: %s: checks[%zu]: \"%s\" is not what \"%s\" says\n",
                        judged->claim->file, j, judged->claim->measures[check->measure].name,
                        judged->claim->measures[check->against].name);
                sound = false;
            }
        }
    }
    const char *missing = frame == NULL ? NULL : find_missing(set, frame);
    if (missing != NULL) {
        fprintf(stderr, "weir: %s: ids: \"%s\" has no claim, no %s.claim.json\n", frame->file,
                missing, missing);
        sound = false;
    }
    return sound;
}

static int finish(const struct options *options, const struct study_claim_set *set,
                  const struct study_report_frame *frame)
{
    const size_t width = sim_terminal_width(stdout);
    char error[PATH_SIZE] = "";
    enum study_report_state state = STUDY_REPORT_CURRENT;

    if (frame == NULL) {
        study_report_print_claims(stdout, set, width);
        return is_sound(set, NULL) ? SIM_EXIT_PASS : SIM_EXIT_FAIL;
    }
    if (options->check) {
        state = study_report_compare(set, frame, options->shared.folder, error, sizeof error);
    } else {
        study_report_print_verdicts(stdout, set, width);
        if (!study_report_write(set, frame, options->shared.folder, error, sizeof error)) {
            state = STUDY_REPORT_FAILED;
        }
    }
    if (state != STUDY_REPORT_CURRENT) {
        fprintf(stderr, "weir: %s\n", error);
        return state == STUDY_REPORT_FAILED ? SIM_EXIT_INTERNAL : SIM_EXIT_FAIL;
    }
    printf("%s%s/REPORT.md: %zu claims hold, %zu under a condition, %zu refuted; %zu targets met, "
           "%zu missed%s\n",
           options->check ? "" : "\n", options->shared.folder, study_report_count(set, STUDY_HOLDS),
           study_report_count(set, STUDY_HOLDS_IF), study_report_count(set, STUDY_REFUTED),
           study_report_count(set, STUDY_MET), study_report_count(set, STUDY_MISSED),
           options->check ? "; it is current" : "");
    return is_sound(set, frame) ? SIM_EXIT_PASS : SIM_EXIT_FAIL;
}

static int fail_runs(const struct study_claim_set *set, const struct study_batch *batch)
{
    char name[PATH_SIZE];

    if (batch->failed_run < batch->run_count) {
        study_claim_set_name_run(set, batch->failed_run, name, sizeof name);
        fprintf(stderr, "%s: %s\n", name, batch->error);
    } else {
        fprintf(stderr, "weir: %s\n", batch->error);
    }
    return batch->is_refused ? SIM_EXIT_USAGE : SIM_EXIT_INTERNAL;
}

static int make_runs(const struct options *options, struct study_claim_set *set)
{
    struct study_batch batch = {
        .runs = set->list.runs,
        .run_count = set->list.count,
        .folder = options->keep,
        .job_count = (unsigned)options->shared.job_count,
        .label = "report",
        .quiet = options->shared.quiet,
    };
    const enum study_end end = study_batch_run(&batch);

    if (end == STUDY_SIGNALLED) {
        fprintf(stderr, "weir: stopped; what was finished is kept in %s\n", options->keep);
        return SIM_EXIT_SIGNAL + batch.signal_number;
    }
    if (end == STUDY_FAILED) {
        return fail_runs(set, &batch);
    }
    return SIM_EXIT_PASS;
}

static int report(const struct options *options, struct study_claim_set *set,
                  const struct study_report_frame *frame)
{
    char error[1000];
    const int status = make_runs(options, set);

    if (status != SIM_EXIT_PASS) {
        return status;
    }
    if (!study_claim_set_judge(set, error, sizeof error)) {
        fprintf(stderr, "weir: %s\n", error);
        return SIM_EXIT_USAGE;
    }
    return finish(options, set, frame);
}

static int load_and_report(const struct options *options)
{
    struct study_claim_set set;
    struct study_report_frame frame = {0};
    struct sim_error reason;
    char error[1000];
    char file[PATH_SIZE];
    const bool all = options->id_count == 0;
    int status = SIM_EXIT_USAGE;

    if (!study_claim_set_load(&set, options->claims, options->ids, options->id_count, error,
                              sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return status;
    }
    snprintf(file, sizeof file, "%s/report.json", options->claims);
    if (all && !study_report_frame_load(&frame, file, &reason)) {
        fprintf(stderr, "%s\n", reason.text);
    } else {
        status = report(options, &set, all ? &frame : NULL);
    }
    study_report_frame_free(&frame);
    study_claim_set_free(&set);
    return status;
}

int sim_command_report(int argc, char **argv)
{
    struct options options = {
        .shared = {.has = SIM_SHARED_JOBS | SIM_SHARED_OUT | SIM_SHARED_QUIET,
                   .out_help = "Where REPORT.md and plots/out are (default .)",
                   .folder = "."},
        .ids = sim_memory_new((size_t)argc, sizeof(char *)),
        .claims = "scenarios/claims",
        .keep = "build/report",
    };

    sim_shared_options_parse(&options.shared, &parser, argc, argv, &options);
    const int status = load_and_report(&options);
    sim_shared_options_free(&options.shared);
    free(options.ids);
    return status;
}
