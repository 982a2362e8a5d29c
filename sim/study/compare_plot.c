/* The picture of a comparison: some measures, a line for each seed from A to B. */
#include <stdio.h>

#include "compare_report.h"
#include "plot_script.h"
#include "readable.h"
#include "result.h"

#define PANELS_MAX 6

/* Of B against A, in one sentence. */
static void find(char *text, size_t size, const struct study_comparison *comparison)
{
    const struct study_compare *compare = comparison->compare;
    size_t better = 0;
    size_t worse = 0;
    size_t judged = 0;

    for (size_t i = 0; i < STUDY_MEASURE_COUNT; i++) {
        const struct study_gap *gap = &compare->gaps[i];
        judged += gap->is_there && study_measures[i].better != STUDY_BETTER_NEITHER;
        better += gap->better_count > 0 && gap->worse_count == 0;
        worse += gap->worse_count > 0 && gap->better_count == 0;
    }
    if (better + worse == 0) {
        snprintf(text, size, "Neither side is the better one in any of %zu measures", judged);
    } else if (better == 0 || worse == 0) {
        snprintf(text, size, "B is %s in %zu of %zu measures, and %s in none",
                 worse == 0 ? "better" : "worse", better + worse, judged,
                 worse == 0 ? "worse" : "better");
    } else {
        snprintf(text, size, "B is better in %zu of %zu measures, and worse in %zu", better, judged,
                 worse);
    }
}

/* The first that differ, of those of which one way is good; if none does, the first. */
static size_t choose_panels(const struct study_compare *compare, size_t panels[PANELS_MAX])
{
    size_t count = 0;

    for (int differing = 1; differing >= 0 && count == 0; differing--) {
        for (size_t i = 0; i < STUDY_MEASURE_COUNT && count < PANELS_MAX; i++) {
            const struct study_gap *gap = &compare->gaps[i];
            if (gap->is_there && study_measures[i].better != STUDY_BETTER_NEITHER &&
                (gap->differing_count > 0) == (differing > 0)) {
                panels[count++] = i;
            }
        }
    }
    return count;
}

/* A panel's lines have a blank line between, and two end it. */
static void print_panel(FILE *script, const struct study_compare *compare, size_t panel)
{
    const struct study_measure *measure = &study_measures[panel];

    for (size_t pair = 0; pair < compare->seed_count; pair++) {
        double a = 0;
        double b = 0;
        (void)sim_result_number(study_compare_pair(compare, 0, pair)->result, measure->path, &a);
        (void)sim_result_number(study_compare_pair(compare, 1, pair)->result, measure->path, &b);
        const int better = study_measure_compare(measure, b, a);
        fprintf(script, "0\t%.9g\t%d\n1\t%.9g\t%d\n\n", a, better, b, better);
    }
    fputc('\n', script);
}

void study_compare_print_plot(FILE *script, const void *context, const char *kind)
{
    const struct study_comparison *comparison = context;
    const struct study_compare *compare = comparison->compare;
    size_t panels[PANELS_MAX];
    char finding[400];
    char text[400];
    char cut[2][80];
    const size_t count = choose_panels(compare, panels);

    find(finding, sizeof finding, comparison);
    snprintf(text, sizeof text,
             "%.100s, %zu seed%s; a line for each: B is better (green) or worse (orange)",
             comparison->title, compare->seed_count, compare->seed_count == 1 ? "" : "s");
    sim_plot_script_frame(script, &(struct sim_plot_frame){"compare", kind, finding, text});
    for (size_t side = 0; side < 2; side++) {
        sim_readable_cut(cut[side], sizeof cut[side], comparison->names[side], 70);
        snprintf(text, sizeof text, "%c: %s", side == 0 ? 'A' : 'B', cut[side]);
        sim_plot_script_text(script, side == 0 ? "side_a" : "side_b", text);
    }
    fprintf(script, "array names[%zu]\n", count);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "names[%zu]", i + 1);
        sim_plot_script_text(script, text, study_measures[panels[i]].name);
    }
    fprintf(script, "panel_count = %zu\n$data << EOD\n", count);
    for (size_t i = 0; i < count; i++) {
        print_panel(script, compare, panels[i]);
    }
    fprintf(script, "EOD\n");
    sim_plot_script_load(script, "compare");
}
