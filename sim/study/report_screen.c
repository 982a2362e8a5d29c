#include "report_screen.h"

#include <string.h>

#include "command_line.h"
#include "readable.h"
#include "screen_table.h"

void study_report_print_verdicts(FILE *file, const struct study_claim_set *set, size_t width)
{
    size_t id_width = 0;
    char cut[400];

    for (size_t i = 0; i < set->claim_count; i++) {
        const size_t length = strlen(set->claims[i].id);
        id_width = length > id_width ? length : id_width;
    }
    const size_t rest = width > id_width + 14 ? width - id_width - 12 : 2;
    for (size_t i = 0; i < set->claim_count; i++) {
        const struct study_judged *judged = &set->judged[i];
        sim_readable_cut(cut, sizeof cut, judged->words, rest);
        fprintf(file, "%-*s  %-8s  %s\n", (int)id_width, judged->claim->id,
                study_outcome_name(judged->verdict->outcome), cut);
    }
}

static void print_figures(FILE *file, const struct study_judged *judged, size_t width)
{
    static const struct sim_screen_column columns[] = {{"measure", SIM_SCREEN_LEFT, 9},
                                                       {"figure", SIM_SCREEN_RIGHT, 8},
                                                       {"least", SIM_SCREEN_RIGHT, 2},
                                                       {"most", SIM_SCREEN_RIGHT, 2}};
    const struct study_claim *claim = judged->claim;
    struct sim_screen_table table;
    size_t rows = 0;

    for (size_t i = 0; i < claim->measure_count; i++) {
        rows += claim->measures[i].text != NULL;
    }
    sim_screen_table_init(&table, columns, 4, rows, 60);
    table.first = SIM_SCREEN_WRAP;
    for (size_t i = 0, row = 0; i < claim->measure_count; i++) {
        const struct study_claim_measure *measure = &claim->measures[i];
        const struct study_figure *figure = &judged->figures[i];
        if (measure->text == NULL) {
            continue;
        }
        snprintf(sim_screen_table_cell(&table, row, 0), SIM_SCREEN_CELL_SIZE, "%s", measure->text);
        snprintf(sim_screen_table_cell(&table, row, 1), SIM_SCREEN_CELL_SIZE, "%s",
                 study_amount(figure->value, measure->unit).text);
        if (figure->seed_count > 1) {
            snprintf(sim_screen_table_cell(&table, row, 2), SIM_SCREEN_CELL_SIZE, "%s",
                     study_amount_bare(figure->least, measure->unit, figure->value).text);
            snprintf(sim_screen_table_cell(&table, row, 3), SIM_SCREEN_CELL_SIZE, "%s",
                     study_amount_bare(figure->most, measure->unit, figure->value).text);
        }
        row++;
    }
    sim_screen_table_print(file, &table, width);
    sim_screen_table_free(&table);
}

static void print_agreements(FILE *file, const struct study_judged *judged)
{
    for (size_t i = 0; i < judged->claim->check_count; i++) {
        const struct study_check *check = &judged->claim->checks[i];
        fprintf(file, "%s: %s against %s\n", judged->agrees[i] ? "agrees" : "DOES NOT AGREE",
                judged->claim->measures[check->measure].name,
                judged->claim->measures[check->against].name);
    }
}

void study_report_print_claims(FILE *file, const struct study_claim_set *set, size_t width)
{
    for (size_t i = 0; i < set->claim_count; i++) {
        const struct study_judged *judged = &set->judged[i];
        fprintf(file, "%s%s: %s\n\n", i == 0 ? "" : "\n", judged->claim->id,
                study_outcome_name(judged->verdict->outcome));
        sim_screen_wrap(file, width, "claim    ", judged->claim->claim);
        sim_screen_wrap(file, width, "verdict  ", judged->words);
        fputc('\n', file);
        print_figures(file, judged, width);
        print_agreements(file, judged);
        fputc('\n', file);
        for (size_t j = 0; j < judged->claim->run_count; j++) {
            study_command_line(file, &judged->claim->runs[j]);
            fputc('\n', file);
        }
    }
}
