/* What a kernel dispatched, one record each, and how to get the journal of a SimGrid kernel:
 * SimGrid starts only once per process, so it runs in a child that sends its records back. */
#ifndef WEIR_KERNEL_JOURNAL_H
#define WEIR_KERNEL_JOURNAL_H

#include "kernel.h"
#include "unit.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of real time: a child that hangs is a failure, not a hanging test. */
#define JOURNAL_CHILD_TIMEOUT_S 240

enum journal_kind {
    JOURNAL_EVENT = 0,
    JOURNAL_MESSAGE,
};

struct journal_record {
    uint64_t time_ns;
    uint64_t id; /* event: its tag; message: its payload */
    uint32_t to;
    uint32_t from;
    uint64_t kind; /* enum journal_kind; wide, so that memcmp meets no padding */
};

struct journal {
    struct journal_record *records; /* owned */
    size_t count;
    size_t capacity;
};

static inline void journal_deinit(struct journal *journal)
{
    free(journal->records);
    *journal = (struct journal){0};
}

static inline void journal_add(struct journal *journal, const struct journal_record *record)
{
    if (journal->count == journal->capacity) {
        journal->capacity = journal->capacity == 0 ? 1024 : 2 * journal->capacity;
        journal->records = realloc(journal->records, journal->capacity * sizeof *record);
        assert_non_null(journal->records);
    }
    journal->records[journal->count++] = *record;
}

static inline void journal_event(struct journal *journal, uint64_t time_ns, uint64_t tag)
{
    struct journal_record record = {.time_ns = time_ns, .id = tag, .kind = JOURNAL_EVENT};

    journal_add(journal, &record);
}

static inline void journal_message(struct journal *journal, uint64_t time_ns,
                                   const struct sim_message *message)
{
    struct journal_record record = {
        .time_ns = time_ns,
        .id = (uintptr_t)message->payload,
        .to = message->to,
        .from = message->from,
        .kind = JOURNAL_MESSAGE,
    };

    journal_add(journal, &record);
}

/* How many records are dispatched at the same instant as the one before. */
static inline size_t journal_tie_count(const struct journal *journal)
{
    size_t tie_count = 0;

    for (size_t i = 1; i < journal->count; i++) {
        if (journal->records[i].time_ns == journal->records[i - 1].time_ns) {
            tie_count++;
        }
    }
    return tie_count;
}

/* Fill `journal` by play(context, journal), called in a child process, which has to succeed. */
static inline void journal_record_in_child(struct journal *journal,
                                           void (*play)(void *context, struct journal *journal),
                                           void *context)
{
    FILE *file = tmpfile();
    struct journal_record record;
    int status = -1;

    assert_non_null(file);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(JOURNAL_CHILD_TIMEOUT_S);
        play(context, journal);
        fwrite(journal->records, sizeof record, journal->count, file);
        _exit(fflush(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    rewind(file);
    while (fread(&record, sizeof record, 1, file) == 1) {
        journal_add(journal, &record);
    }
    fclose(file);
}

static inline void record_print(const char *name, size_t index, const struct journal_record *record)
{
    print_error("%s %zu: %" PRIu64 " ns, %s %" PRIu64 ", to %" PRIu32 " from %" PRIu32 "\n", name,
                index, record->time_ns, record->kind == JOURNAL_EVENT ? "event" : "message",
                record->id, record->to, record->from);
}

/* Fail at the first difference, and print it. */
static inline void journal_assert_equal(const struct journal *actual,
                                        const struct journal *expected)
{
    for (size_t i = 0; i < actual->count && i < expected->count; i++) {
        if (memcmp(&actual->records[i], &expected->records[i], sizeof actual->records[i]) != 0) {
            record_print("actual", i, &actual->records[i]);
            record_print("expected", i, &expected->records[i]);
            fail();
        }
    }
    assert_int_equal(actual->count, expected->count);
}

#endif
