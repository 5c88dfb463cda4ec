#include "core/plan/option.h"

#include <string.h>

#include "core/base/text.h"

enum { PATH_SIZE = 64 };

/* As POSIX has it: in single quotes everything is itself but a single quote. */
void
option_add_word(const char *text, char *buf, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "_.,:/@%+=-";

	if (*text != '\0' && text[strspn(text, plain)] == '\0') {
		text_add(buf, size, "%s", text);
		return;
	}
	text_add(buf, size, "'");
	for (; *text != '\0'; text++)
		if (*text == '\'')
			text_add(buf, size, "'\\''");
		else
			text_add(buf, size, "%c", *text);
	text_add(buf, size, "'");
}

void
option_add(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	const struct field *row = &field_table[f];
	char value[PLAN_LAYOUT_SIZE], word[PLAN_LAYOUT_SIZE + PATH_SIZE];

	field_format(f, p, value, sizeof value);
	if (row->flag != NULL)
		text_put(word, sizeof word, "%s", value);
	else
		text_put(word, sizeof word, "%s=%s", row->path, value);
	text_add(buf, size, " --%s=", row->flag != NULL ? row->flag : "set");
	option_add_word(word, buf, size);
}

void
options_add(const struct plan *p, const struct plan *base, char *buf, size_t size)
{
	for (int f = 0; f < FIELD_COUNT; f++)
		if (field_is_set((enum field_id)f, p) &&
		    (base == NULL || !field_same((enum field_id)f, p, base)))
			option_add((enum field_id)f, p, buf, size);
}
