#include "gnuplot.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_MISSING 127

/* In the child. The script is its input: names of files and of keys never reach a command line. */
static void become_gnuplot(const char *folder, FILE *script, FILE *errors)
{
    const int nowhere = open("/dev/null", O_WRONLY);

    (void)setenv("LC_ALL", "C.UTF-8", 1); /* the scripts have signs beyond ASCII */
    if (nowhere < 0 || chdir(folder) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0 ||
        dup2(fileno(script), STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(fileno(errors), STDERR_FILENO) < 0) {
        _exit(1);
    }
    execlp("gnuplot", "gnuplot", "--default-settings", "-", (char *)NULL);
    _exit(EXIT_MISSING);
}

/* gnuplot shows the line with a caret below it and then says what is wrong: "FILE" line 5: ... */
static void read_complaint(FILE *errors, char *message, size_t message_size)
{
    char line[400];

    snprintf(message, message_size, "it said nothing");
    rewind(errors);
    while (fgets(line, sizeof line, errors) != NULL) {
        const char *begin = line + strspn(line, " \t");
        const size_t length = strcspn(begin, "\n");
        if (*begin == '"' || strncmp(begin, "line ", 5) == 0) {
            snprintf(message, message_size, "%.*s", (int)length, begin);
            return;
        }
    }
}

enum sim_gnuplot_outcome sim_gnuplot_run(const char *folder, FILE *script, char *message,
                                         size_t message_size)
{
    FILE *errors = tmpfile();
    int status = 0;

    snprintf(message, message_size, "no temporary file or process");
    if (errors == NULL) {
        return SIM_GNUPLOT_FAILED;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        become_gnuplot(folder, script, errors);
    }
    enum sim_gnuplot_outcome outcome = SIM_GNUPLOT_FAILED;
    if (child > 0 && waitpid(child, &status, 0) == child) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MISSING) {
            outcome = SIM_GNUPLOT_MISSING;
        } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            outcome = SIM_GNUPLOT_DONE;
        } else {
            read_complaint(errors, message, message_size);
        }
    }
    fclose(errors);
    return outcome;
}
