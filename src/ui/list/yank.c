/* What can be copied: the number under the cursor, the plan in several forms, what is shown. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/plan/option.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"

enum { OPTIONS_SIZE = 16384, SHOWN_MOST = 1 << 20 };

static unsigned
yank(struct state *s, const char *what, char *text)
{
	free(s->yank);
	s->yank = text;
	if (text == NULL || *text == '\0') {
		state_say(s, ROLE_WARNING, "there is no %s to copy", what);
		return 0;
	}
	if (strchr(text, '\n') != NULL) /* lines are no message */
		state_say(s, ROLE_GOOD, "copied: %s", what);
	else
		state_say(s, ROLE_GOOD, "copied %s: %s", what, text);
	return EVENT_YANK;
}

/* ---- what is under the cursor ------------------------------------------------------------- */

/* The lines of the selected entry of the list that is open, joined. */
static char *
entry_text(const struct state *s)
{
	char *text = calloc(1, ROW_TEXT_SIZE * 4);
	struct rows rows;

	if (text == NULL)
		return NULL;
	list_rows(&rows, s, ROW_TEXT_SIZE);
	for (size_t i = 0; i < rows.count; i++)
		if (rows.row[i].item == s->list.item) {
			const char *line = rows.row[i].text + strspn(rows.row[i].text, " ");

			text_add(text, ROW_TEXT_SIZE * 4, "%s%s", *text != '\0' ? " " : "", line);
		}
	rows_free(&rows);
	return text;
}

static char *
cursor_text(const struct state *s)
{
	const struct pane_type *pane = pane_type(s, s->focus);
	char text[STATE_MESSAGE_SIZE + PLAN_LAYOUT_SIZE] = "";

	if (s->list.kind != LIST_NONE)
		return entry_text(s);
	if (pane->context == CONTEXT_FORM)
		field_format(s->form.field, &s->plan, text, sizeof text);
	else if (pane->context == CONTEXT_MAP && s->map.cursor >= 0)
		text_put(text, sizeof text, "%lld", (long long)s->map.cursor);
	else if (pane->line != NULL)
		pane_line(pane, s, text, sizeof text);
	return strdup(text);
}

unsigned
yank_cursor(struct state *s)
{
	return yank(s, "number", cursor_text(s));
}

/* ---- more of it ----------------------------------------------------------------------------- */

/* The fields that are set, against the file where there is one. */
static char *
options_text(const struct state *s)
{
	const bool filed = s->files->path(s->files->context)[0] != '\0';
	char *text = calloc(1, OPTIONS_SIZE);

	if (text != NULL)
		options_add(&s->plan, filed ? &s->saved : NULL, text, OPTIONS_SIZE);
	return text;
}

static char *
options_alone(const struct state *s)
{
	char *text = options_text(s);

	if (text != NULL && text[0] == ' ')
		memmove(text, text + 1, strlen(text));
	return text;
}

static char *
command_text(const struct state *s)
{
	enum { SIZE = OPTIONS_SIZE + 4 * STATE_PATH_SIZE };
	char *options = options_text(s), *text = calloc(1, SIZE);
	const char *path = s->files->path(s->files->context);

	if (text != NULL && options != NULL) {
		text_put(text, SIZE, "shardplan estimate%s", options);
		if (*path != '\0') {
			text_add(text, SIZE, " %s", *path == '-' ? "./" : "");
			option_add_word(path, text, SIZE);
		}
	}
	free(options);
	return text;
}

static char *
path_text(const struct state *s)
{
	return strdup(s->files->path(s->files->context));
}

/* The pane in focus as it stands on the screen, and whose numbers those are. */
static char *
pane_text(const struct state *s)
{
	struct rect r = panes_arrange_for(s, s->focus).inner[s->focus];
	struct canvas c;
	char *text = NULL;

	if (r.w > 0 && r.h > 0 && canvas_init(&c, r.x + r.w, r.y + r.h, s->utf8)) {
		pane_type(s, s->focus)->draw(s, &c, r);
		if (pane_looks_back(s, s->focus)) { /* in the line of its frame */
			r.y--, r.h++;
			canvas_text(&c, r, r.x, r.y, (struct style){ .role = ROLE_TEXT }, PANE_PAST);
		}
		text = canvas_lines(&c, r);
		canvas_free(&c);
	}
	return text;
}

/* All lines of the list that Y was pressed in, else of the pane. */
static char *
shown_text(const struct state *s)
{
	size_t size = 1;
	struct rows rows;
	char *text;

	if (s->list.kind == LIST_NONE)
		return pane_text(s);
	list_rows(&rows, s, ROW_TEXT_SIZE);
	for (size_t i = 0; i < rows.count && size < SHOWN_MOST; i++)
		size += strlen(rows.row[i].text) + 1;
	text = calloc(1, size);
	for (size_t i = 0; text != NULL && i < rows.count; i++)
		text_add(text, size, "%s\n", rows.row[i].text);
	rows_free(&rows);
	return text;
}

/* The first address in the selected line. */
static char *
address_text(const struct state *s)
{
	char *text = s->list.kind != LIST_NONE ? entry_text(s) : NULL, *at;

	at = text != NULL ? strstr(text, "http") : NULL;
	if (at != NULL) {
		memmove(text, at, strlen(at) + 1);
		text[strcspn(text, " )>,;")] = '\0';
	} else if (text != NULL)
		*text = '\0';
	return text;
}

static const struct {
	const char *name, *help;
	char *(*text)(const struct state *s); /* allocated */
} table[] = {
	{ "options", "what is set, as options of the program", options_alone },
	{ "command", "a command line that estimates the plan", command_text },
	{ "file", "the path of the plan's file", path_text },
	{ "table", "the lines of the list or pane that is shown", shown_text },
	{ "address", "the address in the selected line of a list", address_text },
};

const char *
yank_name(int i)
{
	return i < (int)(sizeof table / sizeof *table) ? table[i].name : NULL;
}

unsigned
yank_named(struct state *s, const char *name)
{
	char names[64] = "";

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		if (text_equal(table[i].name, name))
			return yank(s, table[i].name, table[i].text(s));
		text_add(names, sizeof names, "%s%s", i > 0 ? ", " : "", table[i].name);
	}
	if (*name == '\0')
		list_open(s, LIST_YANK);
	else
		state_say(s, ROLE_ERROR, "one of %s", names);
	return 0;
}

static void
yank_rows(struct rows *rows, MAYBE const struct state *s)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		rows_item(rows, (int)i, ROLE_TEXT, "%-8s  %s", table[i].name, table[i].help);
}

/* What is copied is of what was shown before this list. */
static unsigned
yank_accept(struct state *s, int target)
{
	if (target < 0)
		return 0;
	s->list = s->below;
	return yank_named(s, table[target].name);
}

const struct list_type yank_list = { .title = "what to copy", .rows = yank_rows, .accept = yank_accept,
	.over = true, .names = true, .types = true };
