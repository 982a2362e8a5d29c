#include "command_line.h"

#include "shell_word.h"

void study_command_line(FILE *file, const char *program, const struct study_claim_run *run)
{
    fprintf(file, "%s run", program);
    sim_shell_word_print(file, run->scenario);
    fprintf(file, " --kernel %s", sim_kernel_name(run->kernel));
    for (size_t i = 0; i < run->set_count; i++) {
        fputs(" --set", file);
        sim_shell_word_print(file, run->sets[i]);
    }
    if (run->seed_count > 0) {
        fputs(" --seed 1", file);
    }
    fprintf(file, "  # %s", run->name);
    if (run->seed_count > 1) {
        fprintf(file, "; seeds 1 to %u", run->seed_count);
    }
}
