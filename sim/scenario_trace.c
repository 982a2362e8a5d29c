/* A trace: a CSV file of arrivals, "time_s,key,cost_units". Lines that begin with # are comments.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "scenario_file.h"
#include "scenario_sections.h"
#include "scenario_text.h"

static const char trace_header[] = "time_s,key,cost_units";

enum {
    TRACE_BYTES_MAX = 256 * 1024 * 1024,
    TIME_S_DIGITS_MAX = 9,
    TIME_FRACTION_DIGITS_MAX = 9,
    COST_DIGITS_MAX = 10,
    COST_UNITS_MAX = 1000000000,
    SLOTS_MIN = 64,
    NS_PER_S = 1000000000,
};

struct field {
    const char *bytes;
    size_t size;
};

/* Names in order of first appearance, found by open addressing. FNV-1a; nothing depends on the
 * order of the slots. */
struct names {
    struct field *names;
    uint32_t count;
    uint32_t count_max;
    uint32_t *slots;   /* index + 1 into `names`; 0: free */
    size_t slot_count; /* a power of two */
};

struct trace {
    const char *file;
    const char *at; /* the next line */
    const char *end;
    int line;
    uint64_t last_ns;
    struct names names;
    struct sim_error *error;
};

static bool trace_fail(const struct trace *trace, const char *column, const struct field *found,
                       const char *allowed)
{
    struct sim_text text;

    *trace->error = (struct sim_error){.line = trace->line};
    sim_text_init(&text, trace->error->text, sizeof trace->error->text);
    sim_text_add_file(&text, trace->file);
    sim_text_add(&text, ":%d: %s: found ", trace->line, column);
    sim_text_add_quoted(&text, found->bytes, found->size);
    sim_text_add(&text, "; allowed: %s", allowed);
    return false;
}

static uint64_t name_hash(const struct field *name)
{
    uint64_t hash = 14695981039346656037U;

    for (size_t i = 0; i < name->size; i++) {
        hash = (hash ^ (unsigned char)name->bytes[i]) * 1099511628211U;
    }
    return hash ^ hash >> 32;
}

static uint32_t *names_slot(const struct names *names, const struct field *name)
{
    size_t slot = (size_t)name_hash(name) & (names->slot_count - 1);

    while (names->slots[slot] != 0) {
        const struct field *there = &names->names[names->slots[slot] - 1];

        if (there->size == name->size && memcmp(there->bytes, name->bytes, name->size) == 0) {
            break;
        }
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return &names->slots[slot];
}

static void names_grow(struct names *names)
{
    struct field *old = names->names;

    free(names->slots);
    names->slot_count = names->slot_count > 0 ? names->slot_count * 2 : SLOTS_MIN;
    names->slots = sim_memory_new(names->slot_count, sizeof *names->slots);
    names->names = sim_memory_new(names->slot_count / 2, sizeof *names->names);
    for (uint32_t i = 0; i < names->count; i++) {
        names->names[i] = old[i];
        *names_slot(names, &names->names[i]) = i + 1;
    }
    free(old);
}

/* The number of a name, new or known; false if there is no room for another. */
static bool names_number(struct names *names, const struct field *name, uint32_t *number)
{
    if (names->count >= names->slot_count / 2) {
        names_grow(names);
    }
    uint32_t *slot = names_slot(names, name);
    if (*slot == 0) {
        if (names->count == names->count_max) {
            return false;
        }
        names->names[names->count++] = *name;
        *slot = names->count;
    }
    *number = *slot - 1;
    return true;
}

/* The next line that is no comment, without its end. */
static bool next_line(struct trace *trace, struct field *line)
{
    while (trace->at < trace->end) {
        const char *newline = memchr(trace->at, '\n', (size_t)(trace->end - trace->at));
        const char *end = newline ? newline : trace->end;

        *line = (struct field){trace->at, (size_t)(end - trace->at)};
        trace->at = newline ? newline + 1 : trace->end;
        trace->line++;
        if (line->size > 0 && line->bytes[line->size - 1] == '\r') {
            line->size--;
        }
        if (line->size == 0 || line->bytes[0] != '#') {
            return true;
        }
    }
    return false;
}

/* Cut `line` at its commas; false unless there are exactly three fields. */
static bool split(const struct field *line, struct field fields[3])
{
    const char *at = line->bytes;
    const char *end = line->bytes + line->size;

    for (size_t i = 0; i < 3; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));

        if ((comma == NULL) != (i == 2)) {
            return false;
        }
        fields[i] = (struct field){at, (size_t)((comma ? comma : end) - at)};
        at = comma ? comma + 1 : end;
    }
    return true;
}

/* All digits, 1 to digits_max of them. */
static bool parse_digits(const struct field *field, size_t digits_max, uint64_t *value)
{
    *value = 0;
    if (field->size == 0 || field->size > digits_max) {
        return false;
    }
    for (size_t i = 0; i < field->size; i++) {
        if (field->bytes[i] < '0' || field->bytes[i] > '9') {
            return false;
        }
        *value = *value * 10 + (uint64_t)(field->bytes[i] - '0');
    }
    return true;
}

static bool parse_time(const struct field *field, uint64_t *time_ns)
{
    const char *point = memchr(field->bytes, '.', field->size);
    struct field whole = {field->bytes, point ? (size_t)(point - field->bytes) : field->size};
    uint64_t seconds = 0;
    uint64_t fraction = 0;

    if (!parse_digits(&whole, TIME_S_DIGITS_MAX, &seconds)) {
        return false;
    }
    if (point) {
        struct field decimals = {point + 1, field->size - whole.size - 1};

        if (!parse_digits(&decimals, TIME_FRACTION_DIGITS_MAX, &fraction)) {
            return false;
        }
        for (size_t i = decimals.size; i < TIME_FRACTION_DIGITS_MAX; i++) {
            fraction *= 10;
        }
    }
    *time_ns = seconds * NS_PER_S + fraction;
    return true;
}

/* A key's name is shown to people: text, of any language. */
static bool is_text(const struct field *field)
{
    for (size_t i = 0; i < field->size;) {
        size_t size = sim_text_character_size(field->bytes + i, field->size - i);

        if (size == 0 || field->bytes[i] == '\0') {
            return false;
        }
        i += size;
    }
    return true;
}

static bool parse_row(struct trace *trace, const struct field *line, uint64_t ends_ns,
                      struct sim_traffic_spec *spec)
{
    struct sim_trace_row row = {0};
    struct field fields[3];
    uint64_t cost = 0;

    if (!split(line, fields)) {
        return trace_fail(trace, "row", line, trace_header);
    }
    if (!parse_time(&fields[0], &row.time_ns)) {
        return trace_fail(trace, "time_s", &fields[0],
                          "seconds below 1000000000 with up to 9 decimals, such as 12.5");
    }
    if (row.time_ns < trace->last_ns) {
        return trace_fail(trace, "time_s", &fields[0], "rows sorted by time");
    }
    trace->last_ns = row.time_ns;
    if (fields[1].size == 0 || !is_text(&fields[1])) {
        return trace_fail(trace, "key", &fields[1], "a name in UTF-8 without a comma");
    }
    if (!parse_digits(&fields[2], COST_DIGITS_MAX, &cost) || cost < 1 || cost > COST_UNITS_MAX) {
        return trace_fail(trace, "cost_units", &fields[2], "an integer from 1 to 1000000000");
    }
    if (row.time_ns >= ends_ns) {
        return true;
    }
    if (!names_number(&trace->names, &fields[1], &row.key)) {
        return trace_fail(trace, "key", &fields[1],
                          "no more distinct keys than the count of this population");
    }
    row.cost_units = (uint32_t)cost;
    spec->rows[spec->row_count++] = row;
    return true;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 1;

    for (size_t i = 0; i < size; i++) {
        count += text[i] == '\n' ? 1 : 0;
    }
    return count;
}

static bool parse_trace(struct trace *trace, uint64_t ends_ns, struct sim_traffic_spec *spec)
{
    struct field line = {"", 0};

    if (!next_line(trace, &line) || line.size != sizeof trace_header - 1 ||
        memcmp(line.bytes, trace_header, line.size) != 0) {
        return trace_fail(trace, "header", &line, trace_header);
    }
    size_t line_count = count_lines(trace->at, (size_t)(trace->end - trace->at));
    spec->rows = sim_memory_new(line_count, sizeof *spec->rows);
    size_t row_count = 0;
    while (next_line(trace, &line)) {
        if (!parse_row(trace, &line, ends_ns, spec)) {
            return false;
        }
        row_count++;
    }
    line.size = 0;
    return row_count > 0 || trace_fail(trace, "row", &line, "at least one row after the header");
}

bool sim_scenario_read_trace(const struct sim_node *node, const struct sim_scenario *scenario,
                             struct sim_traffic_spec *spec)
{
    struct sim_error *error = node->document->error;
    const char *name = NULL;
    char *bytes = NULL;
    size_t size = 0;

    if (!sim_read_line(node, "the path of a CSV file", 4096, &name)) {
        return false;
    }
    char *file = sim_file_beside(node->document->file, name);
    struct trace trace = {
        .file = file,
        .names = {.count_max = scenario->populations[spec->population].key_count},
        .error = error,
    };
    bool good = sim_file_read(file, TRACE_BYTES_MAX, &bytes, &size, error);
    if (!good) {
        char why[sizeof error->text];
        memcpy(why, error->text, sizeof why);
        (void)sim_read_fail(node, "%s", why);
    } else {
        trace.at = bytes;
        trace.end = bytes + size;
        good = parse_trace(&trace, scenario->duration_ns - spec->from_ns, spec);
    }
    free(trace.names.names);
    free(trace.names.slots);
    free(bytes);
    free(file);
    return good;
}
