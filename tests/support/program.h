/* The weir program, run with arguments in a folder of the test's own: PROGRAM_FOLDER. */
#ifndef WEIR_PROGRAM_H
#define WEIR_PROGRAM_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PROGRAM_OUTPUT_SIZE 65536

static char out[PROGRAM_OUTPUT_SIZE];
static char err[PROGRAM_OUTPUT_SIZE];

static inline void program_read(const char *name, char text[PROGRAM_OUTPUT_SIZE])
{
    FILE *file = fopen(name, "rb");

    assert_non_null(file);
    text[fread(text, 1, PROGRAM_OUTPUT_SIZE - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

/* What it prints is in `out` and `err`. Returns the exit status. */
static inline int program_run(const char *arguments)
{
    char command[2000];

    snprintf(command, sizeof command,
             "'" WEIR_PROGRAM "' %s >" PROGRAM_FOLDER "/stdout 2>" PROGRAM_FOLDER "/err",
             arguments);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    program_read(PROGRAM_FOLDER "/stdout", out);
    program_read(PROGRAM_FOLDER "/err", err);
    return WEXITSTATUS(status);
}

static inline void program_said(const char *text)
{
    if (strstr(out, text) == NULL) {
        fail_msg("found no \"%s\" in %s", text, out);
    }
}

struct misuse {
    const char *arguments;
    const char *message;
};

/* It exits 64, says so, and prints nothing else. command: "compare ". */
static inline void program_refuses_one(const char *command, const struct misuse *misuse)
{
    char arguments[1000];

    snprintf(arguments, sizeof arguments, "%s%s", command, misuse->arguments);
    assert_int_equal(program_run(arguments), 64);
    assert_string_equal(out, "");
    if (strstr(err, misuse->message) == NULL) {
        fail_msg("found %s instead of %s", err, misuse->message);
    }
}

static inline void program_refuses(const char *command, const struct misuse *misuses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        program_refuses_one(command, &misuses[i]);
    }
}

#endif
