/* What the user prefers: the list of settings, and the keys that change one at once. */
#include <string.h>

#include "core/base/text.h"
#include "ui/list/views.h"

/* Say what became of a change; with `keep` it is remembered for later sessions. */
static void
tell_option(struct state *s, size_t row, bool keep)
{
	const char *name = settings_table[row].name, *value = settings_value(&s->settings, row);
	char note[STATE_MESSAGE_SIZE] = "";
	bool kept = keep && s->files->save_settings != NULL && s->files->save_settings(
	    &s->settings, name, note, sizeof note);

	if (kept)
		state_say(s, ROLE_GOOD, "%s %s, %s", name, value, note);
	else if (keep)
		state_say(s, ROLE_WARNING, "%s %s for this session; %s", name, value, note);
	else
		state_say(s, ROLE_DIM, "%s %s for this session (:remember keeps it)", name, value);
}

static unsigned
put_option(struct state *s, size_t row, const char *value, bool keep)
{
	char err[STATE_MESSAGE_SIZE];

	if (!settings_put(&s->settings, row, value, err, sizeof err))
		state_say(s, ROLE_ERROR, "%s %s", settings_table[row].name, err);
	else
		tell_option(s, row, keep);
	return 0;
}

/* The next value of a setting, or the one before; around and around. */
static unsigned
turn_option(struct state *s, size_t row, int way, bool keep)
{
	const char *now = settings_value(&s->settings, row);
	char value[SETTINGS_TEXT_SIZE];
	size_t count = 0, at = 0;

	for (; settings_choice(row, count, value, sizeof value); count++)
		if (text_equal(value, now))
			at = count;
	at = way > 0 ? (at + 1) % count : (at + count - 1) % count;
	settings_choice(row, at, value, sizeof value);
	return put_option(s, row, value, keep);
}

/* "palette safe": one setting, for good; a name alone tells its value. */
unsigned
options_open(struct state *s, const char *argument)
{
	const size_t n = strcspn(argument, " \t=");
	const char *value = argument + n + strspn(argument + n, " \t=");
	char name[SETTINGS_TEXT_SIZE];
	const char *near;
	size_t row;

	if (n == 0) {
		list_open(s, LIST_OPTIONS);
		return 0;
	}
	text_put(name, sizeof name, "%.*s", (int)n, argument);
	row = settings_find(name);
	if (row < settings_count && value[0] != '\0')
		return put_option(s, row, value, true);
	if (row < settings_count)
		state_say(s, ROLE_DIM, "%s %s: %s", name, settings_value(&s->settings, row),
		    settings_table[row].help);
	else if ((near = settings_near(name)) != NULL)
		state_say(s, ROLE_ERROR, "no setting %s; did you mean %s?", name, near);
	else
		state_say(s, ROLE_ERROR, "no setting %s; :settings lists them", name);
	return 0;
}

void
options_keys(struct rows *rows, const struct state *s, int w)
{
	for (size_t i = 0; i < s->settings.keys; i++) {
		const struct settings_key *own = &s->settings.key[i];

		rows_item(rows, -1, ROLE_TEXT, "%-*s %s%s", w, own->key,
		    own->command[0] != '\0' ? ":" : "means nothing", own->command);
	}
}

static void
options_rows(struct rows *rows, const struct state *s)
{
	for (size_t i = 0; i < settings_count; i++)
		rows_item(rows, (int)i, ROLE_TEXT, "%-9s %-6s  %s", settings_table[i].name,
		    settings_value(&s->settings, i), settings_table[i].help);
	rows_heading(rows, "Keys of your own");
	options_keys(rows, s, 16);
	rows_item(rows, -1, ROLE_DIM, "Enter, left and right change a setting, now and for later "
	    "sessions. Keys are written by hand into settings.cfg in $XDG_CONFIG_HOME/shardplan or "
	    "~/.config/shardplan: keys = ( { key = \"F9\"; run = \"zoom auto\"; } );");
}

static unsigned
options_accept(struct state *s, int target)
{
	return target >= 0 ? turn_option(s, (size_t)target, 1, true) : 0;
}

static unsigned
options_aside(struct state *s, int way)
{
	const int target = list_target(s);

	return target >= 0 ? turn_option(s, (size_t)target, way, true) : 0;
}

/* One setting by its command, for this session: "mouse on", or its next value. */
unsigned
options_set(struct state *s, const char *name, const char *argument)
{
	const size_t row = settings_find(name);

	if (text_equal(name, "ascii") && !s->utf8 && s->settings.ascii && argument[0] == '\0') {
		s->settings.ascii = false;
		state_say(s, ROLE_DIM, "the terminal's locale has no UTF-8");
		return 0;
	}
	return argument[0] != '\0' ? put_option(s, row, argument, false) : turn_option(s, row, 1, false);
}

unsigned
options_remember(struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "there is no place for settings";
	bool kept = s->files->save_settings != NULL && s->files->save_settings(&s->settings, NULL,
	    note, sizeof note);

	state_say(s, kept ? ROLE_GOOD : ROLE_WARNING, "%s", note);
	return 0;
}

const struct list_type options_list = { .title = "settings", .rows = options_rows,
	.accept = options_accept, .aside = options_aside, .names = true };
