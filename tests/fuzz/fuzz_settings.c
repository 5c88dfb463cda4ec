/*
 * fuzz_settings.c - any bytes as the file of settings. What was taken of it must be values that
 * its table knows, and keys within their room; what was not is complained of.
 */
#include <stdlib.h>
#include <string.h>

#include "file/prefs/settings_file.h"
#include "fuzz.h"

/* Each value can be put again as it is shown, and changes nothing. */
static void
check(const struct settings *s)
{
	struct settings again = *s;
	char err[256];

	if (s->keys > SETTINGS_KEYS_MAX)
		abort();
	for (size_t i = 0; i < s->keys; i++)
		if (memchr(s->key[i].key, '\0', SETTINGS_KEY_SIZE) == NULL ||
		    memchr(s->key[i].command, '\0', SETTINGS_TEXT_SIZE) == NULL)
			abort();
	for (size_t row = 0; row < settings_count; row++)
		if (!settings_put(&again, row, settings_value(s, row), err, sizeof err) ||
		    strcmp(settings_value(&again, row), settings_value(s, row)) != 0)
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file_errors errors = { .count = 0 };
	struct settings s;
	char *text;

	if (size > PLANFILE_SIZE_MAX || (text = malloc(size + 1)) == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	settings_default(&s);
	if (!settings_file_read_text(&s, "settings.cfg", text, size, &errors) && errors.count == 0)
		abort();
	check(&s);
	free(text);
	return 0;
}
