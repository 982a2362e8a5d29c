#include "scenario_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "scenario_text.h"

enum {
    FIRST_SIZE = 64 * 1024,
};

__attribute__((format(printf, 3, 4))) static bool
file_fail(struct sim_error *error, const char *path, const char *format, ...)
{
    char message[sizeof error->text];
    struct sim_text text;
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    *error = (struct sim_error){0};
    sim_text_init(&text, error->text, sizeof error->text);
    sim_text_add_file(&text, path);
    sim_text_add(&text, ": %s", message);
    return false;
}

static bool is_directory(FILE *file)
{
    struct stat status;

    return fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
}

/* Read to the end or one byte past the limit, which tells the two apart. */
static char *read_all(FILE *file, size_t bytes_max, size_t *size)
{
    size_t room = FIRST_SIZE;
    char *bytes = sim_memory_new(room, 1);

    *size = 0;
    for (;;) {
        size_t got = fread(bytes + *size, 1, room - 1 - *size, file);
        *size += got;
        if (got == 0 || *size > bytes_max) {
            bytes[*size] = '\0';
            return bytes;
        }
        if (*size == room - 1) {
            char *larger = sim_memory_new(room * 2, 1);
            memcpy(larger, bytes, *size);
            free(bytes);
            bytes = larger;
            room *= 2;
        }
    }
}

bool sim_file_read(const char *path, size_t bytes_max, char **bytes, size_t *size,
                   struct sim_error *error)
{
    *bytes = NULL;
    *size = 0;
    if (path[0] == '\0') {
        return file_fail(error, "(no file)", "found an empty path; allowed: a readable file");
    }
    struct stat found;
    if (stat(path, &found) == 0 && S_ISFIFO(found.st_mode)) { /* to open it could wait for ever */
        return file_fail(error, path, "is a pipe; allowed: a readable file");
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return file_fail(error, path, "%s; allowed: a readable file", strerror(errno));
    }
    if (is_directory(file)) {
        (void)fclose(file);
        return file_fail(error, path, "is a folder; allowed: a readable file");
    }
    *bytes = read_all(file, bytes_max, size);
    bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (!failed && *size > 0 && *size <= bytes_max) {
        return true;
    }
    bool empty = *size == 0;
    free(*bytes);
    *bytes = NULL;
    *size = 0;
    if (failed) {
        return file_fail(error, path, "cannot be read to its end; allowed: a readable file");
    }
    if (empty) {
        return file_fail(error, path, "is empty; allowed: a file with content");
    }
    return file_fail(error, path, "is larger than %zu MiB; allowed: up to that size",
                     bytes_max / 1024 / 1024);
}

char *sim_file_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    size_t folder_size = slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    size_t size = folder_size + strlen(name) + 1;
    char *joined = sim_memory_new(size, 1);

    (void)snprintf(joined, size, "%.*s%s", (int)folder_size, path, name);
    return joined;
}
