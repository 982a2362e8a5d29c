#include "shell_word.h"

#include <string.h>

void sim_shell_word_print(FILE *file, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fprintf(file, " %s", word);
        return;
    }
    fprintf(file, " '");
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            fprintf(file, "'\\''");
        } else {
            fputc(*word, file);
        }
    }
    fputc('\'', file);
}
