#include "ui/app/hints.h"

#include <string.h>

#include "core/base/text.h"
#include "ui/app/actions.h"
#include "ui/list/list.h"
#include "ui/list/views.h"
#include "ui/screen/input.h"

static bool
has_fix(const struct state *s)
{
	if (state_is_bad(s))
		return true;
	for (size_t i = 0; i < s->estimate->diags.count; i++)
		if (s->estimate->diags.item[i].fix_field != FIELD_NONE)
			return true;
	return false;
}

/* The key of a hint, in buf, as the user has it; false when no key is left. */
static bool
put_own_key(const struct state *s, const struct command *command, char *buf, size_t size)
{
	char usual[SETTINGS_KEY_SIZE], now[SETTINGS_KEY_SIZE];

	input_name(command->key[0], usual, sizeof usual);
	if (command_keys(command, &s->settings, 1, now, sizeof now) > 0 && !text_equal(now, usual))
		text_put(buf, size, "%s", now);
	return now[0] != '\0';
}

/* What only the moment gives a use: it comes first, as nothing else on the screen tells it. */
static bool
is_of_moment(const struct state *s, const struct command *command)
{
	return (command->act == move_alone && s->alone) || (command->run == topics_language &&
	    (s->list.kind == LIST_TOPIC || s->list.kind == LIST_TOPICS));
}

int
hints_footer(const struct state *s, int w, struct hint hint[HINTS_MAX])
{
	const enum context context = command_context(s);
	const bool types = s->list.kind != LIST_NONE && list_types(s);
	const struct canvas said = { .texts = s->texts }; /* widths are of what is said */
	int n = 0, x = types ? canvas_width(&said, HINTS_TYPE) + 2 : 0;

	for (size_t i = 0; i < 2 * command_count && n < HINTS_MAX; i++) {
		const struct command *command = &command_table[i % command_count];
		struct hint *h = &hint[n];
		const char *text = command->hint;
		size_t key;

		if (text == NULL || (command->contexts & context) == 0 ||
		    is_of_moment(s, command) != (i < command_count))
			continue;
		if (types && command->key[0] >= ' ' && command->key[0] < INPUT_UP) /* is typed */
			continue;
		if (command->act == diags_fix && !has_fix(s))
			continue;
		if (command->run == topics_language && !is_of_moment(s, command))
			continue;
		if (command->act == list_accept && s->lists[s->list.kind]->accept == NULL)
			continue;
		key = 1 + strcspn(text + 1, "|"); /* the key itself may be '|' */
		*h = (struct hint){ .command = command, .what = text + key + 1, .x = x };
		text_put(h->key, sizeof h->key, "%.*s", (int)key, text);
		if (!put_own_key(s, command, h->key, sizeof h->key))
			continue;
		if (command->act == move_picture && s->picture == PICTURE_PIPELINE)
			h->what = "map"; /* the way back */
		if (command->act == move_alone && s->alone)
			h->what = "all panes";
		h->w = canvas_width(&said, h->key) + 1 + canvas_width(&said, h->what);
		if (x + h->w > w)
			continue;
		x += h->w + 2;
		n++;
	}
	return n;
}
