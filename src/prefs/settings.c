#include <string.h>

#include "core/base/text.h"
#include "prefs/settings.h"

const struct settings_row settings_table[] = {
	{ "palette", "auto|dark|light|safe|16|8|mono",
	    "colours of the screen; auto suits the background, where that is known",
	    offsetof(struct settings, palette) },
	{ "language", "auto|en|zh", "language of the screen and the topics; auto follows the locale",
	    offsetof(struct settings, language) },
	{ "mouse", NULL, "clicks and the wheel work; Shift selects text then",
	    offsetof(struct settings, mouse) },
	{ "ascii", NULL, "draw with ASCII characters alone", offsetof(struct settings, ascii) },
};
const size_t settings_count = sizeof settings_table / sizeof *settings_table;

void
settings_default(struct settings *s)
{
	*s = (struct settings){ .palette = "auto", .language = "auto",
		.mouse = true };
}

size_t
settings_find(const char *name)
{
	for (size_t i = 0; i < settings_count; i++)
		if (text_equal(settings_table[i].name, name))
			return i;
	return settings_count;
}

const char *
settings_near(const char *name)
{
	const char *near = NULL;

	for (size_t i = 0; i < settings_count; i++)
		near = text_nearer(name, near, settings_table[i].name);
	return near;
}

const char *
settings_value(const struct settings *s, size_t row)
{
	const char *at = (const char *)s + settings_table[row].offset;

	if (settings_table[row].choices != NULL)
		return at;
	return *(const bool *)(const void *)at ? "true" : "false";
}

bool
settings_choice(size_t row, size_t i, char *buf, size_t size)
{
	const char *names = settings_table[row].choices;

	return text_choice(names != NULL ? names : "true|false", (int64_t)i, buf, size);
}

bool
settings_put(struct settings *s, size_t row, const char *value, char *err, size_t size)
{
	const char *choices = settings_table[row].choices;
	char *at = (char *)s + settings_table[row].offset, one[SETTINGS_TEXT_SIZE];
	const bool is = text_choice_index("true|on|yes|1", value) >= 0;

	if (choices == NULL && (is || text_choice_index("false|off|no|0", value) >= 0)) {
		*(bool *)(void *)at = is;
		return true;
	}
	if (choices != NULL && text_choice_index(choices, value) >= 0)
		return text_copy(at, SETTINGS_TEXT_SIZE, value);
	text_put(err, size, "is one of ");
	for (size_t i = 0; settings_choice(row, i, one, sizeof one); i++)
		text_add(err, size, i > 0 ? ", %s" : "%s", one);
	return false;
}

bool
settings_bind(struct settings *s, const char *key, const char *command, unsigned line)
{
	struct settings_key *k = s->key;

	command += strspn(command, " \t:");
	while (k < s->key + s->keys && !text_equal(k->key, key))
		k++;
	if (k == s->key + SETTINGS_KEYS_MAX)
		return false;
	if (!text_copy(k->key, sizeof k->key, key) ||
	    !text_copy(k->command, sizeof k->command, command))
		return false;
	k->line = line;
	s->keys += k == s->key + s->keys;
	return true;
}
