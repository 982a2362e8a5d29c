/* A document as Markdown and as a page. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "document.h"
#include "world_run.h"

static char *markdown;
static char *page;

static void write_both(const struct study_document *document)
{
    size_t size;
    FILE *file = open_memstream(&markdown, &size);

    study_document_write_markdown(document, file);
    assert_int_equal(fclose(file), 0);
    file = open_memstream(&page, &size);
    assert_true(study_document_write_html(document, "A < B", ".", file));
    assert_int_equal(fclose(file), 0);
}

static void free_both(void)
{
    free(markdown);
    free(page);
}

static void said(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("found no %s in %s", part, text);
    }
}

static void blocks_become_markdown(void **state)
{
    (void)state;
    struct study_document document;

    study_document_init(&document);
    study_document_heading(&document, 2, "L1: %s", "holds");
    study_document_add(&document, STUDY_PARAGRAPH, "one");
    study_document_add(&document, STUDY_ITEM, "first");
    study_document_add(&document, STUDY_ITEM, "second");
    study_document_add(&document, STUDY_FOLD_BEGIN, "more");
    study_document_add(&document, STUDY_CODE, "weir run x");
    study_document_fold_end(&document);
    study_document_table(&document, "lr");
    study_document_cell(&document, "%s", "a|b");
    study_document_cell(&document, "%s", "n");
    study_document_cell(&document, "%s", "c");
    study_document_cell(&document, "%d", 1);
    write_both(&document);
    assert_string_equal(markdown,
                        "## L1: holds\n\none\n\n- first\n- second\n\n```\nweir run x\n```\n"
                        "\n| a\\|b | n |\n|---|---:|\n| c | 1 |\n");
    said(page, "<h2 id=\"l1-holds\">L1: holds</h2>");
    said(page, "<ul>\n<li>first</li>\n<li>second</li>\n</ul>\n");
    said(page, "<details><summary>more</summary>\n<pre><code>weir run x</code></pre>\n</details>");
    said(page, "<th>a|b</th><th class=\"r\">n</th></tr>\n<tr><td>c</td><td class=\"r\">1</td>");
    free_both();
    study_document_free(&document);
}

static void what_means_something_to_html_is_escaped(void **state)
{
    (void)state;
    struct study_document document;

    study_document_init(&document);
    study_document_add(&document, STUDY_PARAGRAPH,
                       "a <= b & **bold `c<d`** [x](y\"z) `e*f` 2 * 3 [no link]");
    write_both(&document);
    said(page, "<title>A &lt; B</title>");
    said(page, "<p>a &lt;= b &amp; <strong>bold <code>c&lt;d</code></strong> "
               "<a href=\"y&quot;z\">x</a> <code>e*f</code> 2 * 3 [no link]</p>");
    free_both();
    study_document_free(&document);
}

static void a_page_holds_its_figures(void **state)
{
    (void)state;
    struct study_document document;
    char file[64];

    snprintf(file, sizeof file, "document_%ld.svg", (long)getpid());
    world_run_write(file, "<?xml?>\n<svg><text fill=\"#222222\">t</text></svg>\n"
                          "<g color=\"black\" fill=\"rgb(34,34,34)\"/><g color=\"#FFFFFF\" "
                          "stroke='rgb(228, 228, 228)'/><g fill=\"rgb(213,94,0)\"/>black\n");
    study_document_init(&document);
    study_document_figure(&document, file, "what");
    write_both(&document);
    said(markdown, "![what](document_");
    said(page, "<figure>\n<svg><text fill=\"var(--text)\">t</text></svg>\n");
    said(page, "<g color=\"var(--text)\" fill=\"var(--text)\"/><g color=\"var(--ground)\" "
               "stroke='var(--line)'/><g fill=\"rgb(213,94,0)\"/>black\n");
    said(page, "<figcaption>what</figcaption>");
    assert_null(strstr(page, "<?xml"));
    assert_null(strstr(page, "<img"));
    free_both();
    assert_int_equal(unlink(file), 0);
    FILE *nowhere = tmpfile();
    assert_false(study_document_write_html(&document, "t", ".", nowhere));
    assert_int_equal(fclose(nowhere), 0);
    study_document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_become_markdown),
        cmocka_unit_test(what_means_something_to_html_is_escaped),
        cmocka_unit_test(a_page_holds_its_figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
