/* `topics`: the primer, as text. */
#include <stdio.h>
#include <string.h>

#include "cli/base/options.h"
#include "cli/base/output.h"
#include "cli/base/run.h"
#include "file/prefs/topics.h"
#include "out/out.h"
#include "ui/screen/locale.h"

/* --language, else that of the locale as far as there are pages in it, which are UTF-8. */
static const char *
language_of(const struct options *o)
{
	if (o->language != NULL)
		return o->language;
	return locale_chinese() && locale_utf8() ? "zh" : "en";
}

static bool
print_list(const struct topics *t)
{
	struct table table;

	table_init(&table, 2);
	for (size_t i = 0; i < t->count; i++) {
		char name[32];

		topic_name(&t->topic[i], name, sizeof name);
		table_row(&table, (const char *[]){ name, t->topic[i].title });
	}
	return table_print(&table);
}

/* The page as it stands in the file: paragraphs are lines, for a pager to wrap. */
static void
print_page(const struct topic *page)
{
	const char *text = page->text;

	out_line(stdout, "%s", page->title);
	while (*text != '\0') {
		const size_t n = strcspn(text, "\n");

		if (strncmp(text, "= ", 2) == 0) {
			out_end(stdout);
			out_line(stdout, "%.*s", (int)n - 2, text + 2);
		} else if (n > 0 && text[0] != '@') /* of a plan, which there is none of */
			out_line(stdout, "%.*s", (int)n, text);
		text += text[n] == '\n' ? n + 1 : n;
	}
}

int
topics_run(const struct options *o)
{
	const char *name = o->operands > 0 ? o->operand[0] : NULL;
	const struct topic *page = NULL;
	struct topics topics;
	char why[512];
	int status = STATUS_OK;

	if (!topics_read(&topics, language_of(o), why, sizeof why)) {
		complain("%s", why);
		return STATUS_ERROR;
	}
	if (name == NULL)
		status = print_list(&topics) ? STATUS_OK : STATUS_ERROR;
	else if ((page = topics_find(&topics, name)) != NULL)
		print_page(page);
	else
		status = usage_error("no topic '%s' ('shardplan topics' lists them)", name);
	topics_free(&topics);
	return status;
}
