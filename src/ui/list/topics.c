/* The primer: a list of pages, and one page. */
#include <string.h>

#include "core/base/text.h"
#include "ui/list/guide.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"

enum { READABLE = 96 }; /* columns of a line that the eye follows back */

const struct topic *
topics_page(const struct state *s, size_t i)
{
	return s->files->topic != NULL ? s->files->topic(s->files->context, state_language(s), i) : NULL;
}

/* The page of a name and its place; NULL without one. */
static const struct topic *
page_of(const struct state *s, const char *name, size_t *at)
{
	const struct topic *page;

	for (*at = 0; (page = topics_page(s, *at)) != NULL; ++*at)
		if (topic_is(page, name))
			return page;
	return NULL;
}

static void
open_page(struct state *s, const struct topic *page)
{
	state_advise(s); /* a guide tells of hints */
	list_open(s, LIST_TOPIC);
	topic_name(page, s->topics.page, sizeof s->topics.page);
}

/* The page that was open, else that of what the cursor is on: a field, what colours the map. */
static int
topics_begin(const struct state *s)
{
	const struct pane_type *pane = pane_type(s, s->focus);
	char subject[64];
	size_t at;

	if (s->topics.page[0] != '\0')
		return page_of(s, s->topics.page, &at) != NULL ? (int)at : 0;
	text_put(subject, sizeof subject, "%s", pane->name);
	if (pane->subject != NULL)
		pane->subject(s, subject, sizeof subject);
	return page_of(s, subject, &at) != NULL ? (int)at : -1;
}

unsigned
topics_open(struct state *s, const char *argument)
{
	size_t at;

	if (topics_page(s, 0) == NULL) {
		state_say(s, ROLE_ERROR, "the topics are not installed (share/topics/en.txt)");
		return 0;
	}
	if (argument[0] != '\0' && page_of(s, argument, &at) == NULL) {
		state_say(s, ROLE_ERROR, "no topic %s; :topics lists them", argument);
		return 0;
	}
	s->topics.page[0] = '\0';
	state_advise(s);
	list_open(s, argument[0] != '\0' ? LIST_TOPIC : LIST_TOPICS);
	text_put(s->topics.page, sizeof s->topics.page, "%s", argument);
	return 0;
}

unsigned
topics_language(struct state *s, const char *argument)
{
	const char *other = text_equal(state_language(s), "zh") ? "en" : "zh";
	char err[STATE_MESSAGE_SIZE];

	if (!settings_put(&s->settings, settings_find("language"), argument[0] != '\0' ? argument : other, err,
	    sizeof err)) {
		state_say(s, ROLE_ERROR, "language %s", err);
		return 0;
	}
	if (text_equal(s->settings.language, "zh") && !text_equal(state_language(s), "zh"))
		state_say(s, ROLE_WARNING, "Chinese needs a terminal with UTF-8");
	else
		state_say(s, ROLE_DIM, "%s for this session (:remember keeps it)",
		    text_equal(state_language(s), "zh") ? "Chinese" : "English");
	state_speak(s);
	return 0;
}

static void
topic_title(const struct state *s, char *buf, size_t size)
{
	const struct topic *page;
	size_t at;

	if ((page = page_of(s, s->topics.page, &at)) != NULL)
		text_add(buf, size, ": %s", page->title);
}

/* A line about the plan, and where Enter leads to. */
static void
add_guide(struct rows *rows, const struct state *s, int target, const char *line)
{
	char text[2048], link[GUIDE_LINK_SIZE];

	if (!guide_line(s, line, text, sizeof text, link))
		return;
	rows->hang = 2;
	if (link[0] != '\0')
		rows_item(rows, target, ROLE_KEY, "%s [%s]", text, link);
	else
		rows_item(rows, -1, ROLE_GOOD, "%s", text);
}

/* A line of a page: heading, item, paragraph, or about the plan. */
static void
add_line(struct rows *rows, const struct state *s, int target, char *line)
{
	if (line[0] == '@')
		add_guide(rows, s, target, line + 1);
	else if (strncmp(line, "= ", 2) == 0)
		rows_heading(rows, line + 2);
	else if (line[0] != '\0') {
		rows->hang = line[0] == '-' ? 2 : 0;
		rows_item(rows, -1, strstr(line, "https://") != NULL ? ROLE_KEY : ROLE_TEXT, "%s", line);
	}
}

static void
page_rows(struct rows *rows, const struct state *s, const char *text)
{
	const char *page = text;

	if (rows->width > READABLE)
		rows->width = READABLE;
	while (*text != '\0') {
		const size_t n = strcspn(text, "\n");

		add_line(rows, s, (int)(text - page), TEXT_OF(2048, "%.*s", (int)n, text));
		text += n;
		if (*text == '\n')
			text++;
	}
}

static void
topics_rows(struct rows *rows, const struct state *s)
{
	const struct topic *page;
	char name[32];

	rows->texts = NULL; /* names are typed, titles are in the language */
	for (size_t at = 0; (page = topics_page(s, at)) != NULL; at++) {
		topic_name(page, name, sizeof name);
		rows_line(rows, (int)at, ROLE_TEXT, TEXT_OF(ROW_TEXT_SIZE, "%-12s %s", name, page->title));
	}
}

/* A language that has no such page shows the list of those that it has. */
static void
topic_rows(struct rows *rows, const struct state *s)
{
	size_t at;
	const struct topic *page = page_of(s, s->topics.page, &at);

	if (page != NULL)
		page_rows(rows, s, page->text);
	else
		topics_rows(rows, s);
}

static unsigned
topics_accept(struct state *s, int target)
{
	const struct topic *page = target >= 0 ? topics_page(s, (size_t)target) : NULL;

	if (page != NULL)
		open_page(s, page);
	return 0;
}

/* Where a line about the plan leads to. */
static unsigned
topic_accept(struct state *s, int target)
{
	size_t at;
	const struct topic *page = page_of(s, s->topics.page, &at);
	char line[2048], text[2048], link[GUIDE_LINK_SIZE];

	if (page == NULL)
		return topics_accept(s, target);
	if (target < 0)
		return 0;
	text_put(line, sizeof line, "%.*s", (int)strcspn(page->text + target, "\n"),
	    page->text + target);
	return guide_line(s, line + 1, text, sizeof text, link) ? guide_follow(s, link) : 0;
}

/* The page before or after. */
static unsigned
topic_aside(struct state *s, int way)
{
	const struct topic *page;
	size_t at;

	if (page_of(s, s->topics.page, &at) == NULL || (way < 0 && at == 0))
		return 0;
	page = topics_page(s, way < 0 ? at - 1 : at + 1);
	if (page != NULL)
		open_page(s, page);
	return 0;
}

/* Back to the list of all. */
static void
topic_close(struct state *s)
{
	list_open(s, LIST_TOPICS);
	s->topics.page[0] = '\0';
}

const struct list_type topics_list = { .title = "topics", .rows = topics_rows,
	.begin = topics_begin, .accept = topics_accept, .names = true };
const struct list_type topic_list = { .title = "topics", .add_title = topic_title,
	.rows = topic_rows, .accept = topic_accept, .aside = topic_aside, .close = topic_close };
