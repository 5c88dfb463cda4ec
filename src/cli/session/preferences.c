#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/preferences.h"
#include "core/base/text.h"
#include "file/base/textbuf.h"
#include "file/plan/atomic.h"
#include "file/plan/errors.h"
#include "file/plan/paths.h"
#include "file/plan/slurp.h"
#include "file/prefs/settings_file.h"
#include "ui/app/command.h"
#include "ui/screen/input.h"

enum { LINES_MAX = 500, RECENT_MAX = 10, TRIES = 8 };

static bool
settings_path(char *buf, size_t size)
{
	return paths_config(buf, size, "settings.cfg");
}

/* Keys and commands that there are, the keys as help writes them; the others go, with a
 * complaint. */
static void
check_keys(struct settings *s, struct file_errors *errors)
{
	const struct settings all = *s;

	s->keys = 0;
	for (size_t i = 0; i < all.keys; i++) {
		const struct settings_key *k = &all.key[i];
		const int32_t key = input_of_name(k->key);
		char name[SETTINGS_TEXT_SIZE], shown[SETTINGS_KEY_SIZE];
		const char *near;

		text_put(name, sizeof name, "%.*s", (int)strcspn(k->command, " \t="), k->command);
		if (key == INPUT_NONE)
			errors_add(errors, "settings.cfg", k->line, "keys", "no key \"%s\" (fix: a "
			    "character, F6, Ctrl-P, PgUp, ...)", k->key);
		else if (name[0] == '\0' || command_is_known(name)) {
			input_name(key, shown, sizeof shown);
			settings_bind(s, shown, k->command, k->line);
		} else if ((near = command_near(name)) != NULL)
			errors_add(errors, "settings.cfg", k->line, "keys", "no command \"%s\" (fix: did "
			    "you mean %s?)", name, near);
		else
			errors_add(errors, "settings.cfg", k->line, "keys", "no command \"%s\"", name);
	}
}

void
preferences_read(struct settings *s, char *note, size_t size)
{
	struct file_errors errors = { 0 };
	char path[PLANFILE_PATH_SIZE];

	note[0] = '\0';
	settings_default(s);
	if (!settings_path(path, sizeof path))
		return;
	settings_file_read(s, path, &errors);
	check_keys(s, &errors);
	errors_note(&errors, note, size);
}

bool
preferences_write(const struct settings *s, const char *name, char *note, size_t size)
{
	char path[PLANFILE_PATH_SIZE];

	if (!settings_path(path, sizeof path)) {
		text_put(note, size, "not remembered: there is no home directory");
		return false;
	}
	return settings_file_write(s, name != NULL ? settings_find(name) : settings_count, path,
	    note, size);
}

/* ---- lines ------------------------------------------------------------------------- */

static char *
lines_of(const char *name)
{
	char path[PLANFILE_PATH_SIZE], why[128];
	struct slurp in;

	if (!paths_state(path, sizeof path, name) || !slurp_file(&in, path, why, sizeof why))
		return NULL;
	return in.text;
}

char *
preferences_lines(void)
{
	return lines_of("history");
}

char *
preferences_recent(void)
{
	return lines_of("recent");
}

/* Whether one of the lines is this one. */
static bool
has_line(const char *lines, const char *line, size_t n)
{
	for (; *lines != '\0'; lines += strcspn(lines, "\n"), lines += *lines == '\n')
		if (strncmp(lines, line, n) == 0 && lines[n] == '\n')
			return true;
	return false;
}

/* Where the last `most` of the lines begin. */
static const char *
last_lines(const char *lines, size_t most)
{
	const char *p = lines + strlen(lines);

	for (; p > lines; p--)
		if (p[-1] == '\n' && *p != '\0' && --most == 0)
			break;
	return p;
}

/* Old lines that do not come again, then the new ones. */
static char *
joined_lines(const char *old, const char *lines)
{
	struct textbuf all = { 0 };

	for (const char *both[] = { old, lines }, **from = both; from < both + 2; from++)
		for (const char *p = *from; *p != '\0';) {
			size_t n = strcspn(p, "\n");
			const char *next = p + n + (p[n] == '\n');

			if (n > 0 && p[n] == '\n' && !has_line(next, p, n) &&
			    (*from == lines || !has_line(lines, p, n)))
				textbuf_bytes(&all, p, n + 1);
			p = next;
		}
	return textbuf_take(&all);
}

/* Add lines to a file that keeps the last `most`. */
static void
add_lines(const char *name, const char *lines, size_t most)
{
	char path[PLANFILE_PATH_SIZE], why[128];
	enum atomic_result result = ATOMIC_CHANGED;

	if (lines[0] == '\0' || !paths_state(path, sizeof path, name) || !paths_make(path))
		return;
	/* Another session may write in the same moment: then its lines are read anew. */
	for (int i = 0; i < TRIES && result == ATOMIC_CHANGED; i++) {
		struct slurp old = { 0 };
		const char *last;
		char *all;

		if (!slurp_file(&old, path, why, sizeof why) && old.error != ENOENT)
			return;
		all = joined_lines(old.text != NULL ? old.text : "", lines);
		if (all == NULL)
			result = ATOMIC_FAILED;
		else {
			last = last_lines(all, most);
			result = atomic_write_private(path, last, strlen(last), &old.stamp, why,
			    sizeof why);
		}
		free(all);
		free(old.text);
	}
}

void
preferences_add_lines(const char *lines)
{
	add_lines("history", lines, LINES_MAX);
}

void
preferences_add_recent(const char *path)
{
	char whole[PATH_MAX];

	if (realpath(path, whole) != NULL && strchr(whole, '\n') == NULL)
		add_lines("recent", TEXT_OF(PATH_MAX + 2, "%s\n", whole), RECENT_MAX);
}

bool
preferences_copy(const char *text, char *note, size_t size)
{
	char path[PLANFILE_PATH_SIZE], why[128] = "no home directory";
	bool done = paths_state(path, sizeof path, "copied") && paths_make(path) &&
	    atomic_write_private(path, text, strlen(text), NULL, why, sizeof why) == ATOMIC_DONE;

	text_put(note, size, done ? "this terminal takes no copies: the text is in %s" :
	    "the text can not be kept: %s", done ? path : why);
	return done;
}
